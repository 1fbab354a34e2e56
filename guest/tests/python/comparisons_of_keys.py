class H:
    def __hash__(self): print('hash'); return 1
    def __eq__(self, o): print('eq', o if o.__class__ is int else 'H'); return False
print(len(set([H(),1])))
print(len({H(),1}))
print(len({1, H()}))
s = set(); s.add(H()); s.add(1); s.add(2); s.add(9)
class H:
    def __hash__(self): print('hash'); return 1
    def __eq__(self, o): print('eq', o if o.__class__ is int else 'H'); return False
d = {H(): 1}
d[1] = 2
print(d.get(1), 1 in d, d.setdefault(1, 5), len(d))
print(len({H(): 1, 1: 2}), len({1: 1, H(): 2}))
d.pop(1)

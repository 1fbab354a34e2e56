import _csv
class W: write=lambda s,x: print(repr(x))
def t(f):
  try: print('OK', f())
  except Exception as e: print(type(e), e)
R=lambda *a,**k: list(_csv.reader(*a,**k))
for kw in [dict(delimiter=''),dict(delimiter='ab'),dict(delimiter=b'a'),dict(delimiter='\n'),dict(delimiter=' '),dict(delimiter=' ',skipinitialspace=True),dict(quotechar=''),dict(quotechar=None),dict(quotechar=None,quoting=0),dict(quotechar='ab'),dict(quotechar=4),dict(quoting=9),dict(quoting='x'),dict(lineterminator=None),dict(lineterminator=4),dict(escapechar=''),dict(escapechar='ab'),dict(bad=1),dict(quoting=None), dict(delimiter=None), dict(delimiter='\"'),dict(escapechar=','), dict(escapechar='\n'),dict(lineterminator='\"'),dict(doublequote='x'),dict(strict=2),dict(dialect='nope'),dict(dialect=5)]:
  print(kw,end=' '); t(lambda: R(['a,b'],**kw))
t(lambda: _csv.register_dialect(5)); t(lambda: _csv.register_dialect()); t(lambda: _csv.get_dialect('x')); t(lambda: _csv.unregister_dialect('x')); t(lambda: _csv.field_size_limit('x')); t(lambda:_csv.field_size_limit()); t(lambda:_csv.writer(4)); t(lambda:_csv.reader(4)); t(lambda:R([b'a'])); t(lambda:R([4])); t(lambda:R(['a\nb'])); t(lambda:R(['a\rb'])); t(lambda:R(['\"a'],strict=True)); t(lambda:R(['\"a\"b'],strict=True)); t(lambda:R(['a\0b'])); t(lambda: _csv.writer(W()).writerow(5)); t(lambda: _csv.writer(W()).writerows(5));t(lambda: _csv.writer(W()).writerow([])); t(lambda: _csv.writer(W(),quoting=3).writerow(['']));t(lambda: _csv.writer(W(),quoting=3).writerow(['a,b']));t(lambda: _csv.writer(W(),quoting=3,quotechar=None).writerow(['a,b\"']));t(lambda: R(['a,1'],quoting=2)); t(lambda: R(['\"a\",1, ,2.5'],quoting=2)); t(lambda: _csv.writer(W()).writerow([None,1,2.5,'x y', b'q']))
d=_csv.Dialect(); print({k:getattr(d,k) for k in dir(d) if k[0]!='_'}); t(lambda: setattr(d,'delimiter',3)); t(lambda: delattr(d,'delimiter')); t(lambda: setattr(d,'quoting',3));t(lambda: delattr(d,'quoting'))
import copy,pickle; t(lambda: copy.copy(d)); t(lambda: pickle.dumps(d))
r=_csv.reader(['x']); t(lambda: setattr(r,'dialect',1)); t(lambda: setattr(r,'line_num',1)); t(lambda: delattr(r,'dialect'))
_csv.field_size_limit(3); t(lambda: R(['abcd'])); t(lambda: _csv.field_size_limit(-1))
_csv.field_size_limit(3000);
t(lambda:R(['a\n','b\n\n']))
t(lambda: _csv.reader()); t(lambda: _csv.writer()); t(lambda: _csv.reader([],1,2)); t(lambda: _csv.Dialect(1,2,3,4,5,6,7,8,9,10))
t(lambda: list(map(type,R(['a,\"1\",,\"\"'],quoting=4)[0]))); t(lambda: R(['a,\"1\",,\"\"'],quoting=5)); t(lambda: R(['a,\"1\",,\"\",3'],quoting=4)); 
t(lambda: R(['\"a\"\"b\"'],doublequote=False)); t(lambda: R(['a\\\\,b,c'],escapechar='\\\\'))
t(lambda: R([' a, \"b\"'],skipinitialspace=True)); t(lambda: R(['\"a\n','b\",c']))
t(lambda: _csv.writer(W(),quoting=4).writerow(['a',1,None,'',2.5])); t(lambda: _csv.writer(W(),quoting=5).writerow(['a',1,None,'',2.5])); t(lambda: _csv.writer(W(),quoting=2).writerow(['a',1,None,'',2.5]));t(lambda: _csv.writer(W(),quoting=1).writerow(['a',1,None,'',2.5]));t(lambda: _csv.writer(W(),quoting=3,escapechar='\\').writerow(['a,"\\\n',1,None,'',2.5]));t(lambda: _csv.writer(W(),escapechar='\\').writerow(['a,"\\\n',1,None,'',2.5]));t(lambda: _csv.writer(W(),doublequote=False,escapechar='\\').writerow(['a,"\\\n',1]));t(lambda: _csv.writer(W(),doublequote=False).writerow(['a,"\\\n',1]))
for q in (0,4,5,2,3): t(lambda: _csv.writer(W(),quoting=q).writerow([None])); t(lambda: _csv.writer(W(),quoting=q).writerow(['']))
t(lambda: _csv.writer(W(),delimiter=' ').writerow(['','a b','  '])); t(lambda: _csv.writer(W(),delimiter=' ',skipinitialspace=True).writerow(['','a b']));t(lambda: _csv.writer(W(),delimiter=',',skipinitialspace=True).writerow([' a','a b']))
t(lambda: _csv.writer(W(),quoting=3,delimiter=' ',skipinitialspace=True).writerow(['','a']))
t(lambda: R(['a\r\n','b\r','\r\n','c'])); t(lambda: R(['a\\'],escapechar='\\')); t(lambda: R(['a\\\n','b'],escapechar='\\')); t(lambda: R(['"a\\\n','b"'],escapechar='\\'));t(lambda: R(['"a"x,b'])); t(lambda: R(['ab"c,d'])); t(lambda: R(['"a" ,b'],strict=True)); t(lambda: R(['a\\'],escapechar='\\',strict=True)); 
t(lambda: R(["'a','b'"],quotechar="'",quoting=3)); t(lambda: R(['1,"2"'],quoting=2)); t(lambda: R(['1,"2",x'],quoting=4)); t(lambda: R(['.5,\\5'],quoting=2,escapechar='\\'))
class D: delimiter=';'; 
t(lambda: R(['a;b'],dialect=D)); t(lambda: R(['a;b'],dialect=D())); t(lambda:R(['a;b'],D, delimiter='b'))
class E(D): quoting='zz'
t(lambda: R(['a;b'],dialect=E))
_csv.register_dialect('foo',D,quoting=1); print(_csv.list_dialects(), _csv.get_dialect('foo').delimiter); t(lambda: R(['a;b'],'foo')); t(lambda: _csv.register_dialect('x',D,D)); t(lambda: _csv.register_dialect('x',D,bad=2)); t(lambda: _csv.register_dialect('x',5))
t(lambda: _csv.Dialect(delimiter=';',bogus=3)); print(_csv.Dialect(_csv.get_dialect('foo')) is _csv.get_dialect('foo')); print(_csv.reader.__class__, _csv.reader)

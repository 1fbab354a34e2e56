from _collections import deque, OrderedDict
seed=int(7)
def rnd(n):
    global seed
    seed=(seed*6364136223846793005+1442695040888963407)%(1<<64)
    return (seed>>33)%n
def key():
    k=rnd(6)
    if k==0: return rnd(20)
    if k==1: return str(rnd(20))
    if k==2: return (rnd(4),rnd(4))
    if k==3: return rnd(10)/2
    if k==4: return rnd(2)==1
    return rnd(10**9)
def run(tag,f):
    try: r=f()
    except Exception as e: r=(type(e).__name__,str(e))
    print(tag, r)
def sl():
    g=lambda: None if rnd(3)==0 else rnd(30)-15
    st=g()
    return slice(g(),g(),None if st==0 else st)
for t in range(25):
    d={} ; o=OrderedDict()
    for _ in range(rnd(60)):
        c=rnd(12); k=key()
        if c<4: d[k]=o[k]=rnd(100)
        elif c==4: assert d.pop(k,None)==o.pop(k,None)
        elif c==5 and d: assert d.popitem()==o.popitem()
        elif c==6 and k in o: o.move_to_end(k); d[k]=d.pop(k)
        elif c==7 and k in o: o.move_to_end(k,last=False); d={k:d[k],**{x:y for x,y in d.items() if x!=k}}
        elif c==8 and o: 
            x=o.popitem(last=False); y=next(iter(d)); assert (y,d.pop(y))==x
        elif c==9: d.setdefault(k,5); o.setdefault(k,5)
        elif c==10: 
            u={key():1 for _ in range(rnd(9))}; d.update(u); o.update(u)
        elif c==11:
            if rnd(4)==0: d=d.copy(); o=o.copy()
        assert list(d.items())==list(o.items()),(d,o)
        assert list(reversed(d))==list(reversed(o))
    print(d)
    l=[rnd(50) for _ in range(rnd(30))]; q=deque(l); 
    for _ in range(30):
        c=rnd(14)
        if c==0: run('g',lambda: l[sl()])
        elif c==1: s=sl(); v=[rnd(9) for _ in range(rnd(6))]; run('s',lambda: l.__setitem__(s,v))
        elif c==2: s=sl(); run('d',lambda: l.__delitem__(s))
        elif c==3: i=rnd(40)-20; run('i',lambda: l.insert(i,rnd(99)))
        elif c==4: i=rnd(40)-20; run('p',lambda: l.pop(i))
        elif c==5: i=rnd(50); run('x',lambda: i in l and l.index(i))
        elif c==6: run('m',lambda: l*rnd(3))
        elif c==7: l.reverse()
        elif c==8: l.sort(reverse=rnd(2)==0)
        elif c==9: l.sort(key=lambda x:x%7, reverse=rnd(2)==0)
        elif c==10: i=rnd(40)-20; q.rotate(i)
        elif c==11: q.appendleft(rnd(9)); q.append(rnd(9))
        elif c==12: i=rnd(60)-30; run('q',lambda: q[i])
        elif c==13: i=rnd(60)-30; run('qd',lambda: q.__delitem__(i)); run('qi',lambda:q.insert(i,rnd(50)))
    print(l,q)
    m=[key() for _ in range(rnd(40))]
    def s(f):
        try: return f()
        except TypeError as e: return str(e)
    nums=[x for x in m if not isinstance(x,(str,tuple))]
    print(sorted(nums), sorted(nums,reverse=True), sorted([x for x in m if isinstance(x,tuple)]), sorted(map(str,m)), sorted(m,key=str), sorted([(str(x),i) for i,x in enumerate(m)],reverse=True), sorted([[x] for x in nums]), sorted(nums,key=lambda x:(x%3,-x)))

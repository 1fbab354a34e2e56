seed=12345
def rnd(n):
    global seed
    seed=(seed*6364136223846793005+1442695040888963407)%(1<<64)
    return (seed>>33)%n
def ints(k,m):
    return [rnd(m)-m//4 for _ in range(k)]
total=0
def show(tag,s):
    global total
    h=0
    for x in s: h=(h*1000003+x+7)%(1<<61)
    total=(total*31+h)%(1<<61)
    return h
log=[]
for trial in range(3000):
    m=[8,20,100,1000,10**6,10**12][rnd(6)]
    a=set(ints(rnd(60),m)); b=set(ints(rnd(60),m)); L=ints(rnd(40),m)
    f=frozenset(ints(rnd(30),m)); D=dict.fromkeys(ints(rnd(30),m))
    k=rnd(26)
    if k==0: r=a|b
    elif k==1: r=a&b
    elif k==2: r=a-b
    elif k==3: r=a^b
    elif k==4: r=a.union(L)
    elif k==5: r=a.intersection(L)
    elif k==6: r=a.difference(L)
    elif k==7: r=a.symmetric_difference(L)
    elif k==8: a|=b; r=a
    elif k==9: a&=b; r=a
    elif k==10: a-=b; r=a
    elif k==11: a^=b; r=a
    elif k==12: a.update(L,f,D); r=a
    elif k==13: a.intersection_update(L,b); r=a
    elif k==14: a.difference_update(L,f,D); r=a
    elif k==15: a.symmetric_difference_update(L); r=a
    elif k==16: r=a.copy(); r.add(rnd(m))
    elif k==17:
        for x in L:
            a.discard(x)
            if rnd(2): a.add(rnd(m))
        r=a
    elif k==18:
        out=[]
        for _ in range(rnd(20)):
            if a:
                out.append(a.pop())
                if rnd(3)==0: a.add(rnd(m))
        r=out+list(a)
    elif k==19: r=set(D)
    elif k==20: r=a.difference(D)
    elif k==21: r=a.symmetric_difference(D); 
    elif k==22: r=set(list(a)); 
    elif k==23: r=frozenset(a)|f
    elif k==24: r=f-a
    elif k==25:
        a.clear(); a.update(L); a.update(b); r=a
    h=show(k,r)
    if trial%100==0: print(trial,k,h)
    log.append((k,h))
print(total)
# growth
s=set()
for i in range(2000):
    s.add((i*7919)%3001)
    if i%7==0: s.discard((i*31)%3001)
print(show(0,s))
s=set(range(60000)); s.update(range(70000,130000)); print(len(s), show(0,s))
print(list({5,3,1,100,64,-1}), list({1,9,17,25,33}), list(frozenset([8,16,0])))

"""Sums, products and quotients of decimals of many sizes and precisions, at the edges of exponents, and with thousands of digits."""
import decimal
import random
from decimal import *

D = Decimal
random.seed(3)
c = getcontext()


def rnd(n):
    return D((random.randint(0, 1), tuple(random.randint(0, 9) for _ in range(random.randint(1, n))), random.randint(-30, 30)))


out = []
for p in (5, 28, 50, 1500):
    c.prec = p
    for i in range(40 if p < 100 else 3):
        a, b = rnd(p + 3), rnd(p + 3)
        out += map(str, (a + b, a - b, a * b, -a, +b))
        if b:
            out.append(str(a / b))
c.prec=28
for x,y in ((D('1'),D('-1')),(D('0'),D('-0')),(D('1e-5000'),D('1')),(D('1e9000'),D('-1e-9000')),(D('9.99'),D('1e999999')),(D('5e-999999'),D('1e-30'))):
    for f in (lambda:x+y, lambda:x*y, lambda:x-y):
        try: out.append(str(f()))
        except DecimalException as e: out.append(repr(e))
with localcontext() as k:
    k.rounding=ROUND_FLOOR
    out.append(str(D('1.5')-D('1.5')))
with localcontext() as k:
    k.clamp=1; k.Emax=10; k.Emin=-10; k.prec=5
    for s in ('1e10','1.5e9','1e-14','123456e-15'):
        try: out.append(str(D(s)*1))
        except DecimalException as e: out.append(repr(e))
c.prec=10000
x=D(7)**6000
out.append(str(x*x)[:50]); out.append(str((x*x).adjusted()))
c.prec=decimal.MAX_PREC; c.Emax=decimal.MAX_EMAX
y=D('123456789'*300)*D('987654321'*400); out.append(str(hash(y))); out.append(str(y)[-60:])
print('\n'.join(out))

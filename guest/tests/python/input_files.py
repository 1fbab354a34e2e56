# `input()` uses whatever files the program has put in place of the standard ones.
import sys, io
def loop():
    sys.stdin = io.StringIO("line1\nline2\nlast")
    print(input("p> ")); print(repr(input())); print(input())
    try: input()
    except EOFError as e: print(e)
loop()
class W:
    def write(s, t): o.append(t)
    def flush(s): o.append('F')
o=[]
old=sys.stdout; sys.stdin=io.StringIO("a\n"); sys.stdout=W()
x=input('q')
sys.stdout=old
print(x,o)
class B:
    def readline(s,*a): return b'x'
sys.stdin=B()
try: input()
except TypeError as e: print(e)
sys.stdin=None
try: input()
except RuntimeError as e: print(e)

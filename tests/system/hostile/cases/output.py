# Floods of output, by every way there is to write.

#: case print for ever
#: ends output
while True: print('x' * 70)

#: case one print of ten megabytes
#: ends output
print('x' * 3 * 10**6)

#: case many prints of nothing
#: limits output=20K
#: ends output
while True: print()

#: case print with a long end
#: ends output
print(end='x' * 3 * 10**6)

#: case print with a separator
#: ends output
print(*range(30), sep='x' * 10**5)

#: case sys.stdout
#: limits output=20K
#: ends output
import sys
while True: sys.stdout.write('x')

#: case bytes to sys.stdout.buffer
#: limits output=20K
#: ends output
import sys
while True: sys.stdout.buffer.write(b'x' * 1000)

#: case the descriptor
#: limits output=20K
#: ends output
import os
while True: os.write(1, b'x' * 1000)

#: case the descriptor of errors
#: limits output=20K
#: ends output
import os
while True: os.write(2, b'x' * 1000)

#: case writev
#: limits output=20K
#: ends output
import os
while True: os.writev(1, [b'x' * 1000] * 10)

#: case the device
#: limits output=20K
#: ends output
f = open('/dev/stdout', 'w')
while True: f.write('x' * 1000)

#: case a file made of the descriptor
#: limits output=20K
#: ends output
import os
f = os.fdopen(os.dup(1), 'wb', 0)
while True: f.write(b'x' * 1000)

#: case sys.stderr
#: limits output=20K
#: ends output
import sys
while True: print('x' * 100, file=sys.stderr)

#: case both in turns
#: limits output=20K
#: ends output
import sys
while True:
    sys.stdout.write('o')
    sys.stderr.write('e')

#: case logging
#: limits output=20K
#: ends output
import logging
while True: logging.error('x' * 100)

#: case warnings
#: limits output=20K
#: ends output
import warnings
warnings.simplefilter('always')
while True: warnings.warn('x' * 100)

#: case pprint
#: limits output=20K
#: ends output
import pprint
while True: pprint.pprint(['x' * 100] * 100)

#: case tracebacks
#: limits output=20K
#: ends output
import traceback
while True:
    try: 1 / 0
    except ZeroDivisionError: traceback.print_exc()

#: case exceptions that nobody can catch
#: limits output=20K
#: ends output|time|fuel
class C:
    def __del__(self): raise ValueError('x' * 1000)
while True: C()

#: case the display hook
#: limits output=20K
#: ends output
while True: exec(compile('"x" * 100', 'f', 'single'))

#: case prompts
#: limits output=20K
#: ends output
while True:
    try: input('x' * 100)
    except EOFError: pass

#: case help and its friends
#: limits output=20K
#: ends output
import this
while True: exec(compile('print(this.s)', 'f', 'exec'))

#: case sys.__stdout__ after sys.stdout is gone
#: limits output=20K
#: ends output
import sys
sys.stdout = None
while True: print('x', file=sys.__stdout__)

#: case the limit is caught
#: limits output=20K
#: ends output
try:
    while True: print('x' * 70)
except BaseException: pass
while True: pass

#: case the limit in a finaliser
#: limits output=20K
#: ends output
class C:
    def __del__(self):
        while True: print('x' * 70)
C()
while True: pass

#: case the limit in a thread
#: limits output=20K
#: ends output
import threading
def f():
    while True: print('x' * 70)
threading.Thread(target=f).start()

#: case the limit in an event loop
#: limits output=20K
#: ends output
import asyncio
async def main():
    while True:
        print('x' * 70)
        await asyncio.sleep(0)
asyncio.run(main())

#: case the limit in an exit function
#: limits output=20K
#: stops
import atexit
def f():
    while True: print('x' * 70)
atexit.register(f)

#: case the limit inside a str method
#: limits output=20K
#: ends recursion
class C:
    def __str__(self):
        print('x' * 70)
        return str(self)
print(C())

#: case text that cannot be encoded
#: limits output=20K
#: raises UnicodeEncodeError: 'utf-8' codec can't encode characters in position 0-99: surrogates not allowed
import sys
while True: print('\ud800' * 100)

#: case a flood of carriage returns
#: limits output=20K
#: ends output
while True: print('\r', end='', flush=True)

# Files, processes, environment: a program sees a small tree in its memory, and nothing of the host.

#: case the whole tree
#: value (['dev', 'home', 'lib', 'tmp'], ['full', 'null', 'random', 'stderr', 'stdin', 'stdout', 'urandom', 'zero'], [], '/home/user')
import os
sorted(os.listdir('/')), sorted(os.listdir('/dev')), os.listdir('.'), os.getcwd()

#: case every file that there is
#: value []
import os
found = []
for folder, folders, files in os.walk('/'):
    found += [os.path.join(folder, f) for f in files]
[f for f in sorted(found) if not f.startswith(('/lib/python3.14/', '/dev/'))]

#: case the environment
#: value {'HOME': '/home/user', 'PATH': '/usr/local/bin:/usr/bin:/bin', 'PWD': '/home/user'}
import os
dict(os.environ)

#: case the environment in bytes
#: value [b'HOME', b'PATH', b'PWD']
import os
sorted(os.environb) if os.supports_bytes_environ else []

#: case who and where it is
#: value (1000, 1, 0, 'sandbox', 'wasi')
import os, sys
os.getuid(), os.getpid(), os.getppid(), os.uname().nodename, sys.platform

#: case arguments and executable
#: value ([''], '', '/')
import sys
sys.argv, sys.executable, sys.prefix

#: case the name of the machine and its users
#: stops
import platform, getpass
platform.node(), platform.processor()

#: case /etc/passwd
#: raises FileNotFoundError: [Errno 2] No such file or directory: '/etc/passwd'
open('/etc/passwd').read()

#: case /etc/passwd in bytes
#: raises FileNotFoundError: [Errno 2] No such file or directory: b'/etc/passwd'
open(b'/etc/passwd', 'rb').read()

#: case /etc/passwd by way of parents
#: raises FileNotFoundError: [Errno 2] No such file or directory: '/home/user/../../../../../../etc/passwd'
open('/home/user/../../../../../../etc/passwd').read()

#: case /etc/passwd by a descriptor
#: raises FileNotFoundError: [Errno 2] No such file or directory: '/etc/passwd'
import os
os.read(os.open('/etc/passwd', os.O_RDONLY), 100)

#: case /etc/passwd by pathlib
#: raises FileNotFoundError: [Errno 2] No such file or directory: '/etc/passwd'
import pathlib
pathlib.Path('/etc/passwd').read_text()

#: case /etc/passwd by linecache
#: value []
import linecache
linecache.getlines('/etc/passwd')

#: case /etc/passwd by fileinput
#: raises FileNotFoundError: [Errno 2] No such file or directory: '/etc/passwd'
import fileinput
list(fileinput.input(['/etc/passwd']))

#: case /etc/passwd by tokenize
#: raises FileNotFoundError: [Errno 2] No such file or directory: '/etc/passwd'
import tokenize
tokenize.open('/etc/passwd').read()

#: case /etc/passwd by shutil
#: raises FileNotFoundError: [Errno 2] No such file or directory: '/etc/passwd'
import shutil
shutil.copy('/etc/passwd', 'p')

#: case /etc/passwd by the import system
#: value none
import importlib.util
spec = importlib.util.spec_from_file_location('p', '/etc/passwd')
spec and spec.loader.get_data('/etc/passwd')

#: case the users' database
#: raises ModuleNotFoundError: No module named 'pwd'
import pwd
pwd.getpwuid(0)

#: case /proc/self
#: raises FileNotFoundError: [Errno 2] No such file or directory: '/proc/self'
import os
os.listdir('/proc/self')

#: case the memory of the process
#: raises FileNotFoundError: [Errno 2] No such file or directory: '/proc/self/mem'
open('/proc/self/mem', 'r+b')

#: case the environment of the process
#: raises FileNotFoundError: [Errno 2] No such file or directory: '/proc/self/environ'
open('/proc/self/environ', 'rb').read()

#: case descriptors of the process
#: value 'none'
import os
os.listdir('/dev/fd') if os.path.exists('/dev/fd') else 'none'

#: case descriptors that were left open
#: value []
import os
found = []
for fd in range(3, 1024):
    try:
        os.fstat(fd)
        found.append(fd)
    except OSError: pass
found

#: case a descriptor of a negative number
#: raises OSError: [Errno 9] Bad file descriptor
import os
os.read(-1, 10)

#: case a descriptor of a huge number
#: raises OSError: [Errno 9] Bad file descriptor
import os
os.fstat(2**31 - 1)

#: case dup2 to a milliard
#: raises OSError: [Errno 9] Bad file descriptor
import os
os.dup2(1, 10**9)

#: case a write to /etc
#: raises FileNotFoundError: [Errno 2] No such file or directory: '/etc/cron.d/evil'
open('/etc/cron.d/evil', 'w')

#: case a device
#: raises AttributeError: module 'os' has no attribute 'mknod'
import os
os.mknod('d', 0o60666, os.makedev(8, 0))

#: case chroot
#: raises AttributeError: module 'os' has no attribute 'chroot'
import os
os.chroot('/home')

#: case mount
#: raises AttributeError: module 'os' has no attribute 'mount'
import os
os.mount

#: case setuid
#: raises PermissionError: [Errno 1] Operation not permitted
import os
os.setuid(0)

#: case a symbolic link to the host's files
#: raises FileNotFoundError: [Errno 2] No such file or directory: 'link'
import os
os.symlink('/etc/passwd', 'link')
open('link').read()

#: case a symbolic link to the host's root
#: value True
import os
os.symlink('/', 'root')
sorted(os.listdir('root')) == sorted(os.listdir('/'))

#: case symbolic links that go round
#: raises OSError: [Errno 40] Too many levels of symbolic links: 'a'
import os
os.symlink('b', 'a')
os.symlink('a', 'b')
open('a')

#: case a chain of symbolic links
#: raises OSError: [Errno 40] Too many levels of symbolic links: 'l0'
import os
for n in range(1000): os.symlink(f'l{n + 1}', f'l{n}')
open('l0')

#: case a symbolic link to itself within a path
#: raises OSError: [Errno 36] File name too long: 'dot/dot/dot/dot/dot/dot/dot/dot/dot/dot/dot/dot/dot/dot/dot/dot/dot/...
import os
os.symlink('.', 'dot')
os.path.realpath('dot/' * 5000) and os.stat('dot/' * 2000)

#: case a directory moved into itself
#: raises OSError: [Errno 22] Invalid argument: 'd' -> 'd/e'
import os
os.mkdir('d')
os.rename('d', 'd/e')

#: case a directory removed while one stands in it
#: raises FileNotFoundError: [Errno 2] No such file or directory: 'f'
import os
os.mkdir('d')
os.chdir('d')
os.rmdir('../d')
open('f', 'w')

#: case hard links to a directory
#: raises PermissionError: [Errno 1] Operation not permitted: 'd' -> 'e'
import os
os.mkdir('d')
os.link('d', 'e')

#: case directories ten thousand deep
#: value True
import os
for _ in range(10000):
    os.mkdir('d')
    os.chdir('d')
len(os.getcwd()) > 10000

#: case a tree ten thousand deep is removed
#: raises OSError: [Errno 24] Too many open files: 'd/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d...
import os, shutil
for _ in range(2000):
    os.mkdir('d')
    os.chdir('d')
os.chdir('/home/user')
shutil.rmtree('d')
os.listdir('.')

#: case a name of a megabyte
#: raises OSError: [Errno 36] File name too long: 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...
open('x' * 10**6, 'w')

#: case a name with a zero in it
#: raises ValueError: embedded null byte
open('a\0b')

#: case a name with a surrogate
#: raises UnicodeEncodeError: 'utf-8' codec can't encode character '\ud800' in position 0: surrogates not allowed
open('\ud800', 'w').close()
__import__('os').listdir('.')

#: case a hole of a tebibyte
#: raises OSError: [Errno 28] No space left on device
with open('f', 'wb') as f:
    f.seek(2**40)
    f.write(b'x')

#: case a file truncated to 2**62 bytes
#: raises OSError: [Errno 28] No space left on device
with open('f', 'wb') as f: f.truncate(2**62)

#: case a file read at 2**62
#: value none
with open('f', 'wb+') as f:
    f.seek(2**62)
    f.read(1)

#: case a seek beyond all numbers
#: raises OverflowError: Python int too large to convert to C ssize_t
with open('f', 'wb+') as f: f.seek(2**70)

#: case a buffer of two gigabytes
#: raises OverflowError: signed integer is greater than maximum
open('f', 'wb', buffering=2**31)

#: case all of /dev/zero
#: limits time=2s memory=64M
#: ends memory|time|fuel
open('/dev/zero', 'rb').read()

#: case copying /dev/zero
#: limits time=2s
#: raises OSError: [Errno 28] No space left on device
import shutil
shutil.copyfileobj(open('/dev/zero', 'rb'), open('f', 'wb'))

#: case random bytes by the gigabyte
#: ends memory
import os
os.urandom(2**30)

#: case fork
#: raises AttributeError: module 'os' has no attribute 'fork'
import os
os.fork()

#: case exec
#: raises PermissionError: [Errno 1] os.execve() is not possible in the sandbox
import os
os.execve('/bin/sh', ['sh'], {})

#: case spawn
#: raises AttributeError: module 'os' has no attribute 'spawnv'
import os
os.spawnv(os.P_WAIT, '/bin/sh', ['sh'])

#: case posix_spawn
#: raises AttributeError: module 'os' has no attribute 'posix_spawn'
import os
os.posix_spawn('/bin/sh', ['sh'], {})

#: case popen
#: raises ModuleNotFoundError: No module named 'subprocess': the sandbox has no processes
import os
os.popen('id')

#: case killing the host
#: raises PermissionError: [Errno 1] os.kill() is not possible in the sandbox
import os
os.kill(os.getppid(), 9)

#: case killing the own process
#: raises PermissionError: [Errno 1] os.kill() is not possible in the sandbox
import os, signal
os.kill(os.getpid(), signal.SIGKILL)

#: case killing everything
#: raises PermissionError: [Errno 1] os.kill() is not possible in the sandbox
import os
os.kill(-1, 9)

#: case abort
#: raises PermissionError: [Errno 1] os.abort() is not possible in the sandbox
import os
os.abort()

#: case os._exit
#: ends exit
import os
os._exit(3)

#: case waiting for a child
#: raises AttributeError: module 'os' has no attribute 'wait'
import os
os.wait()

#: case a pipe that nobody writes to
#: limits time=300ms
#: raises BlockingIOError: [Errno 11] Resource temporarily unavailable
import os
r, w = os.pipe()
os.read(r, 1)

#: case standard input
#: value ('', 0)
import sys
sys.stdin.read(), sys.stdin.fileno()

#: case input()
#: raises EOFError: EOF when reading a line
input()

#: case standard output closed
#: value none
import os, sys
os.close(1)
print('after')

#: case memory maps of a file
#: raises AttributeError: module 'os' has no attribute 'memfd_create'
import os
os.memfd_create

#: case io_uring and friends by number
#: raises AttributeError: module 'os' has no attribute 'syscall'
import os
os.syscall

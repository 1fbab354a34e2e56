# Ways to a powerful module through a harmless one. There is nothing powerful behind them: os is the sandbox's own.

#: case os through the private name in random (CVE-2025-5120 of smolagents)
#: raises PermissionError: [Errno 1] os.system() is not possible in the sandbox
import random
random._os.system('id')

#: case os through a submodule that another module imported
#: raises PermissionError: [Errno 1] os.system() is not possible in the sandbox
import queue
queue.threading._os.system('id')

#: case os through sys.modules
#: raises PermissionError: [Errno 1] os.system() is not possible in the sandbox
import sys
sys.modules['os'].system('id')

#: case posix itself
#: raises PermissionError: [Errno 1] os.system() is not possible in the sandbox
import posix
posix.system('id')

#: case os through the globals of a function
#: raises ModuleNotFoundError: No module named 'subprocess': the sandbox has no processes
import functools
import tempfile
tempfile.mkdtemp.__globals__['_os'].popen('id').read()

#: case os through the loader of a module
#: raises PermissionError: [Errno 1] os.system() is not possible in the sandbox
import os
os.__loader__.load_module('os').system('id')

#: case os through the spec of a module
#: raises ImportError: loader for os cannot handle posix
import os
os.__spec__.loader.load_module('posix').system('id')

#: case builtins of a function's globals
#: raises PermissionError: [Errno 1] os.system() is not possible in the sandbox
def f(): pass
f.__globals__['__builtins__'].__import__('os').system('id')

#: case eval through the builtins of a built-in function
#: raises PermissionError: [Errno 1] os.system() is not possible in the sandbox
print.__self__.eval("__import__('os').system('id')")

#: case exec with builtins taken away finds them again
#: raises PermissionError: [Errno 1] os.system() is not possible in the sandbox
exec("[c for c in ().__class__.__base__.__subclasses__() if c.__name__ == '_wrap_close'][0].__init__.__globals__['system']('id')", {'__builtins__': {}})

#: case eval with no builtins cannot name any
#: raises NameError: name 'open' is not defined
eval("open('/etc/passwd')", {'__builtins__': {}})

#: case importlib
#: raises PermissionError: [Errno 1] os.system() is not possible in the sandbox
import importlib
importlib.import_module('os').system('id')

#: case import through codecs of another module
#: raises PermissionError: [Errno 1] os.execv() is not possible in the sandbox
import codecs
codecs.builtins.__import__('os').execv('/bin/sh', ['sh', '-c', 'id'])

#: case statistics and its friends lead to sys only
#: value '/home/user'
import statistics
statistics.sys.modules['os'].environ.get('HOME')

#: case a lazy module's attribute
#: raises AttributeError: module 'posix' has no attribute 'fork'
import collections
collections._sys.modules['posix'].fork()

#: case a pager
#: raises ModuleNotFoundError: No module named 'subprocess': the sandbox has no processes
import pydoc
pydoc.pipepager('text', 'cat')

#: case code module's console
#: limits time=300ms output=10K
#: ends time|output
import code
code.interact(readfunc=lambda prompt: "__import__('os').system('id')", banner='')

#: case timeit as an eval
#: raises PermissionError: [Errno 1] os.system() is not possible in the sandbox
import timeit
timeit.timeit("__import__('os').system('id')", number=1)

#: case a debugger as an eval
#: raises RuntimeError: pdb.run(): the sandbox has no terminal to debug at
import pdb
pdb.run("__import__('os').system('id')")

#: case cProfile as an eval
#: raises ModuleNotFoundError: No module named 'cProfile'
import cProfile
cProfile.run("__import__('os').system('id')")

#: case runpy of a module that starts another program
#: raises ImportError: ...
import runpy
runpy.run_module('webbrowser')

#: case webbrowser
#: raises ModuleNotFoundError: No module named 'webbrowser'
import webbrowser
webbrowser.open('file:///etc/passwd')

#: case ctypes
#: raises ModuleNotFoundError: No module named 'ctypes': the sandbox has no native code to call
import ctypes
ctypes.CDLL(None).system(b'id')

#: case _ctypes
#: raises ModuleNotFoundError: No module named '_ctypes'
import _ctypes

#: case cffi
#: raises ModuleNotFoundError: No module named 'cffi'
import cffi

#: case mmap
#: raises ModuleNotFoundError: No module named 'mmap'
import mmap
mmap.mmap(-1, 4096)

#: case socket
#: raises ModuleNotFoundError: No module named 'socket': the sandbox has no network
import socket
socket.create_connection(('169.254.169.254', 80))

#: case _socket
#: raises ModuleNotFoundError: No module named '_socket'
import _socket

#: case ssl
#: raises ModuleNotFoundError: No module named 'ssl': the sandbox has no network
import ssl

#: case urllib
#: raises URLError: <urlopen error [Errno 1] the sandbox has no network: 'http://169.254.169.254/latest/meta-data/'>
import urllib.request
urllib.request.urlopen('http://169.254.169.254/latest/meta-data/').read()

#: case http.client
#: raises OSError: ...
import http.client
http.client.HTTPConnection('localhost').request('GET', '/')

#: case asyncio's connections
#: raises NotImplementedError: the sandbox has no sockets: open_connection() is not available
import asyncio
asyncio.run(asyncio.open_connection('localhost', 80))

#: case asyncio's subprocesses
#: raises NotImplementedError: the sandbox has no processes: create_subprocess_shell() is not available
import asyncio
async def main():
    return await asyncio.create_subprocess_shell('id')
asyncio.run(main())

#: case subprocess
#: raises ModuleNotFoundError: No module named 'subprocess': the sandbox has no processes
import subprocess
subprocess.run(['id'])

#: case subprocess with a shell
#: raises ModuleNotFoundError: No module named 'subprocess': the sandbox has no processes
import subprocess
subprocess.check_output('id', shell=True)

#: case _posixsubprocess
#: raises ModuleNotFoundError: No module named '_posixsubprocess'
import _posixsubprocess
_posixsubprocess.fork_exec

#: case multiprocessing
#: raises ModuleNotFoundError: No module named 'multiprocessing': the sandbox has no processes
import multiprocessing
p = multiprocessing.Process(target=print)
p.start()

#: case a pool of processes
#: raises NotImplementedError: the sandbox has no processes: ProcessPoolExecutor is not available
import concurrent.futures
with concurrent.futures.ProcessPoolExecutor() as pool:
    pool.submit(print).result()

#: case pty
#: raises ModuleNotFoundError: No module named 'pty': the sandbox has no processes
import pty
pty.spawn('/bin/sh')

#: case fcntl
#: raises ModuleNotFoundError: No module named 'fcntl'
import fcntl
fcntl.ioctl(0, 0x5413, b'\0' * 8)

#: case resource
#: raises ModuleNotFoundError: No module named 'resource'
import resource
resource.setrlimit(resource.RLIMIT_AS, (-1, -1))

#: case faulthandler reads address zero
#: raises AttributeError: module 'faulthandler' has no attribute '_read_null'
import faulthandler
faulthandler._read_null()

#: case faulthandler's segmentation fault
#: raises AttributeError: module 'faulthandler' has no attribute '_sigsegv'
import faulthandler
faulthandler._sigsegv()

#: case the test module of C Python
#: raises ModuleNotFoundError: No module named '_testcapi'
import _testcapi
_testcapi.crash_no_current_thread()

#: case subinterpreters
#: raises ModuleNotFoundError: No module named '_interpreters'
import _interpreters
_interpreters.create()

#: case sqlite3 with an extension
#: raises ModuleNotFoundError: No module named 'sqlite3'
import sqlite3
sqlite3.connect(':memory:').enable_load_extension(True)

#: case readline's history file
#: raises ModuleNotFoundError: No module named 'readline': the sandbox has no terminal
import readline

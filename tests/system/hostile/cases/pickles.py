# Payloads that run when they are loaded. They run as the program that loads them does.

#: case os.system by __reduce__
#: raises PermissionError: [Errno 1] os.system() is not possible in the sandbox
import os, pickle
class P:
    def __reduce__(self): return os.system, ('id',)
pickle.loads(pickle.dumps(P()))

#: case os.system by hand, protocol 0
#: raises PermissionError: [Errno 1] os.system() is not possible in the sandbox
import pickle
pickle.loads(b"cos\nsystem\n(S'id'\ntR.")

#: case posix.system by hand, protocol 4
#: raises PermissionError: [Errno 1] os.system() is not possible in the sandbox
import pickle
pickle.loads(b'\x80\x04\x8c\x05posix\x8c\x06system\x93\x8c\x02id\x85R.')

#: case eval by __reduce__
#: raises ModuleNotFoundError: No module named 'subprocess': the sandbox has no processes
import pickle
class P:
    def __reduce__(self): return eval, ("__import__('os').popen('id').read()",)
pickle.loads(pickle.dumps(P()))

#: case subprocess by hand
#: raises ModuleNotFoundError: No module named 'subprocess': the sandbox has no processes
import pickle
pickle.loads(b"csubprocess\ncheck_output\n((S'id'\nltR.")

#: case getattr chains by hand
#: raises ModuleNotFoundError: No module named '__builtin__'
import pickle
pickle.loads(b"\x80\x04c__builtin__\ngetattr\n(c__builtin__\n__import__\n(S'os'\ntRS'system'\ntR(S'id'\ntR.")

#: case a payload in copy
#: raises PermissionError: [Errno 1] os.system() is not possible in the sandbox
import copy, os
class P:
    def __reduce_ex__(self, protocol): return os.system, ('id',)
copy.copy(P())

#: case a payload in shelve
#: raises PermissionError: [Errno 1] os.system() is not possible in the sandbox
import shelve, os
class P:
    def __reduce__(self): return os.system, ('id',)
with shelve.open('db') as db: db['x'] = P()
with shelve.open('db') as db: db['x']

#: case a memo index of two milliards
#: value none
import pickle
pickle.loads(b'\x80\x04N\x72\xff\xff\xff\x7fj\xff\xff\xff\x7f.')

#: case a string that says it has 2**63 bytes
#: raises EOFError
import pickle
pickle.loads(b'\x80\x04\x8d\xff\xff\xff\xff\xff\xff\xff\x7fabc.')

#: case bytes that say they have a gigabyte
#: raises EOFError
import pickle
pickle.loads(b'\x80\x04B\xff\xff\xff\x3fabc.')

#: case a frame that says it has 2**60 bytes
#: value none
import pickle
pickle.loads(b'\x80\x04\x95\x00\x00\x00\x00\x00\x00\x00\x10N.')

#: case a bytearray of a gigabyte from nine bytes
#: ends memory
import pickle
pickle.loads(b'\x80\x05\x96\xff\xff\xff\x3f\x00\x00\x00\x00x.')

#: case a thousand million laughs
#: limits time=500ms
#: ends time|memory
import pickle
payload = b'\x80\x04]' + b'\x94' + b''.join(b'](' + (b'h' + bytes([i])) * 10 + b'e\x94' for i in range(9)) + b'.'
x = pickle.loads(payload)
len(repr(x))

#: case nesting of a hundred thousand lists
#: value True
import pickle
pickle.loads(b'\x80\x04' + b']' * 10**5 + b'a' * (10**5 - 1) + b'.') is not None

#: case a stack that runs empty
#: raises IndexError: pop from empty list
import pickle
pickle.loads(b'\x80\x04R.')

#: case marks without end
#: stops
import pickle
pickle.loads(b'\x80\x04' + b'(' * 10**5 + b't' * 10**5)

#: case a state that goes round
#: value True
import pickle
class P: pass
p = P()
p.self = p
q = pickle.loads(pickle.dumps(p))
q.self is q

#: case a persistent id that never returns
#: limits time=300ms
#: ends time
import pickle, io
class U(pickle.Unpickler):
    def persistent_load(self, pid):
        while True: pass
U(io.BytesIO(b'Px\n.')).load()

#: case an object that pickles into itself for ever
#: ends recursion
import pickle
class P:
    def __reduce__(self): return P, (), {'next': P()}
pickle.dumps(P())

#: case a unicode name with a surrogate
#: raises ModuleNotFoundError: No module named '�'
import pickle
pickle.loads(b'\x80\x04\x8c\x03\xed\xa0\x80\x8c\x01x\x93.')

#: case code by marshal into a function
#: raises ValueError: unmarshallable object
import marshal, types
code = marshal.loads(marshal.dumps(compile("__import__('os').system('id')", 'x', 'eval')))
eval(code)

#: case yaml-like constructors by json
#: raises PermissionError: [Errno 1] os.system() is not possible in the sandbox
import json
json.loads('{"__class__": "os.system"}', object_hook=lambda d: __import__('os').system('id'))

#: case json of a million digits
#: raises ValueError: Exceeds the limit (4300 digits) for integer string conversion: value has 1000000 digits; use sys.set_int_max_str_digits() to increase the limit
import json
json.loads('1' * 10**6)

#: case an xml bomb of entities
#: limits time=1s
#: ends exception|time
import xml.etree.ElementTree as E
text = '<!DOCTYPE l [<!ENTITY a0 "ha">' + ''.join(f'<!ENTITY a{i} "{f"&a{i-1};" * 10}">' for i in range(1, 20)) + ']><l>&a19;</l>'
len(E.fromstring(text).text)

#: case an xml file from outside
#: raises ParseError: undefined entity &x;: line 1, column 57
import xml.etree.ElementTree as E
E.fromstring('<!DOCTYPE l [<!ENTITY x SYSTEM "file:///etc/passwd">]><l>&x;</l>').text

#: case xml nested thirty thousand deep
#: value 'a'
import xml.etree.ElementTree as E
E.fromstring('<a>' * 30000 + '</a>' * 30000).tag

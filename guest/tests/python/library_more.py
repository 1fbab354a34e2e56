"""Modules that need files, mail, archives or documentation, with what they do in memory; those of the network say that there is none."""
import dbm.dumb
import email.message
import getpass
import http.cookiejar
import importlib.metadata
import io
import mailbox
import os
import pydoc
import runpy
import shelve
import sys
import tabnanny
import tarfile
import tempfile
import wave
import xmlrpc.client
import zipapp
import zipfile

with tempfile.TemporaryDirectory() as d:
    path = os.path.join(d, 'shelf')
    with shelve.open(path) as s:
        s['a'] = [1, 2]
        s['b'] = {'x': 1}
    with shelve.open(path, writeback=True) as s:
        s['a'].append(3)
    with shelve.open(path) as s:
        print(sorted(s.items()))
    with dbm.dumb.open(os.path.join(d, 'db'), 'n') as db:
        db['k'] = b'v'
        print(dict(db), db.get(b'none'))

    message = email.message.EmailMessage()
    message['Subject'] = 'hello'
    message.set_content('body\n')
    box = mailbox.mbox(os.path.join(d, 'box'))
    box.add(message)
    box.flush()
    print(len(box), box[0]['subject'])
    box.close()
    folder = mailbox.Maildir(os.path.join(d, 'maildir'))
    key = folder.add(message)
    print(len(folder), folder[key].get_payload())

    program = os.path.join(d, 'program.py')
    with open(program, 'w') as f:
        f.write('x = 5\nif x:\n\ty = __name__\n')
    print(runpy.run_path(program, run_name='started')['y'])
    sys.path.insert(0, d)
    print(runpy.run_module('program', alter_sys=True)['x'])
    tabnanny.check(program)
    os.mkdir(os.path.join(d, 'app'))
    with open(os.path.join(d, 'app', '__main__.py'), 'w') as f:
        f.write('print("app")\n')
    zipapp.create_archive(os.path.join(d, 'app'), os.path.join(d, 'app.pyz'))
    print(zipfile.ZipFile(os.path.join(d, 'app.pyz')).namelist())

    name = os.path.join(d, 'sound.wav')
    with wave.open(name, 'wb') as w:
        w.setnchannels(1)
        w.setsampwidth(2)
        w.setframerate(8000)
        w.writeframes(b'\0\1' * 100)
    with wave.open(name) as w:
        print(w.getnframes(), w.getframerate(), w.readframes(2))

    archive = os.path.join(d, 'all.tar.gz')
    with tarfile.open(archive, 'w:gz') as t:
        t.add(program, arcname='inside/program.py')
    with tarfile.open(archive) as t:
        print(t.getnames(), tarfile.is_tarfile(archive))
        t.extractall(d, filter='data')
    print(os.listdir(os.path.join(d, 'inside')))

print(xmlrpc.client.loads(xmlrpc.client.dumps((1, 'a', [2.5, None, {'k': True}]), 'method', allow_none=True)))
os.environ['LOGNAME'] = 'somebody'
print(getpass.getuser(), len(http.cookiejar.CookieJar()))
try:
    importlib.metadata.version('nothing-of-the-kind')
except importlib.metadata.PackageNotFoundError as e:
    print(repr(e), e)


def function(a, b=1, *, c: int = 2) -> str:
    """What it is for.

    More of it.
    """


class Some:
    """A class."""

    x = 1

    def method(self):
        """What it does."""

    @property
    def value(self):
        """What it has."""

    @classmethod
    def make(cls): ...


help(function)
print(pydoc.render_doc(Some, renderer=pydoc.plaintext))
print(pydoc.getdoc(function), pydoc.locate('json.loads').__name__, pydoc.splitdoc('Head.\n\nBody.'))
print(int.__add__.__doc__, '|', list.__len__.__doc__, '|', (3).__rpow__.__doc__, '|', str.__contains__.__doc__, '|', object.__init__.__doc__)


class Failure(Exception):
    """May be watched, as the classes it comes from may not."""


print('__weakref__' in vars(Failure), Failure().__weakref__)

import dataclasses
import pickle
import weakref


@dataclasses.dataclass(slots=True, weakref_slot=True)
class Watched:
    x: int = 0


watched = Watched()
print(watched.__weakref__, weakref.ref(watched) is watched.__weakref__, hasattr(watched, '__dict__'))
print(len.__doc__, '|', max.__doc__[:20], '|', str.maketrans.__qualname__, str.maketrans.__module__, bytes.maketrans.__self__)
for function in (str.maketrans, bytes.maketrans, bytearray.maketrans):
    for protocol in range(5):
        print(pickle.loads(pickle.dumps(function, protocol)) == function, end=' ')
print()
for attempt in (lambda: str.maketrans(x=1), lambda: bytes.maketrans(b'a', b'b', x=1), lambda: str.maketrans()):
    try:
        attempt()
    except TypeError as e:
        print(e)

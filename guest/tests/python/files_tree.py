# Directories, links and names.
import glob
import os
import pathlib
import shutil
import stat
import tempfile

top = os.path.realpath(tempfile.mkdtemp())
os.chdir(top)


def show(f):
    try:
        print(repr(f()).replace(top, 'TOP'))
    except Exception as e:
        print(type(e).__name__, str(e).replace(top, 'TOP'))


os.makedirs('a/b/c')
os.makedirs('a/b/c', exist_ok=True)
for name in ('a/1.txt', 'a/b/2.txt', 'a/b/c/3.dat'):
    with open(name, 'w') as f:
        f.write(name)
print([(d, sorted(ds), sorted(fs)) for d, ds, fs in os.walk('a')])
print([(d, ds, fs) for d, ds, fs in os.walk('a', topdown=False)])
print([(d, ds, fs) for d, ds, fs, fd in os.fwalk('a')])
print(sorted(glob.glob('a/**', recursive=True)), glob.glob('a/*.txt'), glob.glob('*.none'))
with os.scandir('a') as entries:
    for e in sorted(entries, key=lambda e: e.name):
        print(e, e.name, e.path, e.is_dir(), e.is_file(), e.is_symlink(), e.stat().st_size > 0, os.fspath(e))
os.symlink('1.txt', 'a/link')
os.symlink('nowhere', 'a/dangling')
os.symlink('b', 'a/dir')
os.link('a/1.txt', 'a/hard')
print(os.readlink('a/link'), os.stat('a/link').st_size, os.lstat('a/link').st_size, os.stat('a/1.txt').st_nlink, os.path.samefile('a/hard', 'a/link'))
print(os.path.exists('a/dangling'), os.path.lexists('a/dangling'), os.path.islink('a/dir'), os.path.isdir('a/dir'), os.listdir('a/dir') == os.listdir('a/b'))
show(lambda: os.path.realpath('a/dir/../link'))
os.symlink('loop', 'loop')
for f in (lambda: os.stat('loop'), lambda: os.stat('a/dangling'), lambda: os.mkdir('a'), lambda: os.mkdir('x/y'), lambda: os.rmdir('a'), lambda: os.rmdir('a/1.txt'),
          lambda: os.unlink('a'), lambda: os.unlink('zz'), lambda: os.rename('zz', 'yy'), lambda: os.rename('a', 'a/b/q'), lambda: os.rename('a', 'a/1.txt'),
          lambda: os.rename('a/1.txt', 'a/b'), lambda: os.link('zz', 'q'), lambda: os.link('a/1.txt', 'a/hard'), lambda: os.symlink('q', 'a/hard'), lambda: os.readlink('a/1.txt'),
          lambda: os.chdir('zz'), lambda: os.chdir('a/1.txt'), lambda: os.listdir('a/1.txt'), lambda: os.stat(''), lambda: os.open('a', os.O_WRONLY), lambda: os.stat('n' * 300),
          lambda: os.truncate('zz', 0), lambda: os.makedirs('a/1.txt/q'), lambda: os.removedirs('a/b'), lambda: os.access('zz', os.F_OK), lambda: os.stat('a/1.txt/')):
    show(f)
os.rename('a/1.txt', 'a/moved')
os.replace('a/moved', 'a/hard')
os.chmod('a/hard', 0o640)
print(stat.filemode(os.stat('a/hard').st_mode), oct(stat.S_IMODE(os.stat('a/hard').st_mode)))
os.utime('a/hard', (1, 2.5))
s = os.stat('a/hard')
print(s.st_atime, s.st_mtime, s.st_mtime_ns, s[8], s.st_mtime == os.path.getmtime('a/hard'))
os.truncate('a/hard', 3)
print(open('a/hard').read(), os.path.getsize('a/hard'))
fd = os.open('a', os.O_RDONLY)
print(sorted(os.listdir(fd)), os.stat('hard', dir_fd=fd).st_size)
os.mkdir('made', dir_fd=fd)
os.rmdir('made', dir_fd=fd)
os.close(fd)
shutil.copytree('a', 'copy', symlinks=True)
print(sorted(os.listdir('copy')), os.readlink('copy/dir'))
shutil.copy('a/hard', 'copy/new')
shutil.move('copy/new', 'copy/b/new')
print(os.path.exists('copy/b/new'), shutil.disk_usage('.').total > 0)
shutil.rmtree('copy')
show(lambda: shutil.rmtree('copy'))
show(lambda: shutil.copyfile('a/hard', 'a/hard'))
p = pathlib.Path('a')
print(sorted(p.iterdir()), sorted(p.glob('*.txt')), sorted(p.rglob('*.dat')), p / 'b' / '2.txt', (p / 'b').is_dir(), p.resolve() == pathlib.Path(top, 'a'))
q = p / 'new.txt'
print(q.write_text('hi\n'), q.read_text(), q.read_bytes(), q.stat().st_size, q.exists(), q.suffix, q.with_suffix('.md').name)
q.rename(p / 'newer.txt')
(p / 'sub' / 'deep').mkdir(parents=True)
show(lambda: (p / 'sub').mkdir())
show(lambda: (p / 'sub').rmdir())
show(lambda: q.unlink())
q.unlink(missing_ok=True)
q.touch()
print(q.exists(), q.stat().st_size)
r, w = os.pipe()
os.write(w, b'through')
os.close(w)
print(os.read(r, 4), os.read(r, 99), os.read(r, 1))
os.close(r)
with tempfile.NamedTemporaryFile('w+', suffix='.x', dir='.') as t:
    t.write('data')
    t.flush()
    print(os.path.getsize(t.name), t.name.endswith('.x'))
print(os.path.exists(t.name))
with tempfile.TemporaryDirectory(dir='.') as d:
    open(os.path.join(d, 'f'), 'w').close()
print(os.path.exists(d))
with tempfile.SpooledTemporaryFile(max_size=4) as t:
    t.write(b'12345678')
    t.seek(0)
    print(t.read())
os.environ['SOME'] = 'value'
print(os.environ['SOME'], os.getenv('SOME'), os.environb[b'SOME'], os.getenv('NONE', 'd'), os.path.expandvars('$SOME/x'))
del os.environ['SOME']
show(lambda: os.environ['SOME'])
show(lambda: os.environ.__setitem__('A', 1))
print(os.fsencode('é'), ascii(os.fsdecode(b'\xff')), os.fspath(p), os.strerror(2), os.sep, os.linesep == '\n', os.cpu_count() > 0)

"""What the program runs on. The sandbox looks the same everywhere: the answers name it and nothing of the machine around it."""

import collections
import sys

__version__ = '1.1.0'

_SYSTEM = 'WASI'
_MACHINE = 'wasm32'

_Uname = collections.namedtuple('uname_result_base', 'system node release version machine')


class uname_result(_Uname):
    """The parts of `uname()`; the processor comes last and is as unknown here as on most systems."""

    __slots__ = ()

    @property
    def processor(self):
        return ''

    def __iter__(self):
        yield from super().__iter__()
        yield self.processor

    @classmethod
    def _make(cls, iterable):
        values = tuple(iterable)
        if len(values) not in (5, 6):
            raise TypeError(f'expected 5 arguments, got {len(values)}')
        return cls(*values[:5])

    def __getitem__(self, key):
        return tuple(self)[key]

    def __len__(self):
        return 6

    def __reduce__(self):
        return uname_result, tuple(self)[:5]


uname_result.__qualname__ = 'uname_result'


def uname():
    """Fairly portable uname interface."""
    return uname_result(_SYSTEM, '', '0.2', 'preview 2', _MACHINE)


def system():
    """Returns the system/OS name."""
    return _SYSTEM


def node():
    """Returns the computer's network name, which is empty: there is no network."""
    return ''


def release():
    """Returns the system's release."""
    return uname().release


def version():
    """Returns the system's release version."""
    return uname().version


def machine():
    """Returns the machine type."""
    return _MACHINE


def processor():
    """Returns the (true) processor name, which is not known."""
    return ''


def architecture(executable='', bits='', linkage=''):
    """The width of a pointer; Python's own numbers are those of a machine of 64 bits."""
    return bits or '64bit', linkage


def platform(aliased=False, terse=False):
    """A single string identifying the underlying platform."""
    if terse:
        return f'{_SYSTEM}-{release()}'
    return f'{_SYSTEM}-{release()}-{_MACHINE}'


def system_alias(system, release, version):
    """Aliases of systems with marketing names; this one has none."""
    return system, release, version


def libc_ver(executable=None, lib='', version='', chunksize=16384):
    """The C library: there is none."""
    return lib, version


def mac_ver(release='', versioninfo=('', '', ''), machine=''):
    return release, versioninfo, machine


def win32_ver(release='', version='', csd='', ptype=''):
    return release, version, csd, ptype


def win32_edition():
    return None


def win32_is_iot():
    return False


IOSVersionInfo = collections.namedtuple('IOSVersionInfo', ['system', 'release', 'model', 'is_simulator'])
AndroidVer = collections.namedtuple('AndroidVer', 'release api_level manufacturer model device is_emulator')


def ios_ver(system='', release='', model='', is_simulator=False):
    return IOSVersionInfo(system, release, model, is_simulator)


def android_ver(release='', api_level=0, manufacturer='', model='', device='', is_emulator=False):
    return AndroidVer(release, api_level, manufacturer, model, device, is_emulator)


def java_ver(release='', vendor='', vminfo=('', '', ''), osinfo=('', '', '')):
    return release, vendor, vminfo, osinfo


def freedesktop_os_release():
    """What /etc/os-release says: there is no such file."""
    raise OSError(2, 'Unable to read files /etc/os-release, /usr/lib/os-release')


def python_implementation():
    """Returns a string identifying the Python implementation."""
    return sys.implementation.name


def python_version():
    """Returns the Python version as string 'major.minor.patchlevel'."""
    return sys.version.split()[0]


def python_version_tuple():
    """Returns the Python version as tuple (major, minor, patchlevel) of strings."""
    return tuple(python_version().split('.'))


def python_branch():
    return ''


def python_revision():
    return ''


def python_build():
    """Returns a tuple (buildno, builddate) stating the build number and date as strings."""
    inside = sys.version.partition('(')[2].partition(')')[0].split(', ', 1)
    return inside[0], inside[-1]


def python_compiler():
    """Returns a string identifying the compiler used for compiling the interpreter."""
    return sys.version.partition('[')[2].partition(']')[0]


def invalidate_caches():
    """Nothing is cached."""


if __name__ == '__main__':
    print(platform('--terse' in sys.argv, 'nonaliased' not in sys.argv))

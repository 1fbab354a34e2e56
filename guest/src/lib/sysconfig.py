"""Where an installation keeps its files and how it was built: in the sandbox there is one fixed layout and no build to ask about."""

import sys

__all__ = ['get_config_h_filename', 'get_config_var', 'get_config_vars', 'get_default_scheme', 'get_makefile_filename', 'get_path',
           'get_path_names', 'get_paths', 'get_platform', 'get_preferred_scheme', 'get_python_version', 'get_scheme_names', 'is_python_build',
           'parse_config_h']

_VERSION = f'{sys.version_info[0]}.{sys.version_info[1]}'
_LIBRARY = f'/lib/python{_VERSION}'
_PATHS = {
    'stdlib': _LIBRARY,
    'platstdlib': _LIBRARY,
    'purelib': f'{_LIBRARY}/site-packages',
    'platlib': f'{_LIBRARY}/site-packages',
    'include': f'/include/python{_VERSION}',
    'platinclude': f'/include/python{_VERSION}',
    'scripts': '/bin',
    'data': '/',
}
_VARIABLES = {
    'prefix': '/',
    'exec_prefix': '/',
    'base': '/',
    'platbase': '/',
    'installed_base': '/',
    'installed_platbase': '/',
    'projectbase': '/',
    'platlibdir': 'lib',
    'py_version': sys.version.split()[0],
    'py_version_short': _VERSION,
    'py_version_nodot': _VERSION.replace('.', ''),
    'abiflags': '',
    'EXT_SUFFIX': '.so',
    'SOABI': None,
    'Py_DEBUG': 0,
    'Py_GIL_DISABLED': 0,
    'WITH_DOC_STRINGS': 1,
    'SIZEOF_VOID_P': 8,
}


def get_config_vars(*names):
    """All variables, or the values of the named ones."""
    if names:
        return [_VARIABLES.get(name) for name in names]
    return _VARIABLES


def get_config_var(name):
    return _VARIABLES.get(name)


def get_default_scheme():
    return 'posix_prefix'


def get_preferred_scheme(key):
    if key not in ('prefix', 'home', 'user'):
        raise ValueError(f'{key!r} returned by get_preferred_scheme() is not a valid scheme')
    return f'posix_{key}'


def get_scheme_names():
    return ('posix_home', 'posix_prefix', 'posix_user')


def get_path_names():
    return tuple(_PATHS)


def get_paths(scheme='posix_prefix', vars=None, expand=True):
    if scheme not in get_scheme_names():
        raise KeyError(scheme)
    return dict(_PATHS)


def get_path(name, scheme='posix_prefix', vars=None, expand=True):
    return get_paths(scheme, vars, expand)[name]


def get_platform():
    return sys.platform


def get_python_version():
    return _VERSION


def is_python_build(check_home=None):
    return False


def get_config_h_filename():
    return f'/include/python{_VERSION}/pyconfig.h'


def get_makefile_filename():
    return f'{_LIBRARY}/config/Makefile'


def parse_config_h(fp, vars=None):
    """The definitions in an open `config.h`: numbers as integers, what is undefined as 0."""
    if vars is None:
        vars = {}
    for line in fp:
        words = line.split(None, 2)
        if len(words) >= 2 and words[0] == '#define':
            value = words[2].strip() if len(words) == 3 else ''
            try:
                vars[words[1]] = int(value)
            except ValueError:
                vars[words[1]] = value
        elif len(words) >= 3 and words[:2] == ['/*', '#undef']:
            vars[words[2].split()[0]] = 0
    return vars

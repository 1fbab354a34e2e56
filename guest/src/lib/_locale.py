"""The locales of the sandbox as the C library would show them: "C", and "C.UTF-8", which differs in the encoding only."""

LC_CTYPE, LC_NUMERIC, LC_TIME, LC_COLLATE, LC_MONETARY, LC_MESSAGES, LC_ALL = range(7)
CHAR_MAX = 127

# What `nl_langinfo` knows, by the numbers of glibc: groups of texts that follow each other.
_TEXTS = {
    14: ('CODESET', ('UTF-8',)),
    0x10000: ('RADIXCHAR THOUSEP', ('.', '')),
    0x20000: ('ABDAY_1 ABDAY_2 ABDAY_3 ABDAY_4 ABDAY_5 ABDAY_6 ABDAY_7 DAY_1 DAY_2 DAY_3 DAY_4 DAY_5 DAY_6 DAY_7',
              ('Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat',
               'Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday')),
    0x2000e: (' '.join(f'ABMON_{i}' for i in range(1, 13)),
              ('Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec')),
    0x2001a: (' '.join(f'MON_{i}' for i in range(1, 13)),
              ('January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November',
               'December')),
    0x20026: ('AM_STR PM_STR D_T_FMT D_FMT T_FMT T_FMT_AMPM ERA',
              ('AM', 'PM', '%a %b %e %H:%M:%S %Y', '%m/%d/%y', '%H:%M:%S', '%I:%M:%S %p', '')),
    0x2002e: ('ERA_D_FMT ALT_DIGITS ERA_D_T_FMT ERA_T_FMT', ('', '', '', '')),
    0x4000f: ('CRNCYSTR', ('-',)),
    0x50000: ('YESEXPR NOEXPR', ('^[yY]', '^[nN]')),
}
_by_number = {}
for _first, (_names, _texts) in _TEXTS.items():
    for _i, (_name, _text) in enumerate(zip(_names.split(), _texts)):
        globals()[_name] = _first + _i
        _by_number[_first + _i] = _text
del _TEXTS, _first, _names, _texts, _i, _name, _text

_CATEGORIES = ('LC_CTYPE', 'LC_NUMERIC', 'LC_TIME', 'LC_COLLATE', 'LC_MONETARY', 'LC_MESSAGES')
_set = ['C.UTF-8', 'C', 'C', 'C', 'C', 'C']
_domain = 'messages'


class Error(Exception):
    __module__ = 'locale'


def _current():
    if len(set(_set)) == 1:
        return _set[0]
    rest = ('LC_PAPER', 'LC_NAME', 'LC_ADDRESS', 'LC_TELEPHONE', 'LC_MEASUREMENT', 'LC_IDENTIFICATION')
    return ';'.join([f'{name}={value}' for name, value in zip(_CATEGORIES, _set)] + [f'{name}=C' for name in rest])


def _known(name):
    if name in ('C', 'POSIX'):
        return 'C'
    if name in ('C.UTF-8', 'C.utf8'):
        return name
    raise Error('unsupported locale setting')


def setlocale(category, locale=None, /):
    """Activates/queries locale processing."""
    if not hasattr(category, '__index__'):
        raise TypeError(f"'{type(category).__name__}' object cannot be interpreted as an integer")
    if locale is not None and not isinstance(locale, str):
        raise TypeError(f'setlocale() argument 2 must be str or None, not {type(locale).__name__}')
    if not 0 <= category <= LC_ALL:
        raise Error('locale query failed' if locale is None else 'unsupported locale setting')
    if locale is not None:
        if locale == '':
            import os
            names = [os.environ.get('LC_ALL') or os.environ.get(name) or os.environ.get('LANG') or 'C' for name in _CATEGORIES]
        elif ';' in locale:
            parts = dict(part.partition('=')[::2] for part in locale.split(';'))
            names = [parts.get(name, 'C') for name in _CATEGORIES]
        else:
            names = [locale] * len(_CATEGORIES)
        names = [_known(name) for name in names]
        if category == LC_ALL:
            _set[:] = names
        else:
            _set[category] = names[category]
    return _current() if category == LC_ALL else _set[category]


def localeconv():
    """Returns numeric and monetary locale-specific parameters."""
    made = {'decimal_point': '.', 'thousands_sep': '', 'grouping': []}
    made |= dict.fromkeys(('int_curr_symbol', 'currency_symbol', 'mon_decimal_point', 'mon_thousands_sep'), '')
    made |= {'mon_grouping': [], 'positive_sign': '', 'negative_sign': ''}
    return made | dict.fromkeys(('int_frac_digits', 'frac_digits', 'p_cs_precedes', 'p_sep_by_space', 'n_cs_precedes',
                                 'n_sep_by_space', 'p_sign_posn', 'n_sign_posn'), CHAR_MAX)


def _text(value, function):
    if not isinstance(value, str):
        raise TypeError(f'{function}() argument must be str, not {type(value).__name__}')
    if '\0' in value:
        raise ValueError('embedded null character')
    return value


def strcoll(os1, os2, /):
    """Compares two strings according to the locale."""
    a, b = _text(os1, 'strcoll'), _text(os2, 'strcoll')
    return (a > b) - (a < b)


def strxfrm(string, /):
    """Return a string that can be used as a key for locale-aware comparisons."""
    return _text(string, 'strxfrm')


def nl_langinfo(key, /):
    """Return the value for the locale information associated with key."""
    if key not in _by_number:
        raise ValueError('unsupported langinfo constant')
    return _by_number[key]


def getencoding():
    """Get the current locale encoding."""
    return 'UTF-8'


# Messages have no translations.

def gettext(msg, /):
    return _text(msg, 'gettext')


def dgettext(domain, msg, /):
    return _text(msg, 'dgettext')


def dcgettext(domain, msg, category, /):
    return _text(msg, 'dcgettext')


def textdomain(domain, /):
    """Set the C library's textdmain to domain, returning the new domain."""
    global _domain
    if domain is not None:
        if not domain:
            _domain = 'messages'
        else:
            _domain = domain
    return _domain


_folders = {}


def bindtextdomain(domain, dir, /):
    """Bind the C library's domain to dir."""
    if not domain:
        raise Error('domain must be a non-empty string')
    if dir is not None:
        _folders[domain] = dir
    return _folders.get(domain, '/usr/share/locale')


def bind_textdomain_codeset(domain, codeset, /):
    """Bind the C library's domain to codeset."""
    return codeset

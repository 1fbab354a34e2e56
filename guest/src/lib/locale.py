"""The one locale of the sandbox, "C"."""

LC_CTYPE, LC_NUMERIC, LC_TIME, LC_COLLATE, LC_MONETARY, LC_MESSAGES, LC_ALL = range(7)
CHAR_MAX = 127


class Error(Exception):
    pass


def setlocale(category, locale=None):
    if locale is not None and not isinstance(locale, type("")):
        locale = locale[0]
    if locale not in (None, '', 'C', 'POSIX', 'C.UTF-8', 'C.utf8'):
        raise Error('unsupported locale setting')
    return 'C'


def getlocale(category=LC_CTYPE):
    if category == LC_ALL:
        raise TypeError('category LC_ALL is not supported')
    return (None, None)


def getdefaultlocale(envvars=()):
    return (None, None)


def getpreferredencoding(do_setlocale=True):
    return 'UTF-8'


def getencoding():
    return 'UTF-8'


def resetlocale(category=LC_ALL):
    pass


def localeconv():
    return {'int_curr_symbol': '', 'currency_symbol': '', 'mon_decimal_point': '', 'mon_thousands_sep': '', 'mon_grouping': [], 'positive_sign': '',
            'negative_sign': '', 'int_frac_digits': CHAR_MAX, 'frac_digits': CHAR_MAX, 'p_cs_precedes': CHAR_MAX, 'p_sep_by_space': CHAR_MAX,
            'n_cs_precedes': CHAR_MAX, 'n_sep_by_space': CHAR_MAX, 'p_sign_posn': CHAR_MAX, 'n_sign_posn': CHAR_MAX, 'decimal_point': '.',
            'thousands_sep': '', 'grouping': []}


def strcoll(a, b, /):
    return (a > b) - (a < b)


def strxfrm(string, /):
    return string


def str(val):
    return f'{val:.12g}'


def atof(string, func=float):
    return func(string)


def atoi(string):
    return int(string)


def delocalize(string):
    return string


def localize(string, grouping=False, monetary=False):
    return string


def normalize(localename):
    return localename


def format_string(f, val, grouping=False, monetary=False):
    return f % val

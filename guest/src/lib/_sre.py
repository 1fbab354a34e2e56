"""What CPython's pattern compiler asks of its engine. The engine here compiles patterns itself, from their text."""

import re as _re

MAGIC = 20230612
CODESIZE = 4
MAXREPEAT = 4294967295
MAXGROUPS = 1073741823


def unicode_iscased(character, /):
    text = chr(character)
    return text.lower() != text or text.upper() != text


def unicode_tolower(character, /):
    lower = chr(character).lower()
    return ord(lower) if len(lower) == 1 else character


def ascii_iscased(character, /):
    return character < 128 and chr(character).isalpha()


def ascii_tolower(character, /):
    return ord(chr(character).lower()) if character < 128 else character


def getlower(character, flags, /):
    return unicode_tolower(character) if flags & 32 else ascii_tolower(character)


def getcodesize():
    return CODESIZE


def compile(pattern, flags, code, groups, groupindex, indexgroup):
    """The engine's own compiled form of the pattern; the code of the other engine is not looked at."""
    # The bit of str patterns is set by the engine itself.
    return _re.compile(pattern, flags & ~32 if isinstance(pattern, bytes) else flags)


def template(pattern, template, /):
    raise NotImplementedError('replacement templates are parsed by the engine itself')

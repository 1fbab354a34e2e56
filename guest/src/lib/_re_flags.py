"""The parts of `re` that are written in Python: the flags, which need `enum`, and the undocumented `Scanner`."""

import re
from enum import IntFlag, KEEP, global_enum


class RegexFlag(IntFlag, boundary=KEEP):
    NOFLAG = 0
    ASCII = A = 256
    IGNORECASE = I = 2
    LOCALE = L = 4
    UNICODE = U = 32
    MULTILINE = M = 8
    DOTALL = S = 16
    VERBOSE = X = 64
    DEBUG = 128

    __module__ = "re"
    __str__ = object.__str__
    _numeric_repr_ = hex


global_enum(RegexFlag)
globals().update(RegexFlag.__members__)


class Scanner:
    """Splits text by a list of (pattern, action) pairs."""

    def __init__(self, lexicon, flags=0):
        self.lexicon = lexicon
        self._actions = {}
        parts = []
        group = 1
        for phrase, action in lexicon:
            self._actions[group] = action
            parts.append(f"({phrase})")
            group += 1 + re.compile(phrase, flags).groups
        self.scanner = re.compile("|".join(parts), flags)

    def scan(self, string):
        result = []
        at = 0
        # The outermost group is closed last, so `lastindex` tells the phrase.
        for m in iter(self.scanner.scanner(string).match, None):
            if at == m.end():
                break
            action = self._actions[m.lastindex]
            if callable(action):
                self.match = m
                action = action(self, m.group())
            if action is not None:
                result.append(action)
            at = m.end()
        return result, string[at:]

"""The tokenizer behind `tokenize`: the interpreter's own scanner, with comments and line ends."""

import _tokenize_core
import token as _token

_EXTRA = frozenset({'COMMENT', 'NL'})


class TokenizerIter:
    """Iterates over the tokens of the lines that `readline` gives: (type, string, start, end, line)."""

    def __init__(self, readline, /, *, encoding=None, extra_tokens=False):
        self._readline = readline
        self._encoding = encoding
        self._extra = extra_tokens
        self._tokens = None

    def __iter__(self):
        return self

    def _read(self):
        lines = []
        while True:
            try:
                line = self._readline()
            except StopIteration:
                break
            if not line:
                break
            if self._encoding is not None and isinstance(line, (bytes, bytearray)):
                try:
                    line = bytes(line).decode(self._encoding)
                except UnicodeDecodeError as error:
                    raise SyntaxError(f'(unicode error) {error}') from None
            elif not isinstance(line, str):
                raise TypeError(f'readline() returned a non-string object')
            lines.append(line)
        return ''.join(lines)

    def __next__(self):
        if self._tokens is None:
            found, self._error = _tokenize_core.scan(self._read())
            self._tokens = iter(found)
        for kind, string, start, end, line in self._tokens:
            if self._extra:
                return getattr(_token, kind), string, start, end, line
            if kind in _EXTRA:
                continue
            if kind == 'OP':
                return _token.EXACT_TOKEN_TYPES[string], string, start, end, line
            return getattr(_token, kind), string, start, end, line
        if self._error is not None:
            error, self._error = self._error, None
            raise error
        raise StopIteration


TokenizerIter.__module__ = '_tokenize'

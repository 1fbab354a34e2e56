"""The East Asian codecs as objects: errors, states and streams around the native tables."""

import codecs
import _multibyte_core

_WINDOW = 4096
_ILLEGAL = 'illegal multibyte sequence'
_INCOMPLETE = 'incomplete multibyte sequence'


def _replacement(error, handler, kinds):
    """What an error handler puts in place, and where it goes on."""
    made = handler(error)
    if not isinstance(made, tuple) or len(made) != 2 or not isinstance(made[0], kinds) or not isinstance(made[1], int):
        what = 'encoding' if str in kinds and bytes in kinds else 'decoding'
        raise TypeError(f'{what} error handler must return (str, int) tuple')
    text, at = made
    size = len(error.object)
    if at < 0:
        at += size
    if not 0 <= at <= size:
        raise IndexError(f'position {made[1]} from error handler out of bounds')
    return text, at


class MultibyteCodec:
    """An encoding without states."""

    def __init__(self, name):
        self.name = name

    def start(self):
        """The state at the beginning."""
        return None

    def encode_from(self, text, at, state):
        """Bytes, where it stopped, and the state there."""
        # In windows, so that going on after an error does not begin with the whole text again.
        parts = []
        while at < len(text):
            window = text[at:at + _WINDOW]
            made, end = _multibyte_core.encode(self.name, window, 0)
            parts.append(made)
            at += end
            if end < len(window):
                break
        return b''.join(parts), at, state

    def decode_from(self, data, at, state):
        """Text, where it stopped, why (None at the end, 0 for an incomplete sequence, or the number of wrong bytes), and the state there."""
        parts = []
        while True:
            window = data[at:at + _WINDOW]
            rest = at + len(window) < len(data)
            text, end, why = _multibyte_core.decode(self.name, window, 0)
            parts.append(text)
            at += end
            if why or not rest:
                return ''.join(parts), at, why, state

    def finish(self, state):
        """Bytes that end a text."""
        return b''

    def _encode(self, text, errors, state, final):
        if not isinstance(text, str):
            raise TypeError(f'encode() argument 1 must be str, not {type(text).__name__}')
        parts = []
        at = 0
        handler = None
        while True:
            made, at, state = self.encode_from(text, at, state)
            parts.append(made)
            if at == len(text):
                break
            error = UnicodeEncodeError(self.name, text, at, at + 1, _ILLEGAL)
            if errors in (None, 'strict'):
                raise error
            if handler is None:
                handler = codecs.lookup_error(errors)
            made, at = _replacement(error, handler, (str, bytes))
            if isinstance(made, str):
                text_put = made
                made, end, state = self.encode_from(text_put, 0, state)
                if end < len(text_put):
                    raise error
            parts.append(made)
        if final:
            parts.append(self.finish(state))
            state = self.start()
        return b''.join(parts), state

    def _decode(self, data, errors, state, final):
        if not isinstance(data, bytes):
            data = bytes(memoryview(data))
        parts = []
        at = 0
        handler = None
        while True:
            text, at, why, state = self.decode_from(data, at, state)
            parts.append(text)
            if why is None or why == 0 and not final:
                return ''.join(parts), at, state
            end = at + why if why else len(data)
            error = UnicodeDecodeError(self.name, data, at, end, _ILLEGAL if why else _INCOMPLETE)
            if errors in (None, 'strict'):
                raise error
            if handler is None:
                handler = codecs.lookup_error(errors)
            text, at = _replacement(error, handler, (str,))
            parts.append(text)

    def encode(self, input, errors=None):
        """Return encoded string version of 'input' and its length."""
        made, _ = self._encode(input, errors, self.start(), True)
        return made, len(input)

    def decode(self, input, errors=None):
        """Decodes 'input' and returns the text and the number of bytes used."""
        text, at, _ = self._decode(input, errors, self.start(), True)
        return text, at


class _Shifting(MultibyteCodec):
    """An encoding of seven bits that switches between character sets: the state is the set in use."""

    def encode_from(self, text, at, state):
        out = bytearray()
        while at < len(text):
            made = self.one(text[at], state)
            if made is None:
                break
            data, state = made
            out += data
            at += 1
        return bytes(out), at, state

    def pair(self, data, at, encoding, lead=b''):
        """The character of two bytes of seven bits; None when there is none."""
        text, _, why = _multibyte_core.decode(encoding, lead + bytes(b | 0x80 for b in data[at:at + 2]), 0)
        return text if why is None and len(text) == 1 else None


class _Hz(_Shifting):
    def start(self):
        return 'A'

    def one(self, char, state):
        if char < '\x80':
            data = b'~~' if char == '~' else char.encode()
            return (b'~}' + data if state == 'G' else data), 'A'
        data, end = _multibyte_core.encode('gb2312', char, 0)
        if not end or len(data) != 2:
            return None
        data = bytes(b & 0x7f for b in data)
        return (b'~{' + data if state == 'A' else data), 'G'

    def finish(self, state):
        return b'~}' if state == 'G' else b''

    def decode_from(self, data, at, state):
        out = []
        why = None
        while at < len(data):
            byte = data[at]
            if byte == 0x7e:
                if at + 1 >= len(data):
                    why = 0
                    break
                mark = data[at + 1:at + 2]
                if mark == b'~' and state == 'A':
                    out.append('~')
                elif mark == b'{' and state == 'A':
                    state = 'G'
                elif mark == b'}' and state == 'G':
                    state = 'A'
                elif mark != b'\n':
                    why = 1
                    break
                at += 2
                continue
            if byte & 0x80:
                why = 1
                break
            if state == 'A' or byte == 0x0a:
                out.append(chr(byte))
                if byte == 0x0a:
                    state = 'A'
                at += 1
                continue
            if at + 1 >= len(data):
                why = 0
                break
            char = self.pair(data, at, 'gb2312')
            if char is None:
                why = 1
                break
            out.append(char)
            at += 2
        return ''.join(out), at, why, state


class _Iso2022(_Shifting):
    """Character sets that escape sequences designate; `sets` are their letters with the sequences."""

    def __init__(self, name, escapes):
        super().__init__(name)
        self.escapes = escapes

    def start(self):
        return 'B'

    def finish(self, state):
        return self.escapes['B'] if state != 'B' else b''

    def one(self, char, state):
        if char < '\x80':
            letter, data = 'B', char.encode()
        elif char in '\xa5\u203e':
            letter, data = 'J', b'\\' if char == '\xa5' else b'~'
        else:
            data, end = _multibyte_core.encode('euc_jp', char, 0)
            if not end or data[0] == 0x8e:
                return None
            letter = 'D' if len(data) == 3 else '0208'
            data = bytes(b & 0x7f for b in data[-2:])
        if letter not in self.escapes:
            return None
        return (data if state == letter else self.escapes[letter] + data), letter

    def decode_from(self, data, at, state):
        out = []
        why = None
        while at < len(data):
            byte = data[at]
            if byte == 0x1b:
                letter, size = self.escape(data, at)
                if letter is None:
                    why = size
                    break
                state = letter
                at += size
                continue
            if byte & 0x80:
                why = 1
                break
            if state in 'BJ' or byte == 0x0a or byte < 0x20:
                char = chr(byte)
                if state == 'J':
                    char = {'\\': '\xa5', '~': '\u203e'}.get(char, char)
                if byte == 0x0a:
                    state = 'B'
                out.append(char)
                at += 1
                continue
            if at + 1 >= len(data):
                why = 0
                break
            char = self.pair(data, at, 'euc_jp', b'\x8f' if state == 'D' else b'')
            if char is None:
                why = 2
                break
            out.append(char)
            at += 2
        return ''.join(out), at, why, state

    def escape(self, data, at):
        for letter, sequence in [*self.escapes.items(), ('0208', b'\x1b$@')]:
            if data.startswith(sequence, at):
                return letter, len(sequence)
        # Another sequence ends with a capital letter.
        for i in range(at + 1, at + 16):
            if i >= len(data):
                return None, 0
            if 0x40 <= data[i] <= 0x5a:
                return None, i + 1 - at
        return None, 1


class _Iso2022Kr(_Shifting):
    """KS X 1001 between the control characters SO and SI, designated once at the beginning."""

    DESIGNATION = b'\x1b$)C'

    def start(self):
        return ''

    def finish(self, state):
        return b'\x0f' if 'O' in state else b''

    def one(self, char, state):
        if char < '\x80':
            made = char.encode()
            return (b'\x0f' + made if 'O' in state else made), state.replace('O', '')
        data, end = _multibyte_core.encode('euc_kr', char, 0)
        if not end or len(data) != 2:
            return None
        made = bytes(b & 0x7f for b in data)
        if 'O' not in state:
            made = b'\x0e' + made
        if 'D' not in state:
            made = self.DESIGNATION + made
        return made, 'DO'

    def decode_from(self, data, at, state):
        out = []
        why = None
        while at < len(data):
            byte = data[at]
            if byte == 0x1b:
                if data.startswith(self.DESIGNATION, at):
                    at += 4
                    continue
                why = 0 if self.DESIGNATION.startswith(data[at:]) else 1
                break
            if byte in (0x0e, 0x0f):
                state = 'O' if byte == 0x0e else ''
                at += 1
            elif byte & 0x80:
                why = 1
                break
            elif not state or byte < 0x20:
                if byte == 0x0a:
                    state = ''
                out.append(chr(byte))
                at += 1
            elif at + 1 >= len(data):
                why = 0
                break
            else:
                char = self.pair(data, at, 'euc_kr')
                if char is None:
                    why = 2
                    break
                out.append(char)
                at += 2
        return ''.join(out), at, why, state


_JAPANESE = {'B': b'\x1b(B', 'J': b'\x1b(J', '0208': b'\x1b$B'}
_SHIFTING = {
    'hz': lambda: _Hz('hz'),
    'iso2022_jp': lambda: _Iso2022('iso2022_jp', _JAPANESE),
    'iso2022_jp_1': lambda: _Iso2022('iso2022_jp_1', {**_JAPANESE, 'D': b'\x1b$(D'}),
    'iso2022_kr': lambda: _Iso2022Kr('iso2022_kr'),
}
_made = {}


def getcodec(name):
    """The codec of a name; LookupError when there is none."""
    if not isinstance(name, str):
        raise TypeError('encoding name must be a string.')
    if name not in _made:
        if name in _SHIFTING:
            _made[name] = _SHIFTING[name]()
        else:
            try:
                _multibyte_core.decode(name, b'', 0)
            except LookupError:
                raise LookupError('no such codec is supported.') from None
            _made[name] = MultibyteCodec(name)
    return _made[name]


class MultibyteIncrementalEncoder:
    """Encodes in pieces."""

    def __init__(self, errors='strict'):
        self.errors = errors
        self.reset()

    def encode(self, input, final=False):
        made, self._state = self.codec._encode(input, self.errors, self._state, final)
        return made

    def reset(self):
        self._state = self.codec.start()

    def getstate(self):
        return int.from_bytes((self._state or '').encode(), 'little')

    def setstate(self, state, /):
        text = state.to_bytes((state.bit_length() + 7) // 8, 'little').decode()
        self._state = text if self.codec.start() is not None else None


class MultibyteIncrementalDecoder:
    """Decodes in pieces."""

    def __init__(self, errors='strict'):
        self.errors = errors
        self.reset()

    def decode(self, input, final=False):
        data = self._pending + bytes(memoryview(input))
        text, at, self._state = self.codec._decode(data, self.errors, self._state, final)
        self._pending = data[at:]
        return text

    def reset(self):
        self._pending = b''
        self._state = self.codec.start()

    def getstate(self):
        return self._pending, int.from_bytes((self._state or '').encode(), 'little')

    def setstate(self, state, /):
        self._pending, number = state
        text = number.to_bytes((number.bit_length() + 7) // 8, 'little').decode()
        self._state = text if self.codec.start() is not None else None


class MultibyteStreamReader:
    """Reads text from a stream of bytes."""

    def __init__(self, stream, errors='strict'):
        self.stream = stream
        self.errors = errors
        self.reset()

    def reset(self):
        self._pending = b''
        self._state = self.codec.start()

    def _take(self, method, size):
        while True:
            data = method() if size < 0 else method(size)
            if not isinstance(data, bytes):
                raise TypeError(f'stream function returned a non-bytes object ({type(data).__name__})')
            whole = self._pending + data
            final = not data or size < 0 and method == self.stream.read
            text, at, self._state = self.codec._decode(whole, self.errors, self._state, final)
            self._pending = whole[at:]
            if text or not data or final:
                return text

    def read(self, size=-1, /):
        return self._take(self.stream.read, -1 if size is None else size)

    def readline(self, size=-1, /):
        return self._take(self.stream.readline, -1 if size is None else size)

    def readlines(self, sizehint=-1, /):
        return self._take(self.stream.read, -1 if sizehint is None else sizehint).splitlines(True)


class MultibyteStreamWriter:
    """Writes text to a stream of bytes."""

    def __init__(self, stream, errors='strict'):
        self.stream = stream
        self.errors = errors
        self._state = self.codec.start()

    def write(self, text, /):
        made, self._state = self.codec._encode(text, self.errors, self._state, False)
        self.stream.write(made)

    def writelines(self, lines, /):
        for line in lines:
            self.write(line)

    def reset(self):
        made = self.codec.finish(self._state)
        self._state = self.codec.start()
        if made:
            self.stream.write(made)

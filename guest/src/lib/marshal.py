"""Values as bytes in the format of version 4 of `marshal` (numbers, text, bytes, containers, singletons); code objects are not written.

The format is described by its type letters; there is no document of it beyond the reference pages.
"""

import struct
import sys

version = 5

_MAX_DEPTH = 1500
_FLAG_REF = 0x80


# What may be written once and referred to afterwards.
_SHARED = frozenset((int, float, complex, str, bytes, tuple, list, dict, set, frozenset, slice))


class _Deep:
    """Room for the nesting that the format allows, in which each level takes two calls."""

    def __enter__(self):
        self.limit = sys.getrecursionlimit()
        sys.setrecursionlimit(self.limit + 3 * _MAX_DEPTH)

    def __exit__(self, *exc):
        sys.setrecursionlimit(self.limit)


def _repeated(value):
    """The numbers (`id`) of the objects that are met more than once."""
    seen, again = set(), set()
    waiting = [value]
    while waiting:
        item = waiting.pop()
        kind = type(item)
        if kind not in _SHARED:
            continue
        number = id(item)
        if number in seen:
            again.add(number)
            continue
        seen.add(number)
        if kind in (tuple, list, set, frozenset):
            waiting.extend(item)
        elif kind is dict:
            waiting.extend(item.keys())
            waiting.extend(item.values())
        elif kind is slice:
            waiting.extend((item.start, item.stop, item.step))
    return again


class _Writer:
    def __init__(self, version, again=()):
        self.version = version
        self.parts = []
        # Of the objects that occur again: those that have been written, with their numbers.
        self.again = again
        self.places = {}

    def shared(self, value, depth):
        """Writes an object that occurs more than once: a reference, or the object with the flag that it gets a number."""
        number = id(value)
        place = self.places.get(number)
        if place is not None:
            self.parts.append(b'r' + place.to_bytes(4, 'little'))
            return
        self.places[number] = len(self.places)
        at = len(self.parts)
        self.plain(value, depth)
        first = self.parts[at]
        self.parts[at] = bytes((first[0] | _FLAG_REF,)) + first[1:]

    def size(self, letter, n):
        if n > 0x7fffffff:
            raise ValueError('unmarshallable object')
        self.parts.append(letter + n.to_bytes(4, 'little'))

    def integer(self, value):
        if -0x80000000 <= value <= 0x7fffffff:
            self.parts.append(b'i' + value.to_bytes(4, 'little', signed=True))
            return
        digits = []
        rest = abs(value)
        while rest:
            digits.append(rest & 0x7fff)
            rest >>= 15
        count = len(digits) if value > 0 else -len(digits)
        self.parts.append(b'l' + count.to_bytes(4, 'little', signed=True) + struct.pack(f'<{len(digits)}H', *digits))

    def text(self, value):
        data = value.encode('utf-8', 'surrogatepass')
        interned = self.version >= 3 and sys._is_interned(value)
        if self.version >= 4 and value.isascii():
            if len(data) < 256:
                self.parts.append((b'Z' if interned else b'z') + bytes([len(data)]))
            else:
                self.size(b'A' if interned else b'a', len(data))
        else:
            self.size(b't' if interned else b'u', len(data))
        self.parts.append(data)

    def real(self, value):
        if self.version > 1:
            self.parts.append(struct.pack('<d', value))
        else:
            digits = repr(value).encode() if value == value and abs(value) != float('inf') else str(value).encode()
            self.parts.append(bytes([len(digits)]) + digits)

    def put(self, value, depth=0):
        if depth >= _MAX_DEPTH:
            raise ValueError('object too deeply nested to marshal')
        if id(value) in self.again:
            self.shared(value, depth)
        else:
            self.plain(value, depth)

    def plain(self, value, depth):
        kind = type(value)
        if value is None:
            self.parts.append(b'N')
        elif value is True:
            self.parts.append(b'T')
        elif value is False:
            self.parts.append(b'F')
        elif value is Ellipsis:
            self.parts.append(b'.')
        elif value is StopIteration:
            self.parts.append(b'S')
        elif kind is int:
            self.integer(value)
        elif kind is float:
            self.parts.append(b'g' if self.version > 1 else b'f')
            self.real(value)
        elif kind is complex:
            self.parts.append(b'y' if self.version > 1 else b'x')
            self.real(value.real)
            self.real(value.imag)
        elif kind is str:
            self.text(value)
        elif kind is bytes:
            self.size(b's', len(value))
            self.parts.append(value)
        elif kind is tuple:
            if self.version >= 4 and len(value) < 256:
                self.parts.append(b')' + bytes([len(value)]))
            else:
                self.size(b'(', len(value))
            for item in value:
                self.put(item, depth + 1)
        elif kind is list:
            self.size(b'[', len(value))
            for item in value:
                self.put(item, depth + 1)
        elif kind is dict:
            self.parts.append(b'{')
            for key, item in value.items():
                self.put(key, depth + 1)
                self.put(item, depth + 1)
            self.parts.append(b'0')
        elif kind is set or kind is frozenset:
            self.size(b'<' if kind is set else b'>', len(value))
            # Sorted by what would be written, so that equal sets give equal bytes.
            for item in sorted(value, key=self.alone):
                self.put(item, depth + 1)
        elif kind is slice:
            if self.version < 5:
                raise ValueError('unmarshallable object')
            self.parts.append(b':')
            for item in (value.start, value.stop, value.step):
                self.put(item, depth + 1)
        else:
            self.other(value)

    def alone(self, value):
        writer = _Writer(self.version)
        writer.plain(value, 0)
        return b''.join(writer.parts)

    def other(self, value):
        try:
            view = memoryview(value).tobytes()
        except TypeError:
            raise ValueError('unmarshallable object') from None
        self.size(b's', len(view))
        self.parts.append(view)


class _Null:
    """The mark at the end of a dictionary."""


class _Reader:
    def __init__(self, read):
        self.take = read
        self.refs = []

    def bytes(self, n):
        data = self.take(n)
        if len(data) < n:
            raise EOFError('marshal data too short')
        return data

    def long(self):
        return int.from_bytes(self.bytes(4), 'little', signed=True)

    def count(self, what):
        n = self.long()
        if n < 0:
            raise ValueError(f'bad marshal data ({what} size out of range)')
        return n

    def real(self, binary):
        if binary:
            return struct.unpack('<d', self.bytes(8))[0]
        return float(self.bytes(self.bytes(1)[0]))

    def items(self, n, depth):
        result = []
        for _ in range(n):
            item = self.get(depth + 1)
            if item is _Null:
                raise TypeError('NULL object in marshal data for container')
            result.append(item)
        return result

    def get(self, depth=0):
        if depth >= _MAX_DEPTH:
            raise ValueError('recursion limit exceeded')
        code = self.take(1)
        if not code:
            raise EOFError('EOF read where object expected')
        code = code[0]
        letter = chr(code & ~_FLAG_REF)
        place = None
        if code & _FLAG_REF:
            place = len(self.refs)
            self.refs.append(None)
        value = self.value(letter, place, depth)
        if place is not None:
            self.refs[place] = value
        return value

    def value(self, letter, place, depth):
        match letter:
            case '0':
                return _Null
            case 'N':
                return None
            case 'T':
                return True
            case 'F':
                return False
            case '.':
                return Ellipsis
            case 'S':
                return StopIteration
            case 'i':
                return self.long()
            case 'I':
                return int.from_bytes(self.bytes(8), 'little', signed=True)
            case 'l':
                return self.digits()
            case 'f' | 'g':
                return self.real(letter == 'g')
            case 'x' | 'y':
                first = self.real(letter == 'y')
                return complex(first, self.real(letter == 'y'))
            case 's':
                return self.bytes(self.count('bytes object'))
            case 'z' | 'Z':
                text = self.bytes(self.bytes(1)[0]).decode('latin-1')
                return sys.intern(text) if letter == 'Z' else text
            case 'a' | 'A':
                text = self.bytes(self.count('string')).decode('latin-1')
                return sys.intern(text) if letter == 'A' else text
            case 'u' | 't':
                text = self.bytes(self.count('string')).decode('utf-8', 'surrogatepass')
                return sys.intern(text) if letter == 't' else text
            case ')':
                return tuple(self.items(self.bytes(1)[0], depth))
            case '(':
                return tuple(self.items(self.count('tuple'), depth))
            case '[':
                n = self.count('list')
                result = []
                if place is not None:
                    self.refs[place] = result
                result.extend(self.items(n, depth))
                return result
            case '{':
                result = {}
                if place is not None:
                    self.refs[place] = result
                while (key := self.get(depth + 1)) is not _Null:
                    item = self.get(depth + 1)
                    if item is _Null:
                        break
                    result[key] = item
                return result
            case '<':
                return set(self.items(self.count('set'), depth))
            case '>':
                return frozenset(self.items(self.count('set'), depth))
            case ':':
                start, stop, step = self.items(3, depth)
                return slice(start, stop, step)
            case 'r':
                at = self.long()
                if not 0 <= at < len(self.refs):
                    raise ValueError('bad marshal data (invalid reference)')
                return self.refs[at]
            case 'c':
                raise ValueError('marshalled code is for another interpreter and cannot be read')
        raise ValueError('bad marshal data (unknown type code)')

    def digits(self):
        n = self.long()
        count = abs(n)
        if n == -0x80000000:
            raise ValueError('bad marshal data (long size out of range)')
        value = 0
        shift = 0
        for digit in struct.unpack(f'<{count}H', self.bytes(2 * count)):
            if digit > 0x7fff:
                raise ValueError('bad marshal data (digit out of range in long)')
            value |= digit << shift
            shift += 15
        if count and not digit:
            raise ValueError('bad marshal data (unnormalized long data)')
        return value if n >= 0 else -value


def dumps(value, version=version, /, *, allow_code=True):
    """Return the bytes object that would be written to a file by dump(value, file)."""
    writer = _Writer(version, _repeated(value) if version >= 3 else ())
    with _Deep():
        writer.put(value)
    return b''.join(writer.parts)


def dump(value, file, version=version, /, *, allow_code=True):
    """Write the value on the open file."""
    file.write(dumps(value, version))


def _whole(reader):
    with _Deep():
        value = reader.get()
    if value is _Null:
        raise TypeError('NULL object in marshal data for object')
    return value


def loads(data, /, *, allow_code=True):
    """Convert the bytes-like object to a value."""
    view = memoryview(data).cast('B')
    at = 0

    def read(n):
        nonlocal at
        part = bytes(view[at:at + n])
        at += n
        return part
    return _whole(_Reader(read))


def load(file, /, *, allow_code=True):
    """Read one value from the open file and return it."""
    first = file.read(0)
    if not isinstance(first, bytes):
        raise TypeError(f'file.read() returned not bytes but {type(first).__name__}')

    def read(n):
        room = bytearray(n)
        got = file.readinto(room)
        if got > n:
            raise ValueError(f'read() returned too much data: {n} bytes requested, {got} returned')
        return bytes(room[:got])
    return _whole(_Reader(read))

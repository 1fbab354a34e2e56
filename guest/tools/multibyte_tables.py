"""Writes the tables of the East Asian encodings for the interpreter: `python3.13 multibyte_tables.py OUTPUT`.

What every sequence of one, two or three bytes means is asked of the running Python. Tables of encodings that differ little are written as
differences to another one. The file is a series of sections, each of them deflated:

    name (8 bytes, padded with zeros), packed size, size (4 bytes each), data

The data of `name` is, in 16-bit little-endian words: 256 meanings of single bytes (0xffff none, 0xfffe the first of several), then the grid of two
bytes, rows 0x81..0xfe of columns 0x40..0xfe (0 none). Of `name+`: pairs of a word's index and its value. Of `name!`: pairs of a character and the
two bytes that it is written as where that is not the lowest sequence that means it (0: it cannot be written). Of `name3`: the grid of what follows
0x8f, rows and columns 0xa1..0xfe. Of `ranges`: pairs of 32-bit words, the number of a sequence of four bytes and the character where a run begins.
"""
import struct
import sys
import zlib

GRID = [(lead, trail) for lead in range(0x81, 0xff) for trail in range(0x40, 0xff)]


def meaning(codec, data):
    try:
        text = data.decode(codec)
    except UnicodeDecodeError:
        return None
    return ord(text) if len(text) == 1 and ord(text) < 0xfffe else None


def words(codec):
    grid = [meaning(codec, bytes(pair)) or 0 for pair in GRID]
    leads = {pair[0] for pair, cp in zip(GRID, grid) if cp} | ({0x8f} if codec == 'euc_jp' else set())
    single = []
    for byte in range(256):
        cp = meaning(codec, bytes([byte]))
        single.append(cp if cp is not None else 0xfffe if byte in leads else 0xffff)
    return single + grid


def exceptions(codec, table):
    """Where encoding is not the reverse of decoding."""
    lowest = {}
    for (lead, trail), cp in zip(GRID, table[256:]):
        if cp:
            lowest.setdefault(cp, lead << 8 | trail)
    for byte in range(255, -1, -1):
        if table[byte] < 0xfffe:
            lowest[table[byte]] = byte
    out = []
    for cp in range(0x10000):
        if 0xd800 <= cp < 0xe000:
            continue
        try:
            data = chr(cp).encode(codec)
        except UnicodeEncodeError:
            data = b''
        if len(data) > 2:
            continue
        made = int.from_bytes(data, 'big')
        if made != lowest.get(cp, 0) and not (cp == 0 and data == b'\0'):
            out += [cp, made]
    return out


def steps(table):
    return [(b - a) % 0x10000 for a, b in zip([0, *table], table)]


def upper(table):
    return table[:256] + [cp if lead >= 0xa1 and trail >= 0xa1 else 0 for (lead, trail), cp in zip(GRID, table[256:])]


def section(name, numbers, form='H'):
    raw = struct.pack(f'<{len(numbers)}{form}', *numbers)
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = packer.compress(raw) + packer.flush()
    return name.encode().ljust(8, b'\0') + struct.pack('<II', len(packed), len(raw)) + packed


def main(path):
    out = b''
    bases = {}
    for codec, short, base in (('cp932', 'cp932', None), ('shift_jis', 'sjis', 'cp932'), ('euc_jp', 'eucjp', None), ('gbk', 'gbk', None),
                               ('gb2312', 'gb2312', 'gbk'), ('gb18030', 'gb180', 'gbk'), ('cp950', 'cp950', None), ('big5', 'big5', 'cp950'),
                               ('cp949', 'cp949', None), ('euc_kr', 'euckr', 'cp949')):
        table = words(codec)
        bases[codec] = table
        if base is None:
            out += section(short, steps(table))
        else:
            differences = []
            cut = codec in ('gb2312', 'euc_kr')
            for i, (a, b) in enumerate(zip(table, upper(bases[base]) if cut else bases[base])):
                if a != b:
                    differences += [i, a]
            out += section(short + ('-' if cut else '+'), differences)
        rest = exceptions(codec, table)
        out += section(f'{short}!', rest)
        print(codec, len(rest) // 2, len(out))
    third = [meaning('euc_jp', bytes([0x8f, row, column])) or 0 for row in range(0xa1, 0xff) for column in range(0xa1, 0xff)]
    out += section('eucjp3', steps(third))
    runs, expected = [], None
    for number in range(39420):
        data = bytes([0x81 + number // 12600, 0x30 + number // 1260 % 10, 0x81 + number // 10 % 126, 0x30 + number % 10])
        cp = meaning('gb18030', data)
        if cp != expected:
            runs += [number, cp if cp is not None else 0xffffffff]
        expected = None if cp is None else cp + 1
    out += section('ranges', runs, 'I')
    print('ranges', len(runs) // 2)
    with open(path, 'wb') as f:
        f.write(out)
    print(len(out))


main(sys.argv[1])

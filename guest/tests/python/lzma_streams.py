"""Streams of `lzma`: containers, filters, pieces of any size, and what damaged ones say."""
import io
import lzma
import pickle
import tarfile
import zipfile

# Made by liblzma.
XZ = bytes.fromhex(
    'fd377a585a000004e6d6b4460200210116000000742fe5a3010010636f6c646672616d652c20636f6c6421210000'
    '00002d8307b00d3b2d2300012911320a700e1fb6f37d010000000004595a')
ALONE = bytes.fromhex(
    '5d00008000ffffffffffffffff00319bc9cd8ab97928dfbe99c0c269f74e1df57bffff64080000')
CHAIN = bytes.fromhex(
    'fd377a585a00000ae1fb0ca1030203010104002101160000809838cce00032001a5d00319bbd2f1175a1ec152d0b'
    'bdef6bccfee05bd606114f7e9400000000000fa96bca201887f1f531ce706a9fdd5ee728a0f59aa5281a34a39f3f'
    '401f85e500015233ebebdb17189b4b9a01000000000a595a')

for data in (XZ, ALONE, CHAIN, XZ + XZ):
    print(lzma.decompress(data))
    d = lzma.LZMADecompressor()
    out = b''.join(d.decompress(data[i:i + 3]) for i in range(0, len(data), 3) if not d.eof)
    print(out, d.eof, d.check, d.needs_input)

text = b'the quick brown fox jumps over the lazy dog. ' * 500
code = bytes(range(256)) * 40 + b'\xe8\x10\x00\x00\x00' * 50
for data in (b'', b'x', text, code):
    for options in (
            {}, {'preset': 0}, {'preset': 9 | lzma.PRESET_EXTREME}, {'format': lzma.FORMAT_ALONE}, {'check': lzma.CHECK_SHA256},
            {'check': lzma.CHECK_NONE},
            {'filters': [{'id': lzma.FILTER_DELTA, 'dist': 5}, {'id': lzma.FILTER_X86}, {'id': lzma.FILTER_LZMA2, 'lc': 1, 'lp': 2}]},
            {'filters': [{'id': lzma.FILTER_ARM, 'start_offset': 16}, {'id': lzma.FILTER_LZMA2, 'preset': 3}]}):
        packed = lzma.compress(data, **options)
        assert lzma.decompress(packed) == data, options
        assert len(packed) < len(data) / 4 + 200
    for filters in ([{'id': lzma.FILTER_LZMA1}], [{'id': lzma.FILTER_LZMA2}], [{'id': lzma.FILTER_IA64}, {'id': lzma.FILTER_LZMA2}],
                    [{'id': lzma.FILTER_SPARC}, {'id': lzma.FILTER_POWERPC}, {'id': lzma.FILTER_ARMTHUMB}, {'id': lzma.FILTER_LZMA2}]):
        packed = lzma.compress(data, lzma.FORMAT_RAW, filters=filters)
        assert lzma.decompress(packed, lzma.FORMAT_RAW, filters=filters) == data

d = lzma.LZMADecompressor()
packed = lzma.compress(text)
parts = [d.decompress(packed, max_length=100)]
while not d.eof:
    parts.append(d.decompress(b'', 777))
print(b''.join(parts) == text, max(map(len, parts)), d.unused_data)
d = lzma.LZMADecompressor()
d.decompress(XZ + b'tail')
print(d.unused_data)


def attempt(f, *args, **kwargs):
    try:
        print(f(*args, **kwargs))
    except Exception as e:
        print(type(e).__module__, type(e).__name__, e)


attempt(d.decompress, b'more')
attempt(lzma.decompress, b'')
attempt(lzma.decompress, b'nothing of the kind')
attempt(lzma.decompress, XZ[:-1])
attempt(lzma.decompress, XZ[:30] + b'!' + XZ[31:])
attempt(lzma.decompress, ALONE[:20] + b'\xff' * 30)
attempt(lzma.decompress, XZ, memlimit=1000)
attempt(lzma.decompress, ALONE, format=lzma.FORMAT_XZ)
attempt(lzma.compress, b'', preset=11)
attempt(lzma.compress, b'', format=lzma.FORMAT_RAW)
attempt(lzma.compress, b'', format=lzma.FORMAT_ALONE, check=lzma.CHECK_CRC32)
attempt(lzma.compress, b'', check=7)
attempt(lzma.compress, b'', preset=1, filters=[])
attempt(lzma.compress, b'', filters=[{'id': lzma.FILTER_DELTA}])
attempt(lzma.compress, b'', filters=[{'id': 99}])
attempt(lzma.compress, b'', filters=[{'dist': 1}])
attempt(lzma.compress, b'', filters=[3])
attempt(lzma.compress, b'', filters=[{'id': lzma.FILTER_DELTA, 'dist': 1}] * 5)
attempt(lzma.compress, 'text')
attempt(pickle.dumps, lzma.LZMACompressor())
print(lzma.is_check_supported(lzma.CHECK_CRC64), lzma.is_check_supported(5))
print(lzma._encode_filter_properties({'id': lzma.FILTER_LZMA1, 'preset': 6}), lzma._encode_filter_properties({'id': lzma.FILTER_DELTA, 'dist': 7}))
print(sorted(lzma._decode_filter_properties(lzma.FILTER_LZMA1, b']\0\0\x80\0').items()))

c = lzma.LZMACompressor()
packed = c.compress(b'abc') + c.compress(b'def') + c.flush()
print(lzma.decompress(packed))
attempt(c.flush)
attempt(c.compress, b'')

file = io.BytesIO()
with lzma.open(file, 'wt', encoding='utf-8') as f:
    f.write('line one\nline two\n')
file.seek(0)
with lzma.open(file, 'rt', encoding='utf-8') as f:
    print(f.readlines())
file = io.BytesIO()
with tarfile.open(fileobj=file, mode='w:xz') as t:
    info = tarfile.TarInfo('folder/name.txt')
    info.size = 5
    t.addfile(info, io.BytesIO(b'hello'))
file.seek(0)
with tarfile.open(fileobj=file) as t:
    print(t.getnames(), t.extractfile('folder/name.txt').read())
file = io.BytesIO()
with zipfile.ZipFile(file, 'w', zipfile.ZIP_LZMA) as z:
    z.writestr('a', text)
with zipfile.ZipFile(file) as z:
    print(z.read('a') == text, z.testzip())

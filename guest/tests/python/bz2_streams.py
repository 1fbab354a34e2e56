import bz2, io

data = b''.join(str(i * i).encode() for i in range(20000))
for level in (1, 5, 9):
    packed = bz2.compress(data, level)
    print(level, packed[:4], len(packed) < len(data) / 2, bz2.decompress(packed) == data)
c = bz2.BZ2Compressor()
packed = b''.join(c.compress(data[i:i + 999]) for i in range(0, len(data), 999)) + c.flush()
d = bz2.BZ2Decompressor()
out = d.decompress(packed[:1000], 10)
print(out, d.eof, d.needs_input)
while not d.eof:
    out += d.decompress(packed[1000:] + b'tail' if d.needs_input else b'', 30000)
print(out == data, d.eof, d.unused_data, d.needs_input)
print(bz2.decompress(bz2.compress(b'one') + bz2.compress(b'two') + b'junk'))
for f in (lambda: c.compress(b''), c.flush, lambda: d.decompress(b''), lambda: bz2.decompress(b'BZh9nonsense'), lambda: bz2.decompress(packed[:50]), lambda: bz2.BZ2Compressor(0), lambda: bz2.compress('x')):
    try:
        print(f())
    except (ValueError, OSError, EOFError, TypeError) as e:
        print(type(e).__name__, e)
raw = io.BytesIO()
with bz2.open(raw, 'wt') as f:
    f.write('line\n' * 3)
with bz2.open(io.BytesIO(raw.getvalue()), 'rt') as f:
    print(f.readlines())

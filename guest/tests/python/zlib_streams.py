import gzip, io, zlib

data = b''.join(str(i * i).encode() for i in range(20000))
for wbits in (9, 12, 15, -9, -15, 25, 31):
    packed = zlib.compress(data, 6, wbits)
    print(wbits, len(packed) < len(data), zlib.decompress(packed, wbits) == data)
    d = zlib.decompressobj(wbits)
    pieces = [d.decompress(packed, 100)]
    while d.unconsumed_tail:
        pieces.append(d.decompress(d.unconsumed_tail, 1000))
    pieces.append(d.flush())
    print(b''.join(pieces) == data, max(map(len, pieces)), d.eof, d.unused_data)
words = b'the quick brown fox jumps over the lazy dog'
for wbits in (15, -15):
    c = zlib.compressobj(9, wbits=wbits, zdict=words)
    short = c.compress(words) + c.flush()
    print(len(short) < 20, zlib.decompressobj(wbits, zdict=words).decompress(short))
try:
    zlib.decompress(zlib.compressobj(zdict=words).flush())
except zlib.error as e:
    print(e)
c = zlib.compressobj()
head = c.compress(data[:1000]) + c.flush(zlib.Z_SYNC_FLUSH)
twin = c.copy()
print(zlib.decompressobj().decompress(head) == data[:1000])
print(zlib.decompress(head + twin.compress(b'a') + twin.flush())[-3:], zlib.decompress(head + c.flush())[-2:])
d = zlib.decompressobj()
print(d.decompress(zlib.compress(b'first') + b'rest'), d.eof, d.unused_data)
for bad in (b'', b'x', b'x\x9c', b'\x78\x9c\x07', b'\x78\x9c\x03\0\0\0\0\2', b'\x79\x9c', b'\x1f\x8b'):
    try:
        print(zlib.decompress(bad))
    except zlib.error as e:
        print(e)
for f in (lambda: zlib.compress(b'', 10), lambda: zlib.compressobj(method=9), lambda: zlib.decompressobj(99), lambda: zlib.decompressobj().decompress(b'', -1)):
    try:
        f()
    except (zlib.error, ValueError) as e:
        print(type(e).__name__, e)
print(zlib.crc32(b'hello'), zlib.adler32(b'hello'), zlib.crc32(b'lo', zlib.crc32(b'hel')), zlib.adler32(b'lo', zlib.adler32(b'hel')), zlib.adler32(data * 3))
raw = io.BytesIO()
with gzip.GzipFile(fileobj=raw, mode='wb', mtime=0) as f:
    f.write(data)
print(gzip.decompress(raw.getvalue()) == data, raw.getvalue()[:8])
with gzip.open(io.BytesIO(gzip.compress(b'one\ntwo\n') + gzip.compress(b'three')), 'rt') as f:
    print(f.readlines())

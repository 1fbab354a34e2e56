import hashlib, hmac, io, random

for name in sorted(hashlib.algorithms_guaranteed):
    h = hashlib.new(name, b'abc')
    h.update(bytearray(b'd' * 1000))
    other = h.copy()
    other.update(memoryview(b'e'))
    size = (7,) if name.startswith('shake') else ()
    print(name, h.name, h.hexdigest(*size), other.digest(*size).hex()[:16], h.digest_size, h.block_size)
print(hashlib.blake2b(b'x', key=b'k', digest_size=20, salt=b's', person=b'p', fanout=2, depth=3, leaf_size=4, node_offset=5,
                      node_depth=1, inner_size=6, last_node=True).hexdigest())
print(hashlib.blake2s(b'x', key=b'k' * 32, digest_size=5, node_offset=2**48 - 1).hexdigest())
for bad in (dict(salt=b'1' * 17), dict(person=b'1' * 17), dict(key=b'1' * 65), dict(fanout=256), dict(depth=0),
            dict(leaf_size=-1), dict(leaf_size=2**32), dict(node_depth=256), dict(inner_size=65)):
    try:
        hashlib.blake2b(**bad)
    except (ValueError, OverflowError) as e:
        print(type(e).__name__, e)
for f in (lambda: hashlib.md5('text'), lambda: hashlib.sha1(3), lambda: hashlib.new('md6'), lambda: hashlib.shake_128().digest(),
          lambda: hashlib.pbkdf2_hmac('sha1', b'', b'', 0), lambda: hashlib.scrypt(b'', salt=b'', n=3, r=1, p=1)):
    try:
        print(f())
    except (TypeError, ValueError) as e:
        print(type(e).__name__)
print(hashlib.pbkdf2_hmac('sha256', b'password', b'salt', 100, 50).hex())
print(hashlib.scrypt(b'password', salt=b'NaCl', n=64, r=8, p=2, dklen=40).hex())
print(hashlib.file_digest(io.BytesIO(b'contents'), 'sha3_256').hexdigest())
mac = hmac.new(b'key' * 50, b'message', 'sha512')
mac.update(b' and more')
print(mac.name, mac.digest_size, mac.block_size, mac.hexdigest()[:32], hmac.digest(b'k', b'm', 'md5').hex())
print(hmac.compare_digest(b'abc', b'abc'), hmac.compare_digest('abc', 'abd'))
for seed in ('seed', b'seed', bytearray(b'other'), 'ü'):
    print(random.Random(seed).random())

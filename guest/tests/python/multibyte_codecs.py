"""The East Asian encodings: every pair of bytes and every character of the basic plane, errors, states and streams."""
import codecs
import hashlib
import io

CODECS = ('shift_jis', 'cp932', 'euc_jp', 'gb2312', 'gbk', 'gb18030', 'big5', 'cp950', 'euc_kr', 'cp949')
TEXTS = ('こんにちは、世界。ｱｲｳ', '你好，世界', '繁體中文測試', '안녕하세요 세계', 'plain ~text\\', 'mixed 中 あ 가 \xa5\u203e€')
for name in CODECS:
    sums = hashlib.md5()
    for lead in range(0x81, 0xff, 8):
        row = b''.join(bytes([lead, trail]) for trail in range(0xa1, 0xff))
        sums.update(row.decode(name, 'ignore').encode())
    row = b''.join(bytes([lead, trail]) for lead in range(0x81, 0xff, 30) for trail in range(0x40, 0x7f))
    sums.update(row.decode(name, 'ignore').encode())
    common = ''.join(map(chr, (*range(0x20, 0x600, 25), *range(0x3000, 0x3200, 9), *range(0x4e00, 0x9fa5, 120), *range(0xac00, 0xd7a4, 90))))
    sums.update(common.encode(name, 'ignore'))
    print(name, sums.hexdigest())
    for text in TEXTS:
        data = text.encode(name, 'xmlcharrefreplace')
        print(data, ascii(data.decode(name)))
for name in ('hz', 'iso2022_jp', 'iso2022_jp_1', 'iso2022_kr'):
    for text in TEXTS:
        data = text.encode(name, 'replace')
        print(name, data, ascii(data.decode(name)))
print('𠀀\U0010ffff'.encode('gb18030'), b'\x90\x30\x81\x30\xe3\x32\x9a\x35'.decode('gb18030') == '\U00010000\U0010ffff')
print('丂㐀\u0080'.encode('gb18030'), b'\x81\x30\x81\x30\x82\x30\x80\x30'.decode('gb18030', 'replace'))
print(b'\x8f\xb0\xa1\x8e\xb1'.decode('euc_jp'), '丂'.encode('euc_jp'))


def attempt(f, *args):
    try:
        print(f(*args))
    except UnicodeError as e:
        print(type(e).__name__, e)


attempt('한'.encode, 'gbk')
attempt('a한글'.encode, 'shift_jis')
attempt(b'ab\xff'.decode, 'gbk')
attempt(b'ab\x81'.decode, 'gbk')
attempt(b'\x80'.decode, 'big5')
attempt(b'\xa4\xa2\x80\xff'.decode, 'euc_jp', 'replace')
attempt(b'\xa4\xa2\xff'.decode, 'euc_kr', 'backslashreplace')
attempt('€'.encode, 'gb2312', 'namereplace')
attempt(b'\x1b$Bxx'.decode, 'iso2022_jp')
attempt(b'\x1b(Z'.decode, 'iso2022_jp')
for name in ('sjis', 'MS936', 'big5-tw', 'korean', 'ks_c-5601', 'ujis', 'iso-2022-jp', 'gb18030-2000', 'uhc', 'HZ-GB-2312'):
    print(name, codecs.lookup(name).name, end='; ')
print()

for name in ('gbk', 'iso2022_jp', 'hz', 'euc_jp'):
    text = 'a中文\nb世界'
    data = text.encode(name)
    decoder = codecs.getincrementaldecoder(name)()
    print(''.join(decoder.decode(data[i:i + 1]) for i in range(len(data))) + decoder.decode(b'', True) == text, end=' ')
    encoder = codecs.getincrementalencoder(name)()
    print(b''.join(encoder.encode(c) for c in text) + encoder.encode('', True) == data, end=' ')
    print(''.join(codecs.iterdecode([data[:3], data[3:]], name)) == text, end=' ')
    file = io.BytesIO()
    with io.TextIOWrapper(file, name, newline='\n', write_through=True) as f:
        f.write(text)
        f.flush()
        held = file.getvalue()
    print(io.TextIOWrapper(io.BytesIO(held), name).read() == text, end=' ')
    print(codecs.getreader(name)(io.BytesIO(data)).read() == text)
decoder = codecs.getincrementaldecoder('big5')()
print(decoder.decode(b'\xa4'), decoder.getstate()[0])
decoder.setstate((b'\xa4', 0))
print(decoder.decode(b'\xa4'))

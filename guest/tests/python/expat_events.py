# What the XML parser reports, piece by piece and as a whole.
from xml.parsers import expat

NAMES = ['StartElementHandler', 'EndElementHandler', 'ProcessingInstructionHandler', 'CharacterDataHandler', 'UnparsedEntityDeclHandler',
         'NotationDeclHandler', 'StartNamespaceDeclHandler', 'EndNamespaceDeclHandler', 'CommentHandler', 'StartCdataSectionHandler',
         'EndCdataSectionHandler', 'StartDoctypeDeclHandler', 'EndDoctypeDeclHandler', 'EntityDeclHandler', 'XmlDeclHandler',
         'ElementDeclHandler', 'AttlistDeclHandler', 'SkippedEntityHandler']
DOCUMENT = '''<?xml version="1.0" encoding="iso-8859-1" standalone="no"?>
<?xml-stylesheet href="stylesheet.css"?>
<!-- comment data -->
<!DOCTYPE quotations SYSTEM "quotations.dtd" [
<!ELEMENT root (a?,(b|c)+,d*)>
<!ELEMENT a (#PCDATA|b)*>
<!ATTLIST root attr1 CDATA #REQUIRED attr2 CDATA #IMPLIED kind (x|y) "x" id ID #IMPLIED fixed NMTOKENS #FIXED " a  b ">
<!NOTATION notation SYSTEM "notation.jpeg">
<!ENTITY acirc "&#226;">
<!ENTITY nested "[&acirc;<i>in</i>&#38;amp;]">
<!ENTITY external_entity SYSTEM "entity.file">
<!ENTITY unparsed_entity SYSTEM "entity.file" NDATA notation>
%unparsed_entity;
]>
<root attr1="value1 &lt;&acirc;" attr2='two
lines' xmlns:m="http://m" xmlns="http://d">
<m:sub m:a="1" b="2"><![CDATA[contents of CDATA <&> section]]></m:sub>&nested; &unknown; tail
<empty/></root>
<!-- end -->
'''


def run(pieces, namespaces=None, **options):
    parser = expat.ParserCreate(namespace_separator=namespaces)
    for name in NAMES:
        def handler(*args, name=name):
            # Within the document type declaration the place is that of a part, which is of no use to anybody.
            place = () if 'Decl' in name else (parser.CurrentLineNumber, parser.CurrentColumnNumber)
            print(' ', name.removesuffix('Handler'), args, *place)
        setattr(parser, name, handler)
    for name, value in options.items():
        setattr(parser, name, value)
    try:
        for piece in pieces:
            parser.Parse(piece)
        parser.Parse(b'', True)
    except expat.ExpatError as e:
        print('error', e, e.code, e.lineno, e.offset)


print('whole')
run([DOCUMENT.encode('latin-1')], buffer_text=True)
print('pieces, namespaces')
data = DOCUMENT.encode('latin-1')
run([data[i:i + 7] for i in range(0, len(data), 7)], ' ', buffer_text=True, ordered_attributes=True, specified_attributes=True)
print('triplets')
run([DOCUMENT], '|', namespace_prefixes=True, buffer_text=True)
print('lines')
run(['<a>one\r\ntwo&#10;three]] ></a>'])
print('default')
seen = []
run(['<!DOCTYPE a [<!ENTITY e "v">]><a b="&e;">&e;<!-- c --></a>'], StartElementHandler=None, CommentHandler=None, StartDoctypeDeclHandler=None,
    EndDoctypeDeclHandler=None, EntityDeclHandler=None, DefaultHandlerExpand=seen.append)
print(seen)
seen = []
run(['<!DOCTYPE a [<!ENTITY e "v">]><a>&e;</a>'], StartDoctypeDeclHandler=None, DefaultHandler=seen.append, SkippedEntityHandler=None)
print(seen)

print('errors')
for text in ['', ' ', 'foo', '<', '<a', '<a>', '<a></b>', '<a/><b/>', '<a/>text', '<a b=1/>', '<a b="1" b="2"/>', '<a>&e;</a>', '<a>&#0;</a>', '<a>&#xD800;</a>',
             '<a>& </a>', '<a>]]></a>', '<a b="<"/>', '<a><!-- -- --></a>', '<a><?xml version="1.0"?></a>', '<?xml?><a/>', '<?xml version="1.0" foo="1"?><a/>',
             '<!DOCTYPE a [<!ENTITY e "&e;">]><a>&e;</a>', '<!DOCTYPE a [<!ENTITY e "<b>">]><a>&e;</a>', '<!DOCTYPE a [<!ENTITY e SYSTEM "x">]><a b="&e;"/>',
             '<!DOCTYPE a [<!ENTITY e SYSTEM "x" NDATA n>]><a>&e;</a>', '<!DOCTYPE a [<!ELEMENT a (b,c|d)>]><a/>', '<a><![CDATA[ x', '<a>\x01</a>', '&', '<a>\n  <b>\n</a>',
             '<1/>', '<a>&lt</a>', '<!DOCTYPE a [<!ATTLIST a b CDATA>]><a/>', 'é<a/>']:
    print(repr(text))
    run([text])
for text in ['<p:a/>', '<a xmlns:p=""/>', '<a xmlns:xml="x"/>', '<a xmlns:xmlns="x"/>', '<a:b:c/>',
             '<a xmlns="u" xmlns:p="u"><p:b/><c xmlns=""/></a>']:
    print(repr(text))
    run([text], ' ')
print('encodings')
for encoding in ['utf-8', 'utf-16', 'utf-16-le', 'iso-8859-1', 'us-ascii', 'cp1252', 'iso-8859-15', 'koi8-r']:
    document = f'<?xml version="1.0" encoding="{encoding if encoding != "utf-16-le" else "utf-16"}"?><a b="£">text</a>'
    run([document.encode(encoding, 'xmlcharrefreplace')])
for bad in [b'<?xml version="1.0" encoding="nonsense"?><a/>', b'<?xml version="1.0" encoding="utf-7"?><a/>']:
    try:
        expat.ParserCreate().Parse(bad)
    except (LookupError, ValueError) as e:
        print(type(e).__name__, e)
run([b'<a>\xff</a>'])
run([b'<a>\xc3'])
laughs = '<!DOCTYPE a [<!ENTITY e0 "' + 'x' * 1000 + '">' + ''.join(f'<!ENTITY e{i} "{f"&e{i - 1};" * 20}">' for i in range(1, 8)) + ']><a>&e7;</a>'
parser = expat.ParserCreate()
try:
    parser.Parse(laughs, True)
except expat.ExpatError as e:
    print(e.code, expat.errors.messages[e.code])

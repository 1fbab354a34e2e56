# Dates and times: arithmetic, formats, parsing.
import zlib

STATE = 20251


def draw(n):
    """The next of a sequence that is the same everywhere (Knuth, MMIX): an integer below n."""
    global STATE
    STATE = (STATE * 6364136223846793005 + 1442695040888963407) & 0xFFFF_FFFF_FFFF_FFFF
    return (STATE >> 33) % n if n <= 1 << 31 else draw(1 << 31) << 31 | draw(1 << 31)


def checksums(make, count, block=500):
    """One line for each block of inputs: the check sum of what they give."""
    total = 0
    for i in range(1, count + 1):
        total = zlib.crc32(ascii(make()).encode(), total)
        if i % block == 0:
            print(make.__name__, i, total)
            total = 0


from datetime import date, datetime, time, timedelta, timezone


def zone():
    return [None, timezone.utc, timezone(timedelta(minutes=draw(1440) - 720)), timezone(timedelta(seconds=draw(80000) - 40000), 'X')][draw(4)]


def moment():
    return datetime(draw(9999) + 1, draw(12) + 1, draw(28) + 1, draw(24), draw(60), draw(60), [0, draw(10**6)][draw(2)], zone())


def span():
    return timedelta(draw(4000) - 2000, draw(200000) - 100000, draw(10**6), weeks=draw(3))


def arithmetic():
    a, d = moment(), span()
    try:
        b = a + d
        c = b - a, (a - d).replace(microsecond=0), a.date() - b.date()
    except OverflowError as e:
        return str(e)
    return str(b), c, d * 3, d / 7, d // timedelta(hours=1), d % timedelta(minutes=7), divmod(d, timedelta(days=1)), abs(d), repr(d), d.total_seconds()


def formats():
    a = moment()
    directives = 'aAbBcdHIjmMpSUwWxXyYZzfGVu%:z'
    pattern = ' '.join('%' + directives[draw(27)] for _ in range(4))
    return (a.isoformat(), a.isoformat(' ', 'milliseconds'), a.ctime(), repr(a), a.strftime(pattern), a.isocalendar(), a.timetuple(), a.utctimetuple() if a.year > 1 and a.year < 9999 else 0,
            a.toordinal(), str(a.timetz()), f'{a:%d.%m.%y}')


def parses():
    a = moment()
    text = a.isoformat()
    back = datetime.fromisoformat(text)
    forms = ['%Y-%m-%d %H:%M:%S', '%d %b %Y %I:%M %p', '%j %Y', '%A %d %B %Y']
    form = forms[draw(4)]
    written = a.replace(year=1000 + a.year % 9000).strftime(form)
    cut = text[:draw(len(text)) + 1]
    try:
        part = datetime.fromisoformat(cut)
    except ValueError as e:
        part = str(e)
    return back == a, back.utcoffset(), written, datetime.strptime(written, form), part


def others():
    d = date.fromordinal(draw(3652059) + 1)
    t = time(draw(24), draw(60), draw(60), draw(10**6), zone())
    return str(d), d.isocalendar(), d.weekday(), date.fromisocalendar(*d.isocalendar()) == d, repr(t), t.isoformat('minutes'), time.fromisoformat(t.isoformat()) == t


for f in (arithmetic, formats, parses, others):
    checksums(f, 5000)

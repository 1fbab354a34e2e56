# Dates, times and durations: arithmetic, parsing, formatting and pickles of inputs of all kinds.
#
# Left out is what Python 3.14 does otherwise than 3.13, whose results are kept: 24 o'clock in formats of ISO 8601, fractions of hours and minutes and
# a colon before a fraction there, the texts of errors about ranges and divisors, years of less than four digits in strftime.
import datetime as module
import pickle
import re
import warnings
import zlib
from datetime import date, datetime, time, timedelta, timezone, tzinfo

warnings.simplefilter('ignore')
STATE = 20263


def draw(n):
    """The next of a sequence that is the same everywhere (Knuth, MMIX): an integer below n."""
    global STATE
    STATE = (STATE * 6364136223846793005 + 1442695040888963407) & 0xFFFF_FFFF_FFFF_FFFF
    return (STATE >> 33) % n if n <= 1 << 31 else draw(1 << 31) << 31 | draw(1 << 31)


def checksums(make, count, block=250):
    """One line for each block of inputs: the check sum of what they give."""
    total = 0
    for i in range(1, count + 1):
        total = zlib.crc32(ascii(make()).encode(), total)
        if i % block == 0:
            print(make.__name__, i, total)
            total = 0


def choice(items):
    return items[draw(len(items))]


def outcome(f, *args, **keywords):
    try:
        return repr(f(*args, **keywords))
    except Exception as e:
        text = str(e)
        if isinstance(e, ZeroDivisionError):
            text = 'zero'
        if re.search(r'out of range| must be in |^offset must be|^fold must|^Invalid (week)?day', text):
            text = 'range'
        return type(e).__name__, text


# ---- inputs

def year():
    return choice([1, 2, 1600, 1899, 1900, 1970, 2000, 2023, 2024, 9998, 9999]) if draw(3) == 0 else draw(9999) + 1


def a_date():
    y, m = year(), draw(12) + 1
    last = [31, 29 if y % 4 == 0 and (y % 100 != 0 or y % 400 == 0) else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][m - 1]
    return date(y, m, choice([1, last, draw(last) + 1]))


def microseconds():
    return choice([0, 0, 1, 999999, 500000, 123000, draw(1000000)])


def a_zone():
    k = draw(6)
    if k < 2:
        return None
    if k == 2:
        return timezone.utc
    offset = timedelta(seconds=draw(2 * 86399) - 86399) if k == 3 else timedelta(minutes=30 * (draw(95) - 47))
    if k == 4:
        offset += timedelta(microseconds=draw(1000))
    return timezone(offset) if draw(3) else timezone(offset, choice(['CET', '%Y', 'é', '']))


def a_time(zone=True):
    return time(draw(24), draw(60), choice([0, draw(60)]), microseconds(), a_zone() if zone else None, fold=draw(2))


def a_datetime(zone=True):
    return datetime.combine(a_date(), a_time(zone))


def a_delta():
    k = draw(5)
    if k == 0:
        return choice([timedelta(0), timedelta.min, timedelta.max, timedelta.resolution, timedelta(1), timedelta(-1)])
    if k == 1:
        return timedelta(draw(2 * 10**9) - 10**9) if draw(4) == 0 else timedelta(draw(800000) - 400000)
    return timedelta(draw(2001) - 1000 if k == 2 else draw(20) - 10, draw(200000) - 100000, draw(4000000) - 2000000)


def an_int():
    return choice([0, 1, -1, 2, 3, 7, -12, 1000, 10**6, 86400, -10**9, 10**15, 2**63, -10**30, draw(1000) - 500, draw(10**9)])


def a_float():
    k = draw(6)
    if k == 0:
        return choice([0.0, -0.0, 0.5, -0.5, 1.5, 2.5, 1e-7, 1e300, 5e-324, float('inf'), float('nan'), 1e17, 123456789.123456789])
    if k == 1:
        return (draw(2**21) - 2**20) / 2 ** draw(30)
    if k == 2:
        return (2 * draw(2000) - 1999) / 2000000
    return (draw(2**53) - 2**52) / 10 ** draw(20)


# ---- durations

def durations():
    names = ['days', 'seconds', 'microseconds', 'milliseconds', 'minutes', 'hours', 'weeks']
    parts = {choice(names): choice([an_int, a_float, a_float, lambda: draw(100)])() for _ in range(draw(3) + 1)}
    made = outcome(timedelta, **parts)
    return sorted(parts), made


def duration_operators():
    a, b = a_delta(), a_delta()
    return [outcome(lambda: a + b), outcome(lambda: a - b), outcome(lambda: -a), outcome(abs, a), outcome(lambda: a // b), outcome(lambda: a / b),
            outcome(lambda: a % b), outcome(divmod, a, b), a < b, a == b, a >= b, bool(a), str(a), a.total_seconds(), hash(a), a.__reduce__()]


def duration_factors():
    a, i, f = a_delta(), an_int(), a_float()
    return [outcome(lambda: a * i), outcome(lambda: i * a), outcome(lambda: a // i), outcome(lambda: a / i), outcome(lambda: a * f), outcome(lambda: f * a),
            outcome(lambda: a / f), outcome(lambda: a // f), outcome(lambda: a % i), outcome(lambda: i / a), outcome(lambda: a + i), outcome(lambda: a < i)]


# ---- dates and moments

def dates():
    d, delta = a_date(), a_delta()
    return [repr(d), str(d), d.toordinal(), d.weekday(), d.isoweekday(), d.isocalendar(), d.ctime(), tuple(d.timetuple()), outcome(lambda: d + delta),
            outcome(lambda: delta + d), outcome(lambda: d - delta), outcome(lambda: d - a_date()), d < a_date(), d == a_date(), outcome(lambda: delta - d)]


def made_dates():
    n = choice([0, 1, 3652059, 3652060, draw(4000000), -draw(10), 2**31, 2**63])
    y, w, d = choice([year(), 0, 10000, -1]), draw(56), draw(9)
    return [outcome(date.fromordinal, n), outcome(datetime.fromordinal, n), outcome(date.fromisocalendar, y, w, d), outcome(datetime.fromisocalendar, y, w, d),
            outcome(date, y, draw(14), draw(33)), outcome(time, draw(26), draw(62), draw(62), draw(1000002)), outcome(datetime, y, 2, 28 + draw(3), draw(25))]


def moments():
    m, n, delta = a_datetime(), a_datetime(), a_delta()
    return [repr(m), str(m), outcome(lambda: m + delta), outcome(lambda: m - delta), outcome(lambda: delta + m), outcome(lambda: m - n), m == n, m != n,
            outcome(lambda: m < n), outcome(lambda: m >= n), outcome(lambda: hash(m) == hash(m.replace(fold=1 - m.fold))), m.date(), m.time(), m.timetz(), m.ctime()]


def near_moments():
    # The same time in two zones, give or take: equality and hashes matter.
    m = a_datetime()
    step = timedelta(microseconds=choice([0, 0, 1, -1]))
    n = outcome(lambda: m.astimezone(timezone(timedelta(minutes=draw(2000) - 1000))) + step)
    try:
        other = m.astimezone(timezone(timedelta(minutes=draw(2000) - 1000))) + step
        return n, repr(other), outcome(lambda: m == other), outcome(lambda: m < other), outcome(lambda: m - other), (hash(m) == hash(other)) >= (m == other)
    except (OverflowError, ValueError) as e:
        return n, type(e).__name__


def zones():
    m = a_datetime()
    return [m.utcoffset(), m.tzname(), m.dst(), outcome(lambda: tuple(m.timetuple())), outcome(lambda: tuple(m.utctimetuple())), outcome(m.timestamp),
            outcome(m.astimezone, a_zone()), outcome(lambda: m.tzinfo.fromutc(m)), repr(m.tzinfo), str(m.tzinfo)]


def times():
    a, b = a_time(), a_time()
    return [repr(a), str(a), a == b, outcome(lambda: a < b), outcome(lambda: a > b), a.utcoffset(), a.tzname(), a.dst(), hash(a) == hash(a.replace(fold=1 - a.fold)),
            outcome(lambda: a.replace(hour=draw(25), tzinfo=a_zone())), outcome(lambda: a.replace(draw(24), draw(61), microsecond=draw(1000001)))]


def replaced():
    m = a_datetime()
    fields = {choice(['year', 'month', 'day', 'hour', 'minute', 'second', 'microsecond', 'fold']): choice([draw(40), draw(3), draw(10100), -1]) for _ in range(draw(3) + 1)}
    if draw(3) == 0:
        fields['tzinfo'] = choice([None, timezone.utc, a_zone(), 5])
    return sorted(fields), outcome(m.replace, **fields), outcome(m.date().replace, **{k: v for k, v in fields.items() if k in ('year', 'month', 'day')})


# ---- texts

def iso_texts():
    spec = choice(['auto', 'hours', 'minutes', 'seconds', 'milliseconds', 'microseconds', 'auto', 'days', ''])
    m = a_datetime()
    return [outcome(m.isoformat, timespec=spec), outcome(m.isoformat, choice(['T', ' ', 'x', 'é', '\U0001F40D']), spec), outcome(m.timetz().isoformat, spec), m.date().isoformat()]


def iso_text():
    """A text in one of the formats, mostly."""
    m = a_datetime()
    y, w, d = m.isocalendar()
    days = [m.strftime('%m-%d'), m.strftime('%m%d'), f'W{w:02}-{d}', f'W{w:02}{d}', f'W{w:02}']
    k = draw(len(days))
    dashed = '-' in days[k] or (k == 4 and draw(2))
    text = f'{m.year if k < 2 else y:04}' + ('-' if dashed else '') + days[k]
    if draw(5):
        clock = choice(['%H', '%H:%M', '%H%M', '%H:%M:%S', '%H%M%S', '%H:%M:%S.%f', '%H%M%S,%f'])
        clock = m.strftime(clock)
        if clock[-7:-6] in ('.', ',') and draw(2):
            clock = clock[:-draw(6)] if draw(2) else clock + str(draw(1000))
        text += choice(['T', ' ', 'T', 'W', 'é']) + clock
        if draw(2):
            text += choice(['Z', '+00:00', '-00:00', '+01', '-0230', '+05:30:15', '-12:00:00.000123', '+235959.5', '+24:00', '-23:60', '+1', 'z'])
    return text


def mutated(text):
    for _ in range(draw(3)):
        at = draw(len(text) + 1)
        c = choice('0123456789-:+.,TWZ é\x00\ud800')
        text = choice([text[:at] + c + text[at:], text[:at] + c + text[at + 1:], text[:at] + text[at + 1:]])
    return text


def changed_since(text):
    return '24' in text or re.search(r'(?<!\d\d:\d\d:\d\d)(?<!\d{6})[.,]|\d\d:\d\d:\d\d:', text)


def parsed(make):
    text = make()
    while changed_since(text):
        text = make()
    clock = text[draw(len(text) + 1):] if draw(4) == 0 else text[11:]
    if changed_since(clock):
        clock = ''
    return [text, outcome(datetime.fromisoformat, text), outcome(date.fromisoformat, text[:choice([7, 8, 10, len(text)])]), outcome(time.fromisoformat, clock),
            outcome(time.fromisoformat, 'T' + clock)]


def iso_formats():
    return parsed(iso_text)


def faulty_iso_formats():
    return parsed(lambda: mutated(iso_text()))


DIRECTIVES = ['%a', '%A', '%b', '%B', '%c', '%d', '%f', '%H', '%I', '%j', '%m', '%M', '%p', '%S', '%U', '%w', '%W', '%x', '%X', '%y', '%Y', '%z', '%:z', '%Z', '%%', '%G', '%u', '%V',
              '%D', '%F', '%T', '%R', '%e', '%h', '%n', '%t', '%C', '%g', '%%z', '%%%Z', 'é', ' at ', '%%f']


def formatted():
    m = a_datetime()
    if m.year < 1001:
        m = m.replace(year=m.year + 2000)
    pattern = ''.join(choice(DIRECTIVES) + choice(['', ' ', '-']) for _ in range(draw(6) + 1))
    return [pattern, m.strftime(pattern), format(m, pattern), m.date().strftime(pattern), f'{m.timetz():{pattern}}', format(m), format(m.date(), ''), format(m.time(), '')]


def strictly_parsed():
    m = a_datetime()
    if m.year < 1001:
        m = m.replace(year=m.year % 4 + 2000)
    pattern = choice(['%Y-%m-%d', '%Y-%m-%d %H:%M:%S', '%d/%m/%y %H:%M', '%a %b %d %H:%M:%S %Y', '%A, %d. %B %Y %I:%M %p', '%Y%j', '%Y-%m-%dT%H:%M:%S.%f%z', '%Y %U %w', '%Y %W %a', '%G-W%V-%u',
                      '%H:%M:%S.%f', '%c', '%x %X', '%Y-%m-%d %z', '%m', '%d %Y'])
    text = m.strftime(pattern)
    if draw(3) == 0:
        text = mutated(text)
    return [pattern, text, outcome(datetime.strptime, text, pattern)]


# ---- timestamps and pickles

def timestamps():
    t = choice([an_int, a_float, lambda: draw(2**34) - 2**32, lambda: (draw(2**44) - 2**42) / 1000, lambda: (2 * draw(10**9) + 1) / 2000000])()
    zone = a_zone()
    return [outcome(datetime.fromtimestamp, t), outcome(datetime.fromtimestamp, t, zone), outcome(datetime.utcfromtimestamp, t), outcome(date.fromtimestamp, t),
            outcome(lambda: datetime.fromtimestamp(t, zone).timestamp())]


def pickles():
    made = choice([a_date, a_time, a_datetime, a_delta, a_zone])()
    protocol = draw(6)
    text = pickle.dumps(made, protocol)
    again = pickle.loads(text)
    return [repr(again), again == made, type(again).__name__, outcome(made.__reduce_ex__, protocol) if made is not None else None]


def states():
    state = [choice([0, 1, 12, 13, 23, 31, 128, 129, 255, draw(256)]) for _ in range(choice([4, 6, 10, 10, 3]))]
    if draw(8):
        key = 0 if len(state) == 6 else 2
        state[key] = draw(12) + choice([1, 1, 129])
    state = bytes(state)
    return [state, outcome(lambda: date(state).__reduce__()), outcome(lambda: time(state).__reduce_ex__(4)), outcome(lambda: datetime(state, timezone.utc).__reduce_ex__(4)),
            outcome(lambda: date(state.decode('latin1')).__reduce__()), outcome(lambda: datetime(state) == datetime(state, None)), outcome(time, state), outcome(datetime, state, 5)]


class Odd(tzinfo):
    """Clocks set forward and back by an hour, at 2 and 3 o'clock of the 10th of each month."""

    def dst(self, m):
        if m is None:
            return None
        late = (m.day, m.hour) >= (10, 3 if m.fold == 0 else 2)
        return timedelta(hours=m.month % 2 == late)

    def utcoffset(self, m):
        return None if m is None else timedelta(hours=1) + self.dst(m)

    def tzname(self, m):
        return None if m is None else f'ODD{m.month}'


def folds():
    zone = Odd()
    m = a_datetime(False).replace(day=choice([9, 10, 11]), hour=draw(5), tzinfo=zone)
    n = choice([timezone.utc, timezone(timedelta(hours=draw(3)))])
    return [outcome(lambda: m.astimezone(n)), outcome(lambda: m.astimezone(n).astimezone(zone) == m), outcome(lambda: m == m.astimezone(n)), outcome(m.utcoffset), m.tzname(),
            outcome(lambda: m.replace(tzinfo=n).astimezone(zone).isoformat()), outcome(lambda: m - m.replace(fold=1, tzinfo=n)), m == m.replace(fold=1), hash(m) == hash(m.replace(fold=1)),
            outcome(m.isoformat), outcome(m.strftime, '%z %Z'), m.timetz().utcoffset(), tuple(m.timetuple()), outcome(m.timestamp)]


for make in [durations, duration_operators, duration_factors, dates, made_dates, moments, near_moments, zones, times, replaced, iso_texts, iso_formats, faulty_iso_formats,
             formatted, strictly_parsed, timestamps, pickles, states, folds]:
    checksums(make, 1000 if make is faulty_iso_formats else 500)
assert module.UTC is timezone.utc

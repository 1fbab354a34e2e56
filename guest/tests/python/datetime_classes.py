# Constructors, methods, errors and subclasses of the classes of datetime, one expression at a time.
import copy
import datetime as m
import sys
import warnings
from datetime import *

warnings.simplefilter('ignore')


def outcome(text):
    try:
        return repr(eval(text))
    except Exception as e:
        return f'{type(e).__name__}: {e}'


EXPRESSIONS = r'''
date(2020)
date()
date(2020,1,1,1)
date(year=2020)
date(2020,1,1,foo=1)
date('x',1,1)
date(1.5,1,1)
date(2**40,1,1)
date(2**70,1,1)
date(b'abcd')
date(b'\x07\xe4\x01\x01')
date('\x07\u4321\x01\x01')
date('\x07\xe4\x01\x01')
date(b'\x07\xe4\x0d\x01')
date('2020')
time(0,0,0,0,5)
time(0,0,0,0,None,1)
time(fold='a')
time(b'123456')
time(b'\x01\x02\x03\x04\x05\x06')
time(b'\x01\x02\x03\x04\x05\x06', 5)
time(b'\x01\x02\x03\x04\x05\x06', None)
time(b'\x81\x02\x03\x04\x05\x06')
time(b'\x21\x02\x03\x04\x05\x06')
datetime(2020,1)
datetime(2020,1,1,0,0,0,0,0,0,0)
datetime(b'\x07\xe4\x01\x01\x00\x00\x00\x00\x00\x00', 5)
datetime('\x07\u4321\x01\x01\x00\x00\x00\x00\x00\x00', 5)
time('\x07\u4321\x01\x01\x00\x00', 5)
timedelta('a')
timedelta(days=1j)
timedelta(1,2,3,4,5,6,7,8)
timedelta(foo=1)
timedelta(days=None)
timedelta(10**9)
timedelta(-10**9)
timedelta(10**20)
timedelta(10**40)
timedelta(float('nan'))
timedelta(float('inf'))
timedelta(seconds=1e30)
timedelta.max+timedelta.resolution
timedelta(1)*'a'
timedelta(1)*float('nan')
timedelta(1)*float('inf')
timedelta(1)/timedelta(0)
divmod(timedelta(1),1)
timedelta(1)//1.5
timedelta(1)%5
5//timedelta(1)
5/timedelta(1)
timedelta(1)<5
date(1,1,1)<5
date(1,1,1)<datetime(1,1,1)
datetime(1,1,1)<date(1,1,1)
date(1,1,1)==datetime(1,1,1)
datetime(1,1,1)-date(1,1,1)
date(1,1,1)-datetime(1,1,1)
date(1,1,1)-5
date(1,1,1)-timedelta(1)
date(9999,12,31)+timedelta(1)
date(9999,12,31)+timedelta(10**8)
date(9999,12,31)+timedelta(999999999)
date(1,1,1)+5
timedelta(1)-date(1,1,1)
timedelta(1)+date(1,1,1)
timedelta(1)+datetime(1,1,1)
timedelta(1)-datetime(1,1,1)
datetime(9999,12,31)+timedelta(1)
datetime(1,1,1)-timedelta(1)
datetime(1,1,1)+timedelta.max
datetime(1,1,1,tzinfo=timezone.utc)-datetime(1,1,1)
datetime(1,1,1,tzinfo=timezone.utc)<datetime(1,1,1)
time(1,tzinfo=timezone.utc)<time(1)
time(1)<5
date.fromordinal(0)
date.fromordinal(-1)
date.fromordinal('a')
date.fromordinal(2**80)
date.fromisoformat(5)
date.fromisoformat('abc')
date.fromisoformat('2020-01-0\ud800')
date.fromisoformat('2020-01-01T')
date.fromisoformat('2020-W01')
date.fromisoformat('2020-W54-1')
date.fromisocalendar(2020,54,1)
date.fromisocalendar(9999,53,1)
date.fromisocalendar(1,1,1)
date.fromisocalendar(2020,'a',1)
date.fromisocalendar(2**80,1,1)
date.fromisocalendar(2020)
date.fromisocalendar(year=2020,week=1,day=2)
datetime.fromisoformat('2020-01-01T')
datetime.fromisoformat(5)
datetime.fromisoformat('')
datetime.fromisoformat('2020-01-01\ud80010:10')
datetime.fromisoformat('2020-02-28T00:00+00:60')
datetime.fromisoformat('2020-02-28T00:00-00:00')
time.fromisoformat('T')
time.fromisoformat('')
time.fromisoformat('T04')
time.fromisoformat('04:05:06.1234567')
time.fromisoformat(5)
time.fromisoformat('12:30:45Z')
time.fromisoformat('12:30:45 Z')
date.fromtimestamp(None)
date.fromtimestamp('a')
date.fromtimestamp(1e20)
date.fromtimestamp(10**20)
date.fromtimestamp(float('nan'))
datetime.fromtimestamp(float('nan'))
datetime.fromtimestamp(1e20)
datetime.fromtimestamp(1.5)
datetime.fromtimestamp(0.5e-6)
datetime.fromtimestamp(1.5e-6)
datetime.fromtimestamp(-0.5e-6)
datetime.fromtimestamp(1, 5)
datetime.fromtimestamp()
datetime.fromtimestamp('a')
datetime.fromtimestamp(None)
datetime.combine(1,2)
datetime.combine(date(1,1,1),2)
datetime.combine(date(1,1,1),time(1),5)
datetime.combine(date(1,1,1))
date(1,1,1).replace(foo=0)
date(1,1,1).replace(2,3,4,5)
date(1,1,1).replace('a')
datetime(1,1,1).replace(tzinfo=1)
datetime(1,1,1).isoformat(timespec='foo')
datetime(1,1,1).isoformat(timespec=5)
datetime(1,1,1).isoformat(sep=5)
datetime(1,1,1).isoformat(sep='\ud800')
datetime(1,1,1).isoformat(timespec='\ud800')
datetime(1,1,1).isoformat(5,6,7)
datetime(1,1,1).isoformat('T','hours')
time(1).isoformat('hours')
time(1).isoformat('foo')
time(1).isoformat(5)
date(1,1,1).strftime()
date(1,1,1).strftime(5)
date(1,1,1).__format__(5)
date(1000,1,1).strftime('%Y %G %F %C %y %g %c %x')
date(1000,1,1).strftime('%')
date(1000,1,1).strftime('%:')
date(1000,1,1).strftime('%:x')
date(1000,1,1).strftime('%:z|%z|%Z|%f')
time(1).strftime('%Y-%m-%d %a %j %U %H %f %p')
datetime(2020,1,1,tzinfo=timezone(timedelta(hours=5,seconds=3,microseconds=2))).strftime('%z|%:z|%Z|%%z|%%%z')
datetime(2020,1,1,tzinfo=timezone(timedelta(hours=5),'a%Yb')).strftime('%Z')
timezone(5)
timezone(timedelta(hours=1),5)
timezone(timedelta(0),'x')
timezone(timedelta(0))
timezone(timedelta(0)) is timezone.utc
timezone(timedelta(0),None)
timezone()
timezone(1,2,3)
timezone.utc.utcoffset(5)
timezone.utc.tzname(5)
timezone.utc.dst(5)
timezone.utc.fromutc(5)
timezone.utc.fromutc(datetime(1,1,1))
timezone.utc.utcoffset()
timezone.utc.tzname(None)
repr(timezone.utc),str(timezone.utc)
repr(timezone(timedelta(0),'UTC')),str(timezone(timedelta(0),'UTC'))
timezone.utc == timezone(timedelta(0),'x')
timezone.utc < timezone.utc
timezone.utc.__reduce__()
timezone(timedelta(1,2,3)-timedelta(1)).__reduce__()
timezone.utc.__getinitargs__()
timezone(timedelta(hours=1),'a').__getinitargs__()
timezone.min,timezone.max
tzinfo().utcoffset(None)
tzinfo().dst(None)
tzinfo().tzname(None)
tzinfo().fromutc(None)
tzinfo().fromutc(datetime(1,1,1))
tzinfo().__reduce__()
tzinfo().__reduce_ex__(2)
date(2020,1,1).isocalendar()
type(date(2020,1,1).isocalendar())
type(date(2020,1,1).isocalendar())(1,2,3)
date(2020,1,1).isocalendar()[0:2]
date(2020,1,1).isocalendar().__reduce__()
date(2020,1,1).isocalendar()==(2020,1,3)
datetime(2020,1,1,fold=1).__reduce__()
datetime(2020,1,1,fold=1).__reduce_ex__(4)
datetime(2020,1,1,fold=1,tzinfo=timezone.utc).__reduce_ex__(3)
time(1,fold=1).__reduce_ex__(4)
time(1,fold=1).__reduce_ex__('a')
date(2020,1,1).__reduce__()
date(2020,1,1).__reduce_ex__(4)
timedelta(1,2,3).__reduce__()
timedelta(1,2,3).__reduce_ex__(4)
hash(timedelta(1,2,3))==hash((1,2,3))
hash(date(2020,1,1))==hash(b'\x07\xe4\x01\x01')
hash(datetime(2020,1,1))==hash(b'\x07\xe4\x01\x01\0\0\0\0\0\0')
hash(datetime(2020,1,1,5,tzinfo=timezone(timedelta(hours=5))))==hash(datetime(2020,1,1,tzinfo=timezone.utc))
hash(datetime(2020,1,1,tzinfo=timezone.utc))==hash(timedelta(737425))
repr(timedelta()),str(timedelta(-1,5,6)),str(timedelta(1)),str(timedelta(2))
repr(timedelta(-1,5,6)),repr(datetime(1,1,1)),repr(datetime(1,1,1,1,1,1,0,fold=1)),repr(time(1,fold=1,tzinfo=timezone.utc))
timedelta(1).total_seconds(1)
timedelta(1).days.real
datetime(1,1,1,tzinfo=timezone.utc).timestamp()
datetime(1,1,1).astimezone(5)
datetime(2020,1,1).astimezone(timezone.utc)
datetime(2020,1,1).astimezone()
datetime(2020,1,1).astimezone().tzinfo
datetime(1,1,1,tzinfo=timezone.max).utctimetuple()
datetime(9999,12,31,23,59,tzinfo=timezone.min).utctimetuple()
datetime(2020,1,1).timetuple()
datetime(2020,1,1).ctime(),date(2020,1,1).ctime()
datetime.strptime('a','b')
datetime.strptime(1,'b')
m.__all__
date.__name__,date.__module__,date.__qualname__,date.__doc__
timezone.__doc__
date.min,date.max,date.resolution,time.min,time.max,time.resolution,datetime.min,datetime.max,datetime.resolution
timedelta.min,timedelta.max,timedelta.resolution
date(1,1,1).foo
datetime.fromtimestamp(timestamp=5,tz=None)
datetime.fromtimestamp(5,tz=timezone.utc)
date(1,1,1).year
abs(timedelta(-5)),+timedelta(5),-timedelta(5)
bool(timedelta())
timedelta.__new__(timedelta,1)
timedelta(days=True)
timedelta(1)*True
2*timedelta(1)
2.5*timedelta(1)
timedelta(1)*10**30
timedelta(1)//10**30
timedelta(1)/10**30
timedelta(1)/1e-300
time(1).replace(5,tzinfo=timezone.utc)
time(1).replace(tzinfo=5)
time(1).utcoffset(),time(1,tzinfo=timezone.utc).utcoffset()
time(1).utcoffset(1)
datetime(1,1,1).dst(),datetime(1,1,1).tzname()
date(2020,1,1) in {date(2020,1,1):1}
copy.copy(date(2020,1,1)),copy.deepcopy(timezone.utc) is timezone.utc
copy.replace(date(2020,1,1),year=5)
datetime(2020,1,1).__replace__(year=5)
setattr(date(1,1,1),'year',5)
setattr(date(1,1,1),'foo',5)
setattr(date,'foo',5)
date.year
'{:%Y}'.format(date(2020,1,1))
'{:>20}'.format(date(2020,1,1))
bool(time(0))
datetime(2020,1,1)-datetime(2020,1,1,tzinfo=None)
datetime(2020,1,1)+None
None+datetime(2020,1,1)
date(2020,1,foo=1)
date(2020,1,year=1)
date(2020,foo=1,day=3)
date(1,2,3,day=3)
date(day=3,month=2,year=1)
time(foo=1)
time(1,hour=1)
time(1,2,3,4,None,6,7)
time(1,2,3,4,None,fold=1,foo=2)
datetime(2020,1,1,foo=1)
datetime(2020,1,1,0,0,0,0,None,1)
datetime()
timedelta(1,days=1)
timedelta(1,2,3,4,5,6,7,foo=8)
timedelta(**dict.fromkeys('abcdefgh',1))
date.fromisocalendar(1,2,3,4)
date.fromisocalendar(1,2,foo=4)
timezone(timedelta(1),offset=3)
timezone(foo=3)
datetime.combine(1,2,3,4)
datetime.fromtimestamp(1,2,3)
date.fromtimestamp()
date.fromtimestamp(1,2)
date.fromordinal(2**40)
date.fromordinal(-2**40)
date(2020,1,1).replace(2**70)
date(2020,1,1).replace(2**40)
datetime(2020,1,1).replace(2**40)
datetime(2020,1,1).replace(fold=2**40)
datetime(2020,1,1).replace(fold=None)
datetime(2020,1,1).replace(1,2,3,4,5,6,7,None,9)
datetime(2020,1,1).replace(1,2,3,4,5,6,7,None,9,10)
date.fromisoformat('20200101xx')
date.fromisoformat('2020W01123')
date.fromisoformat('2020-01')
date.fromisoformat('2020W01')
date.fromisoformat('2020W011')
date.fromisoformat('2020-W011')
datetime.fromisoformat('2020W01')
datetime.fromisoformat('2020W01T')
datetime.fromisoformat('2020-01-01 12:30:45.')
datetime.fromisoformat('2020-01-01 12:30:45.1 ')
datetime.fromisoformat('2020-01-01 12:30:45,123')
datetime.fromisoformat('2020-01-01 12:30:45+00:00:00.5')
datetime.fromisoformat('2020-01-01 123045')
datetime.fromisoformat('2020-01-01 123045.5')
datetime.fromisoformat('2020-01-01 12:3045')
datetime.fromisoformat('2020-01-01 1230:45')
datetime.fromisoformat('2020-01-01 12:30:45Z ')
datetime.fromisoformat('2020-01-01 12:30:45z')
datetime.fromisoformat('2020-01-01 12:30:45+')
datetime.fromisoformat('2020-01-01 12:30:45+1')
datetime.fromisoformat('2020-01-01 12:30:45+01')
datetime.fromisoformat('2020-01-01 12:30:45+012')
datetime.fromisoformat('2020-01-01 12:30:45+0123')
datetime.fromisoformat('2020-01-01 12:30:45-01:23:45.123456789')
datetime.fromisoformat('2020-01-01 12:30:45-01:99')
datetime.fromisoformat('2020-01-01\u123412:30')
datetime.fromisoformat('2020-01-01\U0001234512:30')
datetime.fromisoformat('2020-01-01\xe912:30')
datetime.fromisoformat('2020-01-01\x0012:30')
datetime.fromisoformat('2020-01-01 12:30\x00')
datetime.fromisoformat('2020-01-01 12:30\x005')
datetime.fromisoformat('2020-01-0\u0661 12:30')
datetime.fromisoformat('2020-01-01 12:3\u0661')
datetime.fromisoformat('2020-W01-1T12')
datetime.fromisoformat('2020-W01-12')
datetime.fromisoformat('2020-W01112')
datetime.fromisoformat('2020W01112')
datetime.fromisoformat('2020W0111212')
datetime.fromisoformat('2020W01T12')
datetime.fromisoformat('20200101T12')
datetime.fromisoformat('2020010112')
datetime.fromisoformat('202001011')
datetime.fromisoformat('0000-W01-1')
datetime.fromisoformat('2020-01-01 ')
datetime.fromisoformat('2020-01')
date.fromisoformat('9999-W53-1')
time.fromisoformat('TT12')
time.fromisoformat('12:')
time.fromisoformat('12:30:')
time.fromisoformat('1')
time.fromisoformat('\ud800')
time.fromisoformat('12Z12')
time.fromisoformat('Z')
time.fromisoformat('+01:00')
timedelta(1)/True
timedelta(1)//True
date.__new__(datetime,1,1,1)
date.fromisoformat.__self__
datetime.fromordinal(5)
datetime.fromisocalendar(2020,1,1)
time(1).strftime('%z')
time(1,tzinfo=timezone.utc).strftime('%z %Z %:z')
time(1,tzinfo=timezone.utc)
time.min.isoformat(timespec='milliseconds')
datetime(1,1,1)==None
date(1,1,1)!=5
timedelta(0)==0
timezone.utc==5
timezone.utc!=5
datetime(1,1,1).isoformat('\U00012345')
datetime(1,1,1).isoformat(timespec='a\0b')
datetime.strptime('2020','%Y')
datetime.strptime(b'2020','%Y')
datetime.strptime('2020',5)
m.timezone(timedelta(hours=1)).__reduce_ex__(4)
tzinfo.fromutc(timezone.utc, datetime(2020,1,1,tzinfo=timezone.utc))
'''

for text in EXPRESSIONS.strip().splitlines():
    print(text, '->', ascii(outcome(text)))


# ---- subclasses: what makes objects calls the class

class Moment(datetime):
    def __new__(cls, *args, **keywords):
        print('  new', args, keywords)
        return datetime.__new__(cls, *args, **keywords)


class Day(date):
    def __new__(cls, *args, **keywords):
        print('  new', args, keywords)
        return date.__new__(cls, *args, **keywords)


class Clock(time):
    def __new__(cls, *args, **keywords):
        print('  new', args, keywords)
        return time.__new__(cls, *args, **keywords)


class Length(timedelta):
    pass


moment = Moment(2020, 1, 1, fold=1)
for made in [moment + timedelta(1), moment - timedelta(1), timedelta(1) + moment, moment.replace(day=2), Moment.fromtimestamp(0), Moment.fromtimestamp(0, timezone.utc),
             Moment.combine(date(1, 1, 1), time(1, fold=1)), Moment.fromordinal(4), Moment.fromisoformat('2020-01-01'), Moment.utcfromtimestamp(4), moment.date(), moment.time(),
             Moment.strptime('2020', '%Y'), Moment.fromisocalendar(2020, 1, 1), copy.copy(moment), copy.replace(moment, year=3)]:
    print(repr(made), type(made).__name__)
day = Day(2020, 1, 1)
for made in [day + timedelta(1), day - timedelta(1), timedelta(1) + day, day.replace(day=3), Day.fromtimestamp(0), day - day, Day.fromisoformat('2020-01-01'), copy.deepcopy(day)]:
    print(repr(made), type(made).__name__)
clock = Clock(1, fold=1)
for made in [clock.replace(hour=4), Clock.fromisoformat('12:30'), Clock.fromisoformat('12:30Z'), copy.copy(clock)]:
    print(repr(made), type(made).__name__)
length = Length(1)
print([type(made).__name__ for made in (length + length, -length, abs(length), length * 2, length - timedelta(1), +length, length % length)], repr(length), str(length))
moment.note = 'instances of subclasses have attributes'
print(moment.note, vars(moment), moment == datetime(2020, 1, 1), {moment: 1}[datetime(2020, 1, 1)])


class Own(datetime):
    def isoformat(self, *args):
        return 'own'

    def timetuple(self):
        return (1999, 2, 3, 4, 5, 6, 0, 34, -1)

    def __add__(self, other):
        return 'added'


print(Own(2020, 1, 1), f'{Own(2020, 1, 1)}', Own(2020, 1, 1).strftime('%Y-%j %f'), Own(2020, 1, 1) + timedelta(1), repr(Own(2020, 1, 1) - timedelta(0)))


class Zone(tzinfo):
    def __init__(self, answer):
        self.answer = answer

    def utcoffset(self, moment):
        return self.answer

    dst = tzname = utcoffset


for answer in (5, 'x', None, timedelta(hours=1)):
    for name in ('utcoffset', 'dst', 'tzname', 'isoformat', 'timetuple', 'utctimetuple', 'timestamp', '__str__', 'ctime'):
        for made in (datetime(2020, 1, 1, tzinfo=Zone(answer)), time(1, tzinfo=Zone(answer))):
            if hasattr(made, name):
                try:
                    print(name, answer, getattr(made, name)())
                except Exception as e:
                    print(name, answer, type(e).__name__, e)

# Python 3.14 words these anew, and knows more.
if sys.version_info >= (3, 14):
    for text, want in {
        'date(0, 1, 1)': 'ValueError: year must be in 1..9999, not 0',
        'date(2020, 13, 1)': 'ValueError: month must be in 1..12, not 13',
        'date(2020, 2, 30)': 'ValueError: day 30 must be in range 1..29 for month 2 in year 2020',
        'time(24)': 'ValueError: hour must be in 0..23, not 24',
        'time(0, 0, 0, 10**6)': 'ValueError: microsecond must be in 0..999999, not 1000000',
        'time(fold=2)': 'ValueError: fold must be either 0 or 1, not 2',
        'date.fromisocalendar(2020, 53, 8)': 'ValueError: Invalid weekday: 8 (range is [1, 7])',
        'date.fromisocalendar(0, 1, 1)': 'ValueError: year must be in 1..9999, not 0',
        "datetime.fromisoformat('2020-02-28T24:00')": 'datetime.datetime(2020, 2, 29, 0, 0)',
        "datetime.fromisoformat('9999-12-31T24:00')": 'ValueError: year must be in 1..9999, not 10000',
        "datetime.fromisoformat('2020-02-28T24:01')": 'ValueError: minute, second, and microsecond must be 0 when hour is 24',
        "time.fromisoformat('24:00')": 'datetime.time(0, 0)',
        "datetime.fromisoformat('2020-01-01 12:30.5')": "ValueError: Invalid isoformat string: '2020-01-01 12:30.5'",
        "date(5, 1, 2).strftime('%Y %F %C')": "'0005 0005-01-02 00'",
        "date.strptime('2024-02-29', '%Y-%m-%d')": 'datetime.date(2024, 2, 29)',
        "time.strptime('12:30 +0100', '%H:%M %z')": 'datetime.time(12, 30, tzinfo=datetime.timezone(datetime.timedelta(seconds=3600)))',
        r"date(1000, 1, 1).strftime('\ud800%Y\0')": r"'\ud8001000\x00'",
        'timezone(timedelta(1))': 'ValueError: offset must be a timedelta strictly between -timedelta(hours=24) and timedelta(hours=24), not datetime.timedelta(days=1)',
        'timedelta(1) // timedelta(0)': 'ZeroDivisionError: division by zero',
    }.items():
        assert outcome(text) == want, (text, outcome(text))

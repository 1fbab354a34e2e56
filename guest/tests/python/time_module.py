import time

def attempt(f, *args, **kw):
    try:
        return f(*args, **kw)
    except Exception as e:
        return type(e).__name__, str(e)

t = time.gmtime(1700000000.75)
print(t, t.tm_zone, t.tm_gmtoff, len(t), t[0], t.tm_isdst, tuple(t), t == tuple(t), t[:3])
print(time.gmtime(0)[:], time.gmtime(-1)[:], time.gmtime(951782400)[:8], time.gmtime(253402300800).tm_year, time.gmtime(-62135596801).tm_year)
print(time.asctime(t), time.ctime(0) is not None, time.asctime((2024, 2, 9, 3, 4, 5, 4, 40, 0)))
for d in 'aAbBcCdDeFgGhHIjklmMnpPrRSTtuUVwWxXyY%':
    print(d, repr(time.strftime('%' + d, t)), repr(time.strftime('%' + d, (2024, 1, 1, 0, 5, 9, 0, 1, 0))), repr(time.strftime('%' + d, (2020, 12, 31, 23, 5, 9, 3, 366, 0))))
print(time.strftime('%-d/%_m/%05Y %^a %#p %10A|é %Q %', t), time.strftime(''), time.strftime('%Y-%m-%dT%H:%M:%SZ', t))
print(attempt(time.strftime, 5), attempt(time.strftime, '%Y', 5), attempt(time.strftime, '%Y', (1, 2)), attempt(time.strftime, '%m', (2000, 13, 1, 0, 0, 0, 0, 1, 0)), attempt(time.strftime, '%m', (2000, 1, 32, 0, 0, 0, 0, 1, 0)), attempt(time.strftime, '%m', (2000, 1, 1, 24, 0, 0, 0, 1, 0)), attempt(time.strftime, '%m', (2000, 1, 1, 0, 60, 0, 0, 1, 0)), attempt(time.strftime, '%m', (2000, 1, 1, 0, 0, 62, 0, 1, 0)), attempt(time.strftime, '%j', (2000, 1, 1, 0, 0, 0, 0, 367, 0)))
print(attempt(time.sleep, -1), attempt(time.sleep, 'a')[0], time.sleep(0), time.sleep(0.001), attempt(time.gmtime, float('nan')), attempt(time.gmtime, 1e30), attempt(time.gmtime, 'a')[0])
print(attempt(time.struct_time, [1]), attempt(time.struct_time, range(12)), time.struct_time(range(9)), time.struct_time(range(11)).tm_zone, time.struct_time(range(9)).tm_zone, time.struct_time.n_fields, time.struct_time.n_sequence_fields, time.struct_time.__match_args__)
a = time.monotonic()
b = time.perf_counter_ns()
print(a <= time.monotonic(), b <= time.perf_counter_ns(), isinstance(time.time(), float), isinstance(time.time_ns(), int), time.time() > 1.6e9, time.process_time() >= 0)
print(time.strptime('2024-02-29 12:34:56', '%Y-%m-%d %H:%M:%S'), time.strptime('Fri Feb  9 03:04:05 2024'), attempt(time.strptime, 'x', '%Y'), attempt(time.strptime, '2024 x', '%Y'), time.strptime('12 Mar 99 PM 03', '%d %b %y %p %I')[:6])
print(time.get_clock_info('monotonic').monotonic, attempt(time.get_clock_info, 'x'))

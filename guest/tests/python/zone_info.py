# Time zones from the data that is compiled in.
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

for key in ['Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe', 'Asia/Tehran', 'America/Sao_Paulo', 'UTC', 'Etc/GMT+5']:
    zone = ZoneInfo(key)
    print(key, zone is ZoneInfo(key), repr(zone))
    for year in (1950, 1987, 2005, 2024, 2037, 2050):
        for month in (1, 4, 7, 10):
            t = datetime(year, month, 1, 12, 30, tzinfo=zone)
            print(t.isoformat(), t.tzname(), t.dst(), t.astimezone(timezone.utc).isoformat())
berlin = ZoneInfo('Europe/Berlin')
fold = datetime(2024, 10, 27, 2, 30, tzinfo=berlin)
print(fold.utcoffset(), fold.replace(fold=1).utcoffset(), fold.replace(fold=1).astimezone(ZoneInfo('Asia/Tokyo')))
gap = datetime(2024, 3, 31, 2, 30, tzinfo=berlin)
print(gap, gap.astimezone(timezone.utc).astimezone(berlin), gap + timedelta(hours=1))
print({'Europe/Paris', 'Asia/Tokyo', 'UTC'} <= available_timezones())
for bad in ['Europe/Nowhere', 'Nowhere', '/etc/passwd', '../x', 'europe/berlin', 'Europe']:
    try:
        ZoneInfo(bad)
    except (ZoneInfoNotFoundError, ValueError) as e:
        print(type(e).__name__, e)

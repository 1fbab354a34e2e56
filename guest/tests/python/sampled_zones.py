# Offsets, names and conversions of time zones, near their transitions and far from them.
import random
import zlib
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

rng = random.Random(9)
zones = ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "UTC", "America/Sao_Paulo",
         "Pacific/Apia", "America/St_Johns", "Asia/Tokyo", "Antarctica/Troll"]
for key in zones:
    zone = ZoneInfo(key)
    total = 0
    moments = []
    for _ in range(300):
        moments.append(datetime(rng.randrange(1850, 2100), rng.randrange(1, 13), rng.randrange(1, 29), rng.randrange(24), rng.randrange(60), rng.randrange(60)))
    for year in (1916, 1945, 1980, 1996, 2007, 2023, 2024, 2037, 2038, 2060):
        at = datetime(year, 1, 1)
        for _ in range(120):
            at += timedelta(days=3, hours=1)
            moments.append(at)
        for month in (3, 4, 10, 11):
            for day in range(1, 32):
                for minutes in (0, 59, 60, 90, 119, 120, 150, 179, 180, 181):
                    try:
                        moments.append(datetime(year, month, day, 0, 30) + timedelta(minutes=minutes))
                    except ValueError:
                        pass
    for at in moments:
        for fold in (0, 1):
            local = at.replace(tzinfo=zone, fold=fold)
            there = at.replace(tzinfo=timezone.utc).astimezone(zone)
            back = local.astimezone(timezone.utc)
            row = (local.utcoffset(), local.dst(), local.tzname(), there.isoformat(), there.fold, back.isoformat())
            total = zlib.crc32(repr(row).encode(), total)
    print(key, len(moments), total)
print(ZoneInfo("UTC").utcoffset(None), ZoneInfo("Europe/Berlin").utcoffset(None), repr(ZoneInfo("Europe/Berlin")))

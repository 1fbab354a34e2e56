"""What agents import most, and a little of what it is for."""

import collections
import csv
import datetime
import decimal
import io
import itertools
import math
import random
import statistics
import textwrap
import typing

rows = list(csv.DictReader(io.StringIO("a,b\n1,2\n3,4\n")))
day = datetime.date(2026, 11, 30) + datetime.timedelta(days=45)
counts = collections.Counter(itertools.chain("abracadabra", "alakazam"))
values = [math.sqrt(n) for n in range(100)]
print(rows, day.isoformat(), counts.most_common(2), round(statistics.stdev(values), 6))
print(decimal.Decimal(1) / 7, textwrap.fill("word " * 30, 40), random.Random(5).randint(1, 100), typing.get_args(list[int]))

"""The patterns of bench.txt with CPython; prints its time, and the ratio to the lines that bench.rs printed to stdin."""
import re
import sys
import time

source = open("examples/bench.rs").read()
subjects = dict(re.findall(r'"(\w+)" => (?:\{\s*)?("(?:[^"\\]|\\.)*")', source))
ours = dict((line.split("\t")[0], line.split("\t")[1:]) for line in sys.stdin.read().splitlines())
print("%-14s %10s %10s %6s %9s" % ("name", "CPython us", "this us", "ratio", "compile"))
product = 1
for line in open("examples/bench.txt"):
    if line.startswith("#"):
        continue
    name, subject, repeat, pattern = line.rstrip("\n").split("\t")
    text = eval(subjects.get(subject, '"range 10-25"')) * int(repeat)
    p = re.compile(pattern)
    best, begin = 1e9, time.perf_counter()
    while time.perf_counter() - begin < 0.15:
        start = time.perf_counter()
        found = sum(1 for _ in p.finditer(text))
        best = min(best, time.perf_counter() - start)
    us, count, compile_us = ours[name]
    assert int(count) == found, (name, count, found)
    product *= best * 1e6 / float(us)
    print("%-14s %10.2f %10.2f %6.2f %9s" % (name, best * 1e6, float(us), best * 1e6 / float(us), compile_us))
print("geometric mean %.2f" % (product ** (1 / len(ours))))

"""Regular expressions: compiled, searched, split and substituted, with groups, look-around and back-references."""

import re

log = "\n".join(
    f"2026-{i % 12 + 1:02d}-{i % 28 + 1:02d} host{i % 9} GET /item/{i}?page={i % 5} {200 + i % 3} {i * 37}ms"
    for i in range(400)
)
line = re.compile(r"^(?P<date>\d{4}-\d\d-\d\d) (\w+) (GET|POST) (/\S*?)(?:\?(\S+))? (\d{3}) (\d+)ms$", re.M)
total = sum(int(match[7]) for match in line.finditer(log) if match["date"] > "2026-06")
changed = re.sub(r"\b(host)(\d)\b", lambda match: match[2] + match[1], log)
words = re.split(r"[\s/?=&-]+", log)
doubled = re.findall(r"(\d)\1", log)
ahead = len(re.findall(r"\d+(?=ms)", log)) + len(re.findall(r"(?<!\d)20\d", log))
folded = len(re.findall(r"get|POST", log, re.IGNORECASE))
print(total, len(changed), len(words), len(doubled), ahead, folded, re.fullmatch("(a|b)*c", "abab" * 200 + "c").end())

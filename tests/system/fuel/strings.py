"""Text: building, formatting, splitting, searching, changing, encoding."""

lines = []
for i in range(2_500):
    lines.append(f"{i:05d} {i / 7:8.3f} {i!r:>6} {'odd' if i % 2 else 'even'}")
text = "\n".join(lines)
fields = [line.split() for line in text.splitlines()]
joined = ",".join(field[3].upper().replace("O", "0") for field in fields)
built = ""
for field in fields:
    built += field[0][-2:]
found = sum(line.find("even") + line.count("1") + line.startswith("0000") for line in lines)
old = "".join("%s=%d;" % (name.strip().title(), n) for n, name in enumerate([" one ", "two "] * 500))
data = ("żółw " * 500).encode().decode("utf-8").casefold()
print(len(joined), len(built), found, len(old), len(data), text[::-1][:5], "{:>{}}".format("x", 5))

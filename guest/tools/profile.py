"""Writes guest/profile/interpreter.profdata: how often the interpreter's code runs in typical programs.

    rustup component add llvm-tools
    python3 guest/tools/profile.py

Release builds of the guest are compiled with it (`host/build.rs`): functions that are called often are inlined where they are, and what never runs is kept small. It builds a
coldframe whose guest counts, in a target folder of its own, runs the programs of this repository in it, none of which is one of the benchmarks that others
compare engines by, adds up their counters and gives the sums to LLVM's tool. Takes some minutes. A function that was changed since has no profile until this is run
again, and is compiled as without one.

The counters and the functions' records are laid out as LLVM describes it in `llvm/include/llvm/ProfileData/InstrProfData.inc`, for 32-bit addresses. Needs nothing but Python.
"""

import base64
import hashlib
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import zlib
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROFILE = ROOT / "guest/profile/interpreter.profdata"
TARGET = ROOT / "target/counting"

#: What is run, and what each of it counts for. All programs count for the same before, however long they run.
PROGRAMS = [
    ("tests/system/fuel/regex.py", 25),
    ("tests/system/fuel/json_text.py", 10),
    ("tests/system/fuel/arithmetic.py", 6),
    ("tests/system/fuel/*.py", 3),
    ("host/benches/programs/*.py", 3),
    # These are for being right, and go into every corner.
    ("guest/tests/python/*.py", 0.5),
]

#: What the single operations of `host/benches/operations.py` count for, all together.
OPERATIONS = 60

#: A function's record: hash of its name, hash of its shape, where its counters are from here, three addresses that say nothing here, number of its counters. What
#: follows is for kinds of counters that are off.
RECORD = struct.Struct("<QQIIIIIHHHxxI")

#: What is put behind a program. It goes around `sys.stdout`, which a program may have replaced.
HAND_OUT = """
def _hand_out():
    import _counters, base64, sys, zlib
    for part in _counters.sections():
        data = part if isinstance(part, bytes) else str(part).encode()
        sys.__stdout__.write(f"\\n<<<{base64.b64encode(zlib.compress(data, 1)).decode()}>>>\\n")
_hand_out()
"""


def build():
    """The command whose guest counts."""
    environment = os.environ | {"COLDFRAME_COUNTING": "1", "CARGO_TARGET_DIR": str(TARGET)}
    subprocess.run(["cargo", "build", "--release", "--package", "coldframe", "--bins"], cwd=ROOT, env=environment, check=True)
    return TARGET / "release/coldframe"


def sections(command, text):
    """Runs a program; the addresses of counters and records, and the content of counters, records and names."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "program.py")
        file.write_text(text + HAND_OUT)
        limits = ["--timeout", "10m", "--fuel", "90000G", "--memory", "2G", "--max-output", "256M"]
        run = subprocess.run([command, "run", *limits, file], capture_output=True, text=True)
    parts = [zlib.decompress(base64.b64decode(part)) for part in re.findall("<<<([^>]*)>>>", run.stdout)]
    if len(parts) != 5:
        return run.stderr.strip().splitlines()[-1:]
    return int(parts[0]), int(parts[1]), *parts[2:]


def programs():
    """Name, text and weight of each program."""
    seen = set()
    for pattern, weight in PROGRAMS:
        for path in sorted(ROOT.glob(pattern)):
            if path not in seen:
                seen.add(path)
                yield path.name, path.read_text(), weight
    sys.path.insert(0, str(ROOT / "host/benches"))
    import operations

    yield "operations", f"OPERATIONS = {operations.OPERATIONS!r}\n{operations.PROGRAM}", OPERATIONS


def varint(data, at):
    """A number in LEB128, and where it ends."""
    number = shift = 0
    while True:
        byte = data[at]
        at += 1
        number |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return number, at


def names(section):
    """The functions' names by their hashes: blocks of a length, a length when compressed or 0, and names with a byte of 1 in between."""
    found, at = {}, 0
    while at < len(section):
        if section[at] == 0:
            at += 1
            continue
        plain, at = varint(section, at)
        packed, at = varint(section, at)
        end = at + (packed or plain)
        block = zlib.decompress(section[at:end]) if packed else section[at:end]
        at = end
        for name in block.split(b"\x01"):
            found[hashlib.md5(name).digest()[:8]] = name.decode()
    return found


def rounded(count):
    """With four significant bits, so that the file packs well: it is the size of a count that matters."""
    count = int(count) if count >= 1 or count == 0 else 1
    spare = max(0, count.bit_length() - 4)
    return count >> spare << spare


def profile(counters_at, records_at, records, texts, sums):
    """LLVM's text form of a profile, and how many functions it has and how many of them ran."""
    parts, functions, live = [":ir\n"], 0, 0
    by_hash = names(texts)
    for at in range(0, len(records), RECORD.size):
        name, shape, offset, _, _, _, number, *_ = RECORD.unpack_from(records, at)
        first = (((records_at + at + offset) & 0xFFFF_FFFF) - counters_at) // 8
        counts = [rounded(count) for count in sums[first : first + number]]
        functions += 1
        live += any(counts)
        lines = [by_hash[struct.pack("<Q", name)], shape, number, *counts]
        parts.append("\n".join(map(str, lines)) + "\n")
    return "\n".join(parts), functions, live


def main():
    command = build()
    sysroot = subprocess.run(["rustc", "--print", "sysroot"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
    tools = list(pathlib.Path(sysroot).glob("lib/rustlib/*/bin/llvm-profdata"))
    if not tools:
        sys.exit("llvm-profdata is not there: type `rustup component add llvm-tools`")
    first, sums = None, None
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        rows = list(programs())
        for (name, _, weight), found in zip(rows, pool.map(lambda row: sections(command, row[1]), rows)):
            if isinstance(found, list):
                # Programs of the tests may end early, which is what they are for.
                print(f"{name} hands no counters out: {''.join(found)}")
                continue
            counters = [n for (n,) in struct.iter_unpack("<Q", found[2])]
            scale = weight * 1e9 / max(counters)
            sums = [a + scale * b for a, b in zip(sums or [0] * len(counters), counters)]
            first = first or found
    text, functions, live = profile(first[0], first[1], first[3], first[4], sums)
    with tempfile.TemporaryDirectory() as folder:
        plain = pathlib.Path(folder, "interpreter.txt")
        plain.write_text(text)
        PROFILE.parent.mkdir(exist_ok=True)
        subprocess.run([tools[0], "merge", "--output", PROFILE, plain], check=True)
    print(f"{functions} functions, {live} of which ran: {PROFILE.relative_to(ROOT)} has {PROFILE.stat().st_size} bytes")


if __name__ == "__main__":
    main()

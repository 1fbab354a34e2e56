"""Records what CPython's `re` does: writes tests/data/{cases,errors}.txt, or random cases for fuzzing.

    python3.13 tests/bless.py                       # the stored files
    python3.13 tests/bless.py SEED COUNT > FILE     # then COLDFRAME_REGEX_CASES=FILE cargo test -p coldframe-regex

Format, one record a line, fields separated by tabs, text escaped as \\t \\n \\\\ \\{hex}:

    p|b pattern flags final-flags groupindex warnings   a pattern (b: bytes); the lines below are about it
    s subject match-end fullmatch-end first all         spans as `start,end`, groups joined by `;`, matches by `|`
    r template result                                   re.sub on the subject above
    w pos endpos first                                  search in a window of the subject above
    e|f pattern flags exception text pos                an error (f: bytes)
    t template exception text pos                       an error of a template for the pattern above
"""
import random
import re
import signal
import sys
import warnings

from cases import BYTES, ERRORS, TEMPLATES, TEMPLATE_ERRORS, TEXT


def esc(text):
    if isinstance(text, bytes):
        text = text.decode("latin-1")
    out = []
    for c in text:
        if c == "\\":
            out.append("\\\\")
        elif c == "\n":
            out.append("\\n")
        elif c == "\t":
            out.append("\\t")
        elif " " <= c <= "~":
            out.append(c)
        else:
            out.append("\\{%x}" % ord(c))
    return "".join(out)


def spans(m):
    if m is None:
        return "-"
    groups = ["%d,%d" % m.span(i) if m.start(i) >= 0 else "-" for i in range(m.re.groups + 1)]
    return ";".join(groups + [str(m.lastindex or 0)])


class Slow(Exception):
    pass


def on_alarm(*_):
    raise Slow


signal.signal(signal.SIGALRM, on_alarm)


def compiled(pattern, flags):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        re.purge()
        return re.compile(pattern, flags), [str(w.message) for w in caught]


def pattern_record(pattern, flags):
    p, warned = compiled(pattern, flags)
    names = ",".join("%s=%d" % item for item in p.groupindex.items())
    kind = "b" if isinstance(pattern, bytes) else "p"
    return p, "\t".join([kind, esc(pattern), str(int(flags)), str(int(p.flags)), esc(names), esc("|".join(warned))])


def subject_records(p, subject, templates=(), windows=()):
    if not subject and "\\B" in esc(p.pattern):
        return []  # 3.14: \B matches the empty string
    signal.setitimer(signal.ITIMER_REAL, 1)
    try:
        m, f = p.match(subject), p.fullmatch(subject)
        out = ["\t".join(["s", esc(subject), str(m.end()) if m else "-", spans(f), spans(p.search(subject)),
                          "|".join(spans(x) for x in p.finditer(subject))])]
        for template in templates:
            if isinstance(p.pattern, bytes):
                template = template.encode("latin-1")
            try:
                out.append("\t".join(["r", esc(template), esc(p.sub(template, subject))]))
            except (re.error, IndexError):
                pass
        for pos, endpos in windows:
            if endpos == 0 and "\\B" in esc(p.pattern):
                continue
            out.append("\t".join(["w", str(pos), str(endpos), spans(p.search(subject, pos, endpos))]))
        return out
    except (Slow, SystemError):  # SystemError: CPython noticed that it restored a group wrongly
        return []
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def error_record(pattern, flags):
    kind = "f" if isinstance(pattern, bytes) else "e"
    try:
        compiled(pattern, flags)
    except RecursionError:
        return None
    except Exception as e:
        pos = getattr(e, "pos", None)
        return "\t".join([kind, esc(pattern), str(int(flags)), type(e).__name__, esc(str(e)), "-" if pos is None else str(pos)])
    return None


def template_error(p, template):
    try:
        re._parser.parse_template(template, p)
    except Exception as e:
        pos = getattr(e, "pos", None)
        return "\t".join(["t", esc(template), type(e).__name__, esc(str(e)), "-" if pos is None else str(pos)])
    return None


class Maker:
    """Random patterns over a small alphabet, with most of the syntax.

    (?a:...) is left out: CPython searches for its categories as if it were not there.
    """

    def __init__(self, rng):
        self.rng = rng

    def pattern(self):
        self.groups = 0
        self.closed = []
        self.names = 0
        self.behind = 0
        return self.alt(3)

    def alt(self, depth):
        n = self.rng.choice([1, 1, 1, 2, 2, 3])
        return "|".join(self.seq(depth) for _ in range(n))

    def seq(self, depth):
        n = self.rng.choice([0, 1, 1, 2, 2, 3, 3, 4])
        return "".join(self.item(depth) for _ in range(n))

    def item(self, depth):
        r = self.rng.random()
        if r < 0.08:
            return self.rng.choice(["^", "$", r"\b", r"\B", r"\A", r"\Z"])
        if r < 0.12 and self.closed and not self.behind:
            g = self.rng.choice(self.closed)
            return self.rng.choice([r"\%d" % g, "(?(%d)%s|%s)" % (g, self.seq(0), self.seq(0)), "(?(%d)%s)" % (g, self.seq(0))])
        before = self.groups
        atom = self.atom(depth)
        if self.rng.random() < 0.35 and not self.behind:
            quantifier = self.rng.choice(["*", "+", "?", "*?", "+?", "??", "{2}", "{1,2}", "{0,2}?", "{2,}", "{,2}", "*+", "++",
                                     "?+", "{1,2}+", "{0}", "{1}", "{2,3}+", "{2,}?"])
            if self.groups > before and quantifier[1:].endswith("+"):
                quantifier = "*"  # CPython does not restore groups in possessive iterations that fail
            atom += quantifier
        return atom

    def atom(self, depth):
        r = self.rng.random()
        if depth <= 0 or r < 0.55:
            return self.rng.choice(["a", "b", "c", "a", "b", ".", "[ab]", "[^a]", r"\w", r"\W", r"\d", "1", "-", " ", "\n",
                                    "[a-c]", "[^b-c1]", "é", "[é-ÿ]", "ab", r"[\w-]", r"[^\W1]", "(?:)", "B", "ſ", "[^é]"])
        kind = self.rng.choice(["cap"] * 6 + ["non"] * 4 + ["name", "atomic", "ahead", "nahead", "behind", "nbehind", "flag"])
        if kind == "cap":
            self.groups += 1
            g = self.groups
            body = self.alt(depth - 1)
            if not self.behind:
                self.closed.append(g)
            return "(%s)" % body
        if kind == "name":
            self.groups += 1
            g = self.groups
            body = self.alt(depth - 1)
            if not self.behind:
                self.closed.append(g)
            return "(?P<n%d>%s)" % (g, body)
        if kind in ("behind", "nbehind"):
            self.behind += 1
            body = self.seq(min(depth - 1, 1))
            self.behind -= 1
            return ("(?<=%s)" if kind == "behind" else "(?<!%s)") % body
        body = self.alt(depth - 1)
        return {"non": "(?:%s)", "atomic": "(?>%s)", "ahead": "(?=%s)", "nahead": "(?!%s)",
                "flag": self.rng.choice(["(?i:%s)", "(?s:%s)", "(?m:%s)", "(?-i:%s)"])}[kind] % body

    def subject(self):
        n = self.rng.choice([0, 1, 2, 3, 4, 5, 6, 8, 10])
        return "".join(self.rng.choice("aaabbbcc1- \nAéÉſsS") for _ in range(n))

    def flags(self):
        return self.rng.choice([0, 0, 0, 0, re.I, re.I, re.M, re.S, re.A, re.I | re.A, re.M | re.S, re.I | re.M])

    def broken(self):
        """A pattern with something inserted, dropped or cut."""
        p = self.pattern()
        for _ in range(self.rng.choice([1, 1, 2])):
            i = self.rng.randrange(len(p) + 1)
            p = self.rng.choice([
                lambda: p[:i] + self.rng.choice(["(", ")", "[", "]", "*", "+", "{2,1}", "\\", "(?", "(?P<", "(?P=", "(?<", "\\9",
                                                 "\\x1", "\\u12", "\\q", "(?(1)", "(?(2", "(?i)", "(?i", "(?z)", "\\400", "[z-a]",
                                                 "(?P<n1>", "(?#", "(?-", "(?a-i:", "?", "|", "{1}", "(?(n1)a|b|c)", "(?<=a*)", "\\N",
                                                 "(?P=n9)", "(?L)", "(?au:", "(?x)", "\\1", "(?>", "^*", "[\\w-z]"]) + p[i:],
                lambda: p[:i],
                lambda: p[:i] + p[i + 1:],
            ])()
        return p


def fuzz(rng, count):
    """Records of random patterns."""
    maker = Maker(rng)
    out = []
    while count > 0:
        if rng.random() < 0.25:
            record = error_record(maker.broken(), maker.flags())
            if record:
                out.append(record)
                count -= 1
            continue
        pattern, flags = maker.pattern(), maker.flags()
        is_bytes = rng.random() < 0.1
        if is_bytes:
            pattern = pattern.encode("latin-1", "replace")
        try:
            p, record = pattern_record(pattern, flags)
        except Exception:
            record = error_record(pattern, flags)
            if record:
                out.append(record)
            continue
        out.append(record)
        for _ in range(rng.choice([1, 2, 3])):
            subject = maker.subject()
            if is_bytes:
                subject = subject.encode("latin-1", "replace")
            templates = [rng.choice([r"<\g<0>>", r"[\1]", r"\2\1-", "x"])] if rng.random() < 0.5 else []
            windows = []
            if subject and rng.random() < 0.2:
                a = rng.randrange(len(subject) + 1)
                windows = [(a, rng.randrange(a, len(subject) + 1))]
            out += subject_records(p, subject, templates, windows)
            count -= 1
    return out


def curated():
    cases, errors = [], []
    for table in (TEXT, BYTES):
        for patterns, flags, subjects in table:
            for pattern in patterns if isinstance(patterns, list) else [patterns]:
                for flag in flags:
                    record = error_record(pattern, flag)
                    if record:
                        errors.append(record)
                        continue
                    p, record = pattern_record(pattern, flag)
                    cases.append(record)
                    for i, subject in enumerate(subjects):
                        n = len(subject)
                        windows = [[(1, n), (0, n - 1), (n // 2, n)][i % 3]] if n > 2 and i % 4 == 0 else []
                        templates = [TEMPLATES[i % 3]] if i % 3 == 0 and p.search(subject) else []
                        cases += subject_records(p, subject, templates, windows)
    for pattern, flags in ERRORS:
        record = error_record(pattern, flags)
        errors.append(record or pattern_record(pattern, flags)[1])
    for pattern, templates in TEMPLATE_ERRORS:
        p, record = pattern_record(pattern, 0)
        errors.append(record)
        for template in templates:
            record = template_error(p, template)
            if record:
                errors.append(record)
            else:
                m = p.search("ab cd")
                if m:
                    errors += subject_records(p, "ab cd", [template])
    return cases, errors


if __name__ == "__main__":
    if len(sys.argv) > 2:
        print("\n".join(fuzz(random.Random(int(sys.argv[1])), int(sys.argv[2]))))
    else:
        cases, errors = curated()
        rng = random.Random(1)
        for record in fuzz(rng, 3000):
            (errors if record[0] in "ef" else cases).append(record)
        with open("tests/data/cases.txt", "w") as f:
            f.write("\n".join(cases) + "\n")
        with open("tests/data/errors.txt", "w") as f:
            f.write("\n".join(errors) + "\n")

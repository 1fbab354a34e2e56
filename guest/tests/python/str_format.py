# str.format, format_map, string.Formatter's core, and f-strings of text.
def t(f, *a, **k):
    try:
        print(repr(f(*a, **k)))
    except Exception as e:
        print(type(e).__name__ + ":", e)

t("{} {}".format, 1, 2); t("{0} {1} {0}".format, "a", "b"); t("{a} {b}".format, a=1, b="x"); t("{{}} {}".format, 1); t("{".format); t("}".format); t("{}".format); t("{1}".format, 1); t("{x}".format); t("{} {0}".format, 1); t("{0} {}".format, 1)
t("{0.real} {0.imag}".format, 3); t("{0[1]} {0[0]}".format, [1, 2]); t("{a[key]} {a[5]}".format, a={"key": "v", 5: "five"}); t("{0.foo}".format, 1); t("{0[foo]}".format, {}); t("{0[9]}".format, []); t("{0[}".format, 1); t("{0[]}".format, [1]); t("{0.}".format, 1); t("{0[0]x}".format, [1]); t("{0..real}".format, 1)
t("{!r} {!s} {!a}".format, "é", "é", "é"); t("{!x}".format, 1); t("{!}".format, 1); t("{!r".format, 1); t("{!rr}".format, 1); t("{!r:>10}|".format, "a"); t("{!".format, 1); t("{!é}".format, 1); t("{!r:".format, 1)
t("{:>5}|{:<5}|{:^5}|{:*^7}".format, 1, "a", "b", "c"); t("{:{w}}|".format, "a", w=5); t("{:{}}|".format, "a", 6); t("{0:{1}{2}}|".format, "a", ">", 4); t("{:{:{}}}".format, 1, 2, 3); t("{:.{p}f}".format, 3.14159, p=2); t("{:,}".format, 1234567); t("{:x} {:#x} {:b} {:o} {:08.3f} {:+d} {:e} {:%}".format, 255, 255, 5, 8, 3.14159, 5, 12345.678, 0.25)
t("{:d}".format, "a"); t("{:s}".format, 1); t("{:}".format, 1); t("{0:}{1}".format, 1, 2); t("{a.b[c].d}".format, a=type("A", (), {"b": {"c": type("C", (), {"d": "deep"})}})); t("{:{}".format, 1, 2); t("{a{b}}".format, a=1, b=2); t("{:}}".format, 1); t("{: }".format, 1); t("{0!s:{1}}".format, "a", 3)
t("{[a]}".format, {"a": 1}); t("{.real}".format, 5); t("{a!r}".format, a="x"); t("{ }".format, 1); t("{ a}".format, a=1); t("{-1}".format, 1); t("{0[-1]}".format, [1, 2]); t("{0[-1]}".format, {"-1": "neg"}); t("{99999999999999999999}".format, 1); t("{0:99999999999999999999}".format, 1)
t("{:%Y}".format, 5); t("".format); t("plain".format, 1, 2); t("{}{}{}".format, None, True, 1.0); t("{}".format, "é\ud800"); t("é{}ñ".format, 1); t("{é}".format, é=1); t("{0:é>5}".format, "x")
class F:
    def __format__(self, spec): return "<" + spec + ">"
t("{:abc} {}".format, F(), F()); t("{:{0}}".format, F()); t("{0:{0}}".format, F())
class G:
    def __format__(self, spec): return 5
t("{}".format, G())
class O: pass
t("{:5}".format, O()); t("{:5}".format, None); t("{:5}".format, [1]); print("{}".format([1, "a"]), "{!r}".format([1]))
t("{a}".format_map, {"a": 1}); t("{a}".format_map, {}); t("{}".format_map, {}); t("{0}".format_map, {})
class M(dict):
    def __missing__(self, k): return "<" + k + ">"
t("{a} {b}".format_map, M(b=1)); t("{a}".format, **M(b=1)); t("{a[0]}".format_map, {"a": "xyz"}); t("x".format_map, 5); t("{x}".format_map, 5); t("{a}".format_map)
n, name, f = 42, "bob", 3.14159
print(f"{n} {name!r} {f:.2f} {n:5d}|{n:<5}|{n:^5}|{n:05} {name:>6} {name:^7}| {n=} {name=} {f=:.1f} {n:x} {n!s:>4}")
w = 8; print(f"{name:{w}}|{f:{w}.{2}}|{'nested ' + f'{n}'}|{{}}|{n:,}|{10**9:_}|{-n:+}|{n:>+6}|{0.1+0.2}|{1e100}")
print(f"{'a' if n else 'b'}{n:c}{name[0]}{name.upper()}" f"{[x for x in range(3)]}" "tail", f"{'é':>3}|{'日本':^6}|")
try: f"{name:d}"
except ValueError as e: print(e)
try: f"{n:q}"
except ValueError as e: print(e)
import _string
def parts(s):
    try: print(list(_string.formatter_parser(s)))
    except ValueError as e: print("ValueError:", e)
for s in ["", "abc", "{}", "a{b!r:c}d", "{{x}}", "{a:{b}}", "{", "}", "{a!", "a{0.x[y]}b"]: parts(s)
def split(s):
    try:
        first, rest = _string.formatter_field_name_split(s)
        print(repr(first), list(rest))
    except ValueError as e: print("ValueError:", e)
for s in ["", "a", "0", "a.b[c][0].d", "0[x]", "a[", "a..b"]: split(s)

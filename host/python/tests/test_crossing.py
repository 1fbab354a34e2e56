"""Values that programs make to hurt the host: what making them here may cost, and which classes are made for them."""

import copy
import dataclasses
import datetime
import decimal
import enum
import pickle
import signal
import threading
import time

import pytest

import coldframe

COLLIDING = """
P = 2**61 - 1
class I(int):
    def __hash__(self): return int(self) // P
def keys(n): return [I(i * P) for i in range(n)]
import dataclasses, decimal, fractions
@dataclasses.dataclass(unsafe_hash=True)
class D:
    a: int
def moved(items):
    for n, item in enumerate(items): item.a = n * P
def objects(n):
    made = [D(i) for i in range(n)]
    return made, set(made)
"""

#: Expressions of values whose keys all share their hashes out here.
HARMFUL = [
    "{k: 0 for k in keys(40_000)}",
    "set(keys(40_000))",
    "frozenset(keys(40_000))",
    "{(1, (k,)): 0 for k in keys(20_000)}",
    "[{k: 0 for k in keys(500)} for _ in range(1_000)]",
    "{'a': {1: [set(keys(40_000))]}}",
    "{(k, decimal.Decimal(1)) for k in keys(20_000)}",
    "{(k, decimal.Decimal(1), fractions.Fraction(1, 3)) for k in keys(20_000)}",
]


@pytest.fixture(scope="module")
def session():
    with coldframe.Session(fuel=10**13, time=60, memory=1 << 30) as session:
        assert session.run(COLLIDING).ok
        yield session


def spent(call):
    began = time.thread_time()
    result = call()
    return result, time.thread_time() - began


@pytest.mark.parametrize("source", HARMFUL)
def test_keys_that_collide_do_not_hold_the_host_up(session, source):
    outcome = session.run(f"x = {source}\nx")
    assert outcome.error is None, outcome.error
    assert isinstance(outcome.value, coldframe.StandIn) and not outcome.crossed
    # Without the run itself.
    error, took = spent(lambda: pytest.raises(coldframe.CrossingError, session.__getitem__, "x"))
    assert 'variable "x": a dict or set of' in str(error.value) and "collide" in str(error.value)
    assert took < 3
    assert session.run("len(x)").value > 0, "the session has it still"


def test_objects_that_collide_do_not_hold_the_host_up(session):
    outcome = session.run("made, x = objects(4_000)\nmoved(made)\nx")
    assert outcome.error is None and not outcome.crossed
    error, took = spent(lambda: pytest.raises(coldframe.CrossingError, session.__getitem__, "x"))
    assert "collide" in str(error.value) and took < 3


def test_arguments_of_tools_that_collide_are_an_error_for_the_program():
    seen = []
    with coldframe.Session(tools={"take": seen.append}, fuel=10**13) as session:
        session.run(COLLIDING)
        began = time.monotonic()
        outcome = session.run("try: take(set(keys(40_000)))\nexcept TypeError as e: print(e)\ntake(1)")
        assert time.monotonic() - began < 5
        assert outcome.ok and "collide" in outcome.stdout and seen == [1]
        # Many calls have no more than one.
        outcome = session.run("x = set(keys(2_000))\nn = 0\nfor _ in range(500):\n    try: take(x)\n    except TypeError: n += 1\nn")
        assert outcome.value > 450 and outcome.usage.tool_time < 10


def test_a_long_number_is_not_made_a_decimal():
    """Which comparing the two would do, and takes the square of the length."""
    with coldframe.Session(fuel=10**13) as session:
        session.run("from decimal import Decimal\nbig = 3 ** 1_000_000\nx = {big: 0, Decimal(hash(big)): 1}\ny = {3 ** 5_000: 0, Decimal(hash(3 ** 5_000)): 1}")
        _, took = spent(lambda: pytest.raises(coldframe.CrossingError, session.__getitem__, "x"))
        assert took < 1
        assert session["y"] == {3**5000: 0, decimal.Decimal(hash(3**5000)): 1}
        session.run("import fractions\nz = fractions.Fraction(3 ** 400_000, 2 ** 400_000)")
        _, took = spent(lambda: session["z"])
        assert took < 0.5


@pytest.mark.parametrize(
    "source",
    [
        "{i: -i for i in range(200_000)}",
        "{str(i) for i in range(200_000)}",
        "{i / 7 for i in range(200_000)}",
        # Some of them share their hashes.
        "{2 ** i: i for i in range(5_000)}",
        "{i * P for i in range(500)}",
        "[{1: 2, -1: 3, -2: 4} for _ in range(50_000)]",
        "{(i, str(i)): {i} for i in range(50_000)}",
        "{fractions.Fraction(i, 7): decimal.Decimal(i) for i in range(2_000)}",
    ],
)
def test_ordinary_values_are_made(session, source):
    names = {}
    exec(COLLIDING, names)
    assert session.run(source).value == eval(source, names)


@dataclasses.dataclass(frozen=True)
class Slow:
    """Hashes as slowly as Python code does that has much to do."""

    n: int

    def __hash__(self):
        return sum(range(2_000)) + self.n


@dataclasses.dataclass(frozen=True)
class Slower:
    """Hashes at once, and is slow when it is a key already."""

    n: int
    seen = set()

    def __hash__(self):
        if self.n in self.seen:
            sum(range(20_000))
        self.seen.add(self.n)
        return self.n


def test_keys_of_the_hosts_may_be_slow_if_that_does_not_come_of_their_number():
    with coldframe.Session(fuel=10**13, memory=1 << 30) as session:
        # From then on they are the host's classes.
        session.set(module=__name__, known=[Slow(0), Slower(0)])
        session.run("import dataclasses\ndef make(name): return dataclasses.make_dataclass(name, ['n'], frozen=True, module=module)")
        session.run("A, B = make('Slow'), make('Slower')\nx = {A(i): i for i in range(40_000)}\ny = {B(i): i for i in range(40_000)}")
        value, took = spent(lambda: session["x"])
        assert len(value) == 40_000 and type(next(iter(value))) is Slow and took > 1.5
        # The time that a table takes is looked at too: what its places are, is not only a matter of hashes that are the same.
        _, took = spent(lambda: pytest.raises(coldframe.CrossingError, session.__getitem__, "y"))
        assert took < 5


def test_ctrl_c_and_other_threads_have_their_turn_while_a_value_is_made():
    with coldframe.Session(fuel=10**13, memory=1 << 30) as session:
        session.run("x = [[i] for i in range(1_500_000)]")
        ticks, done = [], threading.Event()

        def tick():
            while not done.wait(0.01):
                ticks.append(time.monotonic())

        thread = threading.Thread(target=tick)
        thread.start()
        assert len(session["x"]) == 1_500_000
        done.set()
        thread.join()
        assert max((b - a for a, b in zip(ticks, ticks[1:])), default=1) < 0.5

        def interrupt():
            time.sleep(0.3)
            signal.raise_signal(signal.SIGINT)

        # Somewhere on the way out.
        with pytest.raises(KeyboardInterrupt):
            threading.Thread(target=interrupt).start()
            for _ in range(20):
                session["x"]


ENUM = "import enum\nclass E(enum.Enum):\n    A = 1\n    B = 'b'\n    C = [1]\nclass F(enum.Flag):\n    A = 1\n    B = 2\n"


def test_members_of_an_enum_are_of_one_class():
    with coldframe.Session() as session:
        session.run(ENUM)
        outcome = session.run("[E.A, E.A, E.B, E.C, F.A | F.B]")
        a, same, b, c, both = outcome.value
        assert a is same and a != b and b != c and type(a) is type(b) is type(c)
        assert [m.name for m in outcome.value] == ["A", "A", "B", "C", "A|B"] and both.value == 3
        assert isinstance(a, enum.Enum) and repr(a) == "<E.A: 1>" and hash(a) == hash(same)
        assert session.run("[E.A, E.A, E.B, E.C, F.A | F.B]").value == outcome.value
        assert pickle.loads(pickle.dumps(outcome)) == outcome == copy.deepcopy(outcome)
        # And back.
        session["back"] = [a, c]
        assert session.run("back[0] is E.A and back[1] is E.C").value is True
        assert session["back"] == [a, c]
    # Of another definition by that name it is another member.
    assert coldframe.run("import enum\nclass E(enum.Enum):\n    A = 2\nE.A").value != a
    assert coldframe.run("import enum\nclass E(enum.Enum):\n    A = True\nE.A").value is not a


def test_classes_that_are_made_are_bounded():
    with coldframe.Session(fuel=10**13, memory=1 << 30) as session:
        session.run(ENUM + "import dataclasses, collections")
        outcome, took = spent(lambda: session.run("[E.A] * 150_000"))
        assert outcome.crossed and took < 10
        session.run("def classes(n, prefix): return [dataclasses.make_dataclass(f'{prefix}{i}', ['x'])(i) for i in range(n)]")
        assert len(session.run("classes(300, 'a')").value) == 300
        # Those that are known already cost nothing.
        assert len(session.run("classes(300, 'a') * 2").value) == 600
        outcome, took = spent(lambda: session.run("classes(2_000, 'b')"))
        assert outcome.ok and not outcome.crossed and took < 3
        session.run("x = classes(2_000, 'c')")
        with pytest.raises(coldframe.CrossingError, match="too many classes"):
            session["x"]
        # One with thousands of fields takes as long.
        session.run("y = collections.namedtuple('N', [f'x{i}' for i in range(40_000)])(*range(40_000))")
        with pytest.raises(coldframe.CrossingError, match="too many fields"):
            session["y"]
        assert session.run("len(x)").value == 2_000


def test_dataclasses_of_one_definition_are_of_one_class():
    source = "import dataclasses\n@dataclasses.dataclass\nclass P: x: int\nP(1)"
    first, second = coldframe.run(source).value, coldframe.run(source).value
    assert type(first) is type(second) and first == second


def test_a_class_that_was_made_is_none_of_the_hosts():
    source = "import dataclasses\n@dataclasses.dataclass\nclass Grows: x: int\nv = Grows(1)"
    with coldframe.Session() as session:
        session.run(source)
        session["w"] = session["v"]
        # Had it been remembered, this would be made by its initializer.
        session.run("@dataclasses.dataclass\nclass Grows:\n    y: int\n    x: int = 0\nv = Grows(1)")
        assert session["v"].y == 1


def test_stand_ins_and_saved_sessions_are_compared_by_what_they_hold():
    with coldframe.Session() as session:
        one, two, three = session.run("lambda: 1").value, coldframe.StandIn("x"), coldframe.StandIn("x")
        assert two == three and hash(two) == hash(three) and one != two and two != "x"
        saved = session.save()
        assert saved == coldframe.Saved(bytes(saved)) and hash(saved) == hash(coldframe.Saved(bytes(saved)))
        assert saved != bytes(saved)
        outcome = session.run("lambda: 1")
        assert pickle.loads(pickle.dumps(outcome)) == outcome


class Missing:
    """Cannot enter the sandbox, so that the tools below have a default of their own."""


MISSING = Missing()


def by_position(a=MISSING, b=2, /, *rest, c=3):
    return [a is MISSING, b, list(rest), c]


def by_name(a=MISSING, b=2, *, c=MISSING):
    return [a is MISSING, b, c is MISSING]


@pytest.mark.parametrize(
    "forged",
    [
        "default.__module__ = 'coldframe'",
        "default.__module__ = 'coldframe.' + '0' * 32",
        "default.__module__ = 'coldframe._values'",
    ],
)
def test_programs_do_not_forge_what_stands_for_a_default(forged):
    source = f"from collections import namedtuple\ndefault = namedtuple('default', [])\n{forged}\nx = default()"
    with coldframe.Session(tools=[by_position, by_name]) as session:
        assert session.run(source).ok
        made = session["x"]
        assert isinstance(made, tuple) and type(made).__name__ == "default"
        assert session.run("by_position(x, 5)").value == [False, 5, [], 3]
        assert session.run("by_name(x, c=x)").value == [False, 2, False]


def test_a_default_of_the_hosts_moves_no_argument():
    with coldframe.Session(tools=[by_position, by_name]) as session:
        assert session.run("by_position(), by_position(1), by_position(1, 5, 6), by_position(c=1)").value == (
            [True, 2, [], 3],
            [False, 2, [], 3],
            [False, 5, [6], 3],
            [True, 2, [], 1],
        )
        assert session.run("by_name(), by_name(b=1), by_name(c=1)").value == ([True, 2, True], [True, 1, True], [True, 2, False])
        # What stands for it can be seen, and given: then it is as if nothing was.
        session.run("import inspect\nd = inspect.signature(by_position).parameters['a'].default")
        assert session.run("by_position(d)").value == [True, 2, [], 3]
        for call in ("by_position(d, 5)", "by_position(d, 2, 6)"):
            error = session.run(call).error
            assert error.type_name == "TypeError" and "cannot be given without 'a'" in error.message
        assert not isinstance(session["d"], coldframe._values.Omitted)


def test_dates_as_clocks_are_moments():
    aware = datetime.datetime(2026, 1, 2, tzinfo=datetime.timezone.utc)
    assert coldframe.run("import time; time.time()", clock=aware).value == aware.timestamp()

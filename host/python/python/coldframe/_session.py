"""Sandboxes and sessions."""

from __future__ import annotations

import asyncio
import builtins
import dataclasses
import datetime
import difflib
import gc
import inspect
import json
import os
import zoneinfo
from dataclasses import dataclass
from typing import Any, Callable, Iterable, Mapping, Sequence

from ._aio import Origin, future_callback
from ._errors import BusyError, Error, GuestSyntaxError, PolicyError, RunFailure
from ._native import Core as _Core
from ._native import Engine as _Engine
from ._native import Rules as _Rules
from ._native import Tools as _NativeTools
from ._outcome import Outcome, make
from ._remote import Remote, Routing, routes_of, watch
from ._tools import make_tools

_engine = _Engine(256, True)


def configure(*, max_sessions: int = 256, pooled: bool = True) -> None:
    """Sets up the engine of the process anew, for sandboxes that are made from now on.

    :param max_sessions: how many sessions may be alive at once, 1 to 10,000. Each reserves address space (4 GiB), not memory.
    :param pooled: whether to keep a pool, which makes a session in a quarter of the time.
    """
    global _engine
    if isinstance(max_sessions, int) and not 1 <= max_sessions <= 10_000:
        raise PolicyError(f"max_sessions={max_sessions}: must be 1 to 10,000")
    _engine = _Engine(max_sessions, pooled)


@dataclass(frozen=True)
class Variable:
    """A variable of a session, as people look at it."""

    name: str
    type_name: str
    repr: str


@dataclass(frozen=True)
class Import:
    """One module that a source imports."""

    module: str
    line: int


@dataclass(frozen=True)
class FileEntry:
    """One entry of a directory tree in the sandbox; ``kind`` is ``file``, ``directory``, ``link`` or ``other``."""

    path: str
    kind: str
    size: int


class Saved:
    """A saved session: memory as it was, for :meth:`Sandbox.restore` in this or another process with the same version of the package.

    >>> import coldframe
    >>> with coldframe.Session() as session:
    ...     _ = session.run("total = 41")
    ...     saved = session.save()
    >>> data = bytes(saved)  # for a file or a data base
    >>> with coldframe.Sandbox().restore(coldframe.Saved(data)) as session:
    ...     session.run("total + 1").value
    42
    """

    __slots__ = ("_data",)

    def __init__(self, data: "bytes | bytearray | memoryview") -> None:
        self._data = bytes(memoryview(data))

    def __bytes__(self) -> bytes:
        return self._data

    def __len__(self) -> int:
        return len(self._data)

    def __eq__(self, other: object) -> bool:
        return self._data == other._data if isinstance(other, Saved) else NotImplemented

    def __hash__(self) -> int:
        return hash((Saved, self._data))

    def __repr__(self) -> str:
        return f"<coldframe.Saved of {len(self._data)} bytes>"


def _bytes_of(saved: "Saved | bytes") -> bytes:
    return bytes(saved if isinstance(saved, Saved) else Saved(saved))


OnOutput = Callable[[str, str], Any]


def _names(option: str, names: "Iterable[str] | None") -> "list[str] | None":
    if isinstance(names, str):
        raise TypeError(f"{option} is a list of names, not {names!r}: write [{names!r}]")
    return None if names is None else list(names)


#: Builtins of the sandbox's Python that the host's may not have.
_NEWER_BUILTINS = ("BaseExceptionGroup", "ExceptionGroup", "PythonFinalizationError", "_IncompleteInputError")


def _check_builtins(names: "list[str] | None") -> None:
    for name in names or ():
        if isinstance(name, str) and not hasattr(builtins, name) and name not in _NEWER_BUILTINS:
            raise PolicyError(f"option removed_builtins: there is no builtin {name!r}")


def _check_dunders(names: "list[str] | None") -> None:
    for name in names or ():
        if isinstance(name, str) and not (len(name) > 4 and name.startswith("__") and name.endswith("__")):
            raise PolicyError(f"option dunders: {name!r} is not a name __like_this__")


def _check_clock(clock: Any) -> Any:
    if not isinstance(clock, datetime.datetime):
        return clock
    if clock.utcoffset() is None:
        raise PolicyError(f"option clock={clock!r}: a datetime without a time zone is no moment: give it a tzinfo, such as datetime.timezone.utc")
    return clock.timestamp()


def _is_surely_a_zone(name: str) -> bool:
    """Whether the host has that time zone, under a name that it has everywhere."""
    try:
        return name.partition("/")[0] not in ("localtime", "posix", "posixrules", "right") and bool(zoneinfo.ZoneInfo(name))
    except Exception:
        return False


def _check_names(function: str, options: "Mapping[str, Any]") -> None:
    """Says which function has no such option, and which option may be meant."""
    known = [name for name, parameter in inspect.signature(Sandbox.__init__).parameters.items() if parameter.kind is parameter.KEYWORD_ONLY]
    for name in options:
        if name not in known:
            near = difflib.get_close_matches(name, known, 2, 0.6)
            hint = f": perhaps {' or '.join(near)} is meant" if near else ": its options are those of coldframe.Sandbox"
            raise TypeError(f"{function}() got an unexpected keyword argument {name!r}{hint}")


def _unencodable(source: Any, error: "UnicodeEncodeError") -> RunFailure:
    """How a program fails that is no text: as it does in CPython."""
    message = str(error)
    return RunFailure(
        kind="syntax",
        type_name="UnicodeEncodeError",
        message=message,
        line=source.count("\n", 0, error.start) + 1,
        traceback=f"UnicodeEncodeError: {message}\n",
        session_lost=False,
        exit_code=None,
        exceeded=None,
    )


def _readable(source: Any) -> "tuple[Any, RunFailure | None]":
    """A source, or an empty one and how the program fails: half a surrogate pair is in it, which no encoding has."""
    if isinstance(source, str) and not source.isascii():
        try:
            source.encode()
        except UnicodeEncodeError as error:
            return "", _unencodable(source, error)
    return source, None


def _bytes(data: "bytes | bytearray | memoryview | str") -> bytes:
    if isinstance(data, str):
        return data.encode()
    # Not bytes(data): that of a number are so many zeros.
    return bytes(memoryview(data))


class Sandbox:
    """What programs may do and use, and the tools that they get. Sessions are made of it.

    >>> import coldframe
    >>> sandbox = coldframe.Sandbox(imports=["math"], time=0.1, memory=64 << 20)
    >>> sandbox.run("import math; math.factorial(10)").value
    3628800
    >>> sandbox.run("import os").error.message
    "Import of os is not allowed. Authorized imports are: ['math']"
    >>> sandbox.run("while True: pass").error.kind
    'time'

    :param preset: ``default``, ``smolagents`` or ``strict``: where to start from.
    :param imports: the only modules that may be imported; ``name.*`` for all below a name, too.
    :param more_imports: modules that are allowed besides those of the preset.
    :param denied_imports: modules that are not allowed, with all below them.
    :param removed_builtins: builtins that programs do not see. Those that there are not are refused.
    :param dunders: if given, attributes ``__like_this__`` are out of reach but for these; any such name may be given.
    :param while_iterations: how many times one ``while`` statement may go round.
    :param clock: a moment at which the clocks stand still: an aware ``datetime``, or seconds since the epoch; from 1970 to 2554.
    :param seed: draws all entropy from a generator with this seed.
    :param time_zone: the local time zone, such as ``Europe/Vienna``.
    :param cut_middle: cuts the output to so many characters, in the middle, instead of stopping the program.
    :param cut_end: the same at the end; one of the two.
    :param agent_texts: tells failures in the words of smolagents' executor.
    :param fuel: units of fuel of a run, about one for each WebAssembly instruction.
    :param operations: the same in operations of 250 units; one of the two.
    :param time: seconds that a run may take.
    :param memory: bytes of memory that a session may have, the interpreter's own included: 28 MiB to 4 GiB.
    :param output: bytes that a run may write.
    :param recursion: frames that may be active at once.
    :param files: bytes that a session's files may take.
    :param tool_calls: calls of tools that a run may make.
    :param tool_bytes: bytes that the arguments of one call may take, and its result.
    :param count_tool_time: whether waiting for tools counts against the time of a run.
    :param tools: callables, :class:`Tool` objects, or a mapping from names to callables.
    :param exceptions: classes of exceptions that programs know by their names; see :func:`exception`.
    :param live_objects: whether objects that cannot enter the sandbox become handles by themselves (see :class:`Handle`), without attributes.
    :param remote: a :class:`Remote` backend for programs that import what the sandbox has not. Their variables go there and come back; tools and final
        answers work there too. Files, ``save``, ``fork`` and ``log`` are the sandbox's alone.
    :param routing: which programs go there; see :class:`Routing`.
    """

    def __init__(
        self,
        *,
        preset: str = "default",
        imports: "Iterable[str] | None" = None,
        more_imports: "Iterable[str] | None" = None,
        denied_imports: "Iterable[str] | None" = None,
        removed_builtins: "Iterable[str] | None" = None,
        dunders: "Iterable[str] | None" = None,
        while_iterations: "int | None" = None,
        clock: "datetime.datetime | float | None" = None,
        seed: "int | None" = None,
        time_zone: "str | None" = None,
        cut_middle: "int | None" = None,
        cut_end: "int | None" = None,
        agent_texts: "bool | None" = None,
        fuel: "int | None" = None,
        operations: "int | None" = None,
        time: "float | None" = None,
        memory: "int | None" = None,
        output: "int | None" = None,
        recursion: "int | None" = None,
        files: "int | None" = None,
        tool_calls: "int | None" = None,
        tool_bytes: "int | None" = None,
        count_tool_time: "bool | None" = None,
        tools: "Iterable[Any] | Mapping[str, Any]" = (),
        exceptions: "Iterable[type[BaseException]]" = (),
        live_objects: bool = False,
        remote: "Remote | None" = None,
        routing: "Routing | None" = None,
    ) -> None:
        if fuel is not None and operations is not None:
            raise PolicyError("options fuel and operations are the same limit in two units: give one of them")
        if cut_middle is not None and cut_end is not None:
            raise PolicyError("options cut_middle and cut_end are two ways to cut the same output: give one of them")
        options: "dict[str, Any]" = {
            "preset": preset,
            "imports": _names("imports", imports),
            "more_imports": _names("more_imports", more_imports),
            "denied_imports": _names("denied_imports", denied_imports),
            "removed_builtins": _names("removed_builtins", removed_builtins),
            "dunders": _names("dunders", dunders),
            "while_iterations": while_iterations,
            "clock": _check_clock(clock),
            "seed": seed,
            "time_zone": time_zone,
            "cut_middle": cut_middle,
            "cut_end": cut_end,
            "agent_texts": agent_texts,
            "fuel": fuel,
            "operations": operations,
            "time": time,
            "memory": memory,
            "output": output,
            "recursion": recursion,
            "files": files,
            "tool_calls": tool_calls,
            "tool_bytes": tool_bytes,
            "count_tool_time": count_tool_time,
        }
        _check_builtins(options["removed_builtins"])
        _check_dunders(options["dunders"])
        self._rules = _Rules(options)
        self._routes = routes_of(self._rules, remote, routing)
        self._generous = live_objects
        self._engine = _engine
        self._tools: "_NativeTools | None" = make_tools(tools, exceptions, live_objects)
        if time_zone is not None and not _is_surely_a_zone(time_zone):
            self._try_time_zone(time_zone)

    def _try_time_zone(self, time_zone: str) -> None:
        # Which zones there are in the sandbox, only a sandbox knows.
        core = _Core(False)
        try:
            core.block("open", self._engine, self._rules, None, None, None)
            core.block("close")
        except PolicyError as error:
            raise PolicyError(f"option time_zone={time_zone!r}: {error}") from None
        except Error:
            pass  # there is no sandbox to ask, which is no matter of the option

    def session(self, variables: "Mapping[str, Any] | None" = None) -> "Session":
        """A fresh session."""
        return Session._open(self, None, variables)

    async def async_session(self, variables: "Mapping[str, Any] | None" = None) -> "AsyncSession":
        """A fresh session for a program with an event loop."""
        return await AsyncSession._open(self, None, variables)

    def restore(self, saved: "Saved | bytes") -> "Session":
        """A session as it was when it was saved, with this sandbox's policy and tools."""
        return Session._open(self, _bytes_of(saved), None)

    async def async_restore(self, saved: "Saved | bytes") -> "AsyncSession":
        """The same for a program with an event loop."""
        return await AsyncSession._open(self, _bytes_of(saved), None)

    def run(
        self,
        source: str,
        variables: "Mapping[str, Any] | None" = None,
        *,
        on_output: "OnOutput | None" = None,
        file_name: str = "<string>",
    ) -> Outcome:
        """Runs a program in a session of its own."""
        with self.session(variables) as session:
            return session.run(source, on_output=on_output, file_name=file_name)

    async def run_async(
        self,
        source: str,
        variables: "Mapping[str, Any] | None" = None,
        *,
        on_output: "OnOutput | None" = None,
        file_name: str = "<string>",
        top_level_await: bool = True,
    ) -> Outcome:
        """The same for a program with an event loop.

        >>> import asyncio, coldframe
        >>> sandbox = coldframe.Sandbox()
        >>> async def main():
        ...     return await asyncio.gather(*(sandbox.run_async("n * n", {"n": n}) for n in range(4)))
        >>> [outcome.value for outcome in asyncio.run(main())]
        [0, 1, 4, 9]
        """
        async with await self.async_session(variables) as session:
            return await session.run(source, on_output=on_output, file_name=file_name, top_level_await=top_level_await)


class Session:
    """One live interpreter: variables, functions and imports stay from run to run.

    >>> import coldframe
    >>> with coldframe.Session() as session:
    ...     _ = session.run("total = sum(range(10))")
    ...     session.run("total * 2").value
    ...     session["total"]
    90
    45

    Options are those of :class:`Sandbox`.
    """

    _core: _Core
    _sandbox: Sandbox
    #: The tools that were set last. The collector of cycles sees them through it.
    _tools: "_NativeTools | None" = None

    def __init__(self, *, variables: "Mapping[str, Any] | None" = None, **options: Any) -> None:
        _check_names("coldframe.Session", options)
        self._start(Sandbox(**options), None, variables)

    def _start(self, sandbox: Sandbox, saved: "bytes | None", variables: "Mapping[str, Any] | None") -> None:
        self._sandbox = sandbox
        self._core = watch(_Core(sandbox._generous), sandbox._routes)
        request = ("open", sandbox._engine, sandbox._rules, saved, sandbox._tools, sandbox._routes)
        try:
            self._core.block(*request)
        except BusyError:
            # Sessions that nobody can reach any more, but through each other.
            gc.collect()
            self._core.block(*request)
        if variables:
            self._core.block("set_variables", dict(variables))

    @classmethod
    def _open(cls, sandbox: Sandbox, saved: "bytes | None", variables: "Mapping[str, Any] | None") -> "Session":
        session = cls.__new__(cls)
        session._start(sandbox, saved, variables)
        return session

    def run(
        self,
        source: str,
        *,
        file_name: str = "<string>",
        want_value: bool = True,
        last: bool = False,
        top_level_await: bool = False,
        on_output: "OnOutput | None" = None,
    ) -> Outcome:
        """Runs a program. Whatever it does is an :class:`Outcome`; Ctrl-C ends it and raises ``KeyboardInterrupt``.

        :param file_name: what tracebacks call it.
        :param want_value: whether the value of a last expression is wanted.
        :param last: whether the session ends with this run: then what Python does at exit is part of it.
        :param top_level_await: whether ``await`` may be used outside of functions.
        :param on_output: called with ``"stdout"`` or ``"stderr"`` and text as it is written; the run ends when it returns ``False``.
        """
        source, failure = _readable(source)
        outcome = make(self._core.block("run", source, file_name, want_value, last, top_level_await, on_output))
        return outcome if failure is None else dataclasses.replace(outcome, error=failure)

    def set(self, /, **variables: Any) -> None:
        """Binds variables."""
        self._core.block("set_variables", variables)

    def get(self, name: str, default: Any = None) -> Any:
        """The value of a variable, or ``default`` if there is none of that name."""
        found, value = self._core.block("get_variable", name)
        return value if found else default

    def __setitem__(self, name: str, value: Any) -> None:
        self._core.block("set_variables", {name: value})

    def __getitem__(self, name: str) -> Any:
        found, value = self._core.block("get_variable", name)
        if not found:
            raise KeyError(name)
        return value

    def __contains__(self, name: object) -> bool:
        return any(variable.name == name for variable in self.variables(1))

    #: Not by numbers, which is what Python tries otherwise.
    __iter__ = None

    def variables(self, repr_limit: int = 200) -> "list[Variable]":
        """The variables in the order in which they were bound, as people look at them: each ``repr()`` cut to so many bytes."""
        return [Variable(*v) for v in self._core.block("list_variables", repr_limit)]

    def imports_of(self, source: str) -> "list[Import]":
        """What a program imports, also inside functions, without running it."""
        source, failure = _readable(source)
        if failure is not None:
            raise GuestSyntaxError(failure)
        return [Import(*i) for i in self._core.block("list_imports", source)]

    def set_tools(self, tools: "Iterable[Any] | Mapping[str, Any]", exceptions: "Iterable[type[BaseException]]" = ()) -> None:
        """Defines the tools in place of those defined before."""
        self._set_tools(make_tools(tools, exceptions, self._sandbox._generous) or _NativeTools([], [], self._sandbox._generous))

    def _set_tools(self, tools: _NativeTools) -> None:
        self._core.block("set_tools", tools)
        self._tools = tools

    def put_file(self, path: "str | os.PathLike[str]", data: "bytes | bytearray | memoryview | str") -> None:
        """Puts a file into the sandbox's memory, with the directories above it. Text is written as UTF-8."""
        self._core.block("put_file", os.fspath(path), _bytes(data))

    def take_file(self, path: "str | os.PathLike[str]") -> bytes:
        """The data of a file of the sandbox's."""
        return bytes(self._core.block("take_file", os.fspath(path)))

    def list_files(self, directory: "str | os.PathLike[str]" = ".") -> "list[FileEntry]":
        """Everything below a directory of the sandbox's."""
        return [FileEntry(*f) for f in self._core.block("list_files", os.fspath(directory))]

    def make_directory(self, path: "str | os.PathLike[str]") -> None:
        """Makes a directory and those above it."""
        self._core.block("make_directory", os.fspath(path))

    def save(self) -> Saved:
        """The session as data. Handles and tools are not in it, nor what is only on a remote backend."""
        return Saved(self._core.block("save"))

    def fork(self) -> "Session":
        """A copy of the session, with its variables, tools and handles. The two go on independently; what is only on a remote backend stays with the first.

        >>> import coldframe
        >>> with coldframe.Session(variables={"n": 1}) as session, session.fork() as fork:
        ...     _ = fork.run("n += 1")
        ...     session["n"], fork["n"]
        (1, 2)
        """
        fork = type(self).__new__(type(self))
        fork._sandbox, fork._tools = self._sandbox, self._tools
        fork._core = watch(self._core.block("fork"), self._sandbox._routes)
        return fork

    def reset(self) -> None:
        """Makes the session a fresh one; brings back one that was lost."""
        self._core.block("reset")

    def log(self) -> Any:
        """What the session has done in the sandbox: its last runs one by one, and figures over all of them."""
        return json.loads(self._core.block("log"))

    def cancel(self) -> None:
        """Ends the run that is under way; may be called from any thread."""
        self._core.cancel()

    @property
    def is_alive(self) -> bool:
        """Whether the session can be used."""
        return self._core.is_alive is not False

    def close(self) -> None:
        """Gives the sandbox back, and removes what was made elsewhere."""
        self._core.block("close")

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


class AsyncSession:
    """A :class:`Session` for programs with an event loop: every method that waits is a coroutine. Made by :meth:`Sandbox.async_session`.

    Runs do not hold the loop up, requests are served in their order, and cancelling a task that waits for a run ends the run.

    >>> import asyncio, coldframe
    >>> async def main():
    ...     async def fetch(n): await asyncio.sleep(0.01); return n * 10
    ...     sandbox = coldframe.Sandbox(tools=[fetch])
    ...     async with await sandbox.async_session() as session:
    ...         outcome = await session.run("import asyncio; await asyncio.gather(fetch(1), fetch(2))", top_level_await=True)
    ...         return outcome.value
    >>> asyncio.run(main())
    [10, 20]
    """

    _core: _Core
    _sandbox: Sandbox
    #: The tools that were set last. The collector of cycles sees them through it.
    _tools: "_NativeTools | None" = None

    def __init__(self) -> None:
        raise TypeError("use `await sandbox.async_session()`")

    @classmethod
    async def _open(cls, sandbox: Sandbox, saved: "bytes | None", variables: "Mapping[str, Any] | None") -> "AsyncSession":
        session = cls.__new__(cls)
        session._sandbox = sandbox
        session._core = watch(_Core(sandbox._generous), sandbox._routes)
        request = ("open", sandbox._engine, sandbox._rules, saved, sandbox._tools, sandbox._routes)
        try:
            await session._ask(*request)
        except BusyError:
            gc.collect()
            await session._ask(*request)
        if variables:
            await session._ask("set_variables", dict(variables))
        return session

    async def _ask(self, name: str, *arguments: Any) -> Any:
        loop = asyncio.get_running_loop()
        origin = Origin(loop, self._core)
        future, done = future_callback(loop)
        number = self._core.start(origin, done, name, *arguments)
        try:
            return await future
        except asyncio.CancelledError:
            self._core.abandon(number)
            raise
        finally:
            origin.is_over = True

    async def run(
        self,
        source: str,
        *,
        file_name: str = "<string>",
        want_value: bool = True,
        last: bool = False,
        top_level_await: bool = False,
        on_output: "OnOutput | None" = None,
    ) -> Outcome:
        """Runs a program; see :meth:`Session.run`. ``on_output`` is called on a thread of its own."""
        source, failure = _readable(source)
        outcome = make(await self._ask("run", source, file_name, want_value, last, top_level_await, on_output))
        return outcome if failure is None else dataclasses.replace(outcome, error=failure)

    async def set(self, /, **variables: Any) -> None:
        """Binds variables."""
        await self._ask("set_variables", variables)

    async def get(self, name: str, default: Any = None) -> Any:
        """The value of a variable, or ``default`` if there is none of that name."""
        found, value = await self._ask("get_variable", name)
        return value if found else default

    async def variables(self, repr_limit: int = 200) -> "list[Variable]":
        """The variables in the order in which they were bound, as people look at them: each ``repr()`` cut to so many bytes."""
        return [Variable(*v) for v in await self._ask("list_variables", repr_limit)]

    async def imports_of(self, source: str) -> "list[Import]":
        """What a program imports, also inside functions, without running it."""
        source, failure = _readable(source)
        if failure is not None:
            raise GuestSyntaxError(failure)
        return [Import(*i) for i in await self._ask("list_imports", source)]

    async def set_tools(self, tools: "Iterable[Any] | Mapping[str, Any]", exceptions: "Sequence[type[BaseException]]" = ()) -> None:
        """Defines the tools in place of those defined before."""
        made = make_tools(tools, exceptions, self._sandbox._generous) or _NativeTools([], [], self._sandbox._generous)
        await self._ask("set_tools", made)
        self._tools = made

    async def put_file(self, path: "str | os.PathLike[str]", data: "bytes | bytearray | memoryview | str") -> None:
        """Puts a file into the sandbox's memory."""
        await self._ask("put_file", os.fspath(path), _bytes(data))

    async def take_file(self, path: "str | os.PathLike[str]") -> bytes:
        """The data of a file of the sandbox's."""
        return bytes(await self._ask("take_file", os.fspath(path)))

    async def list_files(self, directory: "str | os.PathLike[str]" = ".") -> "list[FileEntry]":
        """Everything below a directory of the sandbox's."""
        return [FileEntry(*f) for f in await self._ask("list_files", os.fspath(directory))]

    async def make_directory(self, path: "str | os.PathLike[str]") -> None:
        """Makes a directory and those above it."""
        await self._ask("make_directory", os.fspath(path))

    async def save(self) -> Saved:
        """The session as data."""
        return Saved(await self._ask("save"))

    async def fork(self) -> "AsyncSession":
        """A copy of the session."""
        fork = type(self).__new__(type(self))
        fork._sandbox, fork._tools = self._sandbox, self._tools
        fork._core = watch(await self._ask("fork"), self._sandbox._routes)
        return fork

    async def reset(self) -> None:
        """Makes the session a fresh one; brings back one that was lost."""
        await self._ask("reset")

    async def log(self) -> Any:
        """What the session has done."""
        return json.loads(await self._ask("log"))

    def cancel(self) -> None:
        """Ends the run that is under way."""
        self._core.cancel()

    @property
    def is_alive(self) -> bool:
        """Whether the session can be used."""
        return self._core.is_alive is not False

    async def close(self) -> None:
        """Gives the sandbox back, and removes what was made elsewhere."""
        await self._ask("close")

    async def __aenter__(self) -> "AsyncSession":
        return self

    async def __aexit__(self, *_: Any) -> None:
        await self.close()


_default: "Sandbox | None" = None


def run(source: str, variables: "Mapping[str, Any] | None" = None, **options: Any) -> Outcome:
    """Runs a program in a session of its own. Options are those of :class:`Sandbox`.

    >>> import coldframe
    >>> coldframe.run("[n * n for n in numbers]", {"numbers": range(4)}).value
    [0, 1, 4, 9]
    """
    global _default
    if options:
        _check_names("coldframe.run", options)
        return Sandbox(**options).run(source, variables)
    if _default is None or _default._engine is not _engine:
        _default = Sandbox()
    return _default.run(source, variables)

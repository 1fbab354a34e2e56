"""Takes objects of the library's types apart for the crossing, and puts them together again.

What comes out of a sandbox never chooses a class of the host's, with two exceptions: built-in exceptions, and classes of which the host itself has sent
an object in (enums, dataclasses, named tuples). Of all others a class with the same name and fields is made.
"""

from __future__ import annotations

import builtins
import dataclasses
import datetime
import decimal
import enum
import fractions
import pathlib
import threading
import types
import uuid
import weakref
import zoneinfo
from collections import OrderedDict, namedtuple
from typing import Any

from ._errors import CrossingError

_known: "weakref.WeakValueDictionary[tuple[str, str, str], type]" = weakref.WeakValueDictionary()
#: May be taken again by what the collector of garbage calls meanwhile.
_lock = threading.RLock()


class Handle:
    """Lets programs hold an object of the host without seeing it.

    A program gets a stand-in, which it can store, compare and give to tools; they and the host get the very object. Programs read the attributes that are
    named here, and no others; their values must be able to cross.

    >>> import coldframe
    >>> class Image:
    ...     width = 640
    ...     path = "/home/me/secret.png"
    >>> image = Image()
    >>> with coldframe.Session(variables={"image": coldframe.Handle(image, attributes=["width"])}) as session:
    ...     session.run("image.width").value
    ...     session.run("[image]").value[0] is image
    ...     session.run("image.path").error.type_name
    640
    True
    'AttributeError'
    """

    __slots__ = ("object", "name", "attributes")

    def __init__(self, object: Any, *, name: str | None = None, attributes: "list[str] | tuple[str, ...]" = ()) -> None:
        self.object = object
        self.name = name or type(object).__name__
        self.attributes = tuple(attributes)


class StandIn:
    """What the host gets for an object of a program that cannot leave the sandbox: its ``repr()``."""

    __slots__ = ("repr",)

    def __init__(self, repr: str) -> None:
        self.repr = repr

    def __repr__(self) -> str:
        return self.repr

    def __eq__(self, other: object) -> bool:
        return self.repr == other.repr if isinstance(other, StandIn) else NotImplemented

    def __hash__(self) -> int:
        return hash((StandIn, self.repr))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "repr":
            raise AttributeError(name)
        raise AttributeError(f"{name}: the object stayed in the sandbox, and only its repr() came out: {self.repr:.100}")


class Omitted:
    """Stands for a default that cannot enter the sandbox: the host's function uses its own."""


OMITTED = Omitted()

#: The class by which programs know it. They see it where they look at a tool's defaults, and make no other of it: the module is not to be guessed.
_OMITTED_CLASS = ("namedtuple", f"coldframe.{uuid.uuid4().hex}", "default")


def is_omitted(value: Any) -> bool:
    """Whether a program gave nothing for a parameter with such a default."""
    return getattr(type(value), "__coldframe_made__", None) == _OMITTED_CLASS


def _remember(kind: str, cls: type) -> tuple[str, str]:
    names = (cls.__module__, cls.__qualname__)
    # Those that were made here are none of the host's.
    if "__coldframe_made__" not in vars(cls):
        with _lock:
            _known[(kind, *names)] = cls
    return names


def _zone(zone: Any) -> Any:
    if zone is None or type(zone) in (datetime.timezone, zoneinfo.ZoneInfo):
        return zone
    offset = zone.utcoffset(None)
    return zone if offset is None else datetime.timezone(offset)


def _is_namedtuple(obj: Any) -> bool:
    fields = getattr(type(obj), "_fields", None)
    return isinstance(fields, tuple) and all(isinstance(f, str) for f in fields) and len(fields) == len(obj)


#: Told with the type of an object that became a handle by itself, since its attributes are not there.
ON_HOST = "(on the host)"


def _handle(obj: Any) -> Any:
    return ("handle", obj, f"{type(obj).__name__} {ON_HOST}", [])


def dump(obj: Any, generous: bool) -> Any:
    """Takes ``obj`` apart; ``None`` when there is nothing to it but a built-in type."""
    if isinstance(obj, Handle):
        return ("handle", obj.object, obj.name, list(obj.attributes))
    if isinstance(obj, Omitted):
        return (*_OMITTED_CLASS, {})
    if isinstance(obj, enum.Enum):
        module, name = _remember("enum", type(obj))
        return ("enum", module, name, obj._name_, obj._value_)
    if isinstance(obj, datetime.date) and not isinstance(obj.year, int):
        # The date that is none, as of pandas.
        return _handle(obj) if generous else None
    if isinstance(obj, datetime.datetime):
        return ("datetime", obj.year, obj.month, obj.day, obj.hour, obj.minute, obj.second, obj.microsecond, bool(obj.fold), _zone(obj.tzinfo))
    if isinstance(obj, datetime.date):
        return ("date", obj.year, obj.month, obj.day)
    if isinstance(obj, datetime.time):
        return ("time", obj.hour, obj.minute, obj.second, obj.microsecond, bool(obj.fold), _zone(obj.tzinfo))
    if isinstance(obj, datetime.timedelta):
        return ("timedelta", obj.days, obj.seconds, obj.microseconds)
    if isinstance(obj, datetime.timezone):
        offset = obj.utcoffset(None)
        name = obj.tzname(None)
        plain = datetime.timezone(offset).tzname(None)
        return ("timezone", (offset.days * 86400 + offset.seconds) * 1_000_000 + offset.microseconds, None if name == plain else name)
    if isinstance(obj, zoneinfo.ZoneInfo) and obj.key is not None:
        return ("zoneinfo", obj.key)
    if isinstance(obj, decimal.Decimal):
        return ("decimal", str(obj))
    if isinstance(obj, fractions.Fraction):
        return ("fraction", obj.numerator, obj.denominator)
    if isinstance(obj, pathlib.PurePath):
        if isinstance(obj, pathlib.Path):
            return ("path", "PosixPath", obj.as_posix())
        kind = "PureWindowsPath" if isinstance(obj, pathlib.PureWindowsPath) else "PurePosixPath"
        return ("path", kind, str(obj))
    if isinstance(obj, uuid.UUID):
        return ("uuid", obj.bytes)
    if isinstance(obj, tuple) and _is_namedtuple(obj):
        module, name = _remember("namedtuple", type(obj))
        return ("namedtuple", module, name, dict(zip(type(obj)._fields, obj)))
    if isinstance(obj, (bytes, bytearray, set, frozenset, complex)):
        for base in (bytes, bytearray, set, frozenset, complex):
            if isinstance(obj, base):
                return ("plain", base(obj))
    if isinstance(obj, OrderedDict):
        return ("plain", dict(obj))
    if isinstance(obj, memoryview):
        return ("plain", bytes(obj))
    if isinstance(obj, (str, int, float, list, tuple, dict)):
        return None
    if type(obj).__module__ == "numpy" and getattr(obj, "ndim", None) == 0 and hasattr(obj, "item"):
        item = obj.item()
        if type(item) is not type(obj):
            return ("plain", item)
    if generous:
        # What is more than data stays where it is.
        return _handle(obj)
    if dataclasses.is_dataclass(obj) and not isinstance(obj, type):
        module, name = _remember("dataclass", type(obj))
        return ("dataclass", module, name, {f.name: getattr(obj, f.name) for f in dataclasses.fields(obj)})
    if isinstance(obj, BaseException):
        return ("exception", type(obj).__module__, type(obj).__qualname__, obj.args)
    return None


def _reduce(self: Any, _protocol: Any) -> Any:
    """How objects of classes that are made here are pickled: the class is made again."""
    kind, module, name = type(self).__coldframe_made__
    if kind == "dataclass":
        return load, (kind, module, name, {f.name: getattr(self, f.name) for f in dataclasses.fields(self)})
    if kind == "namedtuple":
        return load, (kind, module, name, self._asdict())
    if kind == "enum":
        return load, (kind, module, name, self._name_, self._value_)
    return load, (kind, module, name, self.args)


def _hash_fields(self: Any) -> int:
    return hash(tuple([getattr(self, name) for name in self.__dataclass_fields__]))


class Room:
    """How many classes may still be made for the values of one request: making one takes as long as making hundreds of objects, and a program can name as
    many as it likes."""

    __slots__ = ("left",)

    def __init__(self) -> None:
        self.left = 500

    def take(self, kind: str, fields: int) -> None:
        # The methods of a dataclass are compiled from text that names all fields.
        self.left -= 1 + fields // (4 if kind == "dataclass" else 50)
        if self.left < 0:
            raise CrossingError("the values of this request are of too many classes, or of classes with too many fields: at most 500 small ones are made")


#: Classes that were made, those that were used last at the end.
_made: "OrderedDict[tuple[str, str, str, tuple[str, ...]], type]" = OrderedDict()
_MAX_MADE = 1024


def _made_class(room: "Room | None", kind: str, module: str, name: str, fields: "tuple[str, ...]") -> Any:
    """The class of that definition: the same one as long as it is remembered."""
    key = (kind, module, name, fields)
    with _lock:
        known = _made.get(key)
        if known is not None:
            _made.move_to_end(key)
            return known
    if room is not None:
        room.take(kind, len(fields))
    made = _make_class(kind, module, name, fields)
    with _lock:
        made = _made.setdefault(key, made)
        if len(_made) > _MAX_MADE:
            _made.popitem(last=False)
    return made


def _make_class(kind: str, module: str, name: str, fields: "tuple[str, ...]") -> type:
    short = name.rpartition(".")[2]
    if not short.isidentifier():
        short = "Object"
    if kind == "dataclass":
        # Whether it can be hashed is up to the fields: in the sandbox it may have been a key.
        cls = dataclasses.make_dataclass(short, list(fields), namespace={"__hash__": _hash_fields})
    elif kind == "namedtuple":
        cls = namedtuple(short, fields)
    elif kind == "enum":
        cls = _make_enum(short)
    else:
        cls = type(short, (Exception,), {})
    cls.__module__, cls.__qualname__ = module, name
    cls.__coldframe_made__ = (kind, module, name)
    cls.__reduce_ex__ = _reduce
    return cls


def _make_enum(name: str) -> Any:
    """An enum without members: which there are, only the program knows. Each is made when it comes (see :func:`_load_enum`), so they are compared by what
    they are."""
    cls = types.new_class(name, (enum.Enum,))
    cls.__eq__ = _equal_members
    cls.__hash__ = enum.Enum.__hash__
    return cls


def _equal_members(self: Any, other: Any) -> Any:
    if self is other:
        return True
    if type(other) is not type(self):
        return NotImplemented
    return (self._name_, self._value_) == (other._name_, other._value_)


#: Members that a class remembers, so that those that are the same are one object.
_MAX_MEMBERS = 256


def _known_class(kind: str, module: str, name: str) -> type | None:
    with _lock:
        return _known.get((kind, module, name))


def _load_enum(room: "Room | None", module: str, name: str, member: str | None, value: Any) -> Any:
    cls = _known_class("enum", module, name)
    if cls is not None:
        return cls[member] if member in cls.__members__ else cls(value)
    cls = _made_class(room, "enum", module, name, ())
    made = object.__new__(cls)
    made._name_, made._value_ = member, value
    if type(value) in (int, str) and isinstance(member, str):
        with _lock:
            members = cls.__dict__.get("__coldframe_members__")
            if members is None:
                members = cls.__coldframe_members__ = {}
            known = members.setdefault(member, made) if len(members) < _MAX_MEMBERS else members.get(member)
        if known is not None and type(known._value_) is type(value) and known._value_ == value:
            return known
    return made


def _load_dataclass(room: "Room | None", module: str, name: str, fields: dict[str, Any]) -> Any:
    cls = _known_class("dataclass", module, name)
    if cls is not None:
        # By the class's own initializer: what it checks is checked.
        init = {f.name: fields[f.name] for f in dataclasses.fields(cls) if f.init and f.name in fields}
        return cls(**init)
    return _made_class(room, "dataclass", module, name, tuple(fields))(**fields)


def _load_namedtuple(room: "Room | None", module: str, name: str, fields: dict[str, Any]) -> Any:
    cls = _known_class("namedtuple", module, name) or _made_class(room, "namedtuple", module, name, tuple(fields))
    return cls(**fields)


def _load_exception(room: "Room | None", module: str, name: str, args: tuple[Any, ...]) -> BaseException:
    cls = getattr(builtins, name, None) if module == "builtins" else None
    if not (isinstance(cls, type) and issubclass(cls, BaseException)):
        cls = _made_class(room, "exception", module, name, ())
    try:
        return cls(*args)
    except Exception:
        return Exception(*args)


def _load_fraction(numerator: int, denominator: int) -> fractions.Fraction:
    if numerator.bit_length() + denominator.bit_length() < 4096:
        return fractions.Fraction(numerator, denominator)
    # As it is: that of a program is in its lowest terms, and to see to that again takes the square of the length.
    made = fractions.Fraction(0)
    made._numerator, made._denominator = numerator, denominator
    return made


def _load_time(hour: int, minute: int, second: int, microsecond: int, fold: int, zone: Any) -> datetime.time:
    return datetime.time(hour, minute, second, microsecond, tzinfo=zone, fold=fold)


def _load_datetime(year: int, month: int, day: int, h: int, m: int, s: int, us: int, fold: int, zone: Any) -> datetime.datetime:
    return datetime.datetime(year, month, day, h, m, s, us, tzinfo=zone, fold=fold)


def _load_timezone(microseconds: int, name: str | None) -> datetime.timezone:
    offset = datetime.timedelta(microseconds=microseconds)
    if name is None:
        return datetime.timezone.utc if not offset else datetime.timezone(offset)
    return datetime.timezone(offset, name)


def _load_path(kind: str, text: str) -> pathlib.PurePath:
    # Never a path that could touch the host's files by itself: text of a program's choice is data.
    return pathlib.PureWindowsPath(text) if kind == "PureWindowsPath" else pathlib.PurePosixPath(text)


_LOADERS: dict[str, Any] = {
    "range": range,
    "slice": slice,
    "date": datetime.date,
    "time": _load_time,
    "datetime": _load_datetime,
    "timedelta": datetime.timedelta,
    "timezone": _load_timezone,
    "zoneinfo": zoneinfo.ZoneInfo,
    "decimal": decimal.Decimal,
    "fraction": _load_fraction,
    "path": _load_path,
    "uuid": lambda data: uuid.UUID(bytes=data),
}

#: Those that may need a class to be made.
_CLASS_LOADERS: dict[str, Any] = {
    "enum": _load_enum,
    "dataclass": _load_dataclass,
    "namedtuple": _load_namedtuple,
    "exception": _load_exception,
}


def load(kind: str, *parts: Any) -> Any:
    """Puts an object together; how pickles of objects whose classes are made here are read."""
    return load_within(None, kind, *parts)


def load_within(room: "Room | None", kind: str, *parts: Any) -> Any:
    """Puts an object of a program's together."""
    loader = _CLASS_LOADERS.get(kind)
    return _LOADERS[kind](*parts) if loader is None else loader(room, *parts)


#: Classes of exceptions that programs know by name: those that can be made from a message.
_PLAIN = frozenset(
    name
    for name, cls in vars(builtins).items()
    if isinstance(cls, type)
    and issubclass(cls, BaseException)
    and not issubclass(cls, (UnicodeError, SyntaxError))
    and name not in ("BaseExceptionGroup", "ExceptionGroup", "StopIteration", "StopAsyncIteration", "GeneratorExit", "IOError", "EnvironmentError")
)


#: Characters of a message that programs get.
_MAX_MESSAGE = 65_536

#: Classes of exceptions that the host has declared, and the names by which programs know them.
_declared: "weakref.WeakKeyDictionary[type, str]" = weakref.WeakKeyDictionary()


def declare_exception(cls: type, name: str) -> None:
    """Remembers the name by which programs know a class of exceptions."""
    with _lock:
        _declared[cls] = name


def declared_name(cls: type) -> "str | None":
    """The name by which programs know that very class, if it was declared."""
    with _lock:
        return _declared.get(cls)


def describe_exception(error: BaseException) -> tuple[str, str]:
    """The name of the class that a program gets for an exception of a tool's, and the message."""
    try:
        message = str(error)
    except Exception:
        message = "<an exception without str>"
    if len(message) > _MAX_MESSAGE:
        message = f"{message[:_MAX_MESSAGE]}..."
    message = message.encode("utf-8", "backslashreplace").decode()
    for cls in type(error).__mro__:
        declared = declared_name(cls)
        is_builtin = cls.__module__ == "builtins" and cls.__name__ in _PLAIN
        if not declared and not is_builtin:
            continue
        if isinstance(error, KeyError) and len(error.args) == 1 and isinstance(error.args[0], str):
            # The class quotes it again.
            message = error.args[0][:_MAX_MESSAGE].encode("utf-8", "backslashreplace").decode()
        if cls is type(error):
            return declared or cls.__name__, message
        # One that programs do not know goes by the nearest that they know.
        name = cls.__name__ if cls is not Exception else "RuntimeError"
        return declared or name, f"{type(error).__name__}: {message}" if message else type(error).__name__
    return "RuntimeError", f"{type(error).__name__}: {message}"

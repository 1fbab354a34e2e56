# What coldframe puts into a remote interpreter: it runs programs, moves values and variables, and asks the host to call its tools. The host sends
# one call of `serve` for each request, and gets one message back, with the media type below. `PROMPT` is given: what a request to the host begins with
# on the interpreter's standard input, or None where nobody answers there. Needs IPython, and nothing else that is not in the standard library of
# Python 3.8.
import ast
import base64
import builtins
import collections
import datetime
import decimal
import enum
import fractions
import hashlib
import inspect
import io
import json
import linecache
import pathlib
import subprocess
import sys
import threading
import traceback
import types
import uuid

MEDIA = "application/vnd.coldframe+json"
REPR = 65536
DEEPEST = 200
TYPE = "__type__"


class CannotCross(Exception):
    pass


class FinalAnswer(BaseException):
    def __init__(self, value):
        self.value = value


def shell():
    from IPython import get_ipython

    return get_ipython()


def send(record):
    # ASCII, so that lone surrogates in it do no harm on the way.
    text = json.dumps(record, ensure_ascii=True)
    shell().display_pub.publish({MEDIA: text, "text/plain": ""}, {})


def cut(text, limit=REPR):
    data = text.encode("utf-8", "replace")
    return data[:limit].decode("utf-8", "ignore")


# ---- values: the tagged JSON of the host


def type_name(kind):
    module = getattr(kind, "__module__", None)
    name = getattr(kind, "__qualname__", str(kind))
    return name if module in (None, "builtins", "__main__") else "%s.%s" % (module, name)


def tagged(tag, **fields):
    fields[TYPE] = tag
    return fields


def b64(data):
    return base64.b64encode(bytes(data)).decode("ascii")


class Writer:
    def __init__(self, limit):
        self.left = limit
        self.open = set()

    def spend(self, count):
        self.left -= count
        if self.left < 0:
            raise CannotCross("it is too large to cross")

    def items(self, values, depth):
        return [self.tree(value, depth) for value in values]

    def tree(self, value, depth=0):
        self.spend(1)
        kind = type(value)
        if value is None or kind is bool:
            return value
        if kind is int or isinstance(value, int) and not isinstance(value, enum.Enum):
            value = int(value)
            self.spend(value.bit_length() // 8)
            # More digits than json may write.
            return tagged("int", data=hex(value)) if value.bit_length() > 14000 else value
        if isinstance(value, enum.Enum):
            return tagged(
                "enum",
                module=kind.__module__,
                class_name=kind.__qualname__,
                name=value.name,
                value=self.tree(value.value, depth + 1),
            )
        if isinstance(value, float):
            return float(value)
        if isinstance(value, str):
            self.spend(len(value))
            return str.__str__(value)
        if isinstance(value, complex):
            return tagged("complex", real=value.real, imag=value.imag)
        if isinstance(value, (bytes, bytearray)):
            self.spend(len(value))
            return tagged("bytearray" if isinstance(value, bytearray) else "bytes", data=b64(value))
        plain = self.plain(value, kind)
        if plain is not None:
            return plain
        if depth >= DEEPEST:
            raise CannotCross("it nests too deep")
        if id(value) in self.open:
            raise CannotCross("it contains itself")
        self.open.add(id(value))
        try:
            return self.container(value, kind, depth + 1)
        finally:
            self.open.discard(id(value))

    def plain(self, value, kind):
        if isinstance(value, range):
            return tagged("range", data=[value.start, value.stop, value.step])
        if isinstance(value, datetime.datetime):
            return self.zoned("datetime", value)
        if isinstance(value, datetime.date):
            return tagged("date", data=value.isoformat())
        if isinstance(value, datetime.time):
            return self.zoned("time", value)
        if isinstance(value, datetime.timedelta):
            whole = (value.days * 86400 + value.seconds) * 1000000 + value.microseconds
            return tagged("timedelta", total_seconds=value.total_seconds(), microseconds=whole)
        if isinstance(value, datetime.timezone):
            offset = value.utcoffset(None)
            name = value.tzname(None)
            own = name != datetime.timezone(offset).tzname(None)
            fields = {"tzname": name} if own else {}
            return tagged("timezone", seconds=offset.total_seconds(), **fields)
        if getattr(kind, "__module__", "") == "zoneinfo" and getattr(value, "key", None):
            return tagged("timezone", zone=value.key)
        if isinstance(value, decimal.Decimal):
            return tagged("Decimal", data=str(value))
        if isinstance(value, fractions.Fraction):
            return tagged("Fraction", data="%d/%d" % (value.numerator, value.denominator))
        if isinstance(value, pathlib.PurePath):
            for base in kind.__mro__:
                if base.__name__ in ("PosixPath", "WindowsPath", "PurePosixPath", "PureWindowsPath"):
                    return tagged("Path", data=str(value), **{"class": base.__name__})
        if isinstance(value, uuid.UUID):
            return tagged("UUID", data=str(value))
        if kind.__module__.partition(".")[0] == "PIL" and hasattr(value, "save"):
            buffer = io.BytesIO()
            value.save(buffer, format="PNG")
            self.spend(buffer.tell())
            return tagged("PIL.Image", data=b64(buffer.getvalue()))
        return None

    def zoned(self, tag, value):
        fields = {"fold": 1} if value.fold else {}
        zone = value.tzinfo
        if zone is not None:
            if getattr(type(zone), "__module__", "") == "zoneinfo" and getattr(zone, "key", None):
                fields["zone"] = zone.key
            elif isinstance(zone, datetime.timezone):
                name = zone.tzname(None)
                if name != datetime.timezone(zone.utcoffset(None)).tzname(None):
                    fields["tzname"] = name
            if value.utcoffset() is None and "zone" not in fields:
                raise CannotCross("a time zone without a distance from UTC cannot cross")
        return tagged(tag, data=value.isoformat(), **fields)

    def container(self, value, kind, depth):
        numpy = sys.modules.get("numpy")
        if numpy is not None:
            if isinstance(value, numpy.generic):
                item = value.item()
                if type(item) is kind:
                    raise CannotCross("objects of class '%s' cannot cross" % type_name(kind))
                return self.tree(item, depth)
            if isinstance(value, numpy.ndarray):
                self.spend(value.size)
                return tagged("ndarray", data=self.tree(value.tolist(), depth), dtype=str(value.dtype))
        if isinstance(value, slice):
            return tagged("slice", data=self.items((value.start, value.stop, value.step), depth))
        if isinstance(value, list):
            return self.items(list(value), depth)
        if isinstance(value, tuple):
            fields = getattr(kind, "_fields", None)
            if isinstance(fields, tuple) and kind is not tuple and all(isinstance(f, str) for f in fields):
                pairs = [[name, self.tree(item, depth)] for name, item in zip(fields, value)]
                return tagged("namedtuple", module=kind.__module__, class_name=kind.__qualname__, data=pairs)
            return tagged("tuple", data=self.items(tuple(value), depth))
        if isinstance(value, (set, frozenset)):
            tag = "frozenset" if isinstance(value, frozenset) else "set"
            return tagged(tag, data=self.items(list(value), depth))
        if isinstance(value, dict):
            entries = list(value.items())
            if all(type(key) is str and key != TYPE for key, _ in entries):
                self.spend(sum(len(key) for key, _ in entries))
                return {key: self.tree(item, depth) for key, item in entries}
            pairs = [[self.tree(key, depth), self.tree(item, depth)] for key, item in entries]
            return tagged("dict_with_complex_keys", data=pairs)
        names = getattr(kind, "__dataclass_fields__", None)
        if isinstance(names, dict):
            fields = {name: self.tree(getattr(value, name), depth) for name in names if hasattr(value, name)}
            return tagged("dataclass", module=kind.__module__, class_name=kind.__qualname__, data=fields)
        if isinstance(value, BaseException):
            return tagged(
                "exception", module=kind.__module__, class_name=kind.__qualname__, args=self.items(value.args, depth)
            )
        raise CannotCross("objects of class '%s' cannot cross" % type_name(kind))


def dumps(value, limit):
    try:
        text = json.dumps(Writer(limit).tree(value), ensure_ascii=True)
    except RecursionError:
        raise CannotCross("it nests too deep")
    if len(text) > limit:
        raise CannotCross("it is too large to cross")
    return "safe:" + text


def find_class(module, name, bases):
    found = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    return found if isinstance(found, type) and issubclass(found, bases) else None


def made_class(module, name, base, **members):
    members["__module__"] = module
    return type(name.rpartition(".")[2], (base,), members)


def zone_of(key):
    import zoneinfo

    return zoneinfo.ZoneInfo(key)


def with_zone(value, tree):
    if tree.get("zone"):
        value = value.replace(tzinfo=zone_of(tree["zone"]))
    elif tree.get("tzname"):
        value = value.replace(tzinfo=datetime.timezone(value.utcoffset(), tree["tzname"]))
    return value.replace(fold=1) if tree.get("fold") else value


def value_of(tree):
    if isinstance(tree, list):
        return [value_of(item) for item in tree]
    if not isinstance(tree, dict):
        return tree
    tag = tree.get(TYPE)
    if not isinstance(tag, str):
        return {key: value_of(item) for key, item in tree.items()}
    data = tree.get("data")
    if tag == "tuple":
        return tuple(value_of(data))
    if tag == "set":
        return set(value_of(data))
    if tag == "frozenset":
        return frozenset(value_of(data))
    if tag == "bytes":
        return base64.b64decode(data)
    if tag == "bytearray":
        return bytearray(base64.b64decode(data))
    if tag == "str":
        return base64.b64decode(data).decode("utf-8", "surrogatepass")
    if tag == "complex":
        return complex(tree["real"], tree["imag"])
    if tag == "float":
        return float(data)
    if tag == "int":
        return int(data, 16 if "x" in data else 10)
    if tag == "dict_with_complex_keys":
        return {value_of(key): value_of(item) for key, item in data}
    if tag == "range":
        return range(*value_of(data))
    if tag == "slice":
        return slice(*value_of(data))
    if tag == "date":
        return datetime.date.fromisoformat(data)
    if tag == "time":
        return with_zone(datetime.time.fromisoformat(data), tree)
    if tag == "datetime":
        return with_zone(datetime.datetime.fromisoformat(data), tree)
    if tag == "timedelta":
        if "microseconds" in tree:
            return datetime.timedelta(microseconds=value_of(tree["microseconds"]))
        return datetime.timedelta(seconds=tree["total_seconds"])
    if tag == "timezone":
        if tree.get("zone"):
            return zone_of(tree["zone"])
        offset = datetime.timedelta(seconds=tree["seconds"])
        return datetime.timezone(offset, tree["tzname"]) if tree.get("tzname") else datetime.timezone(offset)
    if tag == "Decimal":
        return decimal.Decimal(data)
    if tag == "Fraction":
        return fractions.Fraction(*(int(part, 0 if "x" in part else 10) for part in data.split("/")))
    if tag == "Path":
        return path_of(tree.get("class", "PosixPath"), data)
    if tag == "UUID":
        return uuid.UUID(data)
    if tag in ("enum", "dataclass", "namedtuple", "exception"):
        return CLASSES[tag](tree, tree["module"], tree["class_name"])
    raise CannotCross("values of kind '%s' cannot enter" % tag)


def path_of(name, text):
    try:
        return getattr(pathlib, name)(text)
    except NotImplementedError:
        return getattr(pathlib, "Pure" + name)(text)


def enum_of(tree, module, name):
    value = value_of(tree["value"])
    found = find_class(module, name, enum.Enum)
    if found is not None:
        return found(value)
    made = enum.Enum(name.rpartition(".")[2], {tree["name"] or "VALUE": value}, module=module)
    return made(value)


def dataclass_of(tree, module, name):
    fields = {key: value_of(item) for key, item in tree["data"].items()}
    found = find_class(module, name, object)
    if found is None or set(getattr(found, "__dataclass_fields__", ())) != set(fields):
        import dataclasses

        found = dataclasses.make_dataclass(name.rpartition(".")[2], list(fields))
        found.__module__ = module
    made = object.__new__(found)
    for key, item in fields.items():
        object.__setattr__(made, key, item)
    return made


def namedtuple_of(tree, module, name):
    names = [key for key, _ in tree["data"]]
    found = find_class(module, name, tuple)
    if found is None or list(getattr(found, "_fields", ())) != names:
        found = collections.namedtuple(name.rpartition(".")[2], names, module=module)
    return tuple.__new__(found, [value_of(item) for _, item in tree["data"]])


def exception_of(tree, module, name):
    found = find_class(module, name, BaseException) or made_class(module, name, Exception)
    arguments = value_of(tree["args"])
    made = found.__new__(found, *arguments)
    made.args = tuple(arguments)
    return made


CLASSES = {"enum": enum_of, "dataclass": dataclass_of, "namedtuple": namedtuple_of, "exception": exception_of}


def loads(text):
    return value_of(json.loads(text[len("safe:"):] if text.startswith("safe:") else text))


# ---- programs

names = {}  # of the files that compiled code belongs to, as tracebacks are to show them


def outcome_of(error, source):
    kind = "exception"
    code = None
    if isinstance(error, SystemExit):
        kind, code = "exit", error.code
        if code is None:
            code = 0
        elif not isinstance(code, int):
            print(code, file=sys.stderr)
            code = 1
    frames = error.__traceback__
    while frames is not None and frames.tb_frame.f_code.co_filename not in names:
        frames = frames.tb_next
    line = None
    step = frames
    while step is not None:
        if step.tb_frame.f_code.co_filename in names:
            line = step.tb_lineno
        step = step.tb_next
    first = frames.tb_lineno if frames is not None else None
    if isinstance(error, SyntaxError) and error.filename in names:
        line = error.lineno
        kind = "syntax" if frames is None else kind
    text = "".join(traceback.format_exception(type(error), error, frames))
    for internal, shown in list(names.items()):
        text = text.replace('"%s"' % internal, '"%s"' % shown)
    try:
        message = str(error)
    except Exception:
        message = ""
    for internal, shown in list(names.items()):
        message = message.replace("(%s," % internal, "(%s," % shown)
    record = {
        "kind": kind,
        "type": type(error).__name__,
        "message": cut(message),
        "line": line,
        "traceback": cut(text, 1 << 20),
        "code": code if code is None else code & 0xFFFFFFFF,
    }
    if kind == "syntax":
        record["text"] = cut(error.text or "")
        record["offset"] = error.offset or 0
    elif first is not None:
        record["statement"] = cut(statement_at(source, first))
    return record


def statement_at(source, line):
    try:
        for statement in ast.parse(source).body:
            if statement.lineno <= line <= (statement.end_lineno or statement.lineno):
                return ast.get_source_segment(source, statement) or ""
    except (SyntaxError, ValueError):
        pass
    return ""


def end_of_input(prompt=""):
    raise EOFError


def without_input():
    # The interpreter would raise an error of its own, and puts its function back after each cell.
    if PROMPT is None:
        builtins.input = end_of_input


class Program:
    def __init__(self, request):
        self.request = request
        self.source = request["source"]
        self.file = "<coldframe-%d>" % len(names)
        names[self.file] = request["file"]
        self.value = None
        self.is_final = False
        self.error = None

    def compiled(self):
        flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT if self.request["await"] else 0
        source = self.source
        linecache.cache[self.file] = (len(source), None, source.splitlines(True), self.file)
        tree = compile(source, self.file, "exec", flags | ast.PyCF_ONLY_AST, dont_inherit=True)
        last = None
        if self.request["value"] and tree.body and isinstance(tree.body[-1], ast.Expr):
            last = ast.Expression(tree.body.pop().value)
        pieces = [compile(tree, self.file, "exec", flags, dont_inherit=True)]
        if last is not None:
            pieces.append(compile(last, self.file, "eval", flags, dont_inherit=True))
        return pieces

    def guarded(self, step):
        try:
            return step()
        except FinalAnswer as answer:
            self.value, self.is_final = answer.value, True
        except BaseException as error:
            self.error = outcome_of(error, self.source)

    def run(self):
        space = shell().user_ns
        without_input()

        def steps():
            for piece in self.compiled():
                self.value = eval(piece, space)

        self.guarded(steps)
        self.finish()

    async def run_async(self):
        space = shell().user_ns
        without_input()
        try:
            for piece in self.compiled():
                self.value = eval(piece, space)
                if piece.co_flags & inspect.CO_COROUTINE:
                    self.value = await self.value
        except FinalAnswer as answer:
            self.value, self.is_final = answer.value, True
        except BaseException as error:
            self.error = outcome_of(error, self.source)
        self.finish()

    def finish(self):
        record = {"end": True, "final": self.is_final, "error": self.error, "rich": {}}
        wanted = self.error is None and (self.value is not None or self.is_final)
        if wanted:
            self.guarded(lambda: record.update(self.described()))
            record["error"] = self.error
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except Exception:
                pass
        send(record)

    def described(self):
        try:
            found = {"repr": cut(repr(self.value))}
        except Exception as error:
            # An answer stands, whatever its repr() does.
            if not self.is_final:
                raise
            found = {"repr": "<repr failed: %s>" % type(error).__name__}
        try:
            found["value"] = dumps(self.value, self.request["limit"])
        except CannotCross as why:
            found["why"] = str(why)
        try:
            rich, _ = shell().display_formatter.format(self.value)
        except Exception:
            rich = {}
        rich = {media: as_text(data) for media, data in rich.items() if media != "text/plain"}
        if sum(len(data) for data in rich.values()) <= self.request["limit"]:
            found["rich"] = rich
        return found


def as_text(data):
    if isinstance(data, bytes):
        return b64(data)
    return cut(data, 1 << 30) if isinstance(data, str) else json.dumps(data, default=str)


# ---- variables


def variables():
    this = shell()
    hidden = getattr(this, "user_ns_hidden", {})
    for name, value in list(this.user_ns.items()):
        if name.startswith("_") or not isinstance(name, str):
            continue
        if name in hidden and hidden[name] is value:
            continue
        if name in ("In", "Out", "exit", "quit", "get_ipython", "open"):
            continue
        yield name, value


def mark_of(text):
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def do_get(request):
    space = shell().user_ns
    name = request["name"]
    if name not in space:
        return {"found": False}
    return {"found": True, "value": dumps(space[name], request["limit"])}


def do_set(request):
    space = shell().user_ns
    marks = {}
    for name in request.get("gone", ()):
        space.pop(name, None)
    for name, text in request["variables"]:
        value = loads(text)
        space[name] = value
        try:
            marks[name] = mark_of(dumps(value, request["limit"]))
        except CannotCross:
            marks[name] = ""
    for name, module in request.get("modules", ()):
        if name not in space:
            try:
                found = __import__(module)
                for part in module.split(".")[1:]:
                    found = getattr(found, part)
                space[name] = found
            except BaseException:
                pass
    return {"marks": marks}


def do_list(request):
    found = []
    for name, value in variables():
        try:
            text = repr(value)
        except Exception as error:
            text = "<repr failed: %s>" % type(error).__name__
        found.append([name, type(value).__name__, cut(text, request["limit"])])
    return {"variables": found}


def do_changes(request):
    known = request["known"]
    changed, stay, modules, seen = [], [], [], set()
    for name, value in variables():
        seen.add(name)
        if isinstance(value, types.ModuleType):
            modules.append([name, value.__name__])
            continue
        try:
            text = dumps(value, request["limit"])
        except CannotCross as why:
            stay.append([name, type_name(type(value)), str(why)])
            continue
        except Exception as error:
            stay.append([name, type_name(type(value)), "%s: %s" % (type(error).__name__, error)])
            continue
        mark = mark_of(text)
        if known.get(name) != mark:
            changed.append([name, mark, text])
    gone = [name for name in known if name not in seen]
    return {"changed": changed, "stay": stay, "modules": modules, "gone": gone}


def do_install(request):
    command = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check", "--quiet", "--no-color", "--root-user-action=ignore", "--"]
    done = subprocess.run(command + request["packages"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    import importlib
    import site

    # A user who may not write to the environment gets a folder, which is not looked into if it is new.
    folder = site.getusersitepackages()
    if site.ENABLE_USER_SITE and folder not in sys.path and pathlib.Path(folder).is_dir():
        site.addsitedir(folder)
    importlib.invalidate_caches()
    return {"status": done.returncode, "text": cut(done.stdout.decode("utf-8", "replace")[-4000:])}


# ---- tools

lock = threading.Lock()
defined = {}  # names of builtins that tools and their exceptions took, and what was there before
ABSENT = object()
LIMIT = [1 << 24]


def call_host(name, arguments):
    if PROMPT is None:
        raise RuntimeError("the tool '%s' is not to be reached from here" % name)
    text = dumps(arguments, LIMIT[0])
    with lock:
        answer = shell().kernel.raw_input(PROMPT + json.dumps({"tool": name, "arguments": text}))
    answer = json.loads(answer)
    if "error" in answer:
        kind = getattr(builtins, answer["error"]["type"], None)
        if not (isinstance(kind, type) and issubclass(kind, BaseException)):
            kind = RuntimeError
        raise kind(answer["error"]["message"])
    return loads(answer["value"])


def annotation_of(text, space):
    try:
        return eval(text, space)
    except Exception:
        return text


def stub(name, doc, mode, returns, parameters):
    space = {"call_host": call_host, "FinalAnswer": FinalAnswer}
    parts, registers, stars = [], [], []
    kinds = [parameter[1] for parameter in parameters]
    for at, parameter in enumerate(parameters):
        label, kind = parameter[0], parameter[1]
        if kind >= 1 and at and kinds[at - 1] == 0:
            parts.append("/")
        if kind == 3 and 2 not in kinds[:at] and 3 not in kinds[:at]:
            parts.append("*")
        text = {2: "*", 4: "**"}.get(kind, "") + label
        if len(parameter) > 3:
            space["default_%d" % at] = parameter[3]
            text += "=default_%d" % at
        parts.append(text)
        (stars if kind in (2, 4) else registers).append(label)
    if kinds and kinds[-1] == 0:
        parts.append("/")
    call = "call_host(%r, [%s])" % (name, ", ".join(registers + stars))
    if mode == 3:
        body = "raise FinalAnswer(%s)" % registers[0]
    elif mode == 2:
        body = "raise FinalAnswer(%s)" % call
    else:
        body = "return " + call
    source = "%sdef %s(%s):\n    %s\n" % ("async " if mode == 1 else "", name, ", ".join(parts), body)
    exec(compile(source, "<tool %s>" % name, "exec"), space)
    made = space[name]
    made.__doc__ = doc
    made.__module__ = "builtins"
    import typing

    known = dict(vars(typing))
    for parameter in parameters:
        if parameter[2] is not None:
            made.__annotations__[parameter[0]] = annotation_of(parameter[2], known)
    if returns is not None:
        made.__annotations__["return"] = annotation_of(returns, known)
    return made


def do_tools(request):
    LIMIT[0] = request["limit"]
    classes, tools = loads(request["tools"])
    for name, before in defined.items():
        if before is ABSENT:
            vars(builtins).pop(name, None)
        else:
            setattr(builtins, name, before)
    defined.clear()
    new = {}
    for name, base, doc in classes:
        parent = new.get(base) or getattr(builtins, base)
        new[name] = type(name, (parent,), {"__module__": "builtins", "__doc__": doc})
    for tool in tools:
        new[tool[0]] = stub(*tool)
    for name, what in new.items():
        defined[name] = getattr(builtins, name, ABSENT)
        setattr(builtins, name, what)
    return {}


REQUESTS = {
    "get": do_get,
    "set": do_set,
    "list": do_list,
    "changes": do_changes,
    "install": do_install,
    "tools": do_tools,
}


def serve(text):
    request = json.loads(text)
    if request["do"] == "run":
        program = Program(request)
        return program.run_async() if request["await"] else program.run()
    try:
        record = REQUESTS[request["do"]](request)
    except CannotCross as why:
        record = {"refused": str(why)}
    except Exception as error:
        record = {"refused": "%s: %s" % (type(error).__name__, error)}
    record["end"] = True
    send(record)


room = types.ModuleType("_coldframe")
room.serve = serve
sys.modules["_coldframe"] = room

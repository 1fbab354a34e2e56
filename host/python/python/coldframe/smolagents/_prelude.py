"""What a rewritten program calls, in the sandbox. This text runs there, not here."""

PRELUDE = r'''
_cf_E = type("InterpreterError", (ValueError,), {})
_cf_IndexE = type("InterpreterError", (_cf_E, LookupError), {})
_cf_count = [0, 0, None]
_cf_most = 0
_cf_kept = {}
_cf_slice = slice

def _cf_begin(most):
    global _cf_most
    _cf_most = most
    _cf_count[:] = [0, 0, None]

def _cf_t(cost):
    _cf_count[0] += cost
    if _cf_count[0] > _cf_most:
        raise _cf_E("Reached the max number of operations of " + str(_cf_most) +
            ". Maybe there is an infinite loop somewhere in the code, or you're just asking too many calculations.")

def _cf_at(index):
    _cf_count[1] = index

def _cf_fail(message):
    raise _cf_E(message)

def _cf_forbidden(value, message):
    raise _cf_E(message)

def _cf_value(value, name):
    if type(value).__name__ == "module" and value.__name__ in _cf_dangerous.get(name, ()):
        raise _cf_E("Forbidden access to function: " + name)
    return getattr(value, name)

def _cf_getattr(value, name, default=None):
    if isinstance(name, str) and name.startswith("__") and name.endswith("__"):
        raise _cf_E("Forbidden access to dunder attribute: " + name)
    return getattr(value, name, default)

def _cf_kwargs(value):
    if not isinstance(value, dict):
        raise _cf_E("Cannot unpack non-dict value in **kwargs: " + type(value).__name__)
    return value

def _cf_addend(current, value):
    if isinstance(current, list) and not isinstance(value, list):
        raise _cf_E("Cannot add non-list value " + str(value) + " to a list.")
    return value

def _cf_unpack(value, count):
    if isinstance(value, (str, bytes)) or not hasattr(type(value), "__iter__"):
        raise _cf_E("Cannot unpack non-tuple value")
    items = tuple(value)
    if len(items) != count:
        raise _cf_E("Cannot unpack tuple of wrong size")
    return items if not isinstance(value, (list, tuple)) else value

def _cf_index(value, index):
    try:
        if _cf_is_handle(type(value)):
            return _cf_item(value, index)
        return _cf_module(value[index])
    except (KeyError, IndexError, TypeError) as e:
        if isinstance(index, str) and isinstance(value, dict):
            _cf_count[2] = (index, [k for k in value if isinstance(k, str)][:1000])
        raise _cf_IndexE(f"Could not index {value} with '{index}': {type(e).__name__}: {e}") from e

def _cf_module(value):
    if type(value).__name__ == "module":
        # Raises if the policy refuses that module.
        getattr(value, "__name__", None)
    return value

def _cf_delete(value, index):
    try:
        del value[index]
    except (TypeError, KeyError, IndexError) as e:
        raise _cf_E(f"Cannot delete index/key: {e}")

def _cf_source(function, text):
    try:
        function.__source__ = text
    except Exception:
        pass

def _cf_final(*args, **kwargs):
    global _cf_r
    if _cf_own_final:
        value = _cf_final_host(*args, **kwargs)
    elif len(args) == 1 and not kwargs:
        value = args[0]
    elif not args and list(kwargs) == ["answer"]:
        value = kwargs["answer"]
    else:
        raise TypeError("final_answer() takes one argument: answer")
    _cf_r = value
    final_answer(value)

_cf_scalars = (type(None), bool, int, float, complex, str, bytes, bytearray, range, slice)
_cf_data = ("datetime", "decimal", "fractions", "uuid", "zoneinfo", "pathlib", "pathlib._local")

def _cf_is_data(value, depth=0):
    kind = type(value)
    if kind in _cf_scalars:
        return True
    if depth > 50:
        return False
    if kind in (list, tuple, set, frozenset):
        return all(_cf_is_data(item, depth + 1) for item in value)
    if kind is dict:
        return all(_cf_is_data(k, depth + 1) and _cf_is_data(v, depth + 1) for k, v in value.items())
    return kind.__module__ in _cf_data or _cf_is_handle(kind) or hasattr(kind, "_member_map_") or hasattr(kind, "_fields") or (
        hasattr(kind, "__dataclass_fields__"))

def _cf_is_handle(kind):
    return kind.__name__ == "HostObject" and kind.__module__ == "coldframe"

def _cf_describe(value, seen, depth=0):
    kind = type(value)
    if _cf_is_data(value):
        return ("v", value)
    if depth > 12 or len(seen) > 2000:
        return ("repr", repr(value)[:2000])
    more = lambda item: _cf_describe(item, seen, depth + 1)
    if kind in (list, tuple, set, frozenset):
        return (kind.__name__, [more(item) for item in value])
    if kind is dict:
        return ("dict", [(more(k), more(v)) for k, v in value.items()])
    if isinstance(value, type):
        if value.__module__ == "builtins":
            return ("builtin", value.__name__)
        key = id(value)
        if key in seen:
            return ("seen", key)
        seen[key] = value
        names = {n: more(v) for n, v in vars(value).items() if not n.startswith("_") and not callable(v) or isinstance(v, type) and n[:1] != "_"}
        try:
            annotations = {n: more(v) for n, v in value.__annotations__.items()}
        except Exception:
            annotations = {}
        return ("class", key, value.__name__, value.__doc__, names, annotations)
    name = kind.__name__
    if name == "generator":
        key = id(value)
        _cf_kept[key] = value
        return ("generator", key)
    if name in ("function", "method", "builtin_function_or_method"):
        return ("function", getattr(value, "__name__", name), getattr(value, "__source__", None), repr(value))
    if name == "module" or kind.__module__ == "builtins":
        return ("repr", repr(value)[:2000])
    key = id(value)
    if key in seen:
        return ("seen", key)
    seen[key] = value
    try:
        names = {n: more(v) for n, v in vars(value).items()}
    except TypeError:
        names = {}
    return ("instance", key, more(kind), names, str(value)[:100000], repr(value)[:100000])

def _cf_next(key):
    try:
        return ("item", _cf_describe(next(_cf_kept[key]), {}))
    except StopIteration:
        _cf_kept.pop(key, None)
        return ("end", None)

def _cf_report(want):
    seen = {}
    names = [n for n in globals() if not n.startswith("_cf_") and not (n.startswith("__") and n.endswith("__"))]
    values = []
    for n in names:
        v = globals()[n]
        if n in _cf_hidden and v is _cf_hidden[n]:
            continue
        values.append((n, _cf_describe(v, seen)))
    result = _cf_describe(globals().get("_cf_r"), seen) if want else ("v", None)
    return (_cf_count[0], _cf_count[1], _cf_count[2], values, result)

_cf_hidden = {}
'''

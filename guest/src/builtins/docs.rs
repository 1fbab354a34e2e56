//! What the built-in functions say of themselves (`len.__doc__`, `help(len)`).

/// The documentation of a function of `builtins`.
pub(crate) fn of(name: &str) -> Option<&'static str> {
    let at = DOCS.binary_search_by(|(n, _)| (*n).cmp(name)).ok()?;
    Some(DOCS[at].1)
}

/// Sorted by name.
static DOCS: &[(&str, &str)] = &[
    (
        "__import__",
        "Import a module.\n\nPrograms should use importlib.import_module() instead.",
    ),
    ("abs", "Return the absolute value of the argument."),
    (
        "aiter",
        "Return an AsyncIterator for an AsyncIterable object.",
    ),
    (
        "all",
        "Return True if bool(x) is True for all values x in the iterable.\n\nIf the iterable is empty, return True.",
    ),
    (
        "anext",
        "Return the next item from the async iterator.\n\nIf default is given and the async iterator is exhausted,\nit is returned instead of raising StopAsyncIteration.",
    ),
    (
        "any",
        "Return True if bool(x) is True for any x in the iterable.\n\nIf the iterable is empty, return False.",
    ),
    (
        "ascii",
        "Return an ASCII-only representation of an object.\n\nAs repr(), but what is not ASCII is written with \\x, \\u or \\U escapes.",
    ),
    (
        "bin",
        "Return the binary representation of an integer.\n\n   >>> bin(2796202)\n   '0b1010101010101010101010'",
    ),
    (
        "breakpoint",
        "Call sys.breakpointhook(*args, **kws).\n\nBy default, this drops you into the pdb debugger.",
    ),
    (
        "callable",
        "Return whether the object is callable (i.e., some kind of function).\n\nNote that classes are callable, as are instances of classes with a\n__call__() method.",
    ),
    (
        "chr",
        "Return a Unicode string of one character with ordinal i; 0 <= i <= 0x10ffff.",
    ),
    (
        "compile",
        "Compile source into a code object that can be executed by exec() or eval().\n\nThe mode is 'exec' for a module, 'single' for one interactive statement,\nor 'eval' for an expression.",
    ),
    (
        "delattr",
        "Deletes the named attribute from the given object.\n\ndelattr(x, 'y') is equivalent to ``del x.y``",
    ),
    (
        "dir",
        "dir([object]) -> list of strings\n\nWithout arguments the names in the current scope, else the names of the\nattributes that can be reached from the object.",
    ),
    (
        "divmod",
        "Return the tuple (x//y, x%y).  Invariant: div*y + mod == x.",
    ),
    (
        "eval",
        "Evaluate the given source in the context of globals and locals.\n\nThe source may be a string representing a Python expression\nor a code object as returned by compile().",
    ),
    (
        "exec",
        "Execute the given source in the context of globals and locals.\n\nThe source may be a string representing one or more Python statements\nor a code object as returned by compile().",
    ),
    (
        "format",
        "Return type(value).__format__(value, format_spec)\n\nMany built-in types implement format_spec according to the\nFormat Specification Mini-language.",
    ),
    (
        "getattr",
        "getattr(object, name[, default]) -> value\n\nGet a named attribute from an object; getattr(x, 'y') is equivalent to x.y.\nWhen a default argument is given, it is returned when the attribute doesn't\nexist; without it, an exception is raised in that case.",
    ),
    (
        "globals",
        "Return the dictionary containing the current scope's global variables.\n\nNOTE: Updates to this dictionary *will* affect name lookups in the current\nglobal scope and vice-versa.",
    ),
    (
        "hasattr",
        "Return whether the object has an attribute with the given name.\n\nThis is done by calling getattr(obj, name) and catching AttributeError.",
    ),
    (
        "hash",
        "Return the hash value for the given object.\n\nTwo objects that compare equal must also have the same hash value, but the\nreverse is not necessarily true.",
    ),
    (
        "hex",
        "Return the hexadecimal representation of an integer.\n\n   >>> hex(12648430)\n   '0xc0ffee'",
    ),
    (
        "id",
        "Return the identity of an object.\n\nThis is guaranteed to be unique among simultaneously existing objects.",
    ),
    (
        "input",
        "Read a string from standard input.  The trailing newline is stripped.\n\nThe prompt string, if given, is printed to standard output without a\ntrailing newline before reading input.",
    ),
    (
        "isinstance",
        "Return whether an object is an instance of a class or of a subclass thereof.\n\nA tuple, as in ``isinstance(x, (A, B, ...))``, may be given as the target to\ncheck against. This is equivalent to ``isinstance(x, A) or isinstance(x, B)\nor ...`` etc.",
    ),
    (
        "issubclass",
        "Return whether 'cls' is derived from another class or is the same class.\n\nA tuple, as in ``issubclass(x, (A, B, ...))``, may be given as the target to\ncheck against. This is equivalent to ``issubclass(x, A) or issubclass(x, B)\nor ...``.",
    ),
    (
        "iter",
        "iter(iterable) -> iterator\niter(callable, sentinel) -> iterator\n\nGet an iterator from an object.\nIn the second form, the callable is called until it returns the sentinel.",
    ),
    ("len", "Return the number of items in a container."),
    (
        "locals",
        "Return a dictionary containing the current scope's local variables.",
    ),
    (
        "max",
        "max(iterable, *[, default=obj, key=func]) -> value\nmax(arg1, arg2, *args, *[, key=func]) -> value\n\nWith a single iterable argument, return its biggest item. The default is\nreturned if the iterable is empty.\nWith two or more positional arguments, return the largest argument.",
    ),
    (
        "min",
        "min(iterable, *[, default=obj, key=func]) -> value\nmin(arg1, arg2, *args, *[, key=func]) -> value\n\nWith a single iterable argument, return its smallest item. The default is\nreturned if the iterable is empty.\nWith two or more positional arguments, return the smallest argument.",
    ),
    (
        "next",
        "next(iterator[, default])\n\nReturn the next item from the iterator. If default is given and the iterator\nis exhausted, it is returned instead of raising StopIteration.",
    ),
    (
        "oct",
        "Return the octal representation of an integer.\n\n   >>> oct(342391)\n   '0o1234567'",
    ),
    (
        "open",
        "Open file and return a stream.  Raise OSError upon failure.\n\nThe mode is made of 'r', 'w', 'x' or 'a', and '+', 'b' or 't'.",
    ),
    (
        "ord",
        "Return the ordinal value of a character.\n\nIf the argument is a one-character string, return the Unicode code\npoint of that character.",
    ),
    (
        "pow",
        "Equivalent to base**exp with 2 arguments or base**exp % mod with 3 arguments.\n\nSome types, such as ints, are able to use a more efficient algorithm when\ninvoked using the three argument form.",
    ),
    (
        "print",
        "Prints the values to a stream, or to sys.stdout by default.\n\n  sep\n    string inserted between values, default a space.\n  end\n    string appended after the last value, default a newline.\n  file\n    a file-like object (stream); defaults to the current sys.stdout.\n  flush\n    whether to forcibly flush the stream.",
    ),
    (
        "repr",
        "Return the canonical string representation of the object.\n\nFor many object types, including most builtins, eval() will return\nan object of the same value.",
    ),
    (
        "round",
        "Round a number to a given precision in decimal digits.\n\nThe return value is an integer if ndigits is omitted or None.  Otherwise\nthe return value has the same type as the number.  ndigits may be negative.",
    ),
    (
        "setattr",
        "Sets the named attribute on the given object to the specified value.\n\nsetattr(x, 'y', v) is equivalent to ``x.y = v``",
    ),
    (
        "sorted",
        "Return a new list containing all items from the iterable in ascending order.\n\nA custom key function can be supplied to customize the sort order, and the\nreverse flag can be set to request the result in descending order.",
    ),
    (
        "sum",
        "Return the sum of a 'start' value (default: 0) plus an iterable of numbers\n\nWhen the iterable is empty, return the start value.\nThis function is intended specifically for use with numeric values and may\nreject non-numeric types.",
    ),
    (
        "vars",
        "vars([object]) -> dictionary\n\nWithout arguments, equivalent to locals().\nWith an argument, equivalent to object.__dict__.",
    ),
];

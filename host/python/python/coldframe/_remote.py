"""Remote backends: where programs go that need what the sandbox has not."""

from __future__ import annotations

import atexit
import weakref
from dataclasses import dataclass
from typing import Any, Iterable, Mapping

from ._native import Core as _Core
from ._native import Remote as _NativeRemote
from ._native import Routes as _Routes
from ._native import Rules as _Rules


def _texts(option: str, texts: "Iterable[str]") -> "tuple[str, ...]":
    if isinstance(texts, (str, bytes)):
        raise TypeError(f"{option} is a list of names, not {texts!r}: write [{texts!r}]")
    made = tuple(texts)
    for text in made:
        if not isinstance(text, str):
            raise TypeError(f"{option} is a list of names, and {text!r} is none")
    return made


class Remote:
    """A remote backend, and how it is reached. Nothing is started before a program needs it; what was started is removed with its session.

    >>> import coldframe
    >>> remote = coldframe.Remote("jupyter", url="http://127.0.0.1:8888", token="a secret", packages=["numpy"])
    >>> remote
    coldframe.Remote('jupyter', url='http://127.0.0.1:8888', packages=('numpy',))
    >>> sandbox = coldframe.Sandbox(remote=remote, time=60)
    >>> sandbox.run("import math; math.pi").place  # the sandbox has that: nobody asks the server
    'local'
    >>> coldframe.Sandbox(remote=coldframe.Remote("jupyter"))
    Traceback (most recent call last):
    ...
    coldframe.PolicyError: option remote: jupyter: it needs the address of a server

    What is not given is the backend's own default, or what its environment variables say: ``KG_AUTH_TOKEN`` for ``jupyter``, ``DOCKER_HOST`` for
    ``docker``, ``BL_API_KEY`` and ``BL_WORKSPACE`` for ``blaxel``.

    :param backend: ``jupyter``, ``docker``, ``blaxel``, ...
    :param url: the address of its server.
    :param token: what its server asks for. It is shown nowhere, and cannot be read back.
    :param image: the image that its machine or container is made of.
    :param packages: packages that are installed when it starts.
    """

    __slots__ = ("backend", "url", "image", "packages", "_native")

    def __init__(
        self,
        backend: str,
        *,
        url: "str | None" = None,
        token: "str | None" = None,
        image: "str | None" = None,
        packages: "Iterable[str]" = (),
    ) -> None:
        self.backend = backend
        self.url = url
        self.image = image
        self.packages = _texts("packages", packages)
        self._native = _NativeRemote(backend, url, token, image, list(self.packages))

    def __repr__(self) -> str:
        shown = [repr(self.backend)]
        if self.url is not None:
            shown.append(f"url={_without_secrets(self.url)!r}")
        if self.image is not None:
            shown.append(f"image={self.image!r}")
        if self.packages:
            shown.append(f"packages={self.packages!r}")
        return f"coldframe.Remote({', '.join(shown)})"

    def __reduce__(self) -> Any:
        raise TypeError("a coldframe.Remote holds a secret and cannot be pickled")


def _without_secrets(url: str) -> str:
    """The address without a password or parameters: some have a token among them."""
    url = url.partition("#")[0].partition("?")[0]
    scheme, separator, rest = url.partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}{separator}{host.rpartition('@')[2]}{slash}{path}"


class Routing:
    """Which programs go to the remote backend. Their imports decide, also those inside of functions; they are listed without running the program.

    >>> import coldframe
    >>> sandbox = coldframe.Sandbox(routing=coldframe.Routing(refused=["random"], missing="refuse"))
    >>> sandbox.run("import random").error.message
    'no program may import random here'
    >>> sandbox.run("def f():\\n    import numpy").error.message
    'the sandbox has no module numpy'

    A program that mentions a variable that is only there goes there too. What the sandbox's policy does not allow goes nowhere, unless it is listed here.

    :param remote: modules that take a program to the remote backend, each with all below it, whether the sandbox has them or not.
    :param refused: modules that keep a program from running at all, each with all below it.
    :param missing: what becomes of a program that imports another module which the sandbox has not: ``remote``, ``local`` (the import fails in Python's own
        way) or ``refuse`` (it does not run).
    :param always: whether all programs run on the remote backend, whatever they import. Variables that can cross are in the sandbox as well.
    """

    __slots__ = ("remote", "refused", "missing", "always")

    def __init__(
        self, *, remote: "Iterable[str]" = (), refused: "Iterable[str]" = (), missing: str = "remote", always: bool = False
    ) -> None:
        self.remote = _texts("remote", remote)
        self.refused = _texts("refused", refused)
        self.missing = missing
        self.always = bool(always)

    def __repr__(self) -> str:
        always = ", always=True" if self.always else ""
        return f"coldframe.Routing(remote={self.remote!r}, refused={self.refused!r}, missing={self.missing!r}{always})"


class Display(dict):  # type: ignore[type-arg]
    """Something that a program on a remote backend shows which is more than text: its forms (``str`` or ``bytes``) by media type, such as ``image/png``."""

    def __init__(self, forms: "Mapping[str, str | bytes]", is_value: bool = False) -> None:
        super().__init__(forms)
        #: Whether it is the value of the last expression, and not shown on the way.
        self.is_value = is_value

    def __reduce__(self) -> Any:
        return Display, (dict(self), self.is_value)


@dataclass(frozen=True)
class LeftBehind:
    """A variable that could not go where the program went, or come back from there."""

    name: str
    type_name: str
    """The name of its value's type."""
    reason: str
    """Why it stays."""
    stays_in: str
    """Where it is: ``local``, ``jupyter``, ..."""


def routes_of(rules: _Rules, remote: "Remote | None", routing: "Routing | None") -> "_Routes | None":
    """What the native half needs to know of both; ``None`` if there is nothing to it."""
    if remote is None and routing is None:
        return None
    if remote is not None and not isinstance(remote, Remote):
        raise TypeError(f"option remote is a coldframe.Remote, not {type(remote).__name__}")
    if routing is not None and not isinstance(routing, Routing):
        raise TypeError(f"option routing is a coldframe.Routing, not {type(routing).__name__}")
    chosen = routing if routing is not None else Routing()
    native = None if remote is None else remote._native
    return _Routes(rules, native, list(chosen.remote), list(chosen.refused), chosen.missing, chosen.always)


#: Cores whose sessions may have something elsewhere.
_cores: "weakref.WeakSet[_Core]" = weakref.WeakSet()

#: Seconds that a run has to end in when the interpreter ends.
_PATIENCE = 2.0


def watch(core: _Core, routes: "_Routes | None") -> _Core:
    """Sees to it that what the session makes elsewhere is removed at the end of the interpreter."""
    if routes is not None:
        _cores.add(core)
    return core


def register() -> None:
    """Has what is left elsewhere removed when the interpreter ends: before threads may not come back into Python any more."""
    atexit.register(_end)


def _end() -> None:
    for core in list(_cores):
        core.end(_PATIENCE)

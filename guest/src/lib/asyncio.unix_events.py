"""The names that the loop and its policy have elsewhere. There is one kind of loop."""

__all__ = ('SelectorEventLoop', 'EventLoop')

from . import base_events, events


class _UnixSelectorEventLoop(base_events.BaseEventLoop):
    """The loop of the sandbox, under the name of the usual one."""


class _UnixDefaultEventLoopPolicy(events._BaseDefaultEventLoopPolicy):
    """The policy that is in force from the beginning."""

    _loop_factory = _UnixSelectorEventLoop


SelectorEventLoop = EventLoop = _UnixSelectorEventLoop
_DefaultEventLoopPolicy = _UnixDefaultEventLoopPolicy

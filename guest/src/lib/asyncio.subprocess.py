"""The names of `asyncio.subprocess`; the sandbox starts no processes."""

__all__ = ('create_subprocess_exec', 'create_subprocess_shell')

PIPE = -1
STDOUT = -2
DEVNULL = -3


class Process:
    """The class of running processes; there are none."""

    def __init__(self, *args, **kwargs):
        raise NotImplementedError('the sandbox has no processes')


async def create_subprocess_shell(cmd, *args, **kwargs):
    raise NotImplementedError('the sandbox has no processes: create_subprocess_shell() is not available')


async def create_subprocess_exec(program, *args, **kwargs):
    raise NotImplementedError('the sandbox has no processes: create_subprocess_exec() is not available')

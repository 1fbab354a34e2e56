"""The one class of pickling that is not in Python in CPython: a buffer that a pickler may hand over without copying it (PEP 574)."""


class PickleBuffer:
    """Wrapper for potentially out-of-band buffers"""

    __slots__ = ('_view', '__weakref__')

    def __new__(cls, buffer, /):
        self = object.__new__(cls)
        self._view = memoryview(buffer)
        return self

    def _held(self):
        if self._view is None:
            raise ValueError('operation forbidden on released PickleBuffer object')
        return self._view

    def __buffer__(self, flags, /):
        return memoryview(self._held())

    def raw(self):
        """Return a memoryview of the raw memory underlying this buffer.

        Will raise BufferError is the buffer isn't contiguous.
        """
        view = self._held()
        if view.c_contiguous:
            if view.ndim == 1 and view.format == 'B':
                return memoryview(view)
            return view.cast('B')
        if view.f_contiguous:
            # The same bytes as a flat sequence, in the order in which they are in memory.
            return memoryview(view.tobytes('A'))
        raise BufferError('cannot extract raw buffer from non-contiguous buffer')

    def release(self):
        """Release the underlying buffer controlled by the PickleBuffer object."""
        view, self._view = self._view, None
        if view is not None:
            view.release()

    def __reduce_ex__(self, protocol):
        raise TypeError("cannot pickle 'PickleBuffer' object")


PickleBuffer.__module__ = 'pickle'

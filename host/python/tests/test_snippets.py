"""Ordinary pieces of code of the kind that agents write: each prints what CPython printed.

Of 200 of this kind smolagents' own interpreter runs fewer than half as Python does. `snippets.txt` has the source of each and, after a line of `=`, what
CPython 3.13 printed (with 3.14's text where that changed one).
"""

import pathlib

import pytest

from coldframe.smolagents import WasmExecutor

TEXT = (pathlib.Path(__file__).parent / "snippets.txt").read_text(encoding="utf-8")
SNIPPETS = [entry.split("\n========\n") for entry in TEXT.split("\n--------\n") if entry]


@pytest.mark.parametrize("source, printed", SNIPPETS, ids=range(len(SNIPPETS)))
def test_snippet(source, printed):
    executor = WasmExecutor(["*"])
    try:
        assert executor(source).logs.rstrip("\n") == printed.rstrip("\n")
    finally:
        executor.cleanup()


def test_there_are_enough():
    assert len(SNIPPETS) >= 200

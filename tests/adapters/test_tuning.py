"""The extension that tunes the garbage collector and the heap."""

from __future__ import annotations

import asyncio
import gc

import pytest

from mediacrawl.extensions import tuning
from mediacrawl.extensions.tuning import LARGE, THRESHOLD, Tuning, find_in_libc


class Calls:
    """Counts calls of the C library's function."""

    def __init__(self) -> None:
        self.kept: list[int] = []

    def __call__(self, kept: int) -> int:
        self.kept.append(kept)
        return 1


def test_what_it_changes_is_restored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuning, "find_in_libc", lambda _: None)
    before, frozen = gc.get_threshold(), gc.get_freeze_count()
    extension = Tuning()
    extension._opened()
    try:
        assert gc.get_threshold()[0] == THRESHOLD
        assert gc.get_freeze_count() > frozen
    finally:
        extension._closed()
    assert gc.get_threshold() == before
    assert gc.get_freeze_count() == 0


def test_a_c_library_without_the_function_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: object) -> object:
        raise TypeError("no C library")

    monkeypatch.setattr(tuning.ctypes, "CDLL", refuse)
    assert find_in_libc("malloc_trim") is None
    monkeypatch.setattr(tuning.ctypes, "CDLL", lambda _: object())
    assert find_in_libc("malloc_trim") is None


def test_free_memory_is_returned_while_the_crawl_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    calls, limits = Calls(), []
    functions = {"malloc_trim": calls, "mallopt": lambda *given: limits.append(given)}
    monkeypatch.setattr(tuning, "find_in_libc", functions.get)
    monkeypatch.setattr(tuning, "TRIM_EVERY", 0.01)

    async def crawl() -> None:
        extension = Tuning()
        extension._opened()
        try:
            async with asyncio.timeout(10):
                while len(calls.kept) < 2:
                    await asyncio.sleep(0.01)
        finally:
            extension._closed()
        assert extension._timer is None

    asyncio.run(crawl())
    assert set(calls.kept) == {0}
    assert limits == [(-3, LARGE)]

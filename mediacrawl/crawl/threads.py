"""Work in other threads, awaited in the reactor thread."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import ParamSpec, TypeVar

from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import Deferred
from twisted.internet.threads import deferToThread

_T = TypeVar("_T")
P = ParamSpec("P")


async def in_reactor(answer: Future[_T]) -> _T:
    """Await a future of another thread."""
    from twisted.internet import reactor  # noqa: PLC0415 - the first import chooses it

    told: Deferred[_T] = Deferred()

    def tell(found: Future[_T]) -> None:
        error = found.exception()
        if error is None:
            told.callback(found.result())
        else:
            told.errback(error)

    answer.add_done_callback(lambda found: reactor.callFromThread(tell, found))
    return await maybe_deferred_to_future(told)


async def in_thread(work: Callable[P, _T], *args: P.args, **kwargs: P.kwargs) -> _T:
    """Run a function in the reactor's thread pool, and await its result.

    Args:
        work: must not touch anything of the reactor thread.
        args: for it.
        kwargs: for it.
    """
    return await maybe_deferred_to_future(deferToThread(work, *args, **kwargs))

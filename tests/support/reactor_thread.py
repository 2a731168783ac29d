"""Twisted's reactor in a thread of the tests, on asyncio as Scrapy has it."""

import asyncio
import functools
import threading

from scrapy.utils.reactor import install_reactor, is_reactor_installed


@functools.cache
def running():
    """The reactor, running; it ends with the process."""
    if not is_reactor_installed():
        install_reactor("twisted.internet.asyncioreactor.AsyncioSelectorReactor")
    from twisted.internet import reactor

    started = threading.Event()
    reactor.callWhenRunning(started.set)
    threading.Thread(target=reactor.run, kwargs={"installSignalHandlers": False}, daemon=True).start()
    assert started.wait(10)
    return reactor


def wait_for(make, seconds=30):
    """Run a coroutine in the reactor's thread; answers what it answers.

    Args:
        make: makes the coroutine, in that thread.
        seconds: after which it is given up.
    """

    async def made():
        return await make()

    return asyncio.run_coroutine_threadsafe(made(), running()._asyncioEventloop).result(seconds)

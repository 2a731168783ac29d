"""CPU of one answer over a new connection: the HTTP client of mediacrawl beside libcurl and Scrapy's own handler.

Pages of 30 KB from another process, 50 requests at a time, each over a connection of its own; plain, and over TLS
(ECDSA certificate) with 50 names, whose sessions are resumed by those who can. CPU is user plus system time of the
client's process, without its start: a first hundredth of the requests is not counted. libcurl is driven by its
multi-socket interface (pycurl, of the group ``bench``). Scrapy's handler is called without its engine.

Run: ``make bench NAME=fetch``; argument: requests of each run (3,000).
"""

from __future__ import annotations

import statistics
import subprocess
import sys

from shared import environment, figure, finish, serving, table

ROUNDS = 3

COMMON = """
import asyncio, resource, sys
scheme, port, number = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])

def cpu():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime

async def measure(fetch):
    async def worker(name, times):
        for place in range(times):
            # Of the web's thousand hosts the first page: some others redirect, or are gone.
            page = (name + 50 * place) % 1000
            assert 20_000 < await fetch(f"site{name}.test", f"/page/{page}.html") < 40_000
    async def all_of(times):
        await asyncio.gather(*(worker(name, times) for name in range(50)))
    await all_of(2)
    began = cpu()
    await all_of(number // 50)
    print((cpu() - began) / (number // 50 * 50) * 1000)

def run(main):
    try:
        import uvloop
        uvloop.run(main())
    except ImportError:
        asyncio.run(main())
"""

OURS = """
from mediacrawl.download.http_client import Call, HttpClient, Route
from mediacrawl.download.tls import tls_context

class Body:
    size = 0
    def take_head(self, head):
        return True
    def take_body(self, data):
        self.size += len(data)
        return True

async def main():
    context = tls_context(verify=False, ciphers="DEFAULT", least=None, most=None)
    client = HttpClient(context, lambda *_: None, lambda _: None)
    async def fetch(host, path):
        body = Body()
        fields = [(b"Host", host.encode()), (b"User-Agent", b"bench"), (b"Accept", b"*/*")]
        route = Route(host, "127.0.0.1", path.encode())
        await client.fetch(Call("GET", scheme == "https", host, port, fields, b"", route), body)
        return body.size
    await measure(fetch)

run(main)
"""

CURL = """
import pycurl

async def main():
    loop, multi, waiting, timer = asyncio.get_running_loop(), pycurl.CurlMulti(), {}, None
    def act(file, event):
        multi.socket_action(file, event)
        while True:
            left, ended, failed = multi.info_read()
            for handle in ended:
                waiting.pop(handle).set_result(None)
            for handle, _, message in failed:
                waiting.pop(handle).set_exception(OSError(message))
            if not left:
                return
    def watch(event, file, *_):
        if event in (pycurl.POLL_IN, pycurl.POLL_INOUT):
            loop.add_reader(file, act, file, pycurl.CSELECT_IN)
        else:
            loop.remove_reader(file)
        if event in (pycurl.POLL_OUT, pycurl.POLL_INOUT):
            loop.add_writer(file, act, file, pycurl.CSELECT_OUT)
        else:
            loop.remove_writer(file)
    def later(ms):
        nonlocal timer
        if timer:
            timer.cancel()
        timer = loop.call_later(ms / 1000, act, pycurl.SOCKET_TIMEOUT, 0) if ms >= 0 else None
    multi.setopt(pycurl.M_SOCKETFUNCTION, watch)
    multi.setopt(pycurl.M_TIMERFUNCTION, later)
    async def fetch(host, path):
        handle, parts = pycurl.Curl(), []
        for option, value in (
            (pycurl.URL, f"{scheme}://{host}:{port}{path}"), (pycurl.CONNECT_TO, ["::127.0.0.1:"]),
            (pycurl.WRITEFUNCTION, lambda data: parts.append(data)), (pycurl.HEADERFUNCTION, lambda line: None),
            (pycurl.SSL_VERIFYPEER, 0), (pycurl.SSL_VERIFYHOST, 0), (pycurl.PREREQFUNCTION, lambda *_: 0),
        ):
            handle.setopt(option, value)
        waiting[handle] = loop.create_future()
        multi.add_handle(handle)
        await waiting[handle]
        multi.remove_handle(handle)
        handle.close()
        return sum(map(len, parts))
    await measure(fetch)

run(main)
"""

SCRAPY = """
from scrapy import Request, Spider
from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler
from scrapy.utils.defer import deferred_from_coro
from scrapy.utils.reactor import install_reactor
from scrapy.utils.test import get_crawler

try:
    import uvloop
    loop = "uvloop.Loop"
except ImportError:
    loop = None
install_reactor("twisted.internet.asyncioreactor.AsyncioSelectorReactor", loop)
from twisted.internet import reactor

names = {f"site{name}.test": ["127.0.0.1"] for name in range(50)}
crawler = get_crawler(Spider, {
    "TWISTED_DNS_RESOLVER": "mediacrawl.download.resolver.HostsResolver", "RESOLVER_HOSTS": names,
})
crawler.spider = Spider("fetch")
from mediacrawl.download.resolver import HostsResolver
HostsResolver.from_crawler(crawler, reactor).install_on_reactor()
handler = HTTP11DownloadHandler.from_crawler(crawler)

async def fetch(host, path):
    response = await handler.download_request(Request(f"{scheme}://{host}:{port}{path}", meta={"download_timeout": 60}))
    return len(response.body)

def begin():
    deferred_from_coro(measure(fetch)).addErrback(lambda failure: failure.printTraceback()).addBoth(
        lambda _: reactor.stop()
    )

reactor.callWhenRunning(begin)
reactor.run()
"""

CLIENTS = {"mediacrawl": OURS, "libcurl (pycurl)": CURL, "Scrapy's handler": SCRAPY}


def measure(program: str, scheme: str, port: int, number: int) -> float | None:
    """Milliseconds of CPU for a request; None if the client is not installed."""
    command = [sys.executable, "-c", COMMON + program, scheme, str(port), str(number)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment(), check=False)
    if "No module named 'pycurl'" in done.stderr:
        return None
    if not done.stdout:
        raise SystemExit(done.stderr)
    return float(done.stdout)


def main() -> None:
    """Print a table and the figures."""
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 3000
    found: dict[tuple[str, str], list[float]] = {}
    for mode in ("close", "tls"):
        with serving(1000, mode=mode) as (_, port):
            for _ in range(ROUNDS):
                for name, program in CLIENTS.items():
                    ms = measure(program, "https" if mode == "tls" else "http", port, number)
                    if ms is not None:
                        found.setdefault((name, mode), []).append(ms)
    middle = {key: statistics.median(values) for key, values in found.items()}
    rows = [
        (name, [f"{middle[name, mode]:.3f}" if (name, mode) in middle else "-" for mode in ("close", "tls")])
        for name in CLIENTS
    ]
    table(f"CPU ms a request, median of {ROUNDS} rounds of {number}", ("plain", "TLS"), rows)
    times = {mode: middle["Scrapy's handler", mode] / middle["mediacrawl", mode] for mode in ("close", "tls")}
    what = "requests per CPU-second, times Scrapy's handler"
    finish("fetch", [figure(f"{mode}: {what}", value, "x", 5.0) for mode, value in times.items()])


if __name__ == "__main__":
    main()

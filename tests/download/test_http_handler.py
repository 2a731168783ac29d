"""What the handler makes of a request before it is sent. Crawls with it are in test_guard_handler.py and tests/e2e."""

import asyncio
import contextlib
from concurrent.futures import Future
from types import SimpleNamespace

import pytest
from scrapy import Request, Spider
from scrapy.downloadermiddlewares.httpproxy import HttpProxyMiddleware
from scrapy.exceptions import (
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    ResponseDataLossError,
)
from scrapy.utils.reactor import install_reactor, is_reactor_installed
from scrapy.utils.test import get_crawler
from scripted_server import ScriptedServer
from service_identity import CertificateError

from mediacrawl.base.clock import Clock
from mediacrawl.base.terms import Evidence, Kind, Lease, Trouble
from mediacrawl.base.visit import VISIT, JudgedUrl, Visit
from mediacrawl.crawl.failures import error_name, trouble_in
from mediacrawl.download.http_client import Route
from mediacrawl.download.http_handler import PoliteHTTPHandler
from mediacrawl.politeness.address_clocks import AddressClocks, AddressPolicy, SharedAddressClocks

HELLO = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"


class Stock(Spider):
    name = "stock"


def with_handler(use, **settings):
    """Run something with the handler of a stock project."""
    if not is_reactor_installed():
        # Else the look-up of a name installs another one, for all tests of this process.
        install_reactor("twisted.internet.asyncioreactor.AsyncioSelectorReactor")

    async def run():
        crawler = get_crawler(Stock, {"GUARD_ALLOW": ["127.0.0.0/8"], "TELNETCONSOLE_ENABLED": False, **settings})
        crawler.spider = Stock()
        handler = PoliteHTTPHandler(crawler)
        try:
            return await use(handler)
        finally:
            await handler.close()
            await asyncio.sleep(0.01)

    return asyncio.run(run())


def test_the_look_up_of_a_name_counts_for_the_timeout(monkeypatch):
    async def use(handler):
        async def slow(*_):
            await asyncio.sleep(20)

        monkeypatch.setattr(handler._names, "targets", slow)
        with pytest.raises(DownloadTimeoutError, match=r"0\.2 seconds"):
            await asyncio.wait_for(
                handler.download_request(Request("http://slow.example/", meta={"download_timeout": 0.2})), 10
            )

    with_handler(use)


def test_the_length_of_a_body_is_stated_once():
    async def use(handler):
        headers = {"Content-Length": "7", "Transfer-Encoding": "chunked", "X-Own": "1"}
        request = Request(f"http://127.0.0.1:{server.port}/", method="POST", body=b"abc", headers=headers)
        return await handler.download_request(request)

    with ScriptedServer(HELLO, body_bytes=3) as server:
        assert with_handler(use).body == b"hello"
    head = server.requests[0].partition(b"\r\n\r\n")[0].lower().split(b"\r\n")
    assert [line for line in head if line.startswith((b"content-length", b"transfer-encoding"))] == [
        b"content-length: 3"
    ]
    assert b"x-own: 1" in head


LEASE = Lease(
    *(1, "http://a.example/", "a.example", "a.example/", Kind.PAGE, 0, 0, "", Evidence("seed"), 0, b"", 15.0, 0.0)
)


@pytest.mark.parametrize(("leased", "proxied", "repeats"), [(0, 0, 1), (0, 1, 1), (1, 1, 1), (1, 0, 0)])
def test_a_request_is_sent_again_after_a_kept_connection_unless_the_delay_of_a_site_forbids_it(
    leased, proxied, repeats
):
    requests = []

    def script(request):
        requests.append(request)
        return [] if len(requests) == 2 else [HELLO, "keep"]

    async def use(handler):
        for _ in range(2):
            meta = {VISIT: Visit.of(LEASE)} if leased else {}
            meta |= {"proxy": f"127.0.0.1:{server.port}"} if proxied else {}
            await handler.download_request(Request(f"http://127.0.0.1:{server.port}/", meta=meta))

    with ScriptedServer(script) as server, contextlib.ExitStack() as failing:
        if not repeats:
            failing.enter_context(pytest.raises(DownloadFailedError, match="connection closed without an answer"))
        with_handler(use)
    assert len(requests) == 2 + repeats


@pytest.mark.parametrize(
    ("dead", "busy", "peer"),
    [
        ([], [], "127.0.0.1"),
        (["127.0.0.9"], [], "127.0.0.1"),
        (["127.0.0.9", "127.0.0.10"], [], "127.0.0.1"),
        (["127.0.0.9"], ["127.0.0.1"], None),
        (["127.0.0.9", "127.0.0.10"], ["127.0.0.10"], None),
    ],
)
@pytest.mark.parametrize("is_shared", [False, True])
def test_another_address_of_a_site_is_tried_when_its_own_clock_allows(dead, busy, peer, is_shared):
    policy, notes = AddressPolicy(minimum=60.0), {}
    visit = Visit.of(LEASE)

    def later(namespace, address, change):
        notes[address] = change(notes.get(address))
        done = Future()
        done.set_result(notes[address])
        return done

    async def use(handler):
        clock = Clock()
        store = SimpleNamespace(note=lambda *_: None, set_note=lambda *_: None)
        clocks = AddressClocks(policy, store, clock.now(), resumes=False)
        if is_shared:
            clocks = SharedAddressClocks(policy, later, clock.now, 60.0)

        async def take(address):
            return await asyncio.wrap_future(clocks.take(address)) if is_shared else clocks.take(address, clock.now())

        async def targets(*_):
            return (*dead, "127.0.0.1")

        for address in busy:
            assert await take(address) == 0
        handler._context = SimpleNamespace(
            leases=True,
            frontier=SimpleNamespace(holds=lambda _: True),
            guard=handler._context.guard,
            address_policy=policy,
            address_clocks=clocks,
            clock=clock,
        )
        handler._names.targets = targets
        try:
            await handler.download_request(Request(f"http://a.example:{server.port}/", meta={VISIT: visit}))
        except DownloadConnectionRefusedError:
            return None, {address: await take(address) for address in dead[1:]}
        return visit.fetch.address, {address: await take(address) for address in dead[1:]}

    with ScriptedServer(HELLO) as server:
        found, waits = with_handler(use)
        assert found == peer
        assert len(server.requests) == (peer is not None)
    # An address that was taken and refused is free again; a busy one stays busy.
    assert {address: wait > 0 for address, wait in waits.items()} == {each: each in busy for each in dead[1:]}


def test_an_address_whose_clock_does_not_answer_is_not_taken():
    visit = Visit.of(LEASE)

    async def use(handler):
        clock, policy = Clock(), AddressPolicy(minimum=60.0)
        handler._context = SimpleNamespace(
            leases=True,
            frontier=SimpleNamespace(holds=lambda _: True),
            guard=handler._context.guard,
            address_policy=policy,
            address_clocks=SharedAddressClocks(policy, lambda *_: Future(), clock.now, 60.0),
            clock=clock,
        )

        async def targets(*_):
            return "127.0.0.9", "127.0.0.1"

        handler._names.targets = targets
        with pytest.raises(DownloadFailedError):
            await handler.download_request(Request(f"http://a.example:{server.port}/", meta={VISIT: visit}))

    with ScriptedServer(HELLO) as server:
        with_handler(use, CONNECT_TIMEOUT=0.2)
        assert server.requests == []
    assert visit.fetch.address == "127.0.0.9"


@pytest.mark.parametrize(("judged", "looked_up"), [("http://a.example/", 1), ("http://b.example/", 2)])
def test_addresses_that_were_judged_are_used_for_their_request_and_only_once(judged, looked_up):
    visit, names = Visit.of(LEASE), []

    async def use(handler):
        async def targets(name, rather):
            names.append((name, rather))
            return ("127.0.0.2",)

        handler._names.targets = targets
        visit.fetch.judged = JudgedUrl(judged, ("127.0.0.9", "127.0.0.1"))
        request = Request("http://a.example/", meta={VISIT: visit})
        return [await handler._route(request) for _ in range(2)]

    routes = [(route.host, route.address, route.others) for route in with_handler(use)]
    assert routes[-1] == ("a.example", "127.0.0.2", ())
    assert len(names) == looked_up
    if looked_up == 1:
        assert routes[0] == ("a.example", "127.0.0.9", ("127.0.0.1",))


@pytest.mark.parametrize("proxy", ["", "http://127.0.0.1:9"])
def test_a_lease_is_checked_with_a_proxy_as_well(proxy):
    async def use(handler):
        handler._context = SimpleNamespace(leases=True, frontier=SimpleNamespace(holds=lambda _: False))
        meta = {VISIT: Visit.of(LEASE)} | ({"proxy": proxy} if proxy else {})
        return await handler._route(Request("http://127.0.0.1/", meta=meta))

    route = with_handler(use)
    assert isinstance(route, Route)
    assert not route.may_send()


@pytest.mark.parametrize("form", ["{}", "//{}", "http://{}", "http://{}/"])
def test_a_proxy_may_be_named_without_a_scheme(form):
    def use(proxy):
        return with_handler(
            lambda handler: handler.download_request(Request("http://far.example/a", meta={"proxy": proxy}))
        )

    with ScriptedServer(HELLO) as server:
        assert use(form.format(f"127.0.0.1:{server.port}")).body == b"hello"
        # As Scrapy's own middleware passes it on.
        request = Request("http://far.example/a", meta={"proxy": form.format(f"127.0.0.1:{server.port}")})
        HttpProxyMiddleware().process_request(request)
        assert use(request.meta["proxy"]).body == b"hello"
    assert [each.split(b" ")[1] for each in server.requests] == [b"http://far.example/a"] * 2


@pytest.mark.parametrize(
    ("script", "error", "name"),
    [
        ([b"SSH-2.0-x\r\n\r\n"], DownloadFailedError, "bad status line"),
        (["reset"], DownloadFailedError, "connection reset"),
        ([HELLO[:-2]], ResponseDataLossError, "connection closed after 3 B"),
        ([9], DownloadTimeoutError, "DownloadTimeoutError"),
    ],
)
def test_a_failure_has_the_type_that_scrapy_has_for_it_and_a_name_for_the_log(script, error, name):
    async def use(handler):
        with pytest.raises(error) as caught:
            await handler.download_request(Request(f"http://127.0.0.1:{server.port}/", meta={"download_timeout": 0.5}))
        return caught.value

    with ScriptedServer(*script) as server:
        assert error_name(with_handler(use)) == name


def test_a_certificate_that_names_no_host_is_a_fact_about_the_site():
    assert trouble_in(CertificateError("no names")) is Trouble.TLS

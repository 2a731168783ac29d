"""The handler alone in a stock project: where it connects to, judged by the sockets that were connected to."""

import contextlib
import json
import socket

import pytest
from dns_server import DnsServer, a, aaaa, reply
from scripted_server import ScriptedServer, certificate_in
from traps import GOOD, Traps, tricks

HANDLER = dict.fromkeys(("http", "https"), "mediacrawl.handler.PoliteHTTPHandler")
OURS = "mediacrawl.resolver.HostsResolver"

SPIDER = '''\
"""Asks for URLs as they stand in a file, one after the other if it is told so."""

import json
from pathlib import Path

import scrapy


class RawSpider(scrapy.Spider):
    name = "raw"

    async def start(self):
        for url in json.loads(Path(self.urls).read_text(encoding="utf-8")):
            try:
                request = scrapy.Request(url, self.parse, errback=self.failed, dont_filter=True)
            except ValueError as error:
                self.logger.info("NO URL %s", error)
                continue
            yield request

    def parse(self, response):
        yield {"url": response.url, "ip": str(response.ip_address), "body": response.text}

    def failed(self, failure):
        self.logger.info("FAILED %s %s", failure.request.url, type(failure.value).__name__)
'''


@pytest.fixture
def project(project, tmp_path):
    project.spider(SPIDER)
    project.set(DOWNLOAD_HANDLERS=HANDLER, RETRY_ENABLED=False, DNS_TIMEOUT=2)
    return project


@pytest.fixture
def dns():
    with DnsServer() as server:
        yield server


def crawl(project, *urls):
    path = project.state / "urls.json"
    path.write_text(json.dumps(urls), encoding="utf-8")
    return project.crawl(str(path), spider="raw").check()


def bodies(crawled):
    return [item["body"] for item in crawled.items]


def host_of(request):
    """An answer with the Host header of a request."""
    host = request.partition(b"Host: ")[2].partition(b"\r\n")[0]
    return [b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n" % len(host) + host, "keep"]


class Server(ScriptedServer):
    """Answers with the Host header that it got; by TLS if it has a certificate."""

    def __init__(self, address, certificate=None):
        super().__init__(host_of, certificate=certificate, address=address)

    @property
    def paths(self):
        return [request.split(b" ")[1].decode() for request in self.requests]


# -- tricks ------------------------------------------------------------------------------------------------------


@pytest.fixture
def traps():
    """Sockets that nobody may connect to."""
    with contextlib.ExitStack() as opened:
        for _ in range(50):
            with socket.create_server((GOOD, 0)) as free:
                port = free.getsockname()[1]
            traps = opened.enter_context(Traps(port))
            # At another address the port may be somebody's.
            if "127.0.0.1" in traps.addresses:
                break
        traps.port = port
        yield traps


@pytest.mark.parametrize(
    "resolver", [OURS, "scrapy.resolver.CachingThreadedResolver", "scrapy.resolver.CachingHostnameResolver"]
)
def test_no_trick_makes_a_connection_whatever_resolver_is_there(project, traps, resolver):
    played = [trick["url"] for trick in tricks(traps.port) if trick["ends"] == "address" and "url" in trick]
    assert len(played) > 60
    project.set(TWISTED_DNS_RESOLVER=resolver)
    crawled = crawl(project, *played)
    assert traps.caught == []
    assert crawled.items == []
    assert len(crawled.refused) > 60
    assert "'drop/address'" in crawled.log


def test_an_allowed_address_is_asked(project, traps):
    """And the traps do count."""
    project.set(TWISTED_DNS_RESOLVER=OURS, GUARD_ALLOW=["127.0.0.1", "::1"])
    crawl(project, *(f"http://{host}:{traps.port}/" for host in ("127.0.0.1", "2130706433", "localhost", "127.0.0.3")))
    assert traps.caught == ["127.0.0.1"] * 3


# -- where it connects to ----------------------------------------------------------------------------------------


def test_a_name_with_good_and_guarded_addresses_is_asked_at_the_good_one(project, dns):
    with Server(GOOD) as server:
        dns.zone["mixed.example"] = [a("10.0.0.1"), a("127.0.0.1"), a(GOOD), aaaa("::1")]
        project.set(TWISTED_DNS_RESOLVER=OURS, RESOLVER_SERVERS=[dns.where], GUARD_ALLOW=[GOOD])
        crawled = crawl(project, f"http://mixed.example:{server.port}/")
    assert [item["ip"] for item in crawled.items] == [GOOD]
    assert bodies(crawled) == [f"mixed.example:{server.port}"]


def test_an_address_that_refuses_is_followed_by_the_next_of_the_name_if_the_guard_allows_that(project, dns):
    with Server(GOOD) as server, socket.create_server(("127.0.0.1", server.port)) as guarded:
        # Nobody listens at 127.0.0.9 and those above.
        dns.zone["two.example"] = [a("127.0.0.9"), a("127.0.0.1"), a(GOOD)]
        dns.zone["none.example"] = [a("127.0.0.9"), a("127.0.0.1")]
        dns.zone["many.example"] = [*(a(f"127.0.0.{number}") for number in range(9, 20)), a(GOOD)]
        project.set(TWISTED_DNS_RESOLVER=OURS, RESOLVER_SERVERS=[dns.where])
        project.set(GUARD_ALLOW=["127.0.0.8/29", "127.0.0.16/28", GOOD], CONCURRENT_REQUESTS=1)
        urls = [f"http://{name}.example:{server.port}/" for name in ("many", "none", "two")]
        crawled = crawl(project, *urls)
        guarded.setblocking(False)
        with pytest.raises(BlockingIOError):
            guarded.accept()
    assert [(item["url"], item["ip"]) for item in crawled.items] == [(urls[2], GOOD)]
    assert [f"FAILED {url} DownloadConnectionRefusedError" in crawled.log for url in urls] == [True, True, False]


def test_fixed_names_are_asked_where_the_operator_says_and_nowhere_else(project, traps):
    with Server(GOOD) as server:
        project.set(TWISTED_DNS_RESOLVER=OURS, RESOLVER_HOSTS={"demo.example": GOOD})
        urls = [f"http://demo.example:{server.port}/", f"http://{GOOD}:{server.port}/"]
        crawled = crawl(project, *urls)
    assert bodies(crawled) == [f"demo.example:{server.port}"]
    assert crawled.refused == urls[1:]


def test_a_kept_connection_is_used_again_for_the_same_address(project, dns):
    with Server(GOOD) as server:
        dns.zone["kept.example"] = [a(GOOD)]
        project.set(TWISTED_DNS_RESOLVER=OURS, RESOLVER_SERVERS=[dns.where], GUARD_ALLOW=[GOOD], CONCURRENT_REQUESTS=1)
        crawled = crawl(project, *(f"http://kept.example:{server.port}/{number}" for number in range(3)))
        assert server.clients == 1
    assert len(crawled.items) == 3


def test_a_kept_connection_is_not_used_when_the_name_leads_elsewhere_now(project, dns):
    with Server(GOOD) as server:
        # A question that is asked twice before the first page is answered twice alike.
        leads = {False: [a(GOOD, ttl=0)], True: [a("127.0.0.3", ttl=0)]}
        dns.zone["rebind.example"] = lambda question: reply(leads[bool(server.clients)], question)
        project.set(TWISTED_DNS_RESOLVER=OURS, RESOLVER_SERVERS=[dns.where], GUARD_ALLOW=[GOOD])
        project.set(**{"mediacrawl.politeness.addresses.LEAST": 0.05})
        project.set(CONCURRENT_REQUESTS=1, DOWNLOAD_DELAY=0.3, DOWNLOAD_DELAY_JITTER=0.0)
        urls = [f"http://rebind.example:{server.port}/{number}" for number in range(2)]
        crawled = crawl(project, *urls)
    assert len(crawled.items) == 1
    assert crawled.refused == urls[1:]


# -- proxies -----------------------------------------------------------------------------------------------------


def test_a_proxy_is_the_operators_word_but_not_a_way_to_guarded_addresses(project, monkeypatch):
    with Server("127.0.0.1") as proxy:
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{proxy.port}")
        monkeypatch.setenv("no_proxy", "")
        project.set(TWISTED_DNS_RESOLVER=OURS, RESOLVER_SERVERS=["127.0.0.1:9"])
        crawled = crawl(project, "http://somewhere.example/", "http://10.0.0.1/", "http://www.localhost/")
    assert bodies(crawled) == ["somewhere.example"]
    assert crawled.refused == ["http://10.0.0.1/", "http://www.localhost/"]


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    return certificate_in(tmp_path_factory.mktemp("tls"))

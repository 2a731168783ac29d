"""A request whose lease ends after it was handed to its connection, before it is written: a worker that stood still."""

import pytest
from dns_server import DnsServer, a
from test_guard_handler import SPIDER, Server, certificate, crawl
from traps import GOOD

__all__ = ["certificate"]

HANDLER = '''\
from dataclasses import replace

from mediacrawl.download.http_handler import PoliteHTTPHandler


class LateHandler(PoliteHTTPHandler):
    """What is called late may be asked when its connection is there, and not any more when it is written."""

    async def _route(self, request):
        answers = iter([True, "late" not in request.url])
        return replace(await super()._route(request), may_send=lambda: next(answers, "late" not in request.url))
'''


@pytest.fixture
def project(project):
    project.spider(SPIDER)
    (project.folder / "theirs" / "late_handler.py").write_text(HANDLER, encoding="utf-8")
    project.set(DOWNLOAD_HANDLERS=dict.fromkeys(("http", "https"), "theirs.late_handler.LateHandler"))
    project.set(TWISTED_DNS_RESOLVER="mediacrawl.resolver.HostsResolver", RETRY_ENABLED=False, CONCURRENT_REQUESTS=1)
    return project


@pytest.mark.parametrize(
    ("scheme", "paths"),
    [("http", ["/late", "/after"]), ("https", ["/", "/late", "/after", "/more"])],
    ids=["new", "kept"],
)
def test_it_is_not_sent_and_refused_and_the_others_are(project, certificate, scheme, paths):
    with DnsServer() as dns, Server(GOOD, certificate if scheme == "https" else None) as server:
        dns.zone["tls.example"] = [a(GOOD)]
        project.set(RESOLVER_SERVERS=[dns.where], GUARD_ALLOW=[GOOD])
        urls = [f"{scheme}://tls.example:{server.port}{path}" for path in paths]
        crawled = crawl(project, *urls)
        # The connection of the late one, or of those before it, and one after it.
        assert server.clients == 2
    late = next(url for url in urls if "late" in url)
    assert server.paths == [path for path in paths if path != "/late"]
    assert [item["url"] for item in crawled.items] == [url for url in urls if url != late]
    assert crawled.refused == [late]
    assert "'frontier/late': 1" in crawled.log

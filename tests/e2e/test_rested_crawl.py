"""Sites that broke and came back: the crawl, or its next starts, ask them, counted by the server."""

from collections import Counter

from crawling import Crawl
from judging import Verdict

from mediacrawl.demo import HttpServer, Resource, Response, respond


class AwayWeb(HttpServer):
    """Sites with one page each, which is away for its first `OUTAGE` requests. Its robots.txt is not."""

    OUTAGE = 4
    never_crawl = "# nobody\n"

    def __init__(self):
        super().__init__(self._answer)
        self.hosts = {f"{name}.example": "127.0.0.1" for name in ("reset", "silent", "error", "busy")}
        self._asked = Counter()

    @property
    def seeds(self):
        return [f"http://{host}:{self.port}/only" for host in self.hosts]

    async def _answer(self, exchange):
        host, path = exchange.request.host, exchange.request.path
        self._asked[host] += path != "/robots.txt"
        if path == "/robots.txt":
            await exchange.send(Response(404, (), b"none\n"))
        elif self._asked[host] > self.OUTAGE:
            await exchange.send(respond(Resource(f"<p>{host} is back.</p>".encode(), "text/html"), exchange.request))
        elif host == "reset.example":
            exchange.reset()
        elif host == "silent.example":
            exchange.keep_alive = False
        else:
            await exchange.send(Response(500 if host == "error.example" else 503, (), b"later\n"))


def test_the_only_url_of_a_site_survives_an_outage_that_is_longer_than_its_attempts(tmp_path):
    with AwayWeb() as web:
        crawl = Crawl(web, tmp_path)
        crawl.start("-s", "POLITENESS_FACTOR=0", "-s", "POLITENESS_MIN_DELAY=0.05", "-s", "POLITENESS_FIRST_DELAY=0.05")
        assert crawl.wait() == 0, crawl.text()[-3000:]
        verdict = Verdict(crawl)
        assert verdict.ended == {"done": len(web.hosts)}
        asked = Counter(entry.host for entry in web.settled_log() if entry.path == "/only")
        assert set(asked.values()) == {web.OUTAGE + 1}

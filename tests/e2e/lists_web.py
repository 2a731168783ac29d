"""A web of lists: what is at each URL may be changed while a crawl runs."""

from wire import HttpServer, ServerExchange, respond

from mediacrawl.programs.demo.answers import Resource, strong_etag
from mediacrawl.programs.demo.library import media_bytes


def untagged(name):
    """An MP3 of the demo without its tags."""
    data = media_bytes(name)
    if data.startswith(b"ID3"):
        size = data[6] << 21 | data[7] << 14 | data[8] << 7 | data[9]
        data = data[10 + size :]
    return data[:-128] if data[-128:-125] == b"TAG" else data


NOT_FOUND = Resource(b"nothing here", "text/plain", status=404)
SONG = untagged("folge-1.mp3")


class ListsWeb(HttpServer):
    """Hosts below ``.example`` on one port.

    Attributes:
        hosts: name of each host -> the address it has here.
        resources: (host, path) -> what is there; for a host ``*``, any.
    """

    never_crawl = "# none\n"
    seeds = ()

    def __init__(self):
        super().__init__(self._answer)
        self.hosts = {}
        self.resources = {}

    def url(self, host, path):
        return f"http://{host}.example:{self.port}{path}"

    def put(self, host, path, body, content_type="text/html", **more):
        """Put something at a URL; answers the URL. Text may name ``{base}``, its host's root."""
        self.hosts[f"{host}.example"] = "127.0.0.1"
        if isinstance(body, str):
            body = body.replace("{base}", self.url(host, "")).encode()
        self.resources[host, path] = Resource(body, content_type, etag=strong_etag(body), **more)
        return self.url(host, path)

    def song(self, host, path):
        return self.put(host, path, SONG, "audio/mpeg")

    def remove(self, host, path, status):
        self.resources[host, path] = Resource(b"gone", "text/plain", status=status)

    def asked(self, host, path):
        """All requests of a URL so far."""
        return [entry for entry in self.settled_log() if entry.url == self.url(host, path)]

    async def _answer(self, exchange: ServerExchange):
        request = exchange.request
        found = self.resources.get((request.host.removesuffix(".example"), request.target), NOT_FOUND)
        await exchange.send(respond(found, request))

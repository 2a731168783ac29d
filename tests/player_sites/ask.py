"""A request as a site sees it, and where the hosts of the sites are."""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit, urlunsplit

from mediacrawl.demo import Request


def at_port(url: str, port: int | None) -> str:
    """The same URL at another port; None is the default one."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=f"{parts.hostname}:{port}" if port else str(parts.hostname)))


@dataclass(frozen=True, slots=True)
class Net:
    """Where the hosts of all sites are reached: at port 80 in recordings, at the port of a server in a crawl."""

    port: int | None = None

    @classmethod
    def of(cls, url: str) -> "Net":
        """The one in which this URL lies."""
        return cls(urlsplit(url).port)

    def url(self, host: str, target: str = "") -> str:
        """Absolute URL of a path, and query, on a host."""
        return f"http://{host}:{self.port}{target}" if self.port else f"http://{host}{target}"


@dataclass(frozen=True, slots=True)
class Ask:
    """A request as a site sees it.

    Attributes:
        method: in capitals.
        host: in lower case, without port.
        path: without the query, as it was sent.
        query: name -> value, escapes resolved; of a name that is there twice the last counts.
        headers: names in lower case.
        body: of a POST.
        net: where the hosts are.
    """

    method: str
    host: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes
    net: Net

    @classmethod
    def of(cls, request: Request, body: bytes = b"") -> "Ask":
        """What this request asks. Its Host header says where the hosts are."""
        path, _, query = request.target.partition("?")
        port = urlsplit(f"http://{request.headers.get('host', '')}").port
        pairs = dict(parse_qsl(query, keep_blank_values=True))
        return cls(request.method, request.host, path, pairs, request.headers, body, Net(port))

    def url(self, target: str, host: str = "") -> str:
        """Absolute URL on the same host, or on another one."""
        return self.net.url(host or self.host, target)

    def between(self, start: str, end: str = "") -> str | None:
        """What stands in the path between a beginning and an end; None if it is not there, or is no one segment."""
        if not (self.path.startswith(start) and self.path.endswith(end)):
            return None
        inner = self.path[len(start) : len(self.path) - len(end)]
        return inner if inner and "/" not in inner else None

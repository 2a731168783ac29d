"""A web of traps: one host for each way to make endless URLs out of few pages, and hosts that only look like traps.

    with TrapWeb() as web:
        web.url("sessions")     # http://sessions.example:PORT/
        web.media["sessions"]   # the files that a crawl must find there
        web.log                 # what the server saw

Every host has few pages worth a visit, so the number of requests tells how long a crawl stayed in the trap.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import date, timedelta
from functools import cache
from hashlib import md5

from sin import Visit, page
from sins_media import song
from wire import HttpServer, ServerExchange

__all__ = ["TRAPS", "TrapWeb"]

HTML = "text/html; charset=utf-8"
WORDS = "archive cello choir evening field garden harbour interview kitchen letter lake morning night organ "
WORDS += "piano quiet radio river station street summer tape talk train violin village voice water winter wind"
NAVIGATION = "".join(f"<li>{word}</li>" for word in WORDS.split())
COLOURS, SIZES, BRANDS, SORTS = "red green blue black white", "small medium large huge", "oak elm ash", "up down new"

Trap = Callable[["TrapVisit"], str | None]
TRAPS: dict[str, Trap] = {}


class TrapVisit(Visit):
    """A visit whose answer is a page, given as its body; None is 404."""

    @property
    def query(self) -> dict[str, str]:
        """The query of the request."""
        parts = self.exchange.request.target.partition("?")[2].split("&")
        return dict(part.split("=", 1) for part in parts if "=" in part)

    @property
    def target(self) -> str:
        """Path and query of the request."""
        return self.exchange.request.target

    def token(self, length: int = 32) -> str:
        """What a program makes up again for each visit and each call."""
        self.salt = getattr(self, "salt", 0) + 1
        return md5(f"{self.base}{self.count}.{self.salt}".encode(), usedforsecurity=False).hexdigest()[:length]


def trap(answer: Trap) -> Trap:
    """Register a host under the name of its function."""
    TRAPS[answer.__name__.replace("_", "-")] = answer
    return answer


@cache
def prose(name: str, sentences: int = 30) -> str:
    """Text of its own for each name, always the same."""
    words = WORDS.split()
    digits = [md5(f"{name} {number}".encode(), usedforsecurity=False).digest() for number in range(sentences)]
    return "<p>" + ". ".join(" ".join(words[octet % len(words)] for octet in digest) for digest in digits) + ".</p>"


def links(*hrefs: str) -> str:
    """Each reference as a link of its own."""
    names = [href.partition("?")[0].partition(";")[0].rstrip("/").rpartition("/")[2] for href in hrefs]
    return "".join(f'<p><a href="{href}">{name}</a></p>' for href, name in zip(hrefs, names, strict=True))


def recording(path: str) -> bytes:
    """A song of its own for each path, told from others by its album; under one path all hosts have the same."""
    album = md5(path.encode(), usedforsecurity=False).hexdigest()[:15]
    return song().replace(b"Fahrplanwechsel", album.encode(), 1)


def number_in(path: str) -> int:
    """The number in a path; -1 if there is none."""
    digits = "".join(filter(str.isdigit, path))
    return int(digits) if digits else -1


@trap
def sessions(visit: TrapVisit) -> str | None:
    """Ten pages; each link has a session id that is new on each page, in the ways of PHP, Java and ASP.NET."""
    ways = (
        "/page{}.html?PHPSESSID=" + visit.token(),
        "/page{}.html;jsessionid=" + visit.token().upper() + ".node1",
        "/(S(" + visit.token(24) + "))/page{}.html",
        "/page{}.html?CFID=" + str(100_000 + visit.count) + "&CFTOKEN=" + visit.token(16),
    )
    number = number_in(visit.path.partition(";")[0].rpartition("/")[2])
    hrefs = [way.format(other) for other in range(10) for way in ways]
    return prose(f"session {number}") + links(*hrefs, f"/song{max(number, 0)}.mp3") if number < 10 else None


@trap
def calendar(visit: TrapVisit) -> str | None:
    """A page for each month, before and after, for ever; one of them has a recording."""
    month = date.fromisoformat(visit.query.get("from", "2026-07-01"))
    months = [(month + timedelta(days=days)).replace(day=1).isoformat() for days in (-20, 40, 400)]
    days = "".join(f"<td>{day}</td><td>no concert today, come back soon</td>\n" for day in range(1, 29))
    return f"<h1>{month:%B %Y}</h1><ul>{NAVIGATION}</ul>{days}" + links(
        *(f"/list?from={m}" for m in months), "/song.mp3"
    )


@trap
def facets(visit: TrapVisit) -> str | None:
    """One list of twelve things, by colour, size, brand and order: each page leads to all other combinations."""
    chosen = visit.query
    groups = {"brand": BRANDS, "colour": COLOURS, "size": SIZES, "sort": SORTS}
    hrefs = []
    for name, values in groups.items():
        for value in values.split():
            query = "&".join(f"{key}={word}" for key, word in sorted({**chosen, name: value}.items()))
            hrefs.append(f"/shop?{query}")
    items = "".join(f"<h2>{value}</h2>{prose(value, 3)}" for value in (*sorted(chosen.values()), "oak"))
    return items + links(*hrefs, "/song.mp3")


@trap
def growing(visit: TrapVisit) -> str | None:
    """Every page has the same text, and relative links that make its path longer."""
    return prose("growing") + links("more/", "deeper/", "older/", "again/", "/song.mp3")


@trap
def rooted(visit: TrapVisit) -> str | None:
    """Every page has the same text, and links of its own, each with the whole of a longer path."""
    return prose("rooted") + links(*(f"{visit.path}{word}/" for word in ("more", "deeper", "older")), "/song.mp3")


@trap
def soft_404(visit: TrapVisit) -> str | None:
    """Sixty files of which two are there; for the others it sends a page with status 200, with links of its own."""
    if visit.path == "/":
        return prose("index") + links(*(f"/song{number}.mp3" for number in range(60)))
    if not visit.path.endswith(".mp3"):
        return prose("help")
    return f"<h1>Sorry</h1><p>There is no {visit.path[1:]} here.</p>" + links("/", f"/help?about={visit.path[1:]}")


@trap
def dust(visit: TrapVisit) -> str | None:
    """Twenty pages; each link says by a parameter which page it is on and when, and nothing comes of it."""
    number = number_in(visit.path)
    hrefs = [f"/page{other}.html?ref={visit.token(6)}" for other in range(20)]
    return prose(f"dusty {number}") + links(*hrefs, f"/song{max(number, 0)}.mp3") if number < 20 else None


@trap
def episodes(visit: TrapVisit) -> str | None:
    """No trap: twenty pages with the same text, each with a file of its own, in folders, and relative."""
    number = number_in(visit.path)
    if number < 0:
        return prose("index") + links(*(f"/folder{other}/" for other in range(20)))
    return prose("all the same") + links("song.mp3", f"/folder{(number + 1) % 20}/")


@trap
def numbered(visit: TrapVisit) -> str | None:
    """No trap: one script, whose parameter says which page; those beyond the last all say the same."""
    number = int(visit.query.get("id", "0"))
    hrefs = [f"/show?id={other}" for other in (number + 1, number + 2, number + 3, 1000 + number) if other < 1100]
    return prose(f"shown {number}") + links(*hrefs, f"/song{number}.mp3") if number < 25 else prose("no such page")


def files(name: str) -> list[str]:
    """Paths of the media of a host."""
    several = {"sessions": 10, "dust": 20, "numbered": 25}
    if name in several:
        return [f"/song{number}.mp3" for number in range(several[name])]
    if name == "soft-404":
        return ["/song7.mp3", "/song42.mp3"]
    return [f"/folder{number}/song.mp3" for number in range(20)] if name == "episodes" else ["/song.mp3"]


class TrapWeb(HttpServer):
    """A server on loopback whose hosts are named after their traps: ``<trap>.example``.

    Args:
        sites: name of each host -> what answers there.
        files: tells the paths of the media of a host.

    Attributes:
        hosts: name of each host -> the address it has here.
        media: name of each trap -> URLs of its files, after the start.
        never_crawl: text of a NeverCrawl file that forbids nothing.
    """

    def __init__(self, sites: dict[str, Trap] = TRAPS, files: Callable[[str], list[str]] = files) -> None:
        super().__init__(self._answer)
        self._sites = sites
        self._files = files
        self._visits: Counter[str] = Counter()
        self.hosts = {f"{name}.example": "127.0.0.1" for name in sites}
        self.media: dict[str, set[str]] = {}
        self.never_crawl = "# nobody\n"

    def start(self) -> None:
        """Listen."""
        super().start()
        self.media = {name: {self.url(name, path) for path in self._files(name)} for name in self._sites}

    def url(self, name: str, path: str = "/") -> str:
        """URL of a trap."""
        return f"http://{name}.example:{self.port}{path}"

    async def _answer(self, exchange: ServerExchange) -> None:
        name = exchange.request.host.removesuffix(".example")
        self._visits[name] += 1
        visit = TrapVisit(exchange, f"http://{exchange.request.host}:{self.port}", self._visits[name])
        if name not in self._sites or visit.path == "/robots.txt":
            await visit.send(404)
        elif visit.target in self._files(name):
            await visit.honest(recording(visit.target), "audio/mpeg", '"song"')
        elif (body := self._sites[name](visit)) is not None:
            await visit.honest(page(name.partition("-")[0], body), HTML)
        else:
            await visit.send(404)

"""A web that takes long to crawl: the stage on which the crawler is killed.

Some forty sites of its own, and some hosts of the misbehaving server. Chains of pages, each found on the one before it,
keep the crawl busy for as many kills as are wanted; blogs are found from each other; there are media files,
redirects, hosts that are slow, fail, hang, or ask for a long Crawl-delay.

All is known in advance: `kinds` has every URL that is reachable, and how it must end.
"""

from __future__ import annotations

import asyncio
from urllib.parse import urljoin

from misbehaving import SINS, MisbehavingWeb
from sin import page
from sins_media import song
from wire import respond

from mediacrawl.politeness.delay import DOUBT
from mediacrawl.programs.demo.answers import Resource, Response, strong_etag
from mediacrawl.programs.demo.library import NAMES, content_type_of, media_bytes
from mediacrawl.scope import canonical

CHAINS, BLOGS = 8, 24
SLOW, PATIENT, BROKEN = ("slow-1", "slow-2"), tuple(f"patient-{n}" for n in range(6)), ("broken-1", "broken-2")
CRAWL_DELAY = 4.0
"""Seconds that the patient hosts ask for: more than a restart takes, so that a forgotten release time shows."""
THINKS = 0.3
"""Seconds that a slow or patient host takes for half an answer, so that kills find it leased."""

FILES = ("nachtzug.mp3", "cafe.mp3", "thalassa.ogg", "low-water.flac", "spacer.m4a", "bateau.mp4", "nychta.opus")
GROWN = "nachtzug.mp3"
"""The file that is served in a longer version, of which the crawler needs two ranges."""

_ROBOTS = Resource(b"User-agent: *\nDisallow:\n", "text/plain")
_PATIENT_ROBOTS = Resource(f"User-agent: *\nCrawl-delay: {CRAWL_DELAY}\nDisallow:\n".encode(), "text/plain")

ATTEMPTS = 2
"""How often a URL that fails is asked while others of its host answer, by the crawl's settings."""
ALONE = DOUBT + ATTEMPTS - 1
"""How often one is that waits there alone: of the failures in a row the first counts, and those from `DOUBT` on."""

USED_SINS = {
    # Sin -> how its page ends, how often it is requested.
    "reset": ("download_error", ALONE),
    "hang-in-body": ("download_error", ALONE),
    "status-503": ("http_status", ALONE),
    "redirect-self": ("redirect_broken", 1),
    "short-length": ("done", 1),
    "unclosed-html": ("done", 1),
    "deep-html": ("done", 1),
    "charset-lie": ("done", 1),
    "noise-file": ("content_type", 1),
}


class CrashWeb(MisbehavingWeb):
    """The web of the crash test.

    Args:
        steps: pages of each chain at first.
        patient: whether there are the hosts that ask for a long Crawl-delay.

    Attributes:
        seeds: URLs from which all the rest is reached.
        links: URL of each page -> the URLs that it links to; of each redirect, where it leads.
        kinds: URL -> ``page``, ``media``, ``moved``, or, if it fails, the reason of its drop.
        files: URL of each media file -> its name in the demo's library.
        sizes: URL of each media file -> its bytes.
        spring: called with ``before`` and ``after`` at each request: before and after it is answered.
        held: while it is true nothing is answered.
        grows: while it is true the last page of a chain, and of a patient host, has another one behind it: no crawl
            ends.
        never_crawl: text of the NeverCrawl file that goes with this web.
    """

    def __init__(self, steps: int, *, patient: bool = True) -> None:
        super().__init__()
        self.never_crawl = "# nobody\n"
        self.spring = lambda moment: None
        self.held = self.grows = False
        self.seeds: list[str] = []
        self.links: dict[str, list[str]] = {}
        self.kinds: dict[str, str] = {}
        self.files: dict[str, str] = {}
        self.sizes: dict[str, int] = {}
        self._steps = steps
        self._patient = PATIENT if patient else ()
        self._resources: dict[str, Resource] = {}
        self._own: set[str] = set()
        self._last: dict[str, tuple[str, int]] = {}

    def start(self) -> None:
        """Build the hosts and listen."""
        super().start()
        for number in range(CHAINS):
            self._chain(f"chain-{number}")
        for number in range(BLOGS):
            self._blog(f"blog-{number}", [f"blog-{n}" for n in (2 * number + 1, 2 * number + 2) if n < BLOGS])
        for name in SLOW:
            self._blog(name, [])
        for name in self._patient:
            self._page(name, "/", ["/1.html", "/2.html", self._media(name, "/song", 1)])
            self._page(name, "/1.html", [])
            self._step(name, 2, is_last=True)
        self._broken(BROKEN[0], "/fails.html", Resource(b"", status=500), "http_status")
        self._broken(BROKEN[1], "/hangs.mp3", Resource(), "download_error")
        self._gate("gate")
        self.hosts = dict.fromkeys([*(f"{name}.example" for name in self._own), *self.hosts], "127.0.0.1")

    def at(self, name: str, path: str = "/") -> str:
        """URL of a page of one of the own hosts."""
        return f"http://{name}.example:{self.port}{path}"

    @property
    def ends(self) -> dict[str, str]:
        """Every reachable URL in canonical form, and how it must end."""
        done = {"page", "media", "moved"}
        own = {canonical(url): "done" if kind in done else kind for url, kind in self.kinds.items()}
        return own | {canonical(self.url(sin)): end for sin, (end, _) in USED_SINS.items()}

    @property
    def tries(self) -> dict[str, int]:
        """Those that are asked more often than once, since they fail -> how often."""
        failing = [url for url in self.kinds if url.endswith(("/fails.html", "/hangs.mp3"))]
        sins = {canonical(self.url(sin)): times for sin, (_, times) in USED_SINS.items()}
        # Once all else of the host has ended they are alone, too.
        return {**dict.fromkeys(map(canonical, failing), ALONE), **sins}

    # -- the hosts -------------------------------------------------------------------------------------------

    def _gate(self, name: str) -> None:
        others = [f"chain-{number}" for number in range(CHAINS)] + ["blog-0", *SLOW, *self._patient, *BROKEN]
        self._page(name, "/", [self.at(other) for other in others] + [self.url(sin) for sin in USED_SINS])
        self.seeds = [self.at(name)]

    def _chain(self, name: str) -> None:
        for step in range(self._steps):
            self._step(name, step, is_last=step + 1 == self._steps)

    def _step(self, name: str, step: int, *, is_last: bool) -> None:
        links = [] if is_last else [f"/{step + 1}.html"]
        if step % 4 == 1:
            links.append(self._media(name, f"/{step}", step))
        path = f"/{step}.html" if step else "/"
        self._page(name, path, links)
        if is_last:
            self._last[self.at(name, path)] = name, step

    def _grow(self, url: str) -> None:
        """Whether a page is the last one is decided when it is requested the first time."""
        name, step = self._last.pop(url, ("", 0))
        if name and self.grows:
            self._step(name, step, is_last=False)
            self._step(name, step + 1, is_last=True)

    def _blog(self, name: str, others: list[str]) -> None:
        links = [self.at(other) for other in others]
        links += [self._media(name, f"/{number}", number + len(self._own)) for number in range(2)]
        for number in range(3):
            self._page(name, f"/{number}.html", ["/"])
            links.append(f"/{number}.html")
        self._put(name, "/moved.html", Resource(status=301, headers=(("Location", "/here.html"),)), "moved")
        self.links[self.at(name, "/moved.html")] = [self.at(name, "/here.html")]
        self._page(name, "/here.html", [])
        self._page(name, "/", [*links, "/moved.html"])

    def _broken(self, name: str, path: str, resource: Resource, end: str) -> None:
        """A host with one URL that fails: of several that fail, none would be given up for days."""
        self._put(name, path, resource, end)
        self._put(name, "/gone.html", Resource(b"", status=404), "http_status")
        self._page(name, "/", [path, "/gone.html", self._media(name, "/whole", 0)])

    def _page(self, name: str, path: str, links: list[str]) -> None:
        body = page(f"{name} {path}", "\n".join(f'<p><a href="{link}">{link}</a></p>' for link in links))
        self._put(name, path, Resource(body, "text/html; charset=utf-8"), "page")
        self.links[self.at(name, path)] = [urljoin(self.at(name), link) for link in links]

    def _media(self, name: str, path: str, number: int) -> str:
        file = FILES[number % len(FILES)]
        body = song() if file == GROWN else media_bytes(file)
        path += file[file.rindex(".") :]
        self._put(name, path, Resource(body, content_type_of(file), etag=strong_etag(body)), "media")
        self.files[self.at(name, path)], self.sizes[self.at(name, path)] = file, len(body)
        return path

    def _put(self, name: str, path: str, resource: Resource, kind: str) -> None:
        self._own.add(name)
        self._resources[self.at(name, path)] = resource
        self.kinds[self.at(name, path)] = kind

    # -- answers ---------------------------------------------------------------------------------------------

    async def _answer(self, exchange) -> None:
        self.spring("before")
        while self.held:
            await asyncio.sleep(0.01)
        name = exchange.request.host.removesuffix(".example")
        if name in SINS:
            await super()._answer(exchange)
        elif exchange.request.path == "/robots.txt":
            await exchange.send(respond(_ROBOTS if name not in PATIENT else _PATIENT_ROBOTS, exchange.request))
        elif exchange.request.path == "/hangs.mp3":
            await exchange.until_gone()
        else:
            await self._own_answer(exchange, name)
        self.spring("after")

    async def _own_answer(self, exchange, name: str) -> None:
        self._grow(self.at(name, exchange.request.path))
        resource = self._resources.get(self.at(name, exchange.request.path), Resource(status=404))
        response = respond(resource, exchange.request)
        if name not in SLOW + PATIENT:
            await exchange.send(response)
            return
        # One half, a pause in which the crawler may be killed, the other half.
        exchange.keep_alive = False
        await exchange.send_head(Response(response.status, response.headers, response.body))
        half = len(response.body) // 2
        await exchange.raw(response.body[:half])
        await asyncio.sleep(THINKS)
        await exchange.raw(response.body[half:])


def names_of(file: str):
    """Title, artist and album of a media file, as its maker meant them."""
    return NAMES[file]

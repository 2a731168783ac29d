"""What a player site is: its pages, the truth about their media, what its hosts answer, and how it is recorded."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from html import escape
from http import HTTPStatus
from urllib.parse import urlsplit

from mediacrawl.demo import Resource, Response, ServerExchange, respond
from player_sites import answers
from player_sites.ask import Ask, Net, at_port
from player_sites.shapes import Shape, digits, hexes, number
from player_sites.titles import titles

PAGES = 14
"""Pages of a site: two or three are recorded, so that at least ten are held out."""
ALL_MAY = "User-agent: *\nDisallow:\n"
"""A robots.txt that forbids nothing."""


@dataclass(frozen=True, slots=True)
class Expected:
    """One record that a page stands for.

    Attributes:
        media: absolute URLs of one medium (its qualities), in the order of the answer. Without the query where that
            differs at each answer.
        title: as the answer says it; empty if it says none.
        duration: seconds; 0 if the answer says none.
        date: as the answer writes it; empty if it says none.
        thumbnail: absolute URL; empty if the answer says none.
    """

    media: tuple[str, ...]
    title: str = ""
    duration: float = 0.0
    date: str = ""
    thumbnail: str = ""


@dataclass(frozen=True, slots=True)
class Item:
    """What one page of a site is about.

    Attributes:
        place: its number in the site, from 0.
        id: by which its page is named.
        key: another name of it, which cannot be computed from `id`.
        title: in the site's language.
        seconds: how long it plays.
        day: of its publication, as in ISO 8601.
    """

    place: int
    id: str
    key: str
    title: str
    seconds: int
    day: str


@dataclass(frozen=True, slots=True)
class Step:
    """What whoever records a site does: opens a URL, or clicks on something in the page that is open.

    Attributes:
        url: to open; empty for a click.
        click: CSS selector of what is clicked, if it is there.
        page: URL of the page that is in the address bar afterwards, if it is one of the site's `pages`.
    """

    url: str = ""
    click: str = ""
    page: str = ""


class PlayerSite(ABC):
    """A site that hides its media behind scripts. A subclass sets the attributes and answers the requests.

    Attributes:
        name: of the site, and of its recordings.
        host: of its pages.
        others: its other hosts: of data, media, advertisements.
        about: one sentence on how it hides its media.
        language: of its titles.
        ids: shape of each item's `Item.id`.
        keys: shape of each item's `Item.key`.
        learnable: whether the way from a page to its media can be learned from its recordings.
        refused_as: name of the refusal that a learner gives; empty if it is learnable.
        data_headers: names and values that requests of `data_urls` must have.
        noise: names of query parameters whose values differ at each visit.
        recorded: for each recording the places of the items whose pages are visited.
        lead: paths that are visited first in each recording.
        click: CSS selector of what starts the player.
        robots: text of robots.txt on all of its hosts.
        page_media: whether the page itself names its media.
        played: whether media are requested when a page is recorded; not where what must come before them fails here.
        secure: whether the browser must take `host` for a secure origin, as it does where there is TLS.
    """

    name: str
    host: str
    others: tuple[str, ...] = ()
    about: str
    language = "en"
    ids: Shape = digits(7)
    keys: Shape = hexes(12)
    learnable = True
    refused_as = ""
    data_headers: tuple[tuple[str, str], ...] = ()
    noise: frozenset[str] = frozenset()
    recorded: tuple[tuple[int, ...], ...] = ((0, 1),)
    lead: tuple[str, ...] = ()
    click = "button.play"
    robots = ALL_MAY
    page_media = False
    secure = False
    played = True

    # What it has

    @cached_property
    def items(self) -> tuple[Item, ...]:
        """All that its pages are about."""
        kind = type(self)
        made = []
        for place, title in enumerate(titles(self.language)[:PAGES]):
            seed = f"{self.name} {place}"
            value = number(seed)
            day = f"{2016 + value % 9}-{1 + value // 16 % 12:02}-{1 + value // 256 % 28:02}"
            seconds = 62 + value // 4096 % 5000
            made.append(Item(place, kind.ids(f"{seed} id"), kind.keys(f"{seed} key"), title, seconds, day))
        return tuple(made)

    @property
    def hosts(self) -> tuple[str, ...]:
        """All of its hosts."""
        return (self.host, *self.others)

    @cached_property
    def pages(self) -> tuple[str, ...]:
        """URLs of its pages, at the default port; those that are recorded come first."""
        return tuple(Net().url(self.host, self.page_target(item)) for item in self.items)

    @property
    def held_out(self) -> tuple[str, ...]:
        """URLs of the pages that no recording has."""
        seen = {place for places in self.recorded for place in places}
        return tuple(page for place, page in enumerate(self.pages) if place not in seen)

    @abstractmethod
    def page_target(self, item: Item) -> str:
        """Path, and query, of the page of an item."""

    @abstractmethod
    def expected(self, item: Item, net: Net) -> list[Expected]:
        """The records that the page of an item stands for."""

    def data_urls(self, item: Item, net: Net) -> list[str]:
        """URLs whose answers name the media of an item's page, as its player requests them, without `noise`.

        Those before them in a chain are not among them. Empty if no answer names the media.
        """
        return []

    def unwanted(self, item: Item, net: Net) -> list[str]:
        """URLs of media that requests of this page name too, and that are not the page's: advertisements and others."""
        return []

    # What is asked of it from outside

    def truth(self, page_url: str) -> list[Expected]:
        """The records that a page stands for, with URLs at the port of the page's URL.

        Raises:
            KeyError: it is none of `pages`.
        """
        return self.expected(self._item_of[at_port(page_url, None)], Net.of(page_url))

    def media(self, page_url: str) -> set[str]:
        """URLs of all media of a page."""
        return {url for record in self.truth(page_url) for url in record.media}

    def decoys(self, page_url: str) -> set[str]:
        """URLs of media that are named in what the page requests, and are not the page's own."""
        return set(self.unwanted(self._item_of[at_port(page_url, None)], Net.of(page_url)))

    def item_at(self, **wanted: str) -> Item | None:
        """The item with this `id`, `key` or `title`."""
        ((name, value),) = wanted.items()
        return next((item for item in self.items if getattr(item, name) == value), None)

    def recordings(self) -> dict[str, list[Step]]:
        """Name of each recording -> what is done for it."""
        several = len(self.recorded) > 1
        return {
            f"{self.name}-{number}" if several else self.name: self.steps([self.items[place] for place in places])
            for number, places in enumerate(self.recorded, 1)
        }

    def steps(self, items: list[Item]) -> list[Step]:
        """What is done in a recording that visits the pages of these items."""
        done = []
        for target in self.lead:
            done += [Step(url=Net().url(self.host, target)), Step(click=self.click)]
        for item in items:
            url = Net().url(self.host, self.page_target(item))
            done += [Step(url=url, page=url), Step(click=self.click, page=url)]
        return done

    # What it answers

    @abstractmethod
    def answer(self, ask: Ask) -> Resource | Response | None:
        """The site's own answer to a request.

        None where there is none: then what is at the URL is a file of the media, or a picture, or nothing.
        Requests of robots.txt and of the front page do not come here.
        """

    async def serve(self, exchange: ServerExchange, ask: Ask) -> None:
        """Answer a request."""
        found = self._found(ask) or Resource(b"nothing here\n", "text/plain", HTTPStatus.NOT_FOUND)
        await exchange.send(found if isinstance(found, Response) else respond(found, exchange.request))

    def front(self, ask: Ask) -> Resource:
        """The front page: links to all pages."""
        pairs = [(self.page_target(item), item.title) for item in self.items]
        return answers.page(self.name, f"<ul>{answers.links(pairs)}</ul>", lang=self.language)

    def page(self, item: Item, body: str, *, head: str = "") -> Resource:
        """A page of an item."""
        others = [other.title for other in self.items[item.place + 1 :] + self.items[: item.place]]
        # No two pages say the same.
        text = f"<p>{item.day}. {escape('. '.join(others[: 3 + item.place % 5]))}.</p>"
        return answers.page(item.title, body + text, lang=self.language, head=head)

    def is_media(self, ask: Ask) -> bool:
        """Whether the request is for one of the files that a page of the site plays, or shows beside its own."""
        return (ask.host, ask.path) in self._files

    def _found(self, ask: Ask) -> Resource | Response | None:
        if ask.path == "/robots.txt":
            return Resource(self.robots.encode(), "text/plain; charset=utf-8")
        if ask.path == "/" and ask.host == self.host:
            return self.front(ask)
        own = self.answer(ask)
        if own is None and self.is_media(ask):
            return answers.media(ask.net.url(ask.host, ask.path))
        return own or answers.asset(ask.path)

    @cached_property
    def _item_of(self) -> dict[str, Item]:
        return dict(zip(self.pages, self.items, strict=True))

    @cached_property
    def _files(self) -> frozenset[tuple[str, str]]:
        """Host and path of the media of all pages."""
        urls = {url for page in self.pages for url in self.media(page) | self.decoys(page)}
        return frozenset((str(parts.hostname), parts.path) for parts in map(urlsplit, urls))

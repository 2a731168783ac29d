"""The records that packages exchange, and the names of all drop reasons.

They decide nothing and know nothing of Scrapy. Packages pass these records to each other, not dictionaries with agreed
keys.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Drop(StrEnum):
    """Why a URL was dropped. The value is the word in the log, in the stats and in the tests.

    Stats count them as ``drop/<value>``. A URL that never joined (found on a page, refused by scope) and a
    URL that waited and was dropped later use the same names.
    """

    # Scope: the URL must not be added at all.
    BAD_URL = "bad_url"
    SCHEME = "scheme"
    LENGTH = "length"
    EXTENSION = "extension"
    DEPTH = "depth"
    TRAP_REPEAT = "trap_repeat"
    TRAP_CALENDAR = "trap_calendar"
    TRAP_SEGMENTS = "trap_segments"
    TRAP_FACETS = "trap_facets"
    SESSION = "session"
    """Without its session id it is a known URL."""
    DUST = "dust"
    """Without parameters that never change the page it is a known URL."""
    """Its site shows what another site shows."""
    LONG_BASE = "long_base"
    """Relative to a long base, on a page with so many such links that together they were too much to read."""
    NEVERCRAWL = "nevercrawl"
    OFFSITE = "offsite"
    NOT_INCLUDED = "not_included"
    PLACEHOLDER_CONTACT = "placeholder_contact"
    PORT = "port"
    """It names a port of another protocol: SMTP, Redis ... (`scope.urls.REFUSED_PORTS`)."""
    ADDRESS = "address"
    """Its name leads to an address that is nobody's web server: private, loopback, link-local, metadata ..."""
    PAGE_BYTES = "page_bytes"
    """Its page had brought as many bytes of URLs as its length allows (`frontier.byte_budget`)."""
    INDEX_LINK = "index_link"
    """On a list of files that a server made: it sorts the list, or leads to a folder above."""
    TEMPLATE = "template"
    """It is in a ``<template>``, or has a placeholder such as ``{{ url }}``."""
    # Wishes of the site.
    NOFOLLOW = "nofollow"
    NOINDEX = "noindex"
    ROBOTS = "robots"
    # Answers.
    REDIRECT_CAP = "redirect_cap"
    REDIRECT_BROKEN = "redirect_broken"
    HTTP_STATUS = "http_status"
    CONTENT_TYPE = "content_type"
    DUPLICATE = "duplicate"
    """The page shows what another page of the site shows: none of its links was followed."""
    NEAR_DUPLICATE = "near_duplicate"
    """It nearly does: only its links to media were followed."""
    SOFT_404 = "soft_404"
    NOT_WORTH = "not_worth_opening"
    """Judged by its status and headers, its body was not worth having."""
    DOWNLOAD_ERROR = "download_error"
    UNREADABLE = "unreadable"
    """An answer came, and its body broke off at each attempt, or cannot be unpacked: broken gzip, deflate, Brotli or
    Zstandard."""
    ADAPTER_MISSED = "adapter_missed"
    """The answer to a data request is not as its site adapter says, or names no media."""
    CALLBACK_ERROR = "callback_error"
    # A middleware that is not ours said no.
    IGNORED = "ignored"
    LOST_REQUEST = "lost_request"
    """JSON does not carry the request of somebody else's spider: it was held in memory, by a process that has ended; or
    the frontier is in Redis, where another worker might get its URL."""
    ADAPTER_OFF = "adapter_off"
    """A data request whose site adapter was switched off, changed or removed while it waited; its page is requested."""
    # Steering.
    PRUNED = "pruned"
    OPERATOR = "operator"


class Kind(StrEnum):
    """What a URL is expected to be; it decides what the request asks for."""

    PAGE = "page"
    MEDIA = "media"
    LIST = "list"
    """A feed, a sitemap, a playlist, or what a site says of a player (oEmbed): it is requested whole."""
    ROBOTS = "robots"


class Trouble(StrEnum):
    """What a visit says against its site, whatever URL was requested. Stats count them as ``trouble/<value>``."""

    THROTTLED = "throttled"
    """It says that we ask too much: 429, or 503."""
    SERVER_ERROR = "server_error"
    """Another 5xx."""
    TIMEOUT = "timeout"
    CONNECTION = "connection"
    """Refused, reset, unreachable, or what came was no HTTP."""
    TLS = "tls"
    DNS = "dns"
    CUT = "cut"
    """The answer broke off: it was read as far as it came."""
    FAULT = "fault"
    """A part of ours failed at its answer. In numbers they say that this site's answers are what is special."""
    FORBIDDEN = "forbidden"
    """403: one says something of a page; in numbers they say "go away"."""
    LOCAL = "local"
    """A fault or a standstill of this machine: it says nothing against the site."""


class Limit(StrEnum):
    """A limit of ours that an answer went beyond, or ran into. Stats count such visits as ``limit/<value>``.

    What is within the limit was kept. The summary names the URLs, for ordinary answers meet none of these limits.
    """

    PAGE = "page"
    """A page, unpacked, is longer than ``PAGE_MAX_BYTES``: its beginning was read."""
    LINKS = "links"
    """More links than are read of one page, or links that are dearer to read."""
    TEXT = "text"
    """More text in a media file than a record may hold (`record.build.MOST`)."""
    SLOW = "slow"
    """Reading it held up the whole crawl for longer than any page should."""
    UNREADABLE = "unreadable"
    """It is not what it says it is: packed in a way that cannot be unpacked, or a head that cannot be read."""
    SIZE = "size"
    """Unpacked it is larger than ``DOWNLOAD_MAXSIZE``."""
    FAULT = "fault"
    """It met a fault of ours: an exception that nobody expected."""


@dataclass(slots=True, frozen=True)
class Evidence:
    """Where and how a URL was found: provenance of the record, and hints for later decisions.

    Attributes:
        via: the link source: ``a``, ``audio``, ``video``, ``source``, ``og:audio``, ``enclosure``, ``seed`` ...
        anchor: text of the link, or title of the feed's entry; at most 200 characters.
        page_title: title of the page it was found on; at most 200 characters.
        feed_url: the feed, if it was found in one.
        guid: the feed entry's own id.
        requested_url: the URL that was requested first, if redirects led from it to this one; or the published one,
            in whose path this one was found (`scope.wrapped`).
        page_language: of that page, as it says itself: ``de-AT``.
        page_charset: encoding that the page or list was read with, as a Python codec name; behind it who decided, the
            language and the confidence, if no claim of the page did
            (`base.charsets.DocumentReading`).
        facts: what the page, feed or list says of the media file, as `base.facts.pack` wrote it; empty if nothing.
        path: tag path of the link on its page, ``main/ul.episodes/li/a``; at most 120 characters, empty for what
            is in no element.
    """

    via: str = "a"
    anchor: str = ""
    page_title: str = ""
    feed_url: str = ""
    guid: str = ""
    requested_url: str = ""
    page_language: str = ""
    page_charset: str = ""
    facts: str = ""
    path: str = ""


@dataclass(slots=True)
class Candidate:
    """A URL that scope let through, on its way into the frontier.

    Attributes:
        url: in canonical form: the key that tells URLs apart.
        site: as `scope.site_of` names it: registrable domain, or address, or network of IPv6 addresses.
        link_class: name of its class on this site, see ``priority.links``.
        kind: page or media.
        depth: clicks from a seed.
        hops: redirects in a row that led here.
        parent: URL of the page it was found on, as it was requested; empty for a seed.
        score: score of its class if this URL is the first of it; higher goes first.
        evidence: where and how it was found.
        requested: the URL that a request carries: as it was written, see `scope.urls`; empty if that is `url`.
    """

    url: str
    site: str
    link_class: str = ""
    kind: Kind = Kind.PAGE
    depth: int = 0
    hops: int = 0
    parent: str = ""
    score: float = 0.0
    evidence: Evidence = field(default_factory=Evidence)
    requested: str = ""

    @property
    def request_url(self) -> str:
        """The URL that is requested."""
        return self.requested or self.url


@dataclass(slots=True, frozen=True)
class Lease:
    """The right to request one URL. Until it ends no other request goes to its site.

    Attributes:
        id: names this lease in its store.
        url, site, link_class, kind, depth, hops, parent, evidence, requested: as in `Candidate`.
        attempt: how often this URL was requested before and failed.
        troubles: how many visits of the site failed in a row before this one, whatever URL they asked for.
        even: whether it was picked evenly, by chance, and not for its score.
        state: what an earlier visit of this URL left for this one (a probe's bytes); empty at first.
        delay: seconds that were owed to the site before this visit.
        taken: when it was taken, seconds since the epoch.
    """

    id: int
    url: str
    site: str
    link_class: str
    kind: Kind
    depth: int
    hops: int
    parent: str
    evidence: Evidence
    attempt: int
    state: bytes
    delay: float
    taken: float
    troubles: int = 0
    even: bool = False
    requested: str = ""

    @property
    def key(self) -> str:
        """The canonical URL. What follows a # in `url` tells visits of one URL apart, and is no part of it."""
        return self.url.partition("#")[0]

    @property
    def request_url(self) -> str:
        """The URL that is requested."""
        return self.requested or self.key


class End(StrEnum):
    """How a lease ends."""

    DONE = "done"
    """The URL was visited and all that it gave is stored. It never comes back."""
    DROPPED = "dropped"
    """It never comes back either; `Outcome.reason` says why."""
    AGAIN = "again"
    """It failed and is tried again later, behind the others of its class."""
    CONTINUE = "continue"
    """It continues with `Outcome.state`: the next range of a probe, or the page after its robots.txt. It keeps its
    place, unless the visit gave evidence against its site: then the others of its class go first."""
    RETURNED = "returned"
    """No request went out (the crawl is closing): back to its place, the site's clocks unchanged."""


FINAL = frozenset({End.DONE, End.DROPPED})
"""Ends after which a URL never comes back."""


@dataclass(slots=True)
class Outcome:
    """What a visit tells the frontier.

    Attributes:
        end: see `End`.
        reason: set when dropped.
        response_time: seconds from the request to the end of the response; None if no request went out
            or none came back. Only measured times become samples of the site's delay.
        crawl_delay: seconds the site's robots.txt asks for, if this visit learned it; 0 says "none any more".
        asked: whether a request went out. If so the delay counts from `now` of `finish`.
        state: for ``CONTINUE``: what the next visit of this URL needs.
        kind: for ``CONTINUE``: what the URL turned out to be.
        hold: seconds, for an end without a request: do not look at this URL's class again before. The other classes
            of the site continue.
        wait: seconds, for an end without a request: do not ask the whole site before, since its address is not free.
        earned: finds that were new, or an answer to a data request that named such; they raise the budget of the site.
        trouble: what the visit says against the site; None if it says nothing against it.
        retry_after: seconds from `now` of `finish` that the site asks to be left alone for; 0 if it does not.
        blamed: for ``AGAIN``: whether it counts as one of the URL's attempts. Where the whole site fails it does not.
    """

    end: End
    reason: Drop | None = None
    response_time: float | None = None
    crawl_delay: float | None = None
    asked: bool = True
    state: bytes = b""
    kind: Kind | None = None
    hold: float = 0.0
    wait: float = 0.0
    earned: int = 0
    trouble: Trouble | None = None
    retry_after: float = 0.0
    blamed: bool = True


@dataclass(slots=True, frozen=True)
class Added:
    """What `add` did with a batch of candidates."""

    new: int = 0
    known: int = 0
    refused: int = 0


class SiteState(StrEnum):
    """The one state that a site is in."""

    READY = "ready"
    LEASED = "leased"
    WAITING = "waiting"
    RESTING = "resting"
    PAUSED = "paused"
    """The operator said so."""
    RETIRED = "retired"
    """It has had its budget of requests, or was broken for days, or sent us away."""
    IDLE = "idle"
    """Nothing waits here: the site costs disk, not memory."""


@dataclass(slots=True, frozen=True)
class SiteInfo:
    """A site as an operator sees it.

    Attributes:
        name: registrable domain.
        state: see `SiteState`.
        release: earliest time of the next request, seconds since the epoch.
        delay: seconds of the last delay applied.
        crawl_delay: seconds that its robots.txt asks for.
        samples: its last response times in seconds, oldest first.
        visits: requests made.
        earned: finds here that were new.
        waiting: URLs that wait here, the leased one not counted.
        classes: name, score and number of waiting URLs of each link class.
        trouble: what the last visits in a row, `troubles` of them, said against the site; None if nothing.
        since: when the first of these came, seconds since the epoch.
        level: how often its delay is doubled for past trouble.
        forbidden: 403s in a row.
        gone: whether it was retired for trouble, and not for its budget.
    """

    name: str
    state: SiteState
    release: float
    delay: float
    crawl_delay: float
    samples: tuple[float, ...]
    visits: int
    earned: int
    waiting: int
    classes: tuple[tuple[str, float, int], ...]
    trouble: Trouble | None = None
    troubles: int = 0
    since: float = 0.0
    level: int = 0
    forbidden: int = 0
    gone: bool = False


@dataclass(slots=True)
class Tag:
    """One text field of a media file, with the proof.

    Attributes:
        source: ``id3v2.3``, ``id3v1``, ``vorbis``, ``mp4`` ..., or one of `base.facts.EXTERNAL_SOURCES`.
        frame: the container's own name: ``TIT2``, ``TITLE``, ``©nam``.
        key: its common name (MusicBrainz Picard's): ``title``, ``artist`` ...
        declared: encoding that the container claims, as a Python codec name.
        raw: the bytes of the value as they are in the file, without padding.
        text: the bytes read as declared; never None, undecodable bytes become U+FFFD.
        index: which one, if the field came several times.
        lang: language code of the field (COMM, USLT), if it has one.
        desc: description of the field (COMM, TXXX), if it has one.
    """

    source: str
    frame: str
    key: str
    declared: str
    raw: bytes
    text: str
    index: int = 0
    lang: str = ""
    desc: str = ""


@dataclass(slots=True, frozen=True)
class Nugget:
    """One find that the crawl is for, as a nugget function names it.

    Attributes:
        key: identifies the find. A find whose key was met before is not new.
        reward: its worth, 0 to 1.
        info: further facts of the function, for the receivers of `crawl.signals.visit_ended`.
    """

    key: str
    reward: float = 1.0
    info: Mapping[str, Any] = field(default_factory=dict)

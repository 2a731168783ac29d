"""The record that travels with one request: its lease, the facts of its fetch, and the decision on it."""

from __future__ import annotations

from dataclasses import dataclass, field

from mediacrawl.base.terms import Candidate, Drop, End, Kind, Lease, Limit, Nugget, Outcome, Trouble

VISIT = "mediacrawl"
"""The key of the `Visit` in ``Request.meta``."""

PackedBody = tuple[bytes, bytes]
"""The body of a compressed response, and its beginning without its coding."""


@dataclass(slots=True, frozen=True)
class JudgedUrl:
    """A URL whose host was looked up, and may be requested.

    Attributes:
        url: as requested.
        addresses: of its host, those that the guard allows, in the order in which they are tried; at least one.
    """

    url: str
    addresses: tuple[str, ...]


@dataclass(slots=True)
class FetchFacts:
    """The facts of a request and of its response. Only the downloader side writes them (`tests/test_visit_writers.py`).

    Attributes:
        url: the requested URL: the lease's, or the robots.txt of its authority.
        kind: the kind of resource that is expected there.
        sent: when the request went out, seconds on the crawl's clock; None before.
        response_time: seconds from the request to the end of the response; None before.
        status: HTTP status; 0 without a response.
        content_type, content_length, content_encoding, location, retry_after, date: headers of the response, verbatim;
            several Retry-After stand one a line.
        address: the server's IP address; empty before it is known.
        judged: the addresses to which the HTTP handler may connect for its next request; None where it has to look
            them up.
        bytes: bytes of the body, as received.
        range_bytes: bytes of the requested range; 0 without one.
        body_limit: bytes of the body that are downloaded at most; None before the response's headers.
        page_bytes: bytes of a page, unpacked, that are kept at most; 0 for what is read as something else.
        packed: the body of a compressed page while it comes.
        unpacked: the body of a compressed response, if it was read to its end; `UnpackMiddleware` takes it.
        error: name of the exception that ended the request, or its reason in words.
        trouble: the evidence of the exception, or of a robots.txt that failed, against the site.
        broke_off: whether the body ended early: fewer bytes than announced, or an incomplete compressed body. False if
            the crawler ended the download.
        loss: how the connection ended early, in words: ``connection reset after 3 KB``; empty if it did not.
        allowed: whether the authority's robots.txt, which was looked up when the lease was taken, allows the URL.
        crawl_delay: seconds that the authority's robots.txt asks for; None if unknown.
        limits: limits that decompression met.
    """

    url: str
    kind: Kind
    sent: float | None = None
    response_time: float | None = None
    status: int = 0
    content_type: str = ""
    content_length: str = ""
    content_encoding: str = ""
    location: str = ""
    retry_after: str = ""
    date: str = ""
    address: str = ""
    judged: JudgedUrl | None = None
    bytes: int = 0
    range_bytes: int = 0
    body_limit: int | None = None
    page_bytes: int = 0
    packed: bytearray = field(default_factory=bytearray)
    unpacked: PackedBody | None = None
    error: str = ""
    trouble: Trouble | None = None
    broke_off: bool = False
    loss: str = ""
    allowed: bool = False
    crawl_delay: float | None = None
    limits: set[Limit] = field(default_factory=set)

    @property
    def failure(self) -> str:
        """Why there is no whole response, for log and summary: the error, or how it broke off; empty if there is."""
        return self.error or ((self.loss or "ResponseDataLossError") if self.broke_off else "")


@dataclass(slots=True, frozen=True)
class AdapterUse:
    """What a visit says of a site adapter.

    Attributes:
        name: of the adapter.
        tried: whether it was applied to the visit's page.
        hit: whether the answer named media.
        missed: what was missed, as a sentence without its full stop; empty for nothing.
    """

    name: str
    tried: bool = False
    hit: bool = False
    missed: str = ""


@dataclass(slots=True)
class VisitDecision:
    """The result of a visit. Only the spider side writes it; middlewares use the methods of `Visit`.

    Attributes:
        outcome: the end of the lease; None until decided.
        found: URLs that are added to the frontier when the visit ends.
        error: name of the failure in an item pipeline.
        trouble: the evidence of reading the response against the site.
        limits: limits that reading the response met.
        parsed_bytes: bytes of the body that were searched for links; 0 if none were.
        items: items in the pipelines.
        stored: stored items.
        earned: number of new nuggets; they raise the site's budget.
        reward: the sum of their rewards.
        repeats: number of nuggets that were known.
        nuggets: the new nuggets.
        adapter: what the visit says of a site adapter; None for nothing.
        over: whether the lease has ended.
        ended: when it ended, seconds on the crawl's clock; the site's delay counts from here. None before.
    """

    outcome: Outcome | None = None
    found: list[Candidate] = field(default_factory=list)
    error: str = ""
    trouble: Trouble | None = None
    limits: set[Limit] = field(default_factory=set)
    parsed_bytes: int = 0
    items: int = 0
    stored: int = 0
    earned: int = 0
    reward: float = 0.0
    repeats: int = 0
    nuggets: list[Nugget] = field(default_factory=list)
    adapter: AdapterUse | None = None
    over: bool = False
    ended: float | None = None


@dataclass(slots=True, frozen=True)
class Visit:
    """One request for one lease: the only value that mediacrawl puts into ``Request.meta``.

    Attributes:
        lease: the leased URL.
        fetch: written by the downloader side: downloader middlewares, HTTP handler, signals of the downloader.
        decision: written by the spider side: scheduler, readers, spiders. Middlewares decide through `decide`, `drop`,
            `add_link` and `use_adapter`.
    """

    lease: Lease
    fetch: FetchFacts
    decision: VisitDecision = field(default_factory=VisitDecision)

    @classmethod
    def of(cls, lease: Lease) -> Visit:
        """Return a new visit for a lease."""
        # A fragment stays: it tells a lease for another authority's robots.txt (`RobotsMiddleware`).
        return cls(lease, FetchFacts(lease.requested or lease.url, lease.kind))

    @property
    def trouble(self) -> Trouble | None:
        """The evidence against the site, from reading or from fetching."""
        return self.decision.trouble or self.fetch.trouble

    @property
    def error(self) -> str:
        """Name of the first failure; empty without one."""
        return self.fetch.error or self.decision.error

    @property
    def limits(self) -> set[Limit]:
        """All limits that the response met."""
        return self.fetch.limits | self.decision.limits

    def request_range(self, size: int) -> None:
        """State that the request asks for `size` bytes by Range."""
        self.fetch.range_bytes = size

    def receive(self, status: int) -> None:
        """State the HTTP status, for projects without the middlewares that note it."""
        self.fetch.status = status

    def decide(self, outcome: Outcome) -> None:
        """Set the end of the lease."""
        self.decision.outcome = outcome

    def drop(self, reason: Drop) -> None:
        """Drop the URL for `reason`."""
        self.decision.outcome = Outcome(End.DROPPED, reason)

    def add_link(self, *found: Candidate) -> None:
        """Add URLs that are added to the frontier when the visit ends."""
        self.decision.found += found

    def use_adapter(self, use: AdapterUse) -> None:
        """Note what the visit says of a site adapter; it is counted if the visit ends its URL."""
        self.decision.adapter = use

"""A waiting URL as the SQLite store keeps it: what is requested is in columns, the rest in one msgpack value."""

from __future__ import annotations

import msgpack

from mediacrawl.frontier.byte_budget import on_disk
from mediacrawl.frontier.contract import SpoiledError
from mediacrawl.politeness.backoff import GOOD, Standing
from mediacrawl.politeness.delay import Clocks
from mediacrawl.records import Candidate, End, Evidence, Kind, Lease, Outcome, Trouble

Facts = tuple[str, int, int, str, int, str, str, str, str, str, str, str, str, str, str, str]


class UrlRow:
    """One waiting URL. `facts` stays packed until the URL is leased, since most rows only wait.

    Attributes:
        seq: place in its class; grows with time, unique in the store.
        url: canonical URL.
        facts: msgpack of kind, depth, hops, parent, attempt, the evidence's fields, and the URL as it is requested if
            that is another.
        state: what an earlier visit left, or empty.
    """

    __slots__ = ("facts", "seq", "state", "url")

    def __init__(self, seq: int, url: str, facts: bytes, state: bytes = b"") -> None:
        self.seq = seq
        self.url = url
        self.facts = facts
        self.state = state

    @classmethod
    def of(cls, candidate: Candidate, seq: int) -> UrlRow:
        """The row of a URL that are added."""
        found = candidate.evidence
        facts: Facts = (
            candidate.kind.value,
            candidate.depth,
            candidate.hops,
            candidate.parent,
            0,
            found.via,
            found.anchor,
            found.page_title,
            found.feed_url,
            found.guid,
            found.requested_url,
            found.page_language,
            found.page_charset,
            found.facts,
            found.path,
            candidate.requested,
        )
        return cls(seq, candidate.url, _pack(facts))

    def lease(self, site: str, link_class: str, clocks: Clocks, now: float, *, even: bool) -> Lease:
        """The lease of this row."""
        kind, depth, hops, parent, attempt, *evidence, requested = _unpack(self.facts)
        return Lease(
            id=self.seq,
            url=self.url,
            site=site,
            link_class=link_class,
            kind=Kind(kind),
            depth=depth,
            hops=hops,
            parent=parent,
            evidence=Evidence(*evidence),
            attempt=attempt,
            state=self.state,
            delay=clocks.delay,
            taken=now,
            troubles=clocks.standing.row,
            even=even,
            requested=requested,
        )

    @property
    def size(self) -> int:
        """The bytes that it takes in the file, its place aside."""
        return on_disk(len(self.url.encode()) + len(self.facts) + len(self.state))

    @property
    def attempt(self) -> int:
        """How often it was requested and failed."""
        return _unpack(self.facts)[4]

    def candidate(self, site: str, link_class: str, score: float) -> Candidate:
        """The URL as it would join another frontier. What an earlier visit left of it is not in that."""
        kind, depth, hops, parent, _, *evidence, requested = _unpack(self.facts)
        known = Evidence(*evidence)
        return Candidate(self.url, site, link_class, Kind(kind), depth, hops, parent, score, known, requested)

    def later(self, outcome: Outcome, seq: int) -> UrlRow:
        """The row after a failed visit, at a new place: it continues, or starts over, one attempt older if to blame."""
        if outcome.end is End.CONTINUE:
            row = self.continued(outcome)
            return UrlRow(seq, row.url, row.facts, row.state)
        facts = _unpack(self.facts)
        attempt = facts[4] + (outcome.asked and outcome.blamed)
        return UrlRow(seq, self.url, _pack((*facts[:4], attempt, *facts[5:])))

    def continued(self, outcome: Outcome) -> UrlRow:
        """The row after a visit that continues: same place, with what the next visit needs."""
        if outcome.kind is None:
            return UrlRow(self.seq, self.url, self.facts, outcome.state)
        return UrlRow(self.seq, self.url, _pack((outcome.kind.value, *_unpack(self.facts)[1:])), outcome.state)


# One packer for all: making one costs three times what packing a row does. Text of a hostile page can hold lone
# surrogates; they must not stop the URL from being kept.
_packer = msgpack.Packer(unicode_errors="replace")


def pack_samples(samples: tuple[float, ...]) -> bytes:
    """Response times in seconds, as stored with their site."""
    packed: bytes = _packer.pack(samples)
    return packed


def unpack_samples(packed: bytes) -> tuple[float, ...]:
    """What `pack_samples` made.

    Raises:
        SpoiledError: it did not make this.
    """
    try:
        samples = tuple(msgpack.unpackb(packed))
        if all(isinstance(sample, int | float) for sample in samples):
            return samples
    except (ValueError, TypeError, msgpack.exceptions.UnpackException):
        pass
    raise SpoiledError("the response times of a site cannot be read")


def pack_standing(standing: Standing) -> bytes:
    """What is held against a site, as stored with it; nothing for a site in good standing."""
    if standing == GOOD:
        return b""
    trouble = standing.trouble.value if standing.trouble else ""
    fields = (
        standing.level,
        standing.row,
        standing.since,
        trouble,
        standing.forbidden,
        standing.resting,
        standing.gone,
    )
    packed: bytes = _packer.pack(fields)
    return packed


def unpack_standing(packed: bytes) -> Standing:
    """What `pack_standing` made.

    Raises:
        SpoiledError: it did not make this.
    """
    if not packed:
        return GOOD
    try:
        fields = tuple(msgpack.unpackb(packed))
        if tuple(map(type, fields)) == _STANDING:
            level, row, since, trouble, forbidden, resting, gone = fields
            if all(0 <= number < _MOST for number in (level, row, since, forbidden)):
                return Standing(level, row, since, Trouble(trouble) if trouble else None, forbidden, resting, gone)
    except (ValueError, TypeError, msgpack.exceptions.UnpackException):
        pass
    raise SpoiledError("what is held against a site cannot be read")


def _pack(facts: Facts) -> bytes:
    # Most URLs are no media, what was not found on a page has no path, and nine of ten are requested as they are kept.
    kept = _FACTS
    while kept > _FACTS - len(_OPTIONAL) and not facts[kept - 1]:
        kept -= 1
    packed: bytes = _packer.pack(facts[:kept])
    return packed


def _unpack(facts: bytes) -> Facts:
    try:
        known = msgpack.unpackb(facts, use_list=False)
        fields: Facts = known if len(known) == _FACTS else (*known, *_OPTIONAL[len(known) - _FACTS :])
        if len(fields) == _FACTS and fields[0] in _KINDS and type(fields[4]) is int:
            return fields
    except (ValueError, TypeError, msgpack.exceptions.UnpackException):
        pass
    raise SpoiledError("what is known of a URL cannot be read")


_FACTS = 16
_OPTIONAL = ("", "", "")
_STANDING = (int, int, float, str, int, bool, bool)
_MOST = 1e11
"""No time, in seconds since the epoch, is later, and nothing is counted so far."""
_KINDS = frozenset(kind.value for kind in Kind)

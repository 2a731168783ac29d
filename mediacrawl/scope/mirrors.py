"""Mirrors: sites that show, at the same paths, what another site shows.

Bharat, Broder, Dean and Henzinger ("A comparison of techniques to find mirrored hosts on the WWW", 2000) compare paths
and content of a finished crawl; here a site is compared while it is crawled.
"""

from __future__ import annotations

from dataclasses import dataclass

import msgpack

from mediacrawl.extract import Fingerprint, hash64
from mediacrawl.notes import Notes
from mediacrawl.scope.copies import Copies
from mediacrawl.scope.sites import authority_of, site_of

_FRONTS = 1 << 20
"""Front pages that are kept, by a hash of what they show; a newer one replaces an older. Some 60 MB."""
_MIRRORS = 10_000
"""Mirrors whose names are kept; the oldest is forgotten first."""
_COMPARED = 500
"""Sites that are being compared at a time, all of them in memory."""
_SAVED_EVERY = 8
"""Comparisons that are written together: all sites that are being compared are one note."""
_LIST, _LIKENESS = ("mirrors", ""), ("likeness", "")


class Mirrors:
    """Learns which sites are mirrors, from visited pages.

    A site whose front page shows what the front page of an earlier site does is compared with that one, page by page.
    Other sites are not: all blogs of a hoster have the same five legal pages.

    On disk: in the namespace ``fronts`` one note for each front page, at most 1,048,576; in ``likeness`` one with the
    sites that are being compared; in ``mirrors`` one with the names of all mirrors. A kill loses up to seven
    comparisons, a clean stop none (`save`).

    Args:
        notes: where it outlives the process.
        copies: what the pages of the other site showed.
        enough: pages that must agree, the front page among them.
        share: of the comparisons, 0 to 1, that must agree.
        length: bytes of text below which a page is not compared.
    """

    def __init__(self, notes: Notes, copies: Copies, enough: int = 5, share: float = 0.9, length: int = 500) -> None:
        self._notes = notes
        self._copies = copies
        self._enough = enough
        self._share = share
        self._length = length
        self._compared = _likeness(notes.note(*_LIKENESS))
        self._behind = {site_of(likeness.authority): site for site, likeness in self._compared.items()}
        self._mirrors = _names(notes.note(*_LIST))
        self._unsaved = 0

    @property
    def known(self) -> bool:
        """Whether any site is a mirror."""
        return bool(self._mirrors)

    def original(self, site: str) -> str | None:
        """Return the site that a site is a mirror of, or None."""
        return self._mirrors.get(site)

    def learn(self, site: str, url: str, shown: Fingerprint) -> None:
        """Take a visited page as evidence."""
        if shown.length < self._length or site in self._mirrors:
            return
        authority = authority_of(url)
        path = url[len(authority) :]
        if path == "/":
            self._meet(site, authority, shown)
        # Either of the two may be ahead.
        elif (likeness := self._compared.get(site)) is not None:
            self._compare(site, likeness, likeness.authority, path, shown)
        elif (likeness := self._compared.get(mirror := self._behind.get(site, ""))) is not None:
            self._compare(mirror, likeness, likeness.own, path, shown)

    def _meet(self, site: str, authority: str, shown: Fingerprint) -> None:
        """Look up a front page: it is that of an earlier site, or new."""
        place = f"{shown.text % _FRONTS:x}"
        first = _front(self._notes.note("fronts", place))
        if first is None or first[0] != shown.text:
            self._notes.set_note("fronts", place, msgpack.packb((shown.text, authority)))
            return
        other = site_of(first[1])
        likeness = self._compared.get(site)
        if other == site or other in self._mirrors or (likeness and likeness.authority == first[1]):
            return
        while len(self._compared) >= _COMPARED:
            self._behind.pop(site_of(self._compared.pop(next(iter(self._compared))).authority), None)
        self._compared[site] = _Likeness(first[1], authority, 1, 1)
        self._behind[other] = site
        self._changed()

    def _compare(self, site: str, likeness: _Likeness, other: str, path: str, shown: Fingerprint) -> None:
        """Compare a page of either site with the page of the other, which is named by its authority."""
        page = self._copies.find(site_of(other), hash64(f"{other}{path}".encode()))
        if page is None:
            return
        likeness.compared += 1
        likeness.equal += page.text == shown.text
        if likeness.equal >= self._enough and likeness.equal >= self._share * likeness.compared:
            self._declare(site, site_of(likeness.authority))
        self._changed()

    def _declare(self, site: str, other: str) -> None:
        if other in self._mirrors:
            return
        while len(self._mirrors) >= _MIRRORS:
            del self._mirrors[next(iter(self._mirrors))]
        self._mirrors[site] = other
        del self._compared[site]
        self._behind.pop(other, None)
        self._notes.set_note(*_LIST, msgpack.packb(self._mirrors))

    def _changed(self) -> None:
        self._unsaved += 1
        if self._unsaved >= _SAVED_EVERY:
            self.save()

    def save(self) -> None:
        """Write what is not written yet."""
        if not self._unsaved:
            return
        self._unsaved = 0
        kept = {site: likeness.dump() for site, likeness in self._compared.items()}
        self._notes.set_note(*_LIKENESS, msgpack.packb(kept))


@dataclass(slots=True)
class _Likeness:
    """The comparison of a site with an earlier one; `authority` is that of the earlier site, `own` that of this one."""

    authority: str
    own: str
    equal: int
    compared: int

    def dump(self) -> tuple[tuple[str, str], tuple[int, int]]:
        return (self.authority, self.own), (self.equal, self.compared)


def _likeness(note: bytes | None) -> dict[str, _Likeness]:
    try:
        kept = msgpack.unpackb(note or b"\x80").items()
        return {
            str(site): _Likeness(str(authority), str(own), int(equal), int(number))
            for site, ((authority, own), (equal, number)) in kept
        }
    except (ValueError, TypeError, AttributeError, OverflowError):
        return {}


def _names(note: bytes | None) -> dict[str, str]:
    try:
        return {str(site): str(other) for site, other in msgpack.unpackb(note or b"\x80").items()}
    except (ValueError, TypeError, AttributeError, OverflowError):
        return {}


def _front(note: bytes | None) -> tuple[int, str] | None:
    try:
        text, authority = msgpack.unpackb(note or b"")
        return int(text), str(authority)
    except (ValueError, TypeError, OverflowError):
        return None

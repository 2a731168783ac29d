"""Parameters that never change a page: different URLs with similar text (DUST), learned for each site.

Bar-Yossef, Keidar and Schonfeld, "Do not crawl in the DUST" (WWW 2007), learn rules from logs before a crawl. Here the
pages that are visited anyway are the evidence, and the only rule is that a parameter may go.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from mediacrawl.extract import Fingerprint, hash64
from mediacrawl.notes import Notes
from mediacrawl.scope.copies import Shown
from mediacrawl.scope.extensions import MEDIA_EXTENSIONS, extension_of
from mediacrawl.scope.site_notes import SiteNotes

_UNDECIDED = 16
"""Parameters of a site that are watched."""
_DECIDED = 64
"""Parameters of a site whose verdict is kept."""
_PAGES = 24
"""Pages that are remembered for each parameter that is watched."""
_LONGEST_NAME = 64
_VALUES = 3
"""Values that must speak for the rule, for each page: a site has some languages, and a list some orders."""

Known = Callable[[int], Shown | None]


class Parameters:
    """Learns which parameters of a site never change the page, and takes them out of its URLs.

    Two pages that differ only in one parameter's value, or in whether they have it, are evidence: if they show the same
    it speaks for the rule; if they differ the parameter matters, for good. Pages that nearly show the same (a clock,
    a counter) say nothing. What speaks for the rule has to come from pages that show different things: a site that
    answers everything with "please log in" has not said which parameters matter. And it has to come from different
    values: ``?page=1`` shows what no page number does, everywhere, and pages that nobody translated stay the same under
    each of five languages.

    On disk: one note per site in the room ``parameters``, at most some 20 KB. A kill loses the evidence of up to seven
    pages of each site, a clean stop none (`save`).

    Args:
        notes: where it outlives the process.
        enough: different pages that must speak for the rule, under three times as many values, and none against it.
        bits: of 64, in which the simhash of pages that nearly show the same differs.
    """

    def __init__(self, notes: Notes, enough: int = 3, bits: int = 3) -> None:
        self._sites = SiteNotes(notes, "parameters", _Site.load, _Site.dump)
        self._enough = enough
        self._bits = bits

    def save(self) -> None:
        """Write what is not written yet."""
        self._sites.save_all()

    def learn(self, site: str, url: str, shown: Fingerprint, known: Known) -> None:
        """Take a visited page as evidence.

        Args:
            site: as `site_of` names it.
            url: of the page, in canonical form.
            shown: what it showed.
            known: tells what another page of the site showed, by the hash of its URL, if that is remembered.
        """
        path, _, query = url.partition("?")
        # A page without a query is worth no look into the notes.
        state = self._sites.get(site) if query else self._sites.at_hand(site)
        if state is None:
            return
        parts = query.split("&") if query else []
        names = [_name(part) for part in parts]
        for name in {name for name in names if names.count(name) == 1 and name not in state.matters}:
            value = parts[names.index(name)]
            rest = hash64(_joined(path, [part for part in parts if part != value]).encode())
            self._compare(state, name, rest, _Seen(hash64(value.encode()), Shown.of(shown)), known(rest))
        key = hash64(url.encode())
        for name in [name for name in state.watched if name not in names]:
            if key in state.watched[name].pages:
                self._compare(state, name, key, _Seen(0, Shown.of(shown)), None)
        if state.changed:
            state.changed = False
            self._sites.save(site)

    def reduced(self, site: str, url: str) -> str:
        """Return the URL without the parameters that never change the page. Media keep theirs, it may be a ticket.

        Args:
            site: as `site_of` names it.
            url: in canonical form; what is returned is canonical too.
        """
        path, mark, query = url.partition("?")
        if not mark:
            return url
        dust = self._sites.get(site).dust
        if not dust or extension_of(url) in MEDIA_EXTENSIONS:
            return url
        parts = query.split("&")
        kept = [part for part in parts if _name(part) not in dust]
        return url if len(kept) == len(parts) else _joined(path, kept)

    def _compare(self, state: _Site, name: str, rest: int, seen: _Seen, bare: Shown | None) -> None:
        """Compare a page with the one that has another value here, or none (`bare`)."""
        watched = state.watch(name)
        before = watched.pages.get(rest) or (_Seen(0, bare) if bare else None)
        if before is None:
            watched.keep(rest, seen)
            state.changed = True
        elif before.value != seen.value:
            self._weigh(state, name, watched, (before, seen))

    def _weigh(self, state: _Site, name: str, watched: _Watched, pair: tuple[_Seen, _Seen]) -> None:
        one, other = (seen.page for seen in pair)
        if one.text == other.text:
            if name not in state.dust:
                state.changed |= watched.agree(one.text, [seen.value for seen in pair], self._enough)
            if len(watched.agreed) >= self._enough and len(watched.values) >= _VALUES * self._enough:
                state.decide(state.dust, name)
        elif not one.is_near(other, self._bits):
            state.dust.pop(name, None)
            state.watched.pop(name, None)
            state.decide(state.matters, name)


@dataclass(slots=True)
class _Seen:
    """A page under one value of a parameter: hash of the value (0 without it), and what it showed."""

    value: int
    page: Shown


@dataclass(slots=True)
class _Watched:
    """A parameter on which nothing is decided, or that is dust: hash of the rest of a URL -> the first page seen there.

    `agreed` has what those pages showed that stayed the same when the value changed, `values` hashes of those values.
    """

    pages: dict[int, _Seen] = field(default_factory=dict)
    agreed: list[int] = field(default_factory=list)
    values: list[int] = field(default_factory=list)

    @classmethod
    def load(cls, pages: dict[int, Any], agreed: list[int], values: list[int]) -> _Watched:
        seen = {int(rest): _Seen(int(value), Shown(*page)) for rest, (value, page) in pages.items()}
        return cls(seen, [int(text) for text in agreed], [int(value) for value in values])

    def dump(self) -> Any:
        return {rest: (seen.value, seen.page) for rest, seen in self.pages.items()}, self.agreed, self.values

    def agree(self, text: int, values: list[int], enough: int) -> bool:
        """Take note of a page that stayed the same under two values (0 for none); answers whether that is new."""
        known = len(self.agreed) + len(self.values)
        if text not in self.agreed and len(self.agreed) < enough:
            self.agreed.append(text)
        new = [value for value in values if value and value not in self.values]
        self.values += new[: max(_VALUES * enough - len(self.values), 0)]
        return len(self.agreed) + len(self.values) > known

    def keep(self, rest: int, seen: _Seen) -> None:
        while len(self.pages) >= _PAGES:
            del self.pages[next(iter(self.pages))]
        self.pages[rest] = seen


@dataclass(slots=True)
class _Site:
    watched: dict[str, _Watched] = field(default_factory=dict)
    dust: dict[str, None] = field(default_factory=dict)
    matters: dict[str, None] = field(default_factory=dict)
    changed: bool = False

    @classmethod
    def load(cls, kept: Any) -> _Site:
        watched, dust, matters = kept or ({}, [], [])
        return cls(
            {str(name): _Watched.load(*one) for name, one in watched.items()},
            dict.fromkeys(map(str, dust)),
            dict.fromkeys(map(str, matters)),
        )

    def dump(self) -> Any:
        return {name: one.dump() for name, one in self.watched.items()}, list(self.dust), list(self.matters)

    def watch(self, name: str) -> _Watched:
        if name not in self.watched:
            if len(self.watched) >= _UNDECIDED:
                # Names without end are a trap too. What has the least evidence goes, the oldest first.
                del self.watched[min(self.watched, key=lambda other: len(self.watched[other].agreed))]
            self.watched[name] = _Watched()
        return self.watched[name]

    def decide(self, verdicts: dict[str, None], name: str) -> None:
        if name in verdicts:
            return
        while len(verdicts) >= _DECIDED:
            del verdicts[next(iter(verdicts))]
        verdicts[name] = None
        self.changed = True


def _name(part: str) -> str:
    return part.partition("=")[0][:_LONGEST_NAME]


def _joined(path: str, parts: list[str]) -> str:
    return f"{path}?{'&'.join(parts)}" if parts else path

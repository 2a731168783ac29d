"""Parameters of a URL: those that never change the page, combinations of filters, and session ids.

Different URLs with similar text (DUST): Bar-Yossef, Keidar and Schonfeld, "Do not crawl in the DUST" (WWW 2007), learn
rules from logs before a crawl. Here the visited pages are the evidence, and the only rule is that a parameter can be
removed.

Facets: a catalogue that can be narrowed by colour, size and year has a page for each combination of them.

Session ids name the visitor, and make a new URL of every page for each visit.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any
from zlib import crc32

from mediacrawl.base.notes import Notes
from mediacrawl.extract import Fingerprint
from mediacrawl.scope.copies import Shown, hash64
from mediacrawl.scope.extensions import MEDIA_EXTENSIONS, extension_of
from mediacrawl.scope.site_notes import SiteNotes

_UNDECIDED = 16
"""Parameters of a site that are watched."""
_DECIDED = 64
"""Parameters of a site whose verdict is kept."""
_PAGES = 24
"""Pages that are kept for each watched parameter."""
_LONGEST_NAME = 64
_VALUES = 3
"""Values that must agree, for each page: a site has some languages, and a list some orders."""

Known = Callable[[int], Shown | None]


class Parameters:
    """Learns which parameters of a site never change the page, and removes them from its URLs.

    Two pages whose URLs differ only in one parameter's value, or in its presence, are evidence: if they show the same,
    for removal; if they differ, the parameter matters permanently. Pages that show nearly the same (a clock, a counter)
    are no evidence. The pages in favour must show different things, since a site may answer everything with "please log
    in". And they must come from different values: ``?page=1`` shows the same as no page number, and untranslated pages
    are the same in each of five languages.

    On disk: one note per site in the namespace ``parameters``, at most some 20 KB. A kill loses the evidence of up to
    seven pages of each site, a clean stop none (`save`).

    Args:
        notes: where it outlives the process.
        enough: different pages that must agree, under three times as many values, and none against it.
        bits: of 64, in which the simhash of pages that show nearly the same differs.
    """

    def __init__(self, notes: Notes, enough: int = 3, bits: int = 3) -> None:
        self._sites = SiteNotes(notes, "parameters", _Site.load, _Site.dump)
        self._enough = enough
        self._bits = bits

    def save(self) -> None:
        """Write what is not written yet."""
        self._sites.save_all()

    def learn(self, site: str, url: str, shown: Fingerprint, known: Known) -> None:
        """Take a visited page as evidence; `known` gives what another page showed, by the hash of its URL."""
        path, _, query = url.partition("?")
        # Notes are not read for a page without a query.
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
        """Return the canonical URL without the parameters that never change the page. URLs of media keep theirs."""
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
    """A parameter without a verdict: hash of the rest of a URL -> the first page seen there.

    `agreed` has hashes of the pages that stayed the same under another value, `values` hashes of those values.
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
        """Note a page that stayed the same under two values (0 for none); returns whether that is new."""
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
                # The number of names is bounded; the one with the least evidence goes, the oldest first.
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


_PATHS = 16
"""Paths of a site that are counted, those with the most combinations."""
_NAMES = 16
"""Parameters of a path that are counted."""
_FEW = 9
"""Combinations per value, on average, from which a parameter is a filter and no identifier."""
_EARNS = 3
"""Further combinations for each page that led to something new."""
_ABSENT = 0


class Facets:
    """Counts, for each path, the combinations of parameters among the accepted links.

    At least three parameters that vary, none of which is an identifier, and more combinations than the limit: that is a
    set of filters, or a calendar by year, month and day, which shows nothing new. ``?forum=3&topic=4711`` is none,
    since each topic has its own number. Each page of an archive that leads to something new allows some combinations
    more (`earned`).

    On disk: one note per site in the namespace ``facets``, at most some 40 KB with the default limit. A kill loses the
    combinations of up to seven pages of each site, a clean stop none (`save`).
    """

    def __init__(self, notes: Notes, limit: int = 300) -> None:
        self._sites = SiteNotes(notes, "facets", _SitePaths.load, _SitePaths.dump)
        self._limit = limit

    def beyond(self, site: str, urls: list[str]) -> set[str]:
        """Return the URLs beyond the limit; the others are counted.

        Args:
            site: as `site_of` names it.
            urls: new links to that site, in canonical form, with at least two parameters each.
        """
        refused: set[str] = set()
        changed = False
        paths = self._sites.get(site).paths
        for url in urls:
            path, _, query = url.partition("?")
            counted = self._counted(paths, path)
            if extension_of(url) in MEDIA_EXTENSIONS or counted.has_identifier(self._limit):
                continue
            if counted.is_facet(self._limit):
                refused.add(url)
            else:
                counted.count(query)
                changed = True
        if changed:
            self._sites.save(site)
        return refused

    def earned(self, site: str, url: str) -> None:
        """Note that a page had new links to somewhere else than its own path."""
        counted = self._sites.get(site).paths.get(_key(url.partition("?")[0]))
        if counted is not None:
            counted.earned += 1
            self._sites.save(site)

    def save(self) -> None:
        """Write what is not written yet."""
        self._sites.save_all()

    def _counted(self, paths: dict[int, _Path], path: str) -> _Path:
        key = _key(path)
        if key not in paths:
            if len(paths) >= _PATHS:
                del paths[min(paths, key=lambda other: paths[other].combinations)]
            paths[key] = _Path()
        return paths[key]


@dataclass(slots=True)
class _Path:
    """The accepted combinations of a path, and the hashed values of each parameter.

    `earned` is the number of its pages that led to something new.
    """

    combinations: int = 0
    earned: int = 0
    values: dict[int, set[int]] = field(default_factory=dict)

    def has_identifier(self, limit: int) -> bool:
        return any(len(values) > limit // _FEW for values in self.values.values())

    def is_facet(self, limit: int) -> bool:
        limit += _EARNS * self.earned
        return self.combinations >= limit and sum(len(values) > 1 for values in self.values.values()) >= 3

    def count(self, query: str) -> None:
        pairs = dict(_hashed(part) for part in query.split("&")[:_NAMES])
        for name in pairs.keys() | self.values.keys():
            if name in self.values:
                self.values[name].add(pairs.get(name, _ABSENT))
            elif len(self.values) < _NAMES:
                self.values[name] = {pairs[name], _ABSENT} if self.combinations else {pairs[name]}
        self.combinations += 1


@dataclass(slots=True)
class _SitePaths:
    paths: dict[int, _Path] = field(default_factory=dict)

    @classmethod
    def load(cls, kept: Any) -> _SitePaths:
        return cls(
            {
                int(path): _Path(
                    int(number), int(earned), {int(name): set(map(int, found)) for name, found in values.items()}
                )
                for path, (number, earned, values) in (kept or {}).items()
            }
        )

    def dump(self) -> Any:
        return {
            path: (counted.combinations, counted.earned, {name: list(found) for name, found in counted.values.items()})
            for path, counted in self.paths.items()
        }


def _key(path: str) -> int:
    return crc32(path.encode())


def _hashed(part: str) -> tuple[int, int]:
    name, _, value = part.partition("=")
    return crc32(name.encode()), crc32(value.encode()) or 1


SESSION_NAMES = (
    *("phpsessid", "jsessionid", "sessionid", "session_id", "sessid", "sess", "sid", "asid", "oscsid", "oscid"),
    *("zenid", "xtcsid", "mscsid", "s_id", "aspsessionid", "cfid", "cftoken"),
)
"""Names of session ids, in lower case."""

# Letters and digits mixed, long, and perhaps the name of a server behind it. No hyphen before: a UUID may name a song.
_is_random = re.compile(
    r"(?=[A-Za-z]*[0-9])(?=[0-9]*[A-Za-z])[0-9A-Za-z]{16,128}(?:(?:[.!_-]|%21)[0-9A-Za-z.!_%-]{0,64})?"
).fullmatch
# ColdFusion's ids are numbers.
_is_of_coldfusion = re.compile(r"[0-9A-Fa-f-]{3,128}").fullmatch
_SHORTEST = len("sid=0123456789abcdef")
"""Characters of the shortest query with a session id."""
_COLDFUSION = frozenset({"cfid", "cftoken"})
# ASP.NET: /(S(55mfgh55vgblurtywsityvjq))/ and, in its first version, /(55mfgh55vgblurtywsityvjq)/
_aspnet = re.compile(r"/\((?:(?:[AFSX]\([0-9A-Za-z_-]{20,200}\)){1,4}|[0-9a-z]{24})\)(?=/)").sub


class SessionIds:
    """Removes known session ids, such as ``;jsessionid=``, from URLs.

    A parameter is removed only if its name is known *and* its value looks like an id: ``sid=12`` may be a song.
    """

    __slots__ = ("_in_path", "_names")

    def __init__(self, names: Iterable[str] = SESSION_NAMES) -> None:
        known = {name.lower() for name in names if name}
        # "&amp;sid=" occurs in pages that were escaped twice.
        self._names = frozenset(known | {f"amp%3b{name}" for name in known})
        either = "|".join(map(re.escape, sorted(known))) or "(?!)"
        self._in_path = re.compile(rf";(?:{either})=([^/;?]*)", re.IGNORECASE).sub

    def without(self, url: str) -> str:
        """Return the canonical URL without its session ids. A URL without any takes 0.3 us."""
        if "(" in url and self._names:
            url = _aspnet("", url)
        path, _, query = url.partition("?")
        if ";" in path:
            path = self._in_path(lambda match: "" if _is_random(match[1]) else match[0], path)
        elif len(query) < _SHORTEST or not self._has_name(query):
            return url
        kept = "&".join(part for part in query.split("&") if not self._is_session(part))
        return f"{path}?{kept}" if kept else path

    def _has_name(self, query: str) -> bool:
        return any(part.partition("=")[0].lower() in self._names for part in query.split("&"))

    def _is_session(self, part: str) -> bool:
        name, _, value = part.partition("=")
        name = name.lower()
        if name not in self._names:
            return False
        return bool(_is_of_coldfusion(value) if name in _COLDFUSION else _is_random(value))

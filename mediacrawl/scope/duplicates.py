"""Pages and links that were seen before under another URL.

`Duplicates` has all rules. Pages that show what another page of their site has shown, wholly or nearly, are copies
(`Copies`). A page may name its original (``<link rel="canonical">`` or the header). The claim is often wrong: on some
sites every page names the front page, the second page of a list names the first, and templates hold other sites' URLs.
So it never decides alone. The named URL is added as any link. Only of a near copy that also names another URL of its
host the links are dropped, except the named URL and links to media (`is_named_copy`). The front page counts as an
original only for itself under another query. In records the page of a file is where it was found, never what that page
names.

Different URLs with similar text (DUST): Bar-Yossef, Keidar and Schonfeld, "Do not crawl in the DUST" (WWW 2007), learn
rules from logs before a crawl. Here the visited pages are the evidence, and the only rule is that a parameter can be
removed (`Parameters`). Facets: a catalogue that can be narrowed by colour, size and year has a page for each
combination of them (`Facets`).

What is known of a site is kept in the frontier's notes (`SiteNotes`).
"""

from __future__ import annotations

from array import array
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, TypeVar
from zlib import crc32

import msgpack

from mediacrawl.base.notes import Notes
from mediacrawl.base.terms import Drop
from mediacrawl.extract import Fingerprint
from mediacrawl.priority.links import shape
from mediacrawl.scope.urls import MEDIA_EXTENSIONS, Spelling, authority_of, extension_of, host_of, site_of


@dataclass(frozen=True, slots=True)
class DuplicatePolicy:
    """Parameters of the rules; 0 switches a rule off where that is said.

    Attributes:
        pages: of a site that a new page is compared with; 0 for none.
        bits: of 64, in which the simhash of a near copy may differ.
        near_text: bytes of text, white space not counted, below which no page is a near copy.
        thin_text: bytes of text below which copies must have the same links.
        dust_pages: different pages that a parameter must not change to be removed; 0 for never.
        combinations: accepted combinations of three or more filters for a path; 0 for all.
        soft_404: whether pages in place of media are compared.
    """

    pages: int = 200
    bits: int = 3
    near_text: int = 500
    thin_text: int = 500
    dust_pages: int = 3
    combinations: int = 300
    soft_404: bool = True


class Duplicates:
    """What the crawl has seen: pages by content, links by what is known of their site."""

    def __init__(self, notes: Notes, policy: DuplicatePolicy | None = None) -> None:
        self.policy = policy = policy or DuplicatePolicy()
        self._copies = Copies(notes, max(policy.pages, 1), policy.bits, policy.near_text)
        self._parameters = Parameters(notes, policy.dust_pages, policy.bits)
        self._facets = Facets(notes, policy.combinations)
        self._soft_errors = SoftErrors(notes, policy.bits)

    def judge(self, site: str, url: str, shown: Fingerprint) -> Drop | None:
        """Learn from a visited page, and return why its links are not followed, or None.

        ``DUPLICATE``: no link is followed. ``NEAR_DUPLICATE``: only those that `leading_on` keeps.
        """
        policy, copies = self.policy, self._copies
        if policy.dust_pages:
            self._parameters.learn(site, url, shown, lambda key: copies.find(site, key))
        if policy.soft_404 and url.find("/", len("https://")) == len(url) - 1:
            self._soft_errors.front_page(site, shown)
        return copies.judge(site, url, shown) if policy.pages else None

    def judge_stand_in(self, site: str, shown: Fingerprint) -> Drop | None:
        """Return ``SOFT_404`` if a page in place of media is the site's page for missing files."""
        return Drop.SOFT_404 if self.policy.soft_404 and self._soft_errors.is_one(site, shown) else None

    def leading_on(self, site: str, links: list[tuple[int, Spelling]]) -> list[tuple[int, Spelling]]:
        """Keep the links of a near copy that may lead to something new."""
        urls = set(self._copies.leading_on(site, [url.key for _, url in links]))
        return [(place, url) for place, url in links if url.key in urls]

    def sift(
        self, page: str, links: Iterable[tuple[int, Spelling]], unknown: Callable[[list[str]], list[str]]
    ) -> tuple[list[tuple[int, Spelling]], Counter[Drop]]:
        """Keep the links of a page (`Scope.sift`) that lead to something new.

        Returns:
            Index and URL of each link that may be added; and the number of refusals by reason. What `unknown` does not
            return is skipped.
        """
        drops: Counter[Drop] = Counter()
        found = {link[1].key: link for link in links}
        disguised = {url: plain for url in found if "?" in url and (plain := self._plain(url)) != url}
        uncovered = set(disguised.values()).difference(found)
        for url, plain in disguised.items():
            place, written = found.pop(url)
            reduced = written._replace(key=plain, requested=self._plain(written.requested))
            found.setdefault(plain, (place, reduced))
        fresh = unknown(list(found))
        drops[Drop.DUST] = len(disguised) - len(uncovered.intersection(fresh))
        if self.policy.combinations:
            fresh = self._without_facets(page, fresh, drops)
        return list(map(found.__getitem__, fresh)), +drops

    def waiting(self, site: str, url: Spelling) -> tuple[Drop | None, Spelling]:
        """Check a URL that has waited: why it is dropped, or None; and the URL to request instead."""
        reduced = self._parameters.reduced
        plain = reduced(site, url.key)
        return (None, url) if plain == url.key else (Drop.DUST, Spelling(plain, reduced(site, url.requested)))

    def save(self) -> None:
        """Write all notes that are not written yet.

        A kill may lose what up to seven pages of each site have taught: those pages are compared with no other any
        more, and evidence on parameters and facets has to be found again. No URL is lost by it.

        Raises:
            FrontierError: the store of the notes failed.
        """
        for rule in (self._copies, self._parameters, self._facets):
            rule.save()

    def _plain(self, url: str) -> str:
        return self._parameters.reduced(site_of(url), url)

    def _without_facets(self, page: str, urls: list[str], drops: Counter[Drop]) -> list[str]:
        if "&" in page and self._leads_elsewhere(page, urls):
            self._facets.earned(site_of(page), page)
        by_site: defaultdict[str, list[str]] = defaultdict(list)
        for url in urls:
            if "&" in url:
                by_site[site_of(url)].append(url)
        if not by_site:
            return urls
        refused = set[str]().union(*(self._facets.beyond(site, some) for site, some in by_site.items()))
        drops[Drop.TRAP_FACETS] += len(refused)
        return [url for url in urls if url not in refused]

    @staticmethod
    def _leads_elsewhere(page: str, urls: list[str]) -> bool:
        """Whether a page has new links to media, or to other paths of its own host."""
        authority, path = authority_of(page) + "/", page.partition("?")[0]
        return any(
            (url.startswith(authority) and url.partition("?")[0] != path) or extension_of(url) in MEDIA_EXTENSIONS
            for url in urls
        )


_LINES = 6
"""Bits of 64 in which the sketches of rare lines of near copies may differ: some three lines. The simhash alone
measures shares: ten new titles below a menu of 500 lines would not change it."""
_SPARE = 200
"""Bytes by which the texts of near copies may differ in length, a fiftieth of the text at most."""
_OF_A_LIST = 20
"""Pages with the same text and other links that are no copies of each other; or a fifth of the kept ones."""
_SHAPES = 32
"""Shapes of copies that are kept for each site."""


class Shown(NamedTuple):
    """The part of a `Fingerprint` that is kept; `shape` is 0 if it was not computed."""

    text: int
    media: int
    shape: int
    lines: int

    @classmethod
    def of(cls, shown: Fingerprint) -> Shown:
        """Return all of a fingerprint."""
        return cls(shown.text, shown.media, shown.shape, shown.lines)

    def is_near(self, other: Shown, bits: int) -> bool:
        """Tell whether two pages have the same media and differ in a few lines, a small share of their text."""
        if self.media != other.media or not (self.shape and other.shape):
            return False
        return (self.shape ^ other.shape).bit_count() <= bits and (self.lines ^ other.lines).bit_count() <= _LINES


class Copies:
    """The last pages of each site, with which new ones are compared.

    A copy is not kept itself. Pages are compared within a site only: the same text on two sites may be a licence. A
    near copy has nearly the same length as well, so the simhash of a page is computed only if another page is as long;
    of a series of near copies the first two are kept.

    On disk: one note per site in the namespace ``copies``, 44 bytes a page. A kill loses up to seven pages of each
    site, a clean stop none (`save`).

    Args:
        notes: where it outlives the process.
        pages: of a site that are kept.
        bits: of 64, in which the simhash of a near copy may differ. Manku, Jain and Das Sarma (WWW 2007) found 3 best.
        length: bytes of text below which no page is a near copy: there three bits mean nothing.
    """

    def __init__(self, notes: Notes, pages: int = 200, bits: int = 3, length: int = 500) -> None:
        self._sites = SiteNotes(notes, "copies", _Pages.load, _Pages.dump, size=2000)
        self._pages = pages
        self._bits = bits
        self._length = length

    def judge(self, site: str, url: str, shown: Fingerprint) -> Drop | None:
        """Return the reason if a page is a copy of another one, or None; then it is kept."""
        pages, key = self._sites.get(site), Fingerprint.hash64(url.encode())
        is_known = shown.text in pages.texts
        if is_known and pages.keys[pages.texts.index(shown.text)] == key:
            return None
        reason = Drop.DUPLICATE if is_known else self._near(pages, key, shown)
        if reason is None:
            pages.keep(key, shown, self._pages)
            self._sites.save(site)
        elif pages.learn_shape(_shape(url)):
            self._sites.save(site)
        return reason

    def _near(self, pages: _Pages, key: int, shown: Fingerprint) -> Drop | None:
        if shown.length < self._length or not (alike := pages.as_long(key, shown)):
            return None
        page, text = Shown.of(shown), (shown.shape, shown.lines, shown.length)
        same = sum((pages.shapes[place], pages.lines[place], pages.lengths[place]) == text for place in alike)
        if page.lines and same:
            # The pages of a list differ in their links alone, and lead to others; those of a trap lead to their like.
            return Drop.DUPLICATE if same >= max(_OF_A_LIST, len(pages.keys) // 5) else None
        is_near = any(page.is_near(pages.shown(place), self._bits) for place in alike)
        return Drop.NEAR_DUPLICATE if is_near else None

    def leading_on(self, site: str, urls: list[str]) -> list[str]:
        """Keep the new links of a near copy that may lead to something new.

        Pages of episodes that differ in a title only still lead to a file each; a calendar leads to more of its
        kind. So if any new link within the site has a shape that no copy had, all links are followed, otherwise
        only those to other sites and to media.
        """
        copied = self._sites.get(site).copied
        kept = [url for url in urls if extension_of(url) in MEDIA_EXTENSIONS or _shape(url) not in copied]
        return urls if any(site_of(url) == site for url in kept) else kept

    def save(self) -> None:
        """Write what is not written yet."""
        self._sites.save_all()

    def find(self, site: str, key: int) -> Shown | None:
        """What a page of a site showed, if it is kept."""
        pages = self._sites.get(site)
        return pages.shown(pages.keys.index(key)) if key in pages.keys else None


@dataclass(slots=True)
class _Pages:
    """The pages of a site, the oldest first, and the shapes of the URLs of copies.

    Arrays take a fifth of the memory of objects.
    """

    keys: array[int]
    texts: array[int]
    media: array[int]
    shapes: array[int]
    lines: array[int]
    lengths: array[int]
    copied: array[int]

    @classmethod
    def load(cls, kept: Any) -> _Pages:
        pages = cls(*map(array, "QQQQQII", kept or (b"",) * 7))
        if len(set(map(len, pages._columns))) != 1:
            raise ValueError("not the pages of a site")
        return pages

    def dump(self) -> list[bytes]:
        return [column.tobytes() for column in (*self._columns, self.copied)]

    @property
    def _columns(self) -> tuple[array[int], ...]:
        return self.keys, self.texts, self.media, self.shapes, self.lines, self.lengths

    def shown(self, place: int) -> Shown:
        return Shown(self.texts[place], self.media[place], self.shapes[place], self.lines[place])

    def as_long(self, key: int, shown: Fingerprint) -> list[int]:
        """Places of the pages with the same media and nearly the same length of text."""
        spare = min(shown.length // 50, _SPARE)
        least, most = shown.length - spare, shown.length + spare
        alike = [place for place, length in enumerate(self.lengths) if least <= length <= most]
        return [place for place in alike if self.media[place] == shown.media and self.keys[place] != key]

    def keep(self, key: int, shown: Fingerprint, pages: int) -> None:
        # The simhash is computed only for pages that are compared.
        measured = (shown.shape, shown.lines) if shown.measured else (0, 0)
        row = (key, shown.text, shown.media, *measured, shown.length)
        for column, number in zip(self._columns, row, strict=True):
            column.append(number)
            del column[:-pages]

    def learn_shape(self, shape: int) -> bool:
        if shape in self.copied:
            return False
        self.copied.append(shape)
        del self.copied[:-_SHAPES]
        return True


def _shape(url: str) -> int:
    """Return the shape of a URL without its parameters, since each combination of filters has a shape of its own."""
    return crc32(shape(url.partition("?")[0]).encode())


def is_named_copy(page: str, original: str | None) -> bool:
    """Whether a page names an original that can be believed, if its content is a near copy too."""
    if original is None or original == page or _host(original) != _host(page):
        return False
    return _path(original) != "/" or _path(page) == "/"


def of_a_copy(links: list[tuple[int, Spelling]], original: str) -> list[tuple[int, Spelling]]:
    """Keep the links of a copy that are followed: its original, and media."""
    return [(place, url) for place, url in links if url.key == original or extension_of(url.key) in MEDIA_EXTENSIONS]


def _host(url: str) -> str:
    return host_of(url).removeprefix("www.")


def _path(url: str) -> str:
    return "/" + url.partition("?")[0].partition("://")[2].partition("/")[2]


_STAND_INS = 20
"""Pages in place of media that are kept for each site."""


class SoftErrors:
    """Recognises a site's page for missing files (soft 404).

    A page in place of a file may be right: MediaWiki's ``File:Song.ogg`` is one. So the first is read as any page.
    The next that shows nearly the same, or what the front page shows, is a soft 404 (Bar-Yossef et al., "Sic
    transit gloria telae", WWW 2004, request names that cannot exist; this requests nothing).

    On disk: one note per site in the namespace ``soft_404``, written when a page in place of media is first seen,
    at most some 600 bytes.
    """

    def __init__(self, notes: Notes, bits: int = 3) -> None:
        self._sites = SiteNotes(notes, "soft_404", _Answers.load, _Answers.dump, every=1)
        self._bits = bits

    def is_one(self, site: str, shown: Fingerprint) -> bool:
        """Whether a page in place of media is a soft 404; if not it is kept."""
        answers, page = self._sites.get(site), Shown.of(shown)
        if any(page.text == other.text or page.is_near(other, self._bits) for other in answers.known):
            return True
        answers.stand_ins.append(page)
        del answers.stand_ins[:-_STAND_INS]
        self._sites.save(site)
        return False

    def front_page(self, site: str, shown: Fingerprint) -> None:
        """Keep what a site's front page shows."""
        answers, page = self._sites.get(site), Shown.of(shown)
        if answers.front != page:
            answers.front = page
            self._sites.save(site)


@dataclass(slots=True)
class _Answers:
    stand_ins: list[Shown] = field(default_factory=list)
    front: Shown | None = None

    @classmethod
    def load(cls, kept: Any) -> _Answers:
        stand_ins, front = kept or ([], None)
        return cls([Shown(*page) for page in stand_ins], Shown(*front) if front else None)

    def dump(self) -> Any:
        return self.stand_ins, self.front

    @property
    def known(self) -> list[Shown]:
        return [*self.stand_ins, self.front] if self.front else self.stand_ins


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
            rest = Fingerprint.hash64(_joined(path, [part for part in parts if part != value]).encode())
            self._compare(state, name, rest, _Seen(Fingerprint.hash64(value.encode()), Shown.of(shown)), known(rest))
        key = Fingerprint.hash64(url.encode())
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


Record = TypeVar("Record")


class SiteNotes(Generic[Record]):
    """Records by site, read from the notes when needed and written when saved.

    On disk: one note per site, in msgpack. An unreadable one counts as none, and is learned again. A kill loses what
    was not written yet: of each site at most ``every - 1`` changes. If other processes write too (`Notes.shared`), each
    change is written at once, and each read checks whether the note has changed.

    Args:
        notes: where they outlive the process.
        namespace: of the notes.
        load: makes a record of what `dump` made; of None the record of a new site. May raise ValueError, TypeError,
            KeyError, IndexError, AttributeError or OverflowError.
        dump: makes what msgpack can write, bounded by the caller.
        every: changes of a site that are written together.
        size: records in memory.
    """

    def __init__(
        self,
        notes: Notes,
        namespace: str,
        load: Callable[[Any], Record],
        dump: Callable[[Record], Any],
        *,
        every: int = 8,
        size: int = 1000,
    ) -> None:
        self._notes = notes
        self._namespace = namespace
        self._load = load
        self._dump = dump
        self._every = 1 if notes.shared else every
        self._size = max(size, 1)
        self._records: OrderedDict[str, Record] = OrderedDict()
        self._unsaved: dict[str, int] = {}
        self._written: dict[str, bytes | None] = {}
        """Of shared notes: the bytes of the note of each record."""

    def get(self, site: str) -> Record:
        """Return the record of a site; it may be changed, and is then saved by `save`."""
        record = self._records.get(site)
        note = None
        if record is None or self._notes.shared:
            note = self._notes.note(self._namespace, site)
        if record is not None and (not self._notes.shared or note == self._written[site]):
            self._records.move_to_end(site)
            return record
        while len(self._records) >= self._size:
            self._forget()
        record = self._records[site] = self._read(note)
        self._written[site] = note
        return record

    def at_hand(self, site: str) -> Record | None:
        """Return the record of a site if it is in memory."""
        return self._records.get(site)

    def save(self, site: str) -> None:
        """Save the record of a site, which was read just now and changed; it is written with the others."""
        self._unsaved[site] = self._unsaved.get(site, 0) + 1
        if self._unsaved[site] >= self._every:
            self._write(site, self._records[site])

    def save_all(self) -> None:
        """Write all changes that are not written yet."""
        for site in list(self._unsaved):
            self._write(site, self._records[site])

    def _forget(self) -> None:
        site, record = self._records.popitem(last=False)
        self._written.pop(site, None)
        if site in self._unsaved:
            self._write(site, record)

    def _write(self, site: str, record: Record) -> None:
        del self._unsaved[site]
        note = self._written[site] = msgpack.packb(self._dump(record), unicode_errors="replace")
        self._notes.set_note(self._namespace, site, note)

    def _read(self, note: bytes | None) -> Record:
        if note is None:
            return self._load(None)
        try:
            record = self._load(msgpack.unpackb(note, strict_map_key=False))
            # Our own records can be written again; a float could become an integer of 300 digits.
            msgpack.packb(self._dump(record), unicode_errors="replace")
        except (ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError):
            return self._load(None)
        return record

"""The adaptive order: what the crawl found so far says what it asks next.

URLs wait by class, only classes have scores, and a score is the class's own record (`SiteClasses`: fetches, reward,
features of the latest link) shrunk towards a small model of links (`learner`); the reward of a nugget is shared by the
whole path of links to it (`visits`). Some sites are rescored with each fetch, so nothing ever walks all of them.
"""

from __future__ import annotations

import logging
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from math import inf, isfinite, isnan
from pathlib import Path
from sys import intern

import msgpack
import numpy as np
from numpy.typing import NDArray

from mediacrawl.base.notes import Notes
from mediacrawl.base.queued import LINK_CLASS
from mediacrawl.base.terms import Candidate, Kind, Lease
from mediacrawl.frontier.seen import url_key
from mediacrawl.frontier.site_state import AGAIN, MOST_CLASSES, class_for
from mediacrawl.priority.learner import Learner, Rows, load_model, save_model
from mediacrawl.priority.links import SIZE, WIDTH, place, places
from mediacrawl.priority.orders import RECORDS, OrderModelError, Scored
from mediacrawl.priority.visits import (
    CreditPolicy,
    Past,
    SharedJournal,
    SharedNotes,
    VisitEntry,
    VisitJournal,
    Visits,
    unpacked,
)

logger = logging.getLogger(__name__)

MOST_INLINKS = 4
"""Sites with finds that are counted at most: four say as much as more."""
MOST_OUTLINKS = 100
"""Sites that a site links to and that are remembered."""
_EACH_INLINK = 2.0
"""By what each site with finds that links to a site without any multiplies its scores."""
_EACH_VISIT, _MOST_VISITS = 0.85, 40.0
"""By what each visit to a site without finds multiplies its scores, and how many visits do so at most. On webs of other
makers' habits visits alone gave 3 % more finds at 10,000 pages (6 webs, standard error 7), both 14 % (12 webs, 4)."""
_FILE = place(f"kind {Kind.MEDIA}")
"""The second feature of a link to a media file."""
_MOST_TRIED = 5
"""Requested files of a site after which they wait as others do, if none gave a record: some sites fake media."""
_AHEAD = 1.2
"""A first file's score, as a multiple of the best score of the site's pages: a rank higher."""
_MOVED = 0.06
"""Share by which a score must differ from the one that the frontier has before it is sent: half of what may have one
rank."""


@dataclass(frozen=True, slots=True)
class ScorePolicy:
    """How a class's own record and the model make a score.

    Attributes:
        weight: how many fetches the model's guess counts as.
        curiosity: how much a class is preferred for being little known.
    """

    weight: float = 2.0
    curiosity: float = 0.1

    def factor(self, classes: SiteClasses) -> float:
        """Return what the scores of a site are multiplied by: as long as it has no finds, who links to it says most."""
        if classes.has_finds:
            return 1.0
        factor: float = _EACH_INLINK ** (classes.inlinks - 1) * _EACH_VISIT ** min(classes.visits, _MOST_VISITS)
        return factor

    def scores(
        self, fetches: NDArray[np.float64], credit: NDArray[np.float64], odds: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the score of each class: its record, shrunk towards the model, and a little more for the little known.

        Args:
            fetches: number of its fetches.
            credit: what that came to.
            odds: what the model says of its next link, 0 to 1.
        """
        fetches = fetches + self.weight
        rates = (credit + self.weight * odds) / fetches
        return rates + self.curiosity * np.sqrt(rates / fetches)


class SiteClasses:
    """The link classes of one site.

    Attributes:
        numbers: class -> its place in the arrays.
        table: `fetches`, `credit` and `sent` as rows; one array, so that the sites of a visit are joined at once.
        fetches: number of fetches of each.
        credit: what that came to.
        sent: the score that the frontier has; nan if unknown.
        rows: features of its last fetched link; of the first link until one was fetched.
        links: number of links of each shape in this process, of the first 256 shapes.
        upto: number of the last visit of all workers that was sent when the record was read that they share, which has
            those before it; -1 if it was not read. Only for a crawl of several workers.
        has_turn: whether it is looked at again in its turn.
        outlinks: other sites that it was found to link to in this process, the first `MOST_OUTLINKS`. In a list: a set
            takes ten times the memory.
        files: the places of its classes of media files, see `put_files_first`.
        inlinks: how many sites with finds were found to link to it, `MOST_INLINKS` at most.
        has_finds: whether a class has credit, and its outlinks count it as a site with finds.
        visits: the sum of `fetches`, which takes long to add up.
    """

    __slots__ = (
        *("_known", "credit", "fetches", "files", "has_finds", "has_turn", "inlinks"),
        *("links", "numbers", "rows", "sent", "table", "outlinks", "upto", "visits"),
    )

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self._grow(_empty_table(4))
        self.rows: Rows = np.zeros((4, WIDTH), np.uint32)
        self.files: list[int] = []
        self.links: dict[str, int] = {}
        self.upto = -1
        self.has_turn = False
        self.outlinks = list[str]()
        self.inlinks = 0
        self.has_finds = False
        self.visits = 0.0
        self._known = hash(b"")
        """Of the record that was read or written last."""

    def __len__(self) -> int:
        return len(self.numbers)

    def met(self, shape: str) -> int:
        """Count a link of a shape; return how many there were, 0 for one of too many shapes."""
        if shape not in self.links and len(self.links) >= MOST_CLASSES:
            # A site that makes up shapes without end is not to fill the memory.
            return 0
        number = self.links[shape] = self.links.get(shape, 0) + 1
        return number

    def add(self, name: str, row: Sequence[int] | NDArray[np.uint32]) -> int:
        """A class is new; return its place."""
        number = self.numbers[name] = len(self.numbers)
        if number == len(self.fetches):
            self._grow(np.concatenate([self.table, _empty_table(number)], axis=1))
            self.rows = np.concatenate([self.rows, np.zeros((number, WIDTH), np.uint32)])
        self.rows[number] = row
        if row[1] == _FILE:
            self.files.append(number)
        return number

    @property
    def awaits_file(self) -> bool:
        """Whether a file of the site goes before its pages: none gave a record, and few were tried."""
        files = self.files
        return bool(files and not self.credit[files].any() and self.fetches[files].sum() < _MOST_TRIED)

    def put_files_first(self, scores: NDArray[np.float64]) -> None:
        """Until the site has a record, raise the scores of its files above those of its pages.

        It is a little above, since the rank of a site is that of its best class, and some sites fake media.
        """
        pages = np.delete(scores, self.files)
        if pages.size and self.awaits_file:
            scores[self.files] = np.maximum(scores[self.files], _AHEAD * pages.max())

    def _grow(self, table: NDArray[np.float64]) -> None:
        self.table = table
        self.fetches, self.credit, self.sent = table

    def dump(self) -> bytes:
        """The stored form, in msgpack: the inlinks, and of each fetched class name, fetches, credit, features."""
        listed = [
            (name, float(self.fetches[place]), float(self.credit[place]), self.rows[place].astype("<u4").tobytes())
            for name, place in self.numbers.items()
            if self.fetches[place]
        ]
        packed: bytes = msgpack.packb({"inlinks": self.inlinks, "classes": listed}, unicode_errors="replace")
        self._known = hash(packed)
        return packed

    def merge(self, packed: bytes | None) -> None:
        """Take from a record what it knows better: of each class, which of the two knows of more fetches has the word.

        Args:
            packed: what `dump` wrote, here or at another worker; None if nothing was written.
        """
        if not packed or hash(packed) == self._known:
            return
        self._known = hash(packed)
        other = SiteClasses.load(packed)
        self.inlinks = max(self.inlinks, other.inlinks)
        for name, theirs in other.numbers.items():
            ours = self.numbers.get(name)
            if ours is None:
                ours = self.add(name, other.rows[theirs])
            mine = self.fetches[ours], self.credit[ours]
            self.fetches[ours], self.credit[ours] = max(mine, (other.fetches[theirs], other.credit[theirs]))
        self.visits = float(self.fetches.sum())

    @classmethod
    def load(cls, packed: bytes | None) -> SiteClasses:
        """What `dump` wrote; of what it did not write nothing is known.

        Args:
            packed: the record, if there is one; one of version 0.2 is a list of classes.
        """
        found = cls()
        try:
            record = msgpack.unpackb(packed) if packed else []
            if isinstance(record, dict):
                found.inlinks = min(max(int(record["inlinks"]), 0), MOST_INLINKS)
                record = record["classes"]
            for name, fetches, credit, row in record:
                numbers = np.frombuffer(row, "<u4")
                fits = numbers.shape == (WIDTH,) and numbers.max() < SIZE and isfinite(fetches)
                if fits and fetches >= credit >= 0 and str(name) == name and name not in found.numbers:
                    place = found.add(name, numbers)
                    found.fetches[place], found.credit[place] = fetches, credit
        except (KeyError, OverflowError, ValueError, TypeError, msgpack.exceptions.UnpackException):
            return cls()
        found.visits, found.has_finds = float(found.fetches.sum()), bool(found.credit.any())
        return found


def moved_scores(
    sites: Sequence[tuple[str, SiteClasses]], learner: Learner, policy: ScorePolicy
) -> Iterator[tuple[str, dict[str, float]]]:
    """Yield the scores of several sites that have changed enough to be sent to the frontier, by site.

    All sites are scored in one pass over arrays: a pass for each takes four times as long.
    """
    sites = [(name, classes) for name, classes in sites if classes.numbers]
    if not sites:
        return
    counts = [len(classes.numbers) for _, classes in sites]
    rows = np.concatenate([classes.rows[:count] for (_, classes), count in zip(sites, counts, strict=True)])
    tables = [classes.table[:, :count] for (_, classes), count in zip(sites, counts, strict=True)]
    fetches, credit, sent = np.concatenate(tables, axis=1)
    factors = np.array([policy.factor(classes) for _, classes in sites]).repeat(counts)
    scores = policy.scores(fetches, credit, learner.odds(rows)) * factors
    end = 0
    for (_, classes), count in zip(sites, counts, strict=True):
        start, end = end, end + count
        if classes.files:
            classes.put_files_first(scores[start:end])
    # What is not known differs from everything.
    changed = np.flatnonzero(~(np.abs(scores - sent) <= _MOVED * sent))
    moved = iter(zip(changed.tolist(), scores[changed].tolist(), strict=True))
    number, score = next(moved, _NO_MORE)
    end = 0
    for (name, classes), count in zip(sites, counts, strict=True):
        start, end = end, end + count
        if number < end:
            names, told = list(classes.numbers), dict[str, float]()
            while number < end:
                classes.sent[number - start] = told[names[number - start]] = score
                number, score = next(moved, _NO_MORE)
            yield name, told


_NO_MORE = (1 << 62, 0.0)
"""Number and score behind the last one."""


def _empty_table(places: int) -> NDArray[np.float64]:
    """Classes that were not requested, and have no score: no fetches, no credit, nan."""
    table = np.zeros((3, places))
    table[2] = np.nan
    return table


class Classes:
    """The link classes of many sites; those that were not met for longest are let go of.

    In memory: some 5 KB a site of a dozen classes.

    Args:
        most: sites that are held.
        each: link classes that a site may have.
        recall: what `SiteClasses.dump` made of a site that is not held, or None.
    """

    def __init__(self, most: int, each: int, recall: Callable[[str], bytes | None]) -> None:
        self._most = max(most, 1)
        self._each = each
        self._recall = recall
        self._held: OrderedDict[str, SiteClasses] = OrderedDict()
        self._turn: deque[str] = deque()

    def __len__(self) -> int:
        return len(self._held)

    def __iter__(self) -> Iterator[tuple[str, SiteClasses]]:
        return iter(self._held.items())

    def held(self, site: str) -> SiteClasses | None:
        """Return the classes of a site, if they are held."""
        return self._held.get(site)

    def of(self, site: str, *, turn: bool = True) -> SiteClasses:
        """Return the classes of a site, with what was written down of them.

        Args:
            site: its name.
            turn: whether it is looked at again from now on; one that only other workers met is theirs to look at.
        """
        found = self._held.get(site)
        if found is None:
            found = self._held[site] = SiteClasses.load(self._recall(site))
            if len(self._held) > self._most:
                self._held.popitem(last=False)
        else:
            self._held.move_to_end(site)
        if turn and not found.has_turn:
            found.has_turn = True
            self._turn.append(site)
            if len(self._turn) > 2 * self._most:
                self._turn = deque(name for name in dict.fromkeys(self._turn) if name in self._held)
        return found

    def place(
        self, site: str, name: str, row: Callable[[], Sequence[int]], *, turn: bool = True
    ) -> tuple[SiteClasses, int, bool]:
        """Return the class of a link, its place among the site's classes, and whether it is new.

        Args:
            site: of the link.
            name: the class that its shape asks for.
            row: makes its features, which take longest, if they are needed.
            turn: see `of`.
        """
        classes = self.of(site, turn=turn)
        number, is_new = self.place_in(classes, name, row)
        return classes, number, is_new

    def place_in(self, classes: SiteClasses, name: str, row: Callable[[], Sequence[int]]) -> tuple[int, bool]:
        """As `place`, in the classes of its site, which `of` gave."""
        number = classes.numbers.get(name)
        if number is not None:
            return number, False
        name = class_for(name, classes.numbers, self._each)
        number = classes.numbers.get(name)
        if number is not None:
            return number, False
        return classes.add(name, row()), True

    def next(self, number: int) -> list[str]:
        """Return the sites whose turn it is to be looked at again."""
        found = list[str]()
        for _ in range(min(number, len(self._turn))):
            site = self._turn.popleft()
            if site in self._held:
                self._turn.append(site)
                found.append(site)
        return found


_NOT_LEARNED = frozenset({AGAIN, LINK_CLASS})
"""Link classes whose scores are not learned: those of revisits and of data requests. What lies behind them is to the
credit of their pages."""


@dataclass(frozen=True, slots=True)
class AdaptivePolicy:
    """The numbers of the adaptive order.

    Attributes:
        score: how a class's record and the model make its score.
        credit: how a nugget is shared out along its path.
        rate: how far the model's first example moves a weight.
        looked_at: sites that are rescored with each fetch, besides the fetched one.
        sites: sites whose classes are held in memory.
        classes: link classes a site may have, as in `FrontierPolicy`.
        paths: links of one shape beyond which those that are in different lists of a site's own pages are different
            classes; 0 for never. At 10,000 pages 5 finds 24 files in 1,000 pages more than 30 on six webs (standard
            error 7), and 16 more on eight of other makers (8).
        save_every: seconds between two writes of the model.
    """

    score: ScorePolicy = field(default_factory=ScorePolicy)
    credit: CreditPolicy = field(default_factory=CreditPolicy)
    rate: float = 0.1
    looked_at: int = 4
    sites: int = 50_000
    classes: int = 60
    paths: int = 5
    save_every: float = 60.0


class Adaptive:
    """Gives link classes their scores, and learns from each visit.

    In the notes of the frontier, in msgpack: records of classes (namespace ``classes``, by site) and the last visits
    (`VisitJournal`), written by `save`: a kill loses what came after the last commit, a second. In a file: the model,
    written each minute and at the end; what it lacks after a kill it learns again from the journal.

    Where several workers share the notes (`SharedNotes`) each learns from the visits of all, some seconds later
    than from its own (`SharedJournal`). A site's record comes with its lease, and is written by the worker that visited
    the site, or that credited it and had visited it before; the others only count. Of two that write one record within
    two seconds the later wins, and each continues with what it has counted. So a credit may be missing in a record
    until the site is visited again, and is lost if no worker is left that heard of it and its visit is not kept. Where
    delays are shorter than it takes to hear of a visit, it may count twice for a worker that is given the site. A new
    worker learns the model from the visits that are kept; the file is written at the end, for other crawls.

    In memory: the model (8 MB), the classes of `AdaptivePolicy.sites` sites (6 KB each), the last visits (350 bytes
    each).

    Args:
        policy: its numbers.
        notes: where it is kept.
        path: of the model's file; None keeps none.
        key_of: gives the key of a URL as it was requested; a lease names the pages that led to it so.

    Attributes:
        learner: the model.
        classes: what is known of link classes.
        visits: the last ones.
        journal: where these are written down.
    """

    def __init__(
        self,
        policy: AdaptivePolicy,
        notes: Notes,
        path: Path | None = None,
        key_of: Callable[[str], int] = url_key,
    ) -> None:
        self._key_of = key_of
        self._policy = policy
        self._notes = notes
        self._path = path
        self.classes = Classes(policy.sites, policy.classes, self._recall)
        self.visits = Visits(policy.credit)
        self._shared = SharedJournal(notes, policy.credit.remembered) if isinstance(notes, SharedNotes) else None
        self.journal = self._shared or VisitJournal(notes, policy.credit.remembered)
        self.learner = Learner(policy.rate)
        self._known = 0
        self._resumes = False
        self._has_new_visits = False
        self._stale = dict[str, SiteClasses]()
        self._to_rescore = dict[str, None]()
        self._saved = -inf

    # -- scores ----------------------------------------------------------------------------------------------

    def join(self, candidates: Iterable[Candidate], source: str = "") -> None:
        """Links were found: give each the score of its class.

        Args:
            candidates: with the class of their shape; it is distinguished by the tag path on the link's own site.
            source: the site that they were found on; empty for seeds.
        """
        new = list[tuple[Candidate, SiteClasses, int]]()
        sites = dict[str, SiteClasses]()
        origin = self.classes.of(source) if source else None
        for found in candidates:
            if found.link_class == LINK_CLASS:
                continue
            classes = sites.get(found.site)
            if classes is None:
                classes = sites[found.site] = self.classes.of(found.site)
                if origin is not None:
                    self._link(origin, found.site, classes)
            counts = found.site == source and found.evidence.path and self._policy.paths
            if counts and classes.met(found.link_class) > self._policy.paths:
                found.link_class = f"{found.link_class} {found.evidence.path}"
            number, is_new = self.classes.place_in(classes, found.link_class, partial(places, found))
            scored_as = float(classes.sent[number])
            if is_new or isnan(scored_as):
                new.append((found, classes, number))
                if classes.awaits_file:
                    self._to_rescore[found.site] = None
            else:
                found.score = scored_as
        if new:
            self._score(new)

    def _score(self, new: list[tuple[Candidate, SiteClasses, int]]) -> None:
        rows = np.stack([classes.rows[number] for _, classes, number in new])
        fetches = np.array([classes.fetches[number] for _, classes, number in new])
        credit = np.array([classes.credit[number] for _, classes, number in new])
        factors = np.array([self._policy.score.factor(classes) for _, classes, _ in new])
        scores = self._policy.score.scores(fetches, credit, self.learner.odds(rows)) * factors
        for (found, classes, number), score in zip(new, scores.tolist(), strict=True):
            found.score = score
            if not classes.fetches[number] and not self._resumes:
                # One that an earlier process met, or that was only recalled, has another score in the frontier.
                classes.sent[number] = score

    def _link(self, origin: SiteClasses, site: str, classes: SiteClasses) -> None:
        """A site was found to link to a site, perhaps to itself."""
        if classes is origin or len(origin.outlinks) >= MOST_OUTLINKS or site in origin.outlinks:
            return
        origin.outlinks.append(intern(site))
        if origin.has_finds:
            self._count_inlink(site, classes)

    def _count_outlinks(self, classes: SiteClasses) -> None:
        """At the first find of a site, count it for the sites that it links to."""
        if classes.has_finds or not classes.credit.any():
            return
        classes.has_finds = True
        for name in classes.outlinks:
            if (target := self.classes.held(name)) is not None:
                self._count_inlink(name, target)

    def _count_inlink(self, site: str, classes: SiteClasses) -> None:
        if classes.inlinks >= MOST_INLINKS or classes.has_finds:
            return
        classes.inlinks += 1
        self._to_rescore[site] = None
        self._changed(site, classes)

    def _changed(self, site: str, classes: SiteClasses) -> None:
        # A worker that never leased the site does not know the whole record.
        if self._shared is None or classes.upto >= 0:
            self._stale[site] = classes

    def ended(self, lease: Lease, reward: float) -> Scored:
        """Learn from the end of a URL; yield sites with the new scores of their classes.

        Args:
            lease: its last lease.
            reward: what was found there, 0 to 1.
        """
        came_from = lease.evidence.requested_url if lease.hops else ""
        # A published URL in whose path the file was found (`scope.wrapped`) was not visited.
        parent = came_from if came_from and self._key_of(came_from) in self.visits else lease.parent
        entry = VisitEntry(
            key=url_key(lease.url),
            parent=self._key_of(parent) if parent else 0,
            site=lease.site,
            link_class=lease.link_class,
            row=places(lease),
            reward=reward,
        )
        if self._shared is not None:
            classes = self.classes.of(lease.site)
            classes.merge(self._notes.note(RECORDS, lease.site))
            classes.upto = self._shared.last
            self._count_outlinks(classes)
        self._learn(entry)
        return self._moved(lease.site)

    def _moved(self, site: str) -> Scored:
        names = dict.fromkeys((site, *self._to_rescore, *self.classes.next(self._policy.looked_at)))
        self._to_rescore.clear()
        held = [(name, classes) for name in names if (classes := self.classes.held(name)) is not None]
        yield from moved_scores(held, self.learner, self._policy.score)

    # -- learning --------------------------------------------------------------------------------------------

    def _learn(self, entry: VisitEntry) -> None:
        self.journal.add(entry)
        self._has_new_visits = True
        visit = self.visits.keep(entry)
        credited = self._credited(entry, visit)
        self._stale[visit.site] = self._count(visit, entry.row)
        for past, more in credited:
            self.learner.learn(entry.row if past is visit else unpacked(past.row), more)
            classes = self.classes.of(past.site)
            if more and self._credit(classes, past, more):
                self._changed(past.site, classes)

    def _hear(self, number: int, entry: VisitEntry) -> None:
        """Another worker made a visit, or an earlier one did: it counts, and nothing is written.

        Records that were read since know of it already, and so does a model with a higher number.
        """
        visit = self.visits.keep(entry)
        if number > self.classes.of(visit.site, turn=False).upto:
            self._count(visit, entry.row, turn=False)
        for past, more in self._credited(entry, visit):
            if number > self._known:
                self.learner.learn(unpacked(past.row), more)
            classes = self.classes.held(past.site)
            if more and classes is not None and number > classes.upto:
                self._credit(classes, past, more)

    def _count(self, visit: Past, row: Sequence[int], *, turn: bool = True) -> SiteClasses:
        if visit.link_class in _NOT_LEARNED:
            # The score of revisits is that of their pages (`hubs`), whatever came of the others.
            return self.classes.of(visit.site, turn=turn)
        classes, number, _ = self.classes.place(visit.site, visit.link_class, lambda: row, turn=turn)
        classes.fetches[number] += 1
        classes.visits += 1
        classes.rows[number] = row
        return classes

    def _credit(self, classes: SiteClasses, past: Past, more: float) -> bool:
        """A visit got credit, and so did its class; return whether that is known."""
        number = classes.numbers.get(past.link_class)
        if number is None:
            return False
        # What was recalled of a class may be a second older than its visits.
        classes.credit[number] = min(classes.credit[number] + more, classes.fetches[number])
        self._count_outlinks(classes)
        return True

    def _credited(self, entry: VisitEntry, visit: Past) -> list[tuple[Past, float]]:
        """Return the visits that an entry says something of: if nothing was found, itself alone.

        A page visited again is no evidence about links: of no other page is it known that nothing new is there.
        """
        said = self.visits.reward(entry.key, entry.reward) if entry.reward > 0 else ((visit, 0.0),)
        return [(past, more) for past, more in said if past.link_class not in _NOT_LEARNED]

    # -- what outlives the process ---------------------------------------------------------------------------

    def begin(self, warm: Path | None = None, *, resumes: bool = False) -> int:
        """Take up what an earlier process left; return how many visits are remembered.

        Args:
            warm: a model of another crawl to begin with, where this crawl has none of its own.
            resumes: whether the frontier has classes already, whose scores are not known here.

        Raises:
            OrderModelError: that model cannot be read. One of our own that cannot is learned again.
        """
        if (own := self._own_model()) is not None:
            self.learner, self._known = own
        elif warm is not None:
            self.learner.take_general(load_model(warm, self._policy.rate)[0])
        take = self._recollect if self._shared is None else self._hear
        for number, entry in self.journal.read():
            take(number, entry)
        self._resumes = resumes or bool(self.visits)
        return len(self.visits)

    def _own_model(self) -> tuple[Learner, int] | None:
        if self._shared is None and self._path is not None and self._path.exists():
            with suppress(OrderModelError):
                return load_model(self._path, self._policy.rate)
            return self.learner, 0
        return None

    def _recollect(self, number: int, entry: VisitEntry) -> None:
        """A visit of an earlier process: the records of classes have it, the model perhaps not."""
        visit = self.visits.keep(entry)
        for past, more in self._credited(entry, visit):
            if number > self._known:
                self.learner.learn(unpacked(past.row), more)

    def save(self, now: float, *, last: bool = False) -> None:
        """Write down what was learned since, for the next commit of the frontier; each minute the model as well."""
        for site, classes in self._stale.items():
            self._notes.set_note(RECORDS, site, classes.dump())
        self._stale.clear()
        if self._has_new_visits or self._shared is not None:
            self.journal.save()
            self._has_new_visits = False
        if self._shared is not None:
            for number, entry in self._shared.heard():
                self._hear(number, entry)
            if last:
                self._shared.close()
        if self._path is not None and (last or (self._shared is None and now - self._saved >= self._policy.save_every)):
            self._write(self._path)
            self._saved = now

    def _write(self, path: Path) -> None:
        """Write the model. A disk that does not take it does not stop the crawl: the journal has what it is made of."""
        # The numbers of visits of several workers mean nothing to another crawl.
        visits = self.journal.number if isinstance(self.journal, VisitJournal) else 0
        try:
            save_model(self.learner, path, visits)
        except OSError as error:
            logger.warning("What was learned of links cannot be written into %s (%s)", path, error.strerror or error)

    def _recall(self, site: str) -> bytes | None:
        # Of one that is not leased nothing is at hand, and to ask would hold the crawl up.
        if self._shared is not None:
            return None
        # What was let go of since the last `save` is not in the notes yet.
        stale = self._stale.get(site)
        return stale.dump() if stale is not None else self._notes.note(RECORDS, site)

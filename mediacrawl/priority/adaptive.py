"""The adaptive order: what the crawl found so far says what it asks next.

URLs wait by class, only classes have scores, and a score is the class's own record shrunk towards a small model of
links; the reward of a nugget is shared by the whole path of links to it. Some sites are rescored with each fetch, so
nothing ever walks all of them.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from math import inf, isnan
from pathlib import Path
from sys import intern

import numpy as np

from mediacrawl.base.notes import Notes
from mediacrawl.base.queued import LINK_CLASS
from mediacrawl.base.terms import Candidate, Lease
from mediacrawl.frontier.seen import url_key
from mediacrawl.frontier.site_state import AGAIN
from mediacrawl.priority.classes import MOST_INLINKS, MOST_OUTLINKS, Classes, ScorePolicy, SiteClasses, moved_scores
from mediacrawl.priority.features import packed, places, unpacked
from mediacrawl.priority.journal import VisitEntry, VisitJournal
from mediacrawl.priority.learner import Learner, load_model, save_model
from mediacrawl.priority.orders import RECORDS, CreditPolicy, OrderModelError, Past, Scored, Visits
from mediacrawl.priority.shared import SharedJournal, SharedNotes

logger = logging.getLogger(__name__)

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

    Where several workers share the notes (`shared.SharedNotes`) each learns from the visits of all, some seconds later
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
        self.learner = Learner(policy.rate)
        self.classes = Classes(policy.sites, policy.classes, self._recall)
        self.visits = Visits(policy.credit)
        self._shared = SharedJournal(notes, policy.credit.remembered) if isinstance(notes, SharedNotes) else None
        self.journal = self._shared or VisitJournal(notes, policy.credit.remembered)
        self._known = 0
        self._resumes = False
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
        self.journal.add(entry)
        self._learn(entry)
        return self._moved(lease.site)

    def _moved(self, site: str) -> Scored:
        names = dict.fromkeys((site, *self._to_rescore, *self.classes.next(self._policy.looked_at)))
        self._to_rescore.clear()
        held = [(name, classes) for name in names if (classes := self.classes.held(name)) is not None]
        yield from moved_scores(held, self.learner, self._policy.score)

    # -- learning --------------------------------------------------------------------------------------------

    def _learn(self, entry: VisitEntry) -> None:
        visit = _past(entry)
        self.visits.add(entry.key, visit)
        self._stale[visit.site] = self._count(visit)
        for past, more in self._credited(entry, visit):
            self.learner.learn(unpacked(past.row), more)
            classes = self.classes.of(past.site)
            if more and self._credit(classes, past, more):
                self._changed(past.site, classes)

    def _hear(self, number: int, entry: VisitEntry) -> None:
        """Another worker made a visit, or an earlier one did: it counts, and nothing is written.

        Records that were read since know of it already, and so does a model with a higher number.
        """
        visit = _past(entry)
        self.visits.add(entry.key, visit)
        if number > self.classes.of(visit.site, turn=False).upto:
            self._count(visit, turn=False)
        for past, more in self._credited(entry, visit):
            if number > self._known:
                self.learner.learn(unpacked(past.row), more)
            classes = self.classes.held(past.site)
            if more and classes is not None and number > classes.upto:
                self._credit(classes, past, more)

    def _count(self, visit: Past, *, turn: bool = True) -> SiteClasses:
        if visit.link_class in _NOT_LEARNED:
            # The score of revisits is that of their pages (`hubs`), whatever came of the others.
            return self.classes.of(visit.site, turn=turn)
        classes, number, _ = self.classes.place(visit.site, visit.link_class, lambda: unpacked(visit.row), turn=turn)
        classes.fetches[number] += 1
        classes.visits += 1
        classes.rows[number] = unpacked(visit.row)
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

    def _credited(self, entry: VisitEntry, visit: Past) -> Iterator[tuple[Past, float]]:
        """Return the visits that an entry says something of: if nothing was found, itself alone.

        A page visited again is no evidence about links: of no other page is it known that nothing new is there.
        """
        said = self.visits.reward(entry.key, entry.reward) if entry.reward > 0 else ((visit, 0.0),)
        return ((past, more) for past, more in said if past.link_class not in _NOT_LEARNED)

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
        visit = _past(entry)
        self.visits.add(entry.key, visit)
        for past, more in self._credited(entry, visit):
            if number > self._known:
                self.learner.learn(unpacked(past.row), more)

    def save(self, now: float, *, last: bool = False) -> None:
        """Write down what was learned since, for the next commit of the frontier; each minute the model as well."""
        for site, classes in self._stale.items():
            self._notes.set_note(RECORDS, site, classes.dump())
        self._stale.clear()
        self.journal.save()
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


def _past(entry: VisitEntry) -> Past:
    # Each lease has strings of its own, and of 200,000 visits most are of the same classes.
    return Past(entry.parent, intern(entry.site), intern(entry.link_class), packed(entry.row))

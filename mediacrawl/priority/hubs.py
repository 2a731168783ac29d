"""Hubs: pages that led to a nugget, and the front pages of their hosts. They are revisited; files never are."""

from __future__ import annotations

from dataclasses import dataclass
from heapq import nlargest
from random import Random

from mediacrawl.notes import Later, Notes
from mediacrawl.politeness.caching import LastUsed, conditional_headers, usable_validator
from mediacrawl.priority.hub import SOONEST, Hub, HubPage, Revisit, front_page
from mediacrawl.priority.hub_notes import SAVED, HubNotes
from mediacrawl.priority.link_class import link_class
from mediacrawl.priority.revisit_schedule import DAY, score
from mediacrawl.records import Kind

HELD = 50_000
"""Hubs that are remembered, some 760 bytes each in memory and 280 on disk."""
PASSED = 20_000
"""Visited pages that are remembered, 450 bytes each, since they may lead to a nugget later."""
LOOKED_AT = 1_000
"""Hubs that one call of `Hubs.due` examines, in some 0.9 ms, 1.8 if all rates are drawn."""
LOST = 30 * DAY
"""Seconds after which a hub that was queued and not visited may be queued again: its URL was pruned, or its site
rests."""
WORTH = 0.1
"""Least expected new nuggets of a revisit, even if nothing else waits: nine of ten may find none."""
LONGEST = 500
"""Characters of a URL that may be a hub."""
_COMING_BACK = frozenset({Kind.PAGE, Kind.LIST})


@dataclass(frozen=True, slots=True)
class _Passed:
    """A visited page that may become a hub."""

    page: HubPage
    visited: float
    etag: str
    modified: str


class Hubs:
    """Decides which pages are revisited, and when.

    A page is a hub if its fetch led to a nugget within two steps: one on the page, one that it links to, or one that a
    page links to which it links to. The front page of its host becomes one, too. The content of a page at its
    first visit gives no rate: only nuggets behind links that a *later* visit found new are news, at most one for each
    such link. So neither a long queue of old links nor an archive of 500 files makes a hub look lively.

    Of too many hubs in a bucket those of the least expected rate are removed.

    On disk: at most 1,024 notes in the namespace ``hubs``, one for each hash of a URL (msgpack: format, hubs). A kill
    loses the changes since the bucket's last `save`: an unknown visit is repeated, and the rewards of links in between
    are lost. A note that cannot be read counts as missing.

    With several workers a bucket is read and merged by the store's thread, without blocking: of each hub the newest
    visit counts, and rewards from other workers since are added. `save` reads every bucket in turn, within 1,024 / 16
    calls, some minutes. Hubs are only offered when their bucket has just been read, so that two workers hardly offer
    the same one; if they do, the frontier queues it once. A visit of a hub that this process has not read yet, in its
    first minutes, is not counted.

    Args:
        notes: stores the hubs.
        later: changes a note without blocking; needed if `Notes.shared`.
        most: hubs that are remembered, at least one in each bucket.
        passed: visited pages that are remembered, in memory only, to become hubs.
        soonest: least seconds between two visits of a hub.

    Raises:
        FrontierError: the notes cannot be used.
        ValueError: other processes write the notes, too, and `later` is missing.
    """

    def __init__(
        self,
        notes: Notes,
        *,
        later: Later | None = None,
        most: int = HELD,
        passed: int = PASSED,
        soonest: float = SOONEST,
    ) -> None:
        if notes.shared and later is None:
            raise ValueError("with notes that other processes write too, hubs need `later`, since nothing may block")
        self._soonest = soonest
        self._passed: LastUsed[_Passed] = LastUsed(passed, passed)
        self._waiting: dict[str, tuple[str, float]] = {}
        self._hubs = HubNotes(notes, later, most, self._on_read)

    def __len__(self) -> int:
        return len(self._hubs)

    def get(self, url: str) -> Hub | None:
        """A hub; None if this URL is none."""
        return self._hubs.get(url)

    # -- visits and rewards ----------------------------------------------------------------------------------

    def visited(
        self,
        page: HubPage,
        now: float,
        *,
        new: float = 0.0,
        fresh: int = 0,
        etag: str | None = None,
        modified: str | None = None,
    ) -> None:
        """Note the visit of a page or list; other kinds are ignored.

        Called after the page's links were added, since a conditional request does not return them again. A failed visit
        counts as one without news. A page that does not exist any more is `gone`.

        Args:
            page: which.
            now: when the visit ended, seconds since the epoch.
            new: rewards of the new nuggets that it showed itself.
            fresh: number of its new links; 0 if it was unchanged (304).
            etag: the header ETag, empty if there was none; None to keep the known one (304, or no response).
            modified: the header Last-Modified, likewise.
        """
        if page.kind not in _COMING_BACK:
            return
        etag, modified = (None if one is None else usable_validator(one) for one in (etag, modified))
        self._passed.put(page.url, _Passed(page, now, etag or "", modified or ""), 1)
        self._end_waiting(page.site, page.url)
        hub = self.get(page.url)
        if hub is None:
            if new > 0:
                self.met(page, now)
            return
        if hub.asked:
            hub.learn(hub.posterior.after((now - hub.last) / DAY, max(new, 0.0)))
            hub.left = float(fresh)
        # Otherwise all its links are new, and none of them is news.
        hub.last, hub.asked = now, True
        hub.etag = hub.etag if etag is None else etag
        hub.modified = hub.modified if modified is None else modified
        self._hubs.changed(hub)

    def earned(self, parent: str, reward: float = 1.0) -> None:
        """A new nugget was found at a link: the pages that led to it are rewarded, or become hubs.

        Args:
            parent: URL of the page with the link.
            reward: what the nugget is worth, 0 to 1.
        """
        passed = self._passed.get(parent)
        for url in dict.fromkeys((parent, passed.page.parent if passed is not None else "")):
            if self.get(url) is not None:
                self.rewarded(url, reward)
            elif (led := self._passed.get(url)) is not None:
                self.met(led.page, led.visited)

    def met(self, page: HubPage, visited: float) -> None:
        """The visit of a page led to a nugget within two steps: it is a hub, and so is its host's front page.

        Args:
            page: which; it may be known as a hub.
            visited: when it was visited, seconds since the epoch.
        """
        if page.kind not in _COMING_BACK:
            return
        front = front_page(page.url)
        self._add(page, visited, asked=True)
        if front != page.url:
            self._add(HubPage(front, page.site, Kind.PAGE, link_class(front)), visited)

    def rewarded(self, url: str, reward: float) -> None:
        """Reward a hub: a new nugget was found within two steps of its last visit.

        Args:
            url: of the hub; others are ignored.
            reward: what the nugget is worth, 0 to 1.
        """
        hub = self.get(url)
        credit = min(reward, hub.left) if hub is not None else 0.0
        if hub is None or not credit > 0:
            return
        hub.left -= credit
        hub.news += credit
        hub.learn(hub.posterior.with_nuggets(credit))
        self._hubs.changed(hub)

    def gone(self, url: str, now: float) -> None:
        """Remove a page that does not exist any more (404, 410), has moved, or must not be requested."""
        hub = self.get(url)
        if hub is not None:
            self._end_waiting(hub.site, url)
            self._hubs.forget(hub, now)

    def conditional(self, url: str) -> dict[str, str]:
        """The headers of a conditional request; none if the page is no hub, or had no validators."""
        hub = self.get(url)
        return {} if hub is None else conditional_headers(hub.etag, hub.modified)

    # -- revisits --------------------------------------------------------------------------------------------

    def due(self, now: float, number: int, rng: Random, least: float = WORTH) -> list[Revisit]:
        """Hubs to revisit, the best first, at most one of a site, and none of a site where one waits.

        A call examines a thousand hubs, and the next call the following ones.

        Args:
            now: seconds since the epoch.
            number: most hubs to return; with 0 none is examined.
            rng: source of the draws.
            least: least expected new nuggets of a hub: the score of the URL that would be requested in its place.
        """
        best: dict[str, tuple[float, Hub]] = {}
        self._hubs.listen()
        for hub in self._hubs.some(LOOKED_AT) if number > 0 else ():
            if self._is_waiting(hub.site, now):
                continue
            worth = hub.worth(now, rng, self._soonest)
            # Before its time its worth is 0, which is not returned even if `least` is 0.
            if worth > 0 and worth >= least and (hub.site not in best or worth > best[hub.site][0]):
                best[hub.site] = worth, hub
        chosen = nlargest(number, best.values(), key=lambda one: one[0])
        return [
            Revisit(hub.url, hub.site, hub.kind, hub.link_class, hub.depth, score(worth), hub.asked, hub.requested)
            for worth, hub in chosen
        ]

    def worth(self, url: str, now: float, rng: Random) -> float:
        """Expected new nuggets of a visit now; 0 if the URL is no hub."""
        hub = self.get(url)
        return 0.0 if hub is None else hub.worth(now, rng, self._soonest)

    def put_off(self, url: str, now: float) -> None:
        """Note that an offered hub cannot be revisited now: it counts as visited, others of its site may follow."""
        hub = self.get(url)
        if hub is not None:
            hub.last = now
            self._hubs.changed(hub)

    def queued(self, url: str, now: float) -> None:
        """Note that a hub waits in the frontier; until it is `visited` no other hub of its site is offered."""
        hub = self.get(url)
        if hub is not None:
            self._waiting[hub.site] = url, now

    def save(self, buckets: int = SAVED) -> None:
        """Write changed hubs, some notes at a time; with several workers, also read those of the others.

        Called every few seconds. With one process it writes into the frontier's own transaction.

        Args:
            buckets: most notes that are written or read.

        Raises:
            FrontierError: the notes cannot be used.
        """
        self._hubs.save(buckets)

    def save_all(self) -> None:
        """Write all changes, so that a clean stop loses nothing; with several workers they are sent when this returns.

        Raises:
            FrontierError: the notes cannot be used.
        """
        self._hubs.save_all()

    def _add(self, page: HubPage, visited: float, *, asked: bool = False) -> None:
        if len(page.url) > LONGEST or self.get(page.url) is not None:
            return
        hub = Hub.of(page, visited)
        hub.asked = asked
        passed = self._passed.get(page.url)
        if passed is not None:
            hub.last, hub.etag, hub.modified, hub.asked = passed.visited, passed.etag, passed.modified, True
        self._hubs.add(hub, visited)

    def _on_read(self, hub: Hub) -> None:
        """End the waiting of a hub that another worker has visited."""
        if hub.last > self._waiting.get(hub.site, ("", 0.0))[1]:
            self._end_waiting(hub.site, hub.url)

    def _is_waiting(self, site: str, now: float) -> bool:
        waits = self._waiting.get(site)
        if waits is None:
            return False
        if not 0 <= now - waits[1] < LOST:
            del self._waiting[site]
            return False
        return True

    def _end_waiting(self, site: str, url: str) -> None:
        if self._waiting.get(site, ("",))[0] == url:
            del self._waiting[site]

"""Hubs: pages that led to a nugget, and the front pages of their hosts. They come back; files never do."""

from __future__ import annotations

from dataclasses import dataclass
from heapq import nlargest
from random import Random

from mediacrawl.notes import Later, Notes
from mediacrawl.politeness.caching import LastUsed
from mediacrawl.politeness.robots_note import shortened
from mediacrawl.priority.hub import SOONEST, Hub, HubPage, Revisit, front_page
from mediacrawl.priority.hub_notes import SAVED, HubNotes
from mediacrawl.priority.link_class import link_class
from mediacrawl.priority.revisit_rate import DAY, score
from mediacrawl.records import Kind

HELD = 50_000
"""Hubs that are remembered, some 760 bytes each in memory and 280 on disk."""
PASSED = 20_000
"""Visited pages that are remembered, 450 bytes each, in case they turn out to have led to a nugget."""
LOOKED_AT = 1_000
"""Hubs that one call of `Hubs.due` looks at, in some 0.9 ms, 1.8 if all are drawn anew."""
LOST = 30 * DAY
"""Seconds after which a hub that joined and was never visited may join again: its URL was pruned, or its site rests."""
WORTH = 0.1
"""New nuggets that a revisit must be expected to bring, even if nothing else waits: nine of ten may be in vain."""
LONGEST = 500
"""Characters of a URL that may be a hub."""
_COMING_BACK = frozenset({Kind.PAGE, Kind.LIST})


@dataclass(frozen=True, slots=True)
class _Passed:
    """A visited page that may turn out to be a hub."""

    page: HubPage
    visited: float
    etag: str
    modified: str


class Hubs:
    """Which pages come back, and when.

    A page is a hub if its fetch led to a nugget within two steps: one that it shows itself, that it links to, or that a
    page links to which it links to. The front page of its host is one then too. What a page showed when it was met is
    no rate: only what comes of links that a *later* visit found new is news, and no more than one nugget for each such
    link. So a long queue of old links does not make a hub look lively, nor does an archive of 500 files.

    Of too many hubs those of the least expected rate are forgotten, in each bucket for itself.

    On disk: at most 1,024 notes in the room ``hubs``, one for each hash of a URL (msgpack: format, hubs). A kill loses
    what was told since the bucket's last `save`: a visit that is not known is made once more, and the credit of links
    that were on their way is never given. A note that cannot be read is as good as none.

    With several workers a bucket is read and merged by the store's thread, never waited for: of each hub the newest
    visit counts, and what other workers credited to it since is added. This process learns what the others know as
    `save` comes round to a bucket: after 1,024 / 16 calls, minutes. Hubs are only offered when their bucket has just
    been read, so that two workers hardly offer the same one; if they do, the frontier lets it wait once. A visit of a
    hub that this process has not read yet, in its first minutes, is not counted.

    Args:
        notes: where they outlive the process.
        later: how a note is made of the one before, if `Notes.shared`.
        most: hubs that are remembered, at least one in each bucket.
        passed: visited pages that are remembered, in memory only, to become hubs.
        soonest: seconds between two visits of a hub at least.

    Raises:
        FrontierError: what keeps the notes failed.
        ValueError: other processes write the notes too, and `later` is missing.
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
            raise ValueError("with notes that other processes write too, hubs need `later`: nothing may wait for them")
        self._soonest = soonest
        self._passed: LastUsed[_Passed] = LastUsed(passed, passed)
        self._waiting: dict[str, tuple[str, float]] = {}
        self._hubs = HubNotes(notes, later, most, self._was_read)

    def __len__(self) -> int:
        return len(self._hubs)

    def get(self, url: str) -> Hub | None:
        """What is known of a hub; None if it is none.

        Args:
            url: in canonical form.
        """
        return self._hubs.get(url)

    # -- what visits tell ------------------------------------------------------------------------------------

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
        """A page or list was visited, for the first time or again; what else is visited is passed over.

        It is told when the page's links have joined: asked under the new conditions it does not show them again.
        A visit that failed is told too, as one that brought nothing: its hub is asked as seldom as a hub that brings
        nothing. One that is not there any more is `gone`.

        Args:
            page: which.
            now: when the visit ended, seconds since the epoch.
            new: rewards of the new nuggets that it showed itself.
            fresh: its links that nobody knew; 0 if it had not changed (304).
            etag: the header ETag, empty if there was none; None if what is known holds (304, or nothing came).
            modified: the header Last-Modified, likewise.
        """
        if page.kind not in _COMING_BACK:
            return
        etag, modified = (None if one is None else shortened(one) for one in (etag, modified))
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
        # Else all that it shows is new, and none of that is news.
        hub.last, hub.asked = now, True
        hub.etag = hub.etag if etag is None else etag
        hub.modified = hub.modified if modified is None else modified
        self._hubs.changed(hub)

    def earned(self, parent: str, reward: float = 1.0) -> None:
        """A new nugget was found at a link: who led there is credited, or becomes a hub.

        Args:
            parent: URL of the page that the link stood on.
            reward: what the nugget is worth, 0 to 1.
        """
        passed = self._passed.get(parent)
        for url in dict.fromkeys((parent, passed.page.parent if passed is not None else "")):
            if self.get(url) is not None:
                self.credited(url, reward)
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
        self._meet(page, visited, asked=True)
        if front != page.url:
            self._meet(HubPage(front, page.site, Kind.PAGE, link_class(front)), visited)

    def credited(self, url: str, reward: float) -> None:
        """A new nugget was found within two steps of a hub's last visit.

        Args:
            url: of the hub; what is none is passed over.
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
        """A page is not there any more (404, 410, it leads elsewhere, it may not be asked): forget it.

        Args:
            url: of the page.
            now: seconds since the epoch.
        """
        hub = self.get(url)
        if hub is not None:
            self._end_waiting(hub.site, url)
            self._hubs.forget(hub, now)

    def conditional(self, url: str) -> dict[str, str]:
        """The headers under which a page need not be sent again; none if it is no hub, or gave nothing to ask with.

        Args:
            url: of the page.
        """
        hub = self.get(url)
        if hub is None:
            return {}
        pairs = (("If-None-Match", hub.etag), ("If-Modified-Since", hub.modified))
        return {name: value for name, value in pairs if value}

    # -- who comes back --------------------------------------------------------------------------------------

    def due(self, now: float, number: int, rng: Random, least: float = WORTH) -> list[Revisit]:
        """Hubs to be asked again, the best first, at most one of a site, and none of a site where one waits.

        It looks at a thousand hubs and goes on behind them at the next call. A better one that is not looked at now
        comes up in one of the next calls.

        Args:
            now: seconds since the epoch.
            number: how many at most; with 0 nothing is looked at.
            rng: source of the draws.
            least: new nuggets that a hub must be expected to bring: the score of what would be asked in its place.
        """
        best: dict[str, tuple[float, Hub]] = {}
        self._hubs.listen()
        for hub in self._hubs.some(LOOKED_AT) if number > 0 else ():
            if self._is_waiting(hub.site, now):
                continue
            worth = hub.worth(now, rng, self._soonest)
            # Before its time it is worth nothing, and stays even if nothing is too little.
            if worth > 0 and worth >= least and (hub.site not in best or worth > best[hub.site][0]):
                best[hub.site] = worth, hub
        chosen = nlargest(number, best.values(), key=lambda one: one[0])
        return [
            Revisit(hub.url, hub.site, hub.kind, hub.link_class, hub.depth, score(worth), hub.asked, hub.requested)
            for worth, hub in chosen
        ]

    def worth(self, url: str, now: float, rng: Random) -> float:
        """New nuggets that a visit of a hub is expected to find now; 0 if it is none.

        Args:
            url: of the hub.
            now: seconds since the epoch.
            rng: source of the draw.
        """
        hub = self.get(url)
        return 0.0 if hub is None else hub.worth(now, rng, self._soonest)

    def put_off(self, url: str, now: float) -> None:
        """A hub was offered and cannot come back now: it counts as visited, and others of its site may come.

        Args:
            url: of the hub.
            now: seconds since the epoch.
        """
        hub = self.get(url)
        if hub is not None:
            hub.last = now
            self._hubs.changed(hub)

    def joined(self, url: str, now: float) -> None:
        """A hub waits in the frontier, since now or before; until it was `visited` none of its site comes back.

        Args:
            url: of the hub.
            now: seconds since the epoch.
        """
        hub = self.get(url)
        if hub is not None:
            self._waiting[hub.site] = url, now

    def save(self, buckets: int = SAVED) -> None:
        """Write what changed, some notes at a time; with several workers, learn beside that what the others know.

        To be called every few seconds. With one process it writes into the frontier's own transaction.

        Args:
            buckets: notes that are written or read at most.

        Raises:
            FrontierError: what keeps the notes failed.
        """
        self._hubs.save(buckets)

    def save_all(self) -> None:
        """Write all that changed, for a clean stop loses nothing; with several workers it is sent when this returns.

        Raises:
            FrontierError: what keeps the notes failed.
        """
        self._hubs.save_all()

    def _meet(self, page: HubPage, visited: float, *, asked: bool = False) -> None:
        if len(page.url) > LONGEST or self.get(page.url) is not None:
            return
        hub = Hub.of(page, visited)
        hub.asked = asked
        passed = self._passed.get(page.url)
        if passed is not None:
            hub.last, hub.etag, hub.modified, hub.asked = passed.visited, passed.etag, passed.modified, True
        self._hubs.add(hub, visited)

    def _was_read(self, hub: Hub) -> None:
        """Another worker may have visited a hub that waits."""
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

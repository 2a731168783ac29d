"""What an operator asks of a frontier's file: read only, also while a crawl works on it.

A reader sees the crawl's last commit, at most a second old, and never keeps the crawl from writing.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from mediacrawl.base.sqlite_file import open_to_read
from mediacrawl.base.terms import Candidate, SiteInfo
from mediacrawl.frontier import site_state
from mediacrawl.frontier.contract import FrontierError, SpoiledError
from mediacrawl.frontier.seen import url_key
from mediacrawl.frontier.site_state import OTHER, PAUSED, RETIRED, coarse_class, unpack_samples, unpack_standing
from mediacrawl.frontier.sqlite.database import check_layout, explain
from mediacrawl.frontier.sqlite.tables import UrlRow, span
from mediacrawl.politeness.delay import Clocks

if TYPE_CHECKING:
    from typing import Self

_SITE = "SELECT id, place, due, release, delay, crawl_delay, samples, visits, earned, standing FROM site"
_CLASSES = (
    "SELECT name, score, (SELECT count(*) FROM url WHERE class = class.id)"
    " + (SELECT count(*) FROM inbox WHERE class = class.id) FROM class WHERE id BETWEEN ? AND ? ORDER BY score DESC, id"
)
_ROWS = (
    "SELECT class.name, class.score, waiting.seq, url, facts FROM"
    " (SELECT class, seq, url, facts FROM url WHERE class BETWEEN ?1 AND ?2"
    " UNION ALL SELECT class, seq, url, facts FROM inbox WHERE class BETWEEN ?1 AND ?2) AS waiting"
    " JOIN class ON class.id = waiting.class ORDER BY class.score DESC, class.id, waiting.seq"
)

_ROW = (
    "SELECT class, seq, facts FROM url WHERE class BETWEEN ?1 AND ?2 AND url = ?3"
    " UNION ALL SELECT class, seq, facts FROM inbox WHERE class BETWEEN ?1 AND ?2 AND url = ?3"
)


_OUT = "id IN (SELECT site FROM lease)"
_WHICH = {
    "all": "1",
    "ready": f"place = 1 AND due <= :now AND NOT {_OUT}",
    "leased": _OUT,
    "waiting": f"place = 1 AND due > :now AND NOT rests AND NOT {_OUT}",
    "resting": f"place = 1 AND due > :now AND rests AND NOT {_OUT}",
    "paused": f"place = {PAUSED}",
    "retired": f"place = {RETIRED}",
    "idle": f"place = 0 AND NOT {_OUT}",
    "without finds": "visits > 0 AND earned = 0",
}
_ORDERS = {"requests": "visits DESC", "finds": "earned DESC", "delay": "max(delay, crawl_delay) DESC", "name": "name"}
LISTED_STATES, LISTED_ORDERS = tuple(_WHICH), tuple(_ORDERS)
"""The states and orders of `FrontierReader.site_names`."""


def listed(sites: Iterable[SiteInfo], state: str, order: str) -> list[SiteInfo]:
    """Return the sites in a state, sorted as `FrontierReader.site_names` sorts them.

    Of a list of sites those without a visit are without finds, too.
    """

    def first(site: SiteInfo) -> tuple[float, str]:
        by = {"requests": site.visits, "finds": site.earned, "delay": max(site.delay, site.crawl_delay)}
        return -by.get(order, 0.0), site.name

    if state == "without finds":
        return sorted((site for site in sites if not site.earned), key=first)
    return sorted((site for site in sites if state in {"all", str(site.state)}), key=first)


@dataclass(frozen=True, slots=True)
class FrontierOverview:
    """The frontier in numbers.

    Attributes:
        seen, waiting, leased: URLs.
        sites: sites by state; ``ready`` and ``waiting`` as of the time asked for.
        ends: how URLs ended.
        first_due: when the first site that waits may be requested, seconds since the epoch; None if none waits.
        bytes: of the file and what SQLite keeps beside it, or of the server.
        medium: what they are of.
        again: how often a URL was added again after it had ended.
    """

    seen: int
    waiting: int
    leased: int
    sites: dict[str, int]
    ends: dict[str, int]
    first_due: float | None
    bytes: int
    medium: str = "disk"
    again: int = 0


@dataclass(frozen=True, slots=True)
class UrlStatus:
    """Where a URL is.

    Attributes:
        known: whether it was ever accepted.
        end: how it ended; empty if it did not.
        leased: whether it is out.
        link_class: name of the class in which it waits; empty if it does not.
        score: of that class.
        before: URLs that wait in that class before it.
        attempt: how often it was requested and failed.
        candidate: what is known of it, while it waits.
    """

    known: bool
    end: str = ""
    leased: bool = False
    link_class: str = ""
    score: float = 0.0
    before: int = 0
    attempt: int = 0
    candidate: Candidate | None = None


class FrontierReader:
    """A frontier's file, opened to be read.

    Raises:
        FrontierError: it is not there, or cannot be read.
    """

    def __init__(self, path: Path) -> None:
        if not path.exists():
            raise FrontierError(
                f"there is no frontier in {path.parent.resolve()}; name the folder with -s MEDIACRAWL_DIR="
            )
        self._path = path
        try:
            self._db = open_to_read(path)
            check_layout(self._db, path)
        except sqlite3.Error as error:
            raise FrontierError(explain(path, error)) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._db.close()
        if isinstance(error, sqlite3.Error | SpoiledError | ValueError):
            raise FrontierError(explain(self._path, error)) from error

    @property
    def now(self) -> float:
        """The clock that release times mean."""
        return time.time()

    def overview(self, now: float) -> FrontierOverview:
        """The numbers of the whole frontier."""
        one = self._one
        totals = dict(self._db.execute("SELECT name, value FROM total"))
        (leased,) = one("SELECT count(*) FROM lease")
        due, rest, later = one(
            "SELECT count(*) FILTER (WHERE due <= ?1), count(*) FILTER (WHERE due > ?1 AND rests),"
            " count(*) FILTER (WHERE due > ?1 AND NOT rests) FROM site"
            " WHERE place = 1 AND id NOT IN (SELECT site FROM lease)",
            now,
        )
        shelved = dict(self._db.execute("SELECT place, count(*) FROM site WHERE place > 1 GROUP BY place"))
        (first,) = one("SELECT min(due) FROM site WHERE place = 1 AND id NOT IN (SELECT site FROM lease)")
        (known,) = one("SELECT count(*) FROM site")
        sites = {
            "ready": due,
            "leased": leased,
            "waiting": later,
            "resting": rest,
            "paused": shelved.get(PAUSED, 0),
            "retired": shelved.get(RETIRED, 0),
        }
        sites["idle"] = known - sum(sites.values())
        return FrontierOverview(
            seen=totals.get("seen", 0),
            waiting=totals.get("waiting", 0) - leased,
            leased=leased,
            sites=sites,
            ends=dict(self._db.execute("SELECT name, urls FROM ending WHERE urls > 0 ORDER BY urls DESC")),
            first_due=first,
            bytes=sum(file.stat().st_size for file in self._path.parent.glob(f"{self._path.name}*")),
            again=totals.get("again", 0),
        )

    def note(self, namespace: str, key: str) -> bytes | None:
        """A note; None if there is none."""
        row = self._db.execute("SELECT record FROM note WHERE room = ? AND key = ?", (namespace, key)).fetchone()
        return row[0] if row else None

    def site(self, name: str, now: float) -> SiteInfo | None:
        """A site, or None if it was never met."""
        return site_info(self._db, name, now)

    def site_names(self, state: str, now: float, limit: int, order: str = "requests") -> list[str]:
        """Names of sites in a state, in an order."""
        sql = f"SELECT name FROM site WHERE {_WHICH[state]} ORDER BY {_ORDERS[order]}, name LIMIT :limit"
        return [name for (name,) in self._db.execute(sql, {"now": now, "limit": limit})]

    def rank(self, name: str) -> int:
        """How many sites go before this one once they are ready: of better rank, or of its rank and due earlier."""
        (number,) = self._one(
            "SELECT count(*) FROM site, (SELECT rank, due FROM site WHERE name = ?) AS own"
            " WHERE place = 1 AND (site.rank > own.rank OR (site.rank = own.rank AND site.due < own.due))",
            name,
        )
        return int(number)

    def where(self, url: str, site: str, link_class: str) -> UrlStatus:
        """Return where a URL is; `url` is canonical, `link_class` the name of the class that its shape asks for."""
        key = url_key(url)
        known = self._one(
            "SELECT EXISTS (SELECT 1 FROM seen WHERE key = ?1) OR EXISTS (SELECT 1 FROM inbox WHERE key = ?1)", key
        )
        if not known[0]:
            return UrlStatus(known=False)
        # It may wait in another class: the page tells it, too. To look there is to read all that waits on the site.
        for names in ((link_class, coarse_class(link_class), OTHER), ()):
            found = self._waits(url, site, names)
            if found is not None:
                return found
        # Of a URL that was revisited the last end counts.
        of_key = "SELECT name FROM ended JOIN ending USING (code) WHERE key = ? ORDER BY ended.rowid DESC"
        ended = self._db.execute(of_key, (key,)).fetchone()
        return UrlStatus(known=True, end=ended[0] if ended else "")

    def waiting(self, only: str | None = None, *, shelved: bool = True) -> Iterator[Candidate]:
        """Yield all that waits or is leased (on the site `only`), sorted by site, in each the best class first."""
        sites = self._db.cursor().execute(
            "SELECT id, name FROM site WHERE (?1 IS NULL OR name = ?1) AND (?2 OR place <= 1) ORDER BY name",
            (only, shelved),
        )
        for number, name in sites:
            for link_class, score, seq, url, facts in self._db.cursor().execute(_ROWS, span(number)):
                yield UrlRow(seq, url, facts).read(name, link_class, score)[0]

    def _waits(self, url: str, site: str, names: tuple[str, ...]) -> UrlStatus | None:
        """A URL that waits in one of these classes of its site; in any of them if none is named."""
        home = self._db.execute("SELECT id FROM site WHERE name = ?", (site,)).fetchone()
        if home is None:
            return None
        of_site = self._db.execute("SELECT id, name, score FROM class WHERE id BETWEEN ? AND ?", span(home[0]))
        classes = {number: (name, score) for number, name, score in of_site if not names or name in names}
        spans = [(number, number) for number in classes] if names else [span(home[0])]
        rows = (self._db.execute(_ROW, (*numbers, url)).fetchone() for numbers in spans)
        row = next((row for row in rows if row is not None), None)
        if row is None:
            return None
        number, seq, facts = row
        link_class, score = classes[number]
        (before,) = self._one(
            "SELECT (SELECT count(*) FROM url WHERE class = ?1 AND seq < ?2)"
            " + (SELECT count(*) FROM inbox WHERE class = ?1 AND seq < ?2)",
            number,
            seq,
        )
        (leased,) = self._one("SELECT EXISTS (SELECT 1 FROM lease WHERE seq = ?)", seq)
        candidate, attempt = UrlRow(seq, url, facts).read(site, link_class, score)
        return UrlStatus(
            known=True,
            leased=bool(leased),
            link_class=link_class,
            score=score,
            before=before,
            attempt=attempt,
            candidate=candidate,
        )

    def _one(self, question: str, *values: object) -> tuple[int, ...]:
        with closing(self._db.cursor()) as cursor:
            row: tuple[int, ...] = cursor.execute(question, values).fetchone()
        return row


def site_info(db: sqlite3.Connection, name: str, now: float) -> SiteInfo | None:
    """Return a site as its rows tell; None if it was never met."""
    row = db.execute(f"{_SITE} WHERE name = ?", (name,)).fetchone()
    if row is None:
        return None
    number, place, due, release, delay, crawl_delay, samples, visits, earned, standing = row
    classes = tuple(db.execute(_CLASSES, span(number)))
    (leased,) = db.execute("SELECT EXISTS (SELECT 1 FROM lease WHERE site = ?)", (number,)).fetchone()
    waiting = sum(rows for _, _, rows in classes) - leased
    clocks = Clocks(release, delay, crawl_delay, unpack_samples(samples), visits, unpack_standing(standing))
    return site_state.site_info(
        name,
        clocks,
        place,
        due,
        now,
        earned=earned,
        leased=bool(leased),
        waiting=waiting,
        classes=classes,
    )

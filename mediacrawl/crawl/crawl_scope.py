"""The borders of a crawl, kept beside its frontier: a crawl that continues must not go where it was not to go.

Beside them stands whether it asks known pages again, which it continues with as well.
"""

from __future__ import annotations

import json
from collections.abc import Container
from dataclasses import dataclass
from math import isnan
from pathlib import Path

from mediacrawl.scope.sites import site_of

_FILE = "borders.json"


@dataclass(frozen=True, slots=True)
class CrawlScope:
    """Where a crawl may go.

    On disk: ``borders.json`` in the state folder, written by renaming, so that a kill leaves the old or the new one. It
    may be deleted while no crawl runs; the next start then goes by its arguments alone. With a frontier in Redis they
    are there too, as the note ``borders``, for all workers.

    Attributes:
        same_site: keep to `sites`.
        sites: sites of all seeds so far.
        include: path of the whitelist; empty if there is none.
        revisit: share of the requests, 0 to 1, that may ask known pages again; 0 if none does.
    """

    same_site: bool = False
    sites: frozenset[str] = frozenset()
    include: str = ""
    revisit: float = 0.0

    @classmethod
    def load(cls, folder: Path) -> CrawlScope | None:
        """The borders of the crawl in this folder; None if there is none, or the file cannot be read."""
        try:
            return cls.read((folder / _FILE).read_bytes())
        except OSError:
            return None

    @classmethod
    def read(cls, record: bytes | None) -> CrawlScope | None:
        """What `dump` wrote; None if there is nothing, or it cannot be read."""
        try:
            kept = json.loads(record or b"")
            # An earlier version had no revisits.
            told = float(kept.get("revisit", 0.0))
            revisit = 0.0 if isnan(told) else min(max(told, 0.0), 1.0)
            # An earlier version had a site for each IPv6 address.
            sites = frozenset(site_of(str(site)) for site in kept["sites"])
            return cls(bool(kept["same_site"]), sites, str(kept["include"]), revisit)
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
            return None

    def dump(self) -> bytes:
        """As they are kept. Only a crawl with borders needs its sites remembered."""
        sites = sorted(self.sites) if self.same_site else []
        kept = {"same_site": self.same_site, "sites": sites, "include": self.include, "revisit": self.revisit}
        return json.dumps(kept).encode()

    def after(self, record: bytes | None, said: Container[str] = ()) -> CrawlScope:
        """The borders of a crawl that several workers share, when one more joins with these.

        What its user said counts from then on, for those that are added later without a word too; what he did not say
        stays as the crawl has it. The sites of its seeds are added.

        Args:
            record: the borders so far, as `dump` wrote them.
            said: names of the arguments that the worker was given.
        """
        before = self.read(record)
        if before is None:
            return self
        return CrawlScope(
            same_site=self.same_site if "scope" in said else before.same_site,
            sites=self.sites | before.sites,
            include=self.include if "include" in said else before.include,
            revisit=self.revisit if "revisit" in said else before.revisit,
        )

    def kept(self, before: CrawlScope, said: Container[str]) -> list[str]:
        """One sentence for each border that a crawl which continues keeps without a word of its user.

        Args:
            before: the borders that it had.
            said: names of the arguments that the user gave now.
        """
        told = []
        if self.same_site and before.same_site and "scope" not in said:
            told.append("scope=site, as this crawl began; -a scope=web lets URLs of the whole web join")
        if self.include and self.include == before.include and "include" not in said:
            told.append(
                f"include={self.include}, as this crawl began; -a include=FILE names another whitelist, and -a fresh=1"
                " starts over without one"
            )
        if self.revisit and self.revisit == before.revisit and "revisit" not in said:
            told.append(f"revisit={self.revisit:g}, as this crawl began; -a revisit=no ends it")
        return told

    def changes(self, before: CrawlScope) -> list[str]:
        """One sentence for each border of a crawl which continues that is not what it was.

        Args:
            before: the borders that it had.
        """
        told = []
        rest = "counts for what is found from now on; what waits already is asked as well, unless -a fresh=1 is given"
        if self.same_site != before.same_site:
            now, was = ("site", "web") if self.same_site else ("web", "site")
            told.append(f"scope={now}, in place of scope={was} as this crawl began, {rest}")
        if self.include != before.include:
            was = f"include={before.include}" if before.include else "no whitelist"
            told.append(f"include={self.include}, in place of {was} as this crawl began, {rest}")
        if self.revisit != before.revisit:
            told.append(f"revisit={self.revisit:g}, in place of revisit={before.revisit:g} as this crawl began")
        return told

    def save(self, folder: Path) -> None:
        """Keep them."""
        folder.mkdir(parents=True, exist_ok=True)
        fresh = folder / f"{_FILE}.new"
        fresh.write_bytes(self.dump())
        fresh.replace(folder / _FILE)

    @staticmethod
    def forget(folder: Path) -> None:
        """Delete the file."""
        (folder / _FILE).unlink(missing_ok=True)

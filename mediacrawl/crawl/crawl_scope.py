"""The borders of a crawl, stored with its frontier: a resumed crawl keeps the scope that it began with."""

from __future__ import annotations

import json
from collections.abc import Container
from dataclasses import dataclass
from math import isnan
from pathlib import Path

from mediacrawl.base.files import replacing
from mediacrawl.scope.urls import site_of

_FILE = "borders.json"


@dataclass(frozen=True, slots=True)
class CrawlScope:
    """The scope that a crawl began with, and its share of revisits.

    On disk: ``borders.json`` in the state folder, written by renaming, so that a kill leaves the old or the new one. It
    may be deleted while no crawl runs; the next start then uses its arguments alone. With a frontier in Redis all
    workers share them in the note ``borders``.

    Attributes:
        same_site: request only URLs on `sites`.
        sites: sites of all seeds so far.
        include: path of the whitelist; empty if there is none.
        revisit: share of the requests, 0 to 1, that may be revisits.
    """

    same_site: bool = False
    sites: frozenset[str] = frozenset()
    include: str = ""
    revisit: float = 0.0

    @classmethod
    def load(cls, folder: Path) -> CrawlScope | None:
        """Return the borders of the crawl in this folder; None if there is none, or the file cannot be read."""
        try:
            return cls.read((folder / _FILE).read_bytes())
        except OSError:
            return None

    @classmethod
    def read(cls, record: bytes | None) -> CrawlScope | None:
        """Return the borders that `dump` wrote; None for anything else."""
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
        """Return the stored form. The sites are stored only if the crawl keeps to them."""
        sites = sorted(self.sites) if self.same_site else []
        kept = {"same_site": self.same_site, "sites": sites, "include": self.include, "revisit": self.revisit}
        return json.dumps(kept).encode()

    def after(self, record: bytes | None, said: Container[str] = ()) -> CrawlScope:
        """Return the shared borders of several workers, after one more has started with these.

        The arguments that its user gave apply from then on, also to later workers; the others stay as they were. The
        sites of its seeds are added.

        Args:
            record: the borders so far, as `dump` wrote them.
            said: names of the arguments that the worker was started with.
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
        """One sentence for each border that a resumed crawl keeps because its user did not give the argument.

        Args:
            before: the earlier borders.
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
        """One sentence for each border of a resumed crawl that has changed."""
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
        kept = self.dump()
        with replacing(folder / _FILE) as file:
            file.write(kept)

    @staticmethod
    def forget(folder: Path) -> None:
        """Delete the file."""
        (folder / _FILE).unlink(missing_ok=True)

"""The borders of a crawl, kept beside its frontier: a crawl that goes on must not go where it was not to go."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

_FILE = "borders.json"


@dataclass(frozen=True, slots=True)
class Borders:
    """Where a crawl may go.

    On disk: ``borders.json`` in the state folder, written by renaming, so that a kill leaves the old or the new one. It
    may be deleted while no crawl runs; the next start then goes by its arguments alone.

    Attributes:
        same_site: keep to `sites`.
        sites: sites of all seeds so far.
        include: path of the whitelist; empty if there is none.
    """

    same_site: bool = False
    sites: frozenset[str] = frozenset()
    include: str = ""

    @classmethod
    def load(cls, folder: Path) -> Borders | None:
        """The borders of the crawl in this folder; None if there is none, or the file cannot be read."""
        try:
            kept = json.loads((folder / _FILE).read_text(encoding="utf-8"))
            return cls(bool(kept["same_site"]), frozenset(map(str, kept["sites"])), str(kept["include"]))
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def save(self, folder: Path) -> None:
        """Keep them. Only a crawl with borders needs its sites remembered."""
        sites = sorted(self.sites) if self.same_site else []
        text = json.dumps({"same_site": self.same_site, "sites": sites, "include": self.include})
        folder.mkdir(parents=True, exist_ok=True)
        fresh = folder / f"{_FILE}.new"
        fresh.write_text(text, encoding="utf-8")
        fresh.replace(folder / _FILE)

    @staticmethod
    def forget(folder: Path) -> None:
        """Delete the file."""
        (folder / _FILE).unlink(missing_ok=True)

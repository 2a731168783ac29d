"""The site adapters of a crawl."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from mediacrawl.site_adapters.form import SiteAdapter
from mediacrawl.site_adapters.loading import AdapterError, load
from mediacrawl.site_adapters.patterns import split
from mediacrawl.site_adapters.schema import Problem

MOST = 10_000
"""Files of a folder."""
_TWICE = "is {}, as that of another adapter in this folder"


class SiteAdapters:
    """Finds the adapters of a page."""

    def __init__(self, adapters: Iterable[SiteAdapter] = ()) -> None:
        self._named = {each.name: each for each in sorted(adapters, key=lambda each: each.name)}
        self._of_host: dict[str, list[SiteAdapter]] = {}
        for each in self._named.values():
            self._of_host.setdefault(each.pages.host.removeprefix("*."), []).append(each)

    @classmethod
    def load(cls, folder: str | Path) -> SiteAdapters:
        """Read all files ``*.json`` of a folder, or one file.

        Raises:
            AdapterError: a file has faults, two adapters have one name, or the folder cannot be read.
        """
        folder = Path(folder)
        if folder.is_file():
            return cls([load(folder)])
        try:
            paths = sorted(folder.glob("*.json")) if folder.is_dir() else None
        except OSError:
            paths = None
        if paths is None or len(paths) > MOST:
            what = "is no folder that can be read" if paths is None else f"has more than {MOST} files"
            raise AdapterError(str(folder), [Problem(1, "it", what)])
        found, faults = dict[str, SiteAdapter](), list[AdapterError]()
        for path in paths:
            try:
                adapter = load(path)
            except AdapterError as error:
                faults.append(error)
                continue
            if adapter.name in found:
                faults.append(AdapterError(str(path), [Problem(1, "name", _TWICE.format(adapter.name))]))
            found[adapter.name] = adapter
        if faults:
            raise AdapterError.of(faults)
        return cls(found.values())

    def match(self, url: str) -> tuple[SiteAdapter, dict[str, str]] | None:
        """Return the first adapter of a page, and the slots of its URL; None if there is none."""
        return next(self.matches(url), None)

    def matches(self, url: str) -> Iterator[tuple[SiteAdapter, dict[str, str]]]:
        """All adapters of a page, with the slots of its URL: those of its host before those of a domain, by name."""
        parts = split(url) if self._of_host else None
        host = parts.netloc.lower() if parts is not None else ""
        while parts is not None and host:
            for adapter in self._of_host.get(host, ()):
                slots = adapter.pages.match(parts)
                if slots is not None:
                    yield adapter, slots
            host = host.partition(".")[2]

    def named(self, name: str) -> SiteAdapter | None:
        """Return the adapter of a name, or None."""
        return self._named.get(name)

    def __len__(self) -> int:
        return len(self._named)

    def __iter__(self) -> Iterator[SiteAdapter]:
        return iter(self._named.values())

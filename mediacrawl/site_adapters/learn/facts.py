"""Facts about a medium in the objects around it: title, duration, date and the like, by the names of their fields."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from mediacrawl.extract.texts import absolute, moment, seconds
from mediacrawl.site_adapters.learn.lists import Marks
from mediacrawl.site_adapters.learn.trees import EVERY, Path, Tree, is_at, json_path
from mediacrawl.site_adapters.learn.words import WORDS

_FIELDS = {name: WORDS[name] for name in ("title", "duration", "date", "thumbnail", "description", "artist", "album")}
"""Fields of a record, and the names under which answers have them, the best first."""
_INNER = ("", *WORDS["inner"])
_IN_PICTURE = ("url", "src", "href", "")
"""Names of the value in an object or list that a field has."""
_LONGEST_SECONDS = 36_000
"""A larger number, ten hours, on all pages is in milliseconds."""
_LONGEST_TEXT = 2_000
_MOST_NEAR = 5_000
"""Values around a medium that are looked at."""
_plain = re.compile(r"[^a-z0-9]").sub
_number = re.compile(r"[0-9]{1,15}(?:\.[0-9]{1,20})?").fullmatch
_is_picture = re.compile(
    r"\.(?:jpe?g|png|webp|avif|gif)(?:\?|$)|/(?:image|img|thumb|poster|cover)", re.IGNORECASE
).search

_iso_date = re.compile(r"(?:19|20)[0-9]{2}-[01][0-9]-[0-3][0-9](?:[T ][0-9:.]{5,15}(?:Z|[+-][0-9:]{4,6})?)?").fullmatch


class FactFinder:
    """Looks for facts around a medium."""

    def __init__(self, trees: Sequence[Tree], urls: Sequence[str], marks: Sequence[Marks]) -> None:
        self._trees = trees
        self._urls = urls
        self._marks = marks
        self._near: list[Path] = []

    def find(self, media: Path, each: Path | None) -> dict[str, dict[str, Any]]:
        """Return the place of each field of a record, as in a site adapter."""
        found: dict[str, dict[str, Any]] = {}
        around = _objects(media, each)
        self._near = list(islice((path for path in self._trees[0].leaves if _is_near(path, media)), _MOST_NEAR))
        for name in _FIELDS:
            paths = [path for own in around for path in self._in_object(name, own)]
            if name == "title":
                # The page's title, wherever it stands, before all others that are called a title.
                named = [path for path in self._near if around and is_at(path[: len(around[-1])], around[-1])]
                paths = [path for path in (*paths, *named) if self._is_page_title(path)] + paths
            if name == "date":
                # The only date, whatever it is called.
                dates = [path for path in self._near if all(map(_iso_date, self._texts(path)))]
                paths += dates if len(dates) == 1 else []
            for path in paths:
                texts = self._texts(path)
                if all(texts) and self._fits(name, path, texts):
                    found[name] = {"json": json_path(path[len(each or ()) :]), **_unit(name, path, texts)}
                    if name == "title" and path[:-1] not in around:
                        # Other facts stand beside the title.
                        around = [*around[:-1], path[:-1], *around[-1:]]
                    break
        return found

    def _is_page_title(self, path: Path) -> bool:
        pairs = zip(self._texts(path), self._marks, strict=True)
        return EVERY not in path and all(mark.name_title(path, text) for text, mark in pairs)

    def _in_object(self, name: str, around: Path) -> Iterator[Path]:
        """Paths of a field in an object, or in one that it has for such facts."""
        ranked: list[tuple[int, int, int, Path]] = []
        for number, path in enumerate(self._near):
            rest = _rest(path, around)
            if rest is None:
                continue
            place = _rank(name, [step for step in rest if isinstance(step, str)], rest, around)
            if place is not None:
                generalised = (*around, *path[len(around) :])
                ranked.append((*place, number, generalised))
        yield from (path for *_, path in sorted(ranked, key=lambda one: one[:3]))

    def _texts(self, path: Path) -> list[str]:
        """The value on each page, of records that of the first one; empty where there is none."""
        if EVERY not in path:
            return [tree.leaves.get(path, "") for tree in self._trees]
        found = []
        for tree in self._trees:
            values = (text for own, text in tree.leaves.items() if is_at(own, path))
            found.append(next(values, ""))
        return found

    def _fits(self, name: str, path: Path, texts: Sequence[str]) -> bool:
        if name == "title":
            return len(set(texts)) > 1 and all(len(text) <= _LONGEST_TEXT and "://" not in text for text in texts)
        if name in ("artist", "album"):
            return all("://" not in text and not _number(text) for text in texts)
        if name == "thumbnail":
            return all(
                _is_picture(text) and absolute(url, text) != "" for text, url in zip(texts, self._urls, strict=True)
            )
        if name == "duration":
            return all(_number(text) or (seconds(text) and ":" in text) or text.startswith("P") for text in texts)
        if name == "date":
            return all(_is_date(text) for text in texts)
        return all(len(text) > 3 for text in texts) and path != ()


def _objects(media: Path, each: Path | None) -> list[Path]:
    """The objects around a medium, the nearest first, up to the record."""
    least = len(each) if each is not None else 0
    found = []
    for length in range(len(media) - 1, least - 1, -1):
        path = media[:length]
        if EVERY not in (path if each is None else path[least:]):
            found.append(path)
    return found


def _is_near(path: Path, media: Path) -> bool:
    """Whether a value may be about a medium: of other lists, and of records, the first item is looked at."""
    for place, step in enumerate(path):
        if isinstance(step, int) and step > 0 and media[place : place + 1] != (step,):
            return False
    return True


def _rest(path: Path, around: Path) -> Path | None:
    """What follows the path of an object; None if a value is not in it, or deep in it."""
    if not len(around) < len(path) <= len(around) + 6 or not is_at(path[: len(around)], around):
        return None
    return path[len(around) :]


def _rank(name: str, names: list[str], rest: Path, around: Path) -> tuple[int, int] | None:
    """How well a value fits a field by its name: where the name stands in the list, and how deep the value is."""
    plain = [_plain("", step.lower().lstrip("@")) for step in names]
    inside = 0
    if len(plain) > 1 and plain[0] in WORDS["around"] and (plain[0] not in _FIELDS[name] or plain[1] in _FIELDS[name]):
        plain, inside = plain[1:], 1
    if not plain or plain[0] not in _FIELDS[name] or len(plain) > 3:
        return None
    if any(step not in _INNER for step in plain[2:]) or (
        len(plain) > 1 and plain[-1] not in (_IN_PICTURE if name == "thumbnail" else _INNER)
    ):
        return None
    if any(isinstance(step, int) and step > 0 for step in rest):
        return None
    if name == "duration" and plain[0] == "length" and "enclosure" in (*around, *rest):
        # RSS 2.0 and those who follow it have the bytes of the file there.
        return None
    return _FIELDS[name].index(plain[0]), inside + len(plain)


def _is_date(text: str) -> bool:
    if text.isdecimal():
        return len(text) in (10, 13)
    return len(text) > 5 and moment(text) != ""


def _unit(name: str, path: Path, texts: Sequence[str]) -> dict[str, str]:
    """The unit of a duration or a date that is a number, where it is not seconds."""
    last = _plain("", str(next(step for step in reversed(path) if isinstance(step, str))).lower())
    if name == "date":
        return {"unit": "ms"} if all(text.isdecimal() and len(text) == 13 for text in texts) else {}
    if name != "duration" or not all(_number(text) for text in texts):
        return {}
    if last.endswith(("ms", "millis", "milliseconds")):
        return {"unit": "ms"}
    if last.endswith(("min", "mins", "minutes", "minutos", "minuten")):
        return {"unit": "min"}
    is_long = not last.endswith(("sec", "secs", "seconds", "segundos", "sekunden", "sekunder", "secondes")) and all(
        float(text) >= _LONGEST_SECONDS for text in texts
    )
    return {"unit": "ms"} if is_long else {}

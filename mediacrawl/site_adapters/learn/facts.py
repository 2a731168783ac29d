"""Facts about a medium in the objects around it: title, duration, date and the like, by the names of their fields."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from mediacrawl.base.times import moment, seconds
from mediacrawl.base.urls import absolute
from mediacrawl.site_adapters.learn.lists import Marks
from mediacrawl.site_adapters.learn.trees import EVERY, Path, Tree, is_at, json_path
from mediacrawl.site_adapters.learn.words import WORDS

_FIELDS = {name: WORDS[name] for name in ("title", "duration", "date", "thumbnail", "description", "artist", "album")}
"""Fields of a record, and the names under which answers have them, the best first."""
_INNER = ("", *WORDS["inner"])
_AROUND = frozenset(WORDS["around"])
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
    """Looks for facts around a medium, in one record if the answer has several."""

    def __init__(
        self, trees: Sequence[Tree], urls: Sequence[str], marks: Sequence[Marks], media: Path, each: Path | None
    ) -> None:
        self._trees = trees
        self._urls = urls
        self._marks = marks
        self._least = len(each or ())
        # Of other lists, and of records, the first item is looked at.
        near = (path for path in trees[0].leaves if not any(_is_later(path, media, n) for n in range(len(path))))
        self._near = list(islice(near, _MOST_NEAR))
        # The facts of the items of a list are those of its qualities.
        items = next((n for n in range(self._least, len(media)) if media[n] == EVERY), len(media) - 1)
        self._anchors = [media[: min(items, len(media) - 1)]]

    def find(self) -> dict[str, dict[str, Any]]:
        """Return the place of each field of a record, as in a site adapter."""
        found: dict[str, dict[str, Any]] = {}
        for name in _FIELDS:
            paths = [path for anchor in self._anchors for path in self._named(name, anchor)]
            if name == "title":
                # The page's title, wherever it stands, before all others that are called a title.
                paths = [path for path in (*paths, *self._near) if self._is_page_title(path)] + paths
            if name == "date":
                # The only date, whatever it is called.
                dates = [path for path in self._near if all(map(_iso_date, self._texts(path)))]
                paths += dates if len(dates) == 1 else []
            for path in paths:
                texts = self._texts(path)
                if all(texts) and self._fits(name, path, texts):
                    found[name] = {"json": json_path(path[self._least :]), **_unit(name, path, texts)}
                    # Other facts may stand beside the title.
                    self._anchors += [path[:-1]] if name == "title" else []
                    break
        return found

    def _is_page_title(self, path: Path) -> bool:
        pairs = zip(self._texts(path), self._marks, strict=True)
        return EVERY not in path and not self._least and all(mark.name_title(path, text) for text, mark in pairs)

    def _named(self, name: str, anchor: Path) -> Iterator[Path]:
        """Values with the names of a field, in an object around another value: the nearest and best name first."""
        ranked: list[tuple[int, int, int, Path]] = []
        inner = _IN_PICTURE if name == "thumbnail" else _INNER
        for path in self._near:
            shared = next(
                (n for n, (one, two) in enumerate(zip(path, anchor, strict=False)) if two not in (one, EVERY)),
                len(anchor),
            )
            words = [_plain("", step.lower()) for step in path[shared:] if isinstance(step, str)]
            if len(words) > 1 and words[-1] in inner and words[-2] in _FIELDS[name]:
                words.pop()
            is_near = shared >= self._least and 0 < len(words) < 3 and set(words[:-1]) <= _AROUND
            # RSS 2.0 and those who follow it have the bytes of the file in the length of the enclosure.
            if is_near and words[-1] in _FIELDS[name] and not ("enclosure" in path and words[-1] == "length"):
                place = _FIELDS[name].index(words[-1])
                ranked.append((-shared, place, len(words), (*anchor[:shared], *path[shared:])))
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


def _is_later(path: Path, media: Path, place: int) -> bool:
    """Whether a value stands behind the first item of a list, in which the medium is not."""
    step = path[place]
    return isinstance(step, int) and step > 0 and media[place : place + 1] != (step,)


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

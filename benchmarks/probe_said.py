"""What another program says of a media file, by the fields of `probe_truth`, with the benefit of the doubt.

A text counts under whatever name the program gives it, also as one of several that it joined, or with its wrong bytes
read as Latin-1. Where a program names a thing in words of its own, such as a codec, that counts. Of pictures only
number, media type and length are compared, and what it does not say is right.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from probe_truth import Credit, Field, Level, Mark, Picture, Stream, Text, is_chapter, is_level, is_near, same


class _OwnWords:
    """Equal to whatever is true: the program says it, in words of its own."""

    def __eq__(self, _: object) -> bool:
        return True

    __hash__ = object.__hash__


OWN_WORDS = _OwnWords()
"""A fact that a program states in its own words."""
_OWN_NAMES = {
    "media_kind": ("stik", "pcst", "media_type", "podcast"),
    "explicit": ("rtng", "rating", "itunesadvisory"),
    "episode": ("tves", "episode_sort"),
    "season": ("tvsn", "season_number"),
}
"""By names of the record's facts those that programs give them, whose values are numbers of iTunes."""
SHORT = {
    "deu": "de", "ger": "de", "eng": "en", "ces": "cs", "cze": "cs", "fra": "fr", "fre": "fr", "jpn": "ja",
    "por": "pt", "zho": "zh", "chi": "zh", "spa": "es", "und": "", "XXX": "",
}  # fmt: skip
"""Codes of languages as containers write them, and as BCP 47 does."""
_SEVERAL = re.compile(r"\s*[;/,\0]\s*")
LONGEST_LIST = 2000
"""Characters of a text that may be several joined ones."""


@dataclass
class Said:
    """What a program says of a file.

    Attributes:
        texts: all of them, also the parts of joined ones.
        names: of its fields, in lower case.
        seconds: how long it plays.
        chapters: beginning and title.
        tracks: as in `probe_truth`.
        levels: loudness by the names of a record.
        pictures: media type and length, each None if it does not say that.
        facts: what else it says, by the names of a record.
    """

    texts: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    seconds: float | None = None
    chapters: Sequence[tuple[float, str | None]] = ()
    tracks: Sequence[Stream] = ()
    levels: dict[str, float] = field(default_factory=dict)
    pictures: Sequence[tuple[str | None, int | None]] = ()
    facts: dict[str, Any] = field(default_factory=dict)

    def has(self, each: Field) -> bool:
        """Whether the program says a field."""
        judge: Callable[[Any], bool] = getattr(self, f"_{each.what.replace(' ', '_')}")
        return judge(each.truth)

    def _text(self, truth: Text) -> bool:
        forms = {truth.text, truth.text.strip()}
        if truth.raw is not None:
            forms |= {truth.raw.decode("latin-1"), truth.raw.decode("utf-8", "surrogateescape")}
        return bool(forms & self.texts)

    def _person(self, truth: Credit) -> bool:
        return any(truth.name in text for text in self.texts)

    def _duration(self, truth: float) -> bool:
        return is_near(self.seconds, truth)

    def _chapter(self, truth: Mark) -> bool:
        return any(is_chapter(*each, truth) for each in self.chapters)

    def _matching(self, truth: Stream) -> list[Stream]:
        return [each for each in self.tracks if _spoken(each) == _spoken(truth)]

    def _track(self, truth: tuple[Stream, int]) -> bool:
        return len(self._matching(truth[0])) > truth[1]

    def _track_fact(self, truth: tuple[Stream, str, object]) -> bool:
        return any(same(each.more.get(truth[1]), truth[2]) for each in self._matching(truth[0]))

    def _identifier(self, truth: tuple[str, str]) -> bool:
        # Of "owner identifier" they may say the second alone.
        plain = _plain(truth[1].rpartition(" ")[2] if truth[0] == "ufid" else truth[1])
        return any(plain == _plain(text) for text in self.texts)

    def _level(self, truth: Level) -> bool:
        return is_level(self.levels.get(truth.name), truth) or (bool(truth.written) and truth.written in self.texts)

    def _mime(self, _: str) -> bool:
        return True

    def _fact(self, truth: tuple[str, object]) -> bool:
        name, value = truth
        if name in {"cover_mime", "cover_size"}:
            return any(picture[name == "cover_size"] in {None, value} for picture in self.pictures)
        if same(self.facts.get(name), value):
            return True
        is_named = any(own in self.names for own in _OWN_NAMES.get(name, ()))
        return is_named or (isinstance(value, str) and value in self.texts)

    def _pictures(self, truth: int) -> bool:
        return len(self.pictures) == truth

    def _picture(self, truth: Picture) -> bool:
        return any(
            (mime is None or truth.mime in {"", mime}) and size in {None, truth.size} for mime, size in self.pictures
        )


def _spoken(stream: Stream) -> tuple[str, str, str]:
    """Kind, codec and language, without its script or country."""
    return stream.kind, stream.codec, stream.language.partition("-")[0]


def _plain(text: str) -> str:
    return text.replace("-", "").casefold()


def all_texts(found: Iterable[str]) -> frozenset[str]:
    """Texts, the parts of joined ones, and the short codes of languages."""
    whole = {text.strip("\0") for text in found}
    parts = {part for text in whole if len(text) <= LONGEST_LIST for part in _SEVERAL.split(text)}
    return frozenset(whole | parts | {SHORT[part] for part in parts if part in SHORT})


def vorbis_chapters(texts: dict[str, str]) -> list[tuple[float, str | None]]:
    """The chapters in comments CHAPTER001=00:01:02.000 and CHAPTER001NAME, for programs that give them as texts."""
    found = []
    for name, text in texts.items():
        match = re.fullmatch(r"(\d+):(\d+):([\d.]+)", text)
        if match and re.fullmatch(r"chapter\d+", name.lower()):
            start = int(match[1]) * 3600 + int(match[2]) * 60 + float(match[3])
            found.append((start, texts.get(f"{name}name") or texts.get(f"{name}NAME")))
    return found

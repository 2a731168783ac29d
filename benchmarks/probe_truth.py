"""What is true of a made file, field by field, and whether our record says it.

A field is a text, a person, the duration, a chapter, a track, an identifier, a loudness value, or another fact. What is
true is what was put into the file, never what a reader makes of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from mediacrawl.base.evidence import raw_bytes
from mediacrawl.base.facts import EXTERNAL_SOURCES
from mediacrawl.record import MediaItem

KINDS = ("tags", "duration", "chapters", "tracks", "identifiers", "loudness", "facts")
"""Kinds of fields; people are among the tags."""
PROMISED = KINDS[:5]
"""Kinds of which a share is promised together."""

NEAR = 0.01
"""Of its length a duration may be wrong by this much, a frame rate by this much of itself."""
_NEAR_START = 0.01
"""Seconds; containers count chapters in milliseconds."""
_NEAR_GAIN, _NEAR_PEAK = 0.01, 0.0005
"""Decibels, and parts of full scale: half of what Opus's header and iTunes' numbers can tell apart."""


@dataclass(frozen=True)
class Text:
    """One text of a file.

    Attributes:
        key: its common name; empty if none of them fits it.
        text: what it means.
        raw: its bytes in the file, where the container declares them wrongly.
    """

    key: str
    text: str
    raw: bytes | None = None


class Credit(NamedTuple):
    """Somebody who took part: the role by Picard's names, the name, and what a performer plays."""

    role: str
    name: str
    instrument: str = ""


Mark = tuple[float, str] | tuple[float, str, str]
"""A chapter of the truth, see `Sample`."""


class Stream(NamedTuple):
    """A track of a file.

    Attributes:
        kind: ``audio``, ``video`` or ``subtitle``.
        codec: by ffmpeg's name.
        language: as BCP 47 writes it; empty if the file states none.
        more: further fields of `mediacrawl.base.parts.Track`; each counts as a fact.
    """

    kind: str
    codec: str
    language: str = ""
    more: Mapping[str, object] = {}


class Level(NamedTuple):
    """One loudness value: its name in the record, its value, and how it is written; empty in a binary header."""

    name: str
    value: float
    written: str = ""


class Picture(NamedTuple):
    """A picture in a file: its media type, its length in bytes, and what it shows.

    What is empty the file does not say, and nothing is compared with it.
    """

    mime: str
    size: int
    type: str = ""


@dataclass(frozen=True)
class Sample:
    """One file, and the truth about it.

    Attributes:
        name: of the file.
        group: of its format, in the table.
        make: gives its bytes.
        seconds: how long it plays; None if that cannot be known from the bytes of a budget, or without playing it.
        texts: what was written into it.
        mime: what it is, by its content; empty where more than one type fits.
        facts: further fields of a record.
        countable: whether ffmpeg can say how long it is.
        chapters: beginning in seconds and title of each; behind it the same title in other languages, of which any is
            right.
        tracks: in their order. Without any, `facts` with codecs of picture and sound stand for one track of each.
        identifiers: by their names in the record.
        loudness: each value that was written.
        people: who was named.
        covers: the pictures, no two alike.
    """

    name: str
    group: str
    make: Callable[[], bytes]
    seconds: float | None
    texts: Sequence[Text] = ()
    mime: str = ""
    facts: Mapping[str, object] = field(default_factory=dict)
    countable: bool = True
    chapters: Sequence[Mark] = ()
    tracks: Sequence[Stream] = ()
    identifiers: Mapping[str, Sequence[str]] = field(default_factory=dict)
    loudness: Sequence[Level] = ()
    people: Sequence[Credit] = ()
    covers: Sequence[Picture] = ()


class Field(NamedTuple):
    """One field of a file's truth.

    Attributes:
        kind: one of `KINDS`.
        what: what it is, for the judge: ``text``, ``person``, ``duration``, ``chapter``, ``track`` ...
        name: for people who read the table.
        truth: its value.
    """

    kind: str
    what: str
    name: str
    truth: Any


def fields(sample: Sample) -> list[Field]:
    """All fields of a file's truth."""
    found = [Field("tags", "text", f"{text.key or 'some'}={text.text[:20]}", text) for text in sample.texts]
    found += [Field("tags", "person", f"{one.role} {one.name}", one) for one in sample.people]
    if sample.seconds is not None:
        found.append(Field("duration", "duration", "duration", sample.seconds))
    found += [Field("chapters", "chapter", f"chapter {mark[0]:g} {mark[1][:20]}", mark) for mark in sample.chapters]
    found += _of_tracks(sample.tracks or _plain_tracks(sample.facts))
    for name, texts in sample.identifiers.items():
        found += [Field("identifiers", "identifier", f"{name}={text}", (name, text)) for text in texts]
    found += [Field("loudness", "level", f"{one.name}={one.value}", one) for one in sample.loudness]
    if sample.mime:
        found.append(Field("facts", "mime", sample.mime, sample.mime))
    found += [Field("facts", "fact", f"{name}={value}", (name, value)) for name, value in sample.facts.items()]
    if sample.covers:
        found.append(Field("facts", "pictures", f"{len(sample.covers)} pictures", len(sample.covers)))
    return found + [Field("facts", "picture", f"{one.type or 'a'} picture {one.size}", one) for one in sample.covers]


def _plain_tracks(facts: Mapping[str, object]) -> list[Stream]:
    codecs = facts.get("video_codec"), facts.get("audio_codec")
    return [Stream("video", str(codecs[0])), Stream("audio", str(codecs[1]))] if all(codecs) else []


def _of_tracks(tracks: Sequence[Stream]) -> Iterator[Field]:
    """Each track, and what else is true of it. Of several that are alike each counts, so the truth has its number."""
    seen: Counter[tuple[str, str, str]] = Counter()
    for each in tracks:
        plain = (each.kind, each.codec, each.language)
        name = " ".join(filter(None, plain))
        yield Field("tracks", "track", f"track {name}", (Stream(*plain), seen[plain]))
        seen[plain] += 1
        for key, value in each.more.items():
            yield Field("facts", "track fact", f"track {name} {key}={value}", (Stream(*plain), key, value))


def is_near(found: float | None, truth: float, share: float = NEAR) -> bool:
    """Whether a number is right but for a share of the truth."""
    return found is not None and abs(found - truth) <= truth * share


def same(found: object, truth: object) -> bool:
    """Equality, but of a frame rate only within 1 %."""
    if isinstance(truth, float):
        return isinstance(found, float | int) and is_near(found, truth)
    return found == truth


def is_chapter(start: float, title: str | None, truth: Mark) -> bool:
    """Whether a chapter is that of the truth."""
    return abs(start - truth[0]) <= _NEAR_START and title in truth[1:]


def is_level(found: float | None, truth: Level) -> bool:
    """Whether a loudness value is that of the truth."""
    near = _NEAR_PEAK if truth.name.endswith("peak") else _NEAR_GAIN
    return found is not None and abs(found - truth.value) <= near + 1e-9


class Recorded:
    """What our record says of a file. Its texts have no white space around them, the bytes have.

    Args:
        item: as `build_item` made it. Of its texts only the file's own count.
    """

    def __init__(self, item: MediaItem) -> None:
        self.item = item
        self._own = [each for each in item.tags if each["source"] not in EXTERNAL_SOURCES]

    def has(self, each: Field) -> bool:
        """Whether the record says a field, exactly."""
        judge: Callable[[Any], bool] = getattr(self, f"_{each.what.replace(' ', '_')}")
        return judge(each.truth)

    def surplus(self, sample: Sample) -> list[str]:
        """Chapters, tracks and identifiers of the record that nobody put into the file, and a length made up."""
        tracks = sample.tracks or _plain_tracks(sample.facts)
        lists = {
            "chapters": len(self.item.chapters) - len(sample.chapters),
            "tracks": len(self.item.tracks) - len(tracks) if tracks else 0,
        }
        found = [f"{count} {name} too many" for name, count in lists.items() if count > 0]
        if sample.seconds is None and self.item.duration is not None:
            found.append(f"made up duration={self.item.duration}")
        named = {(name, text) for name, texts in self.item.identifiers.items() for text in texts}
        true = {(name, text) for name, texts in sample.identifiers.items() for text in texts}
        # A text may well be an identifier: some samples have an ISRC among their tags.
        texts = {text.text for text in sample.texts}
        return found + [f"made up {name}={text}" for name, text in sorted(named - true) if text not in texts]

    def _text(self, truth: Text) -> bool:
        return any(
            (each["key"] == truth.key or not truth.key)
            and (each["text"] == truth.text.strip() if truth.raw is None else raw_bytes(each) == truth.raw)
            for each in self._own
        )

    def _person(self, truth: Credit) -> bool:
        return any(
            (each["role"], each["name"], each.get("instrument", "")) == tuple(truth) for each in self.item.persons
        )

    def _duration(self, truth: float) -> bool:
        return is_near(self.item.duration, truth)

    def _chapter(self, truth: Mark) -> bool:
        return any(is_chapter(each["start"], each.get("title"), truth) for each in self.item.chapters)

    def _matching(self, truth: Stream) -> list[dict[str, Any]]:
        return [
            each
            for each in self.item.tracks
            if (each["kind"], each.get("codec"), each.get("language", "")) == tuple(truth[:3])
        ]

    def _track(self, truth: tuple[Stream, int]) -> bool:
        return len(self._matching(truth[0])) > truth[1]

    def _track_fact(self, truth: tuple[Stream, str, object]) -> bool:
        return any(same(each.get(truth[1]), truth[2]) for each in self._matching(truth[0]))

    def _identifier(self, truth: tuple[str, str]) -> bool:
        return truth[1] in self.item.identifiers.get(truth[0], ())

    def _level(self, truth: Level) -> bool:
        return is_level(self.item.loudness.get(truth.name), truth)

    def _mime(self, truth: str) -> bool:
        return self.item.encoding_format == truth

    def _fact(self, truth: tuple[str, object]) -> bool:
        name, value = truth
        found = self.item.type == "VideoObject" if name == "is_video" else getattr(self.item, name)
        return same(found, value)

    def _pictures(self, truth: int) -> bool:
        return len(self.item.covers) == truth

    def _picture(self, truth: Picture) -> bool:
        stated = [(name, true) for name, true in truth._asdict().items() if true]
        return any(all(found.get(name) == true for name, true in stated) for found in self.item.covers)

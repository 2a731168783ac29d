"""Writes new texts into the tags of one file with mutagen, and checks that nothing else changed.

* ID3v2.3 gets UTF-16, ID3v2.4 UTF-8; frames that do not change keep their encoding. ID3v2.2 becomes 2.3, since mutagen
  writes no 2.2, and whatever reads the one reads the other.
* ID3v1 is kept, rewritten or removed, see `Id3v1`. It cannot hold Unicode: where the file has a text in no other tag,
  the text is added to the ID3v2 or APE tag, which is made if there is none.
* A tag keeps its size if its padding suffices.
"""

from __future__ import annotations

import importlib
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from mediacrawl.encoding.excerpts import clean
from mediacrawl.encoding.records.values import is_place
from mediacrawl.music.deciding import DecidedFile, DecidedText
from mediacrawl.music.originals import RefusedError
from mediacrawl.music.reading import TaggedFile, read_tags
from mediacrawl.music.sound import MappedFile, mapped, sound_of
from mediacrawl.probe import NeedBytes, ProbePolicy
from mediacrawl.probe.context import BrokenError, LimitError, ParseContext
from mediacrawl.probe.formats import id3, mp4_text, outer_tags, people
from mediacrawl.probe.formats.keys import id3_key
from mediacrawl.probe.text import LATIN1, UTF8, UTF16, UTF16BE, cut, decode
from mediacrawl.records import Tag

Id3v1 = Literal["keep", "rewrite", "remove"]
"""What happens to an ID3v1 tag with wrong texts: it stays; wrong texts are replaced, or emptied where Latin-1 lacks
their letters; it is removed."""

_ID3V1 = "id3v1"
_ID3V2 = frozenset({"id3v2.2", "id3v2.3", "id3v2.4"})
_APE_FORMATS = frozenset({"ape", "wavpack", "musepack"})
_FRONT_FORMATS = frozenset({"mp3", "aac", "tta"})
_ID3_FRAMES = {
    "title": "TIT2", "artist": "TPE1", "album": "TALB", "date": "TYER", "comment": "COMM", "tracknumber": "TRCK",
    "genre": "TCON",
}  # fmt: skip
_ID3V1_PLACES = {"title": (3, 33), "artist": (33, 63), "album": (63, 93), "date": (93, 97), "comment": (97, 127)}
_APE_KEYS = {"date": "Year", "tracknumber": "Track"}
_TEXT_FRAMES = frozenset({"COMM", "USLT", "IPLS"})
"""Frames whose texts are compared one by one, besides those whose names begin with T."""
_PICTURES = frozenset({"APIC", "PIC"})
_ATOM = 4
_3GPP = frozenset({"titl", "auth", "perf", "gnre", "dscp", "albm", "kywd"})
_ATOM_TEXTS = frozenset({"utf-8", "utf-16-be", "shift_jis"})
"""Encodings of texts in ``ilst``; texts elsewhere mostly have others."""
_LOST = "\ufffd"
_MOST_PADDING = 16 << 10
_IMPORTS = threading.RLock()
"""Two threads that import modules which import each other may see half of one."""
_OWN_POLICY = ProbePolicy(max_text_bytes=16 << 20)
_LAME = "lame"
"""Source of what LAME wrote into the first frame of the audio."""

Place = tuple[str, str, str]
"""Frame, description and language: texts of one place are the values of one frame."""


@dataclass(frozen=True, slots=True)
class TagPlan:
    """What is to be written into one file.

    Attributes:
        texts: those that change in their place, and those of an ID3v1 tag that is rewritten or removed.
        added: those of the ID3v1 tag that are added to another tag, since the file has them nowhere else.
        id3v1: what happens to that tag.
    """

    texts: Sequence[DecidedText]
    added: Sequence[DecidedText]
    id3v1: Id3v1

    @property
    def fields(self) -> list[DecidedText]:
        """Return all texts that change or are added."""
        return [*self.texts, *self.added]


def tag_plan(decided: DecidedFile, id3v1: Id3v1) -> TagPlan | None:
    """Return what is to be written into a file; None if nothing is."""
    wrong = [text for text in decided.texts if text.is_wrong and is_writable(text)]
    others = [text for text in wrong if text.tag.source != _ID3V1]
    old = [text for text in wrong if text.tag.source == _ID3V1]
    takes = decided.file.container in _APE_FORMATS | _FRONT_FORMATS
    elsewhere = _keys_elsewhere(decided.file)
    added = [text for text in old if takes and text.tag.key not in elsewhere]
    # Texts that no other tag can take must stay.
    fate: Id3v1 = id3v1 if old and takes else "keep"
    if not others and not added and fate == "keep":
        return None
    return TagPlan(others + (old if fate != "keep" else []), added, fate)


def is_writable(text: DecidedText) -> bool:
    """Return whether mutagen writes texts of this kind.

    Not so RIFF's INFO, QuickTime's own texts and those of 3GPP and Windows in MP4, AIFF's chunks, Lyrics3, URLs, titles
    of chapters and tracks but in Vorbis comments, and ID3v2 frames that no version has.
    """
    tag = text.tag
    if is_place(tag.key) and tag.source != "vorbis":
        return False
    if tag.source == "mp4":
        is_named = len(tag.frame) == _ATOM and tag.frame not in _3GPP
        return (is_named or tag.frame.startswith("----:")) and not tag.lang and tag.declared in _ATOM_TEXTS
    if tag.source in _ID3V2:
        return not tag.frame.startswith("W") and _frame_kind(tag.frame) is not None
    return tag.source in {_ID3V1, "ape", "vorbis", "asf"}


def write_tags(path: Path, file: TaggedFile, plan: TagPlan) -> None:
    """Write new texts into a copy of a file, read it again, and compare.

    Args:
        path: of the copy, which is changed.
        file: the texts of the file that it was copied from.
        plan: what is to be written.

    Raises:
        RefusedError: it cannot be done without a loss; the copy is of no use.
        OSError: the disk is full, or gives an error.
    """
    frames, sound = _frames(path), sound_of(path, file.container)
    last = _take_id3v1(path)
    groups: dict[str, list[DecidedText]] = {}
    for text in plan.texts:
        source = text.tag.source
        if source != _ID3V1:
            groups.setdefault("id3v2" if source in _ID3V2 else source, []).append(text)
    added = _added(file, plan)
    if added:
        groups.setdefault(_home(file), [])
    for source, texts in groups.items():
        _by_mutagen(path, file, source, _values(file, texts), added if source == _home(file) else {})
    if last and plan.id3v1 != "remove":
        texts_of_v1 = {text.tag.frame: text.text for text in plan.texts if text.tag.source == _ID3V1}
        with path.open("ab") as copy:
            copy.write(_rewritten_id3v1(last, texts_of_v1) if plan.id3v1 == "rewrite" else last)
    _compare(file, read_tags(path), plan)
    if not frames.are_in(_frames(path)):
        raise RefusedError("frames of its tag would be lost")
    if not sound_of(path, file.container).is_same(sound):
        raise RefusedError("its audio would not be the same")


def _added(file: TaggedFile, plan: TagPlan) -> dict[str, str]:
    """Return texts that an ID3v2 or APE tag gets from ID3v1, by key.

    One that is made new, or that stays when ID3v1 is removed, gets all that it lacks.
    """
    found = {text.tag.key: text.text for text in plan.added}
    elsewhere = _keys_elsewhere(file)
    if plan.id3v1 == "remove" or (found and not elsewhere):
        missing = [tag for tag in file.tags if tag.source == _ID3V1 and tag.key not in elsewhere]
        found = {tag.key: clean(tag.text) for tag in missing} | found
    return found


def _keys_elsewhere(file: TaggedFile) -> set[str]:
    """Return keys of the texts in another tag than ID3v1; what the encoder wrote into the audio is in none."""
    return {tag.key for tag in file.tags if tag.source not in {_ID3V1, _LAME}}


def _home(file: TaggedFile) -> str:
    """Return the tag that texts of ID3v1 are added to: the one of the file, for many programs read one tag only."""
    sources = {tag.source for tag in file.tags}
    return "ape" if file.container in _APE_FORMATS or ("ape" in sources and not sources & _ID3V2) else "id3v2"


def _values(file: TaggedFile, texts: Iterable[DecidedText]) -> dict[Place, list[str]]:
    """Return all values of the places in which a text changes, the changed ones as they should be."""
    new = {id(text.tag): text.text for text in texts}
    places = {(text.tag.source, _place(text.tag)) for text in texts}
    found: dict[Place, list[str]] = {}
    for tag in file.tags:
        if (tag.source, _place(tag)) in places:
            found.setdefault(_place(tag), []).append(new.get(id(tag), tag.text))
    return found


def _place(tag: Tag) -> Place:
    # The description of somebody in a list of people is their instrument.
    is_person = tag.source in _ID3V2 and tag.frame in people.FRAMES
    return tag.frame, "" if is_person else tag.desc, tag.lang


def _take_id3v1(path: Path) -> bytes:
    """Cut the ID3v1 tag off the end of a file, which mutagen would rewrite with question marks. Return its bytes."""
    with path.open("r+b") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - id3.ID3V1_SIZE))
        data = file.read()
        if not id3.is_id3v1(data):
            return b""
        file.truncate(size - id3.ID3V1_SIZE)
    return data


def _rewritten_id3v1(data: bytes, texts: Mapping[str, str]) -> bytes:
    changed = bytearray(data)
    for name, text in texts.items():
        start, stop = _ID3V1_PLACES[name]
        if name == "comment" and data[125] == 0 and data[126]:
            stop = 125  # the number of the track follows
        try:
            raw = text.encode("latin-1")[: stop - start]
        except UnicodeEncodeError:
            raw = b""
        changed[start:stop] = raw.ljust(stop - start, b"\0")
    return bytes(changed)


# -- by mutagen ------------------------------------------------------------------------------------------------------


def _by_mutagen(
    path: Path, file: TaggedFile, source: str, values: Mapping[Place, list[str]], added: Mapping[str, str]
) -> None:
    """Call mutagen; raise RefusedError for its errors, which are many."""
    writers: dict[str, Callable[[], None]] = {
        "id3v2": lambda: _write_id3(path, file, values, added),
        "ape": lambda: _write_ape(path, values, added),
        "vorbis": lambda: _write_vorbis(path, file, values),
        "mp4": lambda: _write_mp4(path, values),
        "asf": lambda: _write_asf(path, values),
    }
    try:
        writers[source]()
    except _module("mutagen").MutagenError as error:
        cause = error.__cause__ or error.__context__
        if isinstance(cause, OSError) and cause.errno:
            raise cause from error
        said = " ".join(str(error).split())[:100] or type(error).__name__
        raise RefusedError(f"mutagen cannot write it: {said}") from error
    except (RefusedError, OSError):
        raise
    except Exception as error:
        raise RefusedError(f"mutagen cannot write it: {type(error).__name__}: {error}"[:200]) from error


def _module(name: str) -> Any:
    """Return a module of mutagen, which has types for some of its names only; a dry run has no need of most."""
    with _IMPORTS:
        return importlib.import_module(name)


def _padding(info: Any) -> int:
    """A tag keeps its size; one that must grow gets mutagen's usual padding, which grows with the file."""
    size: int = info.padding if info.padding >= 0 else min(info.get_default_padding(), _MOST_PADDING)
    return size


def _filled(old: Sequence[str], new: Sequence[str]) -> list[str]:
    """Return values with new ones in the places of those that are not empty; our readers give no empty ones."""
    if len(new) != sum(map(bool, old)):
        return list(new)
    left = iter(new)
    return [next(left) if value else "" for value in old]


def _write_id3(path: Path, file: TaggedFile, values: Mapping[Place, list[str]], added: Mapping[str, str]) -> None:
    tags_of = _module("mutagen.id3")
    if file.container in {"wav", "aiff"}:
        kind = _module("mutagen.wave").WAVE if file.container == "wav" else _module("mutagen.aiff").AIFF
        tags = kind(path, translate=False).tags
    else:
        try:
            tags = tags_of.ID3(path, translate=False, load_v1=False)
        except tags_of.ID3NoHeaderError:
            tags = tags_of.ID3()
            tags.version = (2, 3, 0)
    version = 4 if tags.version[1] == 4 else 3
    for picture in tags.getall("APIC") if tags.version[1] == 2 else ():
        if "/" not in picture.mime:
            # The three letters of 2.2 are no MIME type.
            picture.mime = f"image/{picture.mime.lower().replace('jpg', 'jpeg')}"
    for place, texts in values.items():
        _set_frame(tags_of, tags, place, texts, version)
    for key, text in added.items():
        name = "TDRC" if key == "date" and version == 4 else _ID3_FRAMES[key]
        _set_frame(tags_of, tags, (name, "", "XXX" if name == "COMM" else ""), [text], version)
    tags.save(path, v2_version=version, v23_sep=None, padding=_padding)


def _frame_kind(name: str) -> Any:
    """Return the class of mutagen for a text frame; None if it has none, as for frames that a program invented."""
    module = _module("mutagen.id3")
    kind = module.Frames.get(name)
    if kind is None:
        old = module.Frames_2_2.get(name)
        kind = old.__mro__[1] if old is not None else None
    texts = (module.TextFrame, module.USLT, module.COMM, module.PairedTextFrame)
    return kind if kind is not None and issubclass(kind, texts) else None


def _set_frame(module: Any, tags: Any, place: Place, texts: list[str], version: int) -> None:
    """Set the values of one frame; one that mutagen could not read is made anew."""
    name, desc, lang = place
    kind = _frame_kind(name)
    if kind is None:
        raise RefusedError(f"its frame {name} cannot be written")
    encoding = module.Encoding.UTF8 if version == 4 else module.Encoding.UTF16
    frame = _frame_of(tags.getall(kind.__name__), desc, lang)
    if frame is None:
        wanted = {"desc": desc, "lang": lang or "XXX"}
        named = {spec.name for spec in kind._framespec}  # noqa: SLF001 - mutagen has no other way to ask
        frame = kind(encoding=encoding, **{key: value for key, value in wanted.items() if key in named})
        tags.add(frame)
    frame.encoding = encoding
    if issubclass(kind, module.PairedTextFrame):
        frame.people = _repaired_people(frame.people, texts)
    elif issubclass(kind, module.USLT):
        frame.text = "\0".join(texts)
    else:
        frame.text = _filled([str(text) for text in frame.text], texts)


def _repaired_people(pairs: Iterable[Sequence[str]], texts: Iterable[str]) -> list[list[str]]:
    """Return pairs of role and name with new texts in place of those that are texts of the file."""
    left = iter(texts)
    made = []
    for role, name in pairs:
        shown = [bool(role) and people.shows_role(role), bool(name)]
        made.append([next(left, None) if is_shown else old for old, is_shown in zip((role, name), shown, strict=True)])
    found = [[text for text in pair if text is not None] for pair in made]
    if found != made or next(left, None) is not None:
        raise RefusedError("its list of people cannot be written")
    return found


def _frame_of(frames: Iterable[Any], desc: str, lang: str) -> Any:
    """Return the frame of a description and a language; None if there is none."""
    for frame in frames:
        if clean(getattr(frame, "desc", desc)) != clean(desc):
            continue
        spoken = getattr(frame, "lang", lang)
        if spoken == lang or (spoken.lower() if spoken.isalpha() else "") == lang:
            return frame
    return None


def _write_ape(path: Path, values: Mapping[Place, list[str]], added: Mapping[str, str]) -> None:
    ape = _module("mutagen.apev2")
    _declare_binary(path)
    try:
        tags = ape.APEv2(path)
    except ape.APENoHeaderError:
        tags = ape.APEv2()
    for (key, _, _), texts in values.items():
        old = bytes(tags[key]).decode("latin-1") if tags[key].kind == ape.BINARY else str(tags[key])
        tags[key] = ape.APEValue("\0".join(_filled(old.split("\0"), texts)), ape.TEXT)
    for key, text in added.items():
        tags[_APE_KEYS.get(key, key.capitalize())] = text
    tags.save(path)


def _declare_binary(path: Path) -> None:
    """Declare texts of an APE tag that are no UTF-8 as binary, since mutagen refuses a tag with one of them."""
    with mapped(path) as data:
        file = MappedFile(data)
        tag = outer_tags.find_ape_at_end(file, len(data)) or outer_tags.find_ape_at_front(file, 0)
        at, places = (tag.items, []) if tag and tag.whole else (0, [])
        while tag and tag.whole and at + 10 <= tag.stop:
            size, flags = (int.from_bytes(data[at + shift : at + shift + 4], "little") for shift in (0, 4))
            start = data.find(b"\0", at + 8, tag.stop) + 1
            if not start:
                break
            if not flags & 6 and _LOST in data[start : start + size].decode(errors="replace"):
                places.append((at + 4, bytes([data[at + 4] | 2])))
            at = start + size
    with path.open("r+b") as copy:
        for at, flag in places:
            copy.seek(at)
            copy.write(flag)


def _write_vorbis(path: Path, file: TaggedFile, values: Mapping[Place, list[str]]) -> None:
    with _IMPORTS:
        # `File` imports the module of the format.
        holder = _module("mutagen.flac").FLAC(path) if file.container == "flac" else _module("mutagen").File(path)
    shown = {tag.frame.upper() for tag in file.tags}
    unseen = [value for key, value in holder.tags if key.upper() not in shown]
    # mutagen has replaced the bytes that are no UTF-8; texts of the file are compared when it is read again.
    if any(_LOST in text for text in (holder.tags.vendor, *unseen)):
        raise RefusedError("it has values besides its texts that are no UTF-8, and would be lost")
    left = {name: list(texts) for (name, _, _), texts in values.items()}
    holder.tags[:] = [
        (key, left[key.upper()].pop(0)) if value and key.upper() in left else (key, value) for key, value in holder.tags
    ]
    holder.save(path, padding=_padding)


def _write_mp4(path: Path, values: Mapping[Place, list[str]]) -> None:
    mp4 = _module("mutagen.mp4")
    holder = mp4.MP4(path)
    if holder.tags is None:
        raise RefusedError("its texts are not where mutagen writes them")
    for (name, _, _), texts in values.items():
        # A text that is no UTF-8 is not in mutagen's tags, and takes its place when it is set.
        free = name.startswith("----")
        holder.tags[name] = list(_freeform(mp4, name, holder.tags.get(name, ()), texts)) if free else texts
    holder.save(path, padding=_padding)


def _freeform(module: Any, name: str, values: Iterable[Any], texts: Iterable[str]) -> Iterator[Any]:
    """Yield the values of one item of that name; what is no text, or does not change, keeps its bytes and its type."""
    left = iter(texts)
    for value in values:
        raw, kind = bytes(value), int(value.dataformat)
        codec = mp4_text.text_codec(name, kind, raw)
        text = next(left, None) if codec and decode(raw, codec) else None
        if text is None or text == decode(raw, codec):
            yield value
        elif codec == UTF16BE:
            yield module.MP4FreeForm(text.encode(codec), value.dataformat, value.version)
        else:
            kept = value.dataformat if codec == UTF8 else module.AtomDataType.UTF8
            yield module.MP4FreeForm(text.encode(), kept, value.version)
    if next(left, None) is not None:
        raise RefusedError(f"its item {name} cannot be written")


def _write_asf(path: Path, values: Mapping[Place, list[str]]) -> None:
    asf = _module("mutagen.asf")
    holder = asf.ASF(path)
    for (name, _, _), texts in values.items():
        left = list(texts)
        for key, value in holder.tags:
            if key == name and isinstance(value, asf.ASFUnicodeAttribute) and value.value:
                value.value = left.pop(0)
    holder.save(path, padding=_padding)


# -- what was written ------------------------------------------------------------------------------------------------


def _compare(before: TaggedFile, after: TaggedFile, plan: TagPlan) -> None:
    """Raise RefusedError unless each text that should change did, and no other."""
    new = {id(text.tag): text.text for text in plan.texts}
    expected = Counter(_mark(tag, new.get(id(tag))) for tag in before.tags if tag.source != _ID3V1)
    found = Counter(_mark(tag, None) for tag in after.tags if tag.source != _ID3V1)
    expected.update((_home(before), key, clean(text)) for key, text in _added(before, plan).items())
    if expected != found:
        ((_, key, _), *_) = [*(expected - found), *(found - expected)]
        raise RefusedError(f"it is damaged: its tags would not be as meant ({key})")
    if after.cover != before.cover or after.container != before.container:
        raise RefusedError("its cover would not be the same")


def _mark(tag: Tag, new: str | None) -> tuple[str, str, str | bytes]:
    """Return a text as it is compared. What cannot be read keeps its bytes."""
    family = "id3v2" if tag.source in _ID3V2 else tag.source
    key = id3_key(_name_in_23(tag.frame)) if tag.source == "id3v2.2" and tag.key == id3_key(tag.frame) else tag.key
    if is_place(key):
        # mutagen may write chapters of one time in another order.
        key = key.partition("[")[0]
    if new is not None:
        return family, key, clean(new)
    return family, key, tag.raw if _LOST in tag.text else clean(tag.text)


def _name_in_23(name: str) -> str:
    """Return the name that a frame of ID3v2.2 gets in 2.3; the same if it has none there."""
    kind = _module("mutagen.id3").Frames_2_2.get(name)
    return name if kind is None else str(kind.__mro__[1].__name__)


@dataclass(frozen=True, slots=True)
class _Frames:
    """The version of an ID3v2 tag (0 without one), and its frames by name; of those that are no text their contents."""

    version: int
    found: Counter[tuple[str, bytes]]

    def are_in(self, other: _Frames) -> bool:
        """Return whether a tag that was written still has them. Those of 2.2 get other names and forms in 2.3.

        mutagen puts text frames of one name together, of which programs show the first value.
        """
        return self.found.total() <= other.found.total() if self.version == 2 else self.found <= other.found


def _frames(path: Path) -> _Frames:
    """Return the frames of the ID3v2 tag at the front of a file; raise RefusedError if it is damaged."""
    with mapped(path) as data:
        file = MappedFile(data)
        header = id3.find_header(file, 0)
        if header is None:
            return _Frames(0, Counter())
        try:
            bodies = list(id3.bodies(ParseContext(file, _OWN_POLICY), header))
        except (BrokenError, LimitError, NeedBytes) as error:
            raise RefusedError("its tag is damaged") from error
    return _Frames(
        header.version, Counter((name, _content(name, body)) for name, body in bodies if body[1:].strip(b"\0"))
    )


def _content(name: str, body: bytes) -> bytes:
    """Return what of the body of a frame must stay."""
    if name[0] in "TW" or name in _TEXT_FRAMES:
        return b""
    if name in _PICTURES:
        # id3v2.4.0-frames, 4.14; mutagen may write the description in another encoding.
        _, rest = cut(body[1:], LATIN1)
        _, data = cut((rest or b"")[1:], UTF16 if body[:1] in {b"\1", b"\2"} else LATIN1)
        return body if data is None else data
    # mutagen writes the terminator of their last text, which others leave out.
    return body.rstrip(b"\0") if name in {"USER", "OWNE"} else body

"""Writes new texts into the tags of one file with mutagen, and checks that nothing else changed.

* ID3v2.3 gets UTF-16, ID3v2.4 UTF-8; frames that do not change keep their encoding. mutagen writes no ID3v2.2.
* ID3v1 is kept, rewritten or removed, see `Id3v1`. It cannot hold Unicode: texts that are in no other tag are added to
  the ID3v2 or APE tag, which is made if there is none.
* What mutagen would lose is found by our own readers, and such a file is left.
"""

from __future__ import annotations

import hashlib
import os
import struct
import threading
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import mutagen
from mutagen import aiff, apev2, asf, flac, id3, mp4, wave

from mediacrawl.base.charsets import clean
from mediacrawl.base.evidence import read_place
from mediacrawl.base.terms import Tag
from mediacrawl.probe import file_parts
from mediacrawl.programs.music.deciding import DecidedFile, DecidedText
from mediacrawl.programs.music.originals import RefusedError
from mediacrawl.programs.music.reading import TaggedFile, read_tags

Id3v1 = Literal["keep", "rewrite", "remove"]
"""What happens to an ID3v1 tag with wrong texts: it stays; wrong texts are replaced, or emptied where Latin-1 lacks
their letters; it is removed."""

_ID3V1 = "id3v1"
_ID3V1_FIELDS = ("", "title", "artist", "album", "date", "comment")
_ID3V2 = frozenset({"id3v2.3", "id3v2.4"})
_APE_FORMATS = frozenset({"ape", "wavpack", "musepack"})
_FRONT_FORMATS = frozenset({"mp3", "aac", "tta"})
_ID3_FRAMES = {
    "title": "TIT2", "artist": "TPE1", "album": "TALB", "date": "TYER", "comment": "COMM", "tracknumber": "TRCK",
    "genre": "TCON",
}  # fmt: skip
_APE_KEYS = {"date": "Year", "tracknumber": "Track"}
_TEXT_FRAMES = (id3.TextFrame, id3.USLT, id3.PairedTextFrame)
_ATOM = 4
_3GPP = frozenset({"titl", "auth", "perf", "gnre", "dscp", "albm", "kywd"})
_ATOM_TEXTS = frozenset({"utf-8", "utf-16-be", "shift_jis"})
"""Encodings of texts in ``ilst``; texts elsewhere mostly have others."""
_LOST = "\ufffd"
_CLOSE = 1.0
"""Seconds. Of MPEG audio mutagen derives the length from the size, in which the tags at the end count."""
_PIECE = 1 << 20
_IMPORTS = threading.Lock()
"""`mutagen.File` imports modules which import each other, of which two threads may see half of one."""
_LAME = "lame"
"""Source of what LAME wrote into the first frame of the audio."""

Renamed = Mapping[tuple[str, str], str]
"""New texts by frame and old text."""


@dataclass(frozen=True, slots=True)
class TagPlan:
    """What is to be written into one file.

    Attributes:
        texts: those that are wrong, and right in some tag afterwards.
        added: texts that an ID3v2 or APE tag gets from ID3v1, by key, since the file has them nowhere else.
        id3v1: what happens to that tag.
    """

    texts: Sequence[DecidedText]
    added: Mapping[str, str]
    id3v1: Id3v1


def tag_plan(decided: DecidedFile, id3v1: Id3v1) -> TagPlan | None:
    """Return what is to be written into a file; None if nothing is."""
    file = decided.file
    sources = {tag.source for tag in file.tags}
    wrong = [text for text in decided.texts if text.is_wrong and is_writable(text)]
    new = {id(text.tag): text.text for text in wrong if text.tag.source == _ID3V1}
    # Texts that no other tag can take must stay.
    takes = file.container in _APE_FORMATS | _FRONT_FORMATS and "id3v2.2" not in sources
    fate: Id3v1 = id3v1 if new and takes else "keep"
    # What the encoder wrote into the audio is in no tag.
    elsewhere = {tag.key for tag in file.tags if tag.source not in {_ID3V1, _LAME}}
    lacking = [tag for tag in file.tags if takes and tag.source == _ID3V1 and tag.key not in elsewhere]
    is_added = fate == "remove" or any(id(tag) in new for tag in lacking)
    added = {tag.key: new.get(id(tag), clean(tag.text)) for tag in lacking} if is_added else {}
    texts = [text for text in wrong if text.tag.source != _ID3V1 or fate != "keep" or text.tag.key in added]
    return TagPlan(texts, added, fate) if texts else None


def is_writable(text: DecidedText) -> bool:
    """Return whether mutagen writes texts of this kind.

    Not so ID3v2.2, RIFF's INFO, QuickTime's own texts and those of 3GPP and Windows in MP4, AIFF's chunks, Lyrics3,
    URLs, titles of chapters and tracks but in Vorbis comments, ID3v2 frames that no version has, and texts of ID3v2 and
    APE that are not in the encoding which they declare.
    """
    tag = text.tag
    if read_place(tag.key) and tag.source != "vorbis":
        return False
    if tag.source == "mp4":
        is_named = len(tag.frame) == _ATOM and tag.frame not in _3GPP and tag.declared in _ATOM_TEXTS
        return not tag.lang and (is_named or (tag.frame.startswith("----:") and tag.declared == "utf-8"))
    if tag.source in _ID3V2:
        return _LOST not in tag.text and issubclass(id3.Frames.get(tag.frame, object), _TEXT_FRAMES)
    return tag.source in {_ID3V1, "vorbis", "asf"} or (tag.source == "ape" and _LOST not in tag.text)


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
    before = content_of(path, file.container)
    if before.id3v1:
        # mutagen would rewrite it with question marks.
        os.truncate(path, path.stat().st_size - len(before.id3v1))
    changed = [text for text in plan.texts if text.tag.source != _ID3V1]
    new = {(text.tag.frame, clean(text.tag.text)): text.text for text in changed}
    sources = {"id3v2" if text.tag.source in _ID3V2 else text.tag.source for text in changed}
    home = _home(file)
    for source in sorted(sources | ({home} if plan.added else set())):
        _by_mutagen(path, file, source, new, plan.added if source == home else {})
    if before.id3v1 and plan.id3v1 != "remove":
        texts = [text for text in plan.texts if text.tag.source == _ID3V1]
        with path.open("ab") as copy:
            copy.write(_rewritten_id3v1(before.id3v1, texts) if plan.id3v1 == "rewrite" else before.id3v1)
    after = content_of(path, file.container)
    if not before.frames <= after.frames:
        raise RefusedError("frames of its tag would be lost")
    _compare(file, read_tags(path), plan)
    is_as_long = not before.length or not after.length or abs(before.length - after.length) < _CLOSE
    if before.digest != after.digest or not is_as_long:
        raise RefusedError("its audio would not be the same")


def _home(file: TaggedFile) -> str:
    """Return the tag that texts of ID3v1 are added to: the one of the file, for many programs read one tag only."""
    sources = {tag.source for tag in file.tags}
    return "ape" if file.container in _APE_FORMATS or ("ape" in sources and not sources & _ID3V2) else "id3v2"


def _rewritten_id3v1(data: bytes, texts: Iterable[DecidedText]) -> bytes:
    """Return the tag with new texts in place of the old bytes."""
    is_numbered = data[125] == 0 and data[126]
    layout = struct.Struct("3s30s30s30s4s28s3s" if is_numbered else "3s30s30s30s4s30s1s")
    fields = list(layout.unpack(data))
    for text in texts:
        place = _ID3V1_FIELDS.index(text.tag.frame)
        if fields[place].startswith(text.tag.raw):
            fields[place] = text.text.encode("latin-1") if max(text.text, default="") <= "\xff" else b""
    return layout.pack(*fields)


# -- by mutagen ------------------------------------------------------------------------------------------------------


def _by_mutagen(path: Path, file: TaggedFile, source: str, new: Renamed, added: Mapping[str, str]) -> None:
    """Call mutagen; raise RefusedError for its errors, which are many."""
    try:
        _WRITERS[source](path, file, new, added)
    except (RefusedError, OSError):
        raise
    except Exception as error:
        cause = error.__cause__ or error.__context__
        if isinstance(error, mutagen.MutagenError) and isinstance(cause, OSError) and cause.errno:
            raise cause from error
        found = " ".join(str(error).split())[:100] or type(error).__name__
        raise RefusedError(f"mutagen cannot write it: {found}") from error


def _opened(path: Path) -> Any:
    with _IMPORTS:
        return mutagen.File(path)


def _renamed(value: Any, frame: str, new: Renamed) -> Any:
    """Return a value of a frame with new texts; lists, and strings with several texts, are renamed text by text."""
    if isinstance(value, list):
        return [_renamed(each, frame, new) for each in value]
    if isinstance(value, str) and "\0" in value:
        return "\0".join(_renamed(each, frame, new) for each in value.split("\0"))
    return new.get((frame, clean(str(value))), value)


def _write_id3(path: Path, file: TaggedFile, new: Renamed, added: Mapping[str, str]) -> None:
    if file.container in {"wav", "aiff"}:
        tags: Any = (wave.WAVE if file.container == "wav" else aiff.AIFF)(path, translate=False).tags
    else:
        try:
            tags = id3.ID3(path, translate=False, load_v1=False)
        except id3.ID3NoHeaderError:
            tags = id3.ID3()
            tags.version = (2, 3, 0)
    version = 4 if tags.version[1] == 4 else 3
    encoding = id3.Encoding.UTF8 if version == 4 else id3.Encoding.UTF16
    for frame in tags.values():
        if isinstance(frame, _TEXT_FRAMES):
            name = "people" if isinstance(frame, id3.PairedTextFrame) else "text"
            old = getattr(frame, name)
            texts = _renamed(old, frame.FrameID, new)
            if texts != old:
                frame.encoding = encoding
                setattr(frame, name, texts)
    for key, text in added.items():
        name = "TDRC" if key == "date" and version == 4 else _ID3_FRAMES[key]
        place = {"lang": "XXX", "desc": ""} if name == "COMM" else {}
        tags.add(id3.Frames[name](encoding=encoding, text=[text], **place))
    tags.save(path, v2_version=version, v23_sep=None)


def _write_ape(path: Path, _: TaggedFile, new: Renamed, added: Mapping[str, str]) -> None:
    try:
        tags = apev2.APEv2(path)
    except apev2.APENoHeaderError:
        tags = apev2.APEv2()
    for key, value in tags.items():
        if value.kind == apev2.TEXT:
            tags[key] = apev2.APEValue(_renamed(str(value), key, new), apev2.TEXT)
    for key, text in added.items():
        tags[_APE_KEYS.get(key, key.capitalize())] = text
    tags.save(path)


def _write_vorbis(path: Path, file: TaggedFile, new: Renamed, _: Mapping[str, str]) -> None:
    holder: Any = flac.FLAC(path) if file.container == "flac" else _opened(path)
    # mutagen has replaced the bytes that are no UTF-8, as our reader has.
    holder.tags[:] = [(key, _renamed(value, key.upper(), new)) for key, value in holder.tags]
    if any(_LOST in text for text in (holder.tags.vendor, *(value for _, value in holder.tags))):
        raise RefusedError("it has values besides its texts that are no UTF-8, and would be lost")
    holder.save(path)


def _write_mp4(path: Path, file: TaggedFile, new: Renamed, _: Mapping[str, str]) -> None:
    holder: Any = mp4.MP4(path)
    if holder.tags is None:
        raise RefusedError("its texts are not where mutagen writes them")
    for name in {frame for frame, _ in new}:
        if name.startswith("----"):
            values = holder.tags.get(name, [])
            for place, value in enumerate(values):
                if value.dataformat == mp4.AtomDataType.UTF8:
                    text = _renamed(value.decode("utf-8", "replace"), name, new)
                    values[place] = mp4.MP4FreeForm(text.encode(), value.dataformat, value.version)
        else:
            # A text that is no UTF-8 is not in mutagen's tags, and takes its place when it is set.
            holder.tags[name] = [_renamed(tag.text, name, new) for tag in file.tags if tag.frame == name]
    holder.save(path)


def _write_asf(path: Path, _: TaggedFile, new: Renamed, __: Mapping[str, str]) -> None:
    holder: Any = asf.ASF(path)
    for key, value in holder.tags:
        if value.TYPE == asf.UNICODE:
            value.value = _renamed(value.value, key, new)
    holder.save(path)


_WRITERS = {"id3v2": _write_id3, "ape": _write_ape, "vorbis": _write_vorbis, "mp4": _write_mp4, "asf": _write_asf}


# -- what was written ------------------------------------------------------------------------------------------------


def _compare(before: TaggedFile, after: TaggedFile, plan: TagPlan) -> None:
    """Raise RefusedError unless each text that should change did, and no other."""

    def mark(tag: Tag, new: str | None = None) -> tuple[str, str | bytes]:
        # mutagen may write chapters of one time in another order. What cannot be read keeps its bytes.
        key = tag.key.partition("[")[0] if read_place(tag.key) else tag.key
        return key, tag.raw if new is None and _LOST in tag.text else clean(tag.text if new is None else new)

    new = {id(text.tag): text.text for text in plan.texts}
    expected = Counter(mark(tag, new.get(id(tag))) for tag in before.tags if tag.source != _ID3V1)
    expected.update((key, clean(text)) for key, text in plan.added.items())
    found = Counter(mark(tag) for tag in after.tags if tag.source != _ID3V1)
    if expected != found:
        ((key, _), *_) = [*(expected - found), *(found - expected)]
        raise RefusedError(f"it is damaged: its tags would not be as meant ({key})")
    if after.cover != before.cover or after.container != before.container:
        raise RefusedError("its cover would not be the same")


@dataclass(frozen=True, slots=True)
class Content:
    """What must not change in a file.

    Attributes:
        frames: of the ID3v2 tag at its front, see `FileParts.frames`.
        id3v1: its last 128 bytes if they are an ID3v1 tag.
        digest: SHA-256 of the bytes outside the tags.
        length: in seconds as mutagen finds it, 0 if it does not.
    """

    frames: Counter[tuple[str, bytes]]
    id3v1: bytes
    digest: str
    length: float


def content_of(path: Path, container: str) -> Content:
    """Return what must not change in a file.

    Raises:
        RefusedError: the file is damaged.
        OSError: it cannot be read.
    """
    try:
        length = getattr(getattr(_opened(path), "info", None), "length", None) or 0.0
    except Exception:  # noqa: BLE001 - mutagen has many
        # It is damaged, or has a tag that is no UTF-8, and is not repaired yet.
        length = 0.0
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        try:
            parts = file_parts(stream, container)
        except ValueError as error:
            raise RefusedError("it is damaged, and its audio cannot be distinguished from its tags") from error
        for start, stop in parts.media:
            digest.update(b"%d:" % (stop - start))
            stream.seek(start)
            for at in range(start, stop, _PIECE):
                digest.update(stream.read(min(_PIECE, stop - at)))
    return Content(parts.frames, parts.id3v1, digest.hexdigest(), float(length))

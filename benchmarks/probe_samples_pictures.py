"""The files of `probe_samples` with several pictures, of several kinds."""

from __future__ import annotations

import base64
import struct
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import probe_bytes as by_hand
from mutagen.asf import ASF, ASFByteArrayAttribute
from mutagen.flac import FLAC
from mutagen.flac import Picture as FlacPicture
from mutagen.id3 import APIC, ID3
from mutagen.mp4 import MP4, MP4Cover
from mutagen.oggopus import OggOpus
from probe_bytes import id3
from probe_bytes_parts import attachment, ebml, matroska, track
from probe_samples import TEXTS, Kitchen, Sample, saved, texts
from probe_samples_tags import id3_frames
from probe_truth import Picture, Stream

KB = 1024
PNG = b"\x89PNG\r\n\x1a\n"
_COVERS = (
    Picture("image/jpeg", 60 * KB, "front"),
    Picture("image/png", 30 * KB, "back"),
    Picture("image/jpeg", 5 * KB, "artist"),
)
_NUMBERS = {"front": 3, "back": 4, "artist": 8}
"""Of ID3v2's APIC frame, which FLAC and ASF share."""


def image(picture: Picture) -> bytes:
    """Its bytes, as far as a parser can tell."""
    data = by_hand.cover(picture.size)
    return data if picture.mime == "image/jpeg" else PNG + data[len(PNG) :]


def samples(kitchen: Kitchen) -> Iterator[Sample]:
    """All of them."""
    one = partial(Sample, seconds=kitchen.song, covers=_COVERS, texts=texts())
    mp3 = lambda: kitchen.audio("mp3", "-c:a libmp3lame -b:a 64k -id3v2_version 0").read_bytes()  # noqa: E731
    facts = {"has_cover": True, "cover_mime": "image/jpeg", "cover_size": 60 * KB}
    for version in (3, 4):
        yield one(
            f"covers-id3v2{version}.mp3",
            "ID3v2",
            lambda version=version: saved(
                ID3, id3(*id3_frames(version), version=version) + mp3(), _set_covers_id3, v2_version=version
            ),
            mime="audio/mpeg",
            facts=facts,
        )
    files: Sequence[tuple[str, str, str, str, Any, Callable[[Any], None]]] = [
        ("covers.flac", "FLAC", "audio/flac", "-c:a flac", FLAC, _set_covers_flac),
        ("covers.opus", "Ogg", "audio/ogg", "-c:a libopus -b:a 48k", OggOpus, _set_covers_vorbis),
        ("covers.wma", "ASF", "audio/x-ms-wma", "-c:a wmav2 -b:a 64k", ASF, _set_covers_asf),
    ]
    for name, group, mime, options, kind, change in files:
        made = partial(kitchen.audio, name.rpartition(".")[2], options, tagged=True)
        yield one(
            name,
            group,
            lambda made=made, kind=kind, change=change: saved(kind, made().read_bytes(), change),
            mime=mime,
            # Mutagen writes the first picture of ASF behind the others.
            facts={"has_cover": True} if kind is ASF else facts,
        )
    two = [picture._replace(type="") for picture in _COVERS[:2]]
    yield one(
        "covers.m4a",
        "M4A",
        lambda: saved(MP4, kitchen.audio("m4a", "-c:a aac -b:a 64k", tagged=True).read_bytes(), _set_covers_mp4),
        mime="audio/mp4",
        facts=facts,
        covers=two,
    )
    yield from _unusual_pictures(kitchen)


def _unusual_pictures(kitchen: Kitchen) -> Iterator[Sample]:
    """APEv2 says what a picture shows in the item's name, but no media type. Matroska has files of any kind."""
    items = [(f"Cover Art ({one.type.title()})", f"{one.type}.jpg\0".encode() + image(one)) for one in _COVERS[:2]]
    yield Sample(
        "covers.wv",
        "APE",
        lambda: kitchen.audio("wv", "-c:a wavpack").read_bytes() + by_hand.ape_of([(*item, 2) for item in items]),
        kitchen.song,
        mime="audio/x-wavpack",
        facts={"has_cover": True, "cover_size": 60 * KB},
        covers=[picture._replace(mime="") for picture in _COVERS[:2]],
    )
    files = [
        attachment("cover.jpg", "image/jpeg", image(_COVERS[0]), 1),
        attachment("letters.ttf", "font/ttf", bytes(90 * KB), 2),
    ]
    tracks = [track(1, 1, "V_VP9", ebml("e0", ebml("b0", 640), ebml("ba", 360))), track(2, 2, "A_OPUS")]
    for name, last in (("first", False), ("last", True)):
        yield Sample(
            f"covers-and-font-{name}.mkv",
            "Matroska",
            lambda last=last: matroska(
                5400.0, tracks, attachments=files, title=TEXTS["title"], last=last, size=300 * KB
            ),
            5400.0,
            texts("title"),
            "video/x-matroska",
            countable=False,
            facts={"has_cover": True, "cover_mime": "image/jpeg", "cover_size": 60 * KB},
            tracks=[Stream("video", "vp9"), Stream("audio", "opus")],
            covers=[Picture("image/jpeg", 60 * KB)],
        )


def _set_covers_id3(tags: Any) -> None:
    for picture in _COVERS:
        number = _NUMBERS[picture.type]
        tags.add(APIC(encoding=0, mime=picture.mime, type=number, desc=picture.type, data=image(picture)))


def _blocks() -> list[FlacPicture]:
    found = []
    for picture in _COVERS:
        block = FlacPicture()
        block.type, block.mime, block.data = _NUMBERS[picture.type], picture.mime, image(picture)
        found.append(block)
    return found


def _set_covers_flac(file: Any) -> None:
    for block in _blocks():
        file.add_picture(block)


def _set_covers_vorbis(file: Any) -> None:
    file["metadata_block_picture"] = [base64.b64encode(block.write()).decode() for block in _blocks()]


def _set_covers_asf(file: Any) -> None:
    values = []
    for picture in _COVERS:
        head = struct.pack("<BI", _NUMBERS[picture.type], picture.size)
        values.append(ASFByteArrayAttribute(head + f"{picture.mime}\0\0".encode("utf-16-le") + image(picture)))
    file["WM/Picture"] = values


def _set_covers_mp4(file: Any) -> None:
    kinds = {"image/jpeg": MP4Cover.FORMAT_JPEG, "image/png": MP4Cover.FORMAT_PNG}
    file["covr"] = [MP4Cover(image(picture), kinds[picture.mime]) for picture in _COVERS[:2]]

"""Tags as the samples of several formats have them: ID3v2 in UTF-16 and Latin-1, by hand or by mutagen, and APEv2."""

from __future__ import annotations

from typing import Any

import probe_bytes as by_hand
from mutagen.id3 import COMM, TALB, TCON, TDRC, TIT2, TPE1
from probe_bytes import frame
from probe_samples import TEXTS

LYRICS = "Low water, low water, the stones stand dry. " * 100
_ID3_NAMES = {"title": TIT2, "artist": TPE1, "album": TALB, "date": TDRC, "genre": TCON}
_APE_NAMES = {"title": "Title", "artist": "Artist", "album": "Album", "date": "Year", "genre": "Genre"}


def set_id3(tags: Any) -> None:
    """Adds `TEXTS` to an ID3 tag of mutagen."""
    for key, kind in _ID3_NAMES.items():
        tags.add(kind(encoding=3, text=TEXTS[key]))
    tags.add(COMM(encoding=3, lang="eng", desc="", text=TEXTS["comment"]))


def id3_frames(version: int = 3) -> list[bytes]:
    """`TEXTS` as frames of a version: title and artist in UTF-16, the rest in Latin-1."""
    names = {2: ("TT2", "TP1", "TAL", "TYE", "TCO", "COM")}.get(
        version, ("TIT2", "TPE1", "TALB", "TDRC" if version == 4 else "TYER", "TCON", "COMM")
    )
    bodies = [b"\1" + TEXTS[key].encode("utf-16") for key in ("title", "artist")]
    bodies += [b"\0" + TEXTS[key].encode("ascii") for key in ("album", "date", "genre")]
    bodies.append(b"\0eng\0" + TEXTS["comment"].encode("ascii"))
    return [frame(name, body, version) for name, body in zip(names, bodies, strict=True)]


def ape_tag(picture: int = 0) -> bytes:
    """`TEXTS` but for the comment, and a picture of so many bytes before them."""
    return by_hand.ape([(name, TEXTS[key].encode()) for key, name in _APE_NAMES.items()], picture)

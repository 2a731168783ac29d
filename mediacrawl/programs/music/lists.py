"""Playlists and cue sheets in code pages: which one it is, and the same list in UTF-8.

A list keeps its name, also ``.m3u``, because players refer to it. A line ``#EXTENC:UTF-8`` is added behind ``#EXTM3U``;
one that names another encoding is a hint, and is replaced. URLs keep their bytes, written as ``%XX``: in UTF-8 they
would be other URLs. File names must still refer to their files: a list stays where the name of a file on the disk is in
the code page too.
"""

from __future__ import annotations

import codecs
import os
import re
from dataclasses import dataclass
from pathlib import Path

from mediacrawl.base.terms import Tag
from mediacrawl.encoding import Hints, detect
from mediacrawl.programs.music.deciding import DecidedText
from mediacrawl.programs.music.originals import RefusedError

_LARGEST = 4 << 20
_LOOKED_AT = 64
"""Texts of a list that decide on its encoding."""
_LONGEST = 400
_MARKS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_UNSURE = 1.0
"""Nats below which the list stays as it is, as a tag does."""
_ADDRESS = re.compile(rb"^(?:File\d{1,6}=)?[a-z]{2,20}://[^\r\n]*", re.IGNORECASE | re.MULTILINE)
"""A line with the address of a stream."""
_BEYOND_ASCII = re.compile(rb"[\x80-\xff]")
_DECLARED = re.compile(rb"^(#EXTENC:[ \t]{0,40})([A-Za-z0-9._-]{1,40})[^\r\n]*", re.IGNORECASE | re.MULTILINE)
_FILE = re.compile(rb'(?:File\d{1,6}=|\s{0,40}FILE\s+"|(?!#))([^"\r\n]+)', re.IGNORECASE)
"""A line with the name of a file: of PLS, of a cue sheet, of M3U."""
_AROUND = re.compile(rb'[\\/="]')
"""What formats put between the texts of a line."""


@dataclass(frozen=True, slots=True)
class NewList:
    """A list in UTF-8, the confidence of its encoding (0 to 1), and the lines that change."""

    data: bytes
    confidence: float
    lines: list[DecidedText]


def read_list(path: Path) -> bytes:
    """Return the bytes of a list.

    Raises:
        RefusedError: it is too long for one.
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        data = file.read(_LARGEST + 1)
    if len(data) > _LARGEST:
        raise RefusedError("it is too long for a list")
    return data


def new_list(path: Path, data: bytes) -> NewList | None:
    """Return the list in UTF-8; None if it is Unicode already, or its encoding is not known.

    Raises:
        RefusedError: it has a line in another encoding, or it would not lead to its files any more.
    """
    # RFC 3986, 2.1: so written, a URL stays the same in UTF-8.
    legible = _ADDRESS.sub(lambda line: _BEYOND_ASCII.sub(lambda found: b"%%%02X" % found[0][0], line[0]), data)
    if data.startswith(_MARKS) or "\ufffd" not in legible.decode(errors="replace"):
        return None
    declared = _DECLARED.search(legible)
    texts = dict.fromkeys(text for line in legible.splitlines() for text in _AROUND.split(line) if not text.isascii())
    hints = Hints(declared=declared[2].decode() if declared else "")
    found = detect([text[:_LONGEST] for text in texts][:_LOOKED_AT], hints)
    if found.encoding in {"utf-8", "ascii"} or found.encoding.startswith("utf-16") or found.margin < _UNSURE:
        return None
    legible = _DECLARED.sub(rb"\1UTF-8", legible)
    decided = {"encoding": found.encoding, "confidence": found.confidence}
    lines = []
    for number, (old, raw) in enumerate(zip(data.splitlines(), legible.splitlines(), strict=True), 1):
        try:
            new = raw.decode(found.encoding)
        except (UnicodeDecodeError, LookupError) as error:
            raise RefusedError(f"most of it is in {found.encoding}, but line {number} is not") from error
        if new.encode() != old:
            _refuse_lost(path, old, found.encoding)
            place = f"line {number}"
            tag = Tag(path.suffix.lower().lstrip("."), place, place, "latin-1", old, old.decode("latin-1"))
            lines.append(DecidedText(tag, decided | {"text": new}))
    text = legible.decode(found.encoding)
    if path.suffix.lower() == ".m3u" and not declared:
        text = re.sub(r"\A(\s*#EXTM3U[ \t]*)(\r?\n)", r"\1\2#EXTENC:UTF-8\2", text, flags=re.IGNORECASE)
    return NewList(text.encode(), found.confidence, lines)


def _refuse_lost(path: Path, line: bytes, encoding: str) -> None:
    """Raise RefusedError if a line leads to a file by the bytes of its name, and would not in UTF-8."""
    found = _FILE.match(line)
    if found is None or b"://" in line or b"\0" in line:
        return
    name = found[1].strip()
    text = name.decode(encoding, "replace")
    # Paths of bytes, since the name may be no UTF-8.
    then = path.parent / text.replace("\\", "/")
    now = [os.path.join(os.fsencode(path.parent), raw) for raw in (name, name.replace(b"\\", b"/"))]  # noqa: PTH118
    if "\0" not in text and any(map(os.path.lexists, now)) and not os.path.lexists(then):
        raise RefusedError(f"it names {text}, whose name on the disk is in {encoding} too; rename that file first")

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
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from mediacrawl.encoding import Hints, detect
from mediacrawl.encoding.languages import all_priors
from mediacrawl.music.originals import RefusedError

_LARGEST = 4 << 20
_LOOKED_AT = 64
"""Texts of a list that decide on its encoding."""
_LONGEST = 400
_NAMED = 0.99
"""Confidence of an encoding in which the name of a file is found."""
_MOST_NAMES = 200
_MARKS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_UNSURE = 1.0
"""Nats below which the list stays as it is, as a tag does."""
_VALUE = re.compile(
    rb'#EXTINF:[^,\r\n]{0,200},|(?:File|Title)\d{1,6}=|\s{0,40}[A-Z]{2,20} (?:[A-Z]{2,20} )?"?', re.IGNORECASE
)
"""What a format puts before a text."""
_CUE_FILE = re.compile(rb'\s{0,40}FILE\s+"([^"\r\n]+)"', re.IGNORECASE)
_DECLARED = re.compile(rb"^#EXTENC:[ \t]{0,40}([A-Za-z0-9._-]{1,40})", re.IGNORECASE | re.MULTILINE)
_DECLARED_TEXT = re.compile(r"^(#EXTENC:[ \t]{0,40})[^\r\n]*", re.IGNORECASE | re.MULTILINE)
_SURROGATE = re.compile("[\ud800-\udfff]")
_BEYOND_ASCII = re.compile(rb"[\x80-\xff]")
_PLS_FILE = re.compile(rb"File\d{1,6}=([^\r\n]+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class NewList:
    """A list in UTF-8, the encoding it had with its confidence (0 to 1), and the lines that change.

    A line is its number, the old bytes, and the new text.
    """

    data: bytes
    encoding: str
    confidence: float
    lines: list[tuple[int, bytes, str]]


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
    if data.startswith(_MARKS):
        return None
    # RFC 3986, 2.1: so written, a URL stays the same in UTF-8.
    lines = [
        _BEYOND_ASCII.sub(lambda found: b"%%%02X" % found[0][0], line) if _is_address(path, line) else line
        for line in data.splitlines(keepends=True)
    ]
    legible = b"".join(lines)
    if legible.isascii() or _is_utf8(legible):
        return None
    encoding, confidence = _encoding(path, legible)
    if not encoding:
        return None
    try:
        text = _DECLARED_TEXT.sub(r"\g<1>UTF-8", legible.decode(encoding))
    except (UnicodeDecodeError, LookupError) as error:
        line = data.count(b"\n", 0, getattr(error, "start", 0)) + 1
        raise RefusedError(f"most of it is in {encoding}, but line {line} is not") from error
    for raw in _files(path, data):
        _refuse_lost(path, raw, encoding)
    old, new = data.splitlines(), text.encode().splitlines()
    changed = [
        (number, before, after.decode())
        for number, (before, after) in enumerate(zip(old, new, strict=False), 1)
        if before != after
    ]
    return NewList(_marked(path, text).encode(), encoding, confidence, changed)


def _is_address(path: Path, line: bytes) -> bool:
    """Whether a line is the address of a stream."""
    suffix = path.suffix.lower()
    return (
        b"://" in line
        and suffix != ".cue"
        and not line.startswith(b"#")
        and (suffix != ".pls" or _PLS_FILE.match(line) is not None)
    )


def _encoding(path: Path, data: bytes) -> tuple[str, float]:
    """Return the encoding of a list and its confidence; empty if not known. The names of its files decide."""
    named = _named_in(path, data)
    # Code pages of one alphabet share most of their letters.
    if named and len({data.decode(encoding, "replace") for encoding in named}) == 1:
        return named[0], _NAMED
    texts = list(dict.fromkeys(_texts(data)))[:_LOOKED_AT]
    declared = _DECLARED.search(data)
    hints = Hints(declared=declared[1].decode() if declared else "", known=tuple(_names(path)))
    found = detect(texts, hints)
    if found.encoding in {"utf-8", "ascii"} or found.encoding.startswith("utf-16") or found.margin < _UNSURE:
        return "", 0.0
    return found.encoding, found.confidence


def _named_in(path: Path, data: bytes) -> list[str]:
    """Return the encodings in which a list names most of the files in its folder."""
    encodings = sorted({encoding for encoding, _ in all_priors()} - {"utf-8"})
    met: Counter[str] = Counter()
    for name in _names(path):
        for encoding in encodings:
            try:
                met[encoding] += name.encode(encoding) in data
            except UnicodeEncodeError:
                continue
    most = max(met.values(), default=0)
    return [encoding for encoding, count in met.items() if most and count == most]


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _texts(data: bytes) -> Iterator[bytes]:
    """Yield the texts of the lines beyond ASCII, without what the format puts before them."""
    for line in data.splitlines():
        if not line.isascii():
            text = _VALUE.sub(b"", line, count=1) if _VALUE.match(line) else line
            yield from (part[:_LONGEST] for part in re.split(rb"[\\/]", text.strip(b' "')) if not part.isascii())


def _names(path: Path) -> Iterator[str]:
    """Yield names in the list's folder: a reading that agrees with one of them is the right one."""
    try:
        with os.scandir(path.parent) as entries:
            for _, entry in zip(range(_MOST_NAMES), entries, strict=False):
                # A name that is no UTF-8 has lone surrogates.
                if not entry.name.isascii() and not _SURROGATE.search(entry.name):
                    yield entry.name
    except OSError:
        return


def _files(path: Path, data: bytes) -> Iterator[bytes]:
    """Yield the names of files in a list that are not ASCII, as written."""
    suffix = path.suffix.lower()
    for line in data.splitlines():
        if line.isascii():
            continue
        if suffix in {".cue", ".pls"}:
            found = (_CUE_FILE if suffix == ".cue" else _PLS_FILE).match(line)
            if found:
                yield found[1]
        elif not line.startswith(b"#"):
            yield line.strip()


def _refuse_lost(path: Path, raw: bytes, encoding: str) -> None:
    """Raises RefusedError if a name leads to a file by its bytes, and would not in UTF-8."""
    folder = os.fsencode(path.parent)
    text = raw.decode(encoding)
    if b"://" in raw or "\0" in text or b"\0" in raw:
        return
    now, then = raw.replace(b"\\", b"/"), text.replace("\\", "/").encode()
    if any(os.path.lexists(os.path.join(folder, name)) for name in (raw, now)) and not os.path.lexists(  # noqa: PTH118
        os.path.join(folder, then)  # noqa: PTH118 - bytes, which a Path does not take
    ):
        raise RefusedError(f"it names {text}, whose name on the disk is in {encoding} too; rename that file first")


def _marked(path: Path, text: str) -> str:
    if path.suffix.lower() != ".m3u" or "#EXTENC" in text.upper():
        return text
    head, end, rest = text.partition("\n")
    if head.strip().upper() != "#EXTM3U" or not end:
        return text
    return_ = "\r" if head.endswith("\r") else ""
    return f"{head}\n#EXTENC:UTF-8{return_}\n{rest}"

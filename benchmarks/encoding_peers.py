"""Other programs that tell encodings or mend texts, as functions of one form. One that is not installed is named.

What they say is taken kindly: the larger encoding where they name one that another contains (cp932 for Shift_JIS), a
last character that is cut in two dropped, and whole records given to them at once, fields apart by a line feed.
"""

from __future__ import annotations

import codecs
import warnings
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import NamedTuple

from encoding_units import ALL_ENCODINGS

Read = Callable[[Sequence[bytes], str], Sequence[str]]
"""The fields of one record and the top-level domain of its host; answers the texts."""
Mend = Callable[[Sequence[str]], Sequence[str]]
"""The texts of one record as they are stored; answers what they were."""
Name = Callable[[bytes, str], str | None]
"""Bytes and a top-level domain; answers the name of an encoding."""

LARGER = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "big5": "cp950",
    "big5hkscs": "cp950",
}
"""Encodings that another one contains."""
UNKNOWN_TO_PYTHON = {"windows-874": "cp874", "x-mac-cyrillic": "mac_cyrillic", "iso-8859-8-i": "iso8859_8"}


class Peers(NamedTuple):
    """What is installed, by name, and the names of what is not."""

    readers: dict[str, Read]
    menders: dict[str, Mend]
    missing: list[str]


@cache
def peers() -> Peers:
    readers: dict[str, Read] = {"latin-1 as is": lambda raws, _: [raw.decode("latin-1") for raw in raws]}
    menders: dict[str, Mend] = {}
    missing = []
    known = {
        "charset-normalizer": _charset_normalizer,
        "faust-cchardet": _cchardet,
        "chardet": _chardet,
        "chardetng_py": _chardetng,
        "ftfy": _ftfy,
    }
    for package, add in known.items():
        try:
            add(readers, menders)
        except ImportError:
            missing.append(package)
    return Peers(readers, menders, missing)


def _charset_normalizer(readers: dict[str, Read], _: dict[str, Mend]) -> None:
    import charset_normalizer as library  # noqa: PLC0415 - peers need not be there

    def name(raw: bytes, _: str) -> str | None:
        best = library.from_bytes(raw).best()
        return best.encoding if best else None

    readers[f"charset-normalizer {library.__version__}"] = partial(read_with, name)


def _cchardet(readers: dict[str, Read], menders: dict[str, Mend]) -> None:
    import cchardet as library  # noqa: PLC0415

    def name(raw: bytes, _: str) -> str | None:
        return library.detect(raw)["encoding"]

    readers[f"faust-cchardet {library.__version__}"] = partial(read_with, name)
    menders["latin-1, then cchardet"] = partial(mend_with, name)


def _chardet(readers: dict[str, Read], menders: dict[str, Mend]) -> None:
    import chardet as library  # noqa: PLC0415

    def name(raw: bytes, _: str) -> str | None:
        return library.detect(raw)["encoding"]

    readers[f"chardet {library.__version__}"] = partial(read_with, name)
    menders["latin-1, then chardet"] = partial(mend_with, name)
    try:
        # It knows EUC-JP by that name only.
        known = [name for name in (*ALL_ENCODINGS, "euc-jp") if _takes(library, name)]
    except TypeError:
        return  # before chardet 6 there is no list of candidates

    def name_of_ours(raw: bytes, _: str) -> str | None:
        return library.detect(raw, include_encodings=known)["encoding"]

    readers[f"chardet {library.__version__}, our list"] = partial(read_with, name_of_ours)


def _takes(library: object, encoding: str) -> bool:
    try:
        with warnings.catch_warnings(action="ignore"):
            library.detect(b"\xe1", include_encodings=[encoding])  # type: ignore[attr-defined]
    except ValueError:
        return False
    return True


def _chardetng(readers: dict[str, Read], menders: dict[str, Mend]) -> None:
    from importlib.metadata import version  # noqa: PLC0415

    import chardetng_py as library  # noqa: PLC0415

    def name(raw: bytes, tld: str) -> str | None:
        detector = library.EncodingDetector()
        detector.feed(raw, last=True)
        encoding: str = detector.guess(tld=tld.encode() or None, allow_utf8=True)
        return encoding

    readers[f"chardetng_py {version('chardetng_py')}"] = partial(read_with, name)
    menders["latin-1, then chardetng"] = partial(mend_with, name)


def _ftfy(_: dict[str, Read], menders: dict[str, Mend]) -> None:
    import ftfy as library  # noqa: PLC0415

    menders[f"ftfy {library.__version__} fix_text"] = lambda texts: list(map(library.fix_text, texts))
    menders[f"ftfy {library.__version__} fix_encoding"] = lambda texts: list(map(library.fix_encoding, texts))


def read_with(name: Name, raws: Sequence[bytes], tld: str) -> list[str]:
    encoding = codec(name(b"\n".join(raws), tld))
    return [decoded(raw, encoding) for raw in raws]


def decoded(raw: bytes, encoding: str) -> str:
    """The text; a last character that is cut in two is dropped, any other damage shows as U+FFFD."""
    return codecs.getincrementaldecoder(encoding)("replace").decode(raw, final=False)


@cache
def codec(name: str | None) -> str:
    """The Python codec for what a peer says; cp1252 for what is none, for nothing, and for UTF-16 and UTF-32."""
    try:
        known = codecs.lookup(UNKNOWN_TO_PYTHON.get((name or "").lower(), name or "cp1252")).name
    except LookupError:
        return "cp1252"
    return "cp1252" if known.startswith(("utf-16", "utf-32")) else LARGER.get(known, known)


def mend_with(name: Name, texts: Sequence[str]) -> list[str]:
    """Takes texts back to the bytes they were read from, and asks what these are."""
    raws = [latin_bytes(text) for text in texts]
    encoding = codec(name(b"\n".join(raw for raw in raws if raw is not None), ""))
    if encoding == "cp1252":
        return list(texts)
    return [text if raw is None else decoded(raw, encoding) for text, raw in zip(texts, raws, strict=True)]


def latin_bytes(text: str) -> bytes | None:
    """Bytes of a text that was read as Latin-1 or cp1252; None if it was read as neither."""
    try:
        return text.translate(_back()).encode("latin-1")
    except UnicodeEncodeError:
        return None


@cache
def _back() -> dict[int, int]:
    pairs = ((byte, bytes((byte,)).decode("cp1252", "ignore")) for byte in range(0x80, 0xA0))
    return {ord(char): byte for byte, char in pairs if char}

"""Everything that is measured, by name: other programs that tell encodings or mend texts, and mediacrawl last.

A peer that is not installed is named. What peers answer is taken kindly: the larger encoding where they name one that
another contains (cp932 for Shift_JIS), a last character that is cut in two dropped, and whole records given to them at
once, fields apart by a line feed.
"""

from __future__ import annotations

import codecs
import warnings
from collections.abc import Callable, Sequence
from functools import cache, partial
from importlib.metadata import version

from encoding_units import ENCODINGS, Unit

from mediacrawl.encoding import detect, models, repair
from mediacrawl.encoding.languages import LANGUAGES

OURS = "mediacrawl"

Reader = Callable[[Unit], Sequence[str]]
"""Returns the texts of a unit; of the unit itself it reads the bytes only."""
Mender = Callable[[Sequence[str]], Sequence[str]]
"""Takes the texts of one record as they are stored; returns what they were."""
Name = Callable[[bytes], str | None]
"""Takes bytes; returns the name of an encoding."""

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


@cache
def readers() -> dict[str, Reader]:
    """Return all programs that tell encodings."""
    found: dict[str, Reader] = {}
    for label, name in _namers().items():
        found[label] = partial(read_with, name)
    found[OURS] = lambda unit: detect(unit.raws).texts
    return found


@cache
def menders() -> dict[str, Mender]:
    """Return all programs that mend texts that were stored wrongly."""
    found: dict[str, Mender] = {
        f"latin-1, then {label}": partial(mend_with, name) for label, name in _namers().items() if "," not in label
    }
    try:
        import ftfy  # noqa: PLC0415 - peers need not be there
    except ImportError:
        print("not installed, so not measured: ftfy (pip install --group bench)")
    else:
        found["ftfy fix_text"] = lambda texts: list(map(ftfy.fix_text, texts))
        found["ftfy fix_encoding"] = lambda texts: list(map(ftfy.fix_encoding, texts))
    found[OURS] = lambda texts: repair(texts).texts
    return found


@cache
def _namers() -> dict[str, Name]:
    found: dict[str, Name] = {}
    peers = {"chardet": _chardet, "chardetng_py": _chardetng, "charset-normalizer": _charset_normalizer}
    for package, names in peers.items():
        try:
            found |= names()
        except ImportError:
            print(f"not installed, so not measured: {package} (pip install --group bench)")
    return found


def _chardet() -> dict[str, Name]:
    import chardet  # noqa: PLC0415

    label = f"chardet {chardet.__version__}"
    found: dict[str, Name] = {label: lambda raw: chardet.detect(raw)["encoding"]}
    try:
        # It knows EUC-JP by that name only.
        ours = sorted({name for names in ENCODINGS.values() for name in names} | {"euc-jp"})
        known = [name for name in ours if _takes(chardet, name)]
    except TypeError:
        return found  # before chardet 6 there is no list of candidates
    found[f"{label}, our list"] = lambda raw: chardet.detect(raw, include_encodings=known)["encoding"]
    return found


def _takes(library: object, encoding: str) -> bool:
    try:
        with warnings.catch_warnings(action="ignore"):
            library.detect(b"\xe1", include_encodings=[encoding])  # type: ignore[attr-defined]
    except ValueError:
        return False
    return True


def _chardetng() -> dict[str, Name]:
    import chardetng_py  # noqa: PLC0415

    def name(raw: bytes) -> str | None:
        detector = chardetng_py.EncodingDetector()
        detector.feed(raw, last=True)
        encoding: str = detector.guess(tld=None, allow_utf8=True)
        return encoding

    return {f"chardetng_py {version('chardetng_py')}": name}


def _charset_normalizer() -> dict[str, Name]:
    import charset_normalizer  # noqa: PLC0415

    def name(raw: bytes) -> str | None:
        best = charset_normalizer.from_bytes(raw).best()
        return best.encoding if best else None

    return {f"charset-normalizer {charset_normalizer.__version__}": name}


def read_with(name: Name, unit: Unit) -> list[str]:
    """Return the texts of a unit by the encoding that a program names."""
    encoding = codec(name(b"\n".join(unit.raws)))
    return [decoded(raw, encoding) for raw in unit.raws]


def decoded(raw: bytes, encoding: str) -> str:
    """Return the text; a last character that is cut in two is dropped, any other damage shows as U+FFFD."""
    return codecs.getincrementaldecoder(encoding)("replace").decode(raw, final=False)


@cache
def codec(name: str | None) -> str:
    """Return the Python codec for a peer's name; cp1252 for what is none, for nothing, and for UTF-16 and UTF-32."""
    try:
        known = codecs.lookup(UNKNOWN_TO_PYTHON.get((name or "").lower(), name or "cp1252")).name
    except LookupError:
        return "cp1252"
    return "cp1252" if known.startswith(("utf-16", "utf-32")) else LARGER.get(known, known)


def mend_with(name: Name, texts: Sequence[str]) -> list[str]:
    """Take texts back to the bytes they were read from, and return what a program reads in these."""
    raws = [latin_bytes(text) for text in texts]
    encoding = codec(name(b"\n".join(raw for raw in raws if raw is not None)))
    if encoding == "cp1252":
        return list(texts)
    return [text if raw is None else decoded(raw, encoding) for text, raw in zip(texts, raws, strict=True)]


def latin_bytes(text: str) -> bytes | None:
    """Return the bytes of a text that was read as Latin-1 or cp1252; None if it was read as neither."""
    try:
        return text.translate(_back()).encode("latin-1")
    except UnicodeEncodeError:
        return None


@cache
def _back() -> dict[int, int]:
    pairs = ((byte, bytes((byte,)).decode("cp1252", "ignore")) for byte in range(0x80, 0xA0))
    return {ord(char): byte for byte, char in pairs if char}


def load_all() -> None:
    """Unpack all models of mediacrawl, which otherwise happens one by one, when each is first needed."""
    trained = models.in_use()
    for language in LANGUAGES.values():
        if language.letters:
            trained.letters(language.code).cost(bytes(1))  # any word unpacks the trigrams
        else:
            trained.characters(language.code)

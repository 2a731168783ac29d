"""Detection of the encoding of a whole document: a page, a feed, a playlist.

A document is decided once, before it is split into fields: its thousands of bytes are more evidence than any title.

1. A declared encoding stays if the document decodes with it, in the order of the standard that the caller follows (byte
order mark, header, declaration inside). 2. Without such a declaration it is UTF-8 if it decodes as UTF-8. 3. Else
`detector` decides on its text without markup, with hints. 4. chardet is used where the models abstain, or where its
reading is much cheaper: it knows encodings without a model here (Johab, KOI8-T, cp720, Mac Greek). The result is
marked as chardet's. 5. Else it is windows-1252, the fallback of browsers.

A document decodes if what fails is a small share of what is beyond ASCII (`_SHARE`): the last character may be cut,
and a page in UTF-8 may contain a comment in another encoding, or quotation marks of windows-1252.
"""

from __future__ import annotations

import codecs
import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from typing import Any, Final, Literal, NamedTuple

from mediacrawl.base.charsets import CHARDET, ESCAPE, HZ_OPENS, DocumentReading, is_codec
from mediacrawl.encoding.codepages import STEP
from mediacrawl.encoding.decision import FieldDecision, Hints
from mediacrawl.encoding.detection.detector import detect_record
from mediacrawl.encoding.detection.forms import order_by_zeros, torn_utf8, without_cut
from mediacrawl.encoding.languages import LANGUAGES, codec_name
from mediacrawl.encoding.pricing.decoding import decode_single
from mediacrawl.encoding.pricing.reading import read

DecidedBy = Literal["bom", "header", "meta", "xml", "ascii", "utf-8", "utf-16", "models", "chardet", "default"]
"""The source of the decision: a declaration (``bom``, ``header``, ``meta``, ``xml``), the bytes (``ascii``, ``utf-8``,
``utf-16``), the models, chardet, or the fallback to windows-1252 (``default``)."""

_ESTIMATED: Final = frozenset({"models", "chardet", "default"})
"""Decisions that neither a declaration nor the form of the bytes proves."""

_SHARE: Final = 50
"""A declared encoding holds if at most one in so many characters beyond ASCII fails; for UTF-8 see `forms.TornText`.
One in 25 bytes of Cyrillic UTF-8 is undefined in windows-1252."""

_SHARE_OF_PAIRS: Final = 20
"""The same for encodings of several bytes. Two bytes often are a character of a Chinese encoding by chance."""

_FOUR_BYTES: Final = b"\xb0\xa1\xb0\xa1"
"""Two characters in the encodings of several bytes, four in others and in Shift-JIS."""

_WINDOW: Final = 128 * 1024
"""Bytes in which text is searched, from the first one beyond ASCII."""

_BEFORE: Final = 2_048

_PIECE: Final = 384
"""Bytes of a sample piece; the models price the first 400 of a field."""

_MOST_PIECES: Final = 10

_ENOUGH: Final = 64
"""Bytes beyond ASCII below which text in attributes and scripts is sampled as well."""

_FOR_CHARDET: Final = 16 * 1024
_LONGEST_ASKED: Final = 1024 * 1024
"""Bytes of a field that chardet may decide; longer ones are no texts of a media file."""

_LEAST_FOR_CHARDET: Final = 24
"""Bytes beyond ASCII that chardet needs; for a single title the models are better."""

_SURE: Final = 0.9

_POOR: Final = {False: 3.2 * STEP, True: 8.0 * STEP}
"""Cost of a character above which a reading is doubtful, for alphabets and for CJK. Titles in their own encoding cost
2.0 to 4.2 nats and 6.0 to 7.3 nats; those in one without a model 3.6 to 14 in the best reading."""

_BY_FAR: Final = 0.85
"""chardet's reading is used if it costs at most this share of the models' reading."""

_HEAD: Final = 4_096
_LEAST_ZEROS: Final = 4
"""One unit of UTF-16 in so many is ASCII: markup, spaces, digits."""

_SHIFTS: Final = (ESCAPE, HZ_OPENS)
_SHIFTING: Final = ("iso2022", "hz")
_LONGEST_SHIFTED: Final = 4_096
_CDATA = re.compile(rb"<!\[CDATA\[|\]\]>")

_MARKUP = re.compile(
    rb"<(script|style)\b[^<>]*+>.*?(?:</\1|\Z)|<!--.*?(?:-->|\Z)|<[/!?a-zA-Z][^<>]*+>|&#?\w{1,10};",
    re.DOTALL | re.IGNORECASE,
)

_PART = re.compile(rb".{1,%d}\Z|.{%d,%d} |.{1,%d}" % (_PIECE, _PIECE // 2, _PIECE - 1, _PIECE))
"""A piece of a line, cut at a blank where there is one."""

_ODD = re.compile(rb"[\x80-\xff]")
_HIGH: Final = bytes(range(128, 256))
_ODD_WORD = re.compile(r"[A-Za-z]*+[^\x00-\x7f][A-Za-z\x80-\U0010ffff]*+")
_TO_LINES: Final = bytes.maketrans(b"\r\0", b"\n\n")
_CJK: Final = frozenset({"ja", "ko", "zh-Hans", "zh-Hant"})


@dataclass(frozen=True, slots=True)
class DecodedDocument:
    """A document as text, with the decision on its encoding.

    Attributes:
        text: all of it; U+FFFD where bytes do not decode. A truncated last character is left out.
        encoding: that it was decoded with, as a Python codec name.
        language: most likely one (``ru``), if models or chardet decided; else empty.
        confidence: that the decision is right, 0 to 1: 1 for a declaration, else that of the models or of chardet,
            which cannot be compared.
        decided_by: see `DecidedBy`.
        lost: number of characters that do not decode.
        is_whole: whether `text` in `encoding` gives the same bytes: nothing was lost or truncated.
    """

    text: str
    encoding: str
    language: str = ""
    confidence: float = 1.0
    decided_by: DecidedBy = "ascii"
    lost: int = 0
    is_whole: bool = True

    @property
    def is_estimated(self) -> bool:
        """Whether neither a declaration nor the form of the bytes proves the encoding."""
        return self.decided_by in _ESTIMATED

    @property
    def reading(self) -> str:
        """The decision as texts from this document note it, see `DocumentReading`."""
        if not self.is_estimated:
            return self.encoding
        return DocumentReading(self.encoding, self.decided_by, self.language, self.confidence).noted()

    @classmethod
    def of(
        cls, raw: bytes, claims: Iterable[tuple[str, DecidedBy]] = (), hints: Callable[[], Hints] = Hints
    ) -> DecodedDocument:
        """Decode a whole document. Never raises.

        The models look at 128 KB of a document at most, chardet at 16 KB; all of it is decoded.

        Args:
            raw: the document without its byte order mark, perhaps truncated inside a character.
            claims: encodings that are declared, as Python codec names, and where: ``bom``, ``header``, ``meta`` or
                ``xml``; in the order of precedence. Unknown encodings are ignored. Iterated up to the first that holds.
            hints: called if models decide; ``page_language``, ``tld``, ``seen`` (counts of this host) and ``anchor`` (a
                text about the document, such as that of a link to it) are used.
        """
        return _decide(raw, claims, hints)

    @staticmethod
    def bytes_of(text: str, reading: DocumentReading) -> bytes | None:
        """Return the bytes of a text in its document; None if the encoding of the document cannot hold it."""
        encoding = reading.encoding
        ours = encoding if reading.by == CHARDET or encoding == "latin-1" else codec_name(encoding)
        if not ours or not is_codec(encoding):
            return None
        try:
            raw = text.encode(encoding)
            return raw if raw.decode(ours) == text else None
        except UnicodeError:
            return None


def _decide(raw: bytes, claims: Iterable[tuple[str, DecidedBy]], hints: Callable[[], Hints]) -> DecodedDocument:
    for encoding, by in claims:
        found = _decoded(raw, encoding)
        if found is not None and found.holds:
            return DecodedDocument(found.text, encoding, "", 1.0, by, found.lost, found.is_whole)
    # Also two bytes a character that are all below 128, as Cyrillic has them in UTF-16.
    if order := order_by_zeros(raw[:_HEAD], _LEAST_ZEROS):
        text = codecs.getincrementaldecoder(order)("replace").decode(raw)
        return DecodedDocument(text, order, decided_by="utf-16")
    if raw.isascii():
        return _shifted(raw) or DecodedDocument(raw.decode("ascii"), "utf-8")
    found = _decoded(raw, "utf-8")
    if found is not None and found.holds:
        return DecodedDocument(found.text, "utf-8", "", 1.0, "utf-8", found.lost, found.is_whole)
    return _estimated(raw, hints())


def _shifted(raw: bytes) -> DecodedDocument | None:
    """Return a document of bytes below 128 if it is ISO-2022 or HZ."""
    at = min((place for mark in _SHIFTS if (place := raw.find(mark)) >= 0), default=-1)
    if at < 0:
        return None
    piece = raw[max(at - _BEFORE, 0) : at + _FOR_CHARDET]
    found = detect_record([piece[:_LONGEST_SHIFTED]])
    answer: _Answer | None = _Answer(found.encoding, found.language, found.confidence, "models")
    if not found.encoding.startswith(_SHIFTING):
        answer = _chardet_answer(piece)
    return _read(raw, answer) if answer is not None and answer.encoding.startswith(_SHIFTING) else None


class _Decoded(NamedTuple):
    text: str
    lost: int = 0
    is_whole: bool = True
    holds: bool = True


def _decoded(raw: bytes, encoding: str) -> _Decoded | None:
    """Return the text, how many characters do not decode, and whether so few; None for codecs of something else."""
    try:
        return _Decoded(raw.decode(encoding))
    except UnicodeDecodeError:
        pass
    except (LookupError, ValueError):
        return None
    if encoding in ("utf-8", "utf_8", "utf8"):
        torn = torn_utf8(without_cut(raw))
        return _Decoded(
            torn.text, torn.text.count("\ufffd"), is_whole=False, holds=torn.holds or not torn.mended + torn.others
        )
    try:
        # Not final: a truncated last character is no error.
        text = codecs.getincrementaldecoder(encoding)("replace").decode(raw)
    except (LookupError, ValueError):
        return None
    lost, odd = text.count("\ufffd"), len(text) - len(text.encode("ascii", "ignore"))
    share = _SHARE if len(_FOUR_BYTES.decode(encoding, "replace")) == 4 else _SHARE_OF_PAIRS
    return _Decoded(text, lost, is_whole=False, holds=lost * share <= odd)


# -- where nothing valid is declared ----------------------------------------------------------------------------------


def _estimated(raw: bytes, hints: Hints) -> DecodedDocument:
    pieces = sample_of(raw)
    found = detect_record(pieces, replace(hints, declared="latin-1", page_charset="", known=()))
    answer = _Answer(_codec(found.encoding), found.language, found.confidence, "models")
    ours = _read(raw, answer)
    theirs = _by_chardet(raw, pieces, answer if ours is not None else _Answer("", "", 0.0, "models"))
    return theirs or ours or DecodedDocument(decode_single(raw, "cp1252"), "cp1252", "", 0.0, "default")


class _Answer(NamedTuple):
    encoding: str
    language: str
    confidence: float
    by: DecidedBy


def _read(raw: bytes, answer: _Answer) -> DecodedDocument | None:
    """Return the document in an encoding; None if it does not decode."""
    if answer.encoding == "cp1252":
        return DecodedDocument(decode_single(raw, "cp1252"), *answer)
    found = _decoded(raw, answer.encoding) if answer.encoding else None
    if found is None or not found.holds:
        return None
    return DecodedDocument(found.text, *answer, found.lost, found.is_whole)


def chardet_if_doubtful(raw: bytes, decided: FieldDecision) -> FieldDecision:
    """Decide a text of up to a million bytes with chardet if the models are in doubt. Never raises.

    Return chardet's decision if its reading is much cheaper; else, and for any Unicode or a short title, that of the
    models.
    """
    if len(raw) > _LONGEST_ASKED or decided.encoding.startswith(("utf-", "ascii", *_SHIFTING)):
        return decided
    ours = _Answer(_codec(decided.encoding), decided.language, decided.confidence, "models")
    found = _by_chardet(raw, sample_of(raw), ours)
    if found is None or found.text == decided.text:
        return decided
    return FieldDecision(
        found.text, found.encoding, found.language, found.confidence, decision="fixed", asked="chardet"
    )


def _by_chardet(raw: bytes, pieces: list[bytes], ours: _Answer) -> DecodedDocument | None:
    """Return the document in chardet's reading, if that of the models is doubtful and chardet's is much cheaper."""
    cost = _cost_in(pieces, ours.encoding) if ours.encoding else math.inf
    if ours.confidence >= _SURE and cost <= _POOR[ours.language in _CJK]:
        return None
    text = b"\n".join(pieces) if len(raw) > _FOR_CHARDET else raw
    if len(text) - len(text.translate(None, _HIGH)) < _LEAST_FOR_CHARDET:
        return None
    theirs = _chardet_answer(text[:_FOR_CHARDET])
    return _read(raw, theirs) if theirs is not None and _cost_in(pieces, theirs.encoding) < _BY_FAR * cost else None


def _codec(encoding: str) -> str:
    """Return the codec of a whole document for an encoding that `detect` reports; empty if there is none."""
    if encoding in ("latin-1", "ascii", ""):
        return "cp1252" if encoding == "latin-1" else ""
    # The whole document is neither UTF-8 nor UTF-16, as was tested before.
    return "" if ">" in encoding or encoding.startswith("utf-") else encoding


def _cost_in(pieces: Iterable[bytes], encoding: str) -> float:
    """Return the mean cost of a character in words beyond ASCII, each piece in its best language."""
    total, length = 0.0, 0
    for piece in pieces:
        found = _decoded(piece, encoding)
        text = "" if found is None else found.text
        odd = sum(map(len, _ODD_WORD.findall(text)))
        if odd:
            total += read(text).cost
            length += odd
    return total / length if length else 0.0


def _chardet_answer(text: bytes) -> _Answer | None:
    """Return the encoding that chardet reports; None if it cannot be that of a page."""
    # Imported on demand: it takes 40 ms.
    import chardet  # noqa: PLC0415

    said: dict[str, Any] = dict(chardet.detect(text))
    encoding = _python_name(said.get("encoding") or "")
    if not encoding or encoding in ("ascii", "utf-8"):
        return None
    language = str(said.get("language") or "")
    confidence = round(float(said.get("confidence") or 0.0), 4)
    return _Answer(encoding, language if language in LANGUAGES else "", confidence, "chardet")


@lru_cache(maxsize=64)
def _python_name(name: str) -> str:
    try:
        known = codecs.lookup(name).name
        # No page is in EBCDIC, in UTF-16 without zeros, or in a codec that is no encoding of text.
        return codec_name(known) or known if b"<a>".decode(known) == "<a>" else ""
    except (LookupError, ValueError):
        return ""


# -- the sample -------------------------------------------------------------------------------------------------------


def sample_of(raw: bytes) -> list[bytes]:
    """Return pieces of a document's text for the models: at most ten of 384 bytes, no line twice.

    Markup, scripts, styles and character references are left out, unless they hold nearly all that is beyond ASCII.
    The encoding is a superset of ASCII in which no second byte is ``<``, ``>`` or ``&``.
    """
    first = _ODD.search(raw)
    if first is None:
        return [raw[:_PIECE]]
    start = max(first.start() - _BEFORE, 0)
    window = raw[start : start + _WINDOW]
    text = _MARKUP.sub(b"\n", _CDATA.sub(b"\n", window))
    if len(text) - len(text.translate(None, _HIGH)) < _ENOUGH:
        text = re.sub(rb"[<>\"=]++", b"\n", window)
    found = text.translate(_TO_LINES).split(b"\n")
    lines = dict.fromkeys(b" ".join(line.split()) for line in found if not line.isascii())
    # The first line with a character beyond ASCII, then those with the most of them, combined to pieces.
    leading, *rest = list(lines) or [text]
    rest.sort(key=lambda line: len(line[:_PIECE]) - len(line[:_PIECE].translate(None, _HIGH)), reverse=True)
    pieces: list[bytes] = [b""]
    for line in (leading, *rest[: 4 * _MOST_PIECES]):
        for part in islice(_PART.findall(line), _MOST_PIECES):
            if len(pieces[-1]) + len(part) >= _PIECE:
                pieces.append(part)
            else:
                pieces[-1] = pieces[-1] + b"\n" + part if pieces[-1] else part
        if len(pieces) > _MOST_PIECES:
            break
    return [piece for piece in pieces[:_MOST_PIECES] if piece]

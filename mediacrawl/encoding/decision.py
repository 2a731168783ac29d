"""Arguments and results of `detect` and `repair`: `Hints`, `Detection`, `Repair`, and the check of argument types."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Final, TypeAlias
from urllib.parse import urlsplit

from mediacrawl.base.charsets import Seen
from mediacrawl.base.evidence import DecisionName
from mediacrawl.encoding.languages import codec_name

_UNSAID: Final = "latin-1"
"""The default of most containers."""


@dataclass(frozen=True, slots=True)
class Hints:
    """What else is known of the bytes.

    All of it is optional; hints shift priors, and a wrong one costs little.

    Attributes:
        declared: the encoding that the container declares, as a Python codec name: one for all fields, or one for each.
            None, for all or for one, means the default.
        tld: last label of the host, in lower case: ``ru``; that of `url` if it is not given.
        url: of the file or document.
        page_language: of the page that links here (``lang`` attribute, ``Content-Language``), BCP 47: ``pt-BR``.
        page_charset: of that page, as a Python codec name: ``cp1251``.
        tag_languages: the file's own (COMM, USLT, TLAN), ISO 639-2 or 639-1: ``("rus",)``.
        anchor: text around the link: anchor text, page title. Its script and letters are evidence of the language.
        known: texts of the same file, or next to its link, that are certainly right (a readable UTF-16 frame, say). A
            reading that equals one of them gets a bonus, which decides ID3v1 next to ID3v2.
        seen: counts of this host and folder (`History`).

    Raises:
        TypeError: `declared` is neither a name nor a sequence of names.
    """

    declared: str | tuple[str, ...] = _UNSAID
    tld: str = ""
    page_language: str = ""
    page_charset: str = ""
    tag_languages: tuple[str, ...] = ()
    anchor: str = ""
    known: tuple[str, ...] = ()
    seen: Seen = field(default_factory=dict)
    url: str = ""

    def __post_init__(self) -> None:
        """Normalize `declared`, and take `tld` of `url`."""
        if self.url and not self.tld:
            object.__setattr__(self, "tld", _top_level(self.url))
        declared: Any = _UNSAID if self.declared is None else self.declared
        if isinstance(declared, (tuple, list)):
            declared = tuple(_UNSAID if name is None else name for name in declared)
        if not all(isinstance(name, str) for name in (declared if isinstance(declared, tuple) else (declared,))):
            raise TypeError(
                "Hints(): declared must be the name of an encoding, or a tuple of one name for each field, but is"
                f" of type {type(self.declared).__name__}."
            )
        object.__setattr__(self, "declared", declared)


@lru_cache(maxsize=256)
def _top_level(url: str) -> str:
    """Return the last label of a URL's host, in lower case; empty for an IP address and for no URL."""
    try:
        label = (urlsplit(url).hostname or "").rstrip(".").rpartition(".")[2]
    except ValueError:
        return ""
    return label if label.isalpha() or label.startswith("xn--") else ""


SUBSTITUTION: Final = "substitution"
"""The encoding of a text that learned substitutions repaired."""

SMALL_MARGIN: Final = 8.0
"""Nats; an unchanged text with a smaller margin may be wrong. Of 1,028 correct titles 84 have one."""


@dataclass(frozen=True, slots=True)
class FieldDecision:
    """The decision on one field.

    Attributes:
        text: the field, decoded or repaired. Never None.
        encoding: that it was decoded with, as a Python codec name; ``a>b`` for two steps (a field stored as
            ``utf-8>cp1251`` is UTF-8 whose characters are cp1251 bytes).
        language: most likely one, ``ru``, ``zh-Hans``; empty if there is no evidence (ASCII, digits).
        confidence: probability that `text` is right, 0 to 1, calibrated: of decisions at 0.9, nine in ten are.
        margin: over the best reading with another text, in nats.
        runner_up: encoding of that other reading; empty if there was none.
        decision: see `DecisionName`.
        lossy: characters were lost before, and some are proposals or marked as lost (repair only).
        suspect: the text is known to be damaged, and cannot be repaired.
        asked: ``chardet`` if that decided in place of the models, with its own confidence; else empty.
        guess: a likelier text that is not sure enough to replace `text`; else empty.
    """

    text: str
    encoding: str
    language: str = ""
    confidence: float = 1.0
    margin: float = 0.0
    runner_up: str = ""
    decision: DecisionName = "declared"
    lossy: bool = False
    suspect: bool = False
    asked: str = ""
    guess: str = ""

    @property
    def is_unsure(self) -> bool:
        """Whether a text without its bytes is damaged, or nearly got another text."""
        nearly_moved = self.decision != "fixed" and bool(self.runner_up) and self.margin < SMALL_MARGIN
        return self.lossy or self.suspect or nearly_moved

    def is_as(self, declared: str) -> bool:
        """Return whether its encoding is the declared one, by any of its names."""
        return codec_name(self.encoding) == (codec_name(declared) or "cp1252")

    @property
    def is_open(self) -> bool:
        """Whether other substitutions could lead to another decision on a text without its bytes."""
        return self.encoding == SUBSTITUTION or self.is_unsure


@dataclass(frozen=True, slots=True)
class Detection:
    """The decision on the fields of a record.

    Attributes:
        encoding: of the 8-bit fields; without any, of the Unicode field with the smallest margin.
        language: of the record.
        confidence: lowest of all fields.
        margin: over the best other hypothesis on the record, in nats.
        runner_up: encoding of that; empty if there was none.
        fields: a decision for each field, in their order.
    """

    encoding: str
    language: str
    confidence: float
    margin: float
    runner_up: str
    fields: tuple[FieldDecision, ...]

    @classmethod
    def of_parts(cls, parts: Sequence[Detection]) -> Detection:
        """Combine the decisions on several groups of fields: the most common encoding, with the lowest confidence.

        Plain ASCII counts only if there is nothing else.
        """
        telling = [part for part in parts if part.encoding != "ascii"] or parts
        (encoding, _), *_ = Counter(part.encoding for part in telling).most_common(1)
        of_most = [part for part in telling if part.encoding == encoding]
        return replace(
            min(of_most, key=lambda part: part.margin),
            confidence=min(part.confidence for part in parts),
            fields=tuple(field for part in parts for field in part.fields),
        )

    @property
    def texts(self) -> tuple[str, ...]:
        """The text of each field, in their order."""
        return tuple(decided.text for decided in self.fields)


@dataclass(frozen=True, slots=True)
class Repair:
    """The decision on stored texts.

    Attributes:
        encoding: the steps that repair the record: ``cp1252>cp1251`` is text whose cp1252 bytes are really cp1251;
            empty if nothing was wrong.
        confidence: lowest of all texts.
        fields: a decision for each text, in their order.
    """

    encoding: str
    confidence: float
    fields: tuple[FieldDecision, ...]

    @classmethod
    def of(cls, encoding: str, fields: Iterable[FieldDecision]) -> Repair:
        """Return a repair with the lowest confidence of its fields."""
        decided = tuple(fields)
        return cls(encoding, min((field.confidence for field in decided), default=1.0), decided)

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts, repaired where possible; U+FFFD marks a lost character."""
        return tuple(decided.text for decided in self.fields)

    @property
    def changed(self) -> bool:
        """Whether any text was changed."""
        return any(decided.decision == "fixed" for decided in self.fields)

    @property
    def lossy(self) -> bool:
        """Whether characters were lost before, so that some are proposals or marked as lost."""
        return any(decided.lossy for decided in self.fields)


SURE: Final = 40.0
"""Margin, in nats, of a decision without alternatives."""

AT_0: Final = 0.2
PER_NAT: Final = 0.41


@lru_cache(maxsize=4096)
def confidence_of(margin: float) -> float:
    """Return the probability that the likeliest text is right, from its margin over the next one in nats.

    Logistic, fitted to the development titles (`benchmarks/encodings.py` prints the calibration).
    """
    return round(1 / (1 + math.exp(-(AT_0 + PER_NAT * min(margin, SURE)))), 4)


Octets: TypeAlias = bytes | bytearray | memoryview
"""Bytes in any of Python's types; the others are copied."""


def bytes_fields(fields: Iterable[Octets], function: str, hints: Hints | None = None) -> list[bytes]:
    """Return the fields of a record, arguments of the calling function, as bytes.

    Raises:
        TypeError: the fields are no sequence of bytes, or the hints are no `Hints`.
    """
    check_hints(hints, function)
    return _converted(_members(fields, function, "bytes", "detect_text(data)"), bytes, as_bytes, function)


def text_fields(fields: Iterable[str], function: str, hints: Hints | None = None) -> list[str]:
    """Return the fields of a record as text; arguments and errors as for `bytes_fields`."""
    check_hints(hints, function)
    return _converted(_members(fields, function, "str", "fix_text(text)"), str, as_text, function)


def _converted(fields: list[Any], kind: type, convert: Callable[[Any, str], Any], function: str) -> list[Any]:
    for place, each in enumerate(fields):
        if type(each) is not kind:
            fields[place] = convert(each, f"{function}(): field {place}")
    return fields


def as_bytes(field: Any, name: str) -> bytes:
    """Return one field as bytes; `name` is that of the argument, for the message.

    Raises:
        TypeError: it is no bytes.
    """
    if isinstance(field, bytes):
        return field
    if isinstance(field, (bytearray, memoryview)):
        return bytes(field)
    advice = " Text that was read wrongly is mended by repair() and fix_text()." if isinstance(field, str) else ""
    raise TypeError(f"{name} must be bytes, but is {_kind(field)}.{advice}")


def as_text(field: Any, name: str) -> str:
    """Return one field as text; arguments and errors as for `as_bytes`."""
    if isinstance(field, str):
        return field
    is_bytes = isinstance(field, (bytes, bytearray, memoryview))
    advice = " The encoding of bytes is found by detect() and detect_text()." if is_bytes else ""
    raise TypeError(f"{name} must be a str, but is {_kind(field)}.{advice}")


def check_hints(hints: Any, function: str) -> None:
    """Reject hints of another type.

    Raises:
        TypeError: they are neither `Hints` nor None.
    """
    if hints is not None and not isinstance(hints, Hints):
        raise TypeError(
            f"{function}(): hints must be Hints or None, but is {_kind(hints)}. Write Hints(page_language='ru')."
        )


def _members(fields: Any, function: str, kind: str, single: str) -> list[Any]:
    """Return the members of a sequence."""
    if type(fields) in (list, tuple):
        return list(fields)
    advice = ""
    if isinstance(fields, Mapping):
        advice = f" Write {function}(list(record.values()))."
    elif isinstance(fields, (str, bytes, bytearray, memoryview)):
        advice = f" Write {function}([field]) for a record of one field, or {single} for a single text."
    elif isinstance(fields, Iterable):
        return list(fields)
    got = "None" if fields is None else type(fields).__name__
    raise TypeError(f"{function}() takes a sequence of {kind}, one for each field, but got {got}.{advice}")


def _kind(value: Any) -> str:
    return "None" if value is None else f"of type {type(value).__name__}"

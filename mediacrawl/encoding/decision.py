"""Arguments and results of `detect` and `repair`: `Hints`, `Detection`, `Repair`, and the check of argument types."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, TypeAlias

Seen = Mapping[tuple[str, str], float]
"""How often (encoding, language) was found: ``{("cp1251", "ru"): 12.0}``."""

DecisionName = Literal["declared", "fixed", "undecided", "user"]
"""What became of a field.

``declared``: the declared encoding is right, or as right as any other. ``fixed``: another one is, and the text is
read with it. ``undecided``: another one is likelier, but not by enough; the text stays as declared. ``user``: somebody
decided by hand, and nothing here changes it.
"""

_UNSAID: Final = "latin-1"
"""What most containers mean that say nothing."""


@dataclass(frozen=True, slots=True)
class Hints:
    """What else is known of the bytes.

    Everything may be missing; a wrong hint costs little, and none is ever obeyed blindly.

    Attributes:
        declared: the encoding that the container claims, as a Python codec name: one for all fields, or one for each.
            None, for all or for one, is the same as not to say it.
        tld: last label of the host, in lower case: ``ru``.
        page_language: of the page that links here (``lang`` attribute, ``Content-Language``), BCP 47: ``pt-BR``.
        page_charset: of that page, as a Python codec name: ``cp1251``.
        tag_languages: the file's own (COMM, USLT, TLAN), ISO 639-2 or 639-1: ``("rus",)``.
        anchor: text around the link: anchor text, page title. Its script and letters tell of the language.
        known: texts that stand in the same file, or beside its link, and are surely right (UTF-16 frames that read
            well, say). A reading that agrees with one of them is the right one; ID3v1 beside ID3v2 lives from this.
        seen: what was found before on this host and in this folder (`mediacrawl.encoding.History`).

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

    def __post_init__(self) -> None:
        """Read `declared` as meant, for a program without type checks hands over what it has."""
        if type(self.declared) is not str:
            object.__setattr__(self, "declared", _names(self.declared))


def _names(declared: Any) -> str | tuple[str, ...]:
    if declared is None:
        return _UNSAID
    if isinstance(declared, str):
        return declared
    if isinstance(declared, (tuple, list)):
        names = tuple(_UNSAID if name is None else name for name in declared)
        if all(isinstance(name, str) for name in names):
            return names
    raise TypeError(
        "Hints(): declared must be the name of an encoding, or a tuple of one name for each field, but is"
        f" of type {type(declared).__name__}."
    )


@dataclass(frozen=True, slots=True)
class FieldDecision:
    """What one field is.

    Attributes:
        text: the field, read right as far as we know. Never None.
        encoding: that it was read with, as a Python codec name; ``a>b`` when two readings were needed in turn (a field
            stored as ``utf-8>cp1251`` is UTF-8 whose characters are cp1251 bytes).
        language: most likely one, ``ru``, ``zh-Hans``; empty when the text says nothing (ASCII, digits).
        confidence: probability that `text` is right, 0 to 1, calibrated: of decisions at 0.9, nine in ten are.
        margin: how much likelier the best reading is than the best one with another text, in nats.
        runner_up: encoding of that other reading; empty if there was none.
        decision: see `DecisionName`.
        lossy: characters were lost before it came here, and some are proposals or marked as lost (repair only).
        suspect: the text is damaged, and we know it, but cannot mend it.
        asked: who decided in place of the models, ``chardet``; else empty. Its confidence is its own then.
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


@dataclass(frozen=True, slots=True)
class Detection:
    """One decision over the fields of a record.

    Attributes:
        encoding: of the fields that are 8-bit; if none is, of the Unicode field that is least sure.
        language: of the record.
        confidence: that the least sure field is right.
        margin: of the record's decision over the best other one, in nats.
        runner_up: encoding of the best other one; empty if there was none.
        fields: a decision for each field, in the order they came.
    """

    encoding: str
    language: str
    confidence: float
    margin: float
    runner_up: str
    fields: tuple[FieldDecision, ...]

    @classmethod
    def of_parts(cls, parts: Sequence[Detection]) -> Detection:
        """One decision over the fields of several: the encoding that most of them have, as sure as the least sure.

        Args:
            parts: in the order of their fields, at least one. Those in plain ASCII have no say if others have.
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
        """The fields as text, in the order they came."""
        return tuple(decided.text for decided in self.fields)


@dataclass(frozen=True, slots=True)
class Repair:
    """What became of texts that may have been stored wrongly.

    Attributes:
        encoding: how the record was mangled, as the readings that undo it: ``cp1252>cp1251`` is text whose cp1252 bytes
            are really cp1251; empty if nothing was wrong.
        confidence: that the least sure text is right.
        fields: a decision for each text, in the order they came.
    """

    encoding: str
    confidence: float
    fields: tuple[FieldDecision, ...]

    @classmethod
    def of(cls, encoding: str, fields: Iterable[FieldDecision]) -> Repair:
        """A repair as sure as the least sure of its fields."""
        decided = tuple(fields)
        return cls(encoding, min((field.confidence for field in decided), default=1.0), decided)

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts, mended where that was possible; U+FFFD stands where a character is lost."""
        return tuple(decided.text for decided in self.fields)

    @property
    def changed(self) -> bool:
        """Whether any text is another one than came."""
        return any(decided.decision == "fixed" for decided in self.fields)

    @property
    def lossy(self) -> bool:
        """Whether characters were lost on the way, so that some are proposals or marked as lost."""
        return any(decided.lossy for decided in self.fields)


SURE: Final = 40.0
"""Margin, in nats, of what says itself what it is."""

AT_0: Final = 0.2

PER_NAT: Final = 0.41


def confidence_of(margin: float) -> float:
    """The probability that the likeliest text is right, from its margin over the next one in nats.

    Logistic, fitted to the development titles (`benchmarks/encodings.py` prints how well it holds).
    """
    return round(1 / (1 + math.exp(-(AT_0 + PER_NAT * min(margin, SURE)))), 4)


Octets: TypeAlias = bytes | bytearray | memoryview
"""Bytes in any of Python's types; the others are copied."""


def bytes_fields(fields: Iterable[Octets], function: str, hints: Hints | None = None) -> list[bytes]:
    """The fields of a record as bytes.

    Args:
        fields: a sequence of bytes, one for each field.
        function: name of the one that was called.
        hints: its argument of this name.

    Raises:
        TypeError: the fields are no such sequence, or the hints are no `Hints`.
    """
    check_hints(hints, function)
    every = _members(fields, function, "bytes", "detect_text(data)")
    return [
        field if type(field) is bytes else as_bytes(field, f"{function}(): field {place}")
        for place, field in enumerate(every)
    ]


def text_fields(fields: Iterable[str], function: str, hints: Hints | None = None) -> list[str]:
    """The fields of a record as text; arguments and errors as for `bytes_fields`."""
    check_hints(hints, function)
    every = _members(fields, function, "str", "fix_text(text)")
    return [
        field if type(field) is str else as_text(field, f"{function}(): field {place}")
        for place, field in enumerate(every)
    ]


def as_bytes(field: Any, name: str) -> bytes:
    """One field as bytes.

    Args:
        field: what the caller gave.
        name: of the argument, for the message.

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
    """One field as text; arguments and errors as for `as_bytes`."""
    if isinstance(field, str):
        return field
    is_bytes = isinstance(field, (bytes, bytearray, memoryview))
    advice = " The encoding of bytes is found by detect() and detect_text()." if is_bytes else ""
    raise TypeError(f"{name} must be a str, but is {_kind(field)}.{advice}")


def check_hints(hints: Any, function: str) -> None:
    """Refuse hints of another type.

    Raises:
        TypeError: they are neither `Hints` nor None.
    """
    if hints is not None and not isinstance(hints, Hints):
        raise TypeError(
            f"{function}(): hints must be Hints or None, but is {_kind(hints)}. Write Hints(page_language='ru')."
        )


def _members(fields: Any, function: str, kind: str, single: str) -> list[Any]:
    """The members of a sequence."""
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

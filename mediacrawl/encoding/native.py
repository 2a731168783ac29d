"""The arithmetic of this package in C: the extension ``_native``, of the sources in ``deploy/native/``.

``pip install`` builds it where there is a C compiler. Elsewhere the Python functions that call `kernel` compute the
same, bit for bit (`tests/encoding/test_native.py`), and take longer. The C code has no table of its own; it gets those
of `pricing.kernel_tables`.
"""

from __future__ import annotations

import importlib
import logging
from collections.abc import Callable
from functools import cache
from typing import Any, Final, Protocol, cast

from mediacrawl.encoding.languages import LANGUAGES

logger = logging.getLogger(__name__)
MODULE: Final = "mediacrawl.encoding._native"

RecordContext = tuple[list[bytes], bytes | None, tuple[tuple[int, ...], ...]]
"""The context of a record: all its fields, whose ASCII words are evidence of the language; the shifts of the priors
(`hypotheses.prior_shifts`); groups of pairs, of each of which the cheapest is always priced exactly."""


Choice = tuple[int, int, int, list[tuple[int, int]], list[int], list[int]]
"""See `Kernel.choose`."""


class Kernel(Protocol):
    """The interface of ``_native.Kernel``. Its docstrings have the arguments; pairs and languages are numbers."""

    def weigh(
        self, pieces: list[bytes], of_record: list[int], about: RecordContext, utf8: list[int] | None, may_mix: bool, /
    ) -> list[tuple[int, int, list[int]]]:
        """Return the hypotheses of a record: number (of `hypotheses.hypothesis_names`), prior, cost of each piece."""

    def choose(
        self, piece: bytes, about: RecordContext, utf8: int | None, trusted: int, declared: int, /
    ) -> Choice:
        """Return the decision on a record of one field beyond ASCII.

        It is the number of the best hypothesis; its margin over the declared encoding, in twelfths of a nat; whether
        the last rival certainly has another text; the cheapest hypotheses that may have another text, with the margin
        over each; and if the margin over the declared encoding is less than `hypotheses.CLOSE`, the costs of the
        declared and of the best encoding in each language, cheapest first.
        """

    def grow(
        self,
        options: list[tuple[tuple[str, int, int, bool], ...]],
        kept: list[int],
        language: int,
        prices: tuple[int, int, int],
        beam: int,
        /,
    ) -> list[tuple[int, str, int, int, int]]:
        """Return the candidates for a word in a double-byte encoding that lost bytes, see `lost_bytes._grown`."""

    def double(self, raw: bytes, encoding: int, /) -> int | None:
        """Return the cost of bytes in a double-byte encoding; None where Python must decode them."""

    def price(self, raw: bytes, pair: int, /) -> int:
        """Return the cost of the words beyond ASCII of some bytes in a pair, without its prior."""

    def alphabet(
        self, text: str, toned: str, encodings: tuple[int, ...], tonal: int, only: int, /
    ) -> tuple[int, int, int]:
        """Return the best pair for a text (-1 for none), its cost, and the cost of what no encoding can write."""


@cache
def module() -> Any:
    """Return the extension module; None where it was not built."""
    try:
        return importlib.import_module(MODULE)
    except ImportError:
        return None


def description() -> str:
    """Return the implementation in use, in a few words for a person."""
    return "native" if module() else f"pure Python ({MODULE} was not built)"


_TABLES: Final[list[tuple[Callable[[], dict[str, Any]], Callable[..., Any]]]] = []


def use_tables(spec: Callable[[], dict[str, Any]], load: Callable[..., Any]) -> None:
    """Set the source of the kernel's tables: small ones at once, a large one, or a price, on demand."""
    _TABLES[:] = [(spec, load)]


@cache
def kernel() -> Kernel | None:
    """The kernel over the models in use; None without the extension, or for models that do not fit its tables."""
    if module() is None:
        return None
    [(spec, load)] = _TABLES
    try:
        return cast("Kernel", module().Kernel(spec(), load))
    except ValueError as error:
        logger.warning("Texts are priced in pure Python, since the models do not fit the native part: %s", error)
        return None


@cache
def language_numbers() -> dict[str, int]:
    """Return the number of each language among those with an alphabet, or among those written in characters."""
    counts = [0, 0]
    found = {}
    for language in LANGUAGES.values():
        found[language.code] = counts[not language.letters]
        counts[not language.letters] += 1
    return found

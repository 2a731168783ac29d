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
from typing import TYPE_CHECKING, Any, Final, cast

from mediacrawl.encoding.languages import LANGUAGES

if TYPE_CHECKING:
    from mediacrawl.encoding._native import Kernel

logger = logging.getLogger(__name__)
MODULE: Final = "mediacrawl.encoding._native"

RecordContext = tuple[list[bytes], bytes | None, tuple[tuple[int, ...], ...]]
"""All fields of a record, whose ASCII words are evidence of the language; the shifts of the priors
(`hypotheses.prior_shifts`); groups of pairs, of each of which the cheapest is always priced exactly."""

Choice = tuple[int, int, int, list[tuple[int, int]], list[int], list[int]]
"""The number of the best hypothesis; its margin over the declared encoding, in twelfths of a nat; whether the last
rival certainly has another text; the cheapest hypotheses that may have another text, with the margin over each; and in
a close call (`hypotheses.CLOSE`) the costs of the declared and of the best encoding in each language."""


@cache
def module() -> Any:
    """Return the extension module; None where it was not built."""
    try:
        return importlib.import_module(MODULE)
    except ImportError:
        return None


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

"""Models of a user's own languages (`mediacrawl.encoding.own_training`), used beside the bundled ones.

Such a model file says in its index what its language is: what `mediacrawl.encoding.languages` says of the others.
"""

from __future__ import annotations

import codecs
import math
import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from mediacrawl.encoding import models
from mediacrawl.encoding.languages import LANGUAGES, Language
from mediacrawl.encoding.models import ModelError, ModelFile
from mediacrawl.encoding.priors import ENCODING_WEIGHTS
from mediacrawl.encoding.scoring import MULTIBYTE

CODE: Final = re.compile(r"[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8}){0,4}")
"""How a language is named: BCP 47, as far as we need it."""

_EIGHT_BIT: Final = ENCODING_WEIGHTS.keys() - MULTIBYTE - {"utf-8"}
PAGES: Final = tuple(sorted(_EIGHT_BIT, key=lambda page: (-ENCODING_WEIGHTS[page], page)))
"""The 8-bit code pages that can be decided on, most common first."""

_CODECS: Final = {codecs.lookup(page).name: page for page in PAGES}
_CODECS["iso8859-1"] = "cp1252"
"""Python's names of these code pages; cp1252 has all letters of ISO-8859-1, in the same places."""

MOST_WEIGHT: Final = 1000.0

_BUNDLED: Final = dict(LANGUAGES)


def use_models(files: Iterable[str | Path] | Mapping[str, bytes]) -> tuple[str, ...]:
    """Decide with these models beside the bundled ones: all of this process, from now on.

    To be called once, before anything is decided. A further call replaces the files of the one before, and one
    without files goes back to the bundled models alone. `model_version` tells the difference. Another process that is
    started, not forked, has to call it itself.

    Args:
        files: paths of model files that ``scrapy trainencoding`` wrote, or the bytes of some by name, for a machine
            that has not the files. A language that the program has, or an earlier file, is replaced by that of the
            later file.

    Returns:
        The codes of their languages.

    Raises:
        ModelError: a file cannot be used; nothing has changed then.
    """
    if isinstance(files, Mapping):
        found = {name: models.unpack(content, name) for name, content in files.items()}
    else:
        found = {str(path): models.read(Path(path)) for path in files}
    if not found and models.in_use() is models.bundled():
        return ()
    own = {language.code: language for name, file in found.items() for language in _languages(file, name)}
    models.use_beside(tuple(found.values()))
    LANGUAGES.clear()
    LANGUAGES.update(_BUNDLED | own)
    forget()
    return tuple(own)


def model_contents(paths: Iterable[str | Path]) -> dict[str, bytes]:
    """Model files as `use_models` takes them on another machine, by path.

    Raises:
        ModelError: a file cannot be used.
    """
    files = {str(path): models.read(Path(path)) for path in paths}
    for name, file in files.items():
        _languages(file, name)
    return {name: file.content for name, file in files.items()}


def forget() -> None:
    """Empty every cache of this room: nearly all hang on the languages, and a list of them would miss the next one."""
    for name, module in list(sys.modules.items()):
        if name.startswith("mediacrawl.encoding."):
            for value in list(vars(module).values()):
                if value is not models.bundled and hasattr(value, "cache_clear"):
                    value.cache_clear()


def page_named(name: str) -> str:
    """The name that an 8-bit code page has in `PAGES`; one that nobody knows comes back as it is.

    Args:
        name: that or any other that Python knows: ``windows-1251``, ``ISO-8859-2``, ``latin1``.
    """
    try:
        return _CODECS.get(codecs.lookup(name).name, name)
    except (LookupError, ValueError):
        return name


def told(language: Language) -> dict[str, Any]:
    """A language as the index of a model file has it."""
    names = ("script", "letters", "encodings", "weight", "tlds", "codes", "folds")
    return {name: getattr(language, name) for name in names}


def _languages(file: ModelFile, name: str) -> list[Language]:
    """The languages of a file, and a look whether their tables are whole.

    Raises:
        ModelError: they are not, or it is no file of a user's own.
    """
    found = []
    for code, entry in file.index.items():
        if "language" not in entry:
            raise ModelError(f"{name} does not say what the language {code} is; train it with scrapy trainencoding.")
        language = _language(code, entry["language"])
        if language is None or entry.get("size") != len(language.letters) + 1 or not file.fits(code):
            raise ModelError(f"{name} is a damaged model file; make it again.")
        found.append(language)
    return found


def _language(code: str, entry: Mapping[str, Any]) -> Language | None:
    """A language from the index of a file; None if that cannot be one."""
    try:
        language = Language(
            code,
            script=str(entry["script"]),
            letters=str(entry["letters"]),
            encodings=tuple(map(str, entry["encodings"])),
            weight=float(entry["weight"]),
            tlds=tuple(map(str, entry["tlds"])),
            codes=tuple(map(str, entry["codes"])),
            folds=str(entry["folds"]),
        )
    except (LookupError, TypeError, ValueError):
        return None
    return None if faults(language) else language


def faults(language: Language) -> str:
    """What is wrong with a language of a user's own, as a sentence; empty if nothing is."""
    letters = language.letters
    if fault := code_fault(language.code):
        return fault
    if language.script == "cjk" or not letters:
        return "Chinese, Japanese and Korean are modelled by characters, which the bundled models do already."
    if len(set(letters)) < len(letters) or letters != letters.lower() or len(letters) > models.MOST_LETTERS:
        return f"An alphabet is at most {models.MOST_LETTERS} different letters in lower case."
    for page in language.encodings:
        if page not in PAGES:
            return f"The program knows no 8-bit encoding {page!r}; it knows {', '.join(PAGES)}."
    if not language.encodings and _own_bytes(letters) > models.MOST_LETTERS:
        return f"Without an 8-bit encoding, letters beyond ASCII and their capitals are at most {models.MOST_LETTERS}."
    if not (math.isfinite(language.weight) and 0 < language.weight <= MOST_WEIGHT):
        return f"The weight is a number above 0 and up to {MOST_WEIGHT:g}."
    return "" if len(language.folds) % 2 == 0 else "Folds come in pairs of letters."


def code_fault(code: str) -> str:
    """Why a text names no language, as a sentence; empty if it may."""
    return "" if CODE.fullmatch(code) else f"{code!r} is no code of a language; it looks like ru, pt-BR or sr-Latn."


def _own_bytes(letters: str) -> int:
    """How many bytes beyond ASCII the letters and their capitals take, one each."""
    return sum(
        1 + (letter.upper() != letter and len(letter.upper()) == 1) for letter in letters if not letter.isascii()
    )

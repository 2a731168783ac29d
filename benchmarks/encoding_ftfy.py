"""The cases that ftfy is tested with, and titles of ours in the same classes: how often they come out as expected.

ftfy's cases are in its source distribution, which pip fetches at run time into the environment of the benchmark; this
repository has none of them. Without a network the titles of `titles/mangled.txt` and `titles/shapes.txt` are in.

A case counts as ftfy's own tests say, with one difference: where the expected text has U+FFFD, for a character that
was lost, any character may stand.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tarfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from encoding_units import TITLES, normal, shaped_texts

from mediacrawl.encoding import repair
from mediacrawl.encoding.codepages import characters

CASES = "tests/test_cases.json"
PIP_SECONDS = 120


@dataclass(frozen=True, slots=True)
class Share:
    """How many of some texts come out as they should.

    Attributes:
        tried: texts.
        ours: of them by mediacrawl.
        theirs: by ftfy's ``fix_encoding``; None if it is not installed.
    """

    tried: int
    ours: int
    theirs: int | None

    @property
    def ratio(self) -> float | None:
        """Ours to theirs."""
        return self.ours / self.theirs if self.theirs else None


Pairs = list[tuple[str, str]]
"""Texts as they are stored, and what is expected."""


def shares() -> dict[str, Share]:
    """What becomes of ftfy's cases, if they can be obtained, and of our titles in the same classes."""
    cases = fetched_cases()
    ours = mangled_titles()
    clean = [(text, text) for _, text in shaped_texts(None)]
    found = {"our titles, mangled": _share(ours), "our titles, clean": _share(clean)}
    if cases:
        found["ftfy's cases, mangled"] = _share([case for case in cases if case[0] != case[1]])
        found["ftfy's cases, clean"] = _share([case for case in cases if case[0] == case[1]])
    return found


def _share(pairs: Pairs) -> Share:
    ours = sum(is_expected(repair([stored]).texts[0], right) for stored, right in pairs)
    theirs = _theirs()
    return Share(
        len(pairs), ours, None if theirs is None else sum(is_expected(theirs(stored), right) for stored, right in pairs)
    )


def is_expected(text: str, right: str) -> bool:
    """Whether a text is the expected one; any character may stand for U+FFFD there."""
    parts = [re.escape(part) for part in normal(right).split("\ufffd")]
    return re.fullmatch(".".join(parts), normal(text), re.DOTALL) is not None


def _theirs() -> Callable[[str], str] | None:
    try:
        import ftfy  # noqa: PLC0415 - peers need not be there
    except ImportError:
        return None
    fix: Callable[[str], str] = ftfy.fix_encoding
    return fix


# -- the cases of ftfy -------------------------------------------------------------------------------------------------


def fetched_cases() -> Pairs:
    """Texts and what `ftfy.fix_encoding` should make of them, from its source distribution; none if that fails."""
    try:
        from importlib.metadata import version  # noqa: PLC0415

        archive = _archive(version("ftfy"))
        with tarfile.open(archive) as opened:
            name = next(name for name in opened.getnames() if name.endswith(CASES))
            read = opened.extractfile(name)
            cases = json.load(read) if read else []
    except (ImportError, OSError, StopIteration, subprocess.SubprocessError, tarfile.TarError, ValueError):
        return []
    return [(case["original"], case.get("fixed-encoding", case["fixed"])) for case in cases]


def _archive(version: str) -> Path:
    """The source distribution of the version that is installed, fetched once for an environment."""
    folder = Path(sys.prefix) / "cache"
    archive = folder / f"ftfy-{version}.tar.gz"
    if not archive.exists():
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:"]
        subprocess.run(
            [*pip, "--dest", str(folder), f"ftfy=={version}"], check=True, timeout=PIP_SECONDS, capture_output=True
        )
    return archive


# -- titles of ours ----------------------------------------------------------------------------------------------------


def mangled_titles() -> Pairs:
    """The titles of `titles/mangled.txt` after what their first column says was done to them."""
    lines = (TITLES / "mangled.txt").read_text(encoding="utf-8").splitlines()
    return [_mangled(*line.split("\t")) for line in lines]


def _mangled(recipe: str, title: str) -> tuple[str, str]:
    """A title as it is stored, and as it is right.

    Args:
        recipe: ``utf-8>cp1252`` is UTF-8 that was read as cp1252, ``*2`` twice; ``cesu`` is UTF-8 of UTF-16 units; in
            braces it was done to what is in braces in the title. Behind a comma, ``nbsp``: no-break spaces became
            blanks, together with a blank behind them; ``lost``: C1 controls became U+FFFD. ``c1``: signs of cp1252 are
            C1 controls.
        title: right.
    """
    if recipe == "c1":
        return title.encode("cp1252").decode("latin-1"), title
    readings, *losses = recipe.strip("{}").split(",")
    if recipe.startswith("{"):
        stored = re.sub(r"\{([^}]*)\}", lambda found: _read(found[1], readings), title)
    else:
        stored = _read(title, readings)
    if "nbsp" in losses:
        stored = stored.replace("\xa0 ", " ").replace("\xa0", " ")
    if "lost" in losses:
        stored = re.sub("[\x80-\x9f]", "\ufffd", stored)
    return stored, title.replace("{", "").replace("}", "")


def _read(title: str, readings: str) -> str:
    steps, _, times = readings.partition("*")
    written, wrong = steps.split(">")
    for _ in range(int(times or 1)):
        raw = _cesu(title) if written == "cesu" else title.encode(written)
        title = "".join(characters(wrong)[byte] for byte in raw)
    return title


def _cesu(title: str) -> bytes:
    raw = title.encode("utf-16-be")
    units = [int.from_bytes(raw[at : at + 2], "big") for at in range(0, len(raw), 2)]
    return b"".join(chr(unit).encode("utf-8", "surrogatepass") for unit in units)

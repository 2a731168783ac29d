"""How much of what was stored wrongly comes back: by group of damage, and of the cases that ftfy is tested with.

ftfy's cases are in its source distribution, which pip fetches at run time into the environment of the benchmark; this
repository has none of them. Beside them stand the titles of `titles/mangled.txt` and `titles/shapes.txt`, in the same
classes. A case counts as ftfy's own tests say, with one difference: where the expected text has U+FFFD, for a character
that was lost, any character may stand.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tarfile
import time
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from encoding_damage import sampled, wrecks
from encoding_peers import OURS, load_all, menders
from encoding_units import TITLES, mean_of, normal, shaped_texts

from mediacrawl.encoding.codepages import characters

CASES = "tests/test_cases.json"
PIP_SECONDS = 120
SHOWN = 5
"""Texts of a group that `Mended.wrong` keeps."""


class Mended(NamedTuple):
    """What became of a group.

    Attributes:
        count: of records tried.
        share: percent that came back exactly; the mean over languages, but of all of them for clean ones.
        micros: CPU time of each.
        wrong: the first few that did not come back: what was stored, what came out.
    """

    count: int
    share: float
    micros: float
    wrong: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]


def mended(name: str, group: str, most: int) -> Mended:
    """Mend the records of a group, the same whoever mends them.

    Args:
        name: of the mender.
        group: of `encoding_damage.GROUPS`.
        most: records of each language; clean text counts by hundredths of a percent, so it is never sampled.
    """
    everything = wrecks(group, "record")
    chosen = everything if group == "clean" else sampled(everything, most)
    mend = menders()[name]
    load_all()
    began = time.process_time()
    found = [tuple(mend(wreck.stored)) for wreck in chosen]
    micros = 1e6 * (time.process_time() - began) / len(chosen)
    cells: dict[str, list[int]] = {}
    wrong = []
    for wreck, texts in zip(chosen, found, strict=True):
        cell = cells.setdefault("" if wreck.untouched else wreck.language, [0, 0])
        cell[0] += wreck.is_right(texts)
        cell[1] += 1
        if not wreck.is_right(texts):
            wrong.append((wreck.stored, texts))
    return Mended(len(chosen), mean_of(cells.values()), micros, tuple(wrong[:SHOWN]))


# -- single texts ------------------------------------------------------------------------------------------------------

Pairs = list[tuple[str, str]]
"""Texts as they are stored, and what is expected."""


class Share(NamedTuple):
    """How many texts were tried, and how many came out as expected: ours, and ftfy's; None if it is not installed."""

    tried: int
    ours: int
    theirs: int | None


def shares() -> dict[str, Share]:
    """Return what becomes of ftfy's cases, if they can be obtained, and of our titles in the same classes."""
    cases = fetched_cases()
    groups = {
        "our titles, mangled": mangled_titles(),
        "our titles, clean": [(text, text) for _, text in shaped_texts(None)],
        "ftfy's cases, mangled": [case for case in cases if case[0] != case[1]],
        "ftfy's cases, clean": [case for case in cases if case[0] == case[1]],
    }
    return {
        name: Share(len(pairs), _expected(OURS, pairs) or 0, _expected("ftfy fix_encoding", pairs))
        for name, pairs in groups.items()
        if pairs
    }


def _expected(name: str, pairs: Sequence[tuple[str, str]]) -> int | None:
    mend = menders().get(name)
    return None if mend is None else sum(is_expected(mend([stored])[0], right) for stored, right in pairs)


def is_expected(text: str, right: str) -> bool:
    """Return whether a text is the expected one; any character may stand for U+FFFD there."""
    parts = [re.escape(part) for part in normal(right).split("\ufffd")]
    return re.fullmatch(".".join(parts), normal(text), re.DOTALL) is not None


def fetched_cases() -> Pairs:
    """Texts and what `ftfy.fix_encoding` should make of them, from its source distribution; none if that fails."""
    try:
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


def mangled_titles() -> Pairs:
    """The titles of `titles/mangled.txt` after what their first column says was done to them."""
    lines = (TITLES / "mangled.txt").read_text(encoding="utf-8").splitlines()
    return [read_wrongly(*line.split("\t")) for line in lines]


def read_wrongly(recipe: str, title: str) -> tuple[str, str]:
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

"""How much of what was stored wrongly comes back, by group of damage, and by whom."""

from __future__ import annotations

import time
from dataclasses import dataclass

from encoding_damage import sampled, wrecks
from encoding_readers import load_all, menders
from encoding_units import HELD_OUT, encoded, mean_of, shaped_texts

from mediacrawl.encoding import Hints, detect, repair

SHOWN = 5
"""Texts of a group that `Mended.wrong` keeps."""


@dataclass(frozen=True, slots=True)
class Mended:
    """What became of a group.

    Attributes:
        count: of records, or fields, tried.
        of: so many are in the group.
        share: percent that came back exactly; the mean over languages, but of all of them for clean and hard ones.
        micros: CPU time of each.
        wrong: the first few that did not come back: what was stored, what came out.
    """

    count: int
    of: int
    share: float
    micros: float
    wrong: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]


def mended(name: str, group: str, kind: str, most: int, half: int | None = HELD_OUT) -> Mended:
    """Mends a group, the same records whoever mends them.

    Args:
        name: of the mender.
        group: of `encoding_damage.GROUPS`.
        kind: ``field`` or ``record``.
        most: records of each language; clean text counts by hundredths of a percent, so it is never sampled.
        half: of the titles.
    """
    everything = wrecks(group, kind, half)
    chosen = everything if group in ("clean", "hard") else sampled(everything, most)
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
    return Mended(len(chosen), len(everything), mean_of(cells.values()), micros, tuple(wrong[:SHOWN]))


SHAPED_ENTRANCES = ("repair", "repair beside", "utf-8", "cp1252", "latin-1")
BESIDE = "Beyoncé"


def shapes_left_alone(half: int | None = HELD_OUT) -> dict[str, tuple[int, int, list[str]]]:
    """What becomes of right titles in the shapes that mojibake has.

    Args:
        half: of the titles.

    Returns:
        For each way in: how many titles stay as they are, of how many, and the others. ``repair beside`` has a second
        field beside each; ``utf-8`` and so on are the titles' bytes, declared as that, where the encoding has them.
    """
    found: dict[str, tuple[int, int, list[str]]] = {}
    for entrance in SHAPED_ENTRANCES:
        answers = [(text, _through(entrance, text)) for _, text in shaped_texts(half)]
        told = [(text, answer) for text, answer in answers if answer is not None]
        wrong = [f"{text!r} -> {answer!r}" for text, answer in told if answer != text]
        found[entrance] = len(told) - len(wrong), len(told), wrong
    return found


def _through(entrance: str, text: str) -> str | None:
    if entrance.startswith("repair"):
        return repair([text, BESIDE] if entrance.endswith("beside") else [text]).texts[0]
    raw = encoded(text, entrance)
    return None if raw is None else detect([raw], Hints(declared=entrance)).texts[0]

"""What becomes of text that is right, and of strangers' damaged texts.

`titles/kinds.txt` has right texts that look like damage, of some kinds, written for this benchmark. Texts that nobody
here wrote are given on the command line; nothing is tuned on them.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from encoding_damage import latin, windows
from encoding_peers import OURS, Mender, menders
from encoding_repairs import read_wrongly
from encoding_units import HELD_OUT, TITLES, same, texts_of

from mediacrawl.encoding import detect, repair

SURE = 0.9
KINDS = ("lookalike", "frames", "dashes", "width", "signs", "nomodel", "beside", "short", "utf8sign")
MANGLED = "{utf-8>cp1252"
"""What was done to what is in braces in `titles/kinds.txt`."""


CONTROLS = re.compile("[\x80-\x9f]")
"""A text with one of these is not right: it is bytes of Windows' code pages that were read as Latin-1."""


class Harm(NamedTuple):
    """Right texts, how many of them were changed, and how many with a confidence of `SURE` and more; and by ftfy."""

    count: int
    changed: int
    surely: int
    by_ftfy: int | None

    def of_a_million(self) -> tuple[float, float]:
        """Return both numbers of a million texts."""
        return 1e6 * self.changed / self.count, 1e6 * self.surely / self.count


def harm(path: Path) -> Harm:
    """Return the harm to the right texts of a file, or of all files of a folder, without those with `CONTROLS`."""
    texts = sorted({text for row in _rows(path) for text in row["texts"] if not CONTROLS.search(text)})
    fields = [repair([text]).fields[0] for text in texts]
    changed = [field for field, text in zip(fields, texts, strict=True) if field.text != text]
    peer = menders().get("ftfy fix_encoding")
    by_ftfy = sum(peer([text])[0] != text for text in texts) if peer else None
    return Harm(len(texts), len(changed), sum(field.confidence >= SURE for field in changed), by_ftfy)


def mended(path: Path) -> float:
    """Return how many of the damaged texts of a file come out right, in percent; each line has ``in`` and ``want``."""
    rows = [row for row in _rows(path) if row.get("in")]
    return 100 * sum(same(repair([row["in"]]).texts, [row["want"]]) for row in rows) / len(rows)


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the JSON objects of a file's lines; a line of a ``.txt`` is a text. Any file may be gzipped."""
    for file in sorted(path.iterdir()) if path.is_dir() else [path]:
        packed = file.suffix == ".gz"
        with gzip.open(file, "rt", encoding="utf-8") if packed else file.open(encoding="utf-8") as lines:
            is_plain = ".txt" in file.suffixes
            yield from ({"texts": [line.rstrip("\n")]} if is_plain else json.loads(line) for line in lines)


def left_alone() -> dict[str, dict[str, float]]:
    """Return how many texts of each of `KINDS` are not harmed, in percent: by mediacrawl, and by ftfy if it is there.

    Texts of the last kind are bytes that are declared Latin-1. A mangled part of a text may be mended or left.
    """
    kinds: dict[str, list[str]] = {kind: [] for kind in KINDS}
    for line in (TITLES / "kinds.txt").read_text(encoding="utf-8").splitlines():
        kind, text = line.split("\t")
        kinds[kind].append(text)
    signs = kinds.pop(KINDS[-1])
    known = menders()
    found = {
        name: {kind: _share([_is_unharmed(known[name], text) for text in texts]) for kind, texts in kinds.items()}
        for name in ("ftfy fix_encoding", OURS)
        if name in known
    }
    found[OURS][KINDS[-1]] = _share([detect([text.encode()]).texts == (text,) for text in signs])
    return found


def _is_unharmed(mend: Mender, text: str) -> bool:
    stored, right = read_wrongly(MANGLED, text)
    return mend([stored])[0] in (stored, right)


def twice() -> float:
    """Return how many fields are read right, in percent, that are UTF-8 twice where Latin-1 is declared."""
    marks = []
    for _, text in texts_of(HELD_OUT):
        if not text.isascii():
            raws = [reading(text.encode()).encode() for reading in (latin, windows)]
            marks += [same(detect([raw]).texts, [text]) for raw in dict.fromkeys(raws)]
    return _share(marks)


def _share(marks: list[bool]) -> float:
    return 100 * sum(marks) / len(marks)

"""A small model of which links lead to something: logistic regression, learned while the crawl runs, and its file."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mediacrawl.base.files import replacing
from mediacrawl.priority.links import HALF, NOTHING, SIZE, WIDTH, place
from mediacrawl.priority.orders import OrderModelError

PRIOR = {"from other": -2.0, "from own": -2.5, "from seed": -1.0}
"""Weights that the model begins with, as log odds: what leads to another site is better than what stays, and a seed was
chosen by somebody. That what is named like a media file is one, it learns within some fetches where it is so; told
beforehand it finds half as much in the first 2,000 pages, since those who fake media have most of such names."""

Rows = NDArray[np.uint32]
"""Features of several links, one row of `WIDTH` each."""

_BATCH = 100
"""Examples that are learned at a time: one at a time costs thirty times as much, and finds no more."""
_FIRST_BATCH = 10
"""The first ones are learned sooner: of the first hundred fetches each counts."""
_EARLY = 1_000
_FIRST_SQUARES = 0.1
"""What the sum of squares of a weight's gradients begins with.

Without it the first example of a feature moves its weight by the whole rate, however small the error: a visit without a
find, where one of fifty was expected, would move each of a link's twenty new weights as far as a find does. One visit
to the front page of a site could take seven eighths of the odds from the other links of that site. With it, at 10,000
pages: 215 instead of 186 new media files per 1,000 pages on the four webs of other makers' habits that it was chosen
on, 205 instead of 194 on four others, 262 instead of 188 on two of the standard ones. 0.3 and 1.0 gave less."""


class Learner:
    """Weights of features, learned by AdaGrad (Duchi, Hazan and Singer, JMLR 12, 2011).

    An own dozen lines of numpy, because one example in a hundred thousand features must not touch the others: 0.4 us to
    score a link and 0.5 us to learn it in batches, against 124 us for scikit-learn's ``partial_fit``.

    In memory: two arrays of a million numbers, 8 MB. On disk: see `saved`.

    Args:
        rate: how far the first example moves a weight.
    """

    def __init__(self, rate: float = 0.1) -> None:
        self._rate = rate
        self.weights: NDArray[np.float32] = np.zeros(SIZE, np.float32)
        self.squares: NDArray[np.float32] = np.zeros(SIZE, np.float32)
        """Sums of squares of each weight's gradients; 0 for a feature that was never learned."""
        for text, weight in PRIOR.items():
            self.weights[place(text)] = weight
        self.learned = 0
        """Examples so far."""
        self._rows: list[Sequence[int]] = []
        self._targets: list[float] = []

    def odds(self, rows: Rows) -> NDArray[np.float64]:
        """Return the probability that each link leads to a nugget, 0 to 1.

        Args:
            rows: features, one row of `WIDTH` for each link.
        """
        # All places are within the table; without a look at each, numpy takes half the time.
        sums: NDArray[np.float64] = np.add.reduce(self.weights.take(rows, mode="clip"), axis=1, dtype=np.float64)
        return 1.0 / (1.0 + np.exp(-sums))

    def learn(self, row: Sequence[int], target: float) -> None:
        """Take an example; it counts with the next batch.

        Args:
            row: the link's features, see `links.places`.
            target: what it was worth, 0 to 1.
        """
        self._rows.append(row)
        self._targets.append(target)
        if len(self._rows) >= (_BATCH if self.learned > _EARLY else _FIRST_BATCH):
            self.flush()

    def flush(self) -> None:
        """Learn the examples that were taken."""
        if not self._rows:
            return
        rows = np.array(self._rows, np.uint32).reshape(-1, WIDTH)
        targets = np.array(self._targets)
        self._rows.clear()
        self._targets.clear()
        self.learned += len(targets)
        errors = self.odds(rows) - targets
        used, which = np.unique(rows, return_inverse=True)
        gradients = np.repeat(errors, WIDTH)
        which = which.ravel()
        sums = np.bincount(which, gradients)
        self.squares[used] += np.bincount(which, gradients * gradients)
        self.weights[used] -= self._rate * sums / np.sqrt(self.squares[used] + _FIRST_SQUARES)
        self.weights[NOTHING] = self.squares[NOTHING] = 0.0

    def take_general(self, other: Learner) -> None:
        """Begin with what another crawl has learned of features without a host."""
        self.weights[:HALF] = other.weights[:HALF]
        self.squares[:HALF] = other.squares[:HALF]


FORMAT = 1
FEATURES = f"{FORMAT} crc32 {SIZE} {HALF} {WIDTH}"
"""What a model is made of: one of other features is no use."""

_MOST_BYTES = 16 * SIZE
"""All places with their weights and sums are 12 bytes each; what unpacks to more fills the memory."""
_UNREADABLE = (
    *(OSError, ValueError, KeyError, IndexError, TypeError, EOFError, MemoryError, OverflowError),
    # Of a spoiled archive: RuntimeError, if it claims to be encrypted or of another version.
    *(zipfile.BadZipFile, zlib.error, RuntimeError),
)


def dumps(learner: Learner, visits: int = 0) -> bytes:
    """Return a model as bytes: a NumPy archive of the places that were learned, their weights and sums of squares.

    Args:
        learner: the model.
        visits: number of the last visit that it has learned, of those that a journal keeps.
    """
    learner.flush()
    used = np.flatnonzero(learner.weights).astype(np.uint32)
    file = BytesIO()
    np.savez(
        file,
        features=np.array(FEATURES),
        learned=np.array(learner.learned),
        visits=np.array(visits),
        places=used,
        weights=learner.weights[used],
        squares=learner.squares[used],
    )
    return file.getvalue()


def save_model(learner: Learner, path: Path, visits: int = 0) -> None:
    """Write a model into a file, as `dumps` makes it.

    It is written to a second file, which is renamed: a kill leaves the old file or the new one.

    Args:
        learner: the model.
        path: of the file; its folder is made if missing.
        visits: see `dumps`.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as file:
        file.write(dumps(learner, visits))


def load_model(path: Path, rate: float) -> tuple[Learner, int]:
    """Read a model, and the number of the last visit that it has learned.

    Raises:
        OrderModelError: it cannot be read, or is none of ours.
    """
    try:
        packed = path.read_bytes()
    except OSError as error:
        raise OrderModelError(_unreadable(str(path), error)) from error
    return loads(packed, rate, str(path))


def loads(packed: bytes, rate: float, name: str = "the model") -> tuple[Learner, int]:
    """What `dumps` made: a model, and the number of the last visit that it has learned.

    Raises:
        OrderModelError: they cannot be read, or are none of ours.
    """
    try:
        with zipfile.ZipFile(BytesIO(packed)) as archive:
            if sum(part.file_size for part in archive.infolist()) > _MOST_BYTES:
                raise OrderModelError(f"{name} is larger than a model of this version can be")
        with np.errstate(invalid="ignore"), np.load(BytesIO(packed), allow_pickle=False) as found:
            if str(found["features"]) != FEATURES:
                raise OrderModelError(
                    f"{name} is a model of other features ({found['features']}); this version has {FEATURES}"
                )
            learner = Learner(rate)
            places = found["places"].astype(np.uint32)
            weights, squares = found["weights"].astype(np.float32), found["squares"].astype(np.float32)
            fine = np.isfinite(weights) & np.isfinite(squares) & (squares >= 0)
            learner.weights[places[fine]], learner.squares[places[fine]] = weights[fine], squares[fine]
            learner.weights[NOTHING] = learner.squares[NOTHING] = 0.0
            learner.learned = int(found["learned"])
            return learner, int(found["visits"])
    except _UNREADABLE as error:
        raise OrderModelError(_unreadable(name, error)) from error


def _unreadable(name: str, error: Exception) -> str:
    return (
        f"{name} cannot be read as a model ({error or type(error).__name__}); name another one in PRIORITY_MODEL,"
        " or delete it to begin without"
    )

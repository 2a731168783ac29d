"""The model on disk, and as bytes for other stores."""

from __future__ import annotations

import zipfile
import zlib
from io import BytesIO
from pathlib import Path

import numpy as np

from mediacrawl.observe.archive import replacing
from mediacrawl.priority.features import HALF, NOTHING, SIZE, WIDTH
from mediacrawl.priority.learner import Learner
from mediacrawl.priority.orders import OrderModelError

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
    """A model as bytes: a NumPy archive of the places that were learned, their weights and sums of squares.

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

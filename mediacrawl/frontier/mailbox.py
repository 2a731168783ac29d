"""Orders for a crawl that runs: files in a folder that it looks into once a second.

A port would need a password and a listener; a file needs the rights that its folder has anyway. Heritrix takes
orders from its action folder in the same way.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = "orders"
"""Name of the folder, in the crawl's state folder."""

_ORDER, _ANSWER, _PART = ".order", ".answer", ".part"
_KEPT = 3600.0


@dataclass(frozen=True, slots=True)
class Order:
    """One order.

    Attributes:
        name: of its file, without the extension.
        verb: what is to be done: ``pause``, ``resume``, ``drop``, ``add``.
        what: a site, or for ``add`` the path of a file.
    """

    name: str
    verb: str
    what: str


class Mailbox:
    """The orders for the crawl in one state folder.

    On disk: ``orders/<time>-<process>.order`` (JSON: verb, what), and its answer, ``.answer``, each written to another
    name and renamed. A kill leaves orders that were not carried out; the next start carries them out.

    Args:
        folder: the crawl's state folder.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder / FOLDER

    def post(self, verb: str, what: str) -> str:
        """Leave an order; answers its name.

        Raises:
            OSError: the folder cannot be written.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        for path in self.folder.glob("*" + _ANSWER):
            # Nobody waits for an answer as long as that.
            if time.time() - path.stat().st_mtime > _KEPT:
                path.unlink(missing_ok=True)
        name = f"{time.time_ns()}-{os.getpid()}"
        self._write(name + _ORDER, {"verb": verb, "what": what})
        return name

    def orders(self) -> list[Order]:
        """The orders that wait, oldest first. What is no order is put out of the way."""
        with suppress(FileNotFoundError):
            return [order for path in sorted(self.folder.glob("*" + _ORDER)) if (order := self._read(path))]
        return []

    def answer(self, order: Order, sentence: str) -> None:
        """Say what became of an order, which is thereby done."""
        self._write(order.name + _ANSWER, {"answer": sentence})
        (self.folder / (order.name + _ORDER)).unlink(missing_ok=True)

    def wait(self, name: str, seconds: float, sleep: Callable[[float], None] = time.sleep) -> str | None:
        """The answer to an order, or None if none came; the order waits on then.

        Args:
            name: of the order.
            seconds: how long to wait.
            sleep: how to wait.
        """
        path = self.folder / (name + _ANSWER)
        for _ in range(max(int(seconds / 0.1), 1)):
            if path.exists():
                answer: str = json.loads(path.read_text(encoding="utf-8"))["answer"]
                path.unlink()
                return answer
            sleep(0.1)
        return None

    def _read(self, path: Path) -> Order | None:
        with suppress(OSError, ValueError, TypeError, KeyError, RecursionError):
            found = json.loads(path.read_text(encoding="utf-8"))
            return Order(path.stem, str(found["verb"]), str(found["what"]))
        with suppress(OSError):
            path.rename(path.with_suffix(".broken"))
        return None

    def _write(self, name: str, content: dict[str, Any]) -> None:
        part = self.folder / (name + _PART)
        part.write_text(json.dumps(content), encoding="utf-8")
        part.replace(self.folder / name)

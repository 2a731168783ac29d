"""An operator's orders to a running crawl: files in a folder that the crawl checks once a second.

A port would need a listener and a password; files are protected by the rights of their folder. Heritrix has its action
folder for the same purpose.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from mediacrawl.base.files import replacing
from mediacrawl.base.format import plural
from mediacrawl.base.terms import Drop
from mediacrawl.frontier.contract import Frontier

FOLDER = "orders"
"""Name of the folder below the crawl's state folder."""

_ORDER, _ANSWER = ".order", ".answer"
_KEPT = 3600.0


@dataclass(frozen=True, slots=True)
class OperatorOrder:
    """An order.

    Attributes:
        name: of its file, without the extension.
        verb: ``pause``, ``resume``, ``drop``, ``add``.
        what: a site, or for ``add`` the path of a file.
    """

    name: str
    verb: str
    what: str


class OrderFolder:
    """The orders for the crawl of one state folder.

    On disk: ``orders/<time>-<process>.order`` (JSON: verb, what), and its answer, ``.answer``, each written under
    another name and renamed. A kill leaves orders that were not executed; the next start executes them.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder / FOLDER

    def post(self, verb: str, what: str) -> str:
        """Write an order; answers its name.

        Raises:
            OSError: the folder cannot be written.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        for path in self.folder.glob("*" + _ANSWER):
            # No command waits so long for its answer.
            if time.time() - path.stat().st_mtime > _KEPT:
                path.unlink(missing_ok=True)
        name = f"{time.time_ns()}-{os.getpid()}"
        self._write(name + _ORDER, {"verb": verb, "what": what})
        return name

    def orders(self) -> list[OperatorOrder]:
        """Open orders, oldest first. Files that are no orders are renamed to ``.broken``."""
        with suppress(FileNotFoundError):
            return [order for path in sorted(self.folder.glob("*" + _ORDER)) if (order := self._read(path))]
        return []

    def answer(self, order: OperatorOrder, sentence: str) -> None:
        """Answer an order, which closes it."""
        self._write(order.name + _ANSWER, {"answer": sentence})
        (self.folder / (order.name + _ORDER)).unlink(missing_ok=True)

    def wait(self, name: str, seconds: float, sleep: Callable[[float], None] = time.sleep) -> str | None:
        """The answer to an order; None if there is none yet, and the order stays open."""
        path = self.folder / (name + _ANSWER)
        for _ in range(max(int(seconds / 0.1), 1)):
            if path.exists():
                answer: str = json.loads(path.read_text(encoding="utf-8"))["answer"]
                path.unlink()
                return answer
            sleep(0.1)
        return None

    def _read(self, path: Path) -> OperatorOrder | None:
        with suppress(OSError, ValueError, TypeError, KeyError, RecursionError):
            found = json.loads(path.read_text(encoding="utf-8"))
            return OperatorOrder(path.stem, str(found["verb"]), str(found["what"]))
        with suppress(OSError):
            path.rename(path.with_suffix(".broken"))
        return None

    def _write(self, name: str, content: dict[str, Any]) -> None:
        with replacing(self.folder / name, ".part") as file:
            file.write(json.dumps(content).encode())


class SiteOrder(StrEnum):
    """What can be ordered for a site."""

    PAUSE = "pause"
    RESUME = "resume"
    DROP = "drop"


def carry_out(frontier: Frontier, verb: str, site: str) -> str:
    """Carry out an order, and say what came of it. It is durable when this returns."""
    if verb not in set(SiteOrder):
        return f"{verb!r} is no order; there are {', '.join(SiteOrder)}"
    if frontier.site(site) is None:
        return f"{site} is not known here; a site is a registrable domain, as in: mediacrawl frontier stats"
    if verb == SiteOrder.DROP:
        gone = frontier.drop(site, Drop.OPERATOR)
        sentence = f"{plural(gone, 'URL')} of {site} dropped ({Drop.OPERATOR}); found again they do not join again"
    elif verb == SiteOrder.PAUSE:
        frontier.pause(site)
        sentence = f"{site} is paused: {_waiting(frontier, site)} there, until mediacrawl frontier resume {site}"
    elif frontier.resume(site):
        sentence = f"{site} is asked again: {_waiting(frontier, site)} there"
    else:
        sentence = f"{site} is neither paused nor retired"
    frontier.commit()
    return sentence


def _waiting(frontier: Frontier, site: str) -> str:
    info = frontier.site(site)
    return plural(info.waiting if info else 0, "URL", "waits")

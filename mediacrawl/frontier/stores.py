"""The stores: one file each, one contract. `open_store` reads the setting ``SCHEDULER_STORE``."""

from __future__ import annotations

import os
import random
from pathlib import Path

from mediacrawl.base.sqlite_file import Mark
from mediacrawl.frontier.contract import Frontier, FrontierError, FrontierPolicy
from mediacrawl.frontier.sqlite.database import check_file, lock, store_files

SQLITE_FILE = "frontier.db"
SERVER_FOLDER = "redis"
"""Folder of a fleet's own Redis server, in that of the crawl's state."""


def open_store(
    name: str,
    folder: Path,
    policy: FrontierPolicy,
    now: float,
    rng: random.Random | None = None,
    *,
    offset: float | None = None,
) -> Frontier:
    """Open a store by its name in settings.

    Args:
        name: ``sqlite`` (a file in `folder`) or ``memory`` (gone with the process).
        folder: where the crawl's state lies; made if missing.
        policy: the frontier's numbers.
        now: seconds since the epoch.
        rng: source of the even picks.
        offset: of the crawl's clock, see `SQLiteFrontier`.

    Raises:
        FrontierError: unknown name, or the file cannot be used.
    """
    if name == "memory":
        from mediacrawl.frontier.sqlite.store import MemoryFrontier  # noqa: PLC0415 - only what is used is loaded

        return MemoryFrontier(policy, rng)
    if name == "sqlite":
        from mediacrawl.frontier.sqlite.store import SQLiteFrontier  # noqa: PLC0415

        return SQLiteFrontier(folder / SQLITE_FILE, policy, now, rng, offset=offset)
    raise FrontierError(f"SCHEDULER_STORE = {name!r} is not a store; use 'sqlite', 'memory' or 'redis'")


def check_store(name: str, folder: Path, *, fresh: bool = False) -> None:
    """See that a crawl may work in `folder`, and that it can read what is there, which with `fresh` will be deleted.

    Raises:
        FrontierError: it may not, or it cannot, and why.
    """
    if name != "sqlite":
        return
    path = folder / SQLITE_FILE
    descriptor = lock(path)
    try:
        if not fresh:
            check_file(path, descriptor)
    finally:
        os.close(descriptor)


def delete_store(folder: Path) -> list[Path]:
    """Delete the SQLite store in `folder`; answers the files that went.

    Raises:
        FrontierError: a crawl is working on it, or a file cannot be deleted.
    """
    path = folder / SQLITE_FILE
    files = store_files(path)
    if not files and not path.with_suffix(".lock").exists():
        return []
    descriptor = lock(path)
    try:
        for name in files:
            name.unlink()
        Mark().write(descriptor)
    except OSError as error:
        raise FrontierError(f"{error.filename} cannot be deleted: {error.strerror}") from error
    finally:
        os.close(descriptor)
    return files


def has_server(folder: Path) -> bool:
    """Whether a fleet with its own Redis server has crawled in a folder."""
    return (folder / SERVER_FOLDER / "appendonlydir").is_dir()

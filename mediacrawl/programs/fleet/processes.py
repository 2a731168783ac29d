"""Starting child processes, and locking the folder that they share."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from mediacrawl.log.archive import lock

MODULE = (sys.executable, "-m", "mediacrawl.programs.fleet.parent_watch", "module")
"""Begins the command line of a module that ends with its parent."""
SERVER = (sys.executable, "-m", "mediacrawl.programs.fleet.parent_watch", "server")
"""Begins the command line of a supervised server."""

_LOCK = "fleet.lock"


class FleetError(Exception):
    """A fleet cannot begin. The message says why, and what to do."""


def start(
    command: Sequence[str | Path],
    output: BinaryIO,
    *,
    environment: Mapping[str, str],
    inherited: Collection[int] = (),
    stdin: int = subprocess.PIPE,
    folder: Path | None = None,
) -> subprocess.Popen[bytes]:
    """Start a process in a session of its own: Ctrl-C in a terminal reaches the fleet alone.

    Args:
        command: the command line, see `parent_watch`.
        output: where its output and its errors go.
        environment: of the process.
        inherited: file descriptors that it keeps.
        stdin: its standard input: a file descriptor, or a new pipe that ends with this process.
        folder: where it runs.

    Raises:
        OSError: it cannot be started.
    """
    return subprocess.Popen(
        command,
        cwd=folder,
        stdin=stdin,
        stdout=output,
        stderr=subprocess.STDOUT,
        env=dict(environment),
        start_new_session=True,
        pass_fds=tuple(inherited),
    )


def describe_exit(code: int | None) -> str:
    """How a process ended: its exit code, a signal (below zero), or None if it could not be started."""
    if code is None:
        return "could not be started"
    if code >= 0:
        return f"ended with exit code {code}"
    try:
        return f"was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"was ended by signal {-code}"


def open_lock(folder: Path, name: str, *, private: bool = False) -> int:
    """Open a lock file; answers its descriptor.

    Raises:
        FleetError: the folder cannot be written.
    """
    try:
        folder.mkdir(mode=0o700 if private else 0o777, parents=True, exist_ok=True)
        return os.open(folder / name, os.O_RDWR | os.O_CREAT, 0o600 if private else 0o644)
    except OSError as error:
        raise FleetError(f"{folder} cannot be used: {error.strerror}; name another MEDIACRAWL_DIR") from error


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Lock a folder against other fleets, as long as the block or this process lasts: they would write the same files.

    Raises:
        FleetError: another fleet works there, or it cannot be written.
    """
    descriptor = open_lock(folder, _LOCK)
    try:
        if not lock(descriptor, alone=True):
            raise FleetError(f"another fleet works in {folder}; name another MEDIACRAWL_DIR for this one")
        yield
    finally:
        os.close(descriptor)

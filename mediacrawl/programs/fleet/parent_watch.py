"""Child processes that end when their parent does.

``python -m mediacrawl.programs.fleet.parent_watch module NAME ...`` runs a module as ``python -m NAME ...``. When
the parent is gone the process gets SIGTERM, as from an operator, and stops cleanly.

``python -m mediacrawl.programs.fleet.parent_watch server PROGRAM ...`` runs a server, and stops it when all
processes that need it are gone. A server that dies earlier is restarted, but not one that was told to
end, nor one that dies at its start three times in a row.

The standard input of either is a pipe that nobody writes to. It reaches its end when the processes at the other end are
gone, also by ``kill -9``. ``PR_SET_PDEATHSIG`` would do the same on Linux only, and not for a parent that ends before
the child asks for it.
"""

from __future__ import annotations

import os
import runpy
import select
import signal
import subprocess
import sys
import threading
import time

GRACE = 60.0
"""Seconds for a clean stop, after which nobody is left to wait for it."""
LOOK = 0.2
"""Seconds between two checks of a server."""
QUICK = 10.0
"""Seconds: a server that lives shorter dies at its start."""
DEATHS = 3
"""Deaths at the start, in a row, after which a server is not restarted."""


def main() -> int:
    """Run what the command line names.

    Returns:
        An exit code.
    """
    _, kind, *command = sys.argv
    if kind == "server":
        return _supervise(command)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    sys.argv = command
    runpy.run_module(command[0], run_name="__main__", alter_sys=True)
    return 0


def _end_with_parent() -> None:
    try:
        while os.read(0, 4096):
            pass
    except OSError:
        # Without a standard input there is no parent to watch.
        return
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(GRACE)
    os._exit(1)


def _supervise(command: list[str]) -> int:
    """Run a server; answers 0 if it was stopped, 1 if it ended by itself."""
    # A terminal, systemd and kill send these to a whole group; the server has to outlive the processes that need it.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    deaths = 0
    server, began = _start(command), time.monotonic()
    while not _is_unused():
        code = server.poll()
        if code is None:
            continue
        deaths = deaths + 1 if time.monotonic() - began < QUICK else 0
        if code == 0 or deaths >= DEATHS:
            return 1
        server, began = _start(command), time.monotonic()
    server.terminate()
    server.wait()
    return 0


def _start(command: list[str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(command, stdin=subprocess.DEVNULL)


def _is_unused() -> bool:
    readable, _, _ = select.select([0], [], [], LOOK)
    return bool(readable) and not os.read(0, 4096)


if __name__ == "__main__":
    sys.exit(main())

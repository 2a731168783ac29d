"""``python -m mediacrawl.fleet.leash MODULE ...``: as ``python -m MODULE ...``, but it ends with whoever started it.

Its standard input is a pipe that nobody writes to. It ends when the process at its other end is gone, also by
``kill -9``: then this one gets SIGTERM, as from an operator, and stops cleanly. A signal from the kernel
(``PR_SET_PDEATHSIG``) would do the same on Linux only, and not for a parent that is gone before it is asked for.
"""

from __future__ import annotations

import os
import runpy
import signal
import sys
import threading
import time

GRACE = 60.0
"""Seconds for a clean stop, after which nobody is left to wait for it."""


def main() -> None:
    """Run the module that the command line names."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    del sys.argv[0]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)


def _end_with_parent() -> None:
    try:
        while os.read(0, 4096):
            pass
    except OSError:
        # Nobody gave it an input to watch.
        return
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(GRACE)
    os._exit(1)


if __name__ == "__main__":
    main()

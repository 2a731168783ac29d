"""A Redis server of the tests' own: on a free port, in a folder of its own, stopped when the test is over."""

import os
import shutil
import signal
import socket
import subprocess
import time
import weakref

import pytest

MISSING = "redis-server is not installed; on Debian: apt install redis-server"


class RedisServer:
    """One server.

    Args:
        folder: where it keeps its files.
        options: further words of its command line, such as ``--requirepass``, ``secret``.
        durable: whether it keeps everything over its own kill (an append-only file, synced at each write).
    """

    def __init__(self, folder, *options, durable=False):
        self.program = shutil.which("redis-server")
        if self.program is None:
            pytest.skip(MISSING)
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
        raise AssertionError("redis-server does not answer")

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
        return max((self.folder / "appendonlydir").glob("*.incr.aof"))

    def stop(self):
        """End it in order."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.process.terminate()
            self.process.wait(30)

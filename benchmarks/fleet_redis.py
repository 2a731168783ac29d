"""A Redis server of the benchmark's own, and what it counts."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Self

import redis

MISSING = "redis-server is not installed; on Debian: apt install redis-server"


@dataclass(frozen=True)
class Counted:
    """What the server has counted since it was started.

    Attributes:
        commands: of clients and within scripts.
        scripts: of the commands those that run a script.
        received: bytes from clients.
        sent: bytes to clients.
        written: bytes in its append-only file.
        cpu: seconds, user and system, with the threads and processes that write its files.
    """

    commands: float = 0
    scripts: float = 0
    received: float = 0
    sent: float = 0
    written: float = 0
    cpu: float = 0

    def __sub__(self, before: Counted) -> Counted:
        return Counted(*(getattr(self, one.name) - getattr(before, one.name) for one in fields(self)))


class RedisServer:
    """redis-server on a free port of loopback, with its append-only file synced each second; empty at first.

    Args:
        folder: where it keeps its files.
    """

    def __init__(self, folder: Path) -> None:
        program = shutil.which("redis-server")
        if program is None:
            raise SystemExit(MISSING)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.url = f"redis://127.0.0.1:{port}"
        folder.mkdir(parents=True, exist_ok=True)
        place = ["--port", str(port), "--bind", "127.0.0.1", "--dir", str(folder), "--logfile", "log", "--save", ""]
        self.process = subprocess.Popen([program, *place, "--appendonly", "yes", "--appendfsync", "everysec"])
        self.client: Any = redis.Redis.from_url(self.url)

    def __enter__(self) -> Self:
        for _ in range(400):
            try:
                self.client.ping()
            except redis.ConnectionError:
                time.sleep(0.02)
            else:
                return self
        raise SystemExit("redis-server does not answer")

    def __exit__(self, *_: object) -> None:
        self.client.close()
        self.process.terminate()
        self.process.wait(60)

    def counted(self) -> Counted:
        """What was counted until now."""
        found = self.client.info("everything")
        calls = {name: row["calls"] for name, row in found.items() if name.startswith("cmdstat_")}
        return Counted(
            commands=sum(calls.values()),
            scripts=calls.get("cmdstat_evalsha", 0) + calls.get("cmdstat_eval", 0),
            received=found["total_net_input_bytes"],
            sent=found["total_net_output_bytes"],
            written=found["aof_current_size"],
            cpu=sum(found[f"used_cpu_{name}"] for name in ("user", "sys", "user_children", "sys_children")),
        )

    def used(self) -> int:
        """Bytes of memory that are used, once all that was deleted is freed."""
        while self.client.info("memory")["lazyfree_pending_objects"]:
            time.sleep(0.05)
        return int(self.client.info("memory")["used_memory"])

    def taken_by(self, pattern: str) -> tuple[int, int]:
        """Bytes that keys and their values take, and how many keys there are.

        Args:
            pattern: of the keys, as for SCAN.
        """
        size = number = 0
        keys = list[bytes]()
        for key in self.client.scan_iter(pattern, count=1_000):
            keys.append(key)
        for start in range(0, len(keys), 1_000):
            with self.client.pipeline(transaction=False) as pipe:
                for key in keys[start : start + 1_000]:
                    pipe.memory_usage(key, samples=0)
                sizes = pipe.execute()
            size, number = size + sum(sizes), number + len(sizes)
        return size, number

"""What the benchmarks share: tables, figures, the last line, and the CPU of other processes."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent

Figure = dict[str, object]
"""One row of the last line."""


def figure(
    name: str,
    value: float | None,
    unit: str,
    target: float,
    better: str = "more",
    *,
    digits: int = 2,
    peer: float | None = None,
) -> Figure:
    """Return one row of the last line.

    Args:
        name: what was measured.
        value: it; None where this run does not measure it.
        unit: of the value.
        target: what is to be reached.
        better: ``more`` or ``less``.
        digits: behind the point.
        peer: the same of another program.
    """
    rounded = None if value is None else round(value, digits)
    beside = {} if peer is None else {"peer": round(peer, digits)}
    return {"name": name, "value": rounded, "unit": unit, "target": target, "better": better, **beside}


def is_met(row: Mapping[str, object]) -> bool:
    """Return whether a figure is as good as its target, or was not measured."""
    value, target = row["value"], row["target"]
    return value is None or (value <= target if row["better"] == "less" else value >= target)  # type: ignore[operator]


def finish(bench: str, figures: Sequence[Figure]) -> None:
    """Print the figures beside their targets, and as the last line one JSON object with a row for each."""
    print("\nTargets")
    for row in figures:
        value = "not measured" if row["value"] is None else f"{row['value']:,g}"
        missed = "" if is_met(row) else "missed"
        print(f"{row['name']}: {value} {row['unit']}; target {row['better']} than {row['target']} {missed}".rstrip())
    print(json.dumps({"bench": bench, "figures": list(figures)}))


def table(title: str, heads: Sequence[str], rows: Iterable[tuple[str, Sequence[float | str]]], digits: int = 1) -> None:
    """Print a table.

    Args:
        title: the line above it.
        heads: of the columns, but for the first.
        rows: the name of each, and its cells.
        digits: behind the point of numbers.
    """
    lines = list(rows)
    first = max([24, *(len(name) + 2 for name, _ in lines)])
    widths = [max(12, len(head) + 2) for head in heads]
    print(f"\n{title}\n{'':{first}}" + "".join(f"{head:>{width}}" for head, width in zip(heads, widths, strict=True)))
    for name, cells in lines:
        texts = [cell if isinstance(cell, str) else f"{cell:,.{digits}f}" for cell in cells]
        print(f"{name:{first}}" + "".join(f"{text:>{width}}" for text, width in zip(texts, widths, strict=True)))


def environment(**variables: str) -> dict[str, str]:
    """Return that of this process, for one that imports mediacrawl.

    This folder is never in its path: `encodings.py` would hide Python's own.
    """
    return {**os.environ, "PYTHONPATH": str(HERE.parent), **variables}


def cpu_of_children() -> float:
    """Return the seconds of CPU, user and system, of all processes that this one started and that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@contextmanager
def serving(
    hosts: int, pause: float = 0.0, mode: str = "keep", pages: Path | None = None
) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """Serve the web of ``bench_web.py`` from a process of its own, which is given with its port.

    Args:
        hosts: of the web.
        pause: seconds before each answer.
        mode: how it treats connections.
        pages: a folder of captured pages, whose bodies it serves.
    """
    folder = [] if pages is None else [str(pages)]
    command = [sys.executable, str(HERE / "bench_web.py"), str(hosts), str(pause), mode, *folder]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        yield server, int(server.stdout.readline())
        server.communicate()


def forget(path: Path) -> None:
    """Have the system drop a file from its cache."""
    with path.open("rb") as opened:
        os.fsync(opened.fileno())
        os.posix_fadvise(opened.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def resident(name: str = "VmRSS") -> int:
    """Return bytes of memory of this process: those in use, or with ``VmHWM`` their peak."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return 1024 * int(status.partition(f"{name}:")[2].split()[0])


def begin_crawl(folder: Path, hosts: int, url: str, *, seeds: bool = True, **orders: Any) -> subprocess.Popen[bytes]:
    """Start ``crawl_worker.py`` in a new folder, in which it leaves ``rows.json`` and ``worker.log``.

    Args:
        folder: of the crawl.
        hosts: of the web.
        url: of a page of it, with ``{}`` for its number.
        seeds: whether it has those.
        orders: ``crawler``, ``pages``, and what else the worker knows.
    """
    folder.mkdir()
    usual = {"concurrent": 100, "redis": "", "settings": {}, "arguments": {}, "samples": [], "folder": str(folder)}
    web = {
        "seeds": [url.format(number, number) for number in range(hosts if seeds else 0)],
        "hosts": {f"site{n}.test": f"127.1.{n // 250}.{n % 250 + 1}" for n in range(hosts)},
    }
    command = [sys.executable, str(HERE / "crawl_worker.py"), json.dumps(usual | web | orders)]
    with (folder / "worker.log").open("wb") as log:
        return subprocess.Popen(command, stdout=log, stderr=log, cwd=folder, env=environment())


def failed(folder: Path) -> SystemExit:
    """Return the error that a crawl ended before it had its share, with the end of its log."""
    return SystemExit(f"a crawl ended before it had its share:\n{(folder / 'worker.log').read_text()[-3000:]}")

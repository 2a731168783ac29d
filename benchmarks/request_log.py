"""What a line of the request log costs, beside Python's own logging with a line of JSON.

And what it costs to keep one of each request that is out, for the case of a kill.

Run: ``make bench NAME=request_log``.
"""

from __future__ import annotations

import json
import logging
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path

from shared import figure, finish, table

from mediacrawl.log.request_log import RequestLine, RequestLog

LINES = 20_000
ROUNDS = 5
TARGET = 20.0
LINE = RequestLine(
    time=1_790_000_000.123,
    url="http://music.example.org/archive/2026/11/night-train-to-the-harbour.html?page=2",
    status=200,
    content_type="text/html; charset=utf-8",
    content_length="31337",
    location="",
    duration=0.1234,
    bytes=31_337,
    site="example.org",
    delay=15.0,
    kind="page",
)

OUT = replace(LINE, status=None)


def microseconds(write: Callable[[RequestLine], None]) -> float:
    """Microseconds a line."""
    began = time.perf_counter()
    for _ in range(LINES):
        write(LINE)
    return (time.perf_counter() - began) / LINES * 1e6


def main() -> None:
    """Alternate the two, print a table and the figures."""
    ours: list[float] = []
    both: list[float] = []
    peer: list[float] = []
    with tempfile.TemporaryDirectory() as folder, RequestLog(Path(folder) / "log") as log:
        handler = logging.FileHandler(Path(folder) / "peer.jsonl")
        handler.setFormatter(logging.Formatter("%(message)s"))
        logger = logging.getLogger("peer")
        logger.setLevel(logging.INFO)
        logger.addHandler(handler)
        for _ in range(ROUNDS):
            ours.append(microseconds(log.write))
            both.append(microseconds(lambda line: log.write(line, log.begin(OUT))))
            peer.append(microseconds(lambda line: logger.info(json.dumps(asdict(line)))))
        handler.close()
    costs = [statistics.median(each) for each in (ours, both, peer)]
    names = ("mediacrawl RequestLog", "... begun and ended", "logging and json.dumps")
    table("The request log", ("us a line",), [(name, (cost,)) for name, cost in zip(names, costs, strict=True)])
    finish("request_log", [figure("one line of the request log", costs[0], "us", TARGET, "less")])


if __name__ == "__main__":
    main()

"""How long the answer to a complaint takes, over a month of compressed logs.

Makes the logs of a crawl (10 million lines, 31 days, 1 million sites) in a temporary folder, packs each day as a crawl
does at midnight, and answers complaints about a site of 200 lines, one of 5,000, and one that was never requested; the
system is told to forget the files before each answer. For comparison ``zgrep`` gets one day, and its time is
multiplied by the number of days.

Run: ``make bench NAME=complaint`` (five minutes, 1 GB of disk), ``ARGS=--quick`` (half a minute).
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

from mediacrawl.log import archive
from mediacrawl.programs.complaint import ConductPolicy, Logs, Sender, open_case, reply, subject_of, verdict
from mediacrawl.programs.complaint.case import Case

FIRST = date(2026, 8, 1)
TYPICAL, HEAVY = 200, 5_000
PLANTED = 3
"""Sites of each of the two sizes."""
WORDS = [
    *("music", "archive", "radio", "show", "live", "concert", "episode", "track", "album"),
    *("news", "audio", "video", "media", "page", "list", "de", "en", "fr"),
]
ENDS = ("html", "php", "mp3", "ogg", "m4a", "", "")
ROBOTS_SHARE = 10
"""One request in so many asks for a robots.txt."""
SENDER = Sender("https://crawler.example/", "", "mediacrawl (+https://crawler.example/)", "mediacrawl")


@dataclass(frozen=True)
class Scale:
    """How large the logs are."""

    lines: int
    days: int
    sites: int


FULL = Scale(10_000_000, 31, 1_000_000)
QUICK = Scale(500_000, 5, 50_000)


class Month:
    """The logs of a month, as a crawl would have written them."""

    def __init__(self, scale: Scale, folder: Path) -> None:
        self.scale = scale
        self.folder = folder
        self._random = random.Random(6)
        self.plain = self.packed = 0

    def make(self) -> None:
        """Write each day and pack it."""
        for number in range(self.scale.days):
            paths = self._write(FIRST + timedelta(days=number))
            self.plain += sum(path.stat().st_size for path in paths)
            self.packed += sum(path.stat().st_size for path in map(archive.pack, paths) if path)
            print(f"\r{number + 1} of {self.scale.days} days", end="", file=sys.stderr, flush=True)
        print(file=sys.stderr)

    def _write(self, day: date) -> tuple[Path, Path]:
        requests = self.folder / f"requests-{day.isoformat()}.jsonl"
        robots = self.folder / f"robots-{day.isoformat()}.jsonl"
        with requests.open("w", encoding="ascii") as out, robots.open("w", encoding="ascii") as rules:
            for site, stamp in self._visits(day):
                if self._random.randrange(ROBOTS_SHARE):
                    out.write(self._request(site, stamp))
                else:
                    out.write(self._request(site, stamp, "robots.txt"))
                    rules.write(self._rules(site, stamp))
        return requests, robots

    def _visits(self, day: date) -> Iterator[tuple[str, str]]:
        """Sites and times of a day, in the order of time: half of the lines are of a tenth of the sites."""
        count, draw = self.scale.lines // self.scale.days, self._random.random
        planted = [
            name
            for size, kind in ((TYPICAL, "typical"), (HEAVY, "heavy"))
            for number in range(PLANTED)
            for name in [f"{kind}{number}.example"] * (size // self.scale.days)
        ]
        places = dict(zip(self._random.sample(range(count), len(planted)), planted, strict=True))
        for number in range(count):
            second, rest = divmod(number * 86_400_000 // count, 1000)
            few = draw() < 0.5
            chosen = int(draw() * self.scale.sites / (10 if few else 1))
            site = places.get(number) or f"site{chosen * 7919 % self.scale.sites}.example"
            hour, minute = second // 3600, second // 60 % 60
            yield site, f"{day.isoformat()}T{hour:02d}:{minute:02d}:{second % 60:02d}.{rest:03d}Z"

    def _request(self, site: str, stamp: str, path: str = "") -> str:
        number = self._random.getrandbits(40)
        kind = "robots" if path else "page"
        path = path or f"{WORDS[number % 18]}/{WORDS[number // 18 % 18]}-{number:x}.{ENDS[number % 7]}"
        return (
            f'{{"time":"{stamp}","url":"https://www.{site}/{path}","status":{404 if number % 11 == 0 else 200}'
            f',"content_type":"text/html; charset=utf-8","content_length":{number % 90_001},"location":""'
            f',"response_url":null,"duration":{number % 2_999 / 1000:.3f},"bytes":{number % 90_001},"site":"{site}"'
            f',"delay":{15 + number % 45_007 / 1000:.3f},"kind":"{kind}","drop":null,"error":null'
            f',"address":"198.51.{number % 256}.{number // 256 % 256}","retry_after":""}}\n'
        )

    def _rules(self, site: str, stamp: str) -> str:
        rules = "".join(f"Disallow: /{word}/private/\\n" for word in WORDS[: self._random.randrange(1, 12)])
        text = f"# robots.txt of {site}\\nUser-agent: *\\n{rules}Sitemap: https://www.{site}/sitemap.xml\\n"
        return (
            f'{{"time":"{stamp}","url":"https://www.{site}/robots.txt","status":200,"bytes":{len(text)}'
            f',"site":"{site}","authority":"https://www.{site}","encoding":"utf-8","text":"{text}"}}\n'
        )


def forget(folder: Path) -> None:
    """Have the system drop the files from its cache."""
    for path in folder.iterdir():
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        finally:
            os.close(descriptor)


def answer(folder: Path, site: str) -> tuple[float, Case]:
    """Seconds from the question to the text, and the case."""
    forget(folder)
    began = time.perf_counter()
    case = open_case(subject_of(site), Logs.of([folder]), token="mediacrawl", promises=ConductPolicy())
    verdict(case)
    reply(case, SENDER, 20)
    return time.perf_counter() - began, case


def answers(folder: Path, kind: str, sites: list[str]) -> float:
    """The median over some sites, told."""
    took = [answer(folder, site) for site in sites]
    middle, requests = statistics.median(t for t, _ in took), statistics.mean(len(c.requests) for _, c in took)
    row(f"a site of {requests:,.0f} requests" if requests else kind, f"{middle:.2f} s", f"{max(took)[0]:.2f} s")
    return middle


def zgrep(folder: Path, days: int) -> float:
    """Seconds of ``zgrep`` for one day of requests, times the days."""
    forget(folder)
    began = time.perf_counter()
    words = ["zgrep", "-F", '"site":"typical0.example"', str(folder / f"requests-{FIRST.isoformat()}.jsonl.gz")]
    subprocess.run(words, stdout=subprocess.DEVNULL, check=False)
    return (time.perf_counter() - began) * days


def row(name: str, *cells: str) -> None:
    print(f"{name:<44}", *(f"{cell:>12}" for cell in cells), flush=True)


def run(scale: Scale, folder: Path) -> list[dict[str, object]]:
    """Make the logs, ask, and tell; answers the figures."""
    month = Month(scale, folder)
    month.make()
    print(f"{scale.lines:,} requests, {scale.sites:,} sites, {scale.days} days:", end=" ")
    print(f"{month.plain / 1e6:,.0f} MB plain, {month.packed / 1e6:,.0f} MB packed")
    row("answer about", "median", "slowest")
    names = range(PLANTED)
    typical = answers(folder, "typical", [f"typical{number}.example" for number in names])
    heavy = answers(folder, "heavy", [f"heavy{number}.example" for number in names])
    unknown = answers(folder, "a site that was never asked", [f"never{number}.example" for number in names])
    grep = zgrep(folder, scale.days)
    row(f"zgrep, requests only (one day, times {scale.days})", f"{grep:.0f} s", f"{grep / typical:.0f} times")
    return [
        figure("answer about a site of 200 requests", typical),
        figure("answer about a site of 5,000 requests", heavy),
        figure("answer about a site that was never asked", unknown),
    ]


def figure(name: str, seconds: float) -> dict[str, object]:
    return {"name": name, "value": round(seconds, 2), "unit": "s", "target": 30.0, "better": "less"}


def main() -> None:
    """Print a table, and the figures as the last line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="half a minute: 500,000 lines of 5 days")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        figures = run(QUICK if options.quick else FULL, Path(temporary))
    print(json.dumps({"bench": "complaint", "figures": figures}))


if __name__ == "__main__":
    main()

"""What a queue of millions of links costs, in CPU time and memory: ``scrapy segment`` beside ``sort -u``.

    python benchmarks/segment.py [--links 2000000 10000000] [--memory 1GB]

The links are those of a crawl: half of them lead where another one led. The peer is GNU sort (``LC_ALL=C sort -u``) on
the same list of URLs with the same memory, which is the least that any such program must do: it knows no canonical
form, no scope, no sites, no scores. Both run one after the other, each in a process of its own. CPU seconds are those
of all its processes; a busy machine stretches the others. Peak memory is that of the largest process.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from shared import environment, figure, finish

TEXT = "music albums track live audio podcast episode artist archive radio show tags news sport shop item"
WORDS = TEXT.split()
SITES = 50_021
SCRAPY = [sys.executable, "-m", "mediacrawl"]
LEAST, MOST, TIMES = 50_000, 1_500, 25.0
"""Targets: links a CPU second, MB with 1 GB for the engine, times the CPU time of ``sort -u``."""


def write_links(path, number):
    """A list of links: few URLs are linked often, most of them once."""
    rng = random.Random(number)
    with path.open("w") as file:
        for _ in range(number):
            key = int(rng.random() ** 3 * number)
            one, two, three = WORDS[key % 16], WORDS[key // 16 % 16], WORDS[key // 256 % 16]
            ending = ("html", "mp3", "jpg", "html")[key % 4]
            file.write(f"https://www.s{key * 7919 % SITES}.example/{one}/{two}{key % 1000}/{three}-{key}.{ending}\n")


def measure(command):
    """Seconds, CPU seconds and peak bytes of a command."""
    began = time.perf_counter()
    process = subprocess.Popen(
        command, env=environment(LC_ALL="C"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{command} ended with {process.returncode}")
    return time.perf_counter() - began, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def compare(folder, number, memory):
    links, queue, plain = (folder / name for name in ("links.txt", "next.txt", "plain.txt"))
    write_links(links, number)
    ours = measure([*SCRAPY, "segment", str(links), "-o", str(queue), "--memory", memory])
    peer = measure(["sort", "-u", "-S", memory.removesuffix("B"), "-T", str(folder), "-o", str(plain), str(links)])
    with plain.open() as file:
        expected = sum(1 for line in file if not line.endswith(".jpg\n"))
    with queue.open() as file:
        found = sum(1 for _ in file)
    if found != expected:
        raise SystemExit(f"{found} URLs, but {expected} were expected")
    for path in (links, queue, plain):
        path.unlink()
    return ours, peer


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--links", type=int, nargs="+", default=[2_000_000, 10_000_000])
    parser.add_argument("--memory", default="1GB")
    options = parser.parse_args()
    print(f"{'links':>12} {'':>10} {'seconds':>8} {'CPU s':>8} {'links/s':>10} {'peak MB':>8}")
    figures = []
    with tempfile.TemporaryDirectory(dir=".") as folder:
        for number in options.links:
            ours, peer = compare(Path(folder), number, options.memory)
            for name, (wall, cpu, peak) in (("segment", ours), ("sort -u", peer)):
                print(f"{number:>12,} {name:>10} {wall:>8.1f} {cpu:>8.1f} {number / wall:>10,.0f} {peak / 1e6:>8.0f}")
            figures += [
                figure(f"segment_{number}_links", round(number / ours[1]), "links/CPU s", LEAST, "more"),
                figure(f"segment_{number}_peak", round(ours[2] / 1e6), "MB", MOST, "less"),
                figure(f"segment_{number}_times_sort", round(ours[1] / peer[1], 1), "x", TIMES, "less"),
            ]
    finish("segment", figures)


if __name__ == "__main__":
    main()

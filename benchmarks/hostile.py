"""The dearest answers that a stranger can give: what do they cost the crawl?

A search puts hostile pieces together (`hostile_inputs`): each alone and small at first, then several at growing shares,
then around the dearest that were found. Each input is fetched by a real crawl (`hostile_crawl`) from a server on this
machine: Scrapy's engine, all middlewares, spider, pipelines, the SQLite frontier, the catalogue and the request log,
with delays of zero. Five kinds: a page; a list (feed, sitemap, M3U, ASX, XSPF, PLS, HLS, DASH; all come packed); a
robots.txt; a media file (MP3, FLAC, MP4, Matroska); a block of headers. For each kind:

* ``ms_worst``: CPU milliseconds of the reactor's thread for the dearest answer, from the moment when its request goes
  out until its visit has ended: receiving, unpacking, reading, queueing, and what the frontier writes. Neither threads
  are in it nor the pipelines, which store one record at a time, and the reactor continues between two; with both it is
  printed beside it (``all``).
* ``ms_ten``: the median of the ten dearest of different make: an attack that one bound stops must not hide the others.
* ``memory``: MB by which one answer makes the process grow at most (resident, threads counted). The target is that of
  ``probe_fuzz``: half of the 128 answers that may be out at a time would then fit in 4 GB.
* ``disk``: bytes of frontier.db, media.db and request log for a byte that was read, beyond what an empty answer leaves;
  of a packed list the bytes are counted unpacked. For the three fullest makes, three of each.

Where another program reads the same, it is given the dearest input too, in this run: Scrapy's LinkExtractor for pages,
feedparser for feeds, Protego for robots.txt, mutagen for media files.

Run: ``make bench NAME=hostile``, some four minutes; ``ARGS=--quick`` takes one. ``--only page,robots`` looks at some
kinds, ``--save FOLDER`` keeps the dearest inputs. The seed is fixed, but the time decides how far the search comes.
"""

from __future__ import annotations

import argparse
import gzip
import io
import json
import multiprocessing
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import mutagen
from hostile_inputs import Genome, Input, build
from protego import Protego
from scrapy.http import HtmlResponse
from scrapy.linkextractors import LinkExtractor
from shared import HERE, figure, finish

try:
    import feedparser
except ImportError:
    feedparser = None

KINDS = {
    "page": ("page",),
    "list": ("feed", "sitemap", "m3u", "asx", "xspf", "pls", "hls", "dash"),
    "robots": ("robots",),
    "media": ("mp3", "flac", "mp4", "mkv"),
    "headers": ("headers",),
}
SECONDS = {"page": 24.0, "list": 6.0, "sitemap": 15.0, "robots": 12.0, "media": 6.0, "headers": 10.0}
"""Of the search, for each family of a kind; a sitemap may give a thousand records, which take seconds to store."""
QUICK = 0.2
TARGETS = {"ms_worst": 500, "ms_ten": 100, "memory": 64, "disk": 5}
UNITS = {"ms_worst": "ms", "ms_ten": "ms", "memory": "MB", "disk": "bytes/byte"}
PATIENCE = 20
"""Seconds that another program gets for one input."""
SHOWN = 10


def search(family: str, seconds: float, seed: int) -> dict:
    """The dearest inputs of a family, found in a process of its own."""
    order = json.dumps({"family": family, "seconds": seconds, "seed": seed})
    command = [sys.executable, str(HERE / "hostile_crawl.py")]
    done = subprocess.run(command, input=order, capture_output=True, text=True, check=False)
    if done.returncode or not done.stdout:
        raise SystemExit(f"the search of {family} failed:\n{done.stderr[-4000:]}")
    found = json.loads(done.stdout.splitlines()[-1])
    if not found["dearest"]:
        raise SystemExit(f"the search of {family} asked for nothing:\n{done.stderr[-4000:]}")
    return found


# -- other programs ------------------------------------------------------------------------------------------------


def by_link_extractor(given: Input) -> None:
    tags = ("a", "area", "iframe", "frame", "embed", "object", "audio", "video", "source", "link")
    response = HtmlResponse("http://n.example/page", body=given.body[:200_000], encoding="utf-8")
    LinkExtractor(tags=tags, attrs=("href", "src", "data")).extract_links(response)


def by_feedparser(given: Input) -> None:
    feedparser.parse(gzip.decompress(given.body)[:3_000_000])


def by_protego(given: Input) -> None:
    rules = Protego.parse(given.robots[:512_000].decode("utf-8", "replace"))
    rules.can_fetch(f"http://n.example{given.path}", "mediacrawl")


def by_mutagen(given: Input) -> None:
    try:
        mutagen.File(io.BytesIO(given.body))
    except mutagen.MutagenError:
        return


PEERS: dict[str, Callable[[Input], None]] = {
    "page": by_link_extractor,
    **({"feed": by_feedparser} if feedparser else {}),
    "robots": by_protego,
    **dict.fromkeys(("mp3", "flac", "mp4", "mkv"), by_mutagen),
}


def peer_ms(family: str, genome: Genome) -> float | None:
    """CPU milliseconds of another program for an input; infinite if it does not end, None if there is none."""
    if family not in PEERS:
        return None
    ours, theirs = multiprocessing.Pipe()
    worker = multiprocessing.Process(target=_work, args=(family, genome, theirs))
    worker.start()
    # Closed here, so that its end is seen when the worker is gone.
    theirs.close()
    try:
        return ours.recv() if ours.poll(PATIENCE) else float("inf")
    except EOFError:
        return None
    finally:
        worker.kill()
        worker.join()


def _work(family: str, genome: Genome, told) -> None:
    given, work = build(genome), PEERS[family]
    work(build(Genome.of({**vars(genome), "size": 0.0})))  # imports
    began = time.process_time()
    work(given)
    told.send((time.process_time() - began) * 1000)


# -- telling -------------------------------------------------------------------------------------------------------


def measure(kind: str, given: argparse.Namespace) -> list[dict]:
    """The figures of a kind; prints what was found."""
    dearest, fullest, memory = [], [], 0
    for family in KINDS[kind]:
        found = search(family, SECONDS.get(family, SECONDS[kind]) * (QUICK if given.quick else 1), given.seed)
        dearest += [{**each, "family": family} for each in found["dearest"]]
        fullest += [{**each, "family": family} for each in found["fullest"]]
        memory = max(memory, found["memory"])
        worst = found["dearest"][0]
        genome = Genome.of(worst["genome"])
        compared = compare(peer_ms(family, genome), worst)
        print(
            f"{family}: {found['tried']} inputs, {found['memory'] / 1e6:.0f} MB, {found['empty']} bytes on disk for"
            f" an empty answer{compared}"
        )
    dearest.sort(key=lambda each: each["ms"], reverse=True)
    fullest.sort(key=ratio, reverse=True)
    print(f"\n{kind}: the dearest of different make, by the reactor\n\n{'ms':>8}{'all':>8}{'MB':>6}  what")
    for each in dearest[:SHOWN]:
        print(f"{each['ms']:8.0f}{each['all_ms']:8.0f}{each['memory'] / 1e6:6.0f}  {words(each)}")
    print(f"\n{kind}: the fullest on disk\n\n{'per byte':>10}{'on wire':>10}{'KB each':>10}  what")
    for each in fullest[: SHOWN // 2]:
        print(
            f"{ratio(each):10.1f}{each['disk'] / max(each['wire'], 1):10.1f}{each['disk'] / 3000:10.0f}  {words(each)}"
        )
    print(flush=True)
    if given.save:
        save(given.save, kind, [*dearest[:SHOWN], *fullest[: SHOWN // 2]])
    values = {
        "ms_worst": dearest[0]["ms"],
        "ms_ten": statistics.median(each["ms"] for each in dearest[:10]),
        "memory": memory / 1e6,
        "disk": ratio(fullest[0]),
    }
    return [figure(f"{kind}_{name}", value, UNITS[name], TARGETS[name], "less") for name, value in values.items()]


def ratio(each: dict) -> float:
    """Bytes on disk for a byte that was read."""
    return each["disk"] / max(each["read"], 1)


def words(each: dict) -> str:
    """What an input is made of."""
    return f"{each['family']}, {Genome.of(each['genome']).told()}"


def compare(peer: float | None, worst: dict) -> str:
    """How another program did at the dearest input."""
    if peer is None:
        return ""
    if peer == float("inf"):
        return f"; the peer did not end within {PATIENCE} s on the dearest"
    times = worst["all_ms"] / max(peer, 0.1)
    return f"; the dearest takes {worst['all_ms']:.0f} ms of all threads, the peer {peer:.0f}: {times:.1f} times"


def save(folder: Path, kind: str, found: list[dict]) -> None:
    """Keep inputs as a server would send them, head and body."""
    folder.mkdir(parents=True, exist_ok=True)
    for place, each in enumerate(found):
        given = build(Genome.of(each["genome"]))
        body = given.robots if given.in_robots else given.body
        (folder / f"{kind}-{place:02d}-{each['family']}.http").write_bytes(given.head + b"\r\n" + body)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", default=",".join(KINDS), help="kinds, with commas")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--save", type=Path, help="folder for the dearest inputs")
    given = parser.parse_args()
    kinds = given.only.split(",")
    if unknown := set(kinds) - set(KINDS):
        parser.error(f"no such kind: {', '.join(sorted(unknown))}; there are {', '.join(KINDS)}")
    figures = [each for kind in KINDS if kind in kinds for each in measure(kind, given)]
    finish("hostile", figures)


if __name__ == "__main__":
    main()

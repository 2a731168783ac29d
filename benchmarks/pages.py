"""What reading real pages costs and finds, measured on captured pages of strangers.

    make bench NAME=pages ARGS="DIR"

DIR has ``manifest.jsonl`` and ``pages/ID.body``, or is that folder itself. Each line of the manifest is a page: ``id``,
``url``, ``content_type``, and ``browser`` with ``links``, those that a browser without scripts has, as ``[element,
absolute URL, rel]``. The pages belong to others; none of them is in this repository.

* Cost, in milliseconds of CPU a page, with pages cut at 200 KB and at 1 MB: libxml2's parser alone, `parse_page`, what
  the crawl does next (`Scope.sift`, `Fingerprint.of`), and Scrapy's HtmlResponse with LinkExtractor. For each page the
  least of the rounds counts; the garbage collector is off meanwhile.
* Links that the browser has and that do not join the frontier, by reason, at ``PAGE_MAX_BYTES``. Those without a reason
  are faults or beyond a limit. ``--losses`` prints examples of each reason.
* Pages with media in the browser's links of which all media are lost.
* The dearest page of 200 KB that a seeded search finds, in milliseconds of CPU of `parse_page`; beside it that make at
  1 MB. ``--seconds`` is how long it searches, ``--save FILE`` keeps the page.
"""

from __future__ import annotations

import argparse
import gc
import json
import random
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from hostile_inputs import FAMILIES, LENGTHS
from lxml import etree
from scrapy.http import HtmlResponse
from scrapy.linkextractors import LinkExtractor
from scrapy.settings import Settings
from shared import figure, finish, table

from mediacrawl.base.content_type import header_charset, names_media
from mediacrawl.base.terms import Drop
from mediacrawl.crawl.policies import scope_rules
from mediacrawl.extract import Fingerprint, parse_page
from mediacrawl.scope import Scope

LIMITS = (200_000, 1_000_000)
TAGS = ("a", "area", "iframe", "frame", "embed", "object", "audio", "video", "source", "link")
PLAYING = frozenset({"audio", "video", "source", "track"})
UNNAMED = "no reason"
BEYOND = "limit/page"
SHOWN = 8


class Captured(NamedTuple):
    """A page as it was captured."""

    id: str
    url: str
    body: bytes
    charset: str | None
    links: list[list[str]]


def captured(folder: Path) -> list[Captured]:
    manifest = next(
        (each for each in (folder / "manifest.jsonl", folder / "pages/manifest.jsonl") if each.exists()), None
    )
    if manifest is None:
        raise SystemExit(f"{folder} has no manifest.jsonl, neither itself nor in pages/")
    bodies = folder / "pages" if (folder / "pages").is_dir() else folder
    found = []
    for line in manifest.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        body, charset = (bodies / f"{row['id']}.body").read_bytes(), header_charset(row["content_type"])
        found.append(Captured(row["id"], row["url"], body, charset, row["browser"]["links"]))
    return found


# -- cost ----------------------------------------------------------------------------------------------------------


def bare(page: Captured, limit: int) -> Any:
    parser = etree.HTMLParser(encoding="utf-8", recover=True, no_network=True, huge_tree=True)
    return etree.fromstring(page.body[:limit], parser)


def read(page: Captured, limit: int) -> Any:
    return parse_page(page.body[:limit], page.url, page.charset)


def extract_links(page: Captured, limit: int) -> Any:
    response = HtmlResponse(page.url, headers={"Content-Type": "text/html"}, body=page.body[:limit])
    return LinkExtractor(tags=TAGS, attrs=("href", "src", "data")).extract_links(response)


def costs(pages: Sequence[Captured], limit: int, rounds: int, scope: Scope) -> dict[str, float]:
    """Milliseconds of CPU a page, by what is done."""
    least: dict[str, list[float]] = defaultdict(lambda: [1e9] * len(pages))
    for _ in range(rounds):
        for number, page in enumerate(pages):
            gc.collect()
            done = timed(partial(read, page, limit), least["parse_page"], number)
            hrefs = [link.href for link in done.links]
            timed(partial(scope.sift, done.base or page.url, hrefs, charset=done.charset), least["sift"], number)
            # Last, since it removes scripts from the tree.
            timed(partial(Fingerprint.of, done), least["fingerprint"], number)
            del done
            timed(partial(bare, page, limit), least["libxml2"], number)
            timed(partial(extract_links, page, limit), least["LinkExtractor"], number)
    return {name: sum(times) / len(pages) * 1000 for name, times in least.items()}


def timed(work: Callable[[], Any], least: list[float], number: int) -> Any:
    began = time.process_time()
    done = work()
    least[number] = min(least[number], time.process_time() - began)
    return done


# -- losses --------------------------------------------------------------------------------------------------------


class Losses:
    """What a browser has and the crawl does not get."""

    def __init__(self) -> None:
        self.links = 0
        self.reasons: Counter[str] = Counter()
        self.examples: dict[str, list[str]] = defaultdict(list)
        self.with_media = 0
        self.without: list[str] = []

    def compare(self, page: Captured, limit: int, scope: Scope) -> None:
        """Compare the links of one page."""
        own, kept, media = scope.spelled(page.url), 0, 0
        accepted = self._accepted(page, page.body[:limit], scope)
        beyond = self._accepted(page, page.body, scope) if len(page.body) > limit else set()
        for element, url, rel in {(element, url.partition("#")[0], rel): 0 for element, url, rel in page.links}:
            found = scope.spelled(url)
            is_media = element in PLAYING or (element == "a" and names_media(url))
            reason = found.value if isinstance(found, Drop) else ""
            if not isinstance(found, Drop) and found != own and found.key not in accepted:
                reason = BEYOND if found.key in beyond else self._why(page.url, url, element, rel, scope)
            is_picture = reason == UNNAMED and element == "source" and url.encode() in pictures(page)
            self.links += 1
            media += is_media and not is_picture
            kept += is_media and not reason
            if reason and not is_picture:
                self.reasons[reason] += 1
                self.examples[reason].append(f"{page.id} <{element} {rel}> {url[:150]}")
        self.with_media += media > 0
        if media and not kept:
            self.without.append(page.id)

    @staticmethod
    def _accepted(page: Captured, body: bytes, scope: Scope) -> set[str]:
        """The links that may join the frontier."""
        read_page, own = parse_page(body, page.url, page.charset), scope.spelled(page.url)
        base, key = read_page.base or page.url, "" if isinstance(own, Drop) else own.key
        hrefs = [link.href for link in read_page.links if read_page.base or link.href[:4] == "http"]
        return {found.key for _, found in scope.sift(base, hrefs, charset=read_page.charset, own=key)[0]}

    @staticmethod
    def _why(page: str, url: str, element: str, rel: str, scope: Scope) -> str:
        for reason in scope.sift(page, [url])[1]:
            return reason.value
        return "rel" if element == "link" and not {"next", "prev"}.intersection(rel.lower().split()) else UNNAMED


def pictures(page: Captured) -> set[bytes]:
    """The sources of pictures, which are no media."""
    tree = parse_page(page.body, page.url, page.charset).tree
    sources = tree.iter("source") if tree is not None else ()
    return {
        (each.get("src") or "").encode()
        for each in sources
        if each.getparent() is not None and each.getparent().tag == "picture"
    }


# -- the dearest page ----------------------------------------------------------------------------------------------


def _pieces(written: str) -> tuple[bytes, ...]:
    return tuple(each.encode().decode("unicode_escape").encode("latin-1") for each in written.split("|"))


OPENINGS = _pieces(
    r"""|<script>a <b c="</script>|<script>a <b c='</script>|<script><!--<script>|<!--|<!-->|<title>|<textarea>|"""
    r"""<style><a b="</style>|<p x="|<p x='|<p x=|<p |<textarea><b c="</textarea>|<svg>|<template>|<noscript>|"""
    r'<plaintext>|<![CDATA[|<?|<!|</|<x|<a title="<b">|<table>|<!--"-->|<!-- <a b="-->|<select>|'
    r"""<title><b c="</title>|<xmp><b c="</xmp>|<iframe><b c='</iframe>|<noscript><b c="</noscript>|"""
    r'''<noembed><b c="</noembed>|<script>/*<p x='*/</script>|<p x=> |<p x="">"'''
)
"""What a page begins with: states of the tokenizer in which a guard and the parser may differ."""
SECONDS = _pieces(r"""|<p x="> " |<p x='> ' |<p |<p "|<p x=y>|-->|--!>|</script>|</p |<p/|>""")
ENDINGS = _pieces(r"""|>|">|'>|-->|</script>|]}</script>|></p></div><a href=/last>""")
UNITS = _pieces(
    r""" a%d| a%d=1| a%d="x"| a%d='>'|"a%d" |a%d=|/a%d|\na%d\n=\n1|a%d"b" |<a%d | a%d<b|<div>|<b id=%d>|"""
    r"<a href=/x%d>|<p>|</p>|</b>|<font x%d=1>|<table><tr><td>|<form>|<li>|&amp;|&#65;|&a%d;|&|&#x%d|<|<!--|"
    r"""-->|<!--%d-->|<script>|</script>|<?x%d>|</|"|'|="|=|>|<!|<base href=/%d>|<base href='%d/'>|"""
    r"""<meta name=robots content=%d>|\0|\xff|<script>var a%d='/x.mp3'</script>|{"file":"/a%d.mp3"},|"""
    r'data-src=/x%d.mp3 |<a data-mp3="/%d.mp3">|rel=license |'
    r"<script>jwplayer().setup({file:'/%d.mp3'})</script>|<audio src=/%d.mp3>|<source src=/%d.mp3>|"
    r"<object data=/%d>|<div itemscope itemtype=http://schema.org/VideoObject>|<link rel=license href=/%d>|"
    r'license |data-a=.mp3|<script type=application/ld+json>|{"@id":"%d"},|[|{|\\|.mp3|<a |<p x=y|data-a.b|'
    r"<i><a>"
)
"""What it is filled with; ``%d`` counts."""


class Make(NamedTuple):
    """What a page of the search is made of: two beginnings, and units in turn, or a piece of the benchmark hostile."""

    opening: bytes
    second: bytes
    units: tuple[bytes, ...]
    alternate: bool
    ending: bytes = b""
    piece: tuple[str, int] = ("", 0)

    def body(self, size: int) -> bytes:
        """Return a page of so many bytes."""
        head = b"<!doctype html><html><head>" + self.opening + self.second
        room = size - len(head) - len(self.ending)
        if self.piece[0]:
            make, parts, number = FAMILIES["page"].pieces[self.piece[0]], [head], 0
            while room > 0:
                parts.append(make(self.piece[1], number))
                room -= len(parts[-1]) or 1
                number += 1
            return b"".join(parts)[: size - len(self.ending)] + self.ending
        if self.alternate:
            return head + numbered(b"".join(self.units), room) + self.ending
        return head + b"".join(numbered(unit, room // len(self.units)) for unit in self.units) + self.ending

    def __str__(self) -> str:
        what = f"{self.piece[0]}({self.piece[1]})" if self.piece[0] else b" ".join(self.units).decode("latin-1")
        turns = " in turn" if self.alternate else ""
        return f"{(self.opening + self.second).decode()!r}, then {what!r}{turns}, {self.ending!r}"


def numbered(unit: bytes, size: int) -> bytes:
    if b"%d" not in unit:
        return (unit * (size // len(unit) + 1))[:size]
    count = size // (len(unit) - 1) + 1
    return b"".join(unit.replace(b"%d", b"%x" % number) for number in range(count))[:size]


def makes(dice: random.Random) -> Iterator[Make]:
    """Every unit and every piece alone, every beginning before attributes, then pairs at random."""
    yield from (Make(b"", b"", (unit,), alternate=False) for unit in UNITS)
    yield from (
        Make(b"", b"", (), alternate=False, piece=(name, length))
        for name in FAMILIES["page"].pieces
        for length in (1, 64, 4096, 65536)
    )
    for opening in OPENINGS:
        yield from (Make(opening, second, (b" a%d",), alternate=False, ending=b">") for second in SECONDS)
    while True:
        units = tuple(dice.choice(UNITS) for _ in range(dice.choice((1, 2, 2, 3))))
        begin, ending = (dice.choice(OPENINGS), dice.choice(SECONDS)), dice.choice(ENDINGS)
        yield Make(*begin, units, dice.random() < 0.5, ending)


def mutated(make: Make, dice: random.Random) -> Make:
    way = dice.randrange(5)
    if way == 4:
        return make._replace(ending=dice.choice(ENDINGS))
    if way == 0 or (make.piece[0] and way < 3):
        return make._replace(opening=dice.choice(OPENINGS))
    if way == 1:
        return make._replace(second=dice.choice(SECONDS))
    if make.piece[0]:
        return make._replace(piece=(make.piece[0], dice.choice(LENGTHS)))
    if way == 2 and len(make.units) < 4:
        return make._replace(units=(*make.units, dice.choice(UNITS)), alternate=dice.random() < 0.5)
    place = dice.randrange(len(make.units))
    return make._replace(units=(*make.units[:place], dice.choice(UNITS), *make.units[place + 1 :]))


def milliseconds(make: Make, size: int) -> float:
    body = make.body(size)
    began = time.process_time()
    parse_page(body, "http://dear.example/page")
    return (time.process_time() - began) * 1000


def dearest(seconds: float, seed: int) -> list[tuple[float, Make]]:
    """The dearest makes at 200 KB, dearest first. All single makes are tried, however long that takes."""
    dice, found = random.Random(seed), dict[Make, float]()
    ends, drawn = time.monotonic() + seconds, makes(dice)
    must = len(UNITS) + 4 * len(FAMILIES["page"].pieces) + len(OPENINGS) * len(SECONDS)
    for number in range(sys.maxsize):
        if number >= must and time.monotonic() > ends:
            break
        best = sorted(found, key=found.__getitem__, reverse=True)[:20] if number >= must and number % 3 else []
        make = mutated(dice.choice(best), dice) if best else next(drawn)
        if make not in found:
            found[make] = milliseconds(make, LIMITS[0])
    # Those that look dear are measured again: other processes may have disturbed them.
    first = sorted(found, key=found.__getitem__, reverse=True)[:20]
    again = [(min(found[make], milliseconds(make, LIMITS[0])), make) for make in first]
    print(f"\n{len(found):,} pages tried")
    return sorted(again, key=lambda pair: pair[0], reverse=True)


# -- telling -------------------------------------------------------------------------------------------------------


def cost_rows(pages: Sequence[Captured], scope: Scope, rounds: int) -> list[dict[str, object]]:
    figures: list[dict[str, object]] = []
    for limit in LIMITS:
        took = costs(pages, limit, rounds, scope)
        took["all of ours"] = took["parse_page"] + took["sift"] + took["fingerprint"]
        rows = [(name, [each, each / took["libxml2"], each / took["LinkExtractor"]]) for name, each in took.items()]
        table(
            f"Milliseconds of CPU a page, cut at {limit:,} bytes",
            ["ms", "x libxml2", "x LinkExtractor"],
            rows,
            digits=2,
        )
        name, ours = f"{limit // 1000}_kb", took["parse_page"]
        figures.append(figure(f"parse_page_of_libxml2_{name}", ours / took["libxml2"], "times", 2.4, "less"))
        figures.append(
            figure(f"parse_page_of_link_extractor_{name}", ours / took["LinkExtractor"], "times", 0.4, "less")
        )
        with_sift = ours + took["sift"]
        figures.append(figure(f"parse_and_sift_of_libxml2_{name}", with_sift / took["libxml2"], "times", 2.4, "less"))
        figures.append(
            figure(f"parse_and_sift_of_link_extractor_{name}", with_sift / took["LinkExtractor"], "times", 0.4, "less")
        )
    return figures


def loss_rows(pages: Sequence[Captured], scope: Scope, limit: int, *, shown: bool) -> list[dict[str, object]]:
    losses = Losses()
    for page in pages:
        losses.compare(page, limit, scope)
    print(f"\n{losses.links:,} links of a browser; not taken at {limit:,} bytes:")
    for reason, number in losses.reasons.most_common():
        print(f"{reason:20}{number:8,}{number / losses.links:10.2%}")
        if shown:
            some = random.Random(1).sample(losses.examples[reason], min(SHOWN, number))
            print("".join(f"    {example}\n" for example in some), end="")
    print(
        f"{losses.with_media} pages with media; all of it is lost of {len(losses.without)}: {' '.join(losses.without)}"
    )
    share = 100 * losses.reasons[UNNAMED] / losses.links
    return [
        figure("links_lost_without_reason", share, "%", 0.1, "less", digits=3),
        figure("pages_that_lose_all_media", len(losses.without), f"of {losses.with_media}", 0, "less"),
    ]


def dear_rows(given: argparse.Namespace) -> list[dict[str, object]]:
    found = dearest(given.seconds, given.seed)
    print("The dearest pages of 200 KB, and of that make 1 MB, in ms:")
    for took, make in found[:SHOWN]:
        print(f"{took:8.0f} {milliseconds(make, LIMITS[1]):8.0f}  {str(make)[:150]}")
    if given.save:
        given.save.write_bytes(found[0][1].body(LIMITS[0]))
    return [figure("dearest_200_kb", found[0][0], "ms", 300, "less", digits=0)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, metavar="DIR", help="with manifest.jsonl and pages/")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--losses", action="store_true", help="only the losses, with examples")
    parser.add_argument("--cost", action="store_true", help="only the cost")
    parser.add_argument("--dearest", action="store_true", help="only the search for the dearest page")
    parser.add_argument("--limit", type=int, help="bytes at which the losses are counted; PAGE_MAX_BYTES by default")
    parser.add_argument("--seconds", type=float, default=60.0, help="of the search")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--save", type=Path, help="writes the dearest page")
    given = parser.parse_args()
    settings = Settings()
    settings.setmodule("mediacrawl.settings")
    scope = Scope(date.today, scope_rules(settings))
    limit = given.limit or settings.getint("PAGE_MAX_BYTES")
    every = not (given.losses or given.cost or given.dearest)
    pages = [] if given.dearest else captured(given.folder)
    figures: list[dict[str, object]] = []
    gc.freeze()
    gc.disable()
    if every or given.cost:
        figures += cost_rows(pages, scope, given.rounds)
    if every or given.losses:
        figures += loss_rows(pages, scope, limit, shown=given.losses)
    if every or given.dearest:
        figures += dear_rows(given)
    finish("pages", figures)


if __name__ == "__main__":
    main()

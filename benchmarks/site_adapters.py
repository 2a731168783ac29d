"""Site adapters: what is learned of the player sites of the tests, whether it is right, and what a crawl gains by it.

learned   of each site the recordings of two pages (some have three) are learned from. An adapter counts as wrong if, on
          one of ten pages that no recording has, it finds a medium that is not the page's, or misses a record.
crawl     the same web is crawled without adapters and with those that were learned, over HTTP: share of the media of
          the learned sites that has a record, and requests for each.

No other crawler learns such a mapping; the peer is this crawl without adapters.

Run: ``make bench NAME=site_adapters`` (a minute).
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from mediacrawl.programs.commands.adapters import allowed_to
from mediacrawl.scope import canonical
from mediacrawl.site_adapters import learn_files
from mediacrawl.site_adapters.engine import Miss
from mediacrawl.site_adapters.form import SiteAdapter
from mediacrawl.site_adapters.loading import parse

TESTS = Path(__file__).parents[1] / "tests"
sys.path += [str(TESTS), str(TESTS / "e2e"), str(TESTS / "server")]

from crawling import Crawl  # noqa: E402
from judging import Verdict  # noqa: E402
from player_sites import SITES, PlayerSite  # noqa: E402
from player_sites.applying import records_of  # noqa: E402
from player_sites.server import CRAWLED, PlayerWeb, moved  # noqa: E402

LEARNED, FOUND = 80.0, 95.0
"""Percent: of the learnable sites, and of the media of learned sites."""
HELD_OUT = 10
_SETTINGS = {"POLITENESS_FIRST_DELAY": 0.02, "POLITENESS_MIN_DELAY": 0.02, "POLITENESS_FACTOR": 0}


def is_right(adapter: SiteAdapter, site: PlayerSite) -> bool:
    """Whether an adapter finds the media of pages that were not recorded, and no others."""
    for page in site.held_out[:HELD_OUT]:
        try:
            found = {url for record in records_of(adapter, page, site.get) for url in record.media}
        except (Miss, AssertionError):
            return False
        truth = site.pages[page]
        if not found <= {url for record in truth for url in record.media}:
            return False
        if not all(found & set(record.media) for record in truth):
            return False
    return True


def learned() -> tuple[dict[str, dict[str, Any]], list[dict[str, Any]]]:
    """Learn from the recordings of all sites, and judge what was learned."""
    accepted: dict[str, dict[str, Any]] = {}
    rows, seconds = [], []
    for name, site in SITES.items():
        began = time.perf_counter()
        result = learn_files(site.recordings(), allows=allowed_to("mediacrawl"))
        seconds.append(time.perf_counter() - began)
        verdict = f"refused: {', '.join(each.name for each in result.refusals)}"
        if result.adapter is not None:
            adapter = parse(json.dumps(result.adapter).encode(), name)
            verdict = "right" if is_right(adapter, site) else "WRONG"
            accepted[name] = result.adapter
        rows.append((name, site.refused_as or "learnable", verdict))
        print(f"  {name:14}{rows[-1][1]:16}{verdict}")
    learnable = [row for row in rows if row[1] == "learnable"]
    refusable = [row for row in rows if row[1] != "learnable"]
    right = 100 * sum(row[2] == "right" for row in learnable) / len(learnable)
    wrong = sum(row[2] == "WRONG" for row in rows) + sum(row[2] == "right" for row in refusable)
    named = 100 * sum(row[1] in row[2] for row in refusable) / len(refusable)
    slowest = max(seconds)
    print(f"  learned and right {right:.0f} %, wrong or not to be learned {wrong}, refusals named {named:.0f} %")
    return accepted, [
        _figure("learnable sites learned and right", right, "%", LEARNED),
        _figure("wrong adapters accepted", wrong, "sites", 0, better="less"),
        _figure("refusals with the right name", named, "%", 100),
        _figure("slowest recording", slowest, "s", 5, better="less"),
    ]


def crawled(adapters: dict[str, dict[str, Any]]) -> tuple[float, float]:
    """Crawl the web with and without adapters; with them: percent of the media with a record, requests for each."""
    with PlayerWeb(SITES[name] for name in adapters) as web, tempfile.TemporaryDirectory() as name:
        crawl, folder = Crawl(web, Path(name)), Path(name) / "learned"
        folder.mkdir()
        wanted = {canonical(url) for page in web.pages for record in web.truth(page) for url in record.media}
        for site, written in adapters.items():
            (folder / f"{site}.json").write_text(json.dumps(moved(written, web.port)), encoding="utf-8")
        switches = [word for each in _SETTINGS.items() for word in ("-s", f"{each[0]}={each[1]}")]
        found_and_cost = 0.0, 0.0
        for adapters_dir in ("", str(folder)):
            crawl.start(*switches, "-s", f"ADAPTERS_DIR={adapters_dir}", "-a", "fresh=yes")
            before = len(web.log)
            if crawl.wait(300):
                raise SystemExit(crawl.text()[-3000:])
            found = len(wanted & set(Verdict(crawl).records))
            requests = len(web.settled_log()) - before
            mode = "with" if adapters_dir else "without"
            print(f"  {mode} adapters: {found} of {len(wanted)} media, {requests} requests")
            found_and_cost = 100 * found / len(wanted), requests / max(found, 1)
    return found_and_cost


def _figure(name: str, value: float, unit: str, target: float, better: str = "more") -> dict[str, Any]:
    return {"name": name, "value": round(value, 2), "unit": unit, "target": target, "better": better}


def main() -> None:
    print("learned")
    adapters, figures = learned()
    print("crawl")
    share, cost = crawled({name: written for name, written in adapters.items() if name in CRAWLED})
    figures.append(_figure("media of learned sites found by a crawl", share, "%", FOUND))
    figures.append(_figure("requests for each of these media", cost, "requests", 3, better="less"))
    print(json.dumps({"bench": "site_adapters", "figures": figures}))


if __name__ == "__main__":
    main()

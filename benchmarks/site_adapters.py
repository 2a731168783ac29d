"""Site adapters: what is learned of the player sites of the tests, whether it is right, and what a crawl gains by it.

learned   of each site the recordings of two pages (some have three) are learned from. An adapter counts as wrong if, on
          ten pages that no recording has, it finds no media, or one that is not the page's.
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
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from mediacrawl.commands.adapter_learn import learn_from
from mediacrawl.scope import canonical
from mediacrawl.site_adapters.engine import Miss, data_request, needs_page, page_slots, read_answer
from mediacrawl.site_adapters.form import SiteAdapter
from mediacrawl.site_adapters.loading import parse

TESTS = Path(__file__).parents[1] / "tests"
sys.path += [str(TESTS), str(TESTS / "e2e")]

from crawling import Crawl  # noqa: E402
from judging import Verdict  # noqa: E402
from player_sites.moving import adapter_at_port  # noqa: E402
from player_sites.recordings_of import recordings_of  # noqa: E402
from player_sites.server import PlayerWeb  # noqa: E402
from player_sites.site import PlayerSite  # noqa: E402
from player_sites.sites import SITES  # noqa: E402

LEARNED, FOUND = 80.0, 95.0
"""Percent: of the learnable sites, and of the media of learned sites."""
HELD_OUT = 10
_MOST_PAGES = 20
_SETTINGS = {"POLITENESS_FIRST_DELAY": 0.02, "POLITENESS_MIN_DELAY": 0.02, "POLITENESS_FACTOR": 0}


def fetch(url: str, port: int, headers: dict[str, str]) -> tuple[bytes, str]:
    """The body and Content-Type of a URL of the player web; nothing if its status is no success."""
    parts = urlsplit(url)
    target = f"http://127.0.0.1:{port}{parts.path or '/'}{parts.query and '?'}{parts.query}"
    request = urllib.request.Request(target, headers={**headers, "Host": parts.netloc})
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.read(), answer.headers.get("Content-Type", "")
    except urllib.error.HTTPError:
        return b"", ""


def found_by(adapter: SiteAdapter, page: str, port: int) -> list[str]:
    """The media that an adapter finds for a page, as the crawl asks for them."""
    slots = adapter.match(page)
    if slots is None:
        return []
    media: list[str] = []
    try:
        if needs_page(adapter):
            slots = page_slots(adapter, slots, *_response(page, port, {}))
        for step in range(1, len(adapter.requests) + 1):
            request = data_request(adapter, step, slots)
            url = request.url
            for number in range(1, _MOST_PAGES):
                body, kind = fetch(url, port, dict(request.headers))
                answer = read_answer(adapter, step, slots, body, url, content_type=kind, page_number=number)
                media += [link for record in answer.records for link in record.media]
                slots, url = answer.slots, answer.next
                if not url:
                    break
    except Miss:
        pass
    return media


def _response(url: str, port: int, headers: dict[str, str]) -> tuple[bytes, str, str]:
    body, kind = fetch(url, port, headers)
    return body, url, kind


def is_right(adapter: SiteAdapter, site: PlayerSite, web: PlayerWeb) -> bool:
    """Whether an adapter finds the media of pages that were not recorded, and no others."""
    for page in site.held_out[:HELD_OUT]:
        there = page.replace(".example/", f".example:{web.port}/", 1)
        found, truth = set(found_by(adapter, there, web.port)), web.truth(there)
        if not found <= {url for record in truth for url in record.media}:
            return False
        if not all(found & set(record.media) for record in truth):
            return False
    return True


def learned() -> tuple[dict[str, dict[str, Any]], list[dict[str, Any]]]:
    """Learn from the recordings of all sites, and judge what was learned."""
    accepted: dict[str, dict[str, Any]] = {}
    rows, seconds = [], []
    with PlayerWeb() as web:
        for name, site in SITES.items():
            began = time.perf_counter()
            _, result = learn_from([str(path) for path in recordings_of(site)], 0, "mediacrawl")
            seconds.append(time.perf_counter() - began)
            verdict = f"refused: {', '.join(each.name for each in result.refusals)}"
            if result.adapter is not None:
                moved = parse(json.dumps(adapter_at_port(result.adapter, web.port)).encode(), name)
                verdict = "right" if is_right(moved, site, web) else "WRONG"
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
            (folder / f"{site}.json").write_text(json.dumps(adapter_at_port(written, web.port)), encoding="utf-8")
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
    share, cost = crawled(adapters)
    figures.append(_figure("media of learned sites found by a crawl", share, "%", FOUND))
    figures.append(_figure("requests for each of these media", cost, "requests", 3, better="less"))
    print(json.dumps({"bench": "site_adapters", "figures": figures}))


if __name__ == "__main__":
    main()

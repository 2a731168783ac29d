"""Recordings that were damaged: nothing raises, and an adapter that is given has no faults."""

import copy
import json
from dataclasses import replace
from functools import cache

from harness import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from player_sites import SITES

from mediacrawl.site_adapters.har.reading import read_recording
from mediacrawl.site_adapters.learn.learning import adapter_of, learn

NAMES = sorted(SITES)
KEPT_NAMES = st.sampled_from(NAMES)


@cache
def read(name):
    return [read_recording(path, path.name) for path in SITES[name].recordings()]


def copied(name):
    return copy.deepcopy(read(name))


def pages_of(recordings):
    return [page for each in recordings for page in each.pages if page.entries]


def pick(recordings, draw):
    """A page, and the place of one of its entries."""
    pages = pages_of(recordings)
    page = pages[draw(st.integers(0, len(pages) - 1))]
    return page, draw(st.integers(0, len(page.entries) - 1))


VALUES = {
    "status": [0, 200, 204, 302, 401, 404],
    "started": [0.0, -1.0, 1e18],
    "method": ["GET", "POST", "OPTIONS", ""],
    "mime": ["", "text/html", "application/json", "video/mp4"],
    "redirect": ["", "x", "http://[", "http://clips.example/a.mp4"],
}


def drop(recordings, draw):
    page, place = pick(recordings, draw)
    del page.entries[place]


def swap(recordings, draw):
    page, place = pick(recordings, draw)
    other = draw(st.integers(0, len(page.entries) - 1))
    page.entries[place], page.entries[other] = page.entries[other], page.entries[place]


def renumber(recordings, draw):
    page, place = pick(recordings, draw)
    page.entries[place] = replace(page.entries[place], index=draw(st.integers(0, 50)))


def cut_body(recordings, draw):
    page, place = pick(recordings, draw)
    body = page.entries[place].body or ""
    page.entries[place].body = body[: draw(st.integers(0, len(body)))] or None


def change_body(recordings, draw):
    page, place = pick(recordings, draw)
    body = page.entries[place].body or ""
    where = draw(st.integers(0, len(body)))
    page.entries[place].body = body[:where] + draw(st.text(max_size=4)) + body[where + draw(st.integers(0, 4)) :]


def take_body_of_another(recordings, draw):
    page, place = pick(recordings, draw)
    other, there = pick(recordings, draw)
    page.entries[place].body = other.entries[there].body


def change_url(recordings, draw):
    page, place = pick(recordings, draw)
    url = page.entries[place].url
    where = draw(st.integers(0, len(url)))
    page.entries[place].url = url[:where] + draw(st.text("aZ09/?&=%.:-_é{}[]", max_size=3)) + url[where:]


def change_page_url(recordings, draw):
    page, _ = pick(recordings, draw)
    where = draw(st.integers(0, len(page.url)))
    page.url = page.url[:where] + draw(st.text("aZ09/?&=%.:-_é{}[]", max_size=3)) + page.url[where:]


def drop_html(recordings, draw):
    page, _ = pick(recordings, draw)
    page.html = draw(st.sampled_from(["", "<", page.html[:200], "<!--" + page.html]))


def drop_page(recordings, draw):
    each = recordings[draw(st.integers(0, len(recordings) - 1))]
    if len(each.pages) > 1:
        each.pages.pop(draw(st.integers(0, len(each.pages) - 1)))


def change_facts(recordings, draw):
    page, place = pick(recordings, draw)
    name = draw(st.sampled_from(sorted(VALUES)))
    page.entries[place] = replace(page.entries[place], **{name: draw(st.sampled_from(VALUES[name]))})


CHANGES = [
    *(drop, swap, renumber, cut_body, change_body, take_body_of_another, change_url, change_page_url, drop_html),
    *(drop_page, change_facts),
]


@given(st.data())
@settings(max_examples=examples(120), deadline=None, suppress_health_check=list(HealthCheck))
def test_no_damage_raises_or_gives_an_adapter_with_faults(data):
    recordings = copied(data.draw(KEPT_NAMES))
    for change in data.draw(st.lists(st.sampled_from(CHANGES), min_size=1, max_size=5)):
        if pages_of(recordings):
            change(recordings, data.draw)
    learned = learn(recordings, hold_out=data.draw(st.sampled_from([0, 0, 1])))
    assert (learned.adapter is None) is bool(learned.refusals)
    assert all(each.sentence.strip() for each in learned.refusals)
    if learned.adapter is not None:
        assert json.loads(json.dumps(learned.adapter)) == learned.adapter
        adapter_of(learned.adapter)

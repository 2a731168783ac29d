"""Nothing that a stranger wrote commands a terminal, or passes for a line of ours, wherever it is shown."""

import json
import time
from dataclasses import fields, replace

import pytest
from command_line import MEDIACRAWL, QUICK, crawl, run

from mediacrawl.base.evidence import tag_element
from mediacrawl.base.terms import Candidate, Drop, End, Evidence, Kind, Outcome, Tag
from mediacrawl.frontier import FrontierPolicy
from mediacrawl.frontier.stores import open_store
from mediacrawl.log.request_log import RequestLine, RequestLog
from mediacrawl.programs.demo.answers import Resource
from mediacrawl.programs.demo.library import media_bytes
from mediacrawl.record import MediaItem
from mediacrawl.store import Catalogue
from mediacrawl.watch.progress import ProgressFacts, progress_line
from mediacrawl.watch.report import CrawlFacts, summary

COMMANDS = "\x1b[2J\x1b]0;owned\x07\x1bP\x9b2J\x9d0;x\x9c\u202e\u2066\u200f\ufeff\x00\x7f"
EVIL = f"{COMMANDS}\r\nFORGED line\x0bFORGED\x85FORGED\u2028FORGED"
SITE = "evil.example"
URL = f"http://{SITE}/"
# A control character cannot be in a header line; all others can.
HEADER = COMMANDS.replace("\x00", "").encode("utf-8").decode("latin-1")


def harmless(text):
    """What would reach a terminal, or begin a line, although a stranger wrote it; nothing, if all is well."""
    found = {char for char in text if not char.isprintable() and char not in "\n\u200c\u200d"}
    forged = [line for line in text.split("\n") if line.startswith("FORGED")]
    return (found, forged) == (set(), []) or (found, forged, text[-3000:])


def evil(kind, **known):
    """A record whose texts are all evil, but for those that are given."""
    texts = {field.name: EVIL for field in fields(kind) if "str" in str(field.type) and field.name not in known}
    return kind(**texts, **known)


def mediacrawl(folder, *words):
    done = run(folder, *MEDIACRAWL, *words)
    assert done.out.strip() or done.err.strip()
    return done


# -- what is stored, and shown by commands -----------------------------------------------------------------------


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A state folder in which every text is evil."""
    folder = tmp_path_factory.mktemp("evil")
    state = folder / ".mediacrawl"
    _fill_frontier(state)
    with Catalogue(state / "media.db") as catalogue:
        raw = EVIL.encode()
        element = tag_element(Tag("id3v2.3", EVIL, "title", "latin-1", raw, raw.decode("latin-1")))
        known = {"content_url": f"{URL}x.mp3", "site": SITE, "id": "", "tags": [element]}
        catalogue.upsert(evil(MediaItem, **known))
        catalogue.upsert(evil(MediaItem, tags=[element]))
    log = RequestLog(state / "log", keep_days=31)
    for number in range(3):
        known = {"time": time.time() - 100 + 20 * number, "site": SITE, "url": f"{URL}{EVIL}", "duration": 0.1}
        log.write(evil(RequestLine, **known, status=200, delay=1.0, bytes=1))
    told = {"authority": f"http://{SITE}", "site": SITE}
    log.write_robots(time.time() - 101, f"{URL}robots.txt", 200, f"User-agent: *\nDisallow: /{EVIL}".encode(), **told)
    log.wait()
    log.close()
    items = [{"content_url": f"{URL}{number}.mp3{EVIL}", "title": EVIL, EVIL: EVIL} for number in range(3)]
    items.append({"content_url": URL, "title": "Группа крови".encode().decode("latin-1") + EVIL})
    (folder / "song.mp3").write_bytes(song())
    (folder / "whole.jl").write_text("\n".join(map(json.dumps, items)), encoding="utf-8")
    (folder / "items.jl").write_text("\n".join([*map(json.dumps, items), f"torn {COMMANDS}"]), encoding="utf-8")
    return folder


def song():
    """An MP3 whose title and comment are evil (ID3v2.4, UTF-8)."""
    text = b"\x03" + EVIL.encode()
    tag = b"".join(name + bytes((0, 0, 0, len(text))) + b"\0\0" + text for name in (b"TIT2", b"TPE1", b"TSSE"))
    size = bytes((0, 0, len(tag) >> 7, len(tag) & 0x7F))
    return b"ID3\x04\0\0" + size + tag + media_bytes("ozero.mp3")


def _fill_frontier(state):
    store = open_store("sqlite", state, FrontierPolicy(explore=0.0), time.time() - 5)
    ended = Candidate(f"{URL}ended", SITE, EVIL)
    store.add([ended])
    for lease in store.take(time.time(), 5):
        store.finish(lease, Outcome(End.DROPPED, Drop.ROBOTS), time.time() - 5)
    waits = {"kind": Kind.MEDIA, "evidence": evil(Evidence), "parent": EVIL, "link_class": EVIL}
    store.add([Candidate(f"{URL}waits", SITE, **waits), Candidate(EVIL, EVIL, **waits, requested=EVIL)])
    store.close()


SHOWN = [
    ("frontier", "stats"),
    ("frontier", "show", SITE),
    ("frontier", "why", f"{URL}waits"),
    ("frontier", "why", f"{URL}ended"),
    ("frontier", "check"),
    ("frontier", "export"),
    ("catalogue",),
    ("catalogue", "--works"),
    ("catalogue", "--summary"),
    ("catalogue", "--json"),
    ("complaint", SITE),
    ("probe", "song.mp3"),
    ("probe", "song.mp3", "--json"),
    ("demojibake", "items.jl", "--dry-run"),
    ("demojibake", "items.jl", "-o", "repaired.jl"),
    ("segment", "items.jl", "-o", "-"),
    ("segment", "items.jl", "-o", "next.txt"),
]


@pytest.mark.parametrize("words", SHOWN, ids=" ".join)
def test_a_command_shows_what_is_stored_without_obeying_it(folder, words):
    done = mediacrawl(folder, *words)
    assert "Traceback" not in done.err
    assert harmless(done.out) is True
    assert harmless(done.err) is True


# -- what a crawl says while it runs -----------------------------------------------------------------------------


def test_a_crawl_says_what_strangers_send_without_obeying_it(tmp_path, site):
    html = f"<title>{EVIL}</title><a href='/{COMMANDS}'>{EVIL}</a><a href='/moved'>x</a><a href=/packed>y</a>"
    headers = (("Content-Encoding", HEADER), ("Server", HEADER), ("ETag", HEADER), ("X-Robots-Tag", HEADER))
    site.at("/", Resource(html.encode(), "text/html", headers=headers))
    site.redirect("/moved", f"/{HEADER}")
    site.at("/packed", Resource(b"no Brotli", HEADER, headers=(("Content-Encoding", "br"),)))
    (tmp_path / "broken_by_strangers.py").write_text(_BROKEN, encoding="utf-8")
    pipelines = {"ITEM_PIPELINES": "{}", "LOG_LEVEL": "DEBUG"}
    middlewares = json.dumps({"broken_by_strangers.Broken": 900})
    settings = {**QUICK, **pipelines, "SPIDER_MIDDLEWARES": middlewares, "FRONTIER_ATTEMPTS": 1}
    done = crawl(tmp_path, settings, seed=site.url("/"))
    assert r"\x1b[2J" in done.err
    assert "Traceback (most recent call last):\n  File " in done.err
    assert harmless(done.out) is True
    assert harmless(done.err) is True
    critical = (tmp_path / ".mediacrawl" / "log" / "critical.log").read_text(encoding="utf-8")
    assert harmless(critical) is True


_BROKEN = f"""
import logging


class Broken:
    def process_spider_input(self, response):
        logging.getLogger("somebody").warning("said %s", {EVIL!r})
        logging.getLogger("scrapy.somebody").warning("put together: " + {COMMANDS!r})
        raise ValueError({COMMANDS!r} + "\\n2026-01-01 00:00:00 [x] INFO: FORGED")
"""


def test_the_summary_and_the_progress_line_obey_nobody():
    facts = CrawlFacts()
    for each in fields(CrawlFacts):
        kind = str(each.type)
        if kind.startswith(("Mapping[str", "dict[str")):
            facts = replace(facts, **{each.name: {EVIL: 3, f"{EVIL} 2": 4}})
        elif kind == "str":
            facts = replace(facts, **{each.name: EVIL})
    facts = replace(facts, faults=3, limits={"fault": 1}, examples={"fault": EVIL})
    assert harmless(summary(facts)) is True
    assert harmless(progress_line(facts, ProgressFacts(silent=[(EVIL, EVIL)], title=EVIL), 500)) is True

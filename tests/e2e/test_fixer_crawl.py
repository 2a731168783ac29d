"""Files whose texts were made to do harm: 900 that are mislabelled, and a title that a spreadsheet would run."""

import csv
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from judging import Verdict, stat
from wire import HttpServer, respond

from mediacrawl.demo import Resource, media_bytes
from mediacrawl.demo.tags import retag_mp3
from mediacrawl.encoding.records.fixer import MOST_FIELDS

FORMULA = '=HYPERLINK("http://evil.example")'
TITLE = "Подмосковные вечера и тихая песня"
TEXTS = 900
SONG = "/song.mp3"


def frame(name, value):
    return name + len(value).to_bytes(4, "big") + b"\0\0" + value


def song():
    """An MP3 whose tag of 240 KB holds a title and 900 comments, all of them cp1251 under the claim of Latin-1."""
    text = TITLE.encode("cp1251")
    comments = (frame(b"TXXX", b"\0%d\0%s" % (number, (text + b" ") * 7)) for number in range(TEXTS))
    body = frame(b"TIT2", b"\0" + text) + b"".join(comments)
    size = bytes(len(body) >> shift & 0x7F for shift in (21, 14, 7, 0))
    return retag_mp3(media_bytes("nachtzug.mp3"), b"ID3\x03\0\0" + size + body, b"")


def formula():
    """An MP3 whose title is a formula."""
    body = frame(b"TIT2", b"\0" + FORMULA.encode())
    return retag_mp3(media_bytes("nachtzug.mp3"), b"ID3\x03\0\0\0\0\0" + bytes([len(body)]) + body, b"")


class TwoSites(HttpServer):
    """One has the song, the other pages that lead on and on."""

    never_crawl = "# nobody\n"

    def __init__(self):
        super().__init__(self._answer)
        self.hosts = dict.fromkeys(("songs.example", "pages.example"), "127.0.0.1")
        self.last_page = 1_000
        self._song = song()

    @property
    def seeds(self):
        return [f"http://songs.example:{self.port}{SONG}", f"http://pages.example:{self.port}/0"]

    def asked(self, host, path=""):
        return sum(entry.host.partition(":")[0] == host and entry.url.endswith(path) for entry in list(self.log))

    async def _answer(self, exchange):
        path = exchange.request.path
        if path.endswith(".mp3"):
            resource = Resource(self._song if path == SONG else formula(), "audio/mpeg")
        elif path == "/robots.txt":
            resource = Resource(b"User-agent: *\nAllow: /\n", "text/plain")
        else:
            number = int(path[1:])
            more = f'<a href="/{number + 1}">on</a>' if number < self.last_page else ""
            resource = Resource(f"<title>{number}</title><p>This is page {number}. {more}".encode(), "text/html")
        await exchange.send(respond(resource, exchange.request))


@pytest.fixture
def web():
    with TwoSites() as web:
        yield web


def records(crawl):
    path = crawl.folder / "state" / "media.db"
    with closing(sqlite3.connect(path)) as db:
        return [(title, json.loads(tags)) for title, tags in db.execute("SELECT title, tags FROM media")]


def test_a_kill_while_a_record_is_decided_has_its_file_asked_again(crawl, web, tmp_path, monkeypatch):
    crawl.imports.append(Path(__file__).parent)
    held = tmp_path / "held"
    monkeypatch.setenv("HELD_FIXER", str(held))
    pipelines = {"held_fixer.HeldPipeline": 200, "mediacrawl.pipelines.CataloguePipeline": 300}
    crawl.start("-s", f"ITEM_PIPELINES={json.dumps(pipelines)}")
    crawl.until(lambda _: held.exists())
    pages = web.asked("pages.example")
    # The reactor continues meanwhile.
    crawl.until(lambda _: web.asked("pages.example") >= pages + 3)
    assert held.exists()
    crawl.kill()
    assert records(crawl) == []
    asked = web.asked("songs.example", SONG)
    web.last_page = 0
    crawl.start(seed="")
    assert crawl.wait() == 0, crawl.text()[-3000:]
    assert web.asked("songs.example", SONG) > asked
    ((title, tags),) = records(crawl)
    assert title == TITLE
    # What a record may hold is bounded too.
    assert stat(crawl, "mojibake/fixed") == min(len(tags), MOST_FIELDS) > 50
    verdict = Verdict(crawl)
    assert (verdict.leased, verdict.waiting) == (0, [])


def test_a_title_is_no_formula_in_a_csv_feed(crawl, web):
    crawl.start("-o", "items.csv", seed=f"http://songs.example:{web.port}/formula.mp3")
    assert crawl.wait() == 0, crawl.text()[-3000:]
    ((title, _),) = records(crawl)
    with (crawl.folder / "items.csv").open(newline="", encoding="utf-8") as file:
        (row,) = csv.DictReader(file)
    assert (title, row["title"]) == (FORMULA, f"'{FORMULA}")

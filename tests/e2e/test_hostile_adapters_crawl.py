"""A crawl with site adapters and answers that a stranger wrote to do harm."""

from collections import Counter
from itertools import pairwise

import pytest
from adapter_web import DELAY, QUICK, AdapterWeb, counts
from crawling import CLOCK, Crawl
from judging import Verdict, stat

PAGES = 3
"""Pages of each site."""
LIST_PAGES = 4
MISSES = 4


class HostileWeb(AdapterWeb):
    """Sites whose adapters lead astray. All pages have a file of their own, which ordinary crawling finds."""

    never_crawl = "never-data.example\n"

    def build(self):
        self.private()
        self.escapes()
        self.redirects()
        self.endless()
        self.slots()
        self.texts()
        self.bombs()
        self.robots_of_pages()
        links = [self.url(*place) for place in list(self.resources) if place[1].startswith("/v/")]
        self.put("start", "/", f"<title>Start</title><p>Seiten</p>{''.join(f'<a href={url}>x</a>' for url in links)}")
        return self

    def site(self, name, data, media=None, *, read="json", slots=None, **records):
        requests = [{"url": data, "read": read}]
        slots = slots or {"id": {"in": "url"}}
        self.adapter(name, {"path": "/v/{id}"}, slots, requests, {"media": [media or {"json": "file"}], **records})

    def pages(self, name, *ids, title="Seite"):
        for number, each in enumerate(ids or range(PAGES)):
            words = f"<p>{'abcdefgh'[number] * 60}</p>"
            self.put(name, f"/v/{each}", f"<title>{title}</title>{words}<audio src=/{number}.mp3></audio>")
            self.song(name, f"/{number}.mp3")

    def private(self):
        self.site("private", "http://10.0.0.1:8080/{id}")
        self.pages("private")

    def escapes(self):
        """The page names the data URL."""
        self.site("escapes", "{!url}", slots={"id": {"in": "url"}, "url": {"in": "page", "css": "h1"}})
        urls = ["file:///etc/passwd", "http://169.254.169.254/", "http://x/\r\nHost: y", "http://[::ffff:10.0.0.1]/"]
        for number, url in enumerate([*urls, "http://never-data.example/x"]):
            words = f"<h1>{url}</h1><p>{'abcdefgh'[number] * 60}</p>"
            self.put("escapes", f"/v/{number}", f"<title>x</title>{words}<audio src=/{number}.mp3></audio>")
            self.song("escapes", f"/{number}.mp3")

    def redirects(self):
        self.site("itself", self.url("itself", "/d/{id}"))
        self.site("circle", self.url("circle", "/d/{id}"))
        for number in range(PAGES):
            self.put("itself", f"/d/{number}", "", status=302, headers=(("Location", f"/d/{number}"),))
            self.put("circle", f"/d/{number}", "", status=302, headers=(("Location", "/b"),))
        self.put("circle", "/b", "", status=302, headers=(("Location", "/c"),))
        self.put("circle", "/c", "", status=302, headers=(("Location", "/b"),))
        self.pages("itself")
        self.pages("circle")

    def endless(self):
        self.site("endless", self.url("endless", "/list?after={id}"), next={"json": "next"})
        for number in range(5 * LIST_PAGES):
            after = {"file": f"/e{number}.mp3", "next": f"/list?after={number + 1}"}
            self.json("endless", f"/list?after={number}", after)
            self.song("endless", f"/e{number}.mp3")
        self.put("endless", "/v/0", "<title>x</title>")

    def slots(self):
        self.site("slots", self.url("slots", "/d/{id}"))
        self.pages("slots", "a" * 1_900, "%0D%0AX:y", "%00", "a%2F..%2Fx")

    def texts(self):
        template = {"json": "file", "url": self.url("texts", "/f/{value}")}
        self.site("texts", self.url("texts", "/d/{id}"), template, title={"json": "title"})
        for number, (file, title) in enumerate([("a\ud800", "x\udfff"), ("b\x00", "\x1b[2J"), ("c\n", "\u202e")]):
            self.json("texts", f"/d/{number}", {"file": file, "title": title})
        self.pages("texts")

    def bombs(self):
        self.site("bombs", self.url("bombs", "/d/{id}"), {"json": 'r.a[*]."@x"'}, read="xml")
        names = "abcdefgh"
        entities = [f'<!ENTITY {name} "{f"&{before};" * 10}">' for before, name in pairwise(names)]
        bomb = f"<!DOCTYPE r [<!ENTITY a 'aaaaaaaaaa'>{''.join(entities)}]><r x='&h;'>&h;</r>"
        self.put("bombs", "/d/0", bomb, "application/xml")
        self.put("bombs", "/d/1", f"<r>{'<a/>' * 400_000}</r>", "application/xml")
        self.put("bombs", "/d/2", "[" * 1_000_000, "application/json")
        self.pages("bombs")

    def robots_of_pages(self):
        self.site("shut", self.url("shut-data", "/d/{id}"))
        self.robots("shut", "User-agent: *\nDisallow: /v/1\n")
        self.robots("shut-data", "User-agent: *\nDisallow: /d/2\n")
        for number in range(PAGES):
            self.json("shut-data", f"/d/{number}", {"file": f"/f{number}.mp3"})
            self.song("shut-data", f"/f{number}.mp3")
        self.pages("shut")


@pytest.mark.slow
def test_hostile_adapters_and_answers_lose_no_page_and_lead_nowhere(tmp_path):
    with HostileWeb() as web:
        crawl = Crawl(web.build(), tmp_path)
        adapters = ("-s", f"ADAPTERS_DIR={web.save(tmp_path / 'adapters')}", "-s", f"ADAPTER_PAGES={LIST_PAGES}")
        crawl.start(*QUICK, *adapters, "-s", f"ADAPTER_MISSES={MISSES}", seed=web.url("start", "/"))
        assert crawl.wait() == 0, crawl.text()[-3000:]
        verdict = Verdict(crawl)
        assert (verdict.waiting, verdict.leased) == ([], 0)
        assert "open" not in verdict.ends.values()
        assert "Traceback" not in crawl.text()
        assert [gap for gap in crawl.gaps() if gap[0] < DELAY - CLOCK] == []
        for name in ("private", "itself", "circle", "bombs"):
            asked = web.paths(name)
            assert [asked[f"/v/{number}"] for number in range(PAGES)] == [1] * PAGES, name
            assert [asked[f"/{number}.mp3"] for number in range(PAGES)] == [1] * PAGES, name
        assert [counts(crawl, name).missed for name in ("private", "itself", "circle")] == [0, 3, 3]
        # A redirect that leads back is followed three times, for each page.
        assert web.paths("circle")["/b"] == 2 * PAGES
        asked = web.paths("escapes")
        assert [asked[f"/{number}.mp3"] for number in range(5)] == [1] * 5
        assert web.paths("never-data") == Counter()
        assert sum("/list" in path for path in web.paths("endless").elements()) == LIST_PAGES
        assert counts(crawl, "slots").off
        assert len([path for path in web.paths("slots") if path.startswith("/v/")]) == 4
        assert counts(crawl, "texts").hit == PAGES
        assert web.paths("shut") == {"/v/2": 1, "/2.mp3": 1}
        assert web.paths("shut-data") == {"/d/0": 1, "/f0.mp3": 1}
        assert stat(crawl, "guard/private") >= PAGES

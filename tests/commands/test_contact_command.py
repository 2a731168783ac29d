"""``scrapy crawl`` does not begin while nobody could find out whose crawler it is."""

import pytest
from command_line import crawl, run
from harness import slow

from mediacrawl.store import Catalogue

OUTSIDE = "https://audio.uni-graz.at/"


@pytest.mark.parametrize(
    ("contact", "words"),
    [
        ("me", "neither the URL of a page"),
        ("https://", "neither the URL of a page"),
        ("https://uni-graz.at/bot\r\nX-Evil: 1", "line feed"),
        ("https://künstler.at/", "ASCII"),
        ("https://uni-graz.at/bot (mail)", "blank"),
    ],
)
def test_a_contact_that_is_none_is_refused_also_on_this_machine(tmp_path, site, contact, words):
    sentence = crawl(tmp_path, {"MEDIACRAWL_CONTACT": contact}, seed=site.url("/")).sentence
    assert sentence.partition("MEDIACRAWL_CONTACT = ")[2]
    assert words in sentence
    assert site.log == []


@pytest.mark.parametrize(
    "contact", ["https://example.com/bot", "me@example.org", "http://localhost/", "http://127.0.0.1/", "http://laptop/"]
)
def test_a_contact_that_leads_nowhere_is_refused_outside(tmp_path, contact):
    for seed in (OUTSIDE, f"http://127.0.0.1/,{OUTSIDE}", f"{OUTSIDE}seeds.txt"):
        sentence = crawl(tmp_path, {"MEDIACRAWL_CONTACT": contact}, seed=seed).sentence
        assert OUTSIDE in sentence
        assert f"MEDIACRAWL_CONTACT = {contact!r} leads nowhere" in sentence
    assert not (tmp_path / ".mediacrawl").exists()


@pytest.mark.parametrize("spider", ["media", *slow("recheck")])
def test_a_program_that_starts_the_spider_itself_is_refused_too(tmp_path, spider):
    with Catalogue(tmp_path / "media.db") as catalogue:
        catalogue.upsert({"id": "1", "content_url": f"{OUTSIDE}a.mp3", "title": "x", "type": "AudioObject"})
    arguments = {"media": {"seed": OUTSIDE}, "recheck": {"items": "media.db"}}[spider]
    program = f"""
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.settings import Settings
settings = Settings()
settings.setmodule("mediacrawl.settings", priority="project")
process = AsyncCrawlerProcess(settings)
crawler = process.create_crawler({spider!r})
process.crawl(crawler, **{arguments!r})
process.start()
print(process.bootstrap_failed)
"""
    (tmp_path / "program.py").write_text(program, encoding="utf-8")
    import sys

    done = run(tmp_path, sys.executable, "program.py")
    assert done.out == "True\n", done.err
    assert "has no address to complain to" in done.err
    assert not (tmp_path / ".mediacrawl" / "log").exists()

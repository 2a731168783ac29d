"""The crawler's information page."""

import re
from dataclasses import replace
from datetime import date
from html import unescape
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.politeness.botpage import MARK, BotPage, BotPageError, duration
from mediacrawl.politeness.delay import DelayPolicy
from mediacrawl.politeness.robots import RobotsRules

CONTACT = "https://crawler.uni-graz.at/bot"
PAGE = BotPage(
    agent=f"mediacrawl/0.1 (+{CONTACT})",
    token="mediacrawl",
    contact=CONTACT,
    operator="Institute of Sound",
    email="bot@uni-graz.at",
    purpose="A catalogue of field recordings.",
    addresses=("192.0.2.17", "2001:db8::/56"),
    delay=DelayPolicy(),
    page_bytes=200_000,
    head_bytes=16_384,
    media_bytes=262_144,
    media_requests=6,
    robots_age=86_400.0,
    reload=900.0,
    log_days=31,
    version="0.1",
    today=date(2026, 11, 21),
)
VOID = {"meta", "br", "hr", "img", "link"}


class Outline(HTMLParser):
    """The elements of a page, its text, and whether each element that is opened is closed."""

    def __init__(self, page):
        super().__init__(convert_charrefs=True)
        self.elements = []
        self.open = []
        self.text = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def text_of(page):
    return " ".join(Outline(page.html()).text.split())


def test_the_page_says_all_that_an_operator_asks():
    text = text_of(PAGE)
    for said in (
        "Institute of Sound.",
        "bot@uni-graz.at",
        "A catalogue of field recordings.",
        f"mediacrawl/0.1 (+{CONTACT})",
        "192.0.2.17",
        "2001:db8::/56",
        "at least 15 seconds, and 30 times as long as your server took to answer, up to 30 minutes of it",
        "at least 60 seconds while it does not know you".replace("60 seconds", "1 minute"),
        "at most 200 KB",
        "its first 16 KB",
        "at most 262 KB in 6 requests",
        "robots.txt is read again after 24 hours",
        "obeys the list within 15 minutes",
        "deleted after 31 days",
        "2026-11-21",
    ):
        assert said in text, said


def test_the_page_is_one_whole_file_that_loads_nothing():
    page = Outline(PAGE.html())
    assert page.open == []
    tags = {tag for tag, _ in page.elements}
    assert tags.isdisjoint({"script", "link", "img", "iframe", "object", "embed", "form", "base", "svg"})
    assert not any(name.startswith("on") or name == "src" for _, attributes in page.elements for name in attributes)
    assert "url(" not in PAGE.html()
    assert "@import" not in PAGE.html()
    assert PAGE.html().startswith('<!DOCTYPE html>\n<html lang="en">')
    assert MARK in PAGE.html()


def test_the_pages_own_links_lead_somewhere():
    page = Outline(PAGE.html())
    names = {attributes["id"] for _, attributes in page.elements if "id" in attributes}
    targets = {
        attributes["href"][1:] for tag, attributes in page.elements if tag == "a" and attributes["href"][0] == "#"
    }
    assert targets
    assert targets <= names


def examples(page):
    return [unescape(text) for text in re.findall(r"<pre><code>(.*?)</code></pre>", page.html(), re.DOTALL)]


@pytest.mark.parametrize("token", ["mediacrawl", "my-own_bot"])
def test_the_robots_txt_that_it_recommends_does_what_it_says(token):
    block, parts, slow, *_ = (RobotsRules.parse(text.encode(), token) for text in examples(replace(PAGE, token=token)))
    assert not block.allowed("https://a.example/song.mp3")
    assert not parts.allowed("https://a.example/song.mp3")
    assert not parts.allowed("https://a.example/private/x")
    assert parts.allowed("https://a.example/song.mp3/about")
    assert slow.allowed("https://a.example/song.mp3")
    assert slow.crawl_delay == 120


@pytest.mark.parametrize(
    ("missing", "absent"),
    [({"purpose": ""}, "field recordings"), ({"addresses": ()}, "come from these addresses")],
)
def test_what_is_not_known_is_left_out(missing, absent):
    assert absent in text_of(PAGE)
    assert absent not in text_of(replace(PAGE, **missing))


def test_a_mail_address_is_contact_enough():
    text = text_of(replace(PAGE, contact="mailto:me@uni-graz.at", email=""))
    assert "Write to me@uni-graz.at" in text
    assert "This page lives at" not in text


@pytest.mark.parametrize(
    ("wrong", "setting"),
    [
        ({"operator": " "}, "MEDIACRAWL_OPERATOR"),
        ({"email": ""}, "MEDIACRAWL_EMAIL"),
        ({"email": "me"}, "MEDIACRAWL_EMAIL"),
        ({"contact": "me"}, "MEDIACRAWL_CONTACT"),
        ({"contact": "http://localhost/"}, "MEDIACRAWL_CONTACT"),
        ({"addresses": ("here",)}, "MEDIACRAWL_ADDRESSES"),
    ],
)
def test_a_page_without_what_an_operator_needs_is_not_written(wrong, setting):
    with pytest.raises(BotPageError, match=setting):
        replace(PAGE, **wrong).html()


@given(st.text(min_size=1).filter(str.strip), st.text(), st.text())
def test_no_setting_breaks_the_page(operator, purpose, agent):
    page = Outline(replace(PAGE, operator=operator + "<b>", purpose=purpose + "$name", agent=agent + "<i>&").html())
    assert page.open == []
    assert {"b", "i"}.isdisjoint(tag for tag, _ in page.elements)
    assert "$name" in page.text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(15, "15 seconds"), (1, "1 second"), (60, "1 minute"), (900, "15 minutes"), (5400, "90 minutes"),
     (86_400, "24 hours"), (31 * 86_400, "31 days"), (0.15, "0.15 seconds"), (0, "0 seconds"), (90.5, "90.5 seconds")],
)  # fmt: skip
def test_times_are_told_as_people_tell_them(seconds, text):
    assert duration(seconds) == text

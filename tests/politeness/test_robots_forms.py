"""A robots.txt in another form than plain text in UTF-8."""

import codecs
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.politeness.robots import RobotsRules, plain

RULES = "# Kalo\r\nUser-agent: *\r\nDisallow: /private/\r\nAllow: /a&b/\r\nDisallow: /größe/\r\nSitemap: http://a.example/s.xml\r\n"
COCOA = (
    "{\\rtf1\\ansi\\ansicpg1252\\cocoartf1671\n{\\fonttbl\\f0\\fswiss\\fcharset0 Helvetica;}\n"
    "{\\colortbl;\\red255\\green255\\blue255;}\n\\margl1440\\margr1440\n\\pard\\tx566\\tx1133\\pardirnatural\n\n"
    "\\f0\\fs24 \\cf0 User-agent: *\\\nDisallow: /private/\\\nDisallow: /gr\\'f6\\'dfe/\\\n"
    "Sitemap: http://a.example/s.xml}"
)
WORD = (
    "{\\rtf1\\ansi\\deff0{\\fonttbl{\\f0\\fnil Calibri;}}\r\n\\viewkind4\\uc1\\pard\\f0\\fs22 # Kalo\\par\r\n"
    "User-agent: *\\par\r\nDisallow: /private/\\par\r\nDisallow: /gr\\u246?\\u223?e/\\par\r\n"
    "Sitemap: http://a.example/s.xml\\par\r\n}\r\n"
)

RUNS = (
    "{\\rtf1\\ansi\\uc1{\\fonttbl{\\f0\\froman{\\*\\panose 0202}Times;}}{\\info{\\title Kalo}}\\pard\\plain "
    "{\\insrsid1 User-agent: *}{\\insrsid2 \r\n\\par Disallow: /}{\\insrsid1 private/}{\\insrsid2 \r\n"
    "\\par Disallow: /gr\\'f6\\'df}{\\insrsid3 e/\r\n"
    '\\par Sitemap: }{\\field{\\*\\fldinst {HYPERLINK "http://a.example/s.xml"}}{\\fldrslt {http://a.example/s.xml}}}}'
)

WRITER = (
    "{\\rtf1\\adeflang1025\\ansi{\\fonttbl{\\f0 Liberation;}}{\\stylesheet{\\s0 Normal;}{\\s1{\\*\\pn x}Heading;}}"
    "{\\rtlch \\ltrch\\loch User-agent: *}\n\\par {\\loch Disallow: /pri\nvate/}\n\\par {\\loch Disallow: "
    "/gr\\'f6\\'dfe/}\n\\par {\\loch Sitemap: http://a.example/s.xml}\n\\par }"
)


def page(inside):
    return f"<!DOCTYPE html>\n<html><head><title>robots</title><style>p {{}}</style></head><body>{inside}</body></html>"


LINES = [line.replace("&", "&amp;") for line in RULES.split("\r\n")]
FORMS = {
    "UTF-16 with a mark": RULES.encode("utf-16"),
    "UTF-16, big end first": codecs.BOM_UTF16_BE + RULES.encode("utf-16-be"),
    "UTF-16 without a mark": RULES.encode("utf-16-le"),
    "UTF-16 without a mark, big end first": RULES.encode("utf-16-be"),
    "RTF of TextEdit": COCOA.encode(),
    "RTF of WordPad": WORD.encode(),
    "RTF of Word, which divides lines": RUNS.encode(),
    "RTF of LibreOffice, with styles": WRITER.encode(),
    "a page in UTF-16": page("".join(f"<p>{line}</p>" for line in LINES)).encode("utf-16"),
    "pre in a page": page(f"<pre>{chr(10).join(LINES)}</pre>").encode(),
    "pre in the way of browsers": f'<pre style="word-wrap: break-word;">{chr(10).join(LINES)}</pre>'.encode(),
    "br": "<br>\n".join(LINES).encode(),
    "br on one line": page("<p>" + "<br />".join(LINES)).encode(),
    "paragraphs": page("".join(f"<p>{line}</p>" for line in LINES)).encode(),
    "a word processor's page": page("".join(f"<div><span>{line}</span></div>" for line in LINES)).encode(),
    "latin-1 in a page": page("<br>".join(LINES)).encode("latin-1"),
}


@pytest.mark.parametrize("form", FORMS)
def test_the_rules_of_a_file_in_another_form_bind(form):
    rules = RobotsRules.parse(FORMS[form], "mediacrawl")
    assert not rules.allowed("http://a.example/private/x")
    assert rules.allowed("http://a.example/x")
    if form != "latin-1 in a page":
        assert not rules.allowed("http://a.example/gr%C3%B6%C3%9Fe/")
    assert rules.sitemaps == ["http://a.example/s.xml"]
    # As they are stored.
    again = RobotsRules.parse(rules.group_text.encode(), "mediacrawl")
    assert not again.allowed("http://a.example/private/x")
    assert plain(FORMS[form])[1].split(",")[0] in {"in UTF-16", "Rich Text (RTF)", "HTML"}


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\xef\xbb\xbf" + RULES.encode(),
        RULES.encode(),
        RULES.encode("latin-1"),
        b"User-agent: *\nDisallow: /a<b>c\n\0\0",
        b"User-agent: *\nDisallow: /{x}\\par\n",
    ],
)
def test_plain_text_stays_as_it_is(body):
    assert plain(body) == (body, "")


@pytest.mark.parametrize(
    "body",
    [
        page("<h1>404</h1><p>User-agent and Disallow are no words of this page.</p>").encode(),
        page("Disallow: /\n<p>Please log in.</p>").encode(),
        page("<script>\nUser-agent: *\nDisallow: /\n</script><!-- \nUser-agent: *\nDisallow: /\n -->").encode(),
        page("<nav><a href=/>Home</a></nav> <a href='/allow'>Allow: /</a>").encode(),
        page("x").encode("utf-16"),
        page("<p>Write <code>User-agent: *</code> and <code>Disallow: /</code> to forbid it.</p>").encode(),
    ],
)
def test_a_page_in_place_of_a_file_has_no_rules(body):
    rules = RobotsRules.parse(body, "mediacrawl")
    assert rules.allowed("http://a.example/private/")
    assert rules.group_text == ""


@pytest.mark.parametrize(
    "unit",
    [b"<!--", b"<script>", b"<", b"<br", b"<pre>", b"{", b"{\\*{}", b"\\u1", b"\\'4", b"&amp;", b"\\\n"],
)
@pytest.mark.parametrize("start", [b"<br>", b"{\\rtf"])
def test_any_form_takes_a_bounded_time(unit, start):
    began = time.process_time()
    RobotsRules.parse(start + unit * (500_000 // len(unit)), "mediacrawl")
    assert time.process_time() - began < 3


@given(
    st.binary(max_size=60).map(lambda end: end),
    st.sampled_from([b"", b"<br>", b"{\\rtf", b"\xff\xfe", b"\xfe\xff", b"a\0b\0"]),
)
def test_no_file_raises(end, start):
    RobotsRules.parse(start + end, "mediacrawl")


@given(st.text(alphabet="\\u{}'-par0123456789d8&#;<>/brpe \n\ud800", max_size=60), st.sampled_from(["<p>", "{\\rtf"]))
def test_no_markup_raises(text, start):
    RobotsRules.parse((start + text).encode("utf-8", "surrogatepass"), "mediacrawl")

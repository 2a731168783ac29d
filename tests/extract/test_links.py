"""The links of a page."""

import codecs
import encodings.aliases
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.encoding import DecodedDocument
from mediacrawl.extract import parse_page
from mediacrawl.extract.charset import read_html
from mediacrawl.extract.links import MAX_LINKS, link_header

URL = "https://site.example/dir/page.html"


def parse(html, **arguments):
    return parse_page(html if isinstance(html, bytes) else html.encode(), URL, **arguments)


def found(html):
    return [(link.via, link.href) for link in parse(html).links]


def test_of_endlessly_many_wishes_some_are_kept():
    metas = [f"<meta name=robots content=w{number}>" for number in range(1000)]
    assert parse("".join(metas)).robots == [f"w{number}" for number in range(20)]


@pytest.mark.parametrize(
    ("body", "declared", "title"),
    [
        ("<title>Größe</title>".encode(), None, "Größe"),
        ("<title>Größe</title>".encode("latin-1"), None, "Größe"),
        ("<title>Größe</title>".encode("latin-1"), "ISO-8859-1", "Größe"),
        ("<title>“x”</title>".encode("cp1252"), "latin1", "“x”"),
        ("<meta charset=koi8-r><title>Мост</title>".encode("koi8-r"), None, "Мост"),
        ("<meta charset=koi8-r><title>Мост</title>".encode("cp1251"), "windows-1251", "Мост"),
        ("<meta charset=koi8-r><title>Мост</title>".encode("utf-8-sig"), "cp1251", "Мост"),
        ('<?xml version="1.0" encoding="cp1251"?><title>Мост</title>'.encode("cp1251"), None, "Мост"),
        ("<title>橋</title>".encode("cp932"), "x-sjis", "橋"),
        ("<title>橋</title>".encode("utf-16"), None, "橋"),
        ("<title>橋</title>".encode("utf-16-le"), "utf-16le", "橋"),
        (b"<meta charset=utf-16><title>x</title>", None, "x"),
        ("<title>Größe</title>".encode(), "no-such-charset", "Größe"),
        (b"<title>Gr\xf6\xdfe</title>", "utf-8", "Größe"),
        ("<title>Größe \ufffd</title>".encode().replace("\ufffd".encode(), b"\xdf"), "utf-8", "Größe ß"),
        ("<title>Новости области</title>".encode("cp1251"), None, "Новости области"),
        ("<title>Новости области</title>".encode("koi8-r"), "utf-8", "Новости области"),
        ("<html lang=tr><title>Güneş Doğdu</title>".encode("cp1254"), None, "Güneş Doğdu"),
        (b"<title>ab\0c</title>", None, "abc"),
    ],
)
def test_a_page_is_read_in_its_encoding(body, declared, title):
    assert parse(body, encoding=declared).title == title


@pytest.mark.parametrize(
    ("body", "declared", "charset"),
    [
        ("<title>Größe</title>".encode(), None, "utf-8"),
        (b"<title>Gr\xf6\xdfe</title>", None, "cp1252"),
        (b"<title>Gr\xf6\xdfe</title>", "iso-8859-1", "cp1252"),
        (b"<meta charset=windows-1251>", None, "cp1251"),
        (b"<meta charset=windows-1251>", "koi8-r", "koi8-r"),
        ("<title>x</title>".encode("utf-8-sig"), "koi8-r", "utf-8"),
        ("<title>x</title>".encode("utf-16"), None, "utf-16-le"),
        (b"", "x-unknown", "utf-8"),
    ],
)
def test_the_encoding_that_a_page_was_read_with_is_told(body, declared, charset):
    assert codecs.lookup(parse(body, encoding=declared).charset).name == codecs.lookup(charset).name


@pytest.mark.parametrize(
    ("body", "declared", "reading"),
    [
        ("<title>Größe</title>".encode(), None, r"utf-8"),
        ("<title>Новости области</title>".encode("cp1251"), "cp1251", r"cp1251"),
        ("<title>Новости области</title>".encode("cp1251"), None, r"cp1251 models ru [01]\.\d+"),
    ],
)
def test_a_page_says_who_decided_its_encoding(body, declared, reading):
    assert re.fullmatch(reading, parse(body, encoding=declared).reading)


def test_a_page_cut_inside_a_character_is_still_utf8():
    assert parse("<title>Größe</title>é".encode()[:-1]).title == "Größe"


def test_no_name_of_a_charset_breaks_a_page():
    body = b"<title>x</title>" + bytes(range(256))
    for codec in {*encodings.aliases.aliases, *encodings.aliases.aliases.values()}:
        assert isinstance(read_html(body, URL, codec)[1], bytes), codec
        assert read_html(b"<meta charset=%s>\xe9" % codec.encode(), URL)[1].decode("utf-8"), codec


_PIECES = [b"a", b" ~{", b"\x1b$B", b"\0", "\u00fc".encode(), "\u044f".encode(), b"\xff", b"<meta charset=koi8-r>"]


@given(st.lists(st.sampled_from(_PIECES), max_size=6).map(b"".join), st.sampled_from([None, "utf-8", "cp1251"]))
def test_a_document_in_utf8_is_decided_as_the_library_for_encodings_decides_it(body, label):
    claims = [(label, "header")] if label else [("koi8-r", "meta")] if b"meta" in body else []
    expected, found = DecodedDocument.of(body, claims), read_html(body, URL, label)[0]
    assert (found.text, found.encoding, found.reading) == (expected.text, expected.encoding, expected.reading)


@pytest.mark.parametrize(
    "label", ["utf-7", "rot13", "hex", "zip", "idna", "punycode", "unicode_escape", "undefined", "\0", "ü", "x" * 9_999]
)
def test_what_is_no_charset_is_ignored(label):
    assert read_html("ü".encode(), URL, label)[1] == "ü".encode()


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\0" * 1_000,
        b"plain text",
        b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 40,
        b"{'json': [1, 2]}",
        b"<" * 200_000,
        b"<a href=" * 20_000,
        b"<a href='" + b"x" * 200_000,
        b"<div>" * 40_000 + b"<a href=deep>",
        b"<a><b><i><font><table>" * 9_000,
        b"<p " + b"a=b " * 50_000 + b">",
        b"&#x" * 60_000,
        b"<!--" * 50_000,
        b"<svg><math><title>" * 10_000,
        b"<html xmlns:x='y'><x:a x:href='z'/></html>",
        b"<!DOCTYPE html [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><title>&x;</title>",
        "\ud800".encode("utf-8", "surrogatepass") * 100,
    ],
)
def test_a_hostile_page_is_a_page(body):
    page = parse_page(body, URL)
    assert len(page.links) <= MAX_LINKS
    assert "root:" not in page.title
    assert all(isinstance(page.anchor(link), str) for link in page.links[:50])


def test_an_old_page_that_never_closes_its_fonts_is_read_to_the_end():
    page = parse("<font><b>" * 600 + "<a href=deep>")
    assert [link.href for link in page.links] == ["deep"]


def test_of_a_page_nested_beyond_measure_the_begin_is_read():
    page = parse("<a href=first></a>" + "<div>" * 30_000 + "<a href=lost>")
    assert [link.href for link in page.links] == ["first"]


def test_what_follows_the_end_of_the_page_is_read_as_browsers_do():
    html = '<html><body><a href="1"></a></body></html> <a href="2"></a></html><p><audio src="3"></audio>'
    assert found(html) == [("a", "1"), ("a", "2"), ("audio", "3")]
    assert found("</html><a href=x>" * 10_000) == [("a", "x")] * MAX_LINKS


def test_a_page_of_20000_links_is_cut_and_counted():
    page = parse("<a href=x>" * 20_000)
    assert (len(page.links), page.cut) == (MAX_LINKS, 20_000 - MAX_LINKS)


@given(st.binary(max_size=200) | st.text("<>=\"'/ aahrefsrcmetaudio&#;!-[]", max_size=200).map(str.encode))
def test_any_bytes_are_a_page(body):
    page = parse_page(b"<a href=first>" + body, URL, None)
    assert all(link.href is not None and page.anchor(link) is not None for link in page.links)


@pytest.mark.parametrize(
    ("html", "path"),
    [
        ('<main><ul class="episodes new"><li><a href=x>y</a></ul></main>', "main/ul.episodes/li/a"),
        ('<div><main><div id=a><ul><li class="n17"><a class=k href=x>y</a>', "div/ul/li.n#/a.k"),
        ("<a href=x>y</a>", "a"),
        ("<p><a href=x>y</a>", "p/a"),
        ('<p class="a\x01\x7fb"><a href=x>y</a>', "p.a#b/a"),
    ],
)
def test_the_tag_path_of_a_link_names_its_last_elements(html, path):
    page = parse(html)
    assert [page.path(link) for link in page.links] == [path]


@pytest.mark.parametrize("words", ["a" * 500, "a1" * 500, "b" + " a" * 500, "7" * 500])
def test_the_tag_path_has_the_end_of_a_long_class(words):
    page = parse(f'<ul class="{words}"><li><a href=x>y</a><li><a href=z>y</a></ul>')
    name = re.sub("[0-9]+", "#", words.split()[0])
    assert [page.path(link) for link in page.links] == [f"ul.{name}/li/a"[-120:]] * 2


def test_links_inside_each_other_have_the_text_of_the_first_ones_and_the_others_are_counted():
    page = parse("".join(f"<object data={n}>{n} " for n in range(600)) + "end")
    anchors = [page.anchor(link) for link in page.links]
    assert anchors[0] == " ".join(map(str, range(600)))[:200]
    assert page.anchors_cut == 0
    anchors = [page.anchor(link) for _ in range(3) for link in page.links]
    assert anchors[-3:] == ["597", "598", "599 end"]
    assert 0 < page.anchors_cut < 600


@given(st.text(max_size=200).filter(lambda text: '"' not in text))
def test_a_tag_path_is_short_and_without_control_characters(text):
    page = parse(f'<div class="{text}"><a href=x>y</a></div>'.encode("utf-8", "replace"))
    for link in page.links:
        assert len(page.path(link)) <= 120
        assert not any(ord(sign) < 32 or ord(sign) == 127 for sign in page.path(link))


@pytest.mark.parametrize(
    ("values", "target"),
    [
        ([], ""),
        (['<https://a.example/x>; rel="canonical"'], "https://a.example/x"),
        (["</x>;rel=canonical"], "/x"),
        (["</x> ; REL = 'canonical'"], ""),
        (['</x>; rel="Canonical"; type="text/html"'], "/x"),
        (['</x>; title="a, b; rel=next"; rel="canonical"'], "/x"),
        (['</x>; rel="alternate canonical"'], "/x"),
        (['</x>; rel=next, </y>; rel="canonical", </z>; rel=prev'], "/y"),
        (["</x>; rel=next", "</y>; rel=canonical"], "/y"),
        (["</x>; rel=canonical", "</x>; rel=canonical"], "/x"),
        (["</x>; rel=canonical", "</y>; rel=canonical"], ""),
        (["</x>; rel=next; rel=canonical"], ""),
        (['</x>; rel="canonical"; anchor="#foo"'], ""),
        (["</a,b;c>; rel=canonical"], "/a,b;c"),
        (["/x; rel=canonical"], ""),
        (["</x; rel=canonical"], ""),
        (["<>; rel=canonical"], ""),
        (["</x>; rel=canonicals"], ""),
    ],
)
def test_a_header_names_a_target_for_a_relation(values, target):
    assert link_header(values, "canonical") == target


@given(st.lists(st.text(st.sampled_from('<>;,="/ relcanonical\\"'), max_size=200)))
def test_no_header_makes_it_raise(values):
    assert isinstance(link_header(values, "canonical"), str)


@pytest.mark.parametrize("piece", ["<", "<a>", '<a>"', "<a>;", "<a>; rel", '<a>; a="', "<a>; a=b", ",,,", '"'])
def test_a_long_header_is_read_to_a_bound(piece):
    """Without one, or with a pattern that goes back, this would take minutes."""
    assert link_header([piece * 300_000], "canonical") == ""


@pytest.mark.parametrize(
    ("bases", "base"),
    [
        ('<base href="/other/">', "https://site.example/other/"),
        ('<base href="../x/">', "https://site.example/x/"),
        ('<base href="//cdn.example">', "https://cdn.example/"),
        ('<base href="https:/a/b">', "https://site.example/a/b"),
        ('<base href="\\\\cdn.example\\x\\">', "https://cdn.example/x/"),
        ('<base href=" /a b/ ">', "https://site.example/a%20b/"),
        ('<base href="/a\n/b/">', "https://site.example/a/b/"),
        ('<base href="HTTP://CDN.Example:80/%7e/#top">', "http://cdn.example/%7e/"),
        ('<base href="https://bücher.example/">', "https://xn--bcher-kva.example/"),
        ('<base href="?x">', f"{URL}?x"),
        ('<base href="">', URL),
        ("<base target=_top>", URL),
        ('<base target=_top><base href="/first/"><base href="/second/">', "https://site.example/first/"),
        ('<base href="http://a b/"><base href="/second/">', URL),
        ('<base href="javascript:0"><base href="/second/">', URL),
        ('<base href="about:blank">', URL),
        ('<template><base href="/hidden/"></template>', URL),
    ],
)
@pytest.mark.parametrize("place", ["{}<a href=x>", "<a href=x>{}"])
def test_a_base_is_resolved_as_links_are_and_counts_for_those_before_it(bases, base, place):
    page = parse(place.format(bases))
    assert (page.base, [link.href for link in page.links]) == (base, ["x"])


@pytest.mark.parametrize(
    ("html", "links", "number"),
    [
        ("<template><a href=x>x</a></template>", [], 1),
        ("<ul><TEMPLATE id=row><li><a href=x>x</a><a href=y>y</a></TEMPLATE><li><a href=z>z</a></ul>", ["z"], 2),
        ("<template><template><a href=x></template><a href=y></template><a href=z>", ["z"], 2),
        ("<template><audio src=a.mp3></audio><iframe src=b></iframe></template><a href=z>", ["z"], 0),
        ("<div><template shadowrootmode=Open><a href=x>x</a></template></div>", ["x"], 0),
        ("<div><template shadowrootmode=closed><template><a href=x></template><a href=y></template>", ["y"], 1),
        ("<p>&lt;template><a href=x>", ["x"], 0),
    ],
)
def test_links_in_templates_are_counted_only(html, links, number):
    page = parse(html)
    assert ([link.href for link in page.links], page.in_templates) == (links, number)


def test_a_text_behind_a_template_stays():
    assert "".join(parse("<p>a<template>hidden</template>b</p>").tree.itertext()).split() == ["ab"]

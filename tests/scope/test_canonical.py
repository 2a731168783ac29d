"""One spelling for each URL."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from w3lib.url import canonicalize_url

from mediacrawl.scope.urls import Base, canonical, canonical_host, long_way, scheme_of

SPELLINGS = [
    ("HTTP://Site.Example", "http://site.example/"),
    ("http://site.example:80/a", "http://site.example/a"),
    # The stream of a SHOUTcast station, whose page is /.
    ("http://site.example:8000/;", "http://site.example:8000/;"),
    ("http://site.example/;?x=1", "http://site.example/;?x=1"),
    ("http://site.example/a;b/c;", "http://site.example/a;b/c;"),
    ("http://site.example/;stream.mp3", "http://site.example/;stream.mp3"),
    ("http://site.example/;stream/1", "http://site.example/;stream/1"),
    # Links to subscribe to a feed.
    ("feed://site.example/rss", "http://site.example/rss"),
    ("feed:https://site.example/rss", "https://site.example/rss"),
    ("FEED:http://Site.Example/a?b", "http://site.example/a?b="),
    ("feed://https://site.example/rss", "https://site.example/rss"),
    ("itpc://site.example:8080/rss#x", "http://site.example:8080/rss"),
    (" pcast:site.example/rss", "http://site.example/rss"),
    ("podcast://site.example/rss", "http://site.example/rss"),
    ("https://site.example:443/a", "https://site.example/a"),
    ("https://site.example:80/a", "https://site.example:80/a"),
    ("http://site.example:0080/a", "http://site.example/a"),
    ("http://site.example:/a", "http://site.example/a"),
    ("http://site.example./a", "http://site.example/a"),
    ("http://user:secret@site.example/a", "http://site.example/a"),
    ("http://site.example/a#part", "http://site.example/a"),
    ("http://site.example/a?", "http://site.example/a"),
    ("http://site.example?b=1", "http://site.example/?b=1"),
    ("http://site.example/a?c=3&b=2&b=1", "http://site.example/a?b=1&b=2&c=3"),
    ("http://site.example/a?b", "http://site.example/a?b="),
    ("http://site.example/a/./b/../c", "http://site.example/a/c"),
    ("http://site.example/../..", "http://site.example/"),
    ("http://site.example/a/%2e%2E/b", "http://site.example/b"),
    ("http://site.example/%7ea%2f%c3%bc", "http://site.example/~a%2F%C3%BC"),
    ("http://site.example/ü b", "http://site.example/%C3%BC%20b"),
    ("http://site.example/a?q=b c", "http://site.example/a?q=b+c"),
    ("  http://site.example/a\n", "http://site.example/a"),
    ("http://site.exa\tmple/a\r\nb", "http://site.example/ab"),
    ("http://site.example\\a\\b?c=\\", "http://site.example/a/b?c=%5C"),
    ("http://Bücher.example/", "http://xn--bcher-kva.example/"),
    ("http://straße.example/", "http://xn--strae-oqa.example/"),
    ("http://%73ite.example/", "http://site.example/"),
    ("http://site。example/", "http://site.example/"),
    ("http://127.1/", "http://127.0.0.1/"),
    ("http://0x7f000001/", "http://127.0.0.1/"),
    ("http://0177.0.0.1/", "http://127.0.0.1/"),
    ("http://2130706433/", "http://127.0.0.1/"),
    ("http://[0:0::1]:8080/", "http://[::1]:8080/"),
    ("http://[::ffff:127.0.0.1]/", "http://[::ffff:7f00:1]/"),
    ("http://localhost:8000/", "http://localhost:8000/"),
    # As the URL Standard has it.
    ("http:///site.example/a", "http://site.example/a"),
    ("http://site.example/\ud800", "http://site.example/%EF%BF%BD"),
    ("http://straße.♥.example/", "http://xn--strae-oqa.xn--g6h.example/"),
]


@pytest.mark.parametrize(("written", "spelling"), SPELLINGS)
def test_many_spellings_become_one(written, spelling):
    assert canonical(written) == spelling
    assert canonical(spelling) == spelling


@pytest.mark.parametrize(
    "written",
    [
        "",
        "/a",
        "site.example/a",
        "ftp://site.example/",
        "javascript:alert(1)",
        "http://",
        "http://.example/",
        "http://a..example/",
        "http://site.example:99999/",
        "http://site.example:8o/",
        "http://site.example:٣/",
        "http://[::1/",
        "http://[::1%25eth0]/",
        "http://[v1.x]/",
        "http://256.256.256.256/",
        "http://1.2.3.4.5/",
        "http://si te.example/",
        "http://" + "a" * 64 + ".example/",
        "http://" + "a." * 200 + "example/",
    ],
)
def test_what_can_not_be_a_url_is_none(written):
    assert canonical(written) is None


# The reference examples of RFC 3986 section 5.4, fragments dropped as we do.
RFC_3986 = [
    ("g", "http://a.example/b/c/g"),
    ("./g", "http://a.example/b/c/g"),
    ("g/", "http://a.example/b/c/g/"),
    ("/g", "http://a.example/g"),
    ("//g.example", "http://g.example/"),
    ("?y=1", "http://a.example/b/c/d;p?y=1"),
    ("g?y=1", "http://a.example/b/c/g?y=1"),
    ("#s", "http://a.example/b/c/d;p?q=0"),
    ("g#s", "http://a.example/b/c/g"),
    (";x", "http://a.example/b/c/;x"),
    ("g;x", "http://a.example/b/c/g;x"),
    ("", "http://a.example/b/c/d;p?q=0"),
    (".", "http://a.example/b/c/"),
    ("./", "http://a.example/b/c/"),
    ("..", "http://a.example/b/"),
    ("../g", "http://a.example/b/g"),
    ("../..", "http://a.example/"),
    ("../../g", "http://a.example/g"),
    ("../../../g", "http://a.example/g"),
    ("/./g", "http://a.example/g"),
    ("/../g", "http://a.example/g"),
    ("g.", "http://a.example/b/c/g."),
    ("..g", "http://a.example/b/c/..g"),
    ("./g/.", "http://a.example/b/c/g/"),
    ("g/../h", "http://a.example/b/c/h"),
    ("http:g", "http://a.example/b/c/g"),
    # What browsers do beyond it.
    ("https:g.example/x", "https://g.example/x"),
    ("http:////g.example/x", "http://g.example/x"),
    ("\\\\g.example\\x", "http://g.example/x"),
    ("\t /g \n", "http://a.example/g"),
    ("/g\nh", "http://a.example/gh"),
    ("https-page.html", "http://a.example/b/c/https-page.html"),
    ("10:30.mp3", "http://a.example/b/c/10:30.mp3"),
]


@pytest.mark.parametrize(("href", "target"), RFC_3986)
def test_a_reference_is_joined_as_browsers_do(href, target):
    assert Base("http://a.example/b/c/d;p?q=0").canonical(href) == target


@pytest.mark.parametrize(
    "href",
    [
        *("javascript:void(0)", "JavaScript:x", " mailto:a@b.example", "data:,x", "tel:1", "blob:http://a"),
        *(
            "feed:",
            "feed://",
            "itpc: ",
            "podcast:javascript:x",
            "feed:feed:feed:",
            "feed:/rss.xml",
            "feed:///rss",
            "feeds:x",
            "rtsp://a.example/b",
        ),
    ],
)
def test_other_schemes_lead_nowhere(href):
    assert Base("http://a.example/").resolve(href) is None
    assert scheme_of(href) not in {"", "http", "https"}


def test_a_base_element_moves_the_base_and_a_broken_one_does_not():
    assert Base("http://a.example/b/c", "/d/").canonical("e") == "http://a.example/d/e"
    assert Base("http://a.example/b/c", "//g.example/x").canonical("e") == "http://g.example/e"
    assert Base("http://a.example/b/c", "data:,").canonical("e") == "http://a.example/b/e"


def test_a_page_without_a_usable_url_has_no_base():
    with pytest.raises(ValueError, match="not an http or https URL"):
        Base("about:blank")


ALPHABET = "abcXYZ019.-_~!$&'()*+,;=:@/?#%[]|\\ \t\n\x00\x7f\"<>{}^`üß。\ud800"
texts = st.text(ALPHABET, max_size=40)
HOSTS = """a.example A.Example. a.example:80 a.example:8080 x-y.a_b.example 1.2.3.4 [::1] ü.example u:p@a.example
0x7f.1 a a.1b a.b.c.d.e.example"""
hosts = st.sampled_from(HOSTS.split())
urls = st.builds("{}://{}{}{}".format, st.sampled_from(["http", "https", "HTTP"]), hosts, st.sampled_from("/?#"), texts)


@given(urls | st.text(max_size=60))
@example("http://a.example/%25")
@example("http://a.example/a;b/..;c")
@example("http://a.example/?b=%2B&a=+")
def test_the_fast_way_says_what_the_long_way_says(url):
    assert canonical(url) == long_way(url)


@given(
    st.lists(
        st.sampled_from(["a", "b", "=", "&", "0", "-", ".", "~", "_", "/", "?", "+", "%41", ":", "=b"]), max_size=12
    )
)
@example(["b", "&", "a"])
@example(["b", "=", "&", "b", "&", "&", "a", "=b"])
@example(["=", "=", "&", "?"])
def test_the_order_of_plain_queries_is_that_of_w3lib(pieces):
    url = "http://a.example/p?" + "".join(pieces)
    assert canonical(url) == canonicalize_url(url, keep_blank_values=True)


@given(urls)
def test_a_canonical_url_stays_as_it_is(url):
    once = canonical(url)
    assert once is None or canonical(once) == once


@given(urls, texts | urls)
def test_a_joined_reference_is_canonical(url, href):
    if canonical(url) is None:
        return
    target = Base(url).canonical(href)
    assert target is None or long_way(target) == target


@given(texts)
def test_a_relative_reference_means_the_same_as_its_absolute_form(path):
    base = Base("http://a.example/b/c?d=e")
    if not scheme_of(path) and path.strip()[:1] not in ("", "/", "\\", "?", "#", "\x00"):
        assert base.canonical(path) == canonical("http://a.example/b/" + path.lstrip("\t\n\x00 "))


@given(st.text(max_size=300))
def test_a_host_is_written_once_or_refused(host):
    once = canonical_host(host)
    assert once is None or canonical_host(once) == once

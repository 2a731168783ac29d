"""What belongs together."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.base.terms import Evidence
from mediacrawl.frontier import FrontierPolicy
from mediacrawl.frontier.stores import open_store
from mediacrawl.priority import Scores
from mediacrawl.scope.candidates import candidate
from mediacrawl.scope.gate import ExtensionFilter
from mediacrawl.scope.urls import MEDIA_EXTENSIONS, authority_of, canonical, extension_of, host_of, referer, site_of

SITES = [
    ("https://media.radio.co.uk/a", "radio.co.uk"),
    ("http://www.tonspur.example:8080/?a=http://b.c/", "tonspur.example"),
    ("WWW.Archive.ORG.", "archive.org"),
    ("one.github.io", "one.github.io"),
    ("two.one.github.io", "one.github.io"),
    ("github.io", "github.io"),
    ("co.uk", "co.uk"),
    ("127.0.0.1", "127.0.0.1"),
    ("http://127.0.0.1:8000/x", "127.0.0.1"),
    ("http://[2001:db8::1]:8000/x", "2001:db8::/64"),
    ("http://[2001:DB8:0:0:ffff::2]/", "2001:db8::/64"),
    ("[2001:db8:0:1::1]", "2001:db8:0:1::/64"),
    ("[::1]", "[::1]"),
    ("[fd00::1]", "[fd00::1]"),
    ("[fe80::1]", "[fe80::1]"),
    ("[::ffff:192.0.2.7]", "[::ffff:c000:207]"),
    ("localhost", "localhost"),
    ("http://intranet/x", "intranet"),
    ("demo.site.localhost", "site.localhost"),
    ("bücher.example", "xn--bcher-kva.example"),
    ("a.b.xn--p1ai", "b.xn--p1ai"),
    ("", ""),
]


@pytest.mark.parametrize(("name", "site"), SITES)
def test_a_site_is_what_one_owner_can_register(name, site):
    assert site_of(name) == site


@given(st.text(max_size=80))
def test_anything_has_a_site(name):
    assert isinstance(site_of(name), str)


@given(st.sampled_from(["a.b.co.uk", "x.example", "www.museum", "1.2.3.4", "[::1]", "[2001:db8::5]", "k.github.io"]))
def test_a_site_is_its_own_site(name):
    assert site_of(site_of(name)) == site_of(name)


def test_the_addresses_of_one_network_are_asked_one_at_a_time():
    urls = [f"http://[2001:db8::{number:x}]/" for number in range(1, 100)] + ["http://[2001:db8:0:1::1]/"]
    frontier = open_store("memory", None, FrontierPolicy(), 1_000.0)
    frontier.add(candidate(url, Evidence(), Scores()) for url in urls)
    assert sorted(lease.site for lease in frontier.take(1_000.0, 50)) == ["2001:db8:0:1::/64", "2001:db8::/64"]
    assert frontier.take(1_000.0, 50) == []


def test_host_and_authority_are_cut_out_of_a_url():
    url = "https://user@site.example:8080/a?b=//c"
    assert host_of(url) == "site.example"
    assert host_of("https://[::1]:80/") == "[::1]"
    assert host_of("https://site.example?b") == "site.example"
    assert authority_of(canonical(url)) == "https://site.example:8080"
    assert authority_of("http://[::1]:81/") == "http://[::1]:81"


@pytest.mark.parametrize(
    ("url", "extension"),
    [
        ("https://site.example/", ""),
        ("https://site.example/a.b/c", ""),
        ("https://site.example/a/song.MP3?x=y.jpg", "mp3"),
        ("https://site.example/song.mp3;v=1.2", "mp3"),
        ("https://site.example/a.tar.gz", "gz"),
        ("https://site.example/.hidden", "hidden"),
        ("https://site.example/a.", ""),
    ],
)
def test_the_extension_is_that_of_the_path(url, extension):
    assert extension_of(url) == extension


def test_media_are_never_refused_whatever_the_list_says(tmp_path):
    path = tmp_path / "extensions.txt"
    path.write_text("# pictures\n.JPG png  # both\nmp3\n\n", "utf-8")
    refusing = ExtensionFilter.load(path)
    assert refusing.refused == {"jpg", "png"}
    assert refusing.refuses("https://site.example/a.JPG")
    assert not refusing.refuses("https://site.example/a.mp3")
    assert not refusing.refuses("https://site.example/jpg")


@pytest.mark.parametrize("word", ["*.pdf", "image/png", "tar.gz", "jpg,png", "..."])
def test_a_word_that_would_refuse_nothing_is_told_with_its_line(tmp_path, word):
    path = tmp_path / "extensions.txt"
    path.write_text(f"# pictures\njpg {word}\n", "utf-8")
    with pytest.raises(ValueError, match=rf"^extensions.txt:2: '{re.escape(word)}' is no extension; write"):
        ExtensionFilter.load(path)


def test_files_that_can_be_read_are_media():
    names = "amr awb 3ga au snd caf dsf dff w64 rf64 tak ofr latm loas adts adif eac3 MP3 Aiff"
    for extension in names.split():
        assert extension_of(f"https://site.example/a.{extension}?b=c.html") in MEDIA_EXTENSIONS, extension


def test_the_list_that_comes_with_it_refuses_neither_pages_nor_media_nor_feeds(exclusions):
    refusing = ExtensionFilter.load(exclusions / "extensions.txt")
    assert {"jpg", "zip", "pdf", "css", "exe"} <= refusing.refused
    for extension in ["", "html", "php", "xml", "rss", "txt", "asp", *MEDIA_EXTENSIONS]:
        assert not refusing.refuses(f"https://site.example/a.{extension}"), extension
    assert not refusing.refuses("https://site.example/sitemap.xml.gz")
    assert not refusing.refuses("https://site.example/feed.json?page=2")
    assert not refusing.refuses("https://site.example/blog/audio-Feed.json")
    assert refusing.refuses("https://site.example/feed/data.json?feed=1")
    assert refusing.refuses("https://site.example/feed.csv")


@pytest.mark.parametrize(("name", "refused"), [("x/Node.js", 0), ("x/a.min.js", 1), ("x/a-1.2.dll", 1), ("x/a.run", 0)])
def test_an_ending_of_names_refuses_what_looks_like_a_file(exclusions, name, refused):
    refusing = ExtensionFilter.load(exclusions / "extensions.txt")
    assert refusing.refuses(f"https://site.example/{name}") == bool(refused)


@pytest.mark.parametrize(
    ("page", "url", "said"),
    [
        ("https://a.example/p?q=1", "https://a.example/x.mp3", "https://a.example/p?q=1"),
        ("http://a.example:81/p", "http://a.example:81/x", "http://a.example:81/p"),
        ("http://a.example/p", "http://a.example:81/x", "http://a.example/"),
        ("https://a.example/p", "https://b.a.example/x", "https://a.example/"),
        ("http://a.example/p", "https://a.example/x", "http://a.example/"),
        ("https://a.example/p", "http://a.example/x", ""),
        ("https://a.example/p", "http://b.example/x", ""),
        ("", "https://a.example/x", ""),
        ("android-app://a", "https://a.example/x", ""),
    ],
)
def test_a_referer_is_what_browsers_send(page, url, said):
    assert referer(page, url) == said


@pytest.mark.parametrize(
    ("path", "refused"),
    [
        *(
            ("/review/greator.com", False),
            ("/docker.run", False),
            ("/details/BurnC.c", False),
            ("/wiki/Node.js", False),
        ),
        *(
            ("/tag/Vue.JS?page=2", False),
            ("/company/9to5mac.com", False),
            ("/www.site.app", False),
            ("/the.class", False),
        ),
        *(("/u/studio-54.fm.so", False), ("/artist/lua", False), ("/site/open.ai", False), ("/bands/dot.dot", False)),
        *(("/downloads/tool.run", True), ("/src/burn.c", True), ("/x/main.c", True), ("/setup.com", True)),
        *(
            ("/a/blob/master/x.PY", True),
            ("/tool-1.2.run", True),
            ("/firmware_v3.bin", True),
            ("/install.sh?x=1", True),
        ),
        *(("/lib/x.so", True), ("/js/a.js", True), ("/review/greator.exe", True), ("/docker.zip", True)),
        *(("/0.ts", True), ("/wiki/a.jpg", True), ("/file.iso", True), ("/a.jar", True)),
    ],
)
def test_an_extension_that_names_have_too_refuses_only_what_looks_like_a_file(exclusions, path, refused):
    assert ExtensionFilter.load(exclusions / "extensions.txt").refuses(f"https://site.example{path}") is refused
    assert not ExtensionFilter.load(exclusions / "extensions.txt").refuses(f"https://src.example/x/a{'.com' * 3}")

"""The URL that a request carries, by the URL Standard: the cases of the web-platform-tests, and charsets of pages."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.scope.urls import Base, Spelling, as_requested, canonical, host_as_requested, spelling

WPT = Path(__file__).parent.parent / "cases" / "wpt"


def rows(name):
    return [row for row in json.loads((WPT / name).read_text("utf-8")) if isinstance(row, dict)]


URLS, HOSTS = rows("urltestdata.json"), rows("toascii.json")


def target(row):
    """What a request for the URL carries: no fragment, no user and password; None if it is no http or https URL."""
    if row.get("failure") or row["protocol"] not in ("http:", "https:"):
        return None
    return f"{row['protocol']}//{row['host']}{row['pathname']}{_query(row)}"


def _query(row):
    # An empty query is told by the whole URL only.
    return row["search"] or ("?" if row["href"].partition("#")[0].endswith("?") else "")


def test_urls_are_read_as_browsers_read_them():
    read = [(row["input"], row["base"], as_requested(row["input"], row["base"] or "")) for row in URLS]
    assert read == [(row["input"], row["base"], target(row)) for row in URLS]


def test_hosts_are_read_as_browsers_read_them():
    read = [(row["input"], host_as_requested(row["input"])) for row in HOSTS]
    assert read == [(row["input"], row["output"]) for row in HOSTS]


def test_most_cases_are_of_http_and_https():
    assert sum(target(row) is not None for row in URLS) > 200


@pytest.mark.parametrize(
    "query",
    ["acceptancetest", "w=//833069", "b=1&a=2", "a=1&&b=2&", "", "q=%7e%2f", "a=b=c", "q=(x)", "x+y=a%20b", "&"],
)
def test_a_query_goes_out_as_it_was_written(query):
    assert Base("http://site.example/x").resolve(f"wiki?{query}").requested == f"http://site.example/wiki?{query}"


@pytest.mark.parametrize(
    ("href", "charset", "requested"),
    [
        ("?q=Привет", "cp1251", "?q=%CF%F0%E8%E2%E5%F2"),
        ("?q=Привет", "utf-8", "?q=%D0%9F%D1%80%D0%B8%D0%B2%D0%B5%D1%82"),
        # "The query percent-encode set": octets of ASCII stay, also those that are the second of a character.
        ("?q=表", "cp932", "?q=%95\\"),
        ("?q=日本", "iso2022_jp", "?q=%1B$BF|K\\%1B(B"),
        ("?q=ж☃", "cp1251", "?q=%E6%26%239731%3B"),
        ("?q=ж&r='\"<", "cp1251", "?q=%E6&r=%27%22%3C"),
        ("/ж?q=ж#ж", "cp1251", "/%D0%B6?q=%E6"),
        ("?q=ж", "utf-16-le", "?q=%D0%B6"),
        ("?q=ж", "no-such-charset", "?q=%D0%B6"),
    ],
)
def test_a_query_is_encoded_with_the_charset_of_its_page(href, charset, requested):
    base = Base("http://site.example/", charset=charset)
    assert base.resolve(href).requested == "http://site.example/" + requested.removeprefix("/")


def test_references_are_relative_to_the_url_that_was_requested():
    base = Base("http://site.example/a%2fb/c?z&y")
    assert base.resolve("d") == Spelling("http://site.example/a%2Fb/d", "http://site.example/a%2fb/d")
    assert base.resolve("") == Spelling("http://site.example/a%2Fb/c?y=&z=", "http://site.example/a%2fb/c?z&y")
    assert base.resolve("?x") == Spelling("http://site.example/a%2Fb/c?x=", "http://site.example/a%2fb/c?x")
    assert base.resolve("/e") == Spelling("http://site.example/e", "http://site.example/e")
    assert Base("http://site.example./").resolve("/e") == Spelling("http://site.example/e", "http://site.example./e")


ALPHABET = "abX09.-_~!$&'()*+,;=:@/?#%[]|\\ \t\n\x00\x7f\"<>{}^`üß。ж\ud800"
CHARSETS = st.sampled_from(["utf-8", "cp1251", "cp932", "iso2022_jp", "gb18030", "utf-16-le"])


@given(st.text(ALPHABET, max_size=40), CHARSETS, st.sampled_from(["http://a.example/b/c?d", "https://a.example/%7e/"]))
def test_what_is_requested_is_ascii_stays_as_it_is_and_has_one_key(href, charset, base):
    found = Base(base, charset=charset).resolve(href)
    if found is None:
        return
    assert found.requested.isascii()
    assert found.requested.isprintable()
    assert as_requested(found.requested) == found.requested
    assert spelling(found.requested) == found
    assert canonical(found.key) == found.key

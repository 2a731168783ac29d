"""NeverCrawl: what an entry covers."""

import ipaddress
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.scope import NeverCrawl, NeverCrawlError, canonical
from mediacrawl.scope.exclusions.never import (
    Exclusion,
    KeyIndex,
    ListContent,
    beginnings,
    comparable,
    read_line,
    suffix_keys,
)
from mediacrawl.scope.urls import canonical_host, public_suffixes


@pytest.fixture
def never():
    return NeverCrawl.of("forbidden.example # asked us", "Bücher.example")


@pytest.mark.parametrize(
    "host",
    [
        "forbidden.example",
        "www.forbidden.example",
        "a.b.c.forbidden.example",
        "WWW.Forbidden.Example.",
        "bücher.example",
        "xn--bcher-kva.example",
        "shop.BÜCHER.example",
    ],
)
def test_a_domain_covers_itself_and_what_is_below(never, host):
    assert never.match(host) is not None


@pytest.mark.parametrize("host", ["example", "notforbidden.example", "forbidden.example.org", "", "[::1]"])
def test_it_covers_nothing_else(never, host):
    assert never.match(host) is None


@pytest.mark.parametrize(
    ("line", "host"),
    [
        ("*.a.example", "b.a.example"),
        (".a.example", "a.example"),
        ("http://a.example/", "a.example"),
        ("a.example//", "a.example"),
        ("a.example/*", "a.example"),
        ("a.example/./x/..", "a.example"),
        ("\ta.example \t", "a.example"),
        ("\N{NO-BREAK SPACE}a.example\N{NO-BREAK SPACE}# why", "a.example"),
        ("xn--bcher-kva.example.", "bücher.example"),
        ("a.b.c.d.e.f.example", "g.a.b.c.d.e.f.example"),
        ("intranet", "wiki.intranet"),
        ("192.0.2.7", "192.0.2.7"),
        ("0300.0.2.7", "192.0.2.7"),
        ("2001:db8:0::7", "[2001:db8::7]"),
        ("[2001:db8::7]", "[2001:db8::7]"),
        ("192.0.2.0/24", "192.0.2.255"),
        ("192.0.2.77/24", "192.0.2.0"),
        ("192.0.2.0/255.255.255.0", "192.0.2.1"),
        ("2001:db8::/32", "[2001:db8:ffff::1]"),
        ("[2001:db8::]/32", "[2001:db8::1]"),
        ("::ffff:192.0.2.0/120", "192.0.2.9"),
        ("192.0.2.0/24", "[::ffff:192.0.2.9]"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
    ],
)
def test_people_write_entries_in_many_ways(line, host):
    assert NeverCrawl.of(line).match(host)


@pytest.mark.parametrize(
    ("line", "host"), [("2.7", "192.0.2.7"), ("192.0.2.0/24", "192.0.3.0"), ("192.0.2.0/32", "192.0.2.1")]
)
def test_an_address_is_matched_as_a_whole(line, host):
    assert NeverCrawl.of(line).match(host) is None


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("0.0.0.0 ads.example", "is a line of a hosts file; write only the name"),
        ("::1 ads.example ads2.example", "is a line of a hosts file; write only the name"),
        ("a.example b.example", "has more than one word"),
        ("a.example/view?id=7", "has a query"),
        ("a.example:8080", "has a port"),
        ("[::1]:80/x", "has a port"),
        ("a.example/x*/y", "has a star"),
        ("b\ufffdcher.example", "is not written in UTF-8"),
        ("192.0.2.0/33x/", None),
        ("192.0.2.0/33", "is no network"),
        ("192.0.2.0/24/", "is no network"),
        ("10.0.0/8", "is no network"),
        ("192.0.02.0/24", "is no network"),
        ("[2001:db8::]/129", "is no network"),
        ("a@b.example", "is no domain, address or network"),
        ("-a.example", "is no domain, address or network"),
        ("10.0.0.0.0/8", "is no domain, address or network"),
        ("/private", "is no domain, address or network"),
    ],
)
def test_what_is_no_entry_is_told_with_what_to_do(line, said):
    read = read_line(line)
    assert isinstance(read, Exclusion) if said is None else (isinstance(read, str) and said in read)


@pytest.mark.parametrize(
    ("comment", "reason", "date"),
    [
        ("asked by mail, 2026-11-02", "asked by mail", "2026-11-02"),
        ("2026-11-02, asked by mail", "asked by mail", "2026-11-02"),
        ("2026-11-02", "", "2026-11-02"),
        ("asked by mail (2026-11-02)", "asked by mail", "2026-11-02"),
        ("asked on 2026-11-02 by mail", "asked on 2026-11-02 by mail", "2026-11-02"),
        ("mail of 2025-01-31, 2026-11-02", "mail of 2025-01-31", "2026-11-02"),
        ("ticket 2026-13-77", "ticket 2026-13-77", None),
        ("ticket 12026-11-021", "ticket 12026-11-021", None),
        ("asked us # twice", "asked us # twice", None),
        ("", "", None),
    ],
)
def test_the_comment_tells_why_and_when(comment, reason, date):
    entry = NeverCrawl.of(f"a.example  # {comment}").match("www.a.example")
    assert (entry.domain, entry.reason, entry.date, entry.where) == ("a.example", reason, date, "list:2")


@given(
    st.text(st.characters(exclude_categories=()), max_size=30),
    st.text(st.characters(exclude_categories=()), max_size=30),
)
def test_any_host_and_any_url_has_an_answer(host, path):
    never = NeverCrawl.of("a.example", "b.example/x", "10.0.0.0/8")
    assert never.match(host) in {None, *never.entries()}
    assert never.match_url(f"http://{host}/{path}") in {None, *never.entries()}
    assert never.match_url(f"http://b.example/x/{path.replace('..', '')}")
    assert never.match_address(host) is None or "10." in host


# -- paths -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "entry", ["a.example/private", "a.example/private/", "http://*.A.example/Private/*", "a.example//%70rivate/"]
)
@pytest.mark.parametrize(
    "url",
    [
        "http://a.example/private",
        "https://a.example/private/",
        "http://a.example:8080/private/x/y",
        "http://www.a.example/private?x=1",
        "http://a.example/%70rivate/",
        "http://a.example/%50RIVATE",
        "http://a.example//private",
        "http://a.example/./private",
        "http://a.example/x/../private/y",
        "http://a.example/x/%2e%2e/private/y",
        "http://a.example/%2Fprivate%2Fy",
        "http://a.example/x%5c..%5cprivate",
        "http://a.example/private;v=1/x",
        "http://a.example/private/..%2fpublic",
    ],
)
def test_a_path_covers_what_is_below_it_however_it_is_written(entry, url):
    never = NeverCrawl.of(entry)
    assert never.match_url(canonical(url)).covers == "a.example/private"
    assert never.match_url(url)
    assert never.match("a.example") is None


@pytest.mark.parametrize(
    "url",
    [
        "http://a.example/",
        "http://a.example/privateer",
        "http://a.example/private.html",
        "http://a.example/public/private",
        "http://a.example/public?x=/private/",
        "http://b.example/private/",
        "http://nota.example/private/",
        "http://a.example/%2570rivate/",
    ],
)
def test_a_path_covers_whole_segments_and_nothing_else(url):
    assert NeverCrawl.of("a.example/private/").match_url(canonical(url)) is None


def test_of_several_entries_each_counts_for_itself():
    never = NeverCrawl.of(
        "a.example/x/y", "b.a.example/z", "192.0.2.7/x", "[2001:db8::7]/x", "c.example", "a.example/;p"
    )
    covered = {
        "http://a.example/x/y": "a.example/x/y",
        "http://b.a.example/x/y/z": "a.example/x/y",
        "http://b.a.example/z": "b.a.example/z",
        "http://a.example/z": None,
        "http://a.example/x": None,
        "http://192.0.2.7/x/": "192.0.2.7/x",
        "http://192.0.2.7/": None,
        "http://[2001:db8::7]/x": "[2001:db8::7]/x",
        "http://c.example/anything": "c.example",
        "http://a.example/;p/1": "a.example/;p",
    }
    found = {url: never.match_url(url) for url in covered}
    assert {url: entry and entry.covers for url, entry in found.items()} == covered


def test_a_url_of_any_length_is_answered_quickly_whatever_it_is_made_of():
    never = NeverCrawl.of("a.example/" + "x/" * 20)
    assert never.match_url("http://a.example/" + "y;/../" * 20_000) is None
    assert never.match_url("http://a.example/" + "x/" * 50_000)


SEGMENT = st.text("aB%2F.;~ü_- ", min_size=1, max_size=6).map(lambda text: quote(text, safe=""))
PATH = st.lists(SEGMENT, max_size=4).map("/".join)


@given(PATH, PATH)
def test_an_entry_covers_its_own_path_and_all_below_it(path, below):
    read = read_line(f"a.example/{path}")
    assert isinstance(read, Exclusion)
    never = NeverCrawl.of(f"a.example/{path}")
    for url in (f"http://a.example/{path}", f"http://a.example/{path}/{below}", f"http://b.a.example//{path}?q"):
        assert ".." in url or "%2E%2E" in url or never.match_url(canonical(url) or url) is not None


@given(PATH)
def test_the_comparable_form_is_the_last_of_its_own_beginnings(path):
    form = comparable(path)
    assert comparable(quote(form, errors="surrogateescape")) == form
    assert not form or form in set(beginnings(quote(form, errors="surrogateescape"), 99))


# -- addresses ---------------------------------------------------------------------------------------------------

V4 = st.ip_addresses(v=4)
V6 = st.ip_addresses(v=6)


@given(st.lists(st.tuples(V4, st.integers(0, 32)), max_size=5), V4)
def test_networks_of_ipv4_cover_what_the_standard_library_says(pairs, address):
    networks = [ipaddress.ip_network((int(net), length), strict=False) for net, length in pairs]
    never = NeverCrawl.of(*map(str, networks))
    covered = any(address in network for network in networks)
    assert (never.match_address(str(address)) is not None) == covered
    assert (never.match_address(f"::ffff:{address}") is not None) == covered
    assert all(never.match_address(str(network[-1])) for network in networks)


@given(V6, st.integers(0, 128), V6)
def test_networks_of_ipv6_cover_what_the_standard_library_says(net, length, address):
    network = ipaddress.IPv6Network((int(net), length), strict=False)
    never = NeverCrawl.of(str(network))
    mapped = address.ipv4_mapped
    assert mapped is not None or (never.match_address(f"[{address}]") is not None) == (address in network)


def test_the_address_that_a_name_leads_to_is_asked_about_in_any_form():
    never = NeverCrawl.of("fe80::/10", "192.0.2.7", "192.0.2.0/28", "192.0.0.0/16")
    assert never.match_address("fe80::1%eth0").domain == "fe80::/10"
    assert never.match_address("192.0.2.7").domain == "192.0.2.7"
    assert never.match_address("192.0.2.8").domain == "192.0.2.0/28"
    assert never.match_address("192.0.9.9").domain == "192.0.0.0/16"
    assert [never.match_address(text) for text in ("", "a.example", "1.2.3", "192.1.0.0", "::1")] == [None] * 5


# -- what makes another entry superfluous ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("domain", "path", "by"),
    [
        ("www.a.example", "", "a.example"),
        ("a.example", "/x", "a.example"),
        ("www.b.example", "/x/ü/y", "b.example/x/ü"),
        ("b.example", "/x", None),
        ("b.example", "", None),
        ("192.0.2.0/25", "", "192.0.2.0/24"),
        ("192.0.2.0/23", "", None),
        ("192.0.2.9", "", "192.0.2.0/24"),
    ],
)
def test_an_entry_makes_those_superfluous_that_it_covers(domain, path, by):
    entry = NeverCrawl.of("a.example", "b.example/x/%C3%BC", "192.0.2.0/24").covers(domain, path)
    assert (entry and entry.covers) == by


# -- the text ----------------------------------------------------------------------------------------------------


def test_a_bad_line_is_reported_and_the_others_count():
    content = ListContent.of(b"a.example\r\n10.0.0/8 x\nb.example\n\xff\xfe.example\nc.example", "some/list")
    assert [entry.domain for entry in content.entries()] == ["a.example", "b.example", "c.example"]
    assert [line.partition(": ")[0] for line in content.bad_lines] == ["list:2", "list:4"]


@pytest.mark.parametrize(
    "data",
    [
        b"a.example\nb.example  # why\n",
        b"\xef\xbb\xbfa.example\r\nb.example\t# why\r\n",
        b"a.example\rb.example  # why\r",
        b"a.example\n\n  \t\n# x\nb.example# why",
    ],
)
def test_line_ends_byte_order_marks_and_blanks_are_those_of_any_editor(data):
    content = ListContent.of(data, "list")
    assert [entry.domain for entry in content.entries()] == ["a.example", "b.example"]
    assert [entry.reason for entry in content.entries()] == ["", "why"]
    assert content.bad_lines == []


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "empty to the byte"),
        (b"a.example\0b.example", "zero bytes"),
        ("a.example\n".encode("utf-16"), "UTF-16"),
        (b"<!doctype html>\n<p>Not found</p>\n", "no list of domains"),
        (b"<p>Not found</p>", "no list of domains"),
        (b"0.0.0.0 a.example\n0.0.0.0 b.example\n", "hosts file"),
        (bytes(range(1, 256)) * 9, "no list of domains"),
    ],
)
def test_what_is_no_list_is_refused_as_a_whole(data, said):
    with pytest.raises(NeverCrawlError, match=rf"^list .*{said}"):
        ListContent.of(data, "list")


def test_a_name_that_begins_with_a_hyphen_is_a_bad_line():
    content = ListContent.of(b"# list\n-a.example\nb.example\n", "list")
    assert ([entry.domain for entry in content.entries()], len(content)) == (["b.example"], 1)
    assert "'-a.example' is no domain" in content.bad_lines[0]


def test_many_bad_lines_are_reported_shortly():
    content = ListContent.of("\n".join(f"h{n}.example\n?{n}" for n in range(500)).encode(), "list.txt")
    assert len(content) == 500
    assert len(content.bad_lines) == 101
    assert content.bad_lines[0].startswith("list.txt:2: '?0' ")
    assert content.bad_lines[-1] == "... and 400 more bad lines."


def test_a_line_without_end_is_a_bad_line():
    content = ListContent.of(b"a.example\n" + b"x" * 1_000_000 + b"\nb.example # " + b"y" * 9_000 + b"\n", "list")
    assert [line[:9] for line in content.bad_lines] == ["list:2: '"]
    assert NeverCrawl([content]).match("b.example").domain == "b.example"


def test_of_two_lines_for_one_domain_the_first_counts():
    assert NeverCrawl.of("a.example # 1", "A.example # 2").match("a.example").reason == "1"


def test_in_a_long_list_too_public_suffixes_are_told_and_all_entries_count():
    never = NeverCrawl.of(*(f"a{number}.example" for number in range(500)), "co.uk")
    assert never.size == 501
    assert [remark.partition(" ")[2] for remark in never.remarks] == [
        "co.uk is a public suffix, and covers every site below it."
    ]
    assert all(never.match(f"www.a{number}.example") for number in range(500))
    assert never.match("b.co.uk") is not None
    assert never.match("a500.example") is None


def test_the_keys_of_public_suffixes_are_their_canonical_hosts():
    rules = [rule for rule in public_suffixes() if rule[0] not in "*!"]
    assert len(rules) > 9_000
    assert suffix_keys() == {(canonical_host(rule) or rule).encode() for rule in rules}


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("com", "com is a public suffix"),
        ("co.uk", "co.uk is a public suffix"),
        ("GitHub.io", "github.io is a public suffix"),
        ("公司.cn", "xn--55qx5d.cn is a public suffix"),
        ("0.0.0.0/4", "0.0.0.0/4 covers a large part"),
        ("2000::/3", "2000::/3 covers a large part"),
        ("example.org", None),
        ("www.ck", None),
        ("co.uk/private", None),
        ("localhost", None),
        ("10.0.0.0/8", None),
    ],
)
def test_an_entry_that_covers_more_than_an_owner_can_have_counts_and_is_told(line, said):
    never = NeverCrawl.of(line)
    assert never.size == 1
    assert [said in remark for remark in never.remarks] == ([True] if said else [])


def test_the_answer_is_the_same_in_a_list_of_thousands_of_lines():
    lines = [f"h{n}.example{n % 7}.org  # {n}" if n % 3 else f"H{n}.example.net" for n in range(3_000)]
    never = NeverCrawl([ListContent.of("\n".join(lines).encode(), "list")])
    assert [never.match(f"www.h{n}.example{n % 7}.org").where for n in (1, 257, 2_999)] == [
        "list:2",
        "list:258",
        "list:3000",
    ]
    assert [never.match(f"h{n}.example.net").where for n in (0, 2_997)] == ["list:1", "list:2998"]
    assert never.match("h3000.example4.org") is None
    assert len(list(never.entries())) == never.size == 3_000


LINES = st.lists(
    st.sampled_from(["a.example", "B.example # x", "c.example/p", "10.0.0.0/8", "# no", "", "?", "x y", "ü.example"])
    | st.text(max_size=20),
    max_size=12,
)


@given(LINES, st.sampled_from(["\n", "\r\n"]))
def test_every_line_is_an_entry_or_nothing_or_told(lines, end):
    """And each entry is found again, at its line."""
    lines = [line for text in ["a.example", *lines] for line in text.replace("\0", " ").replace("\r", " ").split("\n")]
    read = [read_line(line.encode("utf-8", "replace").decode()) for line in lines]
    good = [line for line in read if isinstance(line, Exclusion)]
    try:
        content = ListContent.of(end.join(lines).encode("utf-8", "replace"), "list")
    except NeverCrawlError:
        assert sum(isinstance(line, str) for line in read) > len(good)
        return
    assert len(content) == len(good)
    assert len(content.bad_lines) == sum(isinstance(line, str) for line in read)
    for line in good:
        assert read[content.find(line.key).line - 1].key == line.key


@given(st.binary(max_size=200))
def test_any_bytes_are_a_list_or_refused(data):
    try:
        content = ListContent.of(data, "list")
    except NeverCrawlError:
        return
    never = NeverCrawl([content])
    assert never.match("a.example") in {None, *never.entries()}


@given(st.lists(st.binary(min_size=1, max_size=3), max_size=40), st.binary(max_size=3))
def test_the_index_gives_every_place_of_a_key_in_order(keys, other):
    index = KeyIndex()
    for place, key in enumerate(keys):
        index.add(key, place)
    for _ in index.sort():
        pass
    for key in {*keys, other}:
        assert index.places(key) == [place for place, each in enumerate(keys) if each == key]


def test_the_list_that_comes_with_it_is_good(exclusions):
    never = NeverCrawl.load(exclusions / "NeverCrawl.txt")
    assert never.bad_lines == never.remarks == []
    assert never.match("www.nevercrawl.example")

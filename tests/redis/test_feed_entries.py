"""What an entry of start_urls says, and what it may not say."""

import io
import json
import pickle
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.base.terms import Candidate, Drop, Evidence, Kind
from mediacrawl.frontier.export import json_line
from mediacrawl.frontier.redis.start_urls import _KNOWN, LONGEST, StartUrlEntry, Unreadable, read_entry
from mediacrawl.priority.links import Scores
from mediacrawl.scope import Scope
from mediacrawl.scope.candidates import candidate_of_entry
from mediacrawl.scope.gate import ContactScope

URL = "https://site.example/a.mp3"
ANYWHERE = ContactScope(anonymous=False, nowhere=False)
NUMBERS = st.integers() | st.floats() | st.integers(1, 4_299).map(lambda digits: -(10**digits))
JSON = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.text(max_size=20) | st.characters(categories=["Cs"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3),
    max_leaves=6,
)
FIELDS = st.sampled_from([
    *("url", "kind", "depth", "hops", "parent", "page_url", "score", "method", "via", "anchor", "title", "page_title"),
    *("feed_url", "guid", "requested_url", "page_language", "page_charset", "facts", "path", "site", "meta"),
    "formdata",
])  # fmt: skip
DEEP = b"[" * 900 + b"]" * 900
ODD = [
    *(b"1e400", b"-1e400", b"NaN", b"-Infinity", b"9" * 400, b"-" + b"9" * 4_300, b"0.5"),
    *(b"true", b"null", b"[]", b"{}"),
    *(b'"\\ud800"', b'"\\u0000"', b'"%s"' % (b"x" * 60_000), DEEP, b'{"a":' * 450 + b"1" + b"}" * 450),
]
"""JSON values that a field may hold: numbers without bounds, other types, halves of pairs, long and nested ones."""


def entry_of(**fields):
    return read_entry(json.dumps({"url": URL, **fields}).encode())


def join(entry, scope=None, reach=ANYWHERE):
    return candidate_of_entry(entry, scope or Scope(today=lambda: date(2026, 1, 1)), reach, Scores())


@pytest.mark.parametrize("raw", [b"https://site.example/", b"  https://site.example/\r\n", b"\xef\xbb\xbfsite.example"])
def test_an_entry_is_a_url_or_a_domain(raw):
    assert join(read_entry(raw)).url == "https://site.example/"


def test_what_an_object_knows_of_its_url_comes_to_the_record():
    entry = entry_of(kind="media", title="Title", page_url="http://site.example/page", guid="7", score=0.25)
    found = join(entry)
    assert found.url == URL
    assert found.kind is Kind.MEDIA
    assert found.parent == "http://site.example/page"
    assert found.evidence == Evidence("seed", "Title", guid="7")
    assert found.score == 0.25
    assert entry.passed_over == ()


def test_a_line_of_an_exported_frontier_joins_as_it_was():
    evidence = Evidence("enclosure", "Title", "Page", "https://site.example/feed", "7", page_language="de", path="li/a")
    exported = Candidate(URL, "site.example", "audio", Kind.MEDIA, 3, 1, "https://site.example/", 0.5, evidence)
    entry = read_entry(json_line(exported).encode())
    found = join(entry)
    assert entry.passed_over == ()
    assert found.link_class != "audio"
    found.link_class = "audio"
    assert found == exported


@pytest.mark.parametrize("field", ["meta", "formdata", "headers", "cookies", "callback", "dont_filter", "proxy"])
def test_how_to_ask_is_not_for_an_entry_to_say(field):
    entry = entry_of(**{field: {"proxy": "http://evil.example"}})
    assert entry == StartUrlEntry(URL, passed_over=(field,))


@pytest.mark.parametrize("method", ["POST", "put", "DELETE", 7, {"a": 1}])
def test_only_get_is_asked(method):
    assert entry_of(method=method) is Unreadable.METHOD
    assert entry_of(method="get") == entry_of(method=None) == entry_of()


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (pickle.dumps({"url": URL}), Unreadable.NOT_TEXT),
        (b"https://site.example/\xff", Unreadable.NOT_TEXT),
        (b"https://site.example/\0", Unreadable.NOT_TEXT),
        (b"x" * (LONGEST + 1), Unreadable.TOO_LONG),
        (b"{", Unreadable.BAD_JSON),
        (b"{}", Unreadable.BAD_JSON),
        (b'{"url": 7}', Unreadable.BAD_JSON),
        (b'{"url": {"url": "https://site.example/"}}', Unreadable.BAD_JSON),
        (b'{"a":' * 5000, Unreadable.BAD_JSON),
        (b'{"url": "https://site.example/", "depth": ' + b"9" * 5000 + b"}", Unreadable.BAD_JSON),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_reason(raw, reason):
    assert read_entry(raw) is reason


def test_a_pickle_in_letters_is_no_url_either():
    written = io.BytesIO()
    pickle.Pickler(written, protocol=0).dump([print])
    assert join(read_entry(written.getvalue())) is Drop.BAD_URL


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("", Drop.BAD_URL),
        ("no url at all", Drop.BAD_URL),
        ("https://a.example/\nhttps://b.example/", Drop.BAD_URL),
        ("[1]", Drop.BAD_URL),
        ("file:///etc/passwd", Drop.SCHEME),
        ("redis://localhost/0", Drop.SCHEME),
        ("javascript:alert(1)", Drop.BAD_URL),
        ("https://site.example/" + "x" * 3000, Drop.LENGTH),
        ("https://site.example/" + "x" * 30000, Drop.LENGTH),
        ("https://site.example/a/a/a/a/a/", Drop.TRAP_REPEAT),
    ],
)
def test_what_may_not_join_is_refused_with_its_reason(url, reason):
    assert join(StartUrlEntry(url)) is reason


def test_an_entry_widens_no_borders():
    scope = Scope(today=lambda: date(2026, 1, 1), only_sites=["site.example"])
    assert join(StartUrlEntry(URL), scope).url == URL
    assert join(StartUrlEntry("https://other.example/"), scope) is Drop.OFFSITE
    assert join(StartUrlEntry("https://other.example/", parent=URL), scope) is Drop.OFFSITE


def test_a_crawl_whose_contact_leads_nowhere_goes_nowhere():
    nowhere = ContactScope.of("http://localhost/contact", {}, anonymous=False)
    assert join(StartUrlEntry("https://www.iana.org/"), reach=nowhere) is Drop.PLACEHOLDER_CONTACT
    assert join(StartUrlEntry("http://127.0.0.1:8000/"), reach=nowhere).url == "http://127.0.0.1:8000/"


@given(st.dictionaries(FIELDS, JSON, max_size=6), st.text(max_size=40) | st.just(URL))
def test_no_object_breaks_the_reader_or_exceeds_the_limits_of_a_record(fields, url):
    entry = read_entry(json.dumps({**fields, "url": url}).encode())
    if isinstance(entry, Unreadable):
        assert entry is Unreadable.METHOD
        return
    found = join(entry)
    if isinstance(found, Drop):
        return
    evidence = found.evidence
    assert max(map(len, (evidence.anchor, evidence.page_title, evidence.guid, evidence.via))) <= 200
    assert 0 <= found.score <= 1
    json_line(found).encode()


@pytest.mark.parametrize("value", ODD, ids=lambda value: value[:12].decode())
def test_no_value_of_any_field_breaks_the_reader(value):
    for name in sorted(_KNOWN - {"url"}):
        entry = read_entry(b'{"url": "%s", "%s": %s}' % (URL.encode(), name.encode(), value))
        if entry is Unreadable.METHOD:
            continue
        found = join(entry)
        assert found.url == URL
        assert 0 <= found.score <= 1
        assert type(found.depth) is type(found.hops) is int
        json_line(found).encode()


@pytest.mark.parametrize(("written", "score"), [("9" * 400, 1.0), ("-" + "9" * 400, 0.0), ("7", 1.0), ("1e400", None)])
def test_a_score_without_bounds_is_cut_to_the_range(written, score):
    assert read_entry(f'{{"url": "{URL}", "score": {written}}}'.encode()).score == score


@given(st.binary(max_size=60))
def test_no_bytes_break_the_reader(raw):
    entry = read_entry(raw)
    assert isinstance(entry, Unreadable) or isinstance(join(entry), Candidate | Drop)

"""Session ids in URLs."""

import string
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mediacrawl.settings
from mediacrawl.frontier.seen import RecentUrls
from mediacrawl.scope import Scope, Spelling, canonical
from mediacrawl.scope.gate import SESSION_NAMES, SessionIds

SITE = "https://site.example"
ID = "0123456789abcdef0123456789abcdef"
sessions = SessionIds()


@pytest.mark.parametrize(
    ("path", "plain"),
    [
        (f"/a?PHPSESSID={ID}", "/a"),
        (f"/a?phpsessid={ID}&x=1", "/a?x=1"),
        (f"/a?b=2&sid={ID}&x=1", "/a?b=2&x=1"),
        (f"/a;jsessionid={ID.upper()}", "/a"),
        (f"/a;jsessionid={ID}.node1?x=1", "/a?x=1"),
        (f"/a;jsessionid={ID}!-1204/b.html", "/a/b.html"),
        ("/(S(55mfgh55vgblurtywsityvjq))/a.aspx", "/a.aspx"),
        ("/app/(A(55mfgh55vgblurtywsityvjqaa)S(55mfgh55vgblurtywsityvjq))/a.aspx", "/app/a.aspx"),
        ("/(55mfgh55vgblurtywsityvjq)/a.aspx", "/a.aspx"),
        ("/a.cfm?CFID=1043&CFTOKEN=9d2d1e5a-8f3b&id=7", "/a.cfm?id=7"),
        (f"/a?amp%3BPHPSESSID={ID}&amp%3Bsid=1&x=1", "/a?amp%3Bsid=1&x=1"),
        (f"/a?osCsid={ID[:26]}", "/a"),
    ],
)
def test_a_session_id_is_taken_out(path, plain):
    assert sessions.without(SITE + path) == SITE + plain


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/a?sid=12",
        "/a?sid=1234567890123456",
        "/a?sid=550e8400-e29b-41d4-a716-446655440000",
        "/a?sid=anightonthebaremountain",
        f"/a?song={ID}",
        f"/a?mysid={ID}",
        f"/a?id={ID}",
        f"/sid={ID}/a",
        "/song_(live)/a",
        "/(live)/a;v=1",
        "/wiki/Nocturne_(Chopin)",
        "/a?PHPSESSID=",
        "/a?CFID=home",
        f"/{ID}?",
    ],
)
def test_what_may_name_a_page_stays(path):
    assert sessions.without(SITE + path) == SITE + path


def test_variants_of_a_link_are_one_link_and_counted():
    gate = Scope(today=lambda: date(2026, 11, 21))
    hrefs = [f"/a?sid={ID}", f"/a?PHPSESSID={ID}", "/a", f"/b;jsessionid={ID}"]
    recent = RecentUrls()
    recent.add(f"{SITE}/b")
    accepted, drops = gate.sift(f"{SITE}/?sid={ID}", hrefs, known=recent)
    assert accepted == [(0, Spelling(f"{SITE}/a", f"{SITE}/a"))]
    assert drops == {"session": 2}


def test_without_names_all_stays():
    none = SessionIds(())
    for path in (f"/a?PHPSESSID={ID}", "/(S(55mfgh55vgblurtywsityvjq))/a"):
        assert none.without(SITE + path) == SITE + path


def test_the_setting_names_what_is_known():
    assert tuple(mediacrawl.settings.SCOPE_SESSION_NAMES) == SESSION_NAMES


@given(st.text(string.ascii_letters + string.digits + "/?&;=()._-", max_size=90))
def test_what_is_left_is_canonical_and_has_no_session_id(path):
    url = canonical(f"{SITE}/{path}")
    plain = sessions.without(url)
    assert plain.startswith(SITE + "/")
    assert len(plain) <= len(url)
    assert canonical(plain) == plain

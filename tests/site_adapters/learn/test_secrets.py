"""No constant of an adapter is a secret: by its name, or by its shape."""

import pytest
from hand_made import entry, media, page, recording

from mediacrawl.site_adapters.learn.learning import learn
from mediacrawl.site_adapters.learn.secrets import (
    header_kind,
    is_account,
    kind_of,
    random_parts,
    secret_in,
    secret_kind,
)

GITHUB = "ghp_" + "0a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R"
CARD, IBAN = "4111 1111 1111 1111", "DE89 3704 0044 0532 0130 00"
RANDOM = "9f8e7d6c5b4a39281706f5e4d3c2b1a0"


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        *((each, "token") for each in ("token", "access_token", "accessToken", "accesstoken", "_token", "token2")),
        *((each, "session") for each in ("session", "sid", "userSID", "PHPSESSID", "session_id")),
        *((each, "password") for each in ("password", "user[password]", "pwd", "client_secret")),
        *((each, "api_key") for each in ("api_key", "apiKey", "X-API-Key", "AWSAccessKeyId")),
        *((each, "signature") for each in ("signature", "X-Amz-Signature", "sig", "hdnts")),
        *((each, "csrf") for each in ("csrf-token", "__RequestVerificationToken", "_wpnonce")),
        ("user-jwt", "jwt"),
        ("auth", "authorization"),
        ("X-Amz-Credential", "authorization"),
        *((each, "") for each in ("id", "v", "key", "hash", "uuid", "code", "author", "inside", "design", "tokens")),
        *((each, "") for each in ("token_type", "auth_url", "nextPageToken", "continuationToken", "", "x" * 101)),
    ],
)
def test_names_of_secrets_are_known_in_each_spelling(name, kind):
    assert secret_kind(name) == kind


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("Cookie", "cookie"),
        ("Authorization", "authorization"),
        ("Api-Auth", "authorization"),
        ("X-CSRFToken", "csrf"),
        ("X-Api-Key", "api_key"),
        ("Accept", ""),
    ],
)
def test_headers_of_secrets(name, kind):
    assert header_kind(name) == kind


@pytest.mark.parametrize(
    ("name", "value", "kind"),
    [
        ("key", "AIzaSyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q", "api_key"),
        ("k", GITHUB, "api_key"),
        ("k", "sk_live_4eC39HqLyjWDarjtT1zdp7dc", "api_key"),
        ("k", "AKIAIOSFODNN7EXAMPLE", "api_key"),
        ("q", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmN", "jwt"),
        ("q", "Bearer abcdef123", "authorization"),
        ("code", "4/0AX4XfWh2kq8", "authorization"),
        ("code", "pl", ""),
        ("Policy", "eyJTdGF0ZW1lbnQiOlt7IlJlc291cmNlIjoi2", "signature"),
        ("policy", "free", ""),
        ("Key-Pair-Id", "K2JCJMDEHXQW5F", "signature"),
        ("user_id", "8123", "account"),
        ("token", "null", ""),
        ("id", "dQw4w9WgXcQ", ""),
        ("t", "1795682000123", ""),
        ("date", "2026-11-28", ""),
        ("lang", "de-DE", ""),
    ],
)
def test_parameters_are_judged_by_name_and_shape(name, value, kind):
    assert kind_of(name, value) == kind


@pytest.mark.parametrize("value", ["jane.doe@mail.example", CARD, CARD.replace(" ", ""), IBAN, "+49 30 901820"])
def test_accounts_are_told_by_their_check_digits_and_signs(value):
    assert is_account(value)
    assert is_account(f"a:{value}")


@pytest.mark.parametrize("value", ["4111 1111 1111 1112", "5104226620001", "DE88 3704 0044 0532 0130 00", "a+1", "v@2"])
def test_other_numbers_are_none(value):
    assert not is_account(value)


@pytest.mark.parametrize("value", [RANDOM, "550e8400-e29b-41d4-a716-446655440000", "x9Kq2LmZ7tRw4VbN8sJd"])
def test_what_a_machine_made_looks_random(value):
    assert random_parts(f"a {value} b") == [value]


@pytest.mark.parametrize(
    "value",
    ["season-12-episode-3", "getVideoConfigurationV2", "1080p", "20261128T101500", "en-GB", "application-json-v3"],
)
def test_what_people_write_does_not(value):
    assert random_parts(value) == []


@pytest.mark.parametrize(
    ("written", "where"),
    [
        ({"requests": [{"url": f"https://s.example/api/{{id}}?k={GITHUB}"}]}, "api_key at $.requests[0].url"),
        ({"requests": [{"url": "https://s.example/{id}?apikey=abc"}]}, "api_key at $.requests[0].url"),
        ({"requests": [{"url": "https://s.example/token/a81b20c9/{id}"}]}, "token at $.requests[0].url"),
        ({"requests": [{"url": "https://s.example/{id};jsessionid=a81b"}]}, "session at $.requests[0].url"),
        ({"requests": [{"url": "https://s.example/jane%40mail.example/{id}"}]}, "account at $.requests[0].url"),
        ({"requests": [{"url": "u", "headers": {"X-Auth": "abc"}}]}, "authorization at $.requests[0].headers.X-Auth"),
        ({"page": {"query": {"access_token": "abc"}}}, "token at $.page.query.access_token"),
        ({"page": {"path": "/token/a81b20c9/{id}"}}, "token at $.page.path"),
        ({"page": {"path": "/{id};jsessionid=a81b"}}, "session at $.page.path"),
        ({"records": {"media": [{"json": "rss.token[0].item[0]"}]}}, ""),
        ({"slots": {"a": {"css": f"#u-{CARD}"}}}, "account at $.slots.a.css"),
        ({"requests": [{"url": "https://s.example/{id}?token={token}&code=pl"}], "learned": {"from": [GITHUB]}}, ""),
    ],
)
def test_an_adapter_is_searched_as_a_whole(written, where):
    assert secret_in(written) == where


def site(extra, html="<p>nothing</p>", query=""):
    return recording(
        *(
            page(
                f"https://s.example/film/{n}{query}",
                entry(
                    f"https://s.example/api/{n}{extra}", {"title": f"Film {n}", "file": f"https://s.example/{n}.mp4"}
                ),
                media(f"https://s.example/{n}.mp4"),
                html=html,
            )
            for n in (7_310_452, 2_946_018)
        )
    )


@pytest.mark.parametrize(
    ("extra", "name"),
    [
        (f"?k={GITHUB}", "login"),
        ("?apikey=1234abcd", "login"),
        ("?user=jane%40mail.example", "login"),
        ("?code=4%2F0AX4XfWh2kq8", "login"),
        (f"?client={RANDOM}", "unexplained"),
        (f"/{RANDOM}", "unexplained"),
        ("?Policy=eyJTdGF0ZW1lbnQ1", "signed"),
    ],
)
def test_a_constant_that_is_a_secret_is_not_learned(extra, name):
    learned = learn([site(extra)])
    assert learned.adapter is None
    assert learned.refusals[0].name == name


def test_a_build_that_stands_in_the_page_is_taken_from_there():
    html = f'<script id="__DATA__" type="application/json">{{"buildId": "{RANDOM}"}}</script>'
    learned = learn([site(f"/{RANDOM}.json", html)])
    assert learned.adapter is None or RANDOM not in repr(learned.adapter)
    learned = learn([site(f"?b={RANDOM}", html)])
    assert learned.adapter["slots"]["buildid"] == {"in": "page", "script": "__DATA__", "json": "buildId"}
    assert RANDOM not in repr(learned.adapter)


def test_a_parameter_of_the_pages_that_looks_random_is_not_in_the_pattern():
    learned = learn([site("", query=f"?from=list&h={RANDOM}")])
    assert learned.adapter["page"] == {"host": "s.example", "path": "/film/{id}", "query": {"from": "list"}}

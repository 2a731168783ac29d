"""Secrets are removed where they stand, and what only looks like one stays."""

import itertools
import json
from urllib.parse import quote

import pytest
from fuzz_growth import check_growth
from hypothesis import example, given, settings
from hypothesis import strategies as st
from long_forms import examples

from mediacrawl.site_adapters.har import cleaning
from mediacrawl.site_adapters.har import found as found_module
from mediacrawl.site_adapters.har.cleaning import (
    TooManyPlacesError,
    add_cookies,
    clean_header,
    clean_text,
    clean_url,
    note_form,
)
from mediacrawl.site_adapters.har.found import Found, TooManySecretsError
from mediacrawl.site_adapters.har.secrets import REMOVED, SECRET_KINDS

S = "s3cr3t-Value_42"
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"


def cleaned(text):
    found = Found()
    result = clean_text(text, found)
    assert set(found.counts) <= set(SECRET_KINDS)
    return result, sorted(found.counts.elements()), found.values("")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        # JSON.
        ('{"token": "@"}', "token"),
        ('{"a": {"b": [{"accessToken" : "@"}]}}', "token"),
        ('{\n  "session_id":\n    "@"\n}', "session"),
        ("{'token': '@'}", "token"),
        ('{"token":["@"]}', "token"),
        ('{"token":["other", "@"]}', "token token"),
        ('{"session":{"user":"x","id":"@"}}', "session"),
        ('{"auth": {"key": "@", "expires": 5}}', "authorization"),
        ('[{"name": "csrf_token", "value": "@"}]', "csrf"),
        ('[{"name":"q","value":"1"},{"name":"password","value":"@"}]', "password"),
        # JSON in a string of JSON, up to three times.
        (r'{"state": "{\"token\":\"@\"}"}', "token"),
        (r'{"state": "{\"a\":\"{\\\"token\\\":\\\"@\\\"}\"}"}', "token"),
        (r'"\"{\\\"a\\\": \\\"{\\\\\\\"token\\\\\\\": \\\\\\\"@\\\\\\\"}\\\"}\""', "token"),
        (r"{\u0022token\u0022:\u0022@\u0022}", "token"),
        (r'"{\\&quot;token\\&quot;:\\&quot;@\\&quot;}"', "token"),
        ("?q=%7B%5C%22token%5C%22%3A%5C%22@%5C%22%7D", "token"),
        # XML.
        ("<a><token>@</token></a>", "token"),
        ('<s:sessionId type="x">\n@</s:sessionId>', "session"),
        ("<password><![CDATA[@]]></password>", "password"),
        # Scripts.
        ("localStorage.setItem('access_token', '@')", "token"),
        ('headers.append("X-CSRF-Token","@")', "csrf"),
        ('[["token", "@"], ["a", "b"]]', "token"),
        ('var csrfToken = "@";', "csrf"),
        ("window.player.setup({apiKey:'@',autoplay:1})", "api_key"),
        ("const token=`@`", "token"),
        # HTML.
        ('<meta name="csrf-token" content="@">', "csrf"),
        ('<meta content="@" name="csrf-token"/>', "csrf"),
        ("<META NAME=csrf-token CONTENT=@>", "csrf"),
        ('<input type="hidden" name="authenticity_token" value="@" />', "csrf"),
        ('<input\n value="@"\n name="_token" type=hidden>', "token"),
        ('<input type="password" name="x1" value="@">', "password"),
        (r'{"html": "<input name=\"_token\" class=\"a\" value=\"@\">"}', "token"),
        (r'"\u003cinput name=\"_csrf\" class=\"a\" value=\"@\"\u003e"', "csrf"),
        ("<div data-token='@'>", "token"),
        ('<div data-setup=\'{"token":"@"}\'>', "token"),
        ('<div data-setup="{&quot;token&quot;:&quot;@&quot;}">', "token"),
        ('<div data-setup="{&#34;token&#34;: &#34;@&#34;}">', "token"),
        # URLs in texts.
        ('<a href="/a?b=1&token=@&c=2">', "token"),
        ('<a href="/a?b=1&amp;token=@&amp;c=2">', "token"),
        (r'{"u": "https:\/\/a.example\/b?token=@"}', "token"),
        (r'{"u": "/a?b=1\u0026token=@\u0026c=2"}', "token"),
        ("/login?next=https%3A%2F%2Fa.example%2F%3Fb%3D1%26token%3D@%26c%3D2", "token"),
        ("/login?next=%252Fa%253Ftoken%253D@%2526c", "token"),
        ("/a?filter=%7B%22token%22%3A%22@%22%7D", "token"),
        ("https://a.example/#access_token=@&x=1", "token"),
        ("https://a.example/b;jsessionid=@?c=1", "session"),
        ("https://a.example/b?X-Amz-Credential=x&X-Amz-Signature=@", "authorization signature"),
        ('<script src="https://jane:@@a.example/b.js">', "userinfo"),
        # Authorization in scripts.
        ('headers: {"Authorization": "Bearer @"}', "authorization"),
        ("fetch(u, [['x', 'Bearer @']])", "authorization"),
    ],
)
def test_a_secret_is_removed_in_each_notation(text, kind):
    result, kinds, values = cleaned(text.replace("@", S, 1) if "@a.example" in text else text.replace("@", S))
    assert S not in result
    assert REMOVED in result
    assert kinds == sorted(kind.split())
    assert any(S in value for value in values)
    # Once more finds nothing.
    assert cleaned(result)[:2] == (result, [])


def escaped(text):
    return text.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")


WRITTEN = [
    "?a=1&token=@&b=2",
    "#access_token=@",
    '{"token": "@"}',
    '{"a":{"session_id":"@"}}',
    "https://u:@@a.example/",
]
WRAPPED = [
    json.dumps,
    quote,
    escaped,
    lambda text: f'{{"a": {json.dumps(text)}}}',
    lambda text: f"/?next={quote(text, safe='')}",
]


@pytest.mark.parametrize("wrapped", [each for count in range(3) for each in itertools.product(WRAPPED, repeat=count)])
@pytest.mark.parametrize("written", WRITTEN)
def test_a_secret_is_removed_in_notations_inside_each_other(written, wrapped):
    text = written.replace("@", "s3cr3tValue42", 1)
    for wrap in wrapped:
        text = wrap(text)
    assert "s3cr3tValue42" in text
    assert "s3cr3tValue42" not in cleaned(text)[0]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ('{"token":"@", "id": "8f3a"}', '{"token":"REMOVED", "id": "8f3a"}'),
        ('{"sid":123456789012,"a":1}', '{"sid":"REMOVED","a":1}'),
        ('{"sid": -5}', '{"sid": "REMOVED"}'),
        (r'"{\"sid\":12}"', r'"{\"sid\":\"REMOVED\"}"'),
        (r'{"a":"{\"token\":\"x\\\"y\"}", "b": 1}', r'{"a":"{\"token\":\"REMOVED\"}", "b": 1}'),
        (r'{"token":"a\"b\\", "c": 1}', '{"token":"REMOVED", "c": 1}'),
        (r'{"token":"a\/b==", "c": 1}', '{"token":"REMOVED", "c": 1}'),
        ('"a?token=x%26y&b"', '"a?token=REMOVED&b"'),
        ('{"token":["a","b"],"c":["d"]}', '{"token":["REMOVED","REMOVED"],"c":["d"]}'),
        ("https://u:p@a.example/", "https://REMOVED@a.example/"),
        (f'"/v/{JWT}/a.m3u8"', '"/v/REMOVED/a.m3u8"'),
        (f"a {JWT}.", "a REMOVED."),
    ],
)
def test_nothing_else_is_changed(text, left):
    assert cleaned(text.replace("@", S) if "a.example" not in text else text)[0] == left


@pytest.mark.parametrize(
    "text",
    [
        '{"id": "8f3a2b1c9d8e7f60", "key": "b1946ac92492d2347c6235b4d2611184", "hash": "x"}',
        '{"author": "Jane Doe 1970", "authors": ["a b c d e f"], "token_type": "bearer"}',
        '{"token": null, "session": false, "password": "", "auth": "true", "sid": 0, "csrf": "undefined"}',
        '{"nextPageToken": "CAUQAA1234567", "continuationToken": "abc"}',
        "if (a.token === b.token) { token = e.token; c.sid=d; }",
        "function(token, session) { return {token: token, auth: n(1), sid: 5} }",
        '["id", "token", "password", "title"]',
        'f("password", x)',
        "<label for=password>Password</label><a>Token</a>",
        '"password" in x ? x["token"] : token == "none"',
        '<meta name="description" content="All about tokens: token economy"><input name="q" value="token">',
        '<label for="password">Password:</label><input type="password" name="password" value="">',
        "/watch?v=dQw4w9WgXcQ&list=PLabc&t=5#comments",
        "Basic authentication, Basic html5videoplayer, a bearer of good news",
        '"https://a.example/img/eyJidWNrZXQiOiJhIiwia2V5IjoiYiJ9.jpeg"',
        "https://medium.example/@user/a-story?via=@somebody",
        "monkeyjs-loader.production.bundle-0123456789.js",
        "mail@a.example",
        "",
    ],
)
def test_what_is_no_secret_stays(text):
    assert cleaned(text) == (text, [], {})


@pytest.mark.parametrize(
    ("url", "left"),
    [
        ("https://a.example/b?token=@", "https://a.example/b?token=REMOVED"),
        ("https://a.example/b?x=1&Access_Token=@&y=2#t", "https://a.example/b?x=1&Access_Token=REMOVED&y=2#t"),
        ("https://a.example/b?user%5Bpassword%5D=@&c", "https://a.example/b?user%5Bpassword%5D=REMOVED&c"),
        ("https://a.example/b?sig=a(b),c;d'e\"f", "https://a.example/b?sig=REMOVED"),
        ("https://a.example/b#access_token=@&expires_in=5", "https://a.example/b#access_token=REMOVED&expires_in=5"),
        ("https://a.example/#/watch/8?token=@&v=1", "https://a.example/#/watch/8?token=REMOVED&v=1"),
        ("https://jane:@@a.example:8080/b", "https://REMOVED@a.example:8080/b"),
        ("https://jane@a.example/b?auth=1@", "https://REMOVED@a.example/b?auth=REMOVED"),
        ("https://a.example/b;jsessionid=@;v=2?c", "https://a.example/b;jsessionid=REMOVED;v=2?c"),
        ("https://a.example/?mail=jane%40mail.example", "https://a.example/?mail=REMOVED"),
        ("https://a.example/?u=jane.doe+x@mail.example&v=1", "https://a.example/?u=REMOVED&v=1"),
        ("https://a.example/?next=/b?m%3Djane%40mail.example", "https://a.example/?next=/b?m%3DREMOVED"),
        ("https://a.example/?next=%2Fb%3Fm%3Djane%40mail.example", "https://a.example/?next=%2Fb%3Fm%3DREMOVED"),
        (f"https://a.example/{JWT}/x.m3u8", "https://a.example/REMOVED/x.m3u8"),
        ("https://a.example/v.mp4?hdnts=exp=1~acl=/*~hmac=@", "https://a.example/v.mp4?hdnts=REMOVED"),
        ("/b?token=@", "/b?token=REMOVED"),
        ("https://a.example/b?token=&sid=0&auth=true", "https://a.example/b?token=&sid=0&auth=true"),
        ("https://a.example/8f3a/b1946ac92492d2347c6235b4d2611184?id=9", None),
        ("https://a.example/author/token-economy?sort=session", None),
        ("https://a.example/?q=@jane", None),
    ],
)
def test_urls_lose_their_secrets_and_keep_all_else(url, left):
    found = Found()
    for sign in ("=@", ":@", "1@"):
        url = url.replace(sign, sign[0] + S) if "@jane" not in url else url
    assert clean_url(url, found) == (url if left is None else left)


@pytest.mark.parametrize(
    ("name", "value", "secret"),
    [
        ("cookie", f"a=1; sess={S}; b={S}2", {S, f"{S}2"}),
        ("cookie", 'a="with blanks"', {"with blanks", '"with blanks"'}),
        ("cookie", "a=abc%20def%20g", {"abc def g", "abc%20def%20g"}),
        ("set-cookie", f"sess={S}; Path=/watch/12345678; HttpOnly", {S}),
        ("set-cookie", f"a=1; Path=/\nsess={S}; Path=/watch/12345678", {S}),
        ("cookie", f"u=id=5&token={S}", {f"id=5&token={S}", S}),
        ("authorization", f"Bearer {S}", {f"Bearer {S}", S}),
        ("authorization", "Basic amFuZTpodW50ZXIyMjI=", {"amFuZTpodW50ZXIyMjI=", "hunter222"}),
        (
            "authorization",
            'Digest username="jane.doe", uri="/watch/12345678", response="6629fae4"',
            {"jane.doe", "6629fae4"},
        ),
        (
            "authorization",
            "AWS4-HMAC-SHA256 Credential=AKIA/x, SignedHeaders=host;range, Signature=fe5f80f7",
            {"fe5f80f7"},
        ),
        ("authorization", 'OAuth oauth_consumer_key="xvz1evFS4", oauth_token="370773112"', {"xvz1evFS4", "370773112"}),
        ("authorization", S, {S}),
        ("proxy-authorization", f"Negotiate {S}", {S}),
        ("x-csrf-token", S, {S}),
        ("x-xsrf-token", S, {S}),
        ("x-api-key", S, {S}),
        ("x-auth-token", S, {S}),
    ],
)
def test_headers_of_secrets_lose_their_whole_value(name, value, secret):
    found = Found()
    assert clean_header(name, value, found) == REMOVED
    assert secret <= set(found.values(""))
    assert not {"/watch/12345678", "host;range", "username"} & set(found.values(""))


def test_other_headers_are_cleaned_as_texts_and_urls():
    found = Found()
    assert clean_header("referer", f"https://a.example/?token={S}&v=1", found) == "https://a.example/?token=REMOVED&v=1"
    assert clean_header("x-info", f'{{"token":"{S}"}}', found) == '{"token":"REMOVED"}'
    assert clean_header("accept", "text/html,*/*;q=0.8", found) == "text/html,*/*;q=0.8"


@pytest.mark.parametrize(
    "form",
    [
        "password=@&user=jane",
        "user=jane&password=@",
        '{"password": "@"}',
        "email=@%40mail.example",
        "a=1&m=@@b.example",
    ],
)
def test_what_was_posted_gives_its_secrets(form):
    found = Found()
    note_form(form.replace("@", S, 1), found)
    assert any(S in value for value in found.values(""))


def test_a_short_value_is_removed_only_where_it_is_named():
    assert cleaned('{"token": "1234567", "a": "1234567"}') == ('{"token": "REMOVED", "a": "1234567"}', ["token"], {})


def test_words_in_a_program_are_no_values_to_remove_elsewhere():
    assert cleaned('x({session:"durationField", auth:"firebase-auth"})')[2] == {}
    assert cleaned('{"session":"durationField"}')[2] == {"durationField": "session"}
    assert cleaned('{"password":"Password", "token": "required"}')[2] == {}


def test_a_cookie_that_names_the_page_is_no_secret():
    found = Found()
    add_cookies([("last_video", "8f3a2b1c9d"), ("host", "cdn.a.example"), ("s", "other-secret")], found)
    clean_text('{"token": "in-the-page-1"}', found)
    pages = "https://a.example/watch/8f3a2b1c9d?x=in-the-page-1 cdn.a.example"
    assert set(found.values(pages)) == {"other-secret", "in-the-page-1"}
    # What is a secret by another name too is one.
    clean_url("https://a.example/?token=8f3a2b1c9d", found)
    assert "8f3a2b1c9d" in found.values(pages)


def test_too_many_secrets_are_an_error(monkeypatch):
    monkeypatch.setattr(cleaning, "_MOST_PLACES", 100)
    clean_text('"token":"x",' * 100, Found())
    with pytest.raises(TooManyPlacesError):
        clean_text('"token":"x",' * 101, Found())
    monkeypatch.setattr(found_module, "_MOST_VALUES", 10)
    with pytest.raises(TooManySecretsError):
        add_cookies([("a", f"a-value-{number}") for number in range(20)], Found())
    # What only looks like a secret takes time too.
    monkeypatch.setattr(found_module, "_MOST_LOOKS", 50)
    with pytest.raises(TooManySecretsError):
        clean_text("a.token=b " * 60, Found())


WORDS = (
    "\" ' \\ token sid csrf = : & ? { } [ ] < > input meta name value %22 %3D %26 %253D &quot; &amp; ; @ :// / eyJ . a "
    "7 Bearer \\u0026 é"
)
PIECES = st.sampled_from([*WORDS.split(), " "])


@given(st.lists(PIECES, max_size=40).map("".join))
@settings(max_examples=examples(300), deadline=None)
@example("token=" * 20)
def test_any_arrangement_of_signs_is_cleaned(text):
    for clean in (clean_text, clean_url, note_form):
        found = Found()
        result = clean(text, found)
        assert sum(found.counts.values()) or result in (text, None)
    for name in ("cookie", "authorization", "x-info"):
        clean_header(name, text, Found())


@pytest.mark.parametrize(
    "unit",
    [
        "token=",
        '"token":"',
        '"token":',
        "<input name=token value=",
        "eyJ",
        "a:b@c://",
        "?a=b@",
        "name:'token",
        "\\\\",
        "%25",
    ],
)
def test_the_time_grows_as_the_text_does(unit, monkeypatch):
    monkeypatch.setattr(cleaning, "_MOST_PLACES", 1 << 30)
    check_growth(lambda text: clean_text(text, Found()), lambda size: unit * (size // len(unit)), 4_000, 32_000)

"""Which server a crawl uses, how it is requested, and what of its URL is ever shown."""

import socket
import threading
import traceback

import pytest
import redis
from hypothesis import example, given
from hypothesis import strategies as st
from scrapy.settings import BaseSettings

from mediacrawl.crawl.connection import ConnectionSettingError, connect, hidden, key_of, redis_url

LETTERS = "\u0416\u0429\u042b\u042d"
"""Of passwords, and of nothing else in these tests."""
PASSWORDS = st.text(LETTERS + "@:/?#%[]&= ", min_size=4, max_size=20)
FORMS = (
    "redis://:{}@host.example:6379/0",
    "rediss://user:{}@host.example/2",
    "redis://{}@[::1]:6379",
    "redis://host.example:6379/0?password={}",
    "unix://:{}@/run/redis.sock?db=1",
    "unix:///run/redis.sock?db=1&password={}",
    "http://user:{}@host.example",
)


@pytest.mark.parametrize("form", FORMS)
@given(password=PASSWORDS)
@example(password="\u0416@\u0429")
@example(password="\u0416/\u0429?\u042b#\u042d@\u0416")
@example(password="\u0416?\u0429@\u042b")
def test_no_letter_of_a_password_is_shown_whatever_characters_are_not_escaped(form, password):
    url = form.format(password)
    shown = hidden(url)
    try:
        connect(BaseSettings({"REDIS_URL": url}))
    except ConnectionSettingError as error:
        shown += "".join(traceback.format_exception(error))
    assert not set(LETTERS) & set(shown)


def test_what_is_shown_of_a_url_tells_which_server_it_is():
    assert hidden("redis://10.0.0.7:6380/3") == "redis://10.0.0.7:6380/3"
    assert hidden("rediss://me:secret@cache.example:6380/3") == "rediss://***@cache.example:6380/3"
    assert hidden("unix:///run/redis.sock?db=2") == "unix:///run/redis.sock"
    assert hidden("redis://[::1]:6379/0") == "redis://[::1]:6379/0"


@pytest.mark.parametrize(
    ("settings", "url"),
    [
        ({}, None),
        ({"SCHEDULER_STORE": "sqlite"}, None),
        ({"SCHEDULER_STORE": "redis"}, "redis://localhost:6379/0"),
        ({"SCHEDULER_STORE": "redis", "REDIS_URL": "redis://a/1"}, "redis://a/1"),
        ({"SCHEDULER_STORE": "redis://b/2", "REDIS_URL": "redis://a/1"}, "redis://b/2"),
        ({"SCHEDULER_STORE": "sqlite", "REDIS_URL": " redis://a/1\n"}, "redis://a/1"),
        ({"REDIS_HOST": "a", "REDIS_PORT": "7000", "REDIS_DB": 3}, "redis://a:7000/3"),
        ({"REDIS_PARAMS": {"host": "a", "ssl": True, "password": "secret"}}, "rediss://a:6379/0"),
        ({"REDIS_PARAMS": '{"unix_socket_path": "/run/redis.sock"}'}, "unix:///run/redis.sock?db=0"),
        ({"REDIS_PARAMS": {"socket_timeout": 3}}, None),
    ],
)
def test_the_server_is_named_by_the_settings_of_scrapy_redis(settings, url):
    assert redis_url(BaseSettings(settings)) == url


@pytest.mark.parametrize(
    "settings",
    [
        {"REDIS_URL": "localhost:6379"},
        {"REDIS_URL": "redis://host/0?frobnicate=1"},
        {"SCHEDULER_STORE": "redis://host:seventy/0"},
        {"REDIS_URL": "redis://host", "REDIS_PARAMS": {"frobnicate": 1}},
        {"REDIS_PARAMS": "{"},
        {"REDIS_HOST": "host", "REDIS_PARAMS": {"redis_cls": "no.such.Client"}},
    ],
)
def test_settings_that_cannot_be_used_are_told_in_one_sentence(settings):
    with pytest.raises(ConnectionSettingError) as told:
        connect(BaseSettings(settings))
    assert "\n" not in str(told.value)
    assert "REDIS" in str(told.value) or "SCHEDULER_STORE" in str(told.value)


def test_answers_are_bytes_whatever_the_settings_say(redis_server):
    wishes = {"REDIS_DECODE_RESPONSES": True, "REDIS_ENCODING": "latin-1", "REDIS_PARAMS": {"decode_responses": True}}
    client = connect(BaseSettings({"REDIS_URL": f"{redis_server}?decode_responses=True", **wishes}))
    client.set("\xe4", "\xf6")
    assert client.get("\xc3\xa4".encode("latin-1")) == b"\xc3\xb6"
    client.close()


def test_time_limits_are_ours_unless_the_settings_have_others(redis_server):
    def limits(**settings):
        found = connect(BaseSettings({"REDIS_URL": redis_server, **settings})).get_connection_kwargs()
        return found["socket_connect_timeout"], found["socket_timeout"]

    assert limits() == (5.0, 10.0)
    assert limits(REDIS_PARAMS={"socket_timeout": 3.0}) == (5.0, 3.0)
    assert limits(REDIS_URL=f"{redis_server}?socket_timeout=4") == (5.0, 4.0)


def test_a_server_that_hangs_up_is_not_asked_again_behind_our_back():
    calls = []

    def hang_up():
        while True:
            try:
                calls.append(listener.accept()[0].close())
            except OSError:
                return

    with socket.create_server(("127.0.0.1", 0)) as listener:
        answering = threading.Thread(target=hang_up)
        answering.start()
        client = connect(BaseSettings({"REDIS_URL": f"redis://127.0.0.1:{listener.getsockname()[1]}"}))
        with pytest.raises(redis.ConnectionError):
            client.ping()
        client.close()
        listener.shutdown(socket.SHUT_RDWR)
    answering.join()
    assert len(calls) == 1


def test_a_key_is_named_as_scrapy_redis_names_it():
    assert key_of("%(name)s:start_urls", "media") == "media:start_urls"
    assert key_of("{%(spider)s}:items", "media") == "{media}:items"
    assert key_of("plain", "media") == "plain"
    for template in ("%(names)s", "%d", "100%", " "):
        with pytest.raises(ConnectionSettingError):
            key_of(template, "media")

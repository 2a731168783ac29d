"""Makes all connections to Redis: scrapy-redis' settings, time limits of our own, and no secret in any message.

The client speaks bytes, times out within seconds, and does not retry: its users do.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any, TypeAlias

from scrapy.settings import BaseSettings

Client: TypeAlias = Any
"""A `redis.Redis`. Its types depend on the version: some give each reply as one that may have to be awaited."""

CONNECT_TIMEOUT = 5.0
"""Seconds that a connection may take."""

ANSWER_TIMEOUT = 10.0
"""Seconds that a reply may take. The longest script runs for some milliseconds."""

_SCHEMES = ("redis://", "rediss://", "unix://")
_FORM = (
    "redis://USER:PASSWORD@HOST:PORT/DB, rediss:// for TLS, or unix:///PATH?db=DB; "
    "in a password write @ : / ? # % as %40 %3A %2F %3F %23 %25"
)
_OUR_FORMAT = {"decode_responses": False, "encoding": "utf-8", "encoding_errors": "strict"}
"""Overrides REDIS_ENCODING and REDIS_DECODE_RESPONSES: the values in Redis are in formats of our own."""
_PLACES = ("host", "port", "unix_socket_path")
_PLAIN = re.compile(r"(?:[\w.-]*|\[[\da-fA-F:.]+\])(?::\d{1,5})?(?:/\d*)?")


class ConnectionSettingError(ValueError):
    """The settings name no Redis server that can be used. The message is one sentence without secrets."""


def redis_url(settings: BaseSettings) -> str | None:
    """The URL of the Redis server that a crawl uses, with its secrets; None if it uses none.

    In this order: ``SCHEDULER_STORE``, if that is a URL; ``REDIS_URL``; ``REDIS_HOST``, ``REDIS_PORT`` and
    ``REDIS_DB``, or the same in ``REDIS_PARAMS``. ``SCHEDULER_STORE = "redis"`` without any of these means localhost,
    as in scrapy-redis.
    """
    store = str(settings.get("SCHEDULER_STORE") or "").strip()
    if "://" in store:
        return store
    params = _params(settings)
    if url := str(settings.get("REDIS_URL") or params.get("url") or "").strip():
        return url
    if store != "redis" and not any(params.get(name) for name in _PLACES):
        return None
    return _url_of(params)


def connect(settings: BaseSettings, **changes: Any) -> Client:
    """Make a client for the Redis server of a crawl, or of any project with scrapy-redis' settings.

    It is made by scrapy-redis' factory, so all of ``REDIS_PARAMS`` works (``redis_cls``, say). It differs in that it
    returns bytes, waits 5 s for a connection and 10 s for a reply unless ``REDIS_PARAMS`` or the URL has other limits,
    and does not retry. It connects when it is used first.

    Args:
        settings: of the crawl.
        changes: parameters of the client that override ``REDIS_PARAMS``, such as ``socket_timeout`` (seconds).

    Raises:
        ConnectionSettingError: the settings cannot be used.
    """
    # Most crawls use no Redis, and the client takes a while to import.
    from redis.backoff import NoBackoff  # noqa: PLC0415
    from redis.retry import Retry  # noqa: PLC0415
    from scrapy_redis.connection import get_redis_from_settings  # noqa: PLC0415

    url = _given_url(settings)
    params: dict[str, Any] = {
        "socket_connect_timeout": CONNECT_TIMEOUT,
        "socket_timeout": ANSWER_TIMEOUT,
        "client_name": f"mediacrawl-{os.getpid()}",
        "retry_on_timeout": False,
        "retry": Retry(NoBackoff(), 0),
        **_params(settings),
        **changes,
        **_OUR_FORMAT,
    }
    params.pop("url", None)
    if not (redis_url(settings) or "").startswith("unix:"):
        # Without it the connection to a machine that is gone would last for hours.
        params.setdefault("socket_keepalive", True)
    if url is not None:
        params = {name: value for name, value in params.items() if name not in _PLACES}
    try:
        client: Client = get_redis_from_settings(BaseSettings({"REDIS_URL": url, "REDIS_PARAMS": params}))
        # The parameters of a URL override all others.
        client.get_connection_kwargs().update(_OUR_FORMAT)
        client.connection_pool.connection_class(**client.get_connection_kwargs())
    except Exception:  # noqa: BLE001 - the message of any error may hold the password
        raise ConnectionSettingError(_refusal(settings, url)) from None
    return client


def key_of(template: str, spider: str) -> str:
    """The key that a template of scrapy-redis names: ``%(name)s`` and ``%(spider)s`` are the spider's name.

    Raises:
        ConnectionSettingError: the template cannot be used.
    """
    try:
        key = template % {"name": spider, "spider": spider}
    except (KeyError, TypeError, ValueError):
        key = ""
    if not key.strip():
        raise ConnectionSettingError(f"{template!r} names no key; write it as '%(name)s:start_urls'.")
    return key


def hidden(url: str) -> str:
    """The URL of a Redis server without secrets: scheme, host, port and database.

    A part that does not look like one of these is left out: an unescaped character turns part of a password into part
    of a host, a port or a path.
    """
    scheme, separator, rest = url.strip().partition("://")
    if f"{scheme}{separator}" not in _SCHEMES:
        return "***"
    before, _, query = rest.partition("?")
    if "@" in query:
        return f"{scheme}://***"
    _, at, place = before.rpartition("@")
    shown = f"{scheme}://***@" if at else f"{scheme}://"
    if scheme == "unix":
        return shown + place.partition("#")[0]
    return shown + (place if _PLAIN.fullmatch(place) else "***")


def _given_url(settings: BaseSettings) -> str | None:
    """The URL in the settings; None if they name a host and a port."""
    params = _params(settings)
    store = str(settings.get("SCHEDULER_STORE") or "").strip()
    return (store if "://" in store else str(settings.get("REDIS_URL") or params.get("url") or "").strip()) or None


def _params(settings: BaseSettings) -> dict[str, Any]:
    """``REDIS_PARAMS``, overridden by the settings that name one parameter each."""
    try:
        params = dict(settings.getdict("REDIS_PARAMS"))
    except (TypeError, ValueError):
        raise ConnectionSettingError("REDIS_PARAMS must be a mapping of names to values.") from None
    named = {"host": settings.get("REDIS_HOST"), "port": settings.get("REDIS_PORT"), "db": settings.get("REDIS_DB")}
    return params | {name: value for name, value in named.items() if value}


def _url_of(params: Mapping[str, Any]) -> str:
    database = params.get("db") or 0
    if path := params.get("unix_socket_path"):
        return f"unix://{path}?db={database}"
    scheme = "rediss" if params.get("ssl") else "redis"
    return f"{scheme}://{params.get('host') or 'localhost'}:{params.get('port') or 6379}/{database}"


def _refusal(settings: BaseSettings, url: str | None) -> str:
    if url is None:
        return "REDIS_HOST, REDIS_PORT, REDIS_DB and REDIS_PARAMS name no Redis server that can be used."
    name = "SCHEDULER_STORE" if "://" in str(settings.get("SCHEDULER_STORE") or "") else "REDIS_URL"
    return f"{name} ({hidden(url)}) or REDIS_PARAMS cannot be used. Write the URL as {_FORM}."

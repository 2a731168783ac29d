"""What each setting may be: one kind a setting, in the order of ``settings.py``; and what is wrong with a user's.

A test sees that every setting of ours has its kind here. Settings of Scrapy that are often set have one too.
"""

from __future__ import annotations

import json
import logging
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf, isfinite
from os import PathLike
from typing import TYPE_CHECKING, Any

from scrapy.settings import BaseSettings, default_settings
from scrapy.utils.misc import load_object

import mediacrawl.settings as ours
from mediacrawl.nearest import did_you_mean, nearest
from mediacrawl.own_settings import OwnSettings

if TYPE_CHECKING:
    from mediacrawl.priority.nuggets import UserFunction

_ALIKE = 0.9
"""Least likeness of a name outside our prefixes that is taken for a mistyped one: other people have settings too."""
_PORTS = 65_536
_SHOWN = 100
"""Characters of a value that are shown."""
_FIELDS = "a list of names, or a mapping of names to names of raw bytes"
_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")


@dataclass(frozen=True, slots=True)
class Kind:
    """What a setting may be.

    Attributes:
        expected: what it must be, in words that follow "it must be".
        read: reads it as the crawl does; raises ValueError or TypeError if it cannot be used. A message that begins
            with the name of the setting is a whole sentence.
        choices: the words that it may be, for a suggestion.
        has_example: whether its default is a good example.
        is_secret: whether its value may hold a password, and is not shown.
    """

    expected: str
    read: Callable[[BaseSettings, str], object]
    choices: tuple[str, ...] = ()
    has_example: bool = False
    is_secret: bool = False


def _number(what: str = "a number", least: float = 0.0, most: float = inf, *, above: bool = False) -> Kind:
    """A number, whole or not; `above` if it is greater than `least`."""

    def read(settings: BaseSettings, name: str) -> None:
        number = settings.getfloat(name)
        if not isfinite(number) or not least <= number <= most or (above and number == least):
            raise ValueError(number)

    return Kind(f"{what}, {_range(least, most, above=above)}", read, has_example=True)


def _whole(what: str = "a whole number", least: int = 0, most: float = inf) -> Kind:
    def read(settings: BaseSettings, name: str) -> None:
        number = settings.getint(name)
        if not least <= number <= most or number != settings.getfloat(name):
            raise ValueError(number)

    return Kind(f"{what}, {_range(least, most)}", read, has_example=True)


def _range(least: float, most: float, *, above: bool = False) -> str:
    if above:
        return f"above {least:g}" + (f" and at most {most:g}" if most < inf else "")
    return f"{least:g} to {most:g}" if most < inf else f"{least:g} or more"


def _choice(*words: str, more: str = "") -> Kind:
    def read(settings: BaseSettings, name: str) -> None:
        value = str(settings.get(name) or words[0]).strip()
        if value not in words and not (more and "://" in value):
            raise ValueError(value)

    return Kind(f"{', '.join(words[:-1])}{',' if more else ' or'} {words[-1]}{more}", read, choices=words)


def _read_level(settings: BaseSettings, name: str) -> None:
    level = settings.get(name)
    if not isinstance(level, int) and level is not None:
        number = logging.getLevelName(str(level).upper())
        if not isinstance(number, int):
            raise ValueError(level)


def _read_text(settings: BaseSettings, name: str) -> None:
    if not isinstance(settings.get(name), str | PathLike | None):
        raise TypeError(name)


def _read_names(settings: BaseSettings, name: str) -> None:
    if not all(isinstance(each, str | PathLike) for each in settings.getlist(name)):
        raise TypeError(name)


def _read_key(settings: BaseSettings, name: str) -> None:
    from mediacrawl.connection import key_of  # noqa: PLC0415 - as below: for a setting that somebody has set

    _read_text(settings, name)
    if template := settings.get(name):
        key_of(template, "media")


def _read_class(settings: BaseSettings, name: str) -> None:
    if path := settings.get(name):
        _loaded(name, path)


def _read_extensions(settings: BaseSettings, name: str) -> None:
    from mediacrawl.paths import locate  # noqa: PLC0415
    from mediacrawl.scope.extensions import ExtensionFilter  # noqa: PLC0415

    if not settings.get(name):
        return
    path = locate(settings.get(name))
    try:
        ExtensionFilter.load(path)
    except OSError as error:
        raise ValueError(f"{name} = {str(path)!r} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise ValueError(f"{name} = {str(path)!r} cannot be used: {error}") from error


def _function(arguments: int) -> Kind:
    def read(settings: BaseSettings, name: str) -> None:
        if path := settings.get(name):
            user_function(name, path, arguments)

    return Kind(f"the path of a function of {arguments} arguments, as package.module.function", read)


def _read_hours(settings: BaseSettings, name: str) -> None:
    from mediacrawl.politeness.delay import factors_by_hour  # noqa: PLC0415

    factors_by_hour(settings.getdict(name))


def _read_scores(settings: BaseSettings, name: str) -> None:
    from mediacrawl.priority.score import Scores  # noqa: PLC0415

    Scores(settings.getdict(name))


def _read_fields(settings: BaseSettings, name: str) -> None:  # noqa: ARG001 - there is one such setting
    fields_setting(settings)


def _read_hosts(settings: BaseSettings, name: str) -> None:
    from mediacrawl.politeness.dns import fixed_hosts  # noqa: PLC0415

    fixed_hosts(settings.getdict(name))


def _read_servers(settings: BaseSettings, name: str) -> None:
    from mediacrawl.politeness.dns import server_of  # noqa: PLC0415

    _read_names(settings, name)
    for server in settings.getlist(name):
        server_of(server)


def _read_families(settings: BaseSettings, name: str) -> None:
    from mediacrawl.politeness.dns import NamePolicy  # noqa: PLC0415

    _read_names(settings, name)
    NamePolicy(families=tuple(settings.getlist(name)))


def _read_ports(settings: BaseSettings, name: str) -> None:
    if not all(0 <= int(port) < _PORTS for port in settings.getlist(name)):
        raise ValueError(name)


def _read_guard(settings: BaseSettings, name: str) -> None:
    from mediacrawl.politeness.address_guard import Guard  # noqa: PLC0415

    _read_names(settings, name)
    Guard(settings.getlist(name))


NUMBER = _number()
COUNT = _whole()
ONE_OR_MORE = _whole(least=1)
SECONDS = _number("a number of seconds")
BYTES = _whole("a whole number of bytes")
SHARE = _number("a share", 0.0, 1.0)
SWITCH = Kind("True or False (1 or 0)", lambda settings, name: settings.getbool(name))
TEXT = Kind("text", _read_text)
PATH = Kind("a path", _read_text)
PATHS = Kind("a list of paths", _read_names)
NAMES = Kind("a list of names", _read_names)
SECRET = Kind("text", _read_text, is_secret=True)
KEY = Kind("a key of Redis, as '%(spider)s:items'", _read_key)
CLASS = Kind("the path of a function or class, as package.module.name", _read_class)
MAPPING = Kind("a mapping, written as JSON", lambda settings, name: settings.getdict(name), is_secret=True)
ADDRESSES = Kind("a list of addresses, networks and names", _read_guard)

KINDS: dict[str, Kind] = {
    "MEDIACRAWL_CONTACT": TEXT,
    "MEDIACRAWL_OPERATOR": TEXT,
    "MEDIACRAWL_EMAIL": TEXT,
    "MEDIACRAWL_PURPOSE": TEXT,
    "MEDIACRAWL_ADDRESSES": NAMES,
    "USER_AGENT": TEXT,
    "ROBOTS_TOKEN": TEXT,
    "MEDIACRAWL_DIR": PATH,
    "MEDIACRAWL_DB": PATH,
    "SCHEDULER_STORE": _choice("sqlite", "memory", "redis", more=" or the URL of a Redis server"),
    "REDIS_URL": SECRET,
    "REDIS_HOST": TEXT,
    "REDIS_PORT": _whole("the number of a port", 0, 65_535),
    "REDIS_DB": COUNT,
    "REDIS_PARAMS": MAPPING,
    "REDIS_FRONTIER_KEY": KEY,
    "FRONTIER_LEASE": SECONDS,
    "FRONTIER_BEGUN": SWITCH,
    "REDIS_PATIENCE": SECONDS,
    "SCHEDULER_WAIT": SWITCH,
    "REDIS_START_URLS_KEY": KEY,
    "REDIS_START_URLS_BATCH_SIZE": ONE_OR_MORE,
    "REDIS_ITEMS_KEY": KEY,
    "REDIS_ITEMS_SERIALIZER": CLASS,
    "POLITENESS_FACTOR": NUMBER,
    "POLITENESS_MIN_DELAY": SECONDS,
    "POLITENESS_MAX_DELAY": SECONDS,
    "POLITENESS_FIRST_DELAY": SECONDS,
    "POLITENESS_TAIL_FACTOR": _number(least=1.0),
    "POLITENESS_ADDRESS_FACTOR": NUMBER,
    "POLITENESS_ADDRESS_MIN_DELAY": SECONDS,
    "UNTRIED_SHARE": _number("a share", 0.0, 1.0, above=True),
    "CONNECT_TIMEOUT": _number("a number of seconds", above=True),
    "POLITENESS_HOURS": Kind("a mapping of hours to factors, as {'8-18': 2.0}", _read_hours),
    "BACKOFF_REST_AFTER": COUNT,
    "BACKOFF_MAX": SECONDS,
    "BACKOFF_REST": SECONDS,
    "BACKOFF_RETIRE_AFTER": SECONDS,
    "ROBOTS_ENABLED": SWITCH,
    "ROBOTS_MAX_AGE": SECONDS,
    "ROBOTS_RETRY": SECONDS,
    "NEVERCRAWL_FILES": PATHS,
    "NEVERCRAWL_RELOAD": SECONDS,
    "REDIRECT_CAP": COUNT,
    "SCOPE_MAX_LENGTH": ONE_OR_MORE,
    "SCOPE_MAX_DEPTH": COUNT,
    "SCOPE_EXTENSIONS_FILE": Kind("the path of a file", _read_extensions),
    "SCOPE_SESSION_NAMES": NAMES,
    "SCOPE_REFUSED_PORTS": Kind("a list of ports, 0 to 65,535", _read_ports),
    "SCOPE_SOFT_404": SWITCH,
    "FRONTIER_EXPLORE": SHARE,
    "FRONTIER_ATTEMPTS": ONE_OR_MORE,
    "FRONTIER_SITE_BUDGET": COUNT,
    "FRONTIER_SITE_MOST": COUNT,
    "FRONTIER_MAX_URLS": COUNT,
    "FRONTIER_MAX_BYTES": BYTES,
    "FRONTIER_CACHE": BYTES,
    "FRONTIER_BLOOM": COUNT,
    "PRIORITY": _choice("adaptive", "rules", "levels", "breadth", "random", "site-rate"),
    "PRIORITY_MODEL": PATH,
    "PRIORITY_SCORES": Kind("a mapping of rules to scores, as {'media': 1.0}", _read_scores),
    "REVISIT_SHARE": _number("a share", 0.0, 1.0, above=True),
    "REVISIT_WORTH": NUMBER,
    "REVISIT_SOONEST": SECONDS,
    "NUGGET_FUNCTION": _function(2),
    "NUGGET_WORTH_OPENING": _function(3),
    "PAGE_MAX_BYTES": BYTES,
    "LIST_MAX_BYTES": BYTES,
    "ROBOTS_SITEMAPS": COUNT,
    "PROBE_HEAD_BYTES": BYTES,
    "PROBE_MAX_REQUESTS": ONE_OR_MORE,
    "PROBE_MAX_BYTES": BYTES,
    "PROBE_MAX_TAG_BYTES": BYTES,
    "FEEDS_MIN_INTERVAL": SECONDS,
    "FEEDS_MAX_INTERVAL": SECONDS,
    "MOJIBAKE_FIELDS": Kind(_FIELDS, _read_fields),
    "MOJIBAKE_MIN_CONFIDENCE": _number("a confidence", 0.0, 1.0),
    "MOJIBAKE_MODELS": PATHS,
    "REQUEST_LOG_ENABLED": SWITCH,
    "REQUEST_LOG_DAYS": _whole("a whole number of days", 1),
    "REQUEST_LOG_DIR": PATH,
    "STATS_FILE": PATH,
    "HARVEST_FILE": PATH,
    "PROGRESS_SUMMARY": SWITCH,
    "BREAKER_ERRORS": COUNT,
    "BREAKER_SITES": COUNT,
    "RESOLVER_HOSTS": Kind("a mapping of names to addresses, written as JSON", _read_hosts),
    "RESOLVER_SERVERS": Kind("a list of addresses", _read_servers),
    "RESOLVER_FAMILIES": Kind("a list of ipv4 and ipv6", _read_families),
    "RESOLVER_TIMEOUT": SECONDS,
    "GUARD_ALLOW": ADDRESSES,
    # Scrapy's, which ends with a traceback otherwise.
    "DOWNLOAD_DELAY": SECONDS,
    "DOWNLOAD_TIMEOUT": SECONDS,
    "DOWNLOAD_MAXSIZE": BYTES,
    "DOWNLOAD_WARNSIZE": BYTES,
    "DOWNLOAD_FAIL_ON_DATALOSS": SWITCH,
    "CONCURRENT_REQUESTS": ONE_OR_MORE,
    "CONCURRENT_REQUESTS_PER_DOMAIN": COUNT,
    "CONCURRENT_ITEMS": ONE_OR_MORE,
    "COOKIES_ENABLED": SWITCH,
    "CLOSESPIDER_TIMEOUT": SECONDS,
    "CLOSESPIDER_TIMEOUT_NO_ITEM": SECONDS,
    "CLOSESPIDER_PAGECOUNT": COUNT,
    "CLOSESPIDER_ITEMCOUNT": COUNT,
    "CLOSESPIDER_ERRORCOUNT": COUNT,
    "LOG_LEVEL": Kind(f"{', '.join(_LEVELS)} or a number", _read_level, choices=_LEVELS),
    "LOG_ENABLED": SWITCH,
    "LOGSTATS_INTERVAL": SECONDS,
    "STATS_DUMP": SWITCH,
    "TELNETCONSOLE_ENABLED": SWITCH,
}

REMOVED: dict[str, float] = {
    "POLITENESS_TAIL_SITES": 100,
    "POLITENESS_ADDRESS_MAX_DELAY": 60.0,
    "BACKOFF_JITTER": 0.25,
    "BACKOFF_REST_MAX": 86400.0,
    "BACKOFF_FORBIDDEN": 20,
    "ROBOTS_MIN_AGE": 3600.0,
    "ROBOTS_GIVE_UP": 2592000.0,
    "SCOPE_MAX_SEGMENTS": 20,
    "SCOPE_MAX_REPEATS": 3,
    "SCOPE_MAX_CYCLES": 2,
    "SCOPE_YEARS_AHEAD": 1,
    "SCOPE_FIRST_YEAR": 1990,
    "SCOPE_MAX_PARAMETERS": 12,
    "SCOPE_MAX_SAME_PARAMETER": 3,
    "SCOPE_MAX_COMBINATIONS": 300,
    "SCOPE_COPY_PAGES": 200,
    "SCOPE_NEAR_BITS": 3,
    "SCOPE_NEAR_TEXT": 500,
    "SCOPE_THIN_TEXT": 500,
    "SCOPE_DUST_PAGES": 3,
    "SCOPE_MIRROR_PAGES": 5,
    "SCOPE_MIRROR_SHARE": 0.9,
    "FRONTIER_CLASSES": 60,
    "FRONTIER_TAKE": 32,
    "FRONTIER_COMMIT": 1.0,
    "FRONTIER_SITE_EARNS": 20,
    "FRONTIER_PAGE_FACTOR": 4.5,
    "FRONTIER_PAGE_BYTES": 32768,
    "FRONTIER_FRONT": 1000,
    "FRONTIER_FRONT_MAX": 100000,
    "PRIORITY_SHRINK": 2.0,
    "PRIORITY_CURIOSITY": 0.1,
    "PRIORITY_CREDIT": 0.7,
    "PRIORITY_STEPS": 8,
    "PRIORITY_VISITS": 200000,
    "PRIORITY_RATE": 0.1,
    "PRIORITY_PATHS": 200,
    "PRIORITY_LOOKED_AT": 4,
    "PRIORITY_SITES": 50000,
    "PRIORITY_SAVE": 60.0,
    "PRIORITY_LEVELS": 8,
    "REVISIT_HUBS": 50000,
    "LIST_OPEN_BYTES": 30000000,
    "PROBE_SINGLE_BYTES": 65536,
    "PROBE_MAX_RECORD_BYTES": 131072,
    "RECHECK_BELOW": 0.9,
    "FEEDS_FIRST_INTERVAL": 3600.0,
    "MOJIBAKE_HISTORY_HOSTS": 10000,
    "STATS_FILE_INTERVAL": 10.0,
    "HARVEST_EVERY": 1000,
    "PROGRESS_INTERVAL": 1.0,
    "BREAKER_SITE_ERRORS": 5,
    "BREAKER_WINDOW": 60.0,
    "BREAKER_SILENCE": 30.0,
    "GC_THRESHOLD": 50000,
    "RESOLVER_CONCURRENCY": 64,
    "RESOLVER_CACHE": 100000,
    "RESOLVER_MIN_TTL": 60.0,
    "RESOLVER_MAX_TTL": 86400.0,
    "RESOLVER_NEGATIVE_TTL": 3600.0,
    "RESOLVER_FAILURE_TTL": 30.0,
}
"""Settings that earlier versions had -> the value that is fixed now."""

_SCRAPY_REDIS = frozenset(
    {
        *("REDIS_ENCODING", "REDIS_DECODE_RESPONSES", "REDIS_START_URLS_AS_SET", "REDIS_START_URLS_AS_ZSET"),
        *("REDIS_CLS", "REDIS_CONCURRENT_REQUESTS", "SCHEDULER_PERSIST", "SCHEDULER_FLUSH_ON_START"),
        *("SCHEDULER_IDLE_BEFORE_CLOSE", "SCHEDULER_QUEUE_KEY", "SCHEDULER_QUEUE_CLASS", "SCHEDULER_SERIALIZER"),
        *("SCHEDULER_DUPEFILTER_KEY", "SCHEDULER_DUPEFILTER_CLASS", "DUPEFILTER_KEY", "STATS_KEY"),
        *("MAX_IDLE_TIME_BEFORE_CLOSE", "CONCURRENT_REQUESTS_PER_IP"),
    }
)
"""Settings of scrapy-redis, and of older versions of Scrapy, that look like mistyped ones of ours."""


def _first_word(name: str) -> str:
    return name.partition("_")[0].upper()


_OURS = frozenset(name for name in KINDS if not hasattr(default_settings, name))
_SCRAPYS = frozenset(name for name in dir(default_settings) if name.isupper())
_FOREIGN = frozenset(map(_first_word, _SCRAPYS | _SCRAPY_REDIS)) | {"LIST", "PAGE"}
"""First words that settings of others may have as well."""
_PREFIXES = {first for first, number in Counter(map(_first_word, _OURS)).items() if number > 1} - _FOREIGN
"""First words of several settings of ours, and of none of Scrapy's."""


_TOLD: set[str] = set()


class SettingsError(ValueError):
    """Settings cannot be used. The message is one sentence for each, one a line."""


def wrong_values(settings: BaseSettings) -> list[str]:
    """One sentence for each setting whose value cannot be used: the setting, its value, and what is expected.

    Args:
        settings: of a crawl or a command, with all that the user has set.
    """
    return list(filter(None, (_wrong(settings, name, kind) for name, kind in KINDS.items() if name in settings)))


def unknown_names(settings: BaseSettings) -> Iterator[str]:
    """One sentence for each setting that nobody reads and that looks like one of ours, or like one of Scrapy's.

    Args:
        settings: of a crawl or a command, with all that the user has set.
    """
    for name in settings:
        if name in KINDS or name in _SCRAPYS or name in _SCRAPY_REDIS:
            continue
        if name in REMOVED:
            yield f"{name} is no longer a setting; its value is fixed at {REMOVED[name]:g}"
        elif _first_word(name) in _PREFIXES:
            yield f"{name} is no setting of mediacrawl, and changes nothing{did_you_mean(name, KINDS)}"
        elif alike := nearest(name, _OURS | _SCRAPYS, _ALIKE):
            yield f"{name} is no setting of mediacrawl or Scrapy; did you mean {alike}?"


def check_settings(settings: BaseSettings, warn: Callable[[str, str], object]) -> None:
    """See that settings can be used, and tell of each that nobody reads, once in a process.

    Args:
        settings: of a crawl or a command.
        warn: told as `logging.Logger.warning` is.

    Raises:
        SettingsError: one cannot be used.
    """
    for sentence in unknown_names(settings):
        if sentence not in _TOLD:
            _TOLD.add(sentence)
            warn("%s", sentence)
    if wrong := wrong_values(settings):
        raise SettingsError("\n".join(wrong))


def user_function(setting: str, named: object, arguments: int) -> UserFunction:
    """The function of the user's that a setting names.

    Args:
        setting: its name.
        named: its value.
        arguments: how many the function is called with.

    Raises:
        ValueError: it cannot be loaded, or called so.
    """
    from mediacrawl.priority.nuggets import UserFunction  # noqa: PLC0415

    return UserFunction(setting, _loaded(setting, named), arguments)


def fields_setting(settings: BaseSettings) -> Sequence[str] | Mapping[str, str] | None:
    """``MOJIBAKE_FIELDS``: a list, a mapping, or as text from a command line ``title,artist`` or JSON; None if empty.

    Raises:
        ValueError: it is none of these.
    """
    fields = OwnSettings(settings).get("MOJIBAKE_FIELDS") or None
    if isinstance(fields, str):
        fields = _of_json(fields) if fields.lstrip().startswith(("{", "[")) else fields.split(",")
    if isinstance(fields, Mapping):
        return {str(name): str(raw or "") for name, raw in fields.items()}
    if fields is None or isinstance(fields, (list, tuple)):
        return fields and [str(name).strip() for name in fields]
    raise ValueError(f"MOJIBAKE_FIELDS = {_short(fields)} cannot be used: it must be {_FIELDS}")


def _of_json(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _loaded(setting: str, named: Any) -> Any:
    try:
        return load_object(named)
    except Exception as error:
        # A module of the user's may raise anything when it is imported.
        raise ValueError(f"{setting} = {named!r} cannot be loaded: {error}") from error


def _wrong(settings: BaseSettings, name: str, kind: Kind) -> str:
    value, default = settings.get(name), getattr(ours, name, None)
    if value is default or (value is None and name in _SCRAPYS):
        return ""
    try:
        kind.read(settings, name)
    except (ValueError, TypeError, OverflowError) as error:
        if str(error).startswith(name):
            return str(error)
    else:
        return ""
    shown = "" if kind.is_secret else f" = {_short(value)}"
    example = f", as in {default:g}" if kind.has_example and default is not None else ""
    hint = did_you_mean(str(value), kind.choices)
    return f"{name}{shown} cannot be used: it must be {kind.expected}{example}{hint}"


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."

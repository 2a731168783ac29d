"""Checks settings before a crawl or a command begins: values that cannot be used, and names that nobody reads.

What a value may be is declared in ``mediacrawl/settings.py``, for settings of mediacrawl and for those of Scrapy that
would end in a traceback.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import get_type_hints

from scrapy.settings import BaseSettings, default_settings

import mediacrawl.settings as declared
from mediacrawl.nearest import did_you_mean, nearest
from mediacrawl.setting_types import SettingType, shown

_ALIKE = 0.9
"""Least likeness of a name outside our prefixes that is taken for a mistyped one: other people have settings too."""

TYPES: dict[str, SettingType] = {
    name: hint.__metadata__[0] for name, hint in get_type_hints(declared, include_extras=True).items()
}
"""Name of a setting -> what its value may be, in the order of ``settings.py``."""

_REMOVED = """
    POLITENESS_TAIL_SITES=100 POLITENESS_ADDRESS_MAX_DELAY=60 BACKOFF_JITTER=0.25 BACKOFF_REST_MAX=86400
    BACKOFF_FORBIDDEN=20 ROBOTS_MIN_AGE=3600 ROBOTS_GIVE_UP=2592000 SCOPE_MAX_SEGMENTS=20 SCOPE_MAX_REPEATS=3
    SCOPE_MAX_CYCLES=2 SCOPE_YEARS_AHEAD=1 SCOPE_FIRST_YEAR=1990 SCOPE_MAX_PARAMETERS=12 SCOPE_MAX_SAME_PARAMETER=3
    SCOPE_MAX_COMBINATIONS=300 SCOPE_COPY_PAGES=200 SCOPE_NEAR_BITS=3 SCOPE_NEAR_TEXT=500 SCOPE_THIN_TEXT=500
    SCOPE_DUST_PAGES=3 FRONTIER_CLASSES=60 FRONTIER_TAKE=32
    FRONTIER_COMMIT=1 FRONTIER_SITE_EARNS=20 FRONTIER_PAGE_FACTOR=4.5 FRONTIER_PAGE_BYTES=32768 FRONTIER_FRONT=1000
    FRONTIER_FRONT_MAX=100000 PRIORITY_SHRINK=2 PRIORITY_CURIOSITY=0.1 PRIORITY_CREDIT=0.7 PRIORITY_STEPS=8
    PRIORITY_VISITS=200000 PRIORITY_RATE=0.1 PRIORITY_PATHS=200 PRIORITY_LOOKED_AT=4 PRIORITY_SITES=50000
    PRIORITY_SAVE=60 PRIORITY_LEVELS=8 REVISIT_HUBS=50000 LIST_OPEN_BYTES=30000000 PROBE_SINGLE_BYTES=65536
    PROBE_MAX_RECORD_BYTES=131072 RECHECK_BELOW=0.9 FEEDS_FIRST_INTERVAL=3600 MOJIBAKE_HISTORY_HOSTS=10000
    STATS_FILE_INTERVAL=10 HARVEST_EVERY=1000 PROGRESS_INTERVAL=1 BREAKER_SITE_ERRORS=5 BREAKER_WINDOW=60
    BREAKER_SILENCE=30 GC_THRESHOLD=50000 RESOLVER_CONCURRENCY=64 RESOLVER_CACHE=100000 RESOLVER_MIN_TTL=60
    RESOLVER_MAX_TTL=86400 RESOLVER_NEGATIVE_TTL=3600 RESOLVER_FAILURE_TTL=30
"""
REMOVED = dict(pair.split("=") for pair in _REMOVED.split())
"""Settings of earlier versions -> the value that is fixed now."""

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


_OURS = frozenset(name for name in TYPES if not hasattr(default_settings, name))
_SCRAPYS = frozenset(name for name in dir(default_settings) if name.isupper())
_SHARED_WORDS = frozenset(map(_first_word, _SCRAPYS | _SCRAPY_REDIS)) | {"LIST", "PAGE"}
"""First words that settings of others may have as well."""
_PREFIXES = {word for word, times in Counter(map(_first_word, _OURS)).items() if times > 1} - _SHARED_WORDS
"""First words of several settings of ours, and of none of Scrapy's."""

_WARNED: set[str] = set()


class SettingsError(ValueError):
    """Settings cannot be used. The message is one sentence for each, one a line."""


def wrong_values(settings: BaseSettings) -> list[str]:
    """One sentence for each setting whose value cannot be used: its name, its value, and what is expected."""
    return list(filter(None, (_wrong(settings, name, kind) for name, kind in TYPES.items() if name in settings)))


def unknown_names(settings: BaseSettings) -> Iterator[str]:
    """One sentence for each setting that was removed, or that looks like a mistyped one of mediacrawl or Scrapy."""
    for name in settings:
        if name in TYPES or name in _SCRAPYS or name in _SCRAPY_REDIS:
            continue
        if name in REMOVED:
            yield f"{name} is no longer a setting; its value is fixed at {REMOVED[name]}"
        elif _first_word(name) in _PREFIXES:
            yield f"{name} is not a setting of mediacrawl and has no effect{did_you_mean(name, TYPES)}"
        elif alike := nearest(name, _OURS | _SCRAPYS, _ALIKE):
            yield f"{name} is not a setting of mediacrawl or Scrapy; did you mean {alike}?"


def changed_settings(settings: BaseSettings) -> dict[str, str]:
    """The settings whose values differ from those in ``mediacrawl/settings.py``, as messages show them.

    A value that may hold a password is not shown.
    """
    changed = dict[str, str]()
    for name, kind in TYPES.items():
        if hasattr(declared, name) and name in settings and settings.get(name) != getattr(declared, name):
            changed[name] = "(not shown)" if kind.is_secret else shown(settings.get(name))
    return changed


def check_settings(settings: BaseSettings, warn: Callable[[str, str], object]) -> None:
    """Check that all settings can be used, and warn of names that nobody reads, once in a process.

    Raises:
        SettingsError: one cannot be used.
    """
    for sentence in unknown_names(settings):
        if sentence not in _WARNED:
            _WARNED.add(sentence)
            warn("%s", sentence)
    if wrong := wrong_values(settings):
        raise SettingsError("\n".join(wrong))


def _wrong(settings: BaseSettings, name: str, kind: SettingType) -> str:
    value, default = settings.get(name), getattr(declared, name, None)
    if value is default or (value is None and name in _SCRAPYS):
        return ""
    try:
        kind.read(settings, name)
    except (ValueError, TypeError, OverflowError) as error:
        if str(error).startswith(name) and str(error) != name:
            return str(error)
    else:
        return ""
    given = "" if kind.is_secret else f" = {shown(value)}"
    example = f", as in {default:g}" if kind.has_example and default is not None else ""
    hint = did_you_mean(str(value), kind.choices)
    return f"{name}{given} cannot be used: it must be {kind.expected}{example}{hint}"

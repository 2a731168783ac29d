"""Checks settings before a crawl or a command begins: values that cannot be used, and names that nobody reads.

What a value may be is declared in ``mediacrawl/settings.py``, for settings of mediacrawl and for those of Scrapy that
would end in a traceback. A value of many parts is also read by those who use it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, get_type_hints

from scrapy.settings import BaseSettings, default_settings
from scrapy.utils.misc import load_object

import mediacrawl.settings as declared
from mediacrawl.base.nearest import did_you_mean, nearest
from mediacrawl.base.notices import target_problem
from mediacrawl.base.setting_types import SettingType, shown
from mediacrawl.crawl.connection import key_of
from mediacrawl.crawl.own_settings import locate
from mediacrawl.politeness.addresses import Guard, NamePolicy, fixed_hosts, server_of
from mediacrawl.politeness.delay import factors_by_hour
from mediacrawl.priority.links import Scores

if TYPE_CHECKING:
    from mediacrawl.priority.nuggets import UserFunction

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
    STATS_FILE_INTERVAL=10 HARVEST_FILE=history.jl HARVEST_EVERY=1000
    PROGRESS_INTERVAL=1 BREAKER_SITE_ERRORS=5 BREAKER_WINDOW=60
    BREAKER_SILENCE=30 GC_THRESHOLD=50000 RESOLVER_CONCURRENCY=64 RESOLVER_CACHE=100000 RESOLVER_MIN_TTL=60
    RESOLVER_MAX_TTL=86400 RESOLVER_NEGATIVE_TTL=3600 RESOLVER_FAILURE_TTL=30
"""
REMOVED = dict(pair.split("=") for pair in _REMOVED.split())
"""Settings of earlier versions -> the value that is fixed now."""

_OURS = frozenset(name for name in TYPES if not hasattr(default_settings, name))
_SCRAPYS = frozenset(name for name in dir(default_settings) if name.isupper())


def _first_word(name: str) -> str:
    return name.partition("_")[0].upper()


_SHARED_WORDS = {*map(_first_word, _SCRAPYS), "REDIS", "LIST", "PAGE"}
"""First words that settings of others may have as well."""
_PREFIXES = {word for word, times in Counter(map(_first_word, _OURS)).items() if times > 1} - _SHARED_WORDS
"""First words of several settings of ours, and of none of Scrapy's."""

_WARNED: set[str] = set()


class SettingsError(ValueError):
    """Settings cannot be used. The message is one sentence for each, one a line."""


def wrong_values(settings: BaseSettings) -> list[str]:
    """Return a sentence for each setting whose value cannot be used: its name, its value, and what is expected."""
    return list(filter(None, (_wrong(settings, name, kind) for name, kind in TYPES.items() if name in settings)))


def unknown_names(settings: BaseSettings) -> Iterator[str]:
    """Yield a sentence for each setting that was removed, or that looks like a mistyped one of mediacrawl or Scrapy."""
    for name in settings:
        if name in TYPES or name in _SCRAPYS:
            continue
        if name in REMOVED:
            yield f"{name} is no longer a setting; its value is fixed at {REMOVED[name]}"
        elif _first_word(name) in _PREFIXES:
            yield f"{name} is not a setting of mediacrawl and has no effect{did_you_mean(name, TYPES)}"
        elif alike := nearest(name, _OURS | _SCRAPYS, _ALIKE):
            yield f"{name} is not a setting of mediacrawl or Scrapy; did you mean {alike}?"


def changed_settings(settings: BaseSettings) -> dict[str, str]:
    """Return the settings whose values differ from those in ``mediacrawl/settings.py``, as messages show them.

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
    given = "" if kind.is_secret else f" = {shown(value)}"
    example = f", as in {default:.15g}" if kind.has_example and default is not None else ""
    expected = f"it must be {kind.expected}{example}{did_you_mean(str(value), kind.choices)}"
    try:
        parts = kind.read(settings, name)
    except (ValueError, TypeError, OverflowError):
        return f"{name}{given} cannot be used: {expected}"
    try:
        if value and name in _PART_READERS:
            _PART_READERS[name](parts)
    except OSError as error:
        return f"{name}{given} cannot be read: {error.strerror}"
    except (ValueError, TypeError) as error:
        # A message that begins with the name of the setting is a whole sentence.
        return str(error) if str(error).startswith(name) else f"{name}{given} cannot be used: {error or expected}"
    return ""


def loaded(setting: str, path: Any) -> Any:
    """Load the function or class that a setting names by its dotted path.

    Raises:
        ValueError: it cannot be loaded.
    """
    try:
        return load_object(path)
    except Exception as error:
        # A module of the user's may raise anything when it is imported.
        raise ValueError(f"{setting} = {shown(path)} cannot be loaded: {error}") from error


def user_function(setting: str, arguments: int, path: Any) -> UserFunction:
    """Load the function that a setting names.

    Raises:
        ValueError: it cannot be loaded, or not be called with so many arguments.
    """
    from mediacrawl.priority.nuggets import UserFunction  # noqa: PLC0415 - a third of a second

    return UserFunction(setting, loaded(setting, path), arguments)


def _read_extensions(path: str) -> None:
    from mediacrawl.scope.gate import ExtensionFilter  # noqa: PLC0415 - a quarter of a second

    ExtensionFilter.load(locate(path))


def _read_adapters(folder: str) -> None:
    from mediacrawl.site_adapters import SiteAdapters  # noqa: PLC0415 - a fifth of a second

    SiteAdapters.load(locate(folder))


def _read_target(target: str) -> None:
    if problem := target_problem(target):
        raise ValueError(f"it {problem}")


_PART_READERS: dict[str, Callable[[Any], object]] = {
    **dict.fromkeys(("REDIS_FRONTIER_KEY", "REDIS_START_URLS_KEY", "REDIS_ITEMS_KEY"), partial(key_of, spider="media")),
    "REDIS_ITEMS_SERIALIZER": partial(loaded, "REDIS_ITEMS_SERIALIZER"),
    "POLITENESS_HOURS": factors_by_hour,
    "SCOPE_EXTENSIONS_FILE": _read_extensions,
    "PRIORITY_SCORES": Scores,
    "NUGGET_FUNCTION": partial(user_function, "NUGGET_FUNCTION", 2),
    "NUGGET_WORTH_OPENING": partial(user_function, "NUGGET_WORTH_OPENING", 3),
    "ADAPTERS_DIR": _read_adapters,
    "NOTIFY": _read_target,
    "RESOLVER_HOSTS": fixed_hosts,
    "RESOLVER_SERVERS": lambda servers: list(map(server_of, servers)),
    "RESOLVER_FAMILIES": lambda families: NamePolicy(families=tuple(families)),
    "GUARD_ALLOW": Guard,
}
"""For settings whose values have parts: what reads them."""

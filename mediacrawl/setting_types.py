"""The types of settings: what a value may be, and how it is checked.

``mediacrawl/settings.py`` declares a setting as ``NAME: kind.Seconds = 30.0``; `Seconds` is a type of Python that is
annotated with a `SettingType`.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import inf, isfinite
from os import PathLike
from typing import TYPE_CHECKING, Annotated, Any

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

    from mediacrawl.priority.nuggets import UserFunction

_PORTS = 65_536
_SHOWN = 100
"""Characters of a value that are shown."""
_FIELDS = "a list of names, or a mapping of names to names of raw bytes"
_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")


@dataclass(frozen=True, slots=True)
class SettingType:
    """The values that a setting may have.

    Attributes:
        expected: describes them, as the end of a sentence that begins "it must be".
        read: reads a setting as the crawl does. It raises ValueError or TypeError if the value cannot be used. A
            message that begins with the name of the setting is a whole sentence.
        choices: the words that a value may be, for suggestions.
        has_example: whether the default is shown as an example.
        is_secret: whether a value may hold a password, and is not shown.
    """

    expected: str
    read: Callable[[BaseSettings, str], object]
    choices: tuple[str, ...] = ()
    has_example: bool = False
    is_secret: bool = False


def number(what: str = "a number", least: float = 0.0, most: float = inf, *, above: bool = False) -> SettingType:
    """A finite number.

    Args:
        what: names it, with its unit.
        least: the least value.
        most: the greatest value.
        above: whether it must be greater than `least`.
    """

    def read(settings: BaseSettings, name: str) -> None:
        value = settings.getfloat(name)
        if not isfinite(value) or not least <= value <= most or (above and value == least):
            raise ValueError(value)

    return SettingType(f"{what}, {_range(least, most, above=above)}", read, has_example=True)


def whole(what: str = "a whole number", least: int = 0, most: float = inf) -> SettingType:
    """A whole number. The arguments are those of `number`."""

    def read(settings: BaseSettings, name: str) -> None:
        value = settings.getint(name)
        if not least <= value <= most or value != settings.getfloat(name):
            raise ValueError(value)

    return SettingType(f"{what}, {_range(least, most)}", read, has_example=True)


def _range(least: float, most: float, *, above: bool = False) -> str:
    if above:
        return f"above {least:g}" + (f" and at most {most:g}" if most < inf else "")
    return f"{least:g} to {most:g}" if most < inf else f"{least:g} or more"


def one_of(*words: str, url: str = "") -> SettingType:
    """One of some words, of which the first stands for empty text; with `url` also a URL, described by it."""

    def read(settings: BaseSettings, name: str) -> None:
        value = str(settings.get(name) or words[0]).strip()
        if value not in words and not (url and "://" in value):
            raise ValueError(value)

    listed = f"{', '.join(words)} or {url}" if url else f"{', '.join(words[:-1])} or {words[-1]}"
    return SettingType(listed, read, choices=words)


def function(arguments: int) -> SettingType:
    """The path of a function of the user's with so many positional arguments; empty for none."""

    def read(settings: BaseSettings, name: str) -> None:
        if path := settings.get(name):
            user_function(name, path, arguments)

    return SettingType(f"the path of a function of {arguments} arguments, as package.module.function", read)


def user_function(setting: str, path: object, arguments: int) -> UserFunction:
    """Load the function that a setting names.

    Args:
        setting: the name of the setting.
        path: its value.
        arguments: how many the function is called with.

    Raises:
        ValueError: it cannot be loaded, or not be called with so many.
    """
    from mediacrawl.priority.nuggets import UserFunction  # noqa: PLC0415

    return UserFunction(setting, _loaded(setting, path), arguments)


def _loaded(setting: str, path: Any) -> Any:
    from scrapy.utils.misc import load_object  # noqa: PLC0415 - the settings module imports no Scrapy

    try:
        return load_object(path)
    except Exception as error:
        # A module of the user's may raise anything when it is imported.
        raise ValueError(f"{setting} = {path!r} cannot be loaded: {error}") from error


def fields_setting(value: object) -> Sequence[str] | Mapping[str, str] | None:
    """Read the value of ``MOJIBAKE_FIELDS``: a list, a mapping, or text: ``title,artist`` or JSON. None if it is empty.

    Raises:
        ValueError: it is none of these.
    """
    fields = value or None
    if isinstance(fields, str):
        fields = _of_json(fields) if fields.lstrip().startswith(("{", "[")) else fields.split(",")
    if isinstance(fields, Mapping):
        return {str(name): str(raw or "") for name, raw in fields.items()}
    if fields is None or isinstance(fields, (list, tuple)):
        return fields and [str(name).strip() for name in fields]
    raise ValueError(f"MOJIBAKE_FIELDS = {shown(fields)} cannot be used: it must be {_FIELDS}")


def _of_json(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return text


def list_setting(settings: BaseSettings, name: str, default: list[Any] | None = None) -> list[Any]:
    """Read a list, also one that a command line gives as text: ``a,b`` or JSON (ValueError if it is damaged)."""
    value = settings.get(name)
    if not isinstance(value, str):
        return settings.getlist(name, default)
    if value.lstrip().startswith("["):
        return list(json.loads(value))
    return [word.strip() for word in value.split(",") if word.strip()]


def shown(value: object) -> str:
    """A value as messages show it: its beginning."""
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def _read_level(settings: BaseSettings, name: str) -> None:
    level = settings.get(name)
    if not isinstance(level, int) and level is not None:
        value = logging.getLevelName(str(level).upper())
        if not isinstance(value, int):
            raise ValueError(level)


def _read_text(settings: BaseSettings, name: str) -> None:
    if not isinstance(settings.get(name), str | PathLike | None):
        raise TypeError(name)


def _read_texts(settings: BaseSettings, name: str) -> None:
    if not all(isinstance(each, str | PathLike) for each in list_setting(settings, name)):
        raise TypeError(name)


# The readers below import what they use only for a setting that somebody has set.


def _read_key(settings: BaseSettings, name: str) -> None:
    from mediacrawl.connection import key_of  # noqa: PLC0415

    _read_text(settings, name)
    if template := settings.get(name):
        key_of(template, "media")


def _read_object(settings: BaseSettings, name: str) -> None:
    if path := settings.get(name):
        _loaded(name, path)


def _read_extensions(settings: BaseSettings, name: str) -> None:
    from mediacrawl.files import locate  # noqa: PLC0415
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


def _read_adapters(settings: BaseSettings, name: str) -> None:
    from mediacrawl.files import locate  # noqa: PLC0415
    from mediacrawl.site_adapters.loading import AdapterError  # noqa: PLC0415
    from mediacrawl.site_adapters.registry import SiteAdapters  # noqa: PLC0415

    _read_text(settings, name)
    folder = settings.get(name)
    if not folder:
        return
    try:
        SiteAdapters.load(locate(folder))
    except AdapterError as error:
        raise ValueError(f"{name} = {str(folder)!r} cannot be used:\n{error}") from error


def _read_hours(settings: BaseSettings, name: str) -> None:
    from mediacrawl.politeness.delay import factors_by_hour  # noqa: PLC0415

    factors_by_hour(settings.getdict(name))


def _read_scores(settings: BaseSettings, name: str) -> None:
    from mediacrawl.priority.score import Scores  # noqa: PLC0415

    Scores(settings.getdict(name))


def _read_hosts(settings: BaseSettings, name: str) -> None:
    from mediacrawl.politeness.dns import fixed_hosts  # noqa: PLC0415

    fixed_hosts(settings.getdict(name))


def _read_servers(settings: BaseSettings, name: str) -> None:
    from mediacrawl.politeness.dns import server_of  # noqa: PLC0415

    _read_texts(settings, name)
    for server in list_setting(settings, name):
        server_of(server)


def _read_families(settings: BaseSettings, name: str) -> None:
    from mediacrawl.politeness.dns import NamePolicy  # noqa: PLC0415

    _read_texts(settings, name)
    NamePolicy(families=tuple(list_setting(settings, name)))


def _read_ports(settings: BaseSettings, name: str) -> None:
    if not all(0 <= int(port) < _PORTS for port in list_setting(settings, name)):
        raise ValueError(name)


def _read_networks(settings: BaseSettings, name: str) -> None:
    from mediacrawl.politeness.address_guard import Guard  # noqa: PLC0415

    _read_texts(settings, name)
    Guard(list_setting(settings, name))


def _read_target(settings: BaseSettings, name: str) -> None:
    from mediacrawl.observe.notices import target_problem  # noqa: PLC0415

    target = settings.get(name)
    if not isinstance(target, str) or (target and target_problem(target)):
        raise ValueError(name)


Number = Annotated[float, number()]
Seconds = Annotated[float, number("a number of seconds")]
PositiveSeconds = Annotated[float, number("a number of seconds", above=True)]
Fraction = Annotated[float, number("a share", 0.0, 1.0)]
PositiveFraction = Annotated[float, number("a share", 0.0, 1.0, above=True)]
NonNegativeInt = Annotated[int, whole()]
PositiveInt = Annotated[int, whole(least=1)]
Bytes = Annotated[int, whole("a whole number of bytes")]
Switch = Annotated[bool, SettingType("True or False (1 or 0)", lambda settings, name: settings.getbool(name))]
PlainText = Annotated[str, SettingType("text", _read_text)]
Secret = Annotated[str, SettingType("text", _read_text, is_secret=True)]
FilePath = Annotated[str, SettingType("a path", _read_text)]
FilePaths = Annotated[list[str], SettingType("a list of paths", _read_texts)]
NameList = Annotated[list[str], SettingType("a list of names", _read_texts)]
RedisKey = Annotated[str, SettingType("a key of Redis, as '%(spider)s:items'", _read_key)]
ObjectPath = Annotated[str, SettingType("the path of a function or class, as package.module.name", _read_object)]
JsonObject = Annotated[
    dict[str, object],
    SettingType("a mapping, written as JSON", lambda settings, name: settings.getdict(name), is_secret=True),
]
Hours = Annotated[dict[str, float], SettingType("a mapping of hours to factors, as {'8-18': 2.0}", _read_hours)]
ExtensionsFile = Annotated[str, SettingType("the path of a file", _read_extensions)]
AdaptersFolder = Annotated[str, SettingType("the path of a folder", _read_adapters)]
Ports = Annotated[list[int], SettingType("a list of ports, 0 to 65,535", _read_ports)]
RuleScores = Annotated[dict[str, float], SettingType("a mapping of rules to scores, as {'media': 1.0}", _read_scores)]
FieldNames = Annotated[
    list[str] | dict[str, str], SettingType(_FIELDS, lambda settings, name: fields_setting(settings.get(name)))
]
Hosts = Annotated[
    dict[str, str | list[str]], SettingType("a mapping of names to addresses, written as JSON", _read_hosts)
]
NameServerList = Annotated[list[str], SettingType("a list of addresses", _read_servers)]
Families = Annotated[list[str], SettingType("a list of ipv4 and ipv6", _read_families)]
Networks = Annotated[list[str], SettingType("a list of addresses, networks and names", _read_networks)]
NoticeTarget = Annotated[
    str, SettingType("the URL of a webhook, or a command with its arguments", _read_target, is_secret=True)
]
LogLevel = Annotated[str, SettingType(f"{', '.join(_LEVELS)} or a number", _read_level, choices=_LEVELS)]

"""The types of settings: what a value may be, and how text is read as one.

``mediacrawl/settings.py`` declares a setting as ``NAME: kind.Seconds = 30.0``; `Seconds` is a type of Python that is
annotated with a `SettingType`. What the parts of a value may be is known to those who use them, and checked by
`crawl.setting_checks`.
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

_FIELDS = "a list of names, or a mapping of names to names of raw bytes"
_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")


@dataclass(frozen=True, slots=True)
class SettingType:
    """The values that a setting may have.

    Attributes:
        expected: describes them, as the end of a sentence that begins "it must be".
        read: returns a setting as the crawl reads it. It raises ValueError or TypeError if it cannot be used.
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
    """Return the type of a finite number.

    Args:
        what: names it, with its unit.
        least: the least value.
        most: the greatest value.
        above: whether it must be greater than `least`.
    """

    def read(settings: BaseSettings, name: str) -> float:
        value = settings.getfloat(name)
        if not isfinite(value) or not least <= value <= most or (above and value == least):
            raise ValueError(value)
        return value

    span = f"{least:g} to {most:g}" if most < inf else f"{least:g} or more"
    if above:
        span = f"above {least:g}" + (f" and at most {most:g}" if most < inf else "")
    return SettingType(f"{what}, {span}", read, has_example=True)


def whole(what: str = "a whole number", least: int = 0, most: float = inf) -> SettingType:
    """Return the type of a whole number. The arguments are those of `number`."""
    some = number(what, least, most)

    def read(settings: BaseSettings, name: str) -> int:
        value = settings.getint(name)
        if value != some.read(settings, name):
            raise ValueError(value)
        return value

    return SettingType(some.expected, read, has_example=True)


def one_of(*words: str, url: str = "") -> SettingType:
    """Return the type of one of some words, the first of which is empty text's; with `url` also a URL of this kind."""

    def read(settings: BaseSettings, name: str) -> str:
        value = str(settings.get(name) or words[0]).strip()
        if value not in words and not (url and "://" in value):
            raise ValueError(value)
        return value

    listed = f"{', '.join(words)} or {url}" if url else f"{', '.join(words[:-1])} or {words[-1]}"
    return SettingType(listed, read, choices=words)


def text(expected: str = "text", *, is_secret: bool = False) -> SettingType:
    """Return the type of text, or of a path."""

    def read(settings: BaseSettings, name: str) -> object:
        value = settings.get(name)
        if not isinstance(value, str | PathLike | None):
            raise TypeError(value)
        return value

    return SettingType(expected, read, is_secret=is_secret)


def texts(expected: str) -> SettingType:
    """Return the type of a list of texts, or of paths."""

    def read(settings: BaseSettings, name: str) -> list[Any]:
        value = list_setting(settings, name)
        if not all(isinstance(each, str | PathLike) for each in value):
            raise TypeError(value)
        return value

    return SettingType(expected, read)


def mapping(expected: str, *, is_secret: bool = False) -> SettingType:
    """Return the type of a mapping, which a command line gives as JSON."""
    return SettingType(expected, lambda settings, name: settings.getdict(name), is_secret=is_secret)


def loadable(expected: str) -> SettingType:
    """Return the type of a function or class, or of its dotted path; empty text is none."""
    return SettingType(expected, lambda settings, name: settings.get(name))


def function(arguments: int) -> SettingType:
    """Return the type of a function of the user's with so many positional arguments."""
    return loadable(f"the path of a function of {arguments} arguments, as package.module.function")


def fields_setting(value: object) -> Sequence[str] | Mapping[str, str] | None:
    """Read the value of ``MOJIBAKE_FIELDS``: a list, a mapping, or text: ``title,artist`` or JSON. None if it is empty.

    Raises:
        ValueError: it is none of these.
    """
    fields = value or None
    if isinstance(fields, str):
        try:
            fields = json.loads(fields) if fields.lstrip().startswith(("{", "[")) else fields.split(",")
        except ValueError as error:
            raise ValueError(f"MOJIBAKE_FIELDS = {shown(fields)} cannot be used: it must be {_FIELDS}") from error
    if isinstance(fields, Mapping):
        return {str(name): str(raw or "") for name, raw in fields.items()}
    if fields is None or isinstance(fields, (list, tuple)):
        return fields and [str(name).strip() for name in fields]
    raise ValueError(f"MOJIBAKE_FIELDS = {shown(fields)} cannot be used: it must be {_FIELDS}")


def list_setting(settings: BaseSettings, name: str, default: list[Any] | None = None) -> list[Any]:
    """Read a list, also one that a command line gives as text: ``a,b`` or JSON (ValueError if it is damaged)."""
    value = settings.get(name)
    if not isinstance(value, str):
        return settings.getlist(name, default)
    if value.lstrip().startswith("["):
        return list(json.loads(value))
    return [word.strip() for word in value.split(",") if word.strip()]


def shown(value: object) -> str:
    """Return a value as messages show it: at most its first 100 characters."""
    written = repr(value)
    return written if len(written) <= 100 else f"{written[:100]}..."


def _read_level(settings: BaseSettings, name: str) -> None:
    level = settings.get(name)
    if level is not None and not isinstance(level, int) and str(level).upper() not in logging.getLevelNamesMapping():
        raise ValueError(level)


def _read_ports(settings: BaseSettings, name: str) -> None:
    if not all(0 <= int(port) <= 65_535 for port in list_setting(settings, name)):
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
PlainText = Annotated[str, text()]
Secret = Annotated[str, text(is_secret=True)]
FilePath = Annotated[str, text("a path")]
FilePaths = Annotated[list[str], texts("a list of paths")]
NameList = Annotated[list[str], texts("a list of names")]
RedisKey = Annotated[str, text("a key of Redis, as '%(spider)s:items'")]
ObjectPath = Annotated[str, loadable("the path of a function or class, as package.module.name")]
JsonObject = Annotated[dict[str, object], mapping("a mapping, written as JSON", is_secret=True)]
Hours = Annotated[dict[str, float], mapping("a mapping of hours to factors, as {'8-18': 2.0}")]
ExtensionsFile = Annotated[str, text("the path of a file")]
AdaptersFolder = Annotated[str, text("the path of a folder")]
Ports = Annotated[list[int], SettingType("a list of ports, 0 to 65,535", _read_ports)]
RuleScores = Annotated[dict[str, float], mapping("a mapping of rules to scores, as {'media': 1.0}")]
FieldNames = Annotated[
    list[str] | dict[str, str], SettingType(_FIELDS, lambda settings, name: fields_setting(settings.get(name)))
]
Hosts = Annotated[dict[str, str | list[str]], mapping("a mapping of names to addresses, written as JSON")]
NameServerList = Annotated[list[str], texts("a list of addresses")]
Families = Annotated[list[str], texts("a list of ipv4 and ipv6")]
Networks = Annotated[list[str], texts("a list of addresses, networks and names")]
NoticeTarget = Annotated[str, text("the URL of a webhook, or a command with its arguments", is_secret=True)]
LogLevel = Annotated[str, SettingType(f"{', '.join(_LEVELS)} or a number", _read_level, choices=_LEVELS)]

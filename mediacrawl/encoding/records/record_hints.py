"""Gathers the hints of a stored record."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Mapping
from typing import Any

from mediacrawl.encoding.decision import Hints, Seen
from mediacrawl.encoding.hints import top_level
from mediacrawl.encoding.records.fields import TextField

_ADDRESSES = ("content_url", "url", "page_url")

_NO_LANGUAGE = frozenset({"", "xxx", "und", "zxx", "mul"})

_LONGEST_ANCHOR = 400

_LONGEST_NAME = 40


def address(item: Mapping[str, Any]) -> str:
    """The URL of the file, or of what else the record describes; empty without one."""
    return next((url for name in _ADDRESSES if (url := _text(item, name))), "")


def hints_of(
    item: Mapping[str, Any], fields: Iterable[TextField], elements: Iterable[Mapping[str, Any]], seen: Seen
) -> Hints:
    """Gathers the hints of a record, except `Hints.declared`, which depends on the order of the fields.

    Args:
        item: the record, of any project.
        fields: all of its fields that are not plain ASCII.
        elements: of its ``tags``.
        seen: counts of the file's host and folder.
    """
    return Hints(
        tld=top_level(address(item)),
        page_language=_text(item, "page_language")[:_LONGEST_NAME],
        page_charset=_text(item, "page_charset")[:_LONGEST_NAME],
        tag_languages=tuple(_languages(elements)),
        anchor=f"{_text(item, 'anchor_text')} {_text(item, 'page_title')}".strip()[:_LONGEST_ANCHOR],
        known=tuple(dict.fromkeys(field.text for field in fields if field.by_user or _reads_as_itself(field))),
        seen=seen,
    )


def _text(item: Mapping[str, Any], name: str) -> str:
    value = item.get(name)
    return value if isinstance(value, str) else ""


def _languages(elements: Iterable[Mapping[str, Any]]) -> Iterable[str]:
    """The languages that frames (COMM, USLT) and the file (TLAN) declare, each once."""
    named: dict[str, None] = {}
    for element in elements:
        language = element["text"] if element["key"] == "language" else element.get("lang")
        if isinstance(language, str) and len(language) <= _LONGEST_NAME and language.isascii():
            named[language.lower()] = None
    return (name for name in named if name not in _NO_LANGUAGE)


def _reads_as_itself(field: TextField) -> bool:
    """Whether a field that is declared as Unicode certainly is.

    UTF-16 needs its byte order mark, since 8-bit text read as UTF-16 looks like Chinese; and one character beyond
    cp1252, since Unicode made from mojibake has none.
    """
    if not field.declared.startswith("utf-") or field.raw is None or "\ufffd" in field.before:
        return False
    if field.declared == "utf-16" and not field.raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return False
    if not field.before.replace("\n", " ").isprintable():
        return False
    try:
        field.before.encode("cp1252")
    except UnicodeEncodeError:
        return True
    return False

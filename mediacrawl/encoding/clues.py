"""What a record tells beside its bytes: from its address, its page and its file to `Hints`."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from mediacrawl.encoding.decision import Hints, Seen
from mediacrawl.encoding.fields import Field
from mediacrawl.encoding.history import place_of

_ADDRESSES = ("content_url", "url", "page_url")
_NO_LANGUAGE = frozenset({"", "xxx", "und", "zxx", "mul"})
_LONGEST_ANCHOR = 400
_LONGEST_NAME = 40


def address(item: Mapping[str, Any]) -> str:
    """The URL of the file, or of what else the record is about; empty without one."""
    return next((url for name in _ADDRESSES if (url := _text(item, name))), "")


def hints_of(
    item: Mapping[str, Any], fields: Iterable[Field], elements: Iterable[Mapping[str, Any]], seen: Seen
) -> Hints:
    """Gathers what else is known of the bytes; `Hints.declared` is left to who knows the order of the fields.

    Args:
        item: the record, of any project.
        fields: all of it that are not plain ASCII.
        elements: of its ``tags``.
        seen: what was found before where the file lies.
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


def top_level(url: str) -> str:
    """The last label of a URL's host, in lower case; empty for an address."""
    # The records of a host differ in what follows it.
    end = url.find("/", len("https://")) if url.startswith(("http://", "https://")) else -1
    return _label(url[:end] if end > 0 else url)


@lru_cache(maxsize=256)
def _label(url: str) -> str:
    label = place_of(url).host.rpartition(".")[2]
    return label if label.isalpha() or label.startswith("xn--") else ""


def _languages(elements: Iterable[Mapping[str, Any]]) -> Iterable[str]:
    """What frames say (COMM, USLT), and what the file says of itself (TLAN); each once."""
    named: dict[str, None] = {}
    for element in elements:
        language = element["text"] if element["key"] == "language" else element.get("lang")
        if isinstance(language, str) and len(language) <= _LONGEST_NAME and language.isascii():
            named[language.lower()] = None
    return (name for name in named if name not in _NO_LANGUAGE)


def _reads_as_itself(field: Field) -> bool:
    """Whether a field that is declared as Unicode surely is what it says.

    UTF-16 needs its byte order mark, for 8-bit text read as UTF-16 looks like Chinese. And one character beyond
    cp1252, for UTF-8 and UTF-16 made from misread text hold nothing else.
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

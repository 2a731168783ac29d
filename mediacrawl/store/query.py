"""What a person asks the catalogue, as SQL that no word can break."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from mediacrawl.observe.text import clean
from mediacrawl.store.schema import SEARCHED

_MOST_WORDS = 32

_LONGEST_WORD = 200
"""Characters; SQLite refuses a LIKE pattern beyond 50,000 bytes."""

# Thai, Lao, Tibetan, Burmese, Khmer, kana and Han: written without spaces, so that the index, which
# splits at spaces, sees whole sentences as one word.
_UNSPACED = re.compile(
    "[\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)

_FORMAT_COLUMNS = ("encoding_format", "container", "codec", "video_codec", "audio_codec")


@dataclass(frozen=True, slots=True)
class CatalogueFilters:
    """What the records must be; None asks for nothing.

    Attributes:
        site: registrable domain.
        format: ``audio/flac``, or only ``flac``: format, container or codec.
        kind: start of the type: ``audio``, ``VideoObject`` ...
    """

    site: str | None = None
    format: str | None = None
    kind: str | None = None


def split(words: str | Sequence[str]) -> list[str]:
    """Split a search at white space; at most 32 words of 200 characters are looked for."""
    text = words if isinstance(words, str) else " ".join(words)
    return [word[:_LONGEST_WORD] for word in clean(text).replace("\0", " ").split()[:_MOST_WORDS]]


def in_index(word: str) -> bool:
    """Whether the full-text index can find a word: it has letters or digits, of a script with spaces."""
    return not _UNSPACED.search(word) and any(map(str.isalnum, word))


def match(words: Sequence[str]) -> str:
    """The FTS5 expression for all of these words, each as the beginning of a word.

    In quotes nothing is syntax; a quote inside is doubled (sqlite.org/fts5.html, section 3.1).
    """
    return " ".join('"' + word.replace('"', '""') + '"*' for word in words)


def select(
    fields: str, words: Sequence[str], filters: CatalogueFilters, limit: int | None
) -> tuple[str, dict[str, str | int]]:
    """Build the query.

    Args:
        fields: what to select, from `schema.selection`.
        words: from `split`; all must occur. What the index cannot find is looked for in every row.
        filters: see `CatalogueFilters`.
        limit: most rows wanted; None for all.

    Returns:
        The SQL, and its values by name.
    """
    values: dict[str, str | int] = {"limit": -1 if limit is None else limit}
    conditions = _filtered(filters, values)
    for place, word in enumerate(word for word in words if not in_index(word)):
        values[f"word{place}"] = "%" + re.sub(r"([\\%_])", r"\\\1", word) + "%"
        conditions.append(_anywhere(f":word{place}"))
    source, order = "media", "number DESC"
    if indexed := [word for word in words if in_index(word)]:
        values["match"] = match(indexed)
        conditions.append("media_text MATCH :match")
        source = "media_text JOIN media ON media.number = media_text.rowid"
        order = f"bm25(media_text, {', '.join(map(str, SEARCHED.values()))}), number DESC"
    where = f"WHERE {' AND '.join(conditions)} " if conditions else ""
    return f"SELECT {fields} FROM {source} {where}ORDER BY {order} LIMIT :limit", values  # noqa: S608


def _anywhere(pattern: str) -> str:
    likes = (f"media.{name} LIKE {pattern} ESCAPE '\\'" for name in SEARCHED)
    return f"({' OR '.join(likes)})"


def _filtered(filters: CatalogueFilters, values: dict[str, str | int]) -> list[str]:
    conditions = []
    if filters.site:
        values["site"] = clean(filters.site).lower()
        conditions.append("site = :site")
    if filters.format:
        values["format"] = clean(filters.format).lower()
        conditions.append(f"({' OR '.join(map(_is_format, _FORMAT_COLUMNS))})")
    if filters.kind:
        values["kind"] = clean(filters.kind).lower()
        conditions.append("substr(lower(type), 1, length(:kind)) = :kind")
    return conditions


def _is_format(column: str) -> str:
    """The whole name, or what stands behind the slash of a MIME type."""
    return f"lower({column}) = :format OR lower({column}) LIKE '%/' || :format"

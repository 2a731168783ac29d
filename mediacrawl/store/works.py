"""Works: records of different URLs whose files are the same.

A record's `work` is the id of the first record of the same file; it is None for that first one, and for a file with one
record. Two files are the same if FLAC states one MD5 of their audio, or if their heads and sizes are equal and their
own texts do not differ. Hosts serve a file by many URLs: mirrors, CDNs, http and https.

A record without a probe, under the URL of a player, and the files that were found in that player are one work too, if
the facts about the player are those of the files.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

from mediacrawl.base.facts import EXTERNAL_SOURCES, LEAST_HEAD
from mediacrawl.record import MediaItem

_NO_MD5 = ("", "0" * 32)
"""FLAC's values for an MD5 that was not computed."""

INDEXES = (
    "CREATE INDEX IF NOT EXISTS media_work ON media (work) WHERE work IS NOT NULL",
    "CREATE INDEX IF NOT EXISTS media_audio ON media (audio_md5) WHERE audio_md5 IS NOT NULL",
    "CREATE INDEX IF NOT EXISTS media_played ON media (page_url) WHERE page_url IN (player_url, embed_url)",
)

TRIGGERS = (
    # After the first record of a work is removed, the next one takes its place.
    """
    CREATE TRIGGER IF NOT EXISTS media_work_removed AFTER DELETE ON media WHEN old.work IS NULL BEGIN
        UPDATE media SET work = (SELECT id FROM media WHERE work = old.id ORDER BY number LIMIT 1)
        WHERE work = old.id AND number > (SELECT min(number) FROM media WHERE work = old.id);
        UPDATE media SET work = NULL WHERE work = old.id;
    END
    """,
)

_BY_AUDIO = "SELECT id, work FROM media WHERE audio_md5 = :audio_md5 AND id <> :id ORDER BY number LIMIT 1"

_BY_HEAD = """
    SELECT id, work, tags FROM media WHERE head_sha256 = :head_sha256 AND content_size = :content_size
    AND head_bytes = :head_bytes AND id <> :id ORDER BY number LIMIT 20
"""
"""Twenty suffice: more records with one head and size are one work, or the head identifies nothing."""

_BY_PLAYER = "SELECT id, work FROM media WHERE content_url = :page_url AND id = :player AND probe_status = :only_page"

_BY_FILES = """
    SELECT id, work FROM media WHERE page_url = :content_url AND page_url IN (player_url, embed_url)
    AND probe_status <> :only_page LIMIT 20
"""
"""Several are one film in several encodings."""

_LIKE_OTHERS = (
    "SELECT number FROM media JOIN (SELECT audio_md5 FROM media WHERE audio_md5 IS NOT NULL GROUP BY 1"
    " HAVING count(*) > 1) USING (audio_md5)"
    " UNION SELECT number FROM media JOIN (SELECT head_sha256, content_size FROM media WHERE head_sha256 IS NOT NULL"
    " GROUP BY 1, 2 HAVING count(*) > 1) USING (head_sha256, content_size) ORDER BY number"
)

_MOST_COPIES = 20
"""Records of one file that are looked at."""
_MOST_LOST = 100_000
"""Files with a lost text that are looked for: some 50 MB."""


def settle(database: sqlite3.Connection, media_id: str) -> None:
    """Finds the work of a record that was just stored, in the same transaction."""
    row = database.execute("SELECT * FROM media WHERE id = ?", (media_id,)).fetchone()
    if row is None:
        return
    firsts = _firsts(database, row)
    if row["work"] is not None:
        if firsts == {row["work"]}:
            return
        database.execute("UPDATE media SET work = NULL WHERE id = ?", (media_id,))
    elif media_id not in firsts and _promote_next(database, media_id):
        firsts = _firsts(database, row)
    if firsts - {media_id}:
        _merge(database, {media_id, *firsts})


def sources(database: sqlite3.Connection, media_id: str, work: str | None) -> list[str]:
    """The other URLs of a record's file, in the order in which they were stored."""
    sql = "SELECT content_url FROM media WHERE (work = ?1 OR id = ?1) AND id <> ?2 ORDER BY number"
    return [row[0] for row in database.execute(sql, (work or media_id, media_id))]


def content_keys(record: Mapping[str, Any]) -> list[str]:
    """Return what identifies the file of a record in others, too: its URL, the MD5 of its audio, its head and size."""
    names = ("content_url", "audio_md5", "head_sha256", "head_bytes", "content_size", "codec")
    values = {name: record.get(name) for name in names}
    keys = [f"{values['head_sha256']} {values['content_size']}"] if _identifies(values) else []
    one = (values["content_url"], values["audio_md5"])
    return [*keys, *(key for key in one if isinstance(key, str) and key not in _NO_MD5)]


def others_in(record: Mapping[str, Any], known: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[Mapping[str, Any]]:
    """Return the records of the same file in a collection by `content_keys`."""
    own = _texts(record.get("tags"))
    return [
        other
        for key in content_keys(record)
        for other in known.get(key, ())
        # One head and size may be of two files.
        if " " not in key or _agree(own, _texts(other["tags"]))
    ]


def copies_of_damaged(records: Callable[[], Iterable[Mapping[str, Any]]]) -> dict[str, list[Mapping[str, Any]]]:
    """Return the records of files of which one record has lost a text, by `content_keys`.

    Args:
        records: gives the records that have ``tags``; it is called twice.
    """
    from mediacrawl.record import may_have_lost  # noqa: PLC0415 - a dear import, as below

    lost = (key for record in filter(may_have_lost, records()) for key in content_keys(record))
    wanted = set(islice(lost, _MOST_LOST))
    found: dict[str, list[Mapping[str, Any]]] = {}
    for record in records() if wanted else ():
        for key in wanted.intersection(content_keys(record)):
            same = found.setdefault(key, [])
            if len(same) < _MOST_COPIES:
                same.append({"content_url": record.get("content_url"), "tags": record["tags"]})
    return {key: same for key, same in found.items() if len(same) > 1}


def mended_by_copies(
    record: Mapping[str, Any], known: Mapping[str, Sequence[Mapping[str, Any]]]
) -> dict[str, Any] | None:
    """Return a record with what its texts lost, from `copies_of_damaged`; None if it has lost none, or none has it."""
    # Their import takes 100 ms, and who only reads a catalogue mends nothing.
    from mediacrawl.record import may_have_lost, with_copies  # noqa: PLC0415

    return with_copies(record, others_in(record, known)) if may_have_lost(record) else None


def rows(database: sqlite3.Connection, media_id: str) -> list[sqlite3.Row]:
    """Return the rows of all records of a work, in the order in which they were stored; twenty suffice."""
    sql = (
        "SELECT media.* FROM media, (SELECT coalesce(work, id) AS first FROM media WHERE id = ?)"
        " WHERE work = first OR id = first ORDER BY number LIMIT 20"
    )
    return database.execute(sql, (media_id,)).fetchall()


def settle_all(database: sqlite3.Connection) -> None:
    """Finds the works of a file that was written by a version without them."""
    for (number,) in database.execute(_LIKE_OTHERS).fetchall():
        (media_id,) = database.execute("SELECT id FROM media WHERE number = ?", (number,)).fetchone()
        settle(database, media_id)


def _firsts(database: sqlite3.Connection, row: sqlite3.Row) -> set[str]:
    """Ids of the first records of all works that a record's file belongs to; mostly one."""
    values = {name: row[name] for name in ("id", "audio_md5", "head_sha256", "head_bytes", "content_size")}
    found: list[sqlite3.Row] = []
    if isinstance(row["audio_md5"], str) and row["audio_md5"] not in _NO_MD5:
        found += database.execute(_BY_AUDIO, values)
    if _identifies(row):
        own = _texts(row["tags"])
        found += [other for other in database.execute(_BY_HEAD, values) if _agree(own, _texts(other["tags"]))]
    found += _of_player(database, row)
    return {other["work"] or other["id"] for other in found}


def _of_player(database: sqlite3.Connection, row: sqlite3.Row) -> list[sqlite3.Row]:
    """The record of the player that a file was found in, or the files of a player."""
    values = {name: row[name] for name in ("page_url", "content_url")} | {"only_page": MediaItem.PAGE_STATUS}
    if row["probe_status"] == MediaItem.PAGE_STATUS:
        return database.execute(_BY_FILES, values).fetchall()
    if not isinstance(row["page_url"], str) or row["page_url"] not in (row["player_url"], row["embed_url"]):
        return []
    return database.execute(_BY_PLAYER, values | {"player": MediaItem.id_of(row["page_url"])}).fetchall()


def _identifies(row: sqlite3.Row | Mapping[str, Any]) -> bool:
    """Whether a head identifies its file. Samples may be silence: many files begin so, and have one size."""
    head, size, codec = row["head_bytes"], row["content_size"], row["codec"]
    if not isinstance(head, int) or not isinstance(size, int) or row["head_sha256"] is None:
        return False
    return head >= min(LEAST_HEAD, size) and (head >= size or not str(codec or "").startswith(("pcm_", "dsd_")))


def _texts(tags: Any) -> dict[tuple[Any, ...], Any]:
    """The file's own texts by their place, without decisions."""
    try:
        elements: Iterable[Any] = tags if isinstance(tags, list) else json.loads(tags or "[]")
    except (TypeError, ValueError, RecursionError):
        return {}
    found = {}
    for element in elements if isinstance(elements, list) else []:
        if isinstance(element, Mapping) and element.get("source") not in EXTERNAL_SOURCES:
            place = tuple(str(element.get(name)) for name in ("source", "frame", "desc", "lang", "index"))
            found[place] = element.get("raw_b64") or element.get("text")
    return found


def _agree(one: Mapping[Any, Any], other: Mapping[Any, Any]) -> bool:
    return all(other.get(place, text) == text for place, text in one.items())


def _promote_next(database: sqlite3.Connection, media_id: str) -> bool:
    """Makes the next record the first one of a work; returns whether there is one."""
    following = database.execute("SELECT id FROM media WHERE work = ? ORDER BY number LIMIT 1", (media_id,)).fetchone()
    if following is None:
        return False
    database.execute("UPDATE media SET work = ? WHERE work = ?", (following["id"], media_id))
    database.execute("UPDATE media SET work = NULL WHERE id = ?", (following["id"],))
    return True


def _merge(database: sqlite3.Connection, firsts: set[str]) -> None:
    """Merges several works, given by their first records, under the one stored first."""
    marks = ", ".join("?" * len(firsts))
    rows = database.execute(f"SELECT id FROM media WHERE id IN ({marks}) ORDER BY number", tuple(firsts)).fetchall()  # noqa: S608
    first, *others = [row["id"] for row in rows]
    for other in others:
        database.execute("UPDATE media SET work = ? WHERE work = ? OR id = ?", (first, other, other))

"""One record out of two sightings of the same media file."""

from __future__ import annotations

from typing import Any

from mediacrawl.facts import EXTERNAL_SOURCES
from mediacrawl.store.rows import MediaRow

SIGHTING = frozenset((
    "content_url", "requested_url", "page_url", "page_title", "page_language", "page_charset", "anchor_text",
    "discovered_via", "feed_url", "guid", "site", "checked_at", "last_seen_at", "http_status", "content_type", "etag",
    "last_modified", "server_accepts_ranges",
))  # fmt: skip
"""What is known of the link and from the server's answer. All else describes the file itself, the cost of the
probe included."""

_FIRST = frozenset({"id", "found_at"})

_IDENTITY = frozenset({"head_sha256", "head_bytes", "content_size"})
"""By these another file is told from the same one. They must come from the probe that gave the description: a size that
a feed claims, filled in here, would make the next honest probe look like another file."""


def merge(old: MediaRow, new: MediaRow) -> MediaRow:
    """Join what is stored with what was seen now.

    * `id` and `found_at` stay: the first sighting is the first one. So does `work`, which the catalogue finds itself.
    * Of the link and the answer the newest known value wins; None never erases.
    * The description of the file is taken as a whole from a complete probe, its unknown fields included, and from any
      probe that shows another file than before: titles of a file that is gone are no facts.
    * Otherwise a complete description stays and is only filled where it has gaps; an incomplete one takes the newest
      known values. So a probe that broke off never erases one that did not.
    * What pages and feeds said of it (`facts.EXTERNAL_SOURCES`) stays until something else is said, unless it is
      another file.
    * `extra` is joined key by key, the newest wins.

    Args:
        old: as stored.
        new: as seen now, of the same `id`.
    """
    whole = new["probe_status"] == "complete" or shows_another_file(old, new)
    keep = old["probe_status"] == "complete"
    row: MediaRow = {}
    for name, was in old.items():
        now = new[name]
        if name == "work":
            row[name] = was
        elif name in _FIRST:
            row[name] = was if was is not None else now
        elif name == "extra":
            row[name] = {**(was or {}), **(now or {})} or None
        elif name in SIGHTING or not keep or whole:
            row[name] = now if now is not None or (whole and name not in SIGHTING) else was
        elif name in _IDENTITY:
            row[name] = was
        else:
            row[name] = was if was is not None else now
    if not shows_another_file(old, new):
        _keep_facts(old, row)
    return row


def _keep_facts(old: MediaRow, row: MediaRow) -> None:
    """Add what was said of a file elsewhere, if nothing is now, and the values that came from there."""
    told = _facts(old)
    if not told or _facts(row):
        return
    row["tags"] = [*(row["tags"] or ()), *told]
    own = {
        each.get("key") for each in old["tags"] if isinstance(each, dict) and each.get("source") not in EXTERNAL_SOURCES
    }
    for key in {str(element.get("key")) for element in told} - own:
        if key in row and row[key] is None:
            row[key] = old[key]


def _facts(row: MediaRow) -> list[Any]:
    elements = row["tags"] if isinstance(row["tags"], list) else []
    return [element for element in elements if isinstance(element, dict) and element.get("source") in EXTERNAL_SOURCES]


def shows_another_file(old: MediaRow, new: MediaRow) -> bool:
    """Whether a probe read other bytes than the earlier one did.

    Only bytes that were read count: the length that a feed or a header claims may be wrong.
    """
    if new["head_sha256"] is None or old["head_sha256"] is None:
        return False
    if new["head_bytes"] == old["head_bytes"] and new["head_sha256"] != old["head_sha256"]:
        return True
    sizes = (old["content_size"], new["content_size"])
    return None not in sizes and sizes[0] != sizes[1]

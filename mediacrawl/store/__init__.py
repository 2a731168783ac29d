"""Storage of records: a catalogue in one SQLite file, and its export.

Input: a `record.MediaItem`, or a mapping of any project with a `content_url`. Output: the same records, found by
words, site or format, as dictionaries and JSON lines. A stored record survives kills and power cuts; a later sighting
with less information never erases any; and no text of a record or word of a search breaks it.
"""

from mediacrawl.store.catalogue import Catalogue, StoreError, UpsertOutcome
from mediacrawl.store.rows import json_line, json_lines
from mediacrawl.store.schema import CatalogueFilters

__all__ = [
    "Catalogue",
    "CatalogueFilters",
    "StoreError",
    "UpsertOutcome",
    "json_line",
    "json_lines",
]

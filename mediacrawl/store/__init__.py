"""Where records go: a catalogue in one SQLite file, and plain records out of it.

Comes in: a `records.MediaItem`, or a mapping of any project with a `content_url`. Goes out: the same records, found by
words, site or format, as dictionaries and JSON lines. It promises that a record that was stored stays stored, over
kills and power cuts; that a later, poorer sighting of a file never erases what is known of it; and that no
text of a record and no word of a search breaks it.
"""

from mediacrawl.store.catalogue import Catalogue, CatalogueSummary, StoreError, UpsertOutcome
from mediacrawl.store.query import CatalogueFilters
from mediacrawl.store.rows import json_line, json_lines

__all__ = [
    "Catalogue",
    "CatalogueFilters",
    "CatalogueSummary",
    "StoreError",
    "UpsertOutcome",
    "json_line",
    "json_lines",
]

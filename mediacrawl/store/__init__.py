"""Storage of records: a catalogue in one SQLite file, and its export.

Input: a `record.MediaItem`, or a mapping of any project with a `content_url`. Output: the same records, found by
words, site or format, as dictionaries and JSON lines. A stored record survives kills and power cuts; a later sighting
with less information never erases any; and no text of a record or word of a search breaks it. Begin reading in
`catalogue`; `rows` makes a row of a record, and merges two of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mediacrawl.base.lazy import late_names

if TYPE_CHECKING:
    from mediacrawl.store.bulk import BulkCatalogue
    from mediacrawl.store.catalogue import Catalogue, StoreError, UpsertOutcome
    from mediacrawl.store.export import ExportError, export_records
    from mediacrawl.store.figures import CatalogueFigures
    from mediacrawl.store.rows import json_line, json_lines
    from mediacrawl.store.schema import CatalogueFilters
    from mediacrawl.store.works import copies_of_damaged, mended_by_copies
else:
    __getattr__ = late_names(
        __name__,
        {
            "BulkCatalogue": "bulk",
            **dict.fromkeys(("Catalogue", "StoreError", "UpsertOutcome"), "catalogue"),
            **dict.fromkeys(("ExportError", "export_records"), "export"),
            "CatalogueFigures": "figures",
            **dict.fromkeys(("json_line", "json_lines"), "rows"),
            "CatalogueFilters": "schema",
            **dict.fromkeys(("copies_of_damaged", "mended_by_copies"), "works"),
        },
    )

__all__ = [
    "BulkCatalogue",
    "Catalogue",
    "CatalogueFigures",
    "CatalogueFilters",
    "ExportError",
    "StoreError",
    "UpsertOutcome",
    "copies_of_damaged",
    "export_records",
    "json_line",
    "json_lines",
    "mended_by_copies",
]

"""Items as CSV (``-o items.csv``), with text that no spreadsheet runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scrapy.exporters import CsvItemExporter

from mediacrawl.observe.text import to_cell


class SafeCsvItemExporter(CsvItemExporter):
    """Scrapy's exporter, with an apostrophe before what a spreadsheet would take for a formula.

    Titles are what strangers wrote, and ``=HYPERLINK(...)`` is one of them. ``scrapy demojibake`` reads such a cell
    without the apostrophe. On disk it leaves what Scrapy's exporter leaves. In a project of your own:
    ``FEED_EXPORTERS = {"csv": "mediacrawl.extensions.csv_exporter.SafeCsvItemExporter"}``.
    """

    def serialize_field(self, field: Mapping[str, Any], name: str, value: Any) -> Any:
        """The value of one cell."""
        cell = super().serialize_field(field, name, value)
        if cell is None or isinstance(cell, (bool, int, float)):
            return cell
        # The writer would make text of the others.
        return to_cell(cell.decode(self.encoding or "utf-8", "replace") if isinstance(cell, bytes) else str(cell))

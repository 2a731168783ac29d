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
        text = super().serialize_field(field, name, value)
        return to_cell(text) if isinstance(text, str) else text

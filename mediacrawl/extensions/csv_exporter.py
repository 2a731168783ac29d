"""Items as CSV (``-o items.csv``), with text that no spreadsheet runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from scrapy.exporters import CsvItemExporter

from mediacrawl.base.text import to_cell


class SafeCsvItemExporter(CsvItemExporter):
    """Scrapy's exporter, with an apostrophe before what a spreadsheet would take for a formula.

    Titles are what strangers wrote, and ``=HYPERLINK(...)`` is one of them. ``scrapy demojibake`` reads such a cell
    without the apostrophe. On disk it leaves what Scrapy's exporter leaves. In a project of your own:
    ``FEED_EXPORTERS = {"csv": "mediacrawl.extensions.csv_exporter.SafeCsvItemExporter"}``.

    Uses one private method of Scrapy 2.19, `_build_row`, which also makes the header.
    """

    def _build_row(self, values: Iterable[Any]) -> Iterator[Any]:
        for value in values:
            text = value.decode(self.encoding or "utf-8", "replace") if isinstance(value, bytes) else value
            # The writer would make text of the others.
            yield text if text is None or isinstance(text, (bool, int, float)) else to_cell(str(text))

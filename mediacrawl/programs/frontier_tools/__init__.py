"""Operators' tools: check and repair a frontier's file, print what a frontier holds.

They work on the file, not through a running crawl: `checking` reads it and names each fault, `repairing` makes a new
one of what can be read, `formatting` prints sites and URLs, and `adapter_words` says what a site adapter does
with one. Begin in `checking`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mediacrawl.base.lazy import late_names

if TYPE_CHECKING:
    from mediacrawl.programs.frontier_tools.adapter_words import data_url, marked, page_in_words, request_in_words
    from mediacrawl.programs.frontier_tools.checking import check
    from mediacrawl.programs.frontier_tools.formatting import (
        format_overview,
        format_rows,
        format_site,
        format_sites,
        format_url,
    )
    from mediacrawl.programs.frontier_tools.repairing import UrlNaming, repair
else:
    __getattr__ = late_names(
        __name__,
        {
            **dict.fromkeys(("data_url", "marked", "page_in_words", "request_in_words"), "adapter_words"),
            "check": "checking",
            **dict.fromkeys(
                ("format_overview", "format_rows", "format_site", "format_sites", "format_url"), "formatting"
            ),
            **dict.fromkeys(("UrlNaming", "repair"), "repairing"),
        },
    )

__all__ = [
    "UrlNaming",
    "check",
    "data_url",
    "format_overview",
    "format_rows",
    "format_site",
    "format_sites",
    "format_url",
    "marked",
    "page_in_words",
    "repair",
    "request_in_words",
]

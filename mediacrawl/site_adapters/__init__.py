"""Site adapters: data that maps the URL of a page to small requests whose answer names the media of the page.

Sites whose pages hide their media behind scripts have an address of their own for the scripts. A site adapter says, in
one JSON file, how that address is made of the URL of a page, and where the answer names media. Nothing in it is code.
The library makes no request: it gives URLs, and reads answers. An adapter that does not fit raises `Miss`, and nothing
else; a file with a fault raises `AdapterError` with file, line and field.

Begin reading in `form` (what a file says) and `engine` (what is done with it); `registry` finds the adapters of a page,
`har` reads recordings of browsers, and `learn` makes adapters of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mediacrawl.base.lazy import late_names

if TYPE_CHECKING:
    from mediacrawl.site_adapters.engine import Answer, FoundRecord, Miss, data_request, page_slots, read_answer
    from mediacrawl.site_adapters.form import SiteAdapter
    from mediacrawl.site_adapters.har.recording import RecordingError
    from mediacrawl.site_adapters.learn.learning import learn_files
    from mediacrawl.site_adapters.loading import AdapterError
    from mediacrawl.site_adapters.registry import SiteAdapters
    from mediacrawl.site_adapters.schema import SCHEMA
else:
    # Learning needs thirty modules that a crawl does not.
    __getattr__ = late_names(
        __name__,
        {
            **dict.fromkeys(("Answer", "FoundRecord", "Miss", "data_request", "page_slots", "read_answer"), "engine"),
            "AdapterError": "loading",
            "RecordingError": "har.recording",
            "SCHEMA": "schema",
            "SiteAdapter": "form",
            "SiteAdapters": "registry",
            "learn_files": "learn.learning",
        },
    )

__all__ = [
    "SCHEMA",
    "AdapterError",
    "Answer",
    "FoundRecord",
    "Miss",
    "RecordingError",
    "SiteAdapter",
    "SiteAdapters",
    "data_request",
    "learn_files",
    "page_slots",
    "read_answer",
]

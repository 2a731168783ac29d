"""What a record is: its fields, the text of each with its evidence, and how two sightings become one.

Input: the result of a probe, a manifest, or what a page says of a player (`build_item`, `build_manifest_item`,
`build_page_item`). Output: a `MediaItem`, whose texts a `Fixer` decides by their bytes. What another page says of the
file (`Description`), what other records of it have (`with_copies`) and what an earlier record had (`keep_facts`) is
merged into a record that may come from any store and be damaged in any way; `derived_values` follow from its texts.

A record's bytes are evidence: no text is changed without them, or without a note of what it was; and what a person
decided stays. Begin reading in `item`, then `build`, `values`, `fixer` and `merging`.
"""

from typing import TYPE_CHECKING

from mediacrawl.base.lazy import late_names
from mediacrawl.base.terms import Nugget

if TYPE_CHECKING:
    from mediacrawl.record.build import Description, build_item, build_manifest_item, build_page_item
    from mediacrawl.record.fixer import Fixer, FixResult
    from mediacrawl.record.item import MediaItem
    from mediacrawl.record.merging import keep_facts, may_have_lost, with_copies
    from mediacrawl.record.values import derived_values
else:
    # Who names the class of an item needs neither the models of the texts nor the probe.
    __getattr__ = late_names(
        __name__,
        {
            **dict.fromkeys(("Description", "build_item", "build_manifest_item", "build_page_item"), "build"),
            **dict.fromkeys(("FixResult", "Fixer"), "fixer"),
            "MediaItem": "item",
            "derived_values": "values",
            **dict.fromkeys(("keep_facts", "may_have_lost", "with_copies"), "merging"),
        },
    )

__all__ = [
    "Description",
    "FixResult",
    "Fixer",
    "MediaItem",
    "Nugget",
    "build_item",
    "build_manifest_item",
    "build_page_item",
    "derived_values",
    "keep_facts",
    "may_have_lost",
    "with_copies",
]

"""What a record is: its fields, the text of each with its evidence, and how two sightings become one.

`item` declares the fields. `build` makes a record of what a probe found, `fixer` decides its texts, `described` adds
what pages, feeds and lists say of the file. Begin reading in `item`.
"""

from mediacrawl.base.terms import Nugget
from mediacrawl.record.item import MediaItem

__all__ = ["MediaItem", "Nugget"]

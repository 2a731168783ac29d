"""Makes ``docs/record.md`` from the declaration of the record. Run it after a change in `record/item.py`."""  # noqa: INP001

import re
from pathlib import Path

from mediacrawl.base.declaration import DeclaredField, declared_fields
from mediacrawl.record.item import MediaItem

HEAD = """# The record

<!-- Made by `python docs/record_page.py` from mediacrawl/record/item.py. -->

One record describes one media file. It is an item of the crawl, a row of the catalogue (`media.db`), and a line of
`scrapy catalogue --export`. `mediacrawl schema` prints its JSON Schema (draft 2020-12), which is made of the same
declaration as this page.

* Times and lengths are in seconds, gains in decibels, sizes in bytes, bit rates in bits a second.
* Codecs have ffmpeg's names, in files and in manifests. Media types are IANA's where there are any.
* Languages are BCP 47: `de`, `pt-BR`, `zh-Hant`.
* What is not known is null, an empty list or an empty object.
* Texts are as they were written, after their encoding was repaired. `tags` has the bytes of each text of the file.
  Titles of chapters and tracks have an element there only if they are not plain ASCII; its `key` is their place:
  `chapters[3].title`.
* Text fields have the first value that there is: of the file's own tags, then of the feed, page or list. But an episode
  has the title and the date that the entry of its feed states; those of the file are in `tags`. What one source states
  in several texts is joined with `; `. `persons` has each name by itself.
* A record that is seen again is merged with the stored one: what a complete probe of the file said stays, and only
  its gaps are filled from pages, feeds and lists.

In the catalogue each field is a column of the table `media`; lists and objects are JSON text there. Three more columns
are the catalogue's own: `last_seen_at`, when the file was last requested; `work`, in copies of a file the `id` of its
first record; and `extra`, the further fields of an item as JSON. A stored item of another project may lack what the
schema requires. A catalogue of an earlier version gets the new columns when it
is opened; a record gets their values when its file is probed again.
"""


def page() -> str:
    """The text of ``docs/record.md``."""
    lines = [HEAD, "## Fields", "", *_table(MediaItem)]
    for each in declared_fields(MediaItem):
        if each.about.of:
            one = "one object of" if each.kind is list else ""
            lines += ["", f"## {_title(each)}", "", " ".join(f"{one} `{each.name}`.".split()).capitalize(), ""]
            lines += _table(each.about.of)
    return "\n".join(lines).rstrip() + "\n"


def _title(each: DeclaredField) -> str:
    return each.name.replace("_", " ").capitalize()


def _table(owner: type) -> list[str]:
    fields = list(declared_fields(owner))
    sourced = any(each.about.source for each in fields)
    head = ["field", "type", "what it is", *(["stated by"] if sourced else []), "schema.org"]
    rows = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for each in fields:
        about = each.about
        cells = [f"`{each.name}`", _kind(each), _meaning(each), *([about.source] if sourced else []), about.schema_org]
        rows.append("| " + " | ".join(map(_cell, cells)) + " |")
    return rows


def _kind(each: DeclaredField) -> str:
    kinds = {str: "text", int: "integer", float: "number", bool: "true or false", list: "list", dict: "object"}
    about = each.about
    unit = f", {about.unit}" if about.unit else ""
    form = {"uri": ", URL", "date-time": ", RFC 3339", "bcp47": ", BCP 47", "": ""}[about.form]
    return f"{kinds[each.kind]}{unit}{form}"


def _meaning(each: DeclaredField) -> str:
    about = each.about
    values = f" One of {', '.join(f'`{value}`' for value in about.values)}." if about.values else ""
    return f"{about.meaning}{values}"


def _cell(text: str) -> str:
    return re.sub(r"<(?=[a-z])", "&lt;", text.replace("``", "`").replace("|", "\\|"))


if __name__ == "__main__":
    (Path(__file__).parent / "record.md").write_text(page(), encoding="utf-8")

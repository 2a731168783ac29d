"""What may be in the file of a site adapter: its JSON Schema, and a check of a file against it.

The check reads the same declaration as the schema, and tells of each fault in which line and field it is.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any, NamedTuple

from mediacrawl.base.text import clean, printable
from mediacrawl.site_adapters.patterns import LIKE
from mediacrawl.site_adapters.transforms import MOST_DIGITS, WORDS

_DEEPEST = 30
_space = re.compile(r"[ \t\r\n]*")
_word = re.compile(r"[^,\]}\s]+")


class Located:
    """The value of a JSON text, and where its fields are.

    Raises:
        ValueError: it is no JSON, is nested too deep, or has a name twice. The message is ``LINE: what``.
    """

    def __init__(self, text: str) -> None:
        try:
            self.value: Any = json.loads(text, object_pairs_hook=_unique)
        except json.JSONDecodeError as error:
            raise ValueError(f"{error.lineno}: the file is no JSON: {error.msg} at column {error.colno}") from error
        except RecursionError as error:
            raise ValueError("1: the file is nested too deep") from error
        except ValueError as error:
            raise ValueError(f"1: {error}") from error
        self._text = text
        self._places: dict[str, int] = {}
        self._walk(0, "", 0)

    def line(self, field: str) -> int:
        """Return the line of a field, from 1; of a missing one the line of what it should be in."""
        while field and field not in self._places:
            field = field[: max(field.rfind("."), field.rfind("["), 0)]
        return self._text.count("\n", 0, self._places.get(field, 0)) + 1

    def _skip(self, place: int) -> int:
        found = _space.match(self._text, place)
        return found.end() if found else place

    def _walk(self, place: int, field: str, depth: int) -> int:
        """Note where a value begins; return where it ends."""
        if depth > _DEEPEST:
            raise ValueError(f"{self.line(field)}: {field} is nested too deep")
        place = self._skip(place)
        self._places.setdefault(field, place)
        mark = self._text[place]
        if mark == '"':
            return int(scanstring(self._text, place + 1, False)[1])
        if mark not in "{[":
            found = _word.match(self._text, place)
            return found.end() if found else place + 1
        return self._walk_inside(place, field, depth)

    def _walk_inside(self, place: int, field: str, depth: int) -> int:
        is_object, place, count = self._text[place] == "{", self._skip(place + 1), 0
        while self._text[place] not in "}]":
            inner = f"{field}[{count}]"
            if is_object:
                name, end = scanstring(self._text, place + 1, False)
                inner = f"{field}.{name}" if field else name
                self._places.setdefault(inner, place)
                place = self._skip(end) + 1
            place = self._skip(self._walk(place, inner, depth + 1))
            place = self._skip(place + 1) if self._text[place] == "," else place
            count += 1
        return place + 1


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(name for name, number in Counter(name for name, _ in pairs).items() if number > 1)
        raise ValueError(f"the name {twice} stands twice in one object")
    return found


FORM = 1
"""The version of the form, which each file names."""
MOST_REQUESTS = 3
HEADERS = ("Accept", "Accept-Language", "X-Requested-With", "Referer", "Origin")
"""Headers that a data request may have. Cookies and credentials are never sent."""
READ = ("json", "jsonp", "xml", "html", "text")
MOST_PROBLEMS = 50
"""Faults of a file that are told. A file of 256 KB may have 20,000."""
_TEXT = {"type": "string", "maxLength": 2_000}
_GONE = {
    "xml": "is of the old form; XML is read as JSON now, with each element in a list of its name: write"
    ' "json": "rss.channel[0].item[0].enclosure[0].\\"@url\\""',
}
"""Fields that former versions read -> the end of a sentence."""


def _object(required: tuple[str, ...] = (), **properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


def _map(of: Mapping[str, Any], names: str, most: int) -> dict[str, Any]:
    return {
        "type": "object",
        "additionalProperties": dict(of),
        "propertyNames": {"pattern": names},
        "maxProperties": most,
    }


_STEP = {
    "anyOf": [
        {"enum": list(WORDS)},
        _object(("pad",), pad={"type": "integer", "minimum": 1, "maximum": MOST_DIGITS}),
        _object(("split", "take"), split=_TEXT, take={"type": "integer"}),
        _object(("after",), after=_TEXT),
        _object(("before",), before=_TEXT),
        _object(("regex",), regex=_TEXT),
        _object(("json",), json=_TEXT),
    ],
    "description": "A change of the value.",
}
_STEPS = {"type": "array", "items": _STEP, "maxItems": 8, "description": "Changes of the value, in order."}
_PLACE = {
    "json": {**_TEXT, "description": "A path of JMESPath: videos[0].file; in XML rss.channel[0].title[0]"},
    "css": {**_TEXT, "description": "A CSS selector: the first element is taken."},
    "attribute": {**_TEXT, "description": "Attribute of the selected element; without it its text is taken."},
    "script": {**_TEXT, "description": "A variable, or the id of a script of JSON; with json the path in it."},
    "regex": {**_TEXT, "description": "A regular expression of RE2 with one group."},
    "as": _STEPS,
}
_OF_SLOT = {**_PLACE, "slot": {**_TEXT, "description": "A slot of the page or an earlier answer, instead of a place."}}
_VALUE = _object((), **_PLACE)
_FACT = _object((), **_OF_SLOT)
_TIMED = _object((), **_OF_SLOT, unit={"enum": ["s", "ms", "min"], "description": "Unit of a number; s without it."})
_DATED = _object(
    (), **_OF_SLOT, unit={"enum": ["s", "ms"], "description": "Unit of a number since 1970; s without it."}
)
_MEDIA = _object(
    (), **_PLACE, url={**_TEXT, "description": "Template of the URL around {value}; without it the value is the URL."}
)

SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "Site adapter",
    **_object(
        ("form", "name", "page", "requests", "records"),
        form={"const": FORM, "description": "Version of this form."},
        name={
            "type": "string",
            "pattern": r"^[a-z0-9][a-z0-9._-]{0,59}$",
            "description": "Names the adapter in stats, logs and reports.",
        },
        comment={**_TEXT, "description": "For people."},
        page={
            **_object(
                ("host", "path"),
                host={**_TEXT, "description": "player.example, or *.player.example for all hosts below, too."},
                path={**_TEXT, "description": "Template of the path with slots: /watch/{id}.html"},
                query={**_map(_TEXT, "^.{1,100}$", 20), "description": "Parameters that a URL must have."},
                fetched={"type": "boolean", "description": "Whether the page itself is requested, too."},
            ),
            "description": "The pages, by their URLs.",
        },
        slots={
            **_map(
                _object(
                    ("in",),
                    **{"in": {**_TEXT, "description": "url, page, answer 1, answer 2, answer 3, or slot NAME."}},
                    like={"enum": list(LIKE), "description": "What a slot of the URL may hold; segment without it."},
                    **_PLACE,
                ),
                "^[a-z][a-z0-9_]{0,29}$",
                50,
            ),
            "description": "Where the value of each slot comes from.",
        },
        requests={
            "type": "array",
            "minItems": 1,
            "maxItems": MOST_REQUESTS,
            "items": _object(
                ("url", "read"),
                url={**_TEXT, "description": "Template of the URL."},
                headers={**_map(_TEXT, f"^(?:{'|'.join(HEADERS)})$", len(HEADERS))},
                read={"enum": list(READ), "description": "Form of the answer."},
            ),
            "description": "The data requests, in order; all are GET.",
        },
        records={
            **_object(
                ("media",),
                each={**_TEXT, "description": "Path of the objects, one a record; other places are in them."},
                media={"type": "array", "minItems": 1, "maxItems": 10, "items": _MEDIA},
                title=_FACT,
                description=_FACT,
                artist=_FACT,
                album=_FACT,
                thumbnail=_FACT,
                duration=_TIMED,
                date=_DATED,
                next={
                    "anyOf": [
                        _VALUE,
                        _object(
                            ("parameter",),
                            parameter={**_TEXT, "description": "Parameter of the last data request's URL."},
                            step={"type": "integer", "minimum": 1, "maximum": 1_000},
                            first={"type": "integer", "minimum": 0, "maximum": 1_000_000},
                        ),
                    ],
                    "description": "URL of the next page of a list in the whole answer, or a parameter that grows.",
                },
            ),
            "description": "What the last answer says of media.",
        },
        learned={"type": "object", "description": "How it was learned, for people."},
    ),
}
"""The JSON Schema (2020-12) of a site adapter."""


class Problem(NamedTuple):
    """A fault of a file: its line, the path of the field (``requests[0].url``), and the end of a sentence."""

    line: int
    field: str
    what: str

    def __str__(self) -> str:
        # A stranger may have written the file, and the message is shown on a terminal.
        return printable(f"{self.line}: {self.field or 'the adapter'} {self.what}")


def problems(read: Located) -> list[Problem]:
    """Return the faults of a file by `SCHEMA`, at most `MOST_PROBLEMS`."""
    found = islice(_faults(read.value, SCHEMA, ""), MOST_PROBLEMS)
    return [Problem(read.line(field), field, what) for field, what in found]


_TYPES: dict[str, tuple[type | tuple[type, ...], str]] = {
    "string": (str, "a text"),
    "integer": (int, "a whole number"),
    "boolean": (bool, "true or false"),
    "array": (list, "a list"),
    "object": (dict, "an object"),
}


def _faults(value: Any, schema: Mapping[str, Any], field: str) -> Iterator[tuple[str, str]]:
    if "anyOf" in schema:
        if all(next(_faults(value, each, field), None) for each in schema["anyOf"]):
            known = [word for each in schema["anyOf"] for word in each.get("enum") or [" with ".join(each["required"])]]
            yield field, f"is {value!r:.80}, and none of {', '.join(filter(None, known)) or 'what may be here'}"
        return
    if "const" in schema and (value != schema["const"] or isinstance(value, bool)):
        yield field, f"is {value!r:.50}; this version of mediacrawl reads {schema['const']}"
    if "enum" in schema and value not in schema["enum"]:
        yield field, f"is {value!r:.50}, and none of {', '.join(schema['enum'])}"
    if "type" not in schema:
        return
    kind, words = _TYPES[schema["type"]]
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        yield field, f"is {value!r:.50}, and not {words}"
    elif isinstance(value, dict):
        yield from _object_faults(value, schema, field)
    elif isinstance(value, list):
        yield from _list_faults(value, schema, field)
    else:
        yield from _scalar_faults(value, schema, field)


def _object_faults(value: dict[str, Any], schema: Mapping[str, Any], field: str) -> Iterator[tuple[str, str]]:
    known, others = schema.get("properties", {}), schema.get("additionalProperties", True)
    for name in schema.get("required", ()):
        if name not in value:
            yield join(field, name), "is missing"
    if len(value) > schema.get("maxProperties", len(value)):
        yield field, f"has {len(value)} fields, more than {schema['maxProperties']}"
    names = schema.get("propertyNames", {}).get("pattern", "")
    for name, inner in value.items():
        if not re.search(names, name) or clean(name) != name:
            yield join(field, name), f"has a name that is not allowed here ({names})"
        elif name in known:
            yield from _faults(inner, known[name], join(field, name))
        elif isinstance(others, dict):
            yield from _faults(inner, others, join(field, name))
        elif not others:
            yield join(field, name), _GONE.get(name) or f"is unknown; here may be {', '.join(known)}"


def _list_faults(value: list[Any], schema: Mapping[str, Any], field: str) -> Iterator[tuple[str, str]]:
    least, most = schema.get("minItems", 0), schema.get("maxItems", len(value))
    if not least <= len(value) <= most:
        yield field, f"has {len(value)} items; {least} to {most} are allowed"
        return
    for place, inner in enumerate(value):
        yield from _faults(inner, schema.get("items", {}), f"{field}[{place}]")


def _scalar_faults(value: Any, schema: Mapping[str, Any], field: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        if len(value) > schema.get("maxLength", len(value)):
            yield field, f"has {len(value)} characters, more than {schema['maxLength']}"
        if clean(value) != value:
            yield field, "has half of a pair of escapes, as \\ud83d alone, which is no character"
        if not re.search(schema.get("pattern", ""), value):
            yield field, f"is {value!r:.80}, which does not match {schema['pattern']}"
    elif not schema.get("minimum", value) <= value <= schema.get("maximum", value):
        yield field, f"is {value}; {schema.get('minimum')} to {schema.get('maximum')} are allowed"


def join(field: str, name: str) -> str:
    """Return the path of a property."""
    return f"{field}.{name}" if field else name

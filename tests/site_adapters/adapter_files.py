"""Site adapters that tests change and apply."""

import copy
import json

from mediacrawl.site_adapters.loading import parse

WATCH = {
    "form": 1,
    "name": "player.example",
    "page": {
        "host": "player.example",
        "path": "/watch/{id}-{title}.html",
        "query": {"v": "{v}"},
    },
    "slots": {
        "id": {"in": "url", "like": "digits"},
        "title": {"in": "url"},
        "v": {"in": "url"},
        "number": {"in": "slot id", "as": [{"pad": 8}]},
        "key": {"in": "page", "css": "div.player", "attribute": "data-key", "as": ["base64", {"json": "k"}]},
        "state": {"in": "page", "script": "__STATE__", "json": "a[0].b"},
        "ticket": {"in": "answer 1", "json": "t"},
    },
    "requests": [
        {
            "url": "https://api.player.example/{number}/{key}?s={state}",
            "headers": {"Accept": "application/json", "Referer": "https://player.example/watch/{id}"},
            "read": "json",
        },
        {"url": "https://api.player.example/list?t={ticket}&v={v}", "read": "jsonp"},
    ],
    "records": {
        "each": "items[*]",
        "media": [{"json": "f", "url": "https://cdn.example/{v}/{!value}.mp4"}],
        "title": {"json": "t"},
        "duration": {"json": "d", "unit": "ms"},
        "date": {"json": "at"},
        "thumbnail": {"json": "p"},
        "next": {"parameter": "page"},
    },
}
"""Every part of the form: a page with slots, two requests, a list of records."""

CLIP = {
    "form": 1,
    "name": "clips.example",
    "page": {"host": "*.clips.example", "path": "/v/{id}"},
    "slots": {"id": {"in": "url", "like": "word"}},
    "requests": [{"url": "https://clips.example/api/{id}.json", "read": "json"}],
    "records": {"media": [{"json": "file"}]},
}
"""The smallest one."""


def text_of(written):
    return json.dumps(written, indent=1, ensure_ascii=False).encode("utf-8")


def adapter(written=CLIP, **changes):
    """An adapter, with changes of its fields: ``records__next={...}``; None deletes."""
    written = copy.deepcopy(written)
    for path, value in changes.items():
        *names, last = path.split("__")
        inner = written
        for name in names:
            inner = inner[int(name) if isinstance(inner, list) else name]
        if value is None:
            del inner[last]
        else:
            inner[last] = value
    return parse(text_of(written), "adapter.json")

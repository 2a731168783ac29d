"""A host with files of telephones, trackers, synthesizers and old players, and a JSON Feed of voice memos."""

from __future__ import annotations

import json

from mediacrawl.demo.library import NAMES
from mediacrawl.demo.sites import names
from mediacrawl.demo.virtual_host import VirtualHost

_MEDIA = ("can-y-mor.dsf", "regendak.mod", "spole.mp3", "svetilka.mid", "tramvai.kar", "vecer.rm")
_FEED = "/feed.json"
_MEMO = "notat.amr"


def hosts(port: int) -> list[VirtualHost]:
    """One host. Its front page links to all files but the memo, which only the feed names."""
    attic = VirtualHost(names.ATTIC, port)
    attic.robots("User-agent: *\nDisallow:\n")
    for name in _MEDIA:
        attic.media(f"/kasse/{name}", name)
    links = "\n".join(f'<li><a href="/kasse/{name}">{NAMES[name].title}</a></li>' for name in _MEDIA)
    attic.page(
        "/",
        "Lydloftet",
        f"<p>Funnet på loftet, mellom spoler og disketter.</p>\n<ul>\n{links}\n</ul>",
        lang="nb",
        head=f'<link rel="alternate" type="application/feed+json" title="Notater" href="{_FEED}">',
    )
    _memos(attic)
    return [attic]


def _memos(attic: VirtualHost) -> None:
    """A JSON Feed 1.1. The telephone that recorded the memo wrote no text into it."""
    path, (title, author, _) = f"/notater/{_MEMO}", NAMES[_MEMO]
    attic.media(path, _MEMO)
    item = {
        "id": "notat-1",
        "title": title,
        "summary": "Motoren stoppet ved holmen.",
        "date_published": "2026-01-01T09:30:00Z",
        "authors": [{"name": author}],
        "tags": ["båt"],
        "language": "nb-NO",
        "attachments": [
            {
                "url": attic.url(path),
                "mime_type": "audio/AMR",
                "size_in_bytes": attic.size_of(attic.url(path)),
                "duration_in_seconds": 1,
            }
        ],
    }
    feed = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": "Notater fra loftet",
        "home_page_url": attic.url("/"),
        "feed_url": attic.url(_FEED),
        "items": [item],
    }
    attic.file(_FEED, json.dumps(feed, ensure_ascii=False).encode(), "application/feed+json; charset=utf-8")
    attic.expect(
        path,
        feed_url=attic.url(_FEED),
        guid="notat-1",
        description="Motoren stoppet ved holmen.",
        keywords="båt",
        language="nb-NO",
    )

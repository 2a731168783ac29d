"""A host whose pages name no media: a script asks for data, and makes a player of the answer."""

from __future__ import annotations

import json
import struct
import zlib
from typing import Any, NamedTuple

from mediacrawl.demo.library import NAMES, content_type_of
from mediacrawl.demo.sites import names
from mediacrawl.demo.virtual_host import VirtualHost


class _Programme(NamedTuple):
    """A page with a player.

    Attributes:
        number: of the page.
        kind: element that the script makes.
        name: file in the library.
        seconds: that it plays.
        about: what the data says of it.
        published: date in the data.
    """

    number: int
    kind: str
    name: str
    seconds: int
    about: str
    published: str


_PROGRAMMES = (
    _Programme(107, "video", "nordurljos.mp4", 2, "Tvær sekúndur af grænum himni.", "2026-02-14"),
    _Programme(2214, "video", "brim.webm", 2, "Öldurnar ná upp á veginn.", "2026-03-01"),
    _Programme(31, "audio", "vogguvisa.mp3", 164, "Sungin við opinn glugga.", "2025-12-21"),
)
_OLD = 5
"""The number of a page that is older than the player: there is no data for it, and its file is linked."""
_OLD_FILE = "/safn/gestir.aiff"

_SCRIPT = """
<div id="spilari"></div>
<script>
const number = location.pathname.split("/").pop();
fetch(`/gogn/${number.padStart(8, "0")}.json`)
  .then((answer) => answer.ok ? answer.json() : Promise.reject(answer.status))
  .then(({ programme }) => {
    const player = document.createElement(programme.kind);
    player.controls = true;
    player.poster = programme.thumbnail;
    for (const { sources } of programme.streams)
      for (const { src, type } of sources)
        player.append(Object.assign(document.createElement("source"), { src, type }));
    document.getElementById("spilari").append(player);
  }, () => {});
</script>
"""


def hosts(port: int) -> list[VirtualHost]:
    """One host, and the site adapter that finds its media."""
    site = VirtualHost(names.PLAYER, port)
    site.robots("User-agent: *\nDisallow: /umsjon/\n")
    shown = [(each.number, NAMES[each.name].title) for each in _PROGRAMMES]
    links = ",\n".join(f'<a href="/horfa/{number}">{title}</a>' for number, title in [*shown, (_OLD, "Gestir")])
    site.page("/", "Ljósvaki", f"<p>Sent út úr firðinum, þegar veður leyfir:\n{links}.</p>", lang="is")
    for each in _PROGRAMMES:
        _programme(site, each)
    site.page(
        f"/horfa/{_OLD}",
        "Gestir",
        f'{_SCRIPT}<p>Þessi upptaka er eldri en spilarinn: <a href="{_OLD_FILE}">hlusta</a>.</p>',
        lang="is",
    )
    site.media(_OLD_FILE, "halling.aiff")
    site.expect(_OLD_FILE, page_url=site.url(f"/horfa/{_OLD}"), discovered_via="a")
    site.adapter("ljosvaki.json", _adapter(site))
    return [site]


def _programme(site: VirtualHost, programme: _Programme) -> None:
    """The page, the data that its script asks for, and the file."""
    number, title = programme.number, NAMES[programme.name].title
    site.page(f"/horfa/{number}", title, f'{_SCRIPT}<p><a href="/">Til baka</a></p>', lang="is")
    file, picture = f"/safn/{programme.name}", f"/myndir/{number}.png"
    grown = programme.seconds if programme.name.endswith(".mp3") else 0
    site.media(file, programme.name, seconds=grown)
    site.file(picture, _picture(), "image/png")
    site.forbid(picture, "extension")
    data = {"programme": _data(site, programme, file, picture)}
    text = json.dumps(data, ensure_ascii=False)
    site.file(f"/gogn/{number:08}.json", text.encode(), "application/json; charset=utf-8")
    site.expect(
        file,
        page_url=site.url(f"/horfa/{number}"),
        description=programme.about,
        thumbnail_url=site.url(picture),
        upload_date=programme.published,
        discovered_via="adapter",
    )


def _data(site: VirtualHost, programme: _Programme, file: str, picture: str) -> dict[str, Any]:
    source = {"src": site.url(file), "type": content_type_of(programme.name)}
    return {
        "id": programme.number,
        "kind": programme.kind,
        "title": NAMES[programme.name].title,
        "artist": NAMES[programme.name].artist,
        "description": programme.about,
        "length_ms": 1000 * programme.seconds,
        "published": programme.published,
        "thumbnail": picture,
        "streams": [{"label": "48p" if programme.kind == "video" else "24k", "sources": [source]}],
    }


def _picture() -> bytes:
    """A green pixel (PNG, third edition, section 11)."""
    head = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", head), (b"IDAT", zlib.compress(b"\0\x11\x44\x33")), (b"IEND", b""))
    pieces = (struct.pack(">I4s", len(data), kind) + data + _checksum(kind + data) for kind, data in chunks)
    return b"\x89PNG\r\n\x1a\n" + b"".join(pieces)


def _checksum(data: bytes) -> bytes:
    return zlib.crc32(data).to_bytes(4, "big")


def _adapter(site: VirtualHost) -> dict[str, Any]:
    """What ``scrapy adapters learn`` makes of a recording of two pages, with a comment."""
    fields = ("title", "artist", "description", "thumbnail")
    return {
        "form": 1,
        "name": names.PLAYER,
        "comment": "The pages of programmes name no media; their script asks for data, by the number in eight digits.",
        "page": {"host": f"{site.host}:{site.port}", "path": "/horfa/{id}"},
        "slots": {
            "id": {"in": "url", "like": "digits"},
            "number": {"in": "slot id", "as": [{"pad": 8}]},
        },
        "requests": [
            {"url": site.url("/gogn/{number}.json"), "headers": {"Accept": "application/json"}, "read": "json"},
        ],
        "records": {
            "media": [{"json": "programme.streams[*].sources[*].src"}],
            **{name: {"json": f"programme.{name}"} for name in fields},
            "duration": {"json": "programme.length_ms", "unit": "ms"},
            "date": {"json": "programme.published"},
        },
    }

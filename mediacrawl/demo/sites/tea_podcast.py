"""A podcast with the elements of Podcasting 2.0, and the station that it goes out on."""

# ruff: noqa: RUF001 - the titles are Russian on purpose
from __future__ import annotations

import json
from html import escape
from typing import Any

from mediacrawl.demo.library import NAMES, TITLES, content_type_of
from mediacrawl.demo.sites import names
from mediacrawl.demo.station import Station
from mediacrawl.demo.virtual_host import VirtualHost

_SECONDS = {"chai-1.mp3": 45.0, "chai-2.mp3": 1260.0, "chai-3.mp3": 900.0}
_GUID = "7c1e5a9d-2b64-5f08-93d7-4e6a8b0c1d2f"
_HOST, _PODCAST = NAMES["chai-1.mp3"].artist, NAMES["chai-1.mp3"].album
_GUEST = "Пётр Смычков"
_PLACE = "Нижняя Пристань"
_EFIR = "/efir"
_STATION = Station(
    name="Радио Дальний Свет",
    genre="Тихие песни",
    song="Группа Тихий Двор - Дождь над старым городом",
    sound="nachtzug.mp3",
    codec="cp1251",
)
_CHAPTERS = (
    ("00:00:00", "Сосед настраивает струны"),
    ("00:04:10", "Почему виолончель"),
    ("00:11:35.500", "Соната на кухне"),
)
"""Of the third episode, by Podlove Simple Chapters; the file itself has none."""


def hosts(port: int) -> list[VirtualHost]:
    """The podcast, and the station on a host of its own."""
    station = VirtualHost(names.STATION, port)
    station.robots("User-agent: *\nDisallow:\n")
    station.page(
        "/",
        "Радио Дальний Свет",
        f'<p>Слушайте <a href="{_EFIR}">прямой эфир</a>.</p>',
        lang="ru",
        charset="windows-1251",
    )
    station.station(_EFIR, _STATION)
    return [_podcast(port, station), station]


def _podcast(port: int, station: VirtualHost) -> VirtualHost:
    tea = VirtualHost(names.TEA, port)
    tea.robots("User-agent: *\nDisallow:\n")
    tea.page(
        "/",
        _PODCAST,
        f'<p>Разговоры, пока остывает чай. В прямом эфире: <a href="{station.url("/")}">{_STATION.name}</a>.</p>',
        lang="ru",
        head='<link rel="alternate" type="application/rss+xml" title="Все выпуски" href="/feed.xml">',
    )
    for name, seconds in _SECONDS.items():
        tea.media(f"/zvuk/{name}", name, seconds=seconds)
    tea.media("/zvuk/chai-3.opus", "chai-3.opus")
    tea.file("/tekst/2.vtt", "WEBVTT\n\n00:00.000 --> 00:02.000\nДобрый вечер.\n".encode(), "text/vtt")
    tea.file("/tekst/2.en.srt", b"1\n00:00:00,000 --> 00:00:02,000\nGood evening.\n", "application/x-subrip")
    listed = {"version": "1.2.0", "chapters": [{"startTime": 0, "title": "Чайник"}]}
    tea.file("/glavy/2.json", json.dumps(listed).encode(), "application/json+chapters")
    tea.file("/feed.xml", _feed(tea, station).encode(), "application/rss+xml; charset=utf-8")
    _expect(tea)
    return tea


def _feed(tea: VirtualHost, station: VirtualHost) -> str:
    items = "\n".join(
        [
            _item(tea, "chai-3.mp3", "<itunes:episode>3</itunes:episode>", "full", _third(tea)),
            _item(tea, "chai-2.mp3", "<itunes:episode>2</itunes:episode>", "full", _second(tea)),
            _item(tea, "chai-1.mp3", "", "trailer", ""),
        ]
    )
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"
 xmlns:podcast="https://podcastindex.org/namespace/1.0" xmlns:psc="http://podlove.org/simple-chapters">
<channel>
<title>{_PODCAST}</title>
<link>{tea.url("/")}</link>
<description>Разговоры, пока остывает чай</description>
<language>ru</language>
<itunes:author>{_HOST}</itunes:author>
<itunes:explicit>false</itunes:explicit>
<itunes:category text="Society &amp; Culture"/>
<podcast:guid>{_GUID}</podcast:guid>
<podcast:medium>podcast</podcast:medium>
<podcast:locked>yes</podcast:locked>
<podcast:liveItem status="live" start="2026-01-01T18:00:00Z" end="2026-01-01T20:00:00Z">
<title>Чай в прямом эфире</title>
<guid isPermaLink="false">chai-efir</guid>
<enclosure url="{station.url(_EFIR)}" length="0" type="audio/mpeg"/>
</podcast:liveItem>
{items}
</channel>
</rss>
"""


def _item(tea: VirtualHost, name: str, number: str, kind: str, more: str) -> str:
    url = tea.url(f"/zvuk/{name}")
    return f"""<item>
<title>{escape(TITLES[name])}</title>
<guid isPermaLink="false">{name.removesuffix(".mp3")}</guid>
<enclosure url="{url}" length="{tea.size_of(url)}" type="audio/mpeg"/>
<itunes:season>1</itunes:season>{number}
<itunes:episodeType>{kind}</itunes:episodeType>
<podcast:person role="host" href="{tea.url("/")}">{_HOST}</podcast:person>{more}
</item>"""


def _second(tea: VirtualHost) -> str:
    """The file has chapters of its own; the feed names a list of them, two transcripts, a clip, a guest and a place."""
    return f"""
<podcast:person role="Guest" group="Cast">{_GUEST}</podcast:person>
<podcast:location geo="geo:59.2,39.9" rel="subject">{_PLACE}</podcast:location>
<podcast:soundbite startTime="614.5" duration="31.0">Письмо о пропавшей банке</podcast:soundbite>
<podcast:transcript url="{tea.url("/tekst/2.vtt")}" type="text/vtt" language="ru"/>
<podcast:transcript url="{tea.url("/tekst/2.en.srt")}" type="application/x-subrip" language="en"/>
<podcast:chapters url="{tea.url("/glavy/2.json")}" type="application/json+chapters"/>"""


def _third(tea: VirtualHost) -> str:
    """Chapters in the feed, and a second encoding."""
    chapters = "\n".join(f'<psc:chapter start="{start}" title="{title}"/>' for start, title in _CHAPTERS)
    return f"""
<podcast:alternateEnclosure type="{content_type_of("chai-3.opus")}" bitrate="12000" title="Opus">
<podcast:source uri="{tea.url("/zvuk/chai-3.opus")}"/>
</podcast:alternateEnclosure>
<psc:chapters version="1.2">
{chapters}
</psc:chapters>"""


def _expect(tea: VirtualHost) -> None:
    host = {"role": "host", "name": _HOST, "url": tea.url("/")}
    common: dict[str, Any] = {
        "feed_url": tea.url("/feed.xml"),
        "podcast": _PODCAST,
        "media_kind": "podcast",
        "explicit": "no",
        "language": "ru",
        "season": "1",
        "identifiers": {"podcast": [_GUID]},
        "persons": (host,),
    }
    tea.expect("/zvuk/chai-1.mp3", **common, guid="chai-1", episode_type="trailer")
    tea.expect(
        "/zvuk/chai-2.mp3",
        **common
        | {
            "guid": "chai-2",
            "episode": "2",
            "episode_type": "full",
            "persons": (host, {"role": "guest", "name": _GUEST}),
            "location": _PLACE,
            "soundbites": [{"start": 614.5, "duration": 31.0, "title": "Письмо о пропавшей банке"}],
            "transcripts": [
                {"url": tea.url("/tekst/2.vtt"), "type": "text/vtt", "language": "ru"},
                {"url": tea.url("/tekst/2.en.srt"), "type": "application/x-subrip", "language": "en"},
            ],
            "transcript_url": tea.url("/tekst/2.vtt"),
            "chapters_url": tea.url("/glavy/2.json"),
        },
    )
    starts = (0.0, 250.0, 695.5)
    chapters = [{"start": start, "title": title} for start, (_, title) in zip(starts, _CHAPTERS, strict=True)]
    third = common | {"guid": "chai-3", "episode": "3", "episode_type": "full", "chapters": chapters}
    tea.expect("/zvuk/chai-3.mp3", **third)
    tea.expect("/zvuk/chai-3.opus", **third)

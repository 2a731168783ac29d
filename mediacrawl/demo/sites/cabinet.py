"""A host with one file of each format family that the other hosts do not have, each linked in another way."""

from __future__ import annotations

import json

from mediacrawl.demo.library import NAMES, media_bytes
from mediacrawl.demo.sites import names
from mediacrawl.demo.virtual_host import VirtualHost

_MEDIA = (
    "baile.avi",
    "dag-yolu.mkv",
    "halling.aiff",
    "kisa.wav",
    "manha.wma",
    "marea.ac3",
    "mlyn.webm",
    "ninna.aac",
    "tuuli.wv",
    "vinter.flv",
    "vonat.m2ts",
)
_XML = '<?xml version="1.0" encoding="UTF-8"?>\n'


def hosts(port: int) -> list[VirtualHost]:
    """One host. Its front page leads to pages, lists and feeds; robots.txt names the map that leads to one more."""
    cabinet = VirtualHost(names.CABINET, port)
    cabinet.robots(f"User-agent: *\nDisallow:\n\nSitemap: {cabinet.url('/karte.xml')}\n")
    for name in _MEDIA:
        cabinet.media(f"/lade/{name}", name)
    cabinet.page(
        "/",
        "Kabinett der Formate",
        """
<p>Jede Lade hat ihren eigenen Griff:
<a href="/griffe/json-ld">Lade 1</a>, <a href="/griffe/mikrodaten">Lade 2</a>, <a href="/griffe/spaeter">Lade 3</a>,
<a href="/griffe/karte">Lade 4</a>, <a href="/griffe/spieler">Lade 5</a>.</p>
<p>Zum Hören: <a href="/listen/ninna.m3u">M3U</a>, <a href="/listen/tuuli.pls">PLS</a>,
<a href="/listen/halling.xspf">XSPF</a>, <a href="/listen/manha.asx">ASX</a>, in Stücken
<a href="/listen/stuecke.m3u8">HLS</a>.</p>
""",
        lang="de",
        head=(
            '<link rel="alternate" type="application/atom+xml" title="Neue Laden" href="/neu.atom">\n'
            '<link rel="alternate" type="application/rss+xml" title="Filme" href="/filme.rss">'
        ),
    )
    _pages(cabinet)
    _lists(cabinet)
    _feeds(cabinet)
    return [cabinet]


def _pages(cabinet: VirtualHost) -> None:
    described = {
        "@context": "https://schema.org",
        "@graph": [
            {
                "@type": "AudioObject",
                "name": "Marea di marzo",
                "author": {"@type": "Person", "name": "Coro del Molo"},
                "contentUrl": "/lade/marea.ac3",
                "license": "https://creativecommons.org/publicdomain/zero/1.0/",
                "inLanguage": "it",
            }
        ],
    }
    script = f'<script type="application/ld+json">{json.dumps(described)}</script>'
    cabinet.page("/griffe/json-ld", "Lade 1", '<p>Ein Klang. <a href="/">Zurück</a></p>', lang="de", head=script)
    cabinet.page(
        "/griffe/mikrodaten",
        "Lade 2",
        """
<div itemscope itemtype="https://schema.org/VideoObject">
<h2 itemprop="name">Tavaszi vonat</h2> <span itemprop="author">Dunaparti Mozi</span>
<meta itemprop="contentUrl" content="/lade/vonat.m2ts"><meta itemprop="uploadDate" content="2020-03-20">
</div>
<p><a href="/">Zurück</a></p>
""",
        lang="de",
    )
    cabinet.page(
        "/griffe/spaeter",
        "Lade 3",
        """
<video controls data-src="/lade/mlyn.webm" title="Mlýn u řeky"><track kind="captions" src="/lade/mlyn.vtt"></video>
<p><a href="/">Zurück</a></p>
""",
        lang="de",
    )
    cabinet.page(
        "/griffe/karte",
        "Lade 4",
        '<p>Ein Film im Schnee. <a href="/">Zurück</a></p>',
        lang="de",
        head=(
            '<meta name="twitter:card" content="player">\n'
            f'<meta name="twitter:player:stream" content="{cabinet.url("/lade/dag-yolu.mkv")}">\n'
            '<meta name="twitter:player:stream:content_type" content="video/x-matroska">'
        ),
    )
    player = cabinet.url("/spieler/7")
    cabinet.players.add(player)
    shown = {"@context": "https://schema.org", "@type": "VideoObject", "name": "Der leere Rahmen", "embedUrl": player}
    cabinet.page(
        "/griffe/spieler",
        "Lade 5",
        f'<iframe src="{player}"></iframe><p><a href="/">Zurück</a></p>',
        lang="de",
        head=f'<script type="application/ld+json">{json.dumps(shown)}</script>',
    )
    cabinet.page("/spieler/7", "Spieler", "<p>Dieser Film ist nirgends als Datei zu haben.</p>", lang="de")


def _lists(cabinet: VirtualHost) -> None:
    title = NAMES["ninna.aac"].title
    m3u = f"#EXTM3U\n#EXTINF:2,{title}\n/lade/ninna.aac\n"
    cabinet.file("/listen/ninna.m3u", m3u.encode("cp1252"), "audio/x-mpegurl")
    pls = "[playlist]\nNumberOfEntries=1\nFile1=/lade/tuuli.wv\nTitle1=Tuuli\nLength1=1\nVersion=2\n"
    cabinet.file("/listen/tuuli.pls", pls.encode(), "audio/x-scpls")
    xspf = (
        f'{_XML}<playlist version="1" xmlns="http://xspf.org/ns/0/"><trackList><track>'
        f"<location>{cabinet.url('/lade/halling.aiff')}</location><title>Hallingdans på tunet</title>"
        "<creator>Fjordlaget</creator></track></trackList></playlist>\n"
    )
    cabinet.file("/listen/halling.xspf", xspf.encode(), "application/xspf+xml")
    asx = '<ASX version="3.0">\n<Entry><Title>Manhã</Title><Ref HREF="/lade/manha.wma"></Entry>\n</ASX>\n'
    cabinet.file("/listen/manha.asx", asx.encode("cp1252"), "video/x-ms-asf")
    film = cabinet.url("/lade/baile.avi")
    card = (
        f'{_XML}<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
        ' xmlns:video="http://www.google.com/schemas/sitemap-video/1.1">\n'
        f"<url><loc>{cabinet.url('/')}</loc><video:video><video:title>Baile de otoño</video:title>"
        f"<video:content_loc>{film}</video:content_loc><video:duration>2</video:duration></video:video></url>\n</urlset>\n"
    )
    cabinet.file("/karte.xml", card.encode(), "application/xml")
    # Its pieces are nobody's files: the list itself is the record.
    pieces = "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\n1.ts\n#EXTINF:4,\n2.ts\n#EXT-X-ENDLIST\n"
    cabinet.file("/listen/stuecke.m3u8", pieces.encode(), "application/vnd.apple.mpegurl")
    cabinet.players.add(cabinet.url("/listen/stuecke.m3u8"))
    cabinet.file("/listen/1.ts", media_bytes("vonat.m2ts"), "video/mp2t")
    cabinet.forbid("/listen/1.ts", "piece of a stream")


def _feeds(cabinet: VirtualHost) -> None:
    atom = (
        f'{_XML}<feed xmlns="http://www.w3.org/2005/Atom"><title>Neue Laden</title><entry><title>Kiša</title>'
        f'<id>lade-8</id><link rel="enclosure" type="audio/wav" href="/lade/kisa.wav"/></entry></feed>\n'
    )
    cabinet.file("/neu.atom", atom.encode(), "application/atom+xml")
    rss = (
        f'{_XML}<rss version="2.0" xmlns:media="http://search.yahoo.com/mrss/"><channel><title>Filme</title><item>'
        f"<title>Vintervägen</title><guid>lade-9</guid><media:group>"
        f'<media:content url="{cabinet.url("/lade/vinter.flv")}" type="video/x-flv" medium="video"/>'
        "</media:group></item></channel></rss>\n"
    )
    cabinet.file("/filme.rss", rss.encode(), "application/rss+xml")

"""A host with films: in set-ups of players, in attributes for scripts, in a sitemap, and as live streams."""

from __future__ import annotations

import json
from html import escape

from mediacrawl.demo.library import NAMES
from mediacrawl.demo.sites import names
from mediacrawl.demo.virtual_host import VirtualHost

_XML = '<?xml version="1.0" encoding="UTF-8"?>\n'
_BACK = '<p><a href="/">Vissza</a></p>'
_HLS = "application/vnd.apple.mpegurl"
_SITEMAP = "/terkep.xml"


def hosts(port: int) -> list[VirtualHost]:
    """One host; its sitemap names a film that no page links to."""
    reel = VirtualHost(names.REEL, port)
    reel.robots(f"User-agent: *\nDisallow:\n\nSitemap: {reel.url(_SITEMAP)}\n")
    for name in ("hajo.mkv", "ranta.loas", "udvar.mp4"):
        reel.media(f"/tar/{name}", name)
    reel.page(
        "/",
        "Filmtekercs",
        """
<p>Vetítés a padláson: <a href="/film/hajo">egy hajó</a>, <a href="/film/udvar">egy udvar</a>,
<a href="/hang/ranta">egy part hangjai</a> és <a href="/adas">az élő adás</a>.</p>
""",
        lang="hu",
    )
    _boat(reel)
    _yard(reel)
    _shore(reel)
    _broadcast(reel)
    _sitemap(reel)
    return [reel]


def _boat(reel: VirtualHost) -> None:
    """JW Player, set up in a script."""
    captions = reel.url("/tar/hajo.hu.vtt")
    setup = {
        "playlist": [
            {
                "title": NAMES["hajo.mkv"].title,
                "description": "Két percen át csak köd.",
                "image": "/tar/hajo.jpg",
                "sources": [{"file": "/tar/hajo.mkv", "type": "video/x-matroska", "label": "48p"}],
                "tracks": [{"file": captions, "kind": "captions", "label": "Magyar"}],
            }
        ]
    }
    script = f'<script>\njwplayer("lejatszo").setup({json.dumps(setup, ensure_ascii=False)});\n</script>'
    reel.page("/film/hajo", "Egy hajó", f'<div id="lejatszo"></div>\n{script}\n{_BACK}', lang="hu")
    reel.file("/tar/hajo.hu.vtt", "WEBVTT\n\n00:00.500 --> 00:01.500\nKöd.\n".encode(), "text/vtt")
    reel.expect(
        "/tar/hajo.mkv",
        description="Két percen át csak köd.",
        thumbnail_url=reel.url("/tar/hajo.jpg"),
        transcript_url=captions,
        transcripts=({"url": captions},),
    )


def _yard(reel: VirtualHost) -> None:
    """An attribute for a script that makes the player; nothing else names the file."""
    player = f'<div class="video-box" data-video-src="/tar/udvar.mp4" title="{NAMES["udvar.mp4"].title}"></div>'
    reel.page("/film/udvar", "Egy udvar", f"{player}\n{_BACK}", lang="hu")


def _shore(reel: VirtualHost) -> None:
    """The Podlove Web Player, set up in a script; the file holds no text."""
    title, author, _ = NAMES["ranta.loas"]
    setup = {
        "show": {"title": "Rannalta"},
        "title": title,
        "author": author,
        "summary": "Szél, víz, egy csónak.",
        "duration": "00:00:02.000",
        "audio": [{"url": reel.url("/tar/ranta.loas"), "mimeType": "audio/MP4A-LATM", "title": "LATM"}],
    }
    script = f'<script>\npodlovePlayer("#hang", {json.dumps(setup, ensure_ascii=False)});\n</script>'
    reel.page("/hang/ranta", "Egy part hangjai", f'<div id="hang"></div>\n{script}\n{_BACK}', lang="hu")
    reel.expect("/tar/ranta.loas", podcast="Rannalta", description="Szél, víz, egy csónak.")


def _broadcast(reel: VirtualHost) -> None:
    """A master playlist that names codecs and sounds, and the playlist of its variant, which has no end."""
    reel.page(
        "/adas",
        "Élő adás",
        f"""
<video controls><source src="/adas/mester.m3u8" type="{_HLS}"></video>
<p>Egyben: <a href="/adas/elo.m3u8">az adás</a>.</p>
{_BACK}
""",
        lang="hu",
    )
    master = (
        "#EXTM3U\n#EXT-X-VERSION:6\n"
        '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="hang",NAME="Magyar",LANGUAGE="hu",DEFAULT=YES,CHANNELS="2"\n'
        '#EXT-X-STREAM-INF:BANDWIDTH=640000,RESOLUTION=640x360,FRAME-RATE=25,CODECS="avc1.4d401e,mp4a.40.2",AUDIO="hang"\n'
        "elo.m3u8\n"
    )
    reel.file("/adas/mester.m3u8", master.encode(), _HLS)
    # Its pieces are nobody's files. Without EXT-X-ENDLIST more of them follow.
    pieces = "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-MEDIA-SEQUENCE:1207\n#EXTINF:6,\n1207.ts\n#EXTINF:6,\n1208.ts\n"
    reel.file("/adas/elo.m3u8", pieces.encode(), _HLS)
    reel.players |= {reel.url("/adas/mester.m3u8"), reel.url("/adas/elo.m3u8")}
    reel.expect(
        "/adas/mester.m3u8",
        container="hls",
        encoding_format=_HLS,
        video_codec="h264",
        audio_codec="aac",
        width=640,
        height=360,
        frame_rate=25.0,
        tracks=[
            {"kind": "video", "codec": "h264", "width": 640, "height": 360},
            {"kind": "audio", "codec": "aac", "language": "hu", "title": "Magyar", "default": True, "channels": 2},
        ],
    )
    reel.expect("/adas/elo.m3u8", container="hls", is_live=True, type="BroadcastService", duration=None)


def _sitemap(reel: VirtualHost) -> None:
    """A sitemap with Google's extension for videos; that the film is no broadcast need not be in its record."""
    film = "/tar/papirhajo.mp4"
    reel.media(film, "bateau.mp4")
    video = (
        f"<video:title>{escape(NAMES['bateau.mp4'].title)}</video:title>"
        "<video:description>Egy papírhajó útja a csatornán.</video:description>"
        f"<video:content_loc>{reel.url(film)}</video:content_loc><video:duration>2</video:duration>"
        "<video:publication_date>2026-01-01T20:00:00Z</video:publication_date>"
        "<video:family_friendly>yes</video:family_friendly><video:tag>papír</video:tag><video:live>no</video:live>"
    )
    text = (
        f'{_XML}<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
        ' xmlns:video="http://www.google.com/schemas/sitemap-video/1.1">\n'
        f"<url><loc>{reel.url('/')}</loc><video:video>{video}</video:video></url>\n</urlset>\n"
    )
    reel.file(_SITEMAP, text.encode(), "application/xml")
    reel.expect(
        film,
        description="Egy papírhajó útja a csatornán.",
        keywords="papír",
        explicit="no",
        is_live=None,
    )

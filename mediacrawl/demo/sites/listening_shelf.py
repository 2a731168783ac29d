"""A host whose media are described beside them: in comments of scripts, in microdata, on a second page, in lists."""

from __future__ import annotations

import json

from mediacrawl.demo.library import NAMES
from mediacrawl.demo.sites import names
from mediacrawl.demo.virtual_host import VirtualHost

_MEDIA = ("gradina.w64", "haus.m4b", "heidi.caf", "mosty.flac", "raba.au")
_CC0 = "https://creativecommons.org/publicdomain/zero/1.0/"
_XML = '<?xml version="1.0" encoding="UTF-8"?>\n'
_BACK = '<p><a href="/">Zurück zum Regal</a></p>'


def hosts(port: int) -> list[VirtualHost]:
    """One host. Its front page leads to pages and lists, each with one file."""
    shelf = VirtualHost(names.SHELF, port)
    shelf.robots("User-agent: *\nDisallow:\n")
    for name in _MEDIA:
        shelf.media(f"/ton/{name}", name)
    shelf.page(
        "/",
        "Hörregal",
        """
<p>Oben steht <a href="/brett/haus">ein Hörbuch</a>, darunter <a href="/brett/gradina">ein Garten im Regen</a> und
<a href="/brett/heidi">die Heide</a>; den Rest nennen <a href="/listen/bruecken.xspf">die Liste der Brücken</a> und
<a href="/listen/alles.opml">das Verzeichnis</a>.</p>
""",
        lang="de",
    )
    _audiobook(shelf)
    _garden(shelf)
    _heath(shelf)
    _lists(shelf)
    return [shelf]


def _audiobook(shelf: VirtualHost) -> None:
    """JSON-LD behind the marks of an HTML comment, as templates once hid scripts from old browsers."""
    about = "Drei Kapitel, eine Treppe und ein Schlüssel."
    described = {
        "@context": "https://schema.org",
        "@type": "Audiobook",
        "name": NAMES["haus.m4b"].title,
        "author": {"@type": "Person", "name": NAMES["haus.m4b"].artist},
        "description": about,
        "license": _CC0,
        "contentUrl": "/ton/haus.m4b",
    }
    text = json.dumps(described, ensure_ascii=False)
    shelf.page(
        "/brett/haus",
        "Oberstes Brett",
        _BACK,
        lang="de",
        head=f'<script type="application/ld+json">\n<!--\n{text}\n-->\n</script>',
    )
    shelf.expect("/ton/haus.m4b", description=about, license_url=_CC0)


def _garden(shelf: VirtualHost) -> None:
    """Microdata with an object in it; the file holds no text."""
    title, choir, _ = NAMES["gradina.w64"]
    shelf.page(
        "/brett/gradina",
        "Mittleres Brett",
        f"""
<div itemscope itemtype="https://schema.org/AudioObject">
<h2 itemprop="name">{title}</h2>
<p>Aufgenommen von <span itemprop="author" itemscope itemtype="https://schema.org/Person"><span itemprop="name">{choir}
</span></span>. <span itemprop="description">Tropfen auf Blech, dann ein Lied.</span></p>
<link itemprop="contentUrl" href="/ton/gradina.w64"><link itemprop="license" href="{_CC0}">
</div>
{_BACK}
""",
        lang="de",
    )
    shelf.expect("/ton/gradina.w64", description="Tropfen auf Blech, dann ein Lied.", license_url=_CC0)


def _heath(shelf: VirtualHost) -> None:
    """A page that has only the link, and a second one that says whose the file is and under which licence."""
    title, choir, _ = NAMES["heidi.caf"]
    shelf.page(
        "/brett/heidi",
        "Unteres Brett",
        f"""
<p><a href="/ton/heidi.caf">{title}</a>, mehr steht <a href="/brett/heidi/urheber">im Beiblatt</a>.</p>
{_BACK}
""",
        lang="de",
    )
    described = {
        "@context": "https://schema.org",
        "@type": "AudioObject",
        "contentUrl": "/ton/heidi.caf",
        "author": {"@type": "MusicGroup", "name": choir},
        "license": _CC0,
    }
    shelf.page(
        "/brett/heidi/urheber",
        "Beiblatt",
        f"<p>Wer singt, und was man damit darf.</p>\n{_BACK}",
        lang="de",
        head=f'<script type="application/ld+json">{json.dumps(described)}</script>',
    )
    shelf.expect("/ton/heidi.caf", license_url=_CC0)


def _lists(shelf: VirtualHost) -> None:
    """An XSPF whose references are relative to ``xml:base``, and an OPML whose outlines nest."""
    xspf = (
        f'{_XML}<playlist version="1" xmlns="http://xspf.org/ns/0/" xml:base="{shelf.url("/ton/")}"><trackList><track>'
        "<location>mosty.flac</location><annotation>Z nahrávek u řeky</annotation></track></trackList></playlist>\n"
    )
    shelf.file("/listen/bruecken.xspf", xspf.encode(), "application/xspf+xml")
    opml = (
        f'{_XML}<opml version="2.0"><head><title>Alles</title></head><body><outline text="Podcasts">'
        f'<outline text="Russisch"><outline type="rss" text="Tee" xmlUrl="{shelf.url("/feed.xml", names.TEA)}"/>'
        '</outline></outline><outline text="Klänge"><outline text="Estnisch">'
        f'<outline type="audio" text="{NAMES["raba.au"].title}" url="{shelf.url("/ton/raba.au")}"/>'
        "</outline></outline></body></opml>\n"
    )
    shelf.file("/listen/alles.opml", opml.encode(), "text/x-opml")

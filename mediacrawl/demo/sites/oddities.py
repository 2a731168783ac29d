"""A host where things are not what their URLs say."""

from __future__ import annotations

from mediacrawl.demo.sites import names
from mediacrawl.demo.virtual_host import VirtualHost

_NOTES = """Notes on the recordings in this corner.
The second one was made in a kitchen; http://fundgrube.example/ is where it was found.
"""


def hosts(port: int) -> list[VirtualHost]:
    """Media without an extension, a page that ends in .mp3, dead links, an empty page, a header that says nofollow."""
    corner = VirtualHost(names.ODDITIES, port)
    corner.robots("# Nothing is forbidden here.\n")
    corner.page(
        "/",
        "Fundgrube",
        """
<ul>
<li><a href="/play?id=17">Hörprobe 17</a>: a recording whose URL has no extension</li>
<li><a href="/angebot.mp3">Angebot</a>: ends in .mp3 and is a page</li>
<li><a href="/fehlt">fehlt</a> and <a href="/verschwunden">verschwunden</a>: dead links</li>
<li><a href="/leer">leer</a>: a page without a word</li>
<li><a href="/notizen.txt">Notizen</a>: plain text</li>
<li><a href="/still">still</a>: its header says nofollow</li>
<li><a href="javascript:void(0)">nothing</a>, <a href="tel:+49300000">call us</a>, <a
href="http://[broken">broken</a></li> </ul> """,
    )
    corner.media("/play?id=17", "cafe.mp3", seconds=112)
    corner.page("/angebot.mp3", "Angebot", '<p>Das Lied gibt es <a href="/">hier</a> nicht.</p>', lang="de")
    corner.gone("/verschwunden")
    corner.file("/leer", b"", "text/html; charset=utf-8")
    corner.file("/notizen.txt", _NOTES.encode(), "text/plain; charset=utf-8")
    corner.page(
        "/still",
        "Still",
        '<p><a href="/still/verborgen.mp3">verborgen</a></p>',
        headers=(("X-Robots-Tag", "nofollow"),),
    )
    corner.media("/still/verborgen.mp3", "kitchen.mp3", expected=False)
    corner.forbid("/still/verborgen.mp3", "X-Robots-Tag nofollow")
    return [corner]

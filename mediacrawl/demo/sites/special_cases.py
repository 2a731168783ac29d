"""Hosts that need care: robots.txt, redirects, endless pages, a slow server, wrong extensions, a directory listing."""

from __future__ import annotations

import re
from datetime import date

from mediacrawl.demo.message import Resource
from mediacrawl.demo.sites import names
from mediacrawl.demo.virtual_host import VirtualHost, html_page

_MONTH = re.compile(r"/calendar/([0-9]{4,9})/([0-9]{1,2})")
_MORE = re.compile(r"(?:/mehr)+/")


def careful_hosts(port: int, today: date) -> list[VirtualHost]:
    """One host for each kind of care; the calendar starts in the month of `today`."""
    return [_polish(port), _detours(port), _calendar(port, today), _slow(port)]


def _polish(port: int) -> VirtualHost:
    """robots.txt closes a folder with media in it, and asks for a second between two requests."""
    archive = VirtualHost(names.POLISH, port)
    archive.robots("User-agent: *\nDisallow: /prywatne/\nCrawl-delay: 1\n", crawl_delay=1.0)
    archive.forbid("/prywatne/", "robots.txt")
    archive.page(
        "/",
        "Archiwum dźwięku",
        """
<p>Nagrania z łąk i jezior: <a href="/nagrania/spacer.m4a">Zimowy spacer wśród łąk</a>,
<a href="/nagrania/burza.m4a">Burza nad jeziorem</a>.</p>
<p>Nie dla wszystkich: <a href="/prywatne/">szuflada</a>, <a href="/prywatne/burza.m4a">szkic</a>.</p>
""",
        lang="pl",
    )
    archive.page("/prywatne/", "Szuflada", '<p><a href="burza.m4a">Szkic</a></p>', lang="pl")
    archive.media("/nagrania/spacer.m4a", "spacer.m4a")
    archive.media("/nagrania/burza.m4a", "burza.m4a")
    archive.media("/prywatne/burza.m4a", "burza.m4a", expected=False)
    return archive


def _detours(port: int) -> VirtualHost:
    """A chain of one redirect to a file, a chain of five, and a redirect to the host that must be left alone."""
    detours = VirtualHost(names.DETOURS, port)
    detours.robots("User-agent: *\nDisallow:\n")
    detours.page(
        "/",
        "Umweg",
        """
<p><a href="/kurz/start">Der kurze Weg</a>, <a href="/lang/start">der lange Weg</a>,
<a href="/zu-privat">der Weg zum Nachbarn</a>.</p>
""",
        lang="de",
    )
    detours.redirect("/kurz/start", "ziel.mp3", status=301)
    detours.media("/kurz/ziel.mp3", "regenlied.mp3", seconds=120)
    for number, path in enumerate(("/lang/start", "/lang/hop-1", "/lang/hop-2", "/lang/hop-3"), start=1):
        detours.redirect(path, f"/lang/hop-{number}")
    detours.redirect("/lang/hop-4", "/lang/ziel.mp3")
    detours.media("/lang/ziel.mp3", "regenlied.mp3", expected=False)
    detours.forbid("/lang/hop-4", "the fourth hop of a redirect")
    detours.forbid("/lang/ziel.mp3", "behind the fourth hop of a redirect")
    detours.redirect("/zu-privat", detours.url("/lied.mp3", names.NEVER))
    return detours


def _calendar(port: int, today: date) -> VirtualHost:
    """Each month links to the next, for ever; and a relative link that makes each path one step longer."""
    calendar = VirtualHost(names.CALENDAR, port)
    calendar.robots("User-agent: *\nDisallow:\n")
    calendar.page(
        "/",
        "Kalender",
        f"""
<p>Unsere Konzerte: <a href="/calendar/{today.year}/{today.month:02}">dieser Monat</a>.
<a href="/mehr/">Mehr</a> davon.</p>
<p><a href="/probe.mp3">Mitschnitt der letzten Probe</a></p>
""",
        lang="de",
    )
    calendar.media("/probe.mp3", "nachtzug.mp3", seconds=95)
    calendar.rules += [_month, _more]
    # A year of months and a margin for other sound rules; a crawler without a rule asks for hundreds.
    calendar.traps = {calendar.url("/calendar/"): 30, calendar.url("/mehr/mehr/"): 10}
    return calendar


def _month(path: str) -> Resource | None:
    found = _MONTH.fullmatch(path)
    if found is None or not 1 <= int(found[2]) <= 12:
        return None
    year, month = int(found[1]), int(found[2])
    after = f"{year + month // 12:04}/{month % 12 + 1:02}"
    body = f'<p>Keine Konzerte.</p><p><a href="/calendar/{after}">Nächster Monat</a></p>'
    return html_page(f"Kalender {month}/{year}", body, lang="de")


def _more(path: str) -> Resource | None:
    if not _MORE.fullmatch(path):
        return None
    return html_page("Mehr", '<p><a href="mehr/">Noch mehr</a></p>', lang="de")


def _slow(port: int) -> VirtualHost:
    """Each page takes 0.3 s: a crawler should notice, and come less often."""
    slow = VirtualHost(names.SLOW, port)
    slow.robots("User-agent: *\nDisallow:\n")
    slow.page("/", "Hidas radio", '<p>Meillä ei ole kiire. <a href="/arkisto">Arkisto</a></p>', lang="fi", delay=0.3)
    slow.page("/arkisto", "Arkisto", '<audio src="/aalto.mp3"></audio>', lang="fi", delay=0.3)
    slow.media("/aalto.mp3", "cafe.mp3", seconds=133)
    return slow


_NOTES = """Notes on the recordings in this corner.
The second one was made in a kitchen; http://fundgrube.example/ is where it was found.
"""


def oddity_hosts(port: int) -> list[VirtualHost]:
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
<li><a href="javascript:void(0)">nothing</a>, <a href="tel:+49300000">call us</a>, <a href="http://[broken">broken</a></li>
</ul>
""",
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


_TINY_JPEG = b"\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00\xff\xd9"
_EMPTY_ZIP = b"PK\x05\x06" + bytes(18)
_COLUMNS = (("N", "Name"), ("M", "Last modified"), ("S", "Size"), ("D", "Description"))


def directory_hosts(port: int) -> list[VirtualHost]:
    """One host; robots.txt forbids the sort links, as many a careful administrator does."""
    folder = VirtualHost(names.DIRECTORY, port)
    folder.robots("User-agent: *\nDisallow: /*?C=\n")
    folder.media("/musik/low-water.flac", "low-water.flac")
    folder.media("/musik/thalassa.ogg", "thalassa.ogg")
    folder.media("/musik/alt/nychta.opus", "nychta.opus")
    folder.media("/musik/alt/utro.mp3", "utro.mp3", seconds=240)
    folder.file("/musik/README.txt", b"Recordings in this folder are free to copy.\n", "text/plain")
    for path, data, content_type in (
        ("/musik/cover.jpg", _TINY_JPEG, "image/jpeg"),
        ("/musik/alles.zip", _EMPTY_ZIP, "application/zip"),
        ("/abbild.iso", bytes(4096), "application/octet-stream"),
    ):
        folder.file(path, data, content_type)
        folder.forbid(path, "extension")
    for path in ("/", "/musik/", "/musik/alt/"):
        folder.forbid(f"{path}?C=", "robots.txt")
    _list(folder, "/", ("musik/", "abbild.iso"))
    _list(folder, "/musik/", ("alt/", "README.txt", "alles.zip", "cover.jpg", "low-water.flac", "thalassa.ogg"))
    _list(folder, "/musik/alt/", ("nychta.opus", "utro.mp3"))
    return [folder]


def _list(folder: VirtualHost, path: str, names_here: tuple[str, ...]) -> None:
    columns = " ".join(f'<a href="?C={key};O={"D" if key == "N" else "A"}">{name}</a>' for key, name in _COLUMNS)
    parent = "" if path == "/" else f'<a href="{path[:-1].rpartition("/")[0]}/">Parent Directory</a>\n'
    rows = "\n".join(f'<a href="{name}">{name}</a>   2026-01-01 00:00' for name in names_here)
    folder.page(path, f"Index of {path}", f"<pre>{columns}<hr>\n{parent}{rows}\n<hr></pre>")

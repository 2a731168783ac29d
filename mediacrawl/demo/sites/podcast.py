"""A podcast: pages and feed on one host, files on another of the same site, one behind a counter's redirects."""

from __future__ import annotations

from html import escape

from mediacrawl.demo.library import TITLES
from mediacrawl.demo.sites import names
from mediacrawl.demo.virtual_host import VirtualHost

_SECONDS = {1: 612.0, 2: 540.0, 3: 655.0}


def hosts(port: int) -> list[VirtualHost]:
    """Three hosts of two sites: pages and files share one site, and so one delay."""
    files = _files(port)
    return [_pages(port, files), files, _counter(port)]


def _files(port: int) -> VirtualHost:
    files = VirtualHost(names.PODCAST_MEDIA, port)
    files.robots("User-agent: *\nDisallow: /entwurf/\n")
    for number, seconds in _SECONDS.items():
        files.media(f"/folge-{number}.mp3", f"folge-{number}.mp3", seconds=seconds)
    return files


def _counter(port: int) -> VirtualHost:
    """Two redirects in a row, the second to another host: fine for a crawler that follows three."""
    counter = VirtualHost(names.COUNTER, port)
    counter.robots("User-agent: *\nAllow: /\n")
    counter.redirect("/r/folge-3.mp3", "/z/folge-3.mp3?n=1")
    counter.redirect("/z/folge-3.mp3", counter.url("/folge-3.mp3", names.PODCAST_MEDIA), status=307)
    return counter


def _pages(port: int, files: VirtualHost) -> VirtualHost:
    pages = VirtualHost(names.PODCAST, port)
    pages.robots("User-agent: *\nDisallow: /konto/\n")
    pages.forbid("/konto/", "robots.txt")
    feed = '<link rel="alternate" type="application/rss+xml" title="Alle Folgen" href="/feed.xml">'
    pages.page(
        "/",
        "Podcast am Morgen",
        f"""
<p>Jeden Morgen ein Gespräch, kürzer als ein Frühstück.</p>
<p><a href="/folgen/1">Folge 1</a>, <a href="/folgen/2">Folge 2</a>; die neueste steht zuerst im Feed.</p>
<p><a href="/ueber/">Über uns</a>, <a href="/konto/anmelden">Anmelden</a>,
<a href="{pages.url("/", names.DIRECTORY)}">Rohaufnahmen</a></p>
""",
        lang="de",
        head=feed,
    )
    for number in (1, 2):
        _episode(pages, files, number)
    pages.page("/ueber/", "Über uns", '<p>Zwei Stimmen, ein Toaster. <a href="/">Zurück</a></p>', lang="de", head=feed)
    pages.file("/feed.xml", _feed(pages, files).encode(), "application/rss+xml; charset=utf-8")
    return pages


def _episode(pages: VirtualHost, files: VirtualHost, number: int) -> None:
    source = files.url(f"/folge-{number}.mp3")
    pages.page(
        f"/folgen/{number}",
        TITLES[f"folge-{number}.mp3"],
        f"""
<audio controls preload="none" src="{source}"></audio>
<p><a href="{source}">Folge {number} herunterladen</a> oder <a href="/">alle Folgen</a> ansehen.</p>
""",
        lang="de",
    )


def _feed(pages: VirtualHost, files: VirtualHost) -> str:
    """RSS 2.0. The third episode is only here, and its file is behind the counter."""
    sources = {1: files.url("/folge-1.mp3"), 2: files.url("/folge-2.mp3")}
    sources[3] = pages.url("/r/folge-3.mp3", names.COUNTER)
    entries = "\n".join(_entry(files, number, source) for number, source in sorted(sources.items(), reverse=True))
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0">
<channel>
<title>Podcast am Morgen</title>
<link>{pages.url("/")}</link>
<description>Gespräche, kürzer als ein Frühstück</description>
<language>de</language>
{entries}
</channel>
</rss>
"""


def _entry(files: VirtualHost, number: int, source: str) -> str:
    length = len(files.resources[f"/folge-{number}.mp3"].body)
    return f"""<item>
<title>{escape(TITLES[f"folge-{number}.mp3"])}</title>
<guid isPermaLink="false">morgen-{number}</guid>
<enclosure url="{source}" length="{length}" type="audio/mpeg"/>
</item>"""

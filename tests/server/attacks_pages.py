"""Attacks by pages: each answer is at most some 200 KB, and made so that reading it costs much."""

from __future__ import annotations

import json

from attack import SILENT, attack, page_of
from sin import Visit

HTML = "text/html; charset=utf-8"
XHTML = "application/xhtml+xml"
SIZE = 200_000
"""Bytes of a page: PAGE_MAX_BYTES would cut a larger one."""
LINKS = "".join(f'<a href="/{number}.html">{number}</a>' for number in range(4000))


async def show(visit: Visit, html: str) -> None:
    """Send the front page; every other page is small and has no links."""
    if visit.path == "/":
        await visit.send(200, html.encode()[:SIZE], HTML)
    else:
        await visit.send(200, page_of(visit.exchange.request.target), HTML)


def filled(start: str, unit: str, end: str = "") -> str:
    """A page of the full size: `unit` repeated between a start and an end."""
    return start + unit * ((SIZE - len(start) - len(end)) // len(unit)) + end


@attack
async def itemref_circle(visit: Visit) -> None:
    """Microdata items that refer to each other in circles."""
    items = "".join(f'<i itemscope id="i{n}" itemref="i{(n + 1) % 900} i{(n + 2) % 900}">x</i>' for n in range(2500))
    await show(visit, items)


@attack
async def many_attributes(visit: Visit) -> None:
    """One tag with tens of thousands of attributes."""
    attributes = " ".join(f"data-{number}=/x.mp3" for number in range(9000))
    await show(visit, f"<audio {attributes}></audio>")


@attack
async def json_entities(visit: Visit) -> None:
    """JSON-LD with a character reference of 5,000 digits, and a number of as many."""
    block = json.dumps({"@type": "AudioObject", "name": f"&#{'9' * 5000};", "contentUrl": "/song.mp3"})
    await show(visit, f'<script type="application/ld+json">{block}</script>')


@attack
async def json_numbers(visit: Visit) -> None:
    """JSON-LD with numbers that no computer can hold."""
    block = f'{{"@type":"AudioObject","contentUrl":"/a.mp3","duration":{"9" * 6000},"width":1e999,"bitrate":-1e400}}'
    await show(visit, f'<script type="application/ld+json">{block}</script>')


@attack
async def json_graph(visit: Visit) -> None:
    """JSON-LD with thousands of objects that refer to each other."""
    graph = [{"@id": f"#{n}", "@type": "AudioObject", "audio": {"@id": f"#{(n + 1) % 2000}"}} for n in range(2000)]
    await show(visit, f'<script type="application/ld+json">{json.dumps({"@graph": graph})}</script>')


@attack
async def json_surrogates(visit: Visit) -> None:
    """JSON-LD with halves of characters, which no UTF-8 can hold."""
    block = '{"@type":"AudioObject","name":"\\ud83d \\udc00","contentUrl":"/song\\ud800.mp3"}'
    await show(visit, f'<script type="application/ld+json">{block}</script>')


@attack
async def xhtml_bomb(visit: Visit) -> None:
    """A page as XML whose entities stand for a billion words."""
    entities = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 10))
    await visit.send(200, f'<!DOCTYPE html [<!ENTITY e0 "ha">{entities}]><html>&e9;</html>'.encode(), XHTML)


@attack
async def long_urls(visit: Visit) -> None:
    """Twenty pages, each with as many links of 2 KB as it can hold."""
    name = visit.path.strip("/").partition("-")[0] or "0"
    next_pages = "".join(f'<a href="/{number}">{number}</a>' for number in range(20))
    long = "".join(f'<a href="/{name}-{number}-{"u" * 1900}.html">{number}</a>' for number in range(90))
    await visit.send(200, (next_pages + long).encode() if len(visit.path) < 5 else page_of(visit.path), HTML)


@attack
async def short_links(visit: Visit) -> None:
    """A base of 1.9 KB, and links of a few bytes: what is 8 bytes in the page is 2 KB in a queue."""
    links = "".join(f"<a href={number}>" for number in range(9000))
    await show(visit, f'<base href="/{"s" * 1900}/">{links}')


@attack
async def many_facts(visit: Visit) -> None:
    """Ten thousand files, each of which the page says much about."""
    items = [{"@type": "AudioObject", "name": "n" * 300, "contentUrl": f"/{n}.mp3"} for n in range(500)]
    await show(visit, f'<script type="application/ld+json">{json.dumps(items)}</script>')


@attack
async def subdomains(visit: Visit) -> None:
    """Links to thousands of hosts below its own domain."""
    port = visit.base.rpartition(":")[2]
    await show(visit, "".join(f'<a href="http://h{n}.subdomains.example:{port}/">{n}</a>' for n in range(2500)))


@attack
async def silent(visit: Visit) -> None:
    """Links to 450 addresses that take a connection and never answer."""
    port = visit.path.strip("/")
    await visit.send(200, "".join(f'<a href="http://{host}:{port}/">{host}</a>' for host in SILENT).encode(), HTML)


@attack
async def ports(visit: Visit) -> None:
    """Links to the ports of mail, of Redis, and of all else that browsers refuse."""
    numbers = (1, 22, 23, 25, 110, 143, 6000, 6379, 6667, 10080)
    await show(visit, "".join(f'<a href="http://ports.example:{port}/">{port}</a>' for port in numbers))


@attack
async def inner_addresses(visit: Visit) -> None:
    """Links to addresses of the crawler's own network, in every spelling."""
    hosts = ("10.0.0.1", "169.254.169.254", "[::ffff:10.0.0.1]", "192.168.1.1", "0xa000001", "[fe80::1]", "10.1")
    await show(visit, "".join(f'<a href="http://{host}/">{host}</a>' for host in hosts))


@attack
async def escapes(visit: Visit) -> None:
    """ESC, OSC, C1 and bidi characters in title, links, facts and names."""
    evil = "\x1b[2J\x1b]0;owned\x07\x9b31m\u202e\u2066"
    player = f'<audio src="/{evil}.mp3" title="{evil}"></audio>'
    await show(visit, f'<title>{evil}</title>{player}<a href="/{evil}\nWARNING: forged">{evil}</a>')


attack |= {
    # A class attribute of 120 KB before thousands of links.
    "long-class": lambda visit: show(visit, f'<div class="{"menu x" * 20_000}">{LINKS}'),
    # Nested elements with long classes and ids around thousands of links.
    "long-classes": lambda visit: show(visit, f'<div class="{"menu x" * 500}" id="{"y" * 500}">' * 30 + LINKS),
    # A base URL of 8,000 characters and 5,000 links.
    "long-base": lambda visit: show(visit, f'<base href="/{"b" * 8000}/"><p>' + LINKS),
    # A base URL of thousands of segments, and links that climb out of it.
    "deep-base": lambda visit: show(
        visit, f'<base href="/{"b/" * 900}"><p>' + filled("", f'<a href="{"../" * 20}x.mp3">a</a>')
    ),
    # Thousands of nested object elements, each in a link.
    "nested-objects": lambda visit: show(visit, filled("", '<a href="b"><object>')),
    # A tree as deep as the page is long, with a link at each level.
    "nested-links": lambda visit: show(visit, filled("", '<div><a href="c">d')),
    # Microdata items within items within items.
    "nested-microdata": lambda visit: show(visit, filled("", '<i itemscope itemprop="a">b')),
    # An attribute of a player whose name has a control character.
    "control-attribute": lambda visit: show(
        visit, '<audio data-\x01x="/a.mp3" src="/b.mp3" data-\x00="y"></audio><video data-\x1b[31m=z>'
    ),
    # Comments that are opened again and again and never closed.
    "unclosed-comment": lambda visit: show(visit, filled("<p>", "<!--<!-")),
    # Nothing but opening angle brackets.
    "angle-brackets": lambda visit: show(visit, filled("<p>", "<")),
    # References to characters that do not exist, of any length.
    "entities": lambda visit: show(visit, filled(f"<title>&#{'9' * 5000};</title><p>", "&#9999999999;&lt&amp")),
    # A player with thousands of sources, each with a srcset of its own.
    "many-sources": lambda visit: show(visit, "<video>" + filled("", '<source src=a.mp4 srcset="b 1x, c 2x">')),
    # One srcset of 190 KB.
    "long-srcset": lambda visit: show(visit, f'<img srcset="{"a, " * 63_000}">'),
    # Thousands of scripts that look as if they had media in them.
    "many-scripts": lambda visit: show(visit, filled("", '<script>{"file":"a.mp3"}</script>')),
    # A script of 190 KB of brackets, quotes and file names.
    "long-script": lambda visit: show(visit, filled("<script>", '[{"src":"\\"')),
    # JSON-LD that is nested 50,000 deep.
    "json-depth": lambda visit: show(
        visit, f'<script type="application/ld+json">{"[" * 50_000}{"]" * 50_000}</script>'
    ),
    # Thousands of OpenGraph fields.
    "many-graphs": lambda visit: show(visit, filled("", '<meta property="og:video" content="/a.mp4">')),
}

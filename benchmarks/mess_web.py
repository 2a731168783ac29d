r"""The web of ``mess.py``: sites that are made from short texts, and a server for them on loopback.

A module of inputs has a `Web` named ``WEB``. It calls `Web.site` for each input, with the texts that the server sends.
In a text ``{host}`` is the name of the site, and ``<<URL|tag|right|format|type|header>>`` is replaced with the URL and
says that a person finds a media file there. All behind the URL may be missing:

* ``tag``: title in the file's tags; one of the web's own if it is missing;
* ``right``: title that the record should have; that of the tags if it is missing;
* ``format``: key of `FORMATS`, or ``station``; the ending of the URL if it is missing;
* ``type``: Content-Type, ``-`` for none; ``header``: one further line.

A first character changes that: ``\`` escapes the URL as JSON does, ``%`` as a query does, ``~`` writes nothing, ``!``
names a URL that no crawler should request, ``?`` a file that is there and is not counted. In
``http://a/x/^b/y/^c/z.mp3`` each ``^`` begins another URL: ``a`` redirects to ``b``, that to ``c``, which has the file.
``=>URL`` behind it says that ``c`` has it no more, and that ``b`` redirects to URL, which has it.
"""

from __future__ import annotations

import asyncio
import gzip
import io
import json
import random
import re
import ssl
import subprocess
import tempfile
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from http import HTTPStatus
from pathlib import Path
from urllib.parse import quote, unquote, urljoin, urlsplit

import mutagen
from bench_web import certificate
from mutagen.id3 import ID3, TIT2
from probe_samples import find_ffmpeg

HTML = "text/html; charset=utf-8"
FORMATS = {
    "mp3": ("audio/mpeg", "-c:a libmp3lame -b:a 48k -id3v2_version 0"),
    "m4a": ("audio/mp4", "-c:a aac -b:a 48k"),
    "ogg": ("audio/ogg", "-c:a libvorbis"),
    "opus": ("audio/ogg", "-c:a libopus"),
    "flac": ("audio/flac", "-ar 8000"),
    "wav": ("audio/wav", "-ar 8000"),
    "mp4": ("video/mp4", "-f lavfi -i testsrc=size=64x48:rate=5 -t 1 -c:v libx264 -c:a aac"),
}
"""Each with its media type and what ffmpeg makes it with."""
FRAME = 0.05
"""Seconds between two pieces of a station."""
ICY = 4096
"""Bytes of sound between two titles of a station."""


@dataclass(frozen=True)
class Answer:
    """What the server sends for one URL.

    Attributes:
        body: the content.
        type: Content-Type; empty for none.
        status: of HTTP.
        headers: further lines.
        framing: ``length``; ``open``: chunks without the last one; ``half``: the last chunk lacks its empty line;
            ``station``: without an end.
        needs: name of a header and pattern that its value must have for this answer; ``otherwise`` is sent if not.
        otherwise: that answer.
        media: format and title of a file, which is made when it is first requested.
    """

    body: bytes = b""
    type: str = HTML
    status: int = 200
    headers: tuple[str, ...] = ()
    framing: str = "length"
    needs: tuple[str, str] = ("", "")
    otherwise: Answer | None = None
    media: tuple[str, str] = ("", "")


@dataclass(frozen=True)
class File:
    """A file that a person finds: its kind, its equal URLs (as `key` gives them), its right title, who names it."""

    kind: str
    urls: tuple[str, ...]
    title: str
    page: str


@dataclass(frozen=True)
class Text:
    """What an author of inputs writes: a text with its options, see `Answer`; ``gz`` packs it."""

    text: str
    type: str = HTML
    status: int = 200
    headers: tuple[str, ...] = ()
    framing: str = "length"
    needs: tuple[str, str] = ("", "")
    otherwise: Text | None = None
    encoding: str = "utf-8"
    gz: bool = False


def _absolute(url: str) -> str:
    """Return a URL with a scheme, which those inside of others lack."""
    return url if "://" in url else f"http://{url}"


def joined(base: str, url: str) -> str:
    """Return a link of a page as a whole URL. `urljoin` loses the semicolon of ``/;``."""
    if "://" in url:
        return url
    return urljoin(base, "/") + url[1:] if re.match("/[^/]", url) else urljoin(base, url)


def key(url: str) -> str:
    """Return a URL as it is compared: without scheme, fragment and escapes."""
    parts = urlsplit(url)
    host = (parts.hostname or "") + (f":{parts.port}" if parts.port not in {None, 80, 443} else "")
    query = f"?{parts.query}" if parts.query else ""
    return unquote(f"{host}{parts.path or '/'}{query}")


@dataclass
class Web:
    """All that the server has.

    Attributes:
        titles: for files whose author gave none.
        answers: by `key`.
        files: what a person finds.
        bait: kinds by keys that no crawler should request.
        seeds: front pages.
        kinds: by the name of a site.
    """

    titles: Sequence[str]
    answers: dict[str, Answer] = field(default_factory=dict)
    files: list[File] = field(default_factory=list)
    bait: dict[str, str] = field(default_factory=dict)
    seeds: list[str] = field(default_factory=list)
    kinds: dict[str, str] = field(default_factory=dict)
    _titled: int = 0

    def site(self, kind: str, host: str, answers: Mapping[str, str | Text], rules: Mapping[str, Mapping] | None = None):
        """Add one input.

        Args:
            kind: its row in the table.
            host: name of the site, whose front page becomes a seed.
            answers: by path, or by URL for other hosts; plain text is a page.
            rules: fields of `Answer` that files have, by path or URL.
        """
        front = f"http://{host}/"
        self.seeds.append(front)
        self.kinds[host] = kind
        named = {joined(front, path.replace("{host}", host)): text for path, text in answers.items()}
        for url, text in named.items():
            self.answers[key(url)] = self._made(kind, url, Text(text) if isinstance(text, str) else text)
        for path, fields in (rules or {}).items():
            place = key(joined(front, path.replace("{host}", host)))
            self.answers[place] = replace(self.answers[place], **fields)

    def show(self, kind: str, host: str, feed: str, more: Mapping[str, str | Text] | None = None):
        """Add a podcast: a page that names its feed, the feed, and more answers."""
        link = '<link rel="alternate" type="application/rss+xml" href="/feed">'
        self.site(kind, host, {"/": page("Show", "", link), "/feed": Text(feed, "application/rss+xml"), **(more or {})})

    def _made(self, kind: str, url: str, text: Text) -> Answer:
        host = urlsplit(url).netloc
        other = self._made(kind, url, text.otherwise) if text.otherwise else None
        shown = re.sub(r"<<(.+?)>>", lambda found: self._named(kind, url, found[1]), text.text.replace("{host}", host))
        body = shown.encode(text.encoding, "xmlcharrefreplace")
        headers = tuple(line.replace("{host}", host) for line in text.headers)
        if any(line.startswith("Content-Encoding") for line in headers) or text.gz:
            body = gzip.compress(body, mtime=0)
        return Answer(body, text.type, text.status, headers, text.framing, text.needs, other)

    def _named(self, kind: str, base: str, token: str) -> str:
        flag = token[0] if token[0] in "\\%~!?" else ""
        written, tag, right, form, label, header = (*token[len(flag) :].split("|"), *[""] * 5)[:6]
        published, _, moved = written.partition("=>")
        plain = published.replace("^", "")
        if flag == "!":
            self.bait[key(joined(base, plain))] = kind
            return plain
        if not tag:
            self._titled += 1
            tag = f"{self.titles[self._titled % len(self.titles)]} {self._titled}"
        inner = joined(base, moved or (_absolute(published.rpartition("^")[2]) if "^" in published else published))
        self._hops(kind, published, inner, gone=bool(moved))
        form = form or key(inner).partition("?")[0].rpartition(".")[2].lower()
        kind_of = "audio/mpeg" if form == "station" else FORMATS[form][0]
        type_ = "" if label == "-" else label or kind_of
        answer = Answer(b"", type_, 200, (header,) if header else (), "length", media=(form, tag))
        if form == "station":
            answer = replace(answer, framing="station")
        self.answers.setdefault(key(inner), answer)
        if flag != "?":
            urls = dict.fromkeys((key(joined(base, plain)), key(inner)))
            self.files.append(File(kind, tuple(urls), right or tag, base))
        spelled = {"\\": plain.replace("/", "\\/"), "%": quote(plain, safe=""), "~": ""}
        return spelled.get(flag, plain)

    def _hops(self, kind: str, published: str, inner: str, *, gone: bool) -> None:
        """Add the redirects of trackers, which are bait unless only they know where the file is."""
        hops = published.split("^")
        for place in range(len(hops) - 1):
            url, after = (_absolute("".join(hops[start:])) for start in (place, place + 1))
            target = inner if place == len(hops) - 2 else after
            self.answers[key(url)] = Answer(b"moved", HTML, 302, (f"Location: {target}",))
            if gone:
                self.answers.setdefault(key(_absolute(hops[-1])), Answer(b"<p>gone</p>", HTML, 404))
            else:
                self.bait[key(url)] = kind

    def hosts(self) -> list[str]:
        """Return the names of all hosts, in a fixed order, without ports."""
        return sorted({re.split(r"[:/]", place)[0] for place in {*self.answers, *self.bait}})

    def ports(self) -> set[int]:
        """Return the further ports that URLs name."""
        return {int(found[1]) for place in self.answers if (found := re.match(r"[^/]*:(\d+)/", place))}


@cache
def _untitled(form: str) -> bytes:
    """A second of sound, or of pictures with it."""
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/made.{form}"
        begin = [
            find_ffmpeg(),
            "-hide_banner",
            "-loglevel",
            "error",
            "-f",
            "lavfi",
            "-i",
            "sine=frequency=330:duration=1",
        ]
        subprocess.run([*begin, *FORMATS[form][1].split(), "-bitexact", path], check=True)
        return Path(path).read_bytes()


@cache
def media(form: str, title: str) -> bytes:
    """Return a real file with a title in its tags."""
    opened = io.BytesIO(_untitled(form))
    if form == "mp3":
        tags = ID3()
        tags.add(TIT2(3, title))
        tags.save(opened)
    else:
        read = mutagen.File(opened)
        if read.tags is None:
            read.add_tags()
        if form == "wav":
            read.tags.add(TIT2(3, title))
        else:
            read.tags["\xa9nam" if form in {"m4a", "mp4"} else "title"] = title
        opened.seek(0)
        read.save(opened)
    return opened.getvalue()


@dataclass(frozen=True)
class Seen:
    """One request that the server answered: its key, the status, and the headers that answers depend on."""

    place: str
    status: int
    headers: Mapping[str, str]


class Server:
    """Serves a web on ports 80 and 443 of loopback addresses, one for each host, from a thread.

    Attributes:
        addresses: by host, for ``RESOLVER_HOSTS``.
        seen: the requests, in their order.
    """

    def __init__(self, web: Web) -> None:
        self._web = web
        self.seen: list[Seen] = []
        # Another run on this machine has other addresses.
        first = f"127.{random.SystemRandom().randint(10, 250)}"
        self.addresses = {host: f"{first}.{n // 250}.{n % 250 + 1}" for n, host in enumerate(web.hosts())}
        self._loop = asyncio.new_event_loop()
        self._loop.run_until_complete(self._listen())
        threading.Thread(target=self._loop.run_forever, daemon=True).start()

    async def _listen(self) -> None:
        addresses = list(self.addresses.values())
        tls = certificate()
        tls.check_hostname = False
        for port in {80, 443, *self._web.ports()}:
            context: ssl.SSLContext | None = tls if port == 443 else None
            try:
                await asyncio.start_server(self._serve, addresses, port, ssl=context, backlog=64)
            except PermissionError:
                raise SystemExit(
                    f"port {port} cannot be opened: run as root, or set net.ipv4.ip_unprivileged_port_start=80"
                ) from None

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            await self._answer((await reader.readuntil(b"\r\n\r\n")).decode("latin-1"), writer)
        with suppress(OSError):
            writer.close()

    async def _answer(self, head: str, writer: asyncio.StreamWriter) -> None:
        first, *lines = head.split("\r\n")
        method, target, _ = first.split(" ", 2)
        pairs = [line.partition(":") for line in lines if line]
        asked = {name.lower(): value.strip() for name, _, value in pairs}
        place = key(f"http://{asked.get('host', '')}{target}")
        answer = self._web.answers.get(place, Answer(b"<p>There is no such page.</p>", HTML, 404))
        while answer.needs[0] and not re.search(answer.needs[1], asked.get(answer.needs[0], "")):
            answer = answer.otherwise or Answer(b"<p>No.</p>", HTML, 403)
        if answer.framing == "station":
            self._note(place, 200, asked)
            await self._play(answer, writer, wants_titles="icy-metadata" in asked)
            return
        status, headers, body = _ranged(answer, asked.get("range", ""))
        self._note(place, status, asked)
        headers += [*answer.headers, *([f"Content-Type: {answer.type}"] if answer.type else []), "Connection: close"]
        if answer.framing == "length":
            headers.append(f"Content-Length: {len(body)}")
        else:
            headers.append("Transfer-Encoding: chunked")
            body = b"%x\r\n%s\r\n%s" % (len(body), body, b"0\r\n" if answer.framing == "half" else b"")
        began = f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\n" + "".join(f"{line}\r\n" for line in headers)
        writer.write(began.encode("utf-8") + b"\r\n" + (b"" if method == "HEAD" else body))
        await writer.drain()

    def _note(self, place: str, status: int, asked: Mapping[str, str]) -> None:
        wanted = {"referer", "cookie", "accept-encoding", "accept-language", "range"}
        self.seen.append(Seen(place, status, {name: value for name, value in asked.items() if name in wanted}))

    async def _play(self, answer: Answer, writer: asyncio.StreamWriter, *, wants_titles: bool) -> None:
        title = answer.media[1]
        headers = [f"Content-Type: {answer.type}", f"icy-name: {title}", "icy-br: 48", "icy-pub: 1", *answer.headers]
        headers += [f"icy-metaint: {ICY}"] if wants_titles else []
        writer.write(("HTTP/1.0 200 OK\r\n" + "".join(f"{line}\r\n" for line in headers) + "\r\n").encode())
        sound = (_untitled("mp3") * 2)[:ICY] + (b"\0" if wants_titles else b"")
        for _ in range(int(20 / FRAME)):
            writer.write(sound)
            await writer.drain()
            await asyncio.sleep(FRAME)


def _ranged(answer: Answer, asked: str) -> tuple[int, list[str], bytes]:
    """Return status, headers and content of what may be a part of a file."""
    if not answer.media[0]:
        return answer.status, [], answer.body
    body = media(*answer.media)
    part = re.fullmatch(r"bytes=(\d*)-(\d*)", asked)
    if part is None or part[1] == part[2] == "":
        return 200, ["Accept-Ranges: bytes"], body
    start = int(part[1]) if part[1] else max(len(body) - int(part[2]), 0)
    stop = min(int(part[2]) + 1, len(body)) if part[1] and part[2] else len(body)
    if start >= len(body):
        return 416, [f"Content-Range: bytes */{len(body)}"], b""
    return 206, [f"Content-Range: bytes {start}-{stop - 1}/{len(body)}"], body[start:stop]


# -- what several inputs are made with -----------------------------------------------------------------------------


def page(title: str, body: str, head: str = "", language: str = "en") -> str:
    """Return a page."""
    return (
        f'<!doctype html><html lang="{language}"><head><meta charset="utf-8"><title>{title}</title>{head}</head>'
        f"<body><h1>{title}</h1>\n{body}\n</body></html>"
    )


def item(title: str, url: str, tag: str = "", more: str = "", type_: str = "audio/mpeg") -> str:
    """Return an episode of a feed, whose file is tagged with another title if there is a ``tag``."""
    named = url if "|" in url else f"{url}|{tag or title}|{title}"
    enclosure = f'<enclosure url="<<{named}>>" length="9000" type="{type_}"/>'
    return f"<item><title>{title}</title>{enclosure}{more}</item>"


def rss(title: str, *items: str, head: str = "") -> str:
    """Return a feed of RSS 2.0."""
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/'
        f'podcast-1.0.dtd" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><title>{title}</title>'
        f"<link>http://{{host}}/</link>{head}{''.join(items)}</channel></rss>"
    )


def atom(title: str, *entries: tuple[str, str]) -> str:
    """Return a feed of Atom.

    Args:
        title: of the feed.
        entries: title of each, and its content: elements.
    """
    made = "".join(
        f"<entry><title>{name}</title><id>urn:x:{{host}}:{number}</id>{more}</entry>"
        for number, (name, more) in enumerate(entries)
    )
    return f'<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>{title}</title>{made}</feed>'


def prose(words: str, size: int, seed: int) -> str:
    """Return paragraphs of at least ``size`` characters."""
    luck, known = random.Random(seed), words.split()
    paragraphs: list[str] = []
    while sum(map(len, paragraphs)) < size:
        paragraphs.append("<p>" + " ".join(luck.choices(known, k=90)) + ".</p>\n")
    return "".join(paragraphs)


def dumped(value: object) -> str:
    """Return JSON; its URLs may be tokens."""
    return json.dumps(value, ensure_ascii=False, indent=1)

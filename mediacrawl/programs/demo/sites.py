"""The sites of the demo web: their pages are files in ``pages/HOST/``, and what is no text file is in the tables here.

Host names end in .example (RFC 2606): they exist nowhere else. ``X.html`` and ``X.json`` are served at ``/X``, and
``index.html`` at its folder; names are percent-encoded. ``PORT`` behind a colon is replaced by the server's port.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cache
from http import HTTPStatus
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import PurePosixPath
from urllib.parse import quote, unquote

from mediacrawl.programs.demo.answers import Resource, strong_etag
from mediacrawl.programs.demo.library import content_type_of, grow_mp3, media_bytes
from mediacrawl.programs.demo.tags import audio_span

ADDRESS = "127.0.0.1"
NEVER = "bitte-nicht.example"
NEVER_CRAWL = f"""\
# Hosts of the demo web that do not want to be crawled. One domain a line; its subdomains are meant too.
{NEVER}   # wrote to us; the demo's own log shows that nobody asks there
"""
"""The NeverCrawl file that goes with the demo web."""

CHANGED = 1_767_225_600
"""Last-Modified of everything here: 2026-01-01 00:00 UTC. Fixed, so that two runs give the same answers."""

_SEEDS = ("tonspur.example", "www.podcast-am-morgen.example", "tasmy-i-plenki.example", "wunderkammer.example")
_CHARSET = re.compile(r'<meta charset="([\w-]+)">')
_CONTENT_TYPES = {
    ".asx": "video/x-ms-asf",
    ".atom": "application/atom+xml",
    ".json": "application/json; charset=utf-8",
    "feed.json": "application/feed+json; charset=utf-8",
    ".m3u": "audio/x-mpegurl",
    ".m3u8": "application/vnd.apple.mpegurl",
    ".opml": "text/x-opml",
    ".pls": "audio/x-scpls",
    ".png": "image/png",
    ".rss": "application/rss+xml",
    ".srt": "application/x-subrip",
    ".txt": "text/plain; charset=utf-8",
    ".vtt": "text/vtt",
    ".xml": "application/xml",
    ".xspf": "application/xspf+xml",
}
_LATIN1 = frozenset({".asx", ".m3u"})
"""Lists that declare no encoding; they are served in cp1252."""


@dataclass(frozen=True, slots=True)
class Station:
    """A radio station, whose answer has no end, as Icecast gives it: one MP3 of the library over and over.

    Attributes:
        name: of the station.
        genre: of its music.
        song: the title that listeners get who ask for it.
        sound: file in the library.
        codec: of its texts, which neither Icecast nor SHOUTcast declares.
    """

    name: str
    genre: str
    song: str
    sound: str
    codec: str

    METAINT = 4_096
    """Bytes of sound between two titles."""

    def head(self, *, titles: bool) -> bytes:
        """Return the head of the answer; with ``titles`` the request had ``Icy-MetaData: 1``."""
        lines = [
            b"HTTP/1.0 200 OK",
            b"Content-Type: audio/mpeg",
            b"icy-name: " + self.name.encode(self.codec),
            b"icy-genre: " + self.genre.encode(self.codec),
            b"icy-br: 24",
            b"icy-pub: 1",
            *([b"icy-metaint: %d" % self.METAINT] if titles else []),
        ]
        return b"\r\n".join([*lines, b"", b""])

    def sound_pieces(self, *, titles: bool) -> Iterator[bytes]:
        """Yield pieces of sound for ever. A listener comes at any time, so the first one begins inside a frame."""
        words = b"StreamTitle='%s';" % self.song.encode(self.codec)
        # The byte before a title counts its length in units of 16 bytes.
        words += bytes(-len(words) % 16)
        title = bytes([len(words) // 16]) + words if titles else b""
        data = media_bytes(self.sound)
        start, stop = audio_span(data)
        sound = data[start + self.METAINT // 10 : stop]
        whole = sound * (self.METAINT // len(sound) + 2)
        at = 0
        while True:
            yield whole[at : at + self.METAINT] + title
            at = (at + self.METAINT) % len(sound)


Media = Mapping[str, tuple[str, float]]
"""Path -> file of the library, and the seconds to which an MP3 is grown (0 serves it as it is)."""


@dataclass(frozen=True, slots=True)
class _Host:
    """What a host serves besides its pages.

    Attributes:
        media: media that a well-behaved crawl finds.
        hidden: media that it leaves alone.
        redirects: path -> status and Location, in which ``PORT`` is replaced.
        others: path -> any other answer.
        delay: seconds before a page or file is answered.
        is_endless: whether it has a calendar and a path that go on for ever.
    """

    media: Media = field(default_factory=dict)
    hidden: Media = field(default_factory=dict)
    redirects: Mapping[str, tuple[int, str]] = field(default_factory=dict)
    others: Mapping[str, Resource | Station] = field(default_factory=dict)
    delay: float = 0.0
    is_endless: bool = False


def _folder(path: str, names: str, seconds: float = 0) -> dict[str, tuple[str, float]]:
    """Return media in one folder; each MP3 is a second longer than the one before it."""
    return {
        path + name: (name, seconds + number if seconds and name.endswith(".mp3") else 0)
        for number, name in enumerate(names.split())
    }


_MONTH = re.compile(r"/calendar/([0-9]{4,9})/([0-9]{1,2})")
_PAGE = '<!DOCTYPE html>\n<html lang="de"><meta charset="utf-8"><title>{0}</title><h1>{0}</h1><p>{1}</p></html>\n'


def _endless(path: str, today: date) -> Resource | None:
    """Return a month that links to the next, or a page with a relative link that makes the path one step longer."""
    if re.fullmatch(r"(?:/mehr)+/", path):
        return _page("Mehr", '<a href="mehr/">Noch mehr</a>')
    found = _MONTH.fullmatch(f"/calendar/{today.year}/{today.month}" if path == "/calendar/" else path)
    if found is None or not 1 <= int(found[2]) <= 12:
        return None
    year, month = int(found[1]), int(found[2])
    after = f"{year + month // 12:04}/{month % 12 + 1:02}"
    return _page(f"Kalender {month}/{year}", f'Keine Auftritte. <a href="/calendar/{after}">Nächster Monat</a>')


def _page(title: str, body: str, status: int = HTTPStatus.OK) -> Resource:
    return Resource(_PAGE.format(title, body).encode(), status=status)


_NOT_FOUND = Resource(
    b"<!DOCTYPE html>\n<html lang='en'><title>Not found</title><p>There is nothing here.</p></html>\n",
    status=HTTPStatus.NOT_FOUND,
)
_TINY_JPEG = b"\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00\xff\xd9"
_EMPTY_ZIP = b"PK\x05\x06" + bytes(18)

_HOSTS = {
    # A blog. Behind its front page: odd links (a page that ends in .mp3, dead links, nofollow), and redirects: one
    # hop to a file, five hops in a row, and one to the site that must be left alone.
    "tonspur.example": _Host(
        media={
            "/media/nachtzug-1.mp3": ("nachtzug.mp3", 184),
            "/media/regenlied.mp3": ("regenlied.mp3", 203),
            "/media/cafe.mp3": ("cafe.mp3", 151),
            "/media/kitchen.mp3": ("kitchen.mp3", 0),
            "/play?id=17": ("cafe.mp3", 112),
            "/kurz/ziel.mp3": ("regenlied.mp3", 120),
        },
        hidden={
            "/intern/entwurf.mp3": ("nachtzug.mp3", 0),
            "/still/verborgen.mp3": ("kitchen.mp3", 0),
            "/lang/ziel.mp3": ("regenlied.mp3", 0),
        },
        redirects={
            "/kurz/start": (HTTPStatus.MOVED_PERMANENTLY, "ziel.mp3"),
            "/lang/start": (HTTPStatus.FOUND, "/lang/hop-1"),
            "/lang/hop-1": (HTTPStatus.FOUND, "/lang/hop-2"),
            "/lang/hop-2": (HTTPStatus.FOUND, "/lang/hop-3"),
            "/lang/hop-3": (HTTPStatus.FOUND, "/lang/hop-4"),
            "/lang/hop-4": (HTTPStatus.FOUND, "/lang/ziel.mp3"),
            "/zu-privat": (HTTPStatus.FOUND, f"http://{NEVER}:PORT/lied.mp3"),
        },
        others={
            "/verschwunden": _page("Verschwunden", "Hier war etwas.", HTTPStatus.GONE),
            "/still": Resource(
                _PAGE.format("Still", '<a href="/still/verborgen.mp3">verborgen</a>').encode(),
                headers=(("X-Robots-Tag", "nofollow"),),
            ),
        },
    ),
    # Full of media, open by its robots.txt, and named in NeverCrawl: not even its robots.txt may be requested.
    NEVER: _Host(hidden={"/lied.mp3": ("nachtzug.mp3", 0)}),
    f"media.{NEVER}": _Host(hidden={"/lied.mp3": ("nachtzug.mp3", 0)}),
    # A podcast: pages and files share one site, and so one delay; one file is behind the redirects of a counter. Its
    # calendar has no end.
    "www.podcast-am-morgen.example": _Host(media={"/probe.mp3": ("nachtzug.mp3", 95)}, is_endless=True),
    "media.podcast-am-morgen.example": _Host(
        media={
            "/folge-1.mp3": ("folge-1.mp3", 612),
            "/folge-2.mp3": ("folge-2.mp3", 540),
            "/folge-3.mp3": ("folge-3.mp3", 655),
        }
    ),
    "zaehler.example": _Host(
        redirects={
            "/r/folge-3.mp3": (HTTPStatus.FOUND, "/z/folge-3.mp3?n=1"),
            "/z/folge-3.mp3": (
                HTTPStatus.TEMPORARY_REDIRECT,
                "http://media.podcast-am-morgen.example:PORT/folge-3.mp3",
            ),
        }
    ),
    # A slow site with pages in windows-1251, a podcast with the elements of Podcasting 2.0, and a station.
    "staroe-radio.example": _Host(
        media={
            "/zapisi/ozero.mp3": ("ozero.mp3", 221),
            "/zapisi/most.mp3": ("most.mp3", 167),
            "/zapisi/utro.mp3": ("utro.mp3", 198),
            "/zvuk/chai-1.mp3": ("chai-1.mp3", 45),
            "/zvuk/chai-2.mp3": ("chai-2.mp3", 1260),
            "/zvuk/chai-3.mp3": ("chai-3.mp3", 900),
            "/zvuk/chai-3.opus": ("chai-3.opus", 0),
        },
        others={
            "/efir": Station(
                name="Радио Дальний Свет",
                genre="Тихие песни",
                song="Группа Тихий Двор - Дождь над старым городом",
                sound="nachtzug.mp3",
                codec="cp1251",
            )
        },
        delay=0.07,
    ),
    # No robots.txt; pages in Shift_JIS and EUC-KR, and tapes whose tags claim a wrong encoding.
    "oto-no-michi.example": _Host(
        media={
            "/oto/minato.mp3": ("minato.mp3", 190),
            "/oto/kaze.mp3": ("kaze.mp3", 245),
            "/sori-gil/sanchaek.mp3": ("sanchaek.mp3", 207),
            **_folder("/mesimvria/", "thalassa.ogg nychta.opus"),
            **_folder("/tapes/ja/", "sakamichi.mp3", 60),
            **_folder("/tapes/ru/", "bereg.mp3 dozhd.mp3 lodka.mp3 perron.mp3 tuman.flac", 61),
            **_folder("/tapes/th/", "maenam.mp3", 66),
            **_folder("/tapes/vi/", "bencu.mp3", 67),
            **_folder("/tapes/zh-cn/", "sanyue.mp3 xiaoxiang.mp3", 68),
            **_folder("/tapes/zh-tw/", "laoshu.mp3", 70),
        }
    ),
    # A directory listing with more tapes; its robots.txt forbids the links that sort it.
    "tasmy-i-plenki.example": _Host(
        media={
            **_folder("/musik/", "low-water.flac daecher.mp3 deste.mp3 doroha.mp3 ezeras.mp3 more.mp3 snieg.mp3", 60),
            **_folder("/musik/alt/", "cantigas.mp3 farol.mp3 faros.mp3 gesher.mp3 hegy.m4a kyma.mp3 sahil.mp3", 70),
            **_folder("/musik/alt/", "shati.mp3 tilleuls.mp3", 80),
        },
        others={
            "/abbild.iso": Resource(bytes(4096), "application/octet-stream"),
            "/musik/alles.zip": Resource(_EMPTY_ZIP, "application/zip"),
            "/musik/cover.jpg": Resource(_TINY_JPEG, "image/jpeg"),
        },
    ),
    # All formats that the others do not have, in lists, feeds and pages that describe them.
    "wunderkammer.example": _Host(
        media={
            **_folder("/lade/", "gradina.w64 halling.aiff haus.m4b heidi.caf kisa.wav manha.wma marea.ac3 mosty.flac"),
            **_folder("/lade/", "ninna.aac raba.au tuuli.wv"),
            **_folder("/kasse/", "can-y-mor.dsf regendak.mod spole.mp3 svetilka.mid tramvai.kar vecer.rm"),
            **_folder("/notater/", "notat.amr"),
        }
    ),
    # Films: in players, in scripts that set them up, in a sitemap, as live streams, and one in a player alone.
    "kino-lumiere.example": _Host(
        media={
            **_folder("/media/", "bateau.mp4 foire.mp4"),
            "/media/lanternes.mp3": ("lanternes.mp3", 176),
            **_folder("/tar/", "baile.avi dag-yolu.mkv hajo.mkv mlyn.webm ranta.loas udvar.mp4 vinter.flv vonat.m2ts"),
        }
    ),
    # Its robots.txt closes a folder with media in it, and asks for a second between two requests.
    "archiwum-dzwieku.example": _Host(
        media=_folder("/nagrania/", "spacer.m4a burza.m4a"), hidden=_folder("/prywatne/", "burza.m4a")
    ),
    # Pages that name no media: a script asks for data and makes a player of it. A site adapter goes with it.
    "ljosvaki.example": _Host(
        media={
            "/safn/nordurljos.mp4": ("nordurljos.mp4", 0),
            "/safn/brim.webm": ("brim.webm", 0),
            "/safn/vogguvisa.mp3": ("vogguvisa.mp3", 164),
            "/safn/gestir.aiff": ("halling.aiff", 0),
        }
    ),
}


class DemoSites:
    """The sites on one port, and what a crawl of them should come to.

    Args:
        port: of the server that all hosts share.
        today: the day on which the calendar begins; None takes the clock's.

    Attributes:
        hosts: name of each host -> the address it has here.
        seeds: URLs from which all the rest can be reached.
        files: URLs, in canonical form, of the media that a well-behaved crawl finds -> name of the file in the library.
        never_crawl: text of the NeverCrawl file that goes with this web.
        adapters: file name -> content of the site adapters, without which not all `files` are found.
    """

    def __init__(self, port: int, today: date | None = None) -> None:
        self.port = port
        self._today = today or date.today()  # noqa: DTZ011 - the calendar begins on the user's own day
        self.hosts = dict.fromkeys(_HOSTS, ADDRESS)
        self.seeds = [self.url(host) for host in _SEEDS]
        self.files = {
            self.url(name, path): file for name, host in _HOSTS.items() for path, (file, _) in host.media.items()
        }
        self.never_crawl = NEVER_CRAWL
        folder = files("mediacrawl.programs.demo") / "adapters"
        self.adapters = {each.name: self._placed(each.read_text("utf-8")).encode() for each in folder.iterdir()}

    def url(self, host: str, path: str = "/") -> str:
        """Return an absolute URL."""
        return f"http://{host}:{self.port}{path}"

    def find(self, name: str, target: str) -> Resource | Station:
        """Return what a host answers at a request target: a resource, or a station that plays.

        Args:
            name: of the host, in lower case and without port.
            target: path and query, percent-encoded.
        """
        if (host := _HOSTS.get(name)) is None:
            return Resource(status=HTTPStatus.MISDIRECTED_REQUEST)
        whole, path = unquote(target), unquote(target.partition("?")[0])
        for at in (whole, path):
            if at in host.others:
                return host.others[at]
            if medium := host.media.get(at) or host.hidden.get(at):
                return replace(_medium(*medium), delay=host.delay)
        if path in host.redirects:
            status, to = host.redirects[path]
            return Resource(content_type=None, status=status, headers=(("Location", self._placed(to)),))
        made = _endless(path, self._today) if host.is_endless else None
        return replace(self._text(name, path) or made or _NOT_FOUND, delay=host.delay)

    def _text(self, name: str, path: str) -> Resource | None:
        """Return the file of a page, list or picture; only UTF-8 is declared in the header, too."""
        place = quote(path.lstrip("/"))
        pages = _pages(name)
        endings = ["index.html"] if path.endswith("/") else [".html", "", ".json"]
        found = next((pages[place + ending] for ending in endings if place + ending in pages), None)
        if found is None:
            return None
        suffix, body = PurePosixPath(found.name).suffix, found.read_bytes()
        content_type = _CONTENT_TYPES.get(found.name) or _CONTENT_TYPES.get(suffix, "text/html")
        charset = "cp1252" if suffix in _LATIN1 else "utf-8"
        if suffix == ".html":
            charset = declared[1] if (declared := _CHARSET.search(body.decode())) else charset
            content_type += "; charset=utf-8" if charset == "utf-8" else ""
        if suffix != ".png":
            body = self._placed(body.decode()).encode(charset)
        return Resource(body, content_type, modified=CHANGED, etag=strong_etag(body))

    def _placed(self, text: str) -> str:
        return text.replace(":PORT", f":{self.port}")


@cache
def _pages(host: str) -> dict[str, Traversable]:
    """Return the files of a host by their paths."""
    folder = files("mediacrawl.programs.demo") / "pages" / host
    return dict(_within(folder, "")) if folder.is_dir() else {}


def _within(folder: Traversable, path: str) -> Iterator[tuple[str, Traversable]]:
    for each in folder.iterdir():
        if each.is_dir():
            yield from _within(each, f"{path}{each.name}/")
        else:
            yield path + each.name, each


@cache
def _medium(name: str, seconds: float) -> Resource:
    body = grow_mp3(media_bytes(name), seconds) if seconds else media_bytes(name)
    return Resource(body, content_type_of(name), modified=CHANGED, etag=strong_etag(body))

"""The demo web is a web: it serves ranges right, hangs together, and says truly what a crawl of it should find."""

from __future__ import annotations

import http.client
import io
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from urllib.parse import urlsplit

import pytest
from demo_fields import FIELDS
from demo_web import DemoWeb
from mutagen.mp3 import MP3
from w3lib.url import canonicalize_url

from mediacrawl.probe import Probe, ProbeResult
from mediacrawl.programs.demo import DemoServer
from mediacrawl.programs.demo.library import grow_mp3, media_bytes
from mediacrawl.record import MediaItem

SHORT = {"can-y-mor.dsf"}
"""One block of one-bit audio is 4 KB."""
UNTIMED = {"regendak.mod"}
"""How long a module plays shows only when it is played."""


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes


class Client:
    """Asks loopback for any host name, over one connection that is kept open."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)

    def get(self, url: str, method: str = "GET", **headers: str) -> Answer:
        parts = urlsplit(url)
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        lines = {"Host": parts.netloc} | {name.replace("_", "-"): value for name, value in headers.items()}
        self.connection.request(method, target, headers=lines)
        response = self.connection.getresponse()
        return Answer(response.status, {name.lower(): value for name, value in response.getheaders()}, response.read())


@pytest.fixture(scope="module")
def web() -> Iterator[DemoWeb]:
    with DemoWeb(today=date(2026, 11, 21)) as running:
        yield running


@pytest.fixture
def client(web: DemoWeb) -> Iterator[Client]:
    made = Client(web.port)
    yield made
    made.connection.close()


# Longer files


@pytest.mark.parametrize("name", ["nachtzug.mp3", "lanternes.mp3", "most.mp3", "ozero.mp3"])
def test_a_grown_mp3_is_as_long_as_asked_and_keeps_its_tags(name):
    data = grow_mp3(media_bytes(name), 200)
    grown = MP3(io.BytesIO(data))
    assert grown.info.length == pytest.approx(200, abs=0.1)
    assert grown.tags == MP3(io.BytesIO(media_bytes(name))).tags
    assert len(data) > 200 * 24_000 / 8 - 1000


def test_an_mp3_can_be_grown_twice_and_cut_again():
    long = grow_mp3(media_bytes("cafe.mp3"), 20)
    assert MP3(io.BytesIO(grow_mp3(long, 40))).info.length == pytest.approx(40, abs=0.1)
    assert grow_mp3(long, 10) == grow_mp3(media_bytes("cafe.mp3"), 10)


def test_frames_that_are_repeated_borrow_no_bits_from_the_frame_before():
    data = media_bytes("nachtzug.mp3")
    frames = data[data.index(b"\xff\xf3") :]
    # MPEG-2 Layer III: the byte behind the header counts the bytes that a frame borrows.
    assert {frames[start + 4] for start in range(0, len(frames), 108)} == {0}


@pytest.mark.parametrize(
    "data",
    [b"", b"ID3", b"\xff\xfb", media_bytes("low-water.flac"), media_bytes("cafe.mp3")[:-1], media_bytes("kitchen.mp3")],
)
def test_what_is_no_whole_mp3_of_the_demo_is_not_grown(data):
    with pytest.raises(ValueError, match="108 bytes"):
        grow_mp3(data, 10)


# The web as a whole


def test_every_expected_file_answers_with_media_that_a_probe_reads_whole(web, client):
    assert len(web.expected_media) > 30
    families = set()
    for url in web.expected_media:
        answer = client.get(url)
        assert answer.status == 200, url
        assert answer.headers["content-type"].startswith(("audio/", "video/")), url
        assert len(answer.body) == web.sizes[url] == int(answer.headers["content-length"]), url
        assert canonicalize_url(url) == url
        result = _probed(answer.body)
        assert result.status == "complete", (url, result.notes)
        name = web.files[url]
        assert name in UNTIMED or result.duration > (0 if name in SHORT else 0.4), url
        families.add(result.container)
    named = "mp3 mp4 ogg flac aac ac3 aiff asf avi flv matroska webm mpeg-ts wav wavpack"
    named += " amr au caf dsf latm midi mod realmedia w64"
    assert families == set(named.split())


def _probed(body: bytes) -> ProbeResult:
    probe = Probe()
    while wanted := probe.next_range():
        probe.feed(wanted[0], body[slice(*wanted)], len(body))
    return probe.result()


def test_a_head_of_16_kb_is_a_small_part_of_the_demos_media(web):
    heads = sum(min(size, 16384) for size in web.sizes.values())
    assert heads * 20 < sum(web.sizes.values())


def test_the_fields_that_are_expected_are_those_of_a_record(web):
    named = {name for fields in web.expected_fields.values() for name in fields}
    assert named <= set(MediaItem.__slots__)
    structured = {"chapters", "tracks", "persons", "identifiers", "loudness", "transcripts", "soundbites"}
    told = {"is_live", "now_playing", "rotation", "media_kind", "episode_type", "location", "explicit", "language"}
    assert structured | told <= named


def test_a_rude_request_is_a_violation():
    with DemoWeb() as fresh:
        client = Client(fresh.port)
        client.get(f"http://www.podcast-am-morgen.example:{fresh.port}/")
        rude = min(fresh.forbidden)
        client.get(rude)
        for month in range(40):
            client.get(f"http://www.podcast-am-morgen.example:{fresh.port}/calendar/2000/{month}")
        client.connection.close()
        told = [(entry.url, reason) for entry, reason in fresh.violations()]
    assert told[0] == (rude, fresh.forbidden[rude])
    assert [reason for _, reason in told[1:]] == ["trap"] * 10


def test_what_is_forbidden_exists_so_that_a_rude_crawl_would_find_it(web, client):
    for start in web.forbidden:
        if start.endswith(("/prywatne/", "/konto/", "/suche", "?C=", "/lang/hop-4", "/adas/1207.ts")):
            continue
        whole = start.replace("/sponsor/", "/sponsor/angebot").replace("/myndir/", "/myndir/107.png")
        whole += "lied.mp3" if "//media.bitte-nicht" in start else ""
        assert client.get(whole).status == 200, whole
    assert client.get(f"http://archiwum-dzwieku.example:{web.port}/prywatne/burza.m4a").status == 200


def test_the_calendar_never_ends_and_starts_in_this_month(web, client):
    base = f"http://www.podcast-am-morgen.example:{web.port}"
    assert b'href="/calendar/2026/12"' in client.get(f"{base}/calendar/").body
    assert b'href="/calendar/2027/01"' in client.get(f"{base}/calendar/2026/12").body
    assert b'href="/calendar/10000/01"' in client.get(f"{base}/calendar/9999/12").body
    assert client.get(f"{base}/calendar/2026/13").status == 404


@pytest.fixture(scope="module")
def command() -> Iterator[DemoServer]:
    """The server of the command ``demo``."""
    with DemoServer() as running:
        yield running


@pytest.mark.parametrize("tells", [True, False])
@pytest.mark.parametrize("server", ["web", "command"])
def test_a_station_plays_without_end_and_names_its_song_to_who_asks(server, tells, request):
    running = request.getfixturevalue(server)
    port = running.port if server == "web" else running.sites.port
    said = FIELDS["staroe-radio.example/efir"]
    asked = f"GET /efir HTTP/1.1\r\nHost: staroe-radio.example:{port}\r\n" + ("Icy-MetaData: 1\r\n" if tells else "")
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        connection.sendall(f"{asked}\r\n".encode())
        with connection.makefile("rb") as answer:
            head = b"".join(iter(answer.readline, b"\r\n"))
            sound = [answer.read(4096), answer.read(1), answer.read(4096), answer.read(100_000)]
    assert head.startswith(b"HTTP/1.0 200 OK\r\nContent-Type: audio/mpeg\r\n")
    assert f"icy-name: {said['title']}\r\n".encode("cp1251") in head
    assert (b"icy-metaint: 4096\r\n" in head) == tells
    assert len(sound[-1]) == 100_000
    if tells:
        words = sound[2][: 16 * sound[1][0]].rstrip(b"\0").decode("cp1251")
        assert words == f"StreamTitle='{said['now_playing']}';"


def test_the_server_of_the_command_answers_as_that_of_the_tests_does(web, client, command):
    urls = sorted(web.expected_media)[:20]
    urls += [f"http://{host}:{web.port}{path}" for host in web.hosts for path in ("/", "/robots.txt", "/gibt-es-nicht")]
    urls += [f"http://tonspur.example:{web.port}{path}" for path in ("/lang/start", "/still", "/verschwunden", "/leer")]
    urls += [f"http://elsewhere.example:{web.port}/"]
    own = Client(command.sites.port)
    for url in urls:
        there = url.replace(f":{web.port}/", f":{command.sites.port}/")
        for asked in (
            {},
            {"method": "HEAD"},
            {"Range": "bytes=5-9"},
            {"Range": "bytes=-7"},
            {"Range": "bytes=99999999-"},
        ):
            expected, answer = client.get(url, **asked), own.get(there, **asked)
            assert (answer.status, answer.body) == (expected.status, _moved(expected.body, web, command)), (url, asked)
            # Not those that depend on the moment and on the port.
            given = {
                name: value for name, value in expected.headers.items() if name in {"content-type", "content-range"}
            }
            assert given.items() <= answer.headers.items()
    own.connection.close()


def _moved(body: bytes, web: DemoWeb, command: DemoServer) -> bytes:
    """A body in which the port of one server is that of another."""
    return body.replace(b":%d" % web.port, b":%d" % command.sites.port)


def test_a_port_that_is_taken_is_refused(command):
    with pytest.raises(OSError, match="in use"):
        DemoServer(command.sites.port)


def test_a_host_that_is_not_of_the_demo_is_not_answered_as_if_it_were(web, client):
    assert client.get(f"http://elsewhere.example:{web.port}/").status == 421


def test_the_never_crawl_file_names_the_host_that_must_be_left_alone(web):
    domains = [line.split("#")[0].strip() for line in web.never_crawl.splitlines()]
    assert [domain for domain in domains if domain] == ["bitte-nicht.example"]
    assert f"http://media.bitte-nicht.example:{web.port}/" in web.forbidden


# The log

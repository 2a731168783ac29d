"""Endless streams: what the headers say, what the first bytes show, and the words between the bytes of sound."""

from probe_media import sample

from golden import Case
from mediacrawl.probe.icecast import STREAM_BYTES, stream_bytes

MP3 = b"\xff\xfb\x90\x00" + bytes(413)
AAC = b"\xff\xf1\x50\x80\x20\x1f\xfc" + bytes(249)
HEADERS = [
    ("content-type", b"audio/mpeg"), ("icy-name", "Радио Дальние Огни".encode("cp1251")), ("icy-genre", b"folk"),
    ("icy-description", "Песни и новости".encode("cp1251")), ("icy-url", b"http://radio.example/"), ("icy-br", b"192"),
    ("icy-pub", b"1"),
]  # fmt: skip


def interleaved(words, metaint=8192, sound=MP3 * 60):
    words += bytes(-len(words) % 16)
    parts = [sound[at : at + metaint] for at in range(0, len(sound), metaint)]
    return parts[0] + bytes((len(words) // 16,)) + words + b"\0".join(parts[1:])


def metaint(value):
    return [*HEADERS, ("icy-metaint", value)]


def files():
    yield "station", Case(MP3 * 20, headers=HEADERS)
    yield "headers alone", Case(b"", headers=HEADERS)
    titles = [b"StreamTitle='It's a Song';", b"StreamTitle='Cut in the mid", b"StreamTitle='';", b""]
    for words in (*titles, b"StreamUrl='u';StreamTitle='b';"):
        yield f"words {words.decode()}", Case(interleaved(words), headers=metaint(b"8192"))
    for every in (64, 128, 256, 500, 1024, 16_384):
        for words in (b"StreamTitle='b';StreamUrl='u';", b"StreamTitle='b';" + bytes(4000), b""):
            body = interleaved(words, every)[: stream_bytes({"icy-metaint": str(every)})]
            yield f"{len(words)} bytes of words every {every}", Case(body, headers=metaint(b"%d" % every))
    sound = (b"\xff\xfb\x90\x00" + b"\x55" * 413) * 30
    yield "bytes that are no words", Case(sound[:256] + b"\0" + sound[257:], headers=metaint(b"256"))
    for value in (b"0", b"-5", b"x", b"99999999", b"8192"):
        yield f"station that only says that it has words {value.decode()}", Case(MP3 * 60, headers=metaint(value))
    for before in (0, 1, 200, 416):
        yield f"stream that begins inside a frame {before}", Case((MP3 * 20)[before:], headers=HEADERS)
    named = [("content-type", b"audio/mpeg"), ("icy-name", b"x")]
    for before in (0, 100):
        yield f"content that the server does not know {before}", Case((AAC * 20)[before:], headers=named)
    ogg = sample("tone.ogg")[:STREAM_BYTES]
    yield "ogg", Case(ogg, headers=[("icy-name", b"x")])
    yield "song of ogg and name of the station", Case(ogg, headers=[("icy-name", b"Station"), ("icy-genre", b"folk")])
    # Types are counted in the stats, so there must not be as many as anybody likes.
    types = [b"audio/aacp", b"audio/mpeg; x", b"video/nsv", b"application/ogg", b"text/html", b"audio/one-of-a-million"]
    for kind in types:
        yield f"type {kind.decode()}", Case(b"", headers=[("content-type", kind), ("icy-br", b"64")])
    for rate in (b"128", b"128, 128", b"128000", b"x", b"0"):
        yield f"bit rate {rate.decode()}", Case(b"", headers=[("icy-br", rate)])
    for info in (
        b"bitrate=96;samplerate=48000;channels=1", b"ice-samplerate=48000;ice-bitrate=96;ice-channels=1",
        b"channels=9999999",
    ):  # fmt: skip
        yield f"header of icecast {info.decode()}", Case(b"", headers=[("ice-audio-info", info), ("icy-metaint", b"0")])
    twice = [("icy-br", b"64"), ("icy-br", b"128"), ("icy-name", b"one"), ("icy-name", b"two")]
    yield "two headers", Case(b"", headers=twice)

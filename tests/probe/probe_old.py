"""Old media formats written by hand: Standard MIDI Files, module trackers, RealMedia."""

from __future__ import annotations

import struct

# -- MIDI --------------------------------------------------------------------------------------------------------------

TEXT, COPYRIGHT, NAME, LYRIC = 1, 2, 3, 5


def number(value: int) -> bytes:
    """A number of seven bits a byte, the highest first."""
    out = bytes([value & 0x7F])
    while value := value >> 7:
        out = bytes([value & 0x7F | 0x80]) + out
    return out


def meta(kind: int, body: bytes, after: int = 0) -> bytes:
    """A meta event some ticks after the one before."""
    return number(after) + bytes([0xFF, kind]) + number(len(body)) + body


def tempo(micros: int, after: int = 0) -> bytes:
    return meta(0x51, micros.to_bytes(3, "big"), after)


def end(after: int = 0) -> bytes:
    return meta(0x2F, b"", after)


def notes(count: int, ticks: int = 96) -> bytes:
    """Notes with running status, each `ticks` long, from the first on without a pause."""
    played = b"".join(number(0) + bytes([60, 90]) + number(ticks) + bytes([60, 0]) for _ in range(count))
    return b"\0\xc0\x05\0\x90" + played[1:]


def track(*events: bytes) -> bytes:
    body = b"".join(events)
    return b"MTrk" + struct.pack(">I", len(body)) + body


def midi(*tracks: bytes, kind: int = 1, division: int = 96, count: int | None = None) -> bytes:
    """A file; `count` is what the header says of the number of tracks, if that is another one."""
    stated = len(tracks) if count is None else count
    return b"MThd" + struct.pack(">IHHH", 6, kind, stated, division) + b"".join(tracks)


def riff_chunk(name: bytes, body: bytes) -> bytes:
    return name + struct.pack("<I", len(body)) + body + bytes(len(body) % 2)


def rmid(*chunks: bytes) -> bytes:
    return riff_chunk(b"RIFF", b"RMID" + b"".join(chunks))


def karaoke(title: bytes, artist: bytes) -> bytes:
    """A song for Soft Karaoke of 8 quarter notes at half a second each."""
    marks = [b"@KMIDI KARAOKE FILE", b"@V0100", b"@IMade by Sine"]
    first = [meta(NAME, b"Soft karaoke"), *(meta(TEXT, mark) for mark in marks), tempo(500_000), end()]
    words = [meta(TEXT, b"@LRUSS"), meta(TEXT, b"@T" + title), meta(TEXT, b"@T" + artist), meta(TEXT, b"@T(c) 1999")]
    sung = [meta(TEXT, b"\\La"), *(meta(TEXT, b"la", 96) for _ in range(8))]
    return midi(
        track(*first), track(meta(NAME, b"Words"), *words, *sung, end()), track(meta(NAME, b"Bass"), notes(8), end())
    )


# -- trackers ----------------------------------------------------------------------------------------------------------


def mod(title: bytes, names: list[bytes], mark: bytes = b"M.K.", sound: int = 2000) -> bytes:
    """31 samples, of which the first have names, one pattern, and some data of samples."""
    samples = [
        name.ljust(22, b"\0") + struct.pack(">HBBHH", sound // 62, 0, 64, 0, 1)
        for name in [*names, *[b""] * (31 - len(names))]
    ]
    order = bytes([1, 127]) + bytes(128)
    return title.ljust(20, b"\0") + b"".join(samples) + order + mark + bytes(1024) + bytes(sound)


def s3m(title: bytes, names: list[bytes], *, version: int = 0x1320, gap: int = 0) -> bytes:
    """A file whose instruments stand one behind the other, some paragraphs behind the header."""
    count = len(names)
    front = 96 + 2 + 2 * count
    first = -(-front // 16) + gap
    places = b"".join(struct.pack("<H", first + 5 * number) for number in range(count))
    numbers = struct.pack("<HHHHHH", 2, count, 0, 0, version, 2)
    header = title.ljust(28, b"\0") + b"\x1a\x10\0\0" + numbers + b"SCRM" + bytes(48)
    bodies = [b"\1" + b"FILE.SMP".ljust(12, b"\0") + bytes(35) + name.ljust(28, b"\0") + b"SCRS" for name in names]
    return (header + b"\0\xff" + places).ljust(first * 16, b"\0") + b"".join(bodies) + bytes(500)


def it(
    title: bytes, instruments: list[bytes], samples: list[bytes], message: bytes = b"", *, version: int = 0x0214
) -> bytes:
    """A file with its message behind everything."""
    at = 192 + 1 + 4 * (len(instruments) + len(samples))
    bodies, places = [], []
    for name in instruments:
        places.append(at)
        bodies.append((b"IMPIFILE.ITI".ljust(32, b"\0") + name.ljust(26, b"\0")).ljust(554, b"\0"))
        at += 554
    for name in samples:
        places.append(at)
        bodies.append((b"IMPSFILE.ITS".ljust(20, b"\0") + name.ljust(26, b" ")).ljust(80, b"\0"))
        at += 80
    numbers = struct.pack("<HHHHHHHH", 1, len(instruments), len(samples), 0, version, 0x200, 13, 1 if message else 0)
    header = b"IMPM" + title.ljust(26, b"\0") + b"\4\x10" + numbers + b"\x80\x30\6\x7d\x80\0"
    header += struct.pack("<HI", len(message), at) + bytes(4)
    whole = header.ljust(192, b"\0") + b"\xff" + b"".join(struct.pack("<I", place) for place in places)
    return whole + b"".join(bodies) + message


def xm(
    title: bytes,
    instruments: list[tuple[bytes, list[tuple[bytes, int]]]],
    *,
    patterns: int = 1,
    version: int = 0x0104,
    program: bytes = b"FastTracker v2.00",
) -> bytes:
    """A file of instruments, each a name and its samples, which are a name and the bytes of their data."""
    numbers = struct.pack("<HIHHHHHHHH", version, 276, 1, 0, 4, patterns, len(instruments), 1, 6, 125)
    head = b"Extended Module: " + title.ljust(20) + b"\x1a" + program.ljust(20) + numbers + bytes(256)
    body = (struct.pack("<IBHH", 9, 0, 64, 320) + bytes(320)) * patterns
    for name, samples in instruments:
        size = 263 if samples else 29
        more = struct.pack("<I", 40) if samples else b""
        front = struct.pack("<I22sBH", size, name, 0, len(samples)) + more
        body += front.ljust(size, b"\0")
        body += b"".join(struct.pack("<I", data) + bytes(14) + words.ljust(22) for words, data in samples)
        body += bytes(sum(data for _, data in samples))
    return head + body


# -- RealAudio and RealMedia -------------------------------------------------------------------------------------------


def short(text: bytes) -> bytes:
    return bytes([len(text)]) + text


def ra3(texts: list[bytes], sound: int, *, minute: int = 60_000, codec: bytes = b"lpcJ") -> bytes:
    """A file of the first version, with a codec's name or without."""
    words = b"".join(map(short, texts)) + (b"\0" + short(codec) if codec else b"")
    front = bytes(8) + struct.pack(">HI", minute, sound) + words
    return b".ra\xfd" + struct.pack(">HH", 3, len(front)) + front + bytes(sound)


def ra_header(version: int, codec: bytes, rate: int, channels: int, *, minute: int = 0, words: bytes = b"") -> bytes:
    """A header of the fourth or fifth version, as it stands in a file or in a stream."""
    audio = struct.pack(">HHHH", rate, 0, 16, channels)
    back = short(b"Int0") + short(codec) if version == 4 else b"Int0" + codec
    front = struct.pack(">HIIIIHHHH", 2, 38, 0, minute, 0, 12, 38, 38, 0) + (bytes(6) if version == 5 else b"")
    body = front + audio + back + bytes(3) + words
    # The size counts from behind itself on; the number before it is the version once more.
    return b".ra\xfd" + struct.pack(">HH4sIHI", version, 0, b".ra%d" % version, 0, version, len(body) + 6) + body


def ra4(texts: list[bytes], sound: int, *, version: int = 4, minute: int = 114_000, codec: bytes = b"28_8") -> bytes:
    words = b"".join(map(short, texts))
    return ra_header(version, codec, 8000, 1, minute=minute, words=words) + bytes(sound)


def real_video(codec: bytes, width: int, height: int, rate: float) -> bytes:
    return struct.pack(">I4s4sHHHIIII", 34, b"VIDO", codec, width, height, 12, 0, int(rate * 0x10000), 0, 0x10000000)


def rm_chunk(name: bytes, body: bytes) -> bytes:
    return name + struct.pack(">IH", 10 + len(body), 0) + body


def rm_stream(data: bytes, *, bitrate: int = 64_000, millis: int = 0, mime: bytes = b"audio/x-pn-realaudio") -> bytes:
    numbers = struct.pack(">HIIIIIII", 0, bitrate, bitrate, 600, 600, 0, 0, millis)
    return rm_chunk(b"MDPR", numbers + short(b"Stream") + short(mime) + struct.pack(">I", len(data)) + data)


def rm_text(*texts: bytes) -> bytes:
    return rm_chunk(b"CONT", b"".join(struct.pack(">H", len(text)) + text for text in texts))


def rm_properties(*pairs: tuple[bytes, bytes | int]) -> bytes:
    """A logical stream of one stream and one rule, with the properties of the file."""
    body = struct.pack(">HHIHHH", 1, 0, 500, 1, 0, len(pairs))
    for name, value in pairs:
        kind, raw = (0, struct.pack(">I", value)) if isinstance(value, int) else (2, value)
        one = struct.pack(">H", 0) + short(name) + struct.pack(">IH", kind, len(raw)) + raw
        body += struct.pack(">I", 4 + len(one)) + one
    data = struct.pack(">IH", len(body) + 6, 0) + body
    return rm_stream(data, bitrate=0, mime=b"logical-fileinfo")


def realmedia(*chunks: bytes, millis: int = 60_000, bitrate: int = 250_000, sound: int = 5000) -> bytes:
    numbers = struct.pack(">IIIIIIIIIHH", bitrate, bitrate, 600, 600, 10, millis, 0, 0, 0, len(chunks), 3)
    head = rm_chunk(b".RMF", struct.pack(">II", 0, 3 + len(chunks))) + rm_chunk(b"PROP", numbers)
    return head + b"".join(chunks) + rm_chunk(b"DATA", struct.pack(">II", 10, 0) + bytes(sound))


# -- one of each -------------------------------------------------------------------------------------------------------


def old_files() -> dict[str, bytes]:
    """A small file of each format, by name."""
    return {
        "hand.kar": karaoke("Вечерняя песня".encode("cp1251"), b"Sine"),
        "hand.mid": midi(track(meta(NAME, b"Tone"), b"\0\xf0\x03\x7e\x7f\xf7", notes(8), end()), kind=0),
        "hand.rmi": rmid(
            riff_chunk(b"data", midi(track(tempo(400_000), notes(8), end()))),
            riff_chunk(b"LIST", b"INFO" + riff_chunk(b"INAM", b"Tone\0")),
            riff_chunk(b"DISP", b"\1\0\0\0Tone\0"),
        ),
        "hand.mod": mod(b"tone", [b"by sine", b"", b"1994"]),
        "hand.s3m": s3m(b"tone", [b"by sine", b"1996"]),
        "hand.it": it(b"tone", [b"by sine"], [b"drum"], b"Two\rlines\0"),
        "hand.xm": xm(b"tone", [(b"by sine", [(b"drum", 50)]), (b"1997", [])]),
        "hand-3.ra": ra3([b"Tone", b"Sine", b"(c) 1996", b"A tone"], 500),
        "hand-4.ra": ra4([b"Tone", b"Sine", b"", b""], 500),
        "hand.rm": realmedia(
            rm_text(b"Tone", b"Sine", b"(c) 1999", b""),
            rm_stream(real_video(b"RV30", 320, 240, 15), mime=b"video/x-pn-realvideo"),
            rm_stream(ra_header(5, b"cook", 44_100, 2)),
            rm_properties((b"Keywords", b"low, tide"), (b"Audiences", b"56k"), (b"Flags", 3)),
        ),
    }

"""Builders of the formats that neither ffmpeg nor mutagen write, and of those that they write in one form only."""

from __future__ import annotations

import struct

# -- AMR ---------------------------------------------------------------------------------------------------------------

NARROW = (13, 14, 16, 18, 20, 21, 27, 32, 6)
"""Bytes of a frame by mode, from 4.75 to 12.2 kbit/s and comfort noise (3GPP TS 26.101, with the byte in front)."""
WIDE = (18, 24, 33, 37, 41, 47, 51, 59, 61, 6)
"""The same from 6.6 to 23.85 kbit/s (3GPP TS 26.201)."""


def amr_frame(mode, size):
    """One frame; its speech bits are such that none of them looks like the first byte of a frame."""
    return bytes([mode << 3 | 4]) + b"\xff" * (size - 1)


def amr(*modes, magic=b"#!AMR\n", channels=None):
    sizes = dict(enumerate(WIDE if b"WB" in magic else NARROW)) | {14: 1, 15: 1}
    if channels is not None:
        magic += struct.pack(">I", channels)
    return magic + b"".join(amr_frame(mode, sizes[mode]) for mode in modes)


# -- AU ----------------------------------------------------------------------------------------------------------------


def au(audio, *, encoding=3, rate=8000, channels=1, size=None, text=b"\0\0\0\0", magic=b".snd", order=">"):
    stated = len(audio) if size is None else size
    head = struct.pack(f"{order}IIIII", 24 + len(text), stated, encoding, rate, channels)
    return magic + head + text + audio


# -- Core Audio Format -------------------------------------------------------------------------------------------------


def caf_chunk(name, body, *, size=None):
    return name + struct.pack(">q", len(body) if size is None else size) + body


def caf_desc(codec=b"lpcm", *, rate=44100.0, flags=0, packet=4, frames=1, channels=2, bits=16):
    return caf_chunk(b"desc", struct.pack(">d4sIIIII", rate, codec, flags, packet, frames, channels, bits))


def caf_info(*pairs, count=None):
    words = b"".join(name + b"\0" + value + b"\0" for name, value in pairs)
    return caf_chunk(b"info", struct.pack(">I", len(pairs) if count is None else count) + words)


def caf_pakt(packets, frames, priming=0, remainder=0, table=b""):
    return caf_chunk(b"pakt", struct.pack(">qqii", packets, frames, priming, remainder) + table)


def caf_data(audio, *, size=None):
    return caf_chunk(b"data", bytes(4) + audio, size=size)


def caf(*chunks):
    return b"caff\0\1\0\0" + b"".join(chunks)


# -- DSF and DSDIFF ----------------------------------------------------------------------------------------------------


def dsf(samples, *, rate=2_822_400, channels=2, bits=1, tag=b"", data=None, place=None):
    """Blocks of 4096 bytes for each channel in turn, the last ones filled up."""
    blocks = -(-samples // (4096 * 8))
    audio = b"\x69" * (blocks * 4096 * channels) if data is None else data
    size = 28 + 52 + 12 + len(audio)
    pointer = (size if tag else 0) if place is None else place
    head = b"DSD " + struct.pack("<QQQ", 28, size + len(tag), pointer)
    form = b"fmt " + struct.pack("<QIIIIIIQII", 52, 1, 0, channels, channels, rate, bits, samples, 4096, 0)
    return head + form + b"data" + struct.pack("<Q", 12 + len(audio)) + audio + tag


def dff_chunk(name, body, *, size=None):
    return name + struct.pack(">Q", len(body) if size is None else size) + body + bytes(len(body) % 2)


def dff_text(name, text):
    return dff_chunk(name, struct.pack(">I", len(text)) + text)


def dff_comments(*texts):
    listed = b"".join(
        struct.pack(">HBBBBHHI", 2004, 5, 6, 12, 30, 0, 0, len(text)) + text + bytes(len(text) % 2) for text in texts
    )
    return dff_chunk(b"COMT", struct.pack(">H", len(texts)) + listed)


def dff_prop(*, rate=2_822_400, channels=2, codec=b"DSD ", more=b""):
    ids = b"SLFTSRGTC   LFE LS  RS  "[: 4 * channels]
    body = dff_chunk(b"FS  ", struct.pack(">I", rate)) + dff_chunk(b"CHNL", struct.pack(">H", channels) + ids)
    body += dff_chunk(b"CMPR", codec + b"\x0enot compressed\0") + more
    return dff_chunk(b"PROP", b"SND " + body)


def dff(*chunks, form=b"DSD "):
    body = form + dff_chunk(b"FVER", b"\1\5\0\0") + b"".join(chunks)
    return b"FRM8" + struct.pack(">Q", len(body)) + body


# -- Wave64 ------------------------------------------------------------------------------------------------------------

W64_RIFF = bytes.fromhex("726966662e91cf11a5d628db04c10000")
W64_TAIL = bytes.fromhex("f3acd3118cd100c04f8edb8a")
W64_SUMMARY = bytes.fromhex("bc945f925a52d21186dc00c04f8edb8a")


def w64_chunk(name, body, *, size=None):
    guid = name if len(name) == 16 else name + W64_TAIL
    stated = 24 + len(body) if size is None else size
    return guid + struct.pack("<Q", stated) + body + bytes(-len(body) % 8)


def w64_format(*, number=1, channels=2, rate=44100, bits=16):
    block = channels * bits // 8
    return w64_chunk(b"fmt ", struct.pack("<HHIIHH", number, channels, rate, rate * block, block, bits))


def w64_summary(*texts, count=None):
    listed = b"".join(name + struct.pack("<I", len(raw)) + raw for name, raw in texts)
    return w64_chunk(W64_SUMMARY, struct.pack("<I", len(texts) if count is None else count) + listed)


def w64(*chunks, size=None):
    body = b"wave" + W64_TAIL + b"".join(chunks)
    return W64_RIFF + struct.pack("<Q", 24 + len(body) if size is None else size) + body


# -- AAC in LATM and ADIF ----------------------------------------------------------------------------------------------


def bits(*fields):
    """Packs numbers of some bits each, filled up to a whole byte."""
    value = length = 0
    for number, size in fields:
        value, length = value << size | number, length + size
    return (value << -length % 8).to_bytes(-(-length // 8), "big")


def latm_config(*, version=0, parts=1, kind=2, index=4, channels=2, short=0, more=(), length=None):
    """Fields of a StreamMuxConfig of one programme and one layer, up to the end of its AudioSpecificConfig."""
    config = [(kind, 5), (index, 4), (channels, 4), *more, (short, 1), (0, 1), (0, 1)]
    head = [(version, 1)]
    if version:
        head += [(0, 1), (0, 2), (255, 8)]
    head += [(1, 1), (parts - 1, 6), (0, 4), (0, 3)]
    if version:
        head += [(0, 2), (sum(size for _, size in config) if length is None else length, 8)]
    return head + config


def loas(payload):
    """One frame of LOAS."""
    return bytes([0x56, 0xE0 | len(payload) >> 8, len(payload) & 255]) + payload


def latm(frames, size=100, *, every=8, config=None, first=0):
    """A stream whose config is repeated; the bits behind it are not those of real audio."""
    fields = latm_config() if config is None else config
    with_config = bits((0, 1), *fields, (0, 3), (255, 8), (0, 2)).ljust(size, b"\x21")
    without = b"\x80".ljust(size, b"\x21")
    return b"".join(loas(without if (n + first) % every else with_config) for n in range(frames))


def program(*, index=4, front=(1,), side=(), back=(), low=0, mixed=0):
    """Fields of a program_config_element up to its alignment; a 1 is a pair of channels, a 0 a single one."""
    fields = [(0, 4), (1, 2), (index, 4), (len(front), 4), (len(side), 4), (len(back), 4), (low, 2), (0, 3), (0, 4)]
    fields += [(mixed, 1), *([(0, 4)] if mixed else []), (0, 1), (0, 1)]
    for pair in (*front, *side, *back):
        fields += [(pair, 1), (0, 4)]
    return fields + [(0, 4)] * low


def adif(audio, *, bitrate=64_000, varies=0, copyright_id=b"", comment=b"", fields=None):
    head = [(1, 1), (int.from_bytes(copyright_id, "big"), 72)] if copyright_id else [(0, 1)]
    head += [(0, 2), (varies, 1), (bitrate, 23), (0, 4)]
    head += [] if varies else [(0, 20)]
    return b"ADIF" + bits(*head, *(fields or program())) + bytes([len(comment)]) + comment + audio


# -- TAK and OptimFROG -------------------------------------------------------------------------------------------------


def low_first(*fields):
    """Packs numbers of some bits each from the lowest bit of each byte on."""
    value = length = 0
    for number, size in fields:
        value, length = value | number << length, length + size
    return value.to_bytes(-(-length // 8), "little")


def tak_block(kind, body):
    return bytes([kind]) + len(body).to_bytes(3, "little") + body


def tak(samples, *, rate=44100, depth=16, channels=2, before=b"", audio=b"\xff\xa0" * 500):
    info = low_first(
        (2, 6), (0, 4), (3, 4), (samples, 35), (0, 3), (rate - 6000, 18), (depth - 8, 5), (channels - 1, 4), (0, 1)
    )
    blocks = before + tak_block(1, info + b"\0\0\0") + tak_block(4, bytes(7)) + tak_block(0, b"")
    return b"tBaK" + blocks + audio


def optimfrog(samples, *, rate=44100, kind=3, channels=2, size=15, audio=b"\xa5" * 1000):
    total = samples * channels
    head = struct.pack("<IIHBBI", size, total & 0xFFFFFFFF, total >> 32, kind, channels - 1, rate)
    return b"OFR " + head + b"\x12\x45\x02"[: size - 12] + b"COMP" + struct.pack("<I", len(audio)) + audio


# -- one small file of each kind, for tests that damage them -----------------------------------------------------------


def handmade():
    """Names and bytes of files that no sample in the folder is like."""
    tag = b"ID3\3\0\0\0\0\0\x0f" + b"TIT2\0\0\0\5\0\0\0Tone"
    texts = dff_chunk(b"DIIN", dff_text(b"DIAR", b"Sine") + dff_text(b"DITI", b"Tone")) + dff_comments(b"one")
    stars = dff_chunk(b"DST ", dff_chunk(b"FRTE", struct.pack(">IH", 150, 75)) + dff_chunk(b"DSTF", bytes(40)))
    summary = w64_summary((b"INAM", "Tone".encode("utf-16-le")), (b"IART", "Sine".encode("utf-16-le")))
    cookie = b"\x03\x19\0\1\0\x04\x11\x40\x15\0\0\0\0\0\0\0\0\0\xfa\0\x05\x02\x12\x10\x06\1\2"
    aac = caf_desc(b"aac ", packet=0, frames=1024), caf_chunk(b"kuki", cookie), caf_pakt(3, 3000, 44, 28, b"\1\2\3")
    return {
        "hand.amr": amr(*[7] * 6, 8, 15, 0),
        "hand.awb": amr(*[2] * 6, 9, 14, magic=b"#!AMR-WB\n"),
        "hand-two.amr": amr(*[1] * 8, magic=b"#!AMR_MC1.0\n", channels=2),
        "hand.au": au(bytes(400), text=b"Tone\0\0\0\0"),
        "hand-low.snd": au(bytes(400), magic=b"dns.", order="<", size=0xFFFFFFFF),
        "hand.caf": caf(caf_desc(), caf_info((b"title", b"Tone"), (b"artist", b"Sine")), caf_data(bytes(400))),
        "hand-aac.caf": caf(*aac, caf_data(bytes(300)), caf_info((b"title", b"Tone"))),
        "hand.dsf": dsf(400, data=bytes(300), tag=tag),
        "hand.dff": dff(dff_prop(), dff_chunk(b"DSD ", bytes(100)), texts, dff_chunk(b"ID3 ", tag)),
        "hand-dst.dff": dff(dff_prop(codec=b"DST "), stars, texts),
        "hand.w64": w64(w64_format(), summary, w64_chunk(b"fact", bytes(8)), w64_chunk(b"data", bytes(400))),
        "hand.latm": latm(12, 40, every=5),
        "hand-newer.latm": latm(12, 40, config=latm_config(version=1, kind=5, index=7, more=((4, 4), (2, 5)))),
        "hand.adif": adif(bytes(400), comment=b"made", copyright_id=b"CZ0123456"),
        "hand.tak": tak(44100, audio=bytes(400)),
        "hand.ofr": optimfrog(44100, audio=bytes(400)),
    }  # fmt: skip

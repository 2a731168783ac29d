"""Texts of MP4 and QuickTime files: iTunes' ``ilst``, QuickTime's keys and ``udta``, 3GPP's and Windows' atoms.

Sources: QuickTime File Format (metadata and user data atoms, well-known types, language codes); 3GPP TS 26.244,
clause 8.
"""

from __future__ import annotations

import re

from mediacrawl.probe.context import BrokenError, NeedBytes, ParseContext, exact, peek
from mediacrawl.probe.formats.id3 import genres
from mediacrawl.probe.formats.keys import asf_key, has_mp4_key, mp4_key
from mediacrawl.probe.formats.mp4_atoms import Atom, children, walk
from mediacrawl.probe.formats.shared_codes import picture_type
from mediacrawl.probe.text import UTF8, UTF16, UTF16BE, UTF16LE, Value, cut

SOURCE = "mp4"
_IMPLICIT = 0
_SIGNED, _UNSIGNED = 21, 22
"""Types of numbers, the highest byte first."""
_TEXT_TYPES = {_IMPLICIT: UTF8, 1: UTF8, 2: UTF16BE, 3: "shift_jis", 4: UTF8, 5: UTF16BE}
_CONTROLS = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f]")
"""What text does not hold. An escape begins a change of character sets in ISO-2022."""
_BINARY = frozenset({"cpil", "pgap", "pcst", "hdvd", "stik", "rtng"})
_INTEGERS = frozenset({"tmpo", "cpil", "tvsn", "tves", "cnID", "atID", "plID"})
"""Items that hold a number where their type says nothing."""
_WORDS: dict[str, dict[int, str]] = {
    "stik": {
        0: "movie",
        1: "music",
        2: "audiobook",
        6: "music video",
        9: "movie",
        10: "tv show",
        11: "booklet",
        14: "ringtone",
        21: "podcast",
        23: "lecture",
    },
    "pcst": {1: "podcast"},
    "rtng": {1: "yes", 2: "no", 4: "yes"},
}
"""Meanings of iTunes' numbers: kind of media, podcast, explicit (2 is a version without the words)."""
_PICTURES = {12: "image/gif", 13: "image/jpeg", 14: "image/png", 27: "image/bmp"}
_DATA_HEADER = 16
"""Bytes of a ``data`` atom before its value: size, name, type, locale."""
_META_CHILDREN = frozenset({b"hdlr", b"keys", b"ilst", b"free", b"mhdr"})


def read_meta(context: ParseContext, meta: Atom) -> None:
    """Reads ``meta``: ``keys`` if it has them, then ``ilst``."""
    # QuickTime's own writers leave out the version word that ISO files have.
    head = exact(context.file, meta.body, min(meta.body + 8, meta.stop))
    start = meta.body if head[4:8] in _META_CHILDREN else meta.body + 4
    keys: list[str] = []
    for atom in walk(context, start, meta.stop):
        if atom.name == b"keys":
            keys = [
                exact(context.file, key.body, min(key.stop, key.body + 100)).decode("latin-1")
                for key in walk(context, atom.body + 8, atom.stop)
            ]
        elif atom.name == b"ilst":
            for item in children(context, atom):
                # One that is broken must not hide the others.
                with context.stage("item"):
                    _read_item(context, item, keys)


def _read_item(context: ParseContext, item: Atom, keys: list[str]) -> None:
    number = int.from_bytes(item.name, "big")
    if item.name == b"covr":
        with context.stage("covers"):
            _take_covers(context, item)
    elif item.name == b"----":
        # Reads ``----``: who named it, its name, then the values.
        names = []
        for atom in children(context, item):
            if atom.name in {b"mean", b"name"}:
                part = exact(context.file, atom.body + 4, min(atom.stop, atom.body + 104))
                names.append(part.decode("utf-8", errors="replace"))
        _read_values(context, item, ":".join(["----", *names]))
    elif 0 < number <= len(keys):
        _read_values(context, item, keys[number - 1])
    else:
        _read_values(context, item, item.name.decode("latin-1"))


def _read_values(context: ParseContext, item: Atom, frame: str) -> None:
    values = 0
    for atom in children(context, item):
        if atom.name != b"data" or not context.fits(atom.size):
            continue
        values += 1
        if values > context.policy.max_values:
            context.note("limit:values")
            return
        body = exact(context.file, atom.body, atom.stop)
        _add_value(context, frame, int.from_bytes(body[1:4], "big"), body[8:])


def _add_value(context: ParseContext, frame: str, kind: int, raw: bytes) -> None:
    if frame in {"trkn", "disk"}:
        _add_pair(context, frame, raw)
    elif frame == "gnre":
        _add_genre(context, frame, int.from_bytes(raw[:2], "big"))
    elif frame in _WORDS:
        word = _WORDS[frame].get(int.from_bytes(raw[:8], "big")) if raw else None
        if word:
            context.add_number(SOURCE, frame, mp4_key(frame), word)
    elif _is_number(frame, kind):
        number = int.from_bytes(raw[:8], "big", signed=kind == _SIGNED)
        if number > 0:
            context.add_number(SOURCE, frame, mp4_key(frame), str(number))
    elif codec := text_codec(frame, kind, raw):
        context.add(SOURCE, frame, mp4_key(frame), Value(raw, codec))


def _is_number(frame: str, kind: int) -> bool:
    """Whether an item that has a common name holds a number."""
    if kind in {_SIGNED, _UNSIGNED}:
        return has_mp4_key(frame)
    return kind == _IMPLICIT and frame in _INTEGERS


def text_codec(frame: str, kind: int, raw: bytes) -> str:
    """Tell whether the value of a ``data`` atom is text.

    Type 0 says nothing: iTunes stores encoder parameters and hashes with it, and others store text. Such a value is
    text if it is UTF-8 without control characters. Apple's own names (``©nam``) always hold text, so their bytes may
    be in another encoding.

    Returns:
        The codec that the type declares; empty if the value is no text.
    """
    if frame in _BINARY or kind not in _TEXT_TYPES:
        return ""
    if kind == _IMPLICIT and (_CONTROLS.search(raw.rstrip(b"\0")) or not (frame.startswith("\xa9") or _is_utf8(raw))):
        return ""
    return _TEXT_TYPES[kind]


def _is_utf8(raw: bytes) -> bool:
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True


def _add_pair(context: ParseContext, frame: str, raw: bytes) -> None:
    """Adds "3 of 12" as ``3/12``, the way it is written elsewhere."""
    number, total = int.from_bytes(raw[2:4], "big"), int.from_bytes(raw[4:6], "big")
    if number or total:
        text = f"{number}/{total}" if total else f"{number}"
        context.add_number(SOURCE, frame, mp4_key(frame), text)


def _add_genre(context: ParseContext, frame: str, number: int) -> None:
    """Adds a genre of ID3v1's list, whose numbers are counted from 1 here."""
    if 0 < number <= len(names := genres()):
        context.add_number(SOURCE, frame, mp4_key(frame), names[number - 1])


def _take_covers(context: ParseContext, item: Atom) -> None:
    """Takes type, size and place of the pictures from their headers.

    That of the first picture is not worth a request: the item is as long as the picture in it, or more of them. Once it
    is at hand it says whether there are more.
    """
    at = item.body
    while at + _DATA_HEADER < item.stop:
        stop = at + _DATA_HEADER
        head = peek(context.file, at, stop)
        if head is None:
            context.result.set_cover(None, max(0, item.stop - at - _DATA_HEADER), position=at + _DATA_HEADER)
            if at > item.body:
                raise NeedBytes(at, stop)
            return
        if len(head) < _DATA_HEADER or head[4:8] != b"data":
            return
        context.count()
        size = int.from_bytes(head[:4], "big")
        if size < _DATA_HEADER:
            return
        mime = _PICTURES.get(int.from_bytes(head[9:12], "big")) or picture_type(
            peek(context.file, at + _DATA_HEADER, at + _DATA_HEADER + 8) or b""
        )
        context.result.set_cover(mime, size - _DATA_HEADER, position=at + _DATA_HEADER)
        at += size


_TEXTS = frozenset({b"titl", b"auth", b"perf", b"gnre", b"dscp", b"albm", b"cprt"})
"""Of 3GPP: version and flags, language, one text."""
_MAC_LANGUAGES = 0x400
"""Language codes below are Macintosh ones, and then the text is in a Macintosh encoding."""
_UNSPECIFIED = 0x7FFF
_ROMAN = "mac-roman"
_MAC: dict[int, tuple[str, str]] = {
    0: ("eng", _ROMAN),
    1: ("fra", _ROMAN),
    2: ("deu", _ROMAN),
    3: ("ita", _ROMAN),
    4: ("nld", _ROMAN),
    5: ("swe", _ROMAN),
    6: ("spa", _ROMAN),
    7: ("dan", _ROMAN),
    8: ("por", _ROMAN),
    9: ("nor", _ROMAN),
    10: ("heb", "cp1255"),
    11: ("jpn", "shift_jis"),
    12: ("ara", "mac-arabic"),
    13: ("fin", _ROMAN),
    14: ("ell", "mac-greek"),
    15: ("isl", "mac-iceland"),
    17: ("tur", "mac-turkish"),
    18: ("hrv", "mac-croatian"),
    19: ("zho", "big5"),
    22: ("tha", "tis-620"),
    23: ("kor", "euc_kr"),
    24: ("lit", "mac-latin2"),
    25: ("pol", "mac-latin2"),
    26: ("hun", "mac-latin2"),
    27: ("est", "mac-latin2"),
    28: ("lav", "mac-latin2"),
    30: ("fao", "mac-iceland"),
    31: ("fas", "mac-farsi"),
    32: ("rus", "mac-cyrillic"),
    33: ("zho", "gb2312"),
    37: ("ron", "mac-romanian"),
    38: ("ces", "mac-latin2"),
    39: ("slk", "mac-latin2"),
    40: ("slv", "mac-croatian"),
    42: ("srp", "mac-cyrillic"),
    43: ("mkd", "mac-cyrillic"),
    44: ("bul", "mac-cyrillic"),
    45: ("ukr", "mac-cyrillic"),
    46: ("bel", "mac-cyrillic"),
}
"""The language of a Macintosh code, and the encoding that its script has there (for Hebrew the nearest one)."""
_WINDOWS_TEXT = 8
"""Type of a value of ``Xtra``: text in UTF-16, little-endian."""


def read_user_data(context: ParseContext, udta: Atom) -> None:
    """Reads ``udta``: iTunes' ``meta`` inside it, and the text atoms of others; a broken one does not hide the rest."""
    for atom in children(context, udta):
        if atom.name == b"meta":
            with context.stage("meta"):
                read_meta(context, atom)
        elif not (
            atom.name[:1] == b"\xa9" or atom.name in _TEXTS or atom.name in {b"yrrc", b"kywd", b"Xtra"}
        ) or not context.fits(atom.size):
            continue
        elif atom.name == b"Xtra":
            with context.stage("Xtra"):
                # Reads ``Xtra``, which Windows Explorer writes: attributes of ASF by their names
                # there.
                body, at = exact(context.file, atom.body, atom.stop), 0
                while at + 12 <= len(body):
                    context.count()
                    size, length = (int.from_bytes(body[i : i + 4], "big") for i in (at, at + 4))
                    values = at + 8 + length + 4
                    if size < length + 12 or at + size > len(body):
                        raise BrokenError("an attribute is longer than its atom")
                    name = body[at + 8 : at + 8 + min(length, 100)].decode("ascii", errors="replace")
                    _read_windows_values(context, name, body[values : at + size])
                    at += size
        elif atom.name[:1] == b"\xa9":
            with context.stage("udta"):
                _read_quicktime_text(context, atom)
        else:
            with context.stage("udta"):
                _read_3gpp(context, atom)


def _read_quicktime_text(context: ParseContext, atom: Atom) -> None:
    """Reads a list of (length, language, text): a language that is Macintosh's implies its encoding."""
    body, at = exact(context.file, atom.body, atom.stop), 0
    frame = atom.name.decode("latin-1")
    for _ in range(context.policy.max_values):
        length, code = (int.from_bytes(body[i : i + 2], "big") for i in (at, at + 2))
        raw = body[at + 4 : at + 4 + length]
        if not length or not raw:
            return
        lang, declared = _language(code, raw)
        context.add(
            SOURCE,
            frame,
            mp4_key(frame),
            Value(cut(raw, declared)[0] if declared == UTF16 else raw.rstrip(b"\0"), declared),
            lang=lang,
        )
        at += 4 + length


def _language(code: int, raw: bytes) -> tuple[str, str]:
    """Returns the language of a code, and the encoding of text in it."""
    if code < _MAC_LANGUAGES:
        return _MAC.get(code, ("", _ROMAN))
    return _packed_language(code), _unicode(raw)


def media_language(code: int, *, quicktime: bool) -> str:
    """The language that ``mdhd`` states, as a code of ISO 639-2; empty if it states none."""
    if code < _MAC_LANGUAGES:
        return _MAC.get(code, ("", ""))[0] if quicktime else ""
    return _packed_language(code)


def _packed_language(code: int) -> str:
    """Unpacks three letters of ISO 639-2 (ISO/IEC 14496-12, 8.4.2); none for the undetermined language."""
    if code == _UNSPECIFIED:
        return ""
    letters = bytes((code >> shift & 0x1F) + 0x60 for shift in (10, 5, 0)).decode("ascii")
    return letters if letters.isalpha() and letters != "und" else ""


def _unicode(raw: bytes) -> str:
    return UTF16 if raw[:2] in {b"\xfe\xff", b"\xff\xfe"} else UTF8


def _read_3gpp(context: ParseContext, atom: Atom) -> None:
    """Reads an asset's text: UTF-8, or UTF-16 with a byte order mark, up to a terminator."""
    body, frame = exact(context.file, atom.body, atom.stop), atom.name.decode("ascii")
    if atom.name == b"yrrc":
        year = int.from_bytes(body[4:6], "big")
        if year:
            context.add_number(SOURCE, frame, mp4_key(frame), str(year))
        return
    lang = _packed_language(int.from_bytes(body[4:6], "big") & 0x7FFF)
    raws = _keywords(body[6:]) if atom.name == b"kywd" else [body[6:]]
    for raw in raws[: context.policy.max_values]:
        declared = _unicode(raw)
        context.add(SOURCE, frame, mp4_key(frame), Value(cut(raw, declared)[0], declared), lang=lang)


def _keywords(body: bytes) -> list[bytes]:
    """Splits a list of keywords: how many there are, then each behind its length."""
    found, at = [], 1
    for _ in range(body[0] if body else 0):
        length = int.from_bytes(body[at : at + 1], "big")
        found.append(body[at + 1 : at + 1 + length])
        at += 1 + length
    return found


def _read_windows_values(context: ParseContext, name: str, body: bytes) -> None:
    at = 0
    for _ in range(context.policy.max_values):
        size, kind = int.from_bytes(body[at : at + 4], "big"), int.from_bytes(body[at + 4 : at + 6], "big")
        if size < 6:
            return
        if kind == _WINDOWS_TEXT:
            raw = cut(body[at + 6 : at + size], UTF16LE)[0]
            context.add(SOURCE, name, asf_key(name), Value(raw, UTF16LE))
        at += size

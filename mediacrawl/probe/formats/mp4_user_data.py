"""Text of MP4 and QuickTime files in ``udta``: QuickTime's own, that of 3GPP, and what Windows writes there.

Sources: QuickTime File Format (user data atoms, language codes); 3GPP TS 26.244, clause 8.
"""

from __future__ import annotations

from mediacrawl.probe.context import BrokenError, Reading, exact
from mediacrawl.probe.formats.ilst import read_meta
from mediacrawl.probe.formats.keys import asf_key, mp4_key
from mediacrawl.probe.formats.mp4_atoms import Atom, children
from mediacrawl.probe.text import UTF8, UTF16, Value, cut

_SOURCE = "mp4"
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


def read_user_data(reading: Reading, udta: Atom) -> None:
    """Reads ``udta``: iTunes' ``meta`` inside it, and the text atoms of others; a broken one does not hide the rest.

    Args:
        reading: takes what is found.
        udta: the atom.
    """
    for atom in children(reading, udta):
        if atom.name == b"meta":
            reading.stage("meta", read_meta, reading, atom)
        elif not _is_text(atom.name) or not reading.fits(atom.size):
            continue
        elif atom.name == b"Xtra":
            reading.stage("Xtra", _read_windows_texts, reading, atom)
        elif atom.name[:1] == b"\xa9":
            reading.stage("udta", _read_quicktime_text, reading, atom)
        else:
            reading.stage("udta", _read_3gpp, reading, atom)


def _is_text(name: bytes) -> bool:
    return name[:1] == b"\xa9" or name in _TEXTS or name in {b"yrrc", b"kywd", b"Xtra"}


def _read_quicktime_text(reading: Reading, atom: Atom) -> None:
    """Reads a list of (length, language, text): a language that is Macintosh's implies its encoding."""
    body, at = exact(reading.file, atom.body, atom.stop), 0
    frame = atom.name.decode("latin-1")
    for _ in range(reading.policy.max_values):
        length, code = (int.from_bytes(body[i : i + 2], "big") for i in (at, at + 2))
        raw = body[at + 4 : at + 4 + length]
        if not length or not raw:
            return
        lang, declared = _language(code, raw)
        reading.add(_SOURCE, frame, mp4_key(frame), Value(_unpadded(raw, declared), declared), lang=lang)
        at += 4 + length


def _language(code: int, raw: bytes) -> tuple[str, str]:
    """Returns the language of a code, and the encoding of text in it."""
    if code < _MAC_LANGUAGES:
        return _MAC.get(code, ("", _ROMAN))
    return _packed_language(code), _unicode(raw)


def _packed_language(code: int) -> str:
    """Unpacks three letters of ISO 639-2 (ISO/IEC 14496-12, 8.4.2); none for the undetermined language."""
    if code == _UNSPECIFIED:
        return ""
    letters = bytes((code >> shift & 0x1F) + 0x60 for shift in (10, 5, 0)).decode("ascii")
    return letters if letters.isalpha() and letters != "und" else ""


def _unicode(raw: bytes) -> str:
    return UTF16 if raw[:2] in {b"\xfe\xff", b"\xff\xfe"} else UTF8


def _unpadded(raw: bytes, declared: str) -> bytes:
    return cut(raw, declared)[0] if declared == UTF16 else raw.rstrip(b"\0")


def _read_3gpp(reading: Reading, atom: Atom) -> None:
    """Reads an asset's text: UTF-8, or UTF-16 with a byte order mark, up to a terminator."""
    body, frame = exact(reading.file, atom.body, atom.stop), atom.name.decode("ascii")
    if atom.name == b"yrrc":
        year = int.from_bytes(body[4:6], "big")
        if year:
            reading.add_number(_SOURCE, frame, mp4_key(frame), str(year))
        return
    lang = _packed_language(int.from_bytes(body[4:6], "big") & 0x7FFF)
    raws = _keywords(body[6:]) if atom.name == b"kywd" else [body[6:]]
    for raw in raws[: reading.policy.max_values]:
        declared = _unicode(raw)
        reading.add(_SOURCE, frame, mp4_key(frame), Value(cut(raw, declared)[0], declared), lang=lang)


def _keywords(body: bytes) -> list[bytes]:
    """Splits a list of keywords: how many there are, then each behind its length."""
    found, at = [], 1
    for _ in range(body[0] if body else 0):
        length = int.from_bytes(body[at : at + 1], "big")
        found.append(body[at + 1 : at + 1 + length])
        at += 1 + length
    return found


def _read_windows_texts(reading: Reading, atom: Atom) -> None:
    """Reads ``Xtra``, which Windows Explorer writes: attributes of ASF by their names there.

    Raises:
        BrokenError: when an attribute is longer than the atom.
    """
    body, at = exact(reading.file, atom.body, atom.stop), 0
    while at + 12 <= len(body):
        reading.count()
        size, length = (int.from_bytes(body[i : i + 4], "big") for i in (at, at + 4))
        values = at + 8 + length + 4
        if size < length + 12 or at + size > len(body):
            raise BrokenError("an attribute is longer than its atom")
        name = body[at + 8 : at + 8 + min(length, 100)].decode("ascii", errors="replace")
        _read_windows_values(reading, name, body[values : at + size])
        at += size


def _read_windows_values(reading: Reading, name: str, body: bytes) -> None:
    at = 0
    for _ in range(reading.policy.max_values):
        size, kind = int.from_bytes(body[at : at + 4], "big"), int.from_bytes(body[at + 4 : at + 6], "big")
        if size < 6:
            return
        if kind == _WINDOWS_TEXT:
            raw = cut(body[at + 6 : at + size], "utf-16-le")[0]
            reading.add(_SOURCE, name, asf_key(name), Value(raw, "utf-16-le"))
        at += size

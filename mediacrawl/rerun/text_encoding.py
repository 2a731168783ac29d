"""The encoding of an input file of lines, and its conversion to UTF-8.

Lines are read as UTF-8. Other encodings are detected by a sample, or named by the user:

* UTF-16 and UTF-32, by their byte order mark or the zero bytes of their ASCII characters;
* one other encoding: each line that is not UTF-8 is converted when the file is read (`recoded`);
* several of them: each line that is not UTF-8 is decided alone, in a worker (`line_as_utf8`).

A line that cannot be decoded in any of these ways is passed through and counted.
"""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import BinaryIO, Final, cast

from mediacrawl.encoding import Hints, detect
from mediacrawl.encoding.detection.document import decide_document
from mediacrawl.encoding.detection.forms import BYTE_ORDER_MARKS, CONTROLS, order_by_zeros
from mediacrawl.encoding.languages import is_codec
from mediacrawl.encoding.pricing.decoding import decode_as
from mediacrawl.nearest import did_you_mean
from mediacrawl.observe.text import cut
from mediacrawl.rerun.blocks import RerunError

_WIDE: Final = ("utf-16", "utf-32")

_HEAD: Final = 4_096
"""Bytes in which UTF-16 without a mark is recognized."""

_LONGEST_NAME: Final = 40
"""Characters of a name in an error message."""

_LEAST_ZEROS: Final = 25
"""At least one character in so many is ASCII: line feeds, spaces, delimiters. 8-bit text has no zero bytes."""

_PLAIN: Final = frozenset((*b"\t\r\n", *range(32, 127)))
"""Bytes of ASCII text. A quarter of Chinese characters in UTF-16 consist of two of them."""

_CHUNK: Final = 64 << 10

_LONGEST_LINE: Final = 1 << 20
"""Bytes of a line that are converted at once; a longer one is split, at worst inside a character."""

_FEW: Final = 20
"""One line in so many may differ in a file of one encoding."""

_TESTED: Final = 60
"""Lines that are tested for one encoding."""

_OTHERWISE: Final = 0.95
"""Least confidence of a line that differs from the file's encoding."""

_SURE: Final = 0.9
"""Least confidence of a line without support by others."""

_ENOUGH: Final = 24
"""Least bytes beyond ASCII, in lines that are not UTF-8, to detect their encoding in a file with UTF-8 as well."""

_HIGH: Final = bytes(range(128, 256))

_LETTERS: Final = 3
"""Least letters in words beyond ASCII."""

_MOST_FIELDS: Final = 64

_MOST_BYTES: Final = 64 << 10
"""Bytes of one line's fields that are decided."""

_TOKEN = re.compile(rb'[^"\\,;\t{}\[\]:]++')
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f]")


@dataclass(frozen=True, slots=True)
class TextEncoding:
    """The encoding of a file of lines.

    Attributes:
        name: codec of the whole file; empty if its lines are UTF-8, or are decided one by one.
        mark: byte order mark at its beginning.
        hint: most common encoding of the lines that are not UTF-8.
        named: the user named it, so nothing is detected.
    """

    name: str = ""
    mark: bytes = b""
    hint: str = ""
    named: bool = False

    @property
    def unread(self) -> str:
        """The problem of a line that is not in this encoding."""
        return f"not {self.name}" if self.named and self.name else "not UTF-8"

    def description(self) -> str:
        """The encoding in the report; empty for UTF-8."""
        if self.name:
            return self.name
        return f"UTF-8 and {self.hint}, line by line" if self.hint else ""


UTF8: Final = TextEncoding()
"""UTF-8; other lines are decided one by one."""

_SHIFTING: Final = frozenset({"hz", "iso2022_jp", "iso2022_jp_ext", "iso2022_kr", "utf-7"})
"""Encodings of ASCII bytes only."""


def named(name: str) -> str:
    """Python's name of the codec that the user named; empty for ``utf-8``, see `TextEncoding`.

    Raises:
        RerunError: Python has no such encoding of text.
    """
    if not is_codec(name.strip()):
        advice = did_you_mean(name[:_LONGEST_NAME], _NAMES)
        raise RerunError(f"--encoding: {cut(name, _LONGEST_NAME) or 'empty'} is no encoding of text{advice or '.'}")
    codec = codecs.lookup(name.strip()).name
    return "" if codec in ("utf-8", "utf-8-sig") else codec


_NAMES: Final = (
    *(f"{family}{number}" for family in ("windows-", "cp") for number in (1250, 1251, 1252, 1253, 1254, 1255, 1256)),
    *(f"iso-8859-{number}" for number in (1, 2, 5, 7, 9, 15)),
    *("utf-8", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "koi8-r", "koi8-u", "cp866", "cp437", "cp850", "cp874"),
    *("cp932", "cp949", "latin-1", "mac-roman", "mac-cyrillic", "shift_jis", "euc-jp", "gbk", "gb18030", "big5"),
)
"""Names that a mistyped one is compared with."""


def encoding_of(sample: bytes, *, name: str | None = None) -> TextEncoding:
    """Detect the encoding of a file.

    Args:
        sample: its beginning, and perhaps further pieces, each of whole lines.
        name: codec that the user named, see `named`; None to detect it.

    Raises:
        RerunError: the file cannot be in the encoding that the user named.
    """
    mark, marked = next(((mark, of) for mark, of in BYTE_ORDER_MARKS if sample.startswith(mark)), (b"", ""))
    if name is not None:
        if name.startswith(_WIDE) and sample and b"\0" not in sample:
            # In UTF-16 any bytes are Chinese characters, and the file would have one line.
            raise RerunError(f"--encoding: the input is not in {name}, for none of its bytes is zero.")
        is_marked = marked.startswith(name[:6] if name.startswith(_WIDE) else "utf-8" if not name else "?")
        if name in _WIDE:
            name = marked if is_marked else f"{name}-le"
        return TextEncoding(name, mark if is_marked else b"", named=True)
    if marked.startswith(_WIDE):
        return TextEncoding(marked, mark)
    if not mark and (order := _order_of_wide(sample[:_HEAD])):
        return TextEncoding(order)
    if sample.isascii():
        found = decide_document(sample).encoding
        return TextEncoding(found if found in _SHIFTING else "")
    lines = [line for line in sample.removeprefix(mark).split(b"\n") if not line.isascii()]
    bad = [line for line in lines if as_utf8(line) is None]
    good = len(lines) - len(bad)
    # Lines with control characters are no text in any encoding.
    bad = [line for line in dict.fromkeys(bad) if not CONTROLS.search(line)]
    is_enough = sum(len(line) - len(line.translate(None, _HIGH)) for line in bad) >= _ENOUGH
    if good and not is_enough:
        return TextEncoding(mark=mark)
    hint = _encoding_of_lines(bad, 0.0 if is_enough else _SURE)
    is_one = hint and not mark and good <= len(bad) // _FEW and _is_one(bad, hint)
    return TextEncoding(hint) if is_one else TextEncoding(mark=mark, hint=hint)


def _order_of_wide(head: bytes) -> str:
    """Return the byte order of UTF-16 without a mark; empty for other encodings.

    In 8-bit text with stray zeros, the bytes of most pairs are both ASCII, or no line feed is paired with a zero.
    """
    order = order_by_zeros(head, _LEAST_ZEROS)
    pairs = list(zip(head[0::2], head[1::2], strict=False))
    narrow = sum(first in _PLAIN and second in _PLAIN for first, second in pairs)
    line_feed = (0, 10) if order == "utf-16-be" else (10, 0)
    return "" if narrow * 2 > len(pairs) or (b"\n" in head and line_feed not in pairs) else order


def _encoding_of_lines(lines: list[bytes], least: float) -> str:
    """Return the most common encoding of some lines; empty below this confidence."""
    found = decide_document(b"\n".join(lines[:2000]))
    is_guess = found.confidence < least or found.decided_by not in ("models", "chardet")
    if is_guess or found.encoding.startswith((*_WIDE, "utf-8")):
        return ""
    return "cp1252" if found.encoding in ("latin-1", "iso8859-1") else found.encoding


def _is_one(lines: list[bytes], encoding: str) -> bool:
    """Return whether lines that are decided separately agree with one encoding."""
    tested = lines[:: max(len(lines) // _TESTED, 1)]
    others = 0
    for line in tested:
        if fields := [token for token in _TOKEN.findall(line) if not token.isascii()][:_MOST_FIELDS]:
            found = detect(fields, Hints(declared=encoding, page_charset=encoding))
            texts = tuple(decode_as(field, encoding) for field in fields)
            others += found.confidence >= _OTHERWISE and texts != tuple(found.texts)
    return others <= len(tested) // _FEW


# -- a file in one encoding -------------------------------------------------------------------------------------------


def recoded(pieces: Iterator[bytes], encoding: TextEncoding) -> Iterator[bytes]:
    """Return the bytes of a file, with its mark, as UTF-8."""
    if not encoding.name:
        return pieces
    pieces = chain([next(pieces, b"").removeprefix(encoding.mark)], pieces)
    return _wide(pieces, encoding.name) if encoding.name.startswith(_WIDE) else _by_lines(pieces, encoding)


def _wide(pieces: Iterator[bytes], name: str) -> Iterator[bytes]:
    # Half of a surrogate pair makes its line invalid UTF-8, which is counted; other lines are read.
    decoder = codecs.getincrementaldecoder(name)("surrogatepass")
    for piece in pieces:
        yield decoder.decode(piece).encode("utf-8", "surrogatepass")
    if decoder.getstate()[0]:
        yield "\ufffd".encode()


def _by_lines(pieces: Iterator[bytes], encoding: TextEncoding) -> Iterator[bytes]:
    """Convert each line, but those that are UTF-8 already, or not in this encoding."""
    held = b""
    for piece in chain(pieces, [b""]):
        held += piece
        end = held.rfind(b"\n") + 1 if piece and len(held) < _LONGEST_LINE else len(held)
        lines, held = held[:end], held[end:]
        yield b"".join(_line(line, encoding) for line in io.BytesIO(lines))


def _line(line: bytes, encoding: TextEncoding) -> bytes:
    is_plain = line.isascii() or (not encoding.named and as_utf8(line) is not None)
    try:
        return line if is_plain and encoding.name not in _SHIFTING else line.decode(encoding.name).encode()
    except (UnicodeError, ValueError):
        return line


def as_stream(pieces: Iterator[bytes]) -> BinaryIO:
    """Return a stream over pieces of bytes."""
    return cast("BinaryIO", io.BufferedReader(_Pieces(pieces), _CHUNK))


class _Pieces(io.RawIOBase):
    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._left = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        while not self._left:
            piece = next(self._pieces, None)
            if piece is None:
                return 0
            self._left = piece
        size = min(len(buffer), len(self._left))
        buffer[:size], self._left = self._left[:size], self._left[size:]
        return size


# -- a line in an encoding of its own ---------------------------------------------------------------------------------


def line_as_utf8(line: bytes, token: re.Pattern[bytes], encoding: TextEncoding) -> tuple[bytes, str]:
    """Decide a line that is not UTF-8.

    Args:
        line: of the file.
        token: matches its fields; those that are UTF-8 stay.
        encoding: of the file.

    Returns:
        The line in UTF-8, and its encoding; unchanged and empty if that is the file's, or unknown.
    """
    if line.isascii() or as_utf8(line) is not None:
        return line, ""
    fields = [field for field in token.findall(line) if as_utf8(field) is None]
    is_bytes = any(map(CONTROLS.search, fields))
    if is_bytes or encoding.named or len(fields) > _MOST_FIELDS or sum(map(len, fields)) > _MOST_BYTES:
        return line, ""
    hint = encoding.hint
    found = detect(fields, Hints(declared=hint, page_charset=hint) if hint else Hints())
    words = [word for text in found.texts for word in text.split() if not word.isascii()]
    letters = sum(char.isalpha() for word in words for char in word)
    if not hint and (found.confidence < _SURE or letters < _LETTERS):
        return line, ""
    if any(not each.text or each.encoding.startswith(_WIDE) or _CONTROLS.search(each.text) for each in found.fields):
        return line, ""
    texts = iter(found.texts)
    text = token.sub(lambda field: field[0] if as_utf8(field[0]) is not None else next(texts).encode(), line)
    return text, found.encoding


def as_utf8(field: bytes) -> str | None:
    """Return the text of bytes in UTF-8; None if they are not."""
    try:
        return field.decode()
    except UnicodeDecodeError:
        return None

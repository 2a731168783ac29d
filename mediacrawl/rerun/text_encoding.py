"""The encoding of an input file of lines, and its conversion to UTF-8.

Lines are read as UTF-8. Other encodings are detected by a sample, or named by the user:

* UTF-16 and UTF-32, by their byte order mark or the zero bytes of their ASCII characters;
* one other encoding: each line that is not UTF-8 is converted when the file is read (`recoded`);
* several of them: each line that is not UTF-8 is decided alone, in a worker (`read_fields`).

A line that cannot be decoded in any of these ways is passed through and counted.
"""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
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
    def is_utf8(self) -> bool:
        """Whether the bytes after the mark are read unchanged."""
        return not self.name

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
    """Detects the encoding of a file.

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
        return _as_named(name, mark, marked)
    if marked.startswith(_WIDE):
        return TextEncoding(marked, mark)
    if not mark and (order := _order_of_wide(sample[:_HEAD])):
        return TextEncoding(order)
    lines = [line for line in sample.removeprefix(mark).split(b"\n") if not line.isascii()]
    bad = [line for line in lines if as_utf8(line) is None]
    if not lines and not mark:
        return TextEncoding(_shifting(sample))
    good = len(lines) - len(bad)
    # Lines with control characters are no text in any encoding.
    bad = [line for line in dict.fromkeys(bad) if not CONTROLS.search(line)]
    is_enough = sum(map(_odd_bytes, bad)) >= _ENOUGH
    if good and not is_enough:
        return TextEncoding(mark=mark)
    hint = _encoding_of_lines(bad, 0.0 if is_enough else _SURE)
    is_one = hint and not mark and good <= len(bad) // _FEW and _is_one(bad, hint)
    return TextEncoding(hint) if is_one else TextEncoding(mark=mark, hint=hint)


def _shifting(sample: bytes) -> str:
    """The ISO-2022 or HZ encoding of a file whose bytes are all ASCII; empty for plain ASCII."""
    at = min((place for mark in (b"\x1b$", b"~{") if (place := sample.find(mark)) >= 0), default=-1)
    if at < 0:
        return ""
    start = sample.rfind(b"\n", 0, at) + 1
    found = decide_document(sample[start : start + _CHUNK]).encoding
    return found if found in _SHIFTING else ""


def _as_named(name: str, mark: bytes, marked: str) -> TextEncoding:
    if name in _WIDE:
        name = marked if marked.startswith(name) else f"{name}-le"
    family = name[:6] if name.startswith(_WIDE) else "utf-8" if not name else ""
    return TextEncoding(name, mark if family and marked.startswith(family) else b"", named=True)


def _order_of_wide(head: bytes) -> str:
    """The byte order of UTF-16 without a mark; empty for other encodings.

    In 8-bit text with stray zeros, the bytes of most pairs are both ASCII, or no line feed is paired with a zero.
    """
    order = order_by_zeros(head, _LEAST_ZEROS)
    if not order:
        return ""
    pairs = list(zip(head[0::2], head[1::2], strict=False))
    narrow = sum(first in _PLAIN and second in _PLAIN for first, second in pairs)
    line_feed = (0, 10) if order == "utf-16-be" else (10, 0)
    if narrow * 2 > len(pairs) or (b"\n" in head and line_feed not in pairs):
        return ""
    return order


def _odd_bytes(line: bytes) -> int:
    return len(line) - len(line.translate(None, _HIGH))


def _encoding_of_lines(lines: list[bytes], least: float) -> str:
    """The most common encoding of some lines; empty below this confidence."""
    found = decide_document(b"\n".join(lines[:2000]))
    if (
        found.confidence < least
        or found.decided_by not in ("models", "chardet")
        or found.encoding.startswith((*_WIDE, "utf-8"))
    ):
        return ""
    return "cp1252" if found.encoding in ("latin-1", "iso8859-1") else found.encoding


def _is_one(lines: list[bytes], encoding: str) -> bool:
    """Whether lines that are decided separately agree with one encoding."""
    step = max(len(lines) // _TESTED, 1)
    tested = lines[::step]
    other = sum(_is_other(line, encoding) for line in tested)
    return other <= max(len(tested) // _FEW, 0)


def _is_other(line: bytes, encoding: str) -> bool:
    fields = [token for token in _TOKEN.findall(line) if not token.isascii()][:_MOST_FIELDS]
    if not fields:
        return False
    found = detect(fields, _hints(encoding))
    if found.confidence < _OTHERWISE:
        return False
    return any(decode_as(field, encoding) != text for field, text in zip(fields, found.texts, strict=True))


def _hints(encoding: str) -> Hints:
    return Hints(declared=encoding, page_charset=encoding) if encoding else Hints()


# -- a file in one encoding -------------------------------------------------------------------------------------------


def recoded(stream: BinaryIO, encoding: TextEncoding) -> BinaryIO:
    """A file in one encoding, as UTF-8 from its beginning.

    Args:
        stream: the bytes of the file, with its mark.
        encoding: with a name.
    """
    found = _wide(stream, encoding) if encoding.name.startswith(_WIDE) else _by_lines(stream, encoding)
    return cast("BinaryIO", io.BufferedReader(_Chunks(found), _CHUNK))


class _Chunks(io.RawIOBase):
    """A stream over an iterator of bytes."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks
        self._left = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        while not self._left:
            chunk = next(self._chunks, None)
            if chunk is None:
                return 0
            self._left = chunk
        size = min(len(buffer), len(self._left))
        buffer[:size] = self._left[:size]
        self._left = self._left[size:]
        return size


def _wide(stream: BinaryIO, encoding: TextEncoding) -> Iterator[bytes]:
    stream.read(len(encoding.mark))
    # Half of a surrogate pair makes its line invalid UTF-8, which is counted; other lines are read.
    decoder = codecs.getincrementaldecoder(encoding.name)("surrogatepass")
    while chunk := stream.read(_CHUNK):
        yield decoder.decode(chunk).encode("utf-8", "surrogatepass")
    if decoder.getstate()[0]:
        yield "\ufffd".encode()


def _by_lines(stream: BinaryIO, encoding: TextEncoding) -> Iterator[bytes]:
    stream.read(len(encoding.mark))
    line_of = partial(_line, encoding=encoding.name, named=encoding.named)
    while chunk := stream.read(_CHUNK):
        chunk += b"" if chunk.endswith(b"\n") else stream.readline(_LONGEST_LINE)
        yield chunk if chunk.isascii() and encoding.name not in _SHIFTING else b"".join(map(line_of, io.BytesIO(chunk)))


_SHIFTING: Final = frozenset({"hz", "iso2022_jp", "iso2022_jp_ext", "iso2022_kr", "utf-7"})
"""Encodings of ASCII bytes only."""


def _line(line: bytes, encoding: str, *, named: bool) -> bytes:
    """A line as UTF-8; unchanged if it is UTF-8 already, or not in this encoding."""
    if encoding not in _SHIFTING and (line.isascii() or (not named and as_utf8(line) is not None)):
        return line
    try:
        return line.decode(encoding).encode()
    except (UnicodeError, ValueError):
        return line


# -- a line in an encoding of its own ---------------------------------------------------------------------------------


def read_fields(fields: Sequence[bytes], encoding: TextEncoding) -> tuple[list[str], str] | None:
    """Decides the fields of one line that is not UTF-8.

    Args:
        fields: of the line; valid UTF-8 is decoded.
        encoding: of the file.

    Returns:
        The texts, and the encoding of the other fields; None if it is unknown.
    """
    texts = [as_utf8(field) for field in fields]
    odd = [place for place, text in enumerate(texts) if text is None]
    raws = [fields[place] for place in odd]
    if any(map(CONTROLS.search, raws)):
        return None
    if encoding.named or len(odd) > _MOST_FIELDS or sum(map(len, raws)) > _MOST_BYTES:
        return None
    found = detect(raws, _hints(encoding.hint))
    words = [word for text in found.texts for word in text.split() if not word.isascii()]
    letters = sum(char.isalpha() for word in words for char in word)
    if not encoding.hint and (found.confidence < _SURE or letters < _LETTERS):
        return None
    for place, field in zip(odd, found.fields, strict=True):
        if not field.text or field.encoding.startswith(_WIDE) or _CONTROLS.search(field.text):
            return None
        texts[place] = field.text
    return [text or "" for text in texts], found.encoding


def as_utf8(field: bytes) -> str | None:
    """The text of bytes in UTF-8; None if they are not."""
    try:
        return field.decode()
    except UnicodeDecodeError:
        return None

"""The encoding of an input file of lines, and its conversion to UTF-8.

Lines are read as UTF-8. Other encodings are named by the user, or detected by a sample:

* UTF-16 and UTF-32 by their byte order mark, and UTF-16 by the zero bytes of its ASCII characters;
* one other encoding, if hardly a line of the sample is UTF-8;
* others beside UTF-8: each line that is not UTF-8 is decided alone (`line_as_utf8`).

A line that cannot be decoded in any of these ways is passed through and counted.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from encodings.aliases import aliases
from typing import Final

from mediacrawl.base.charsets import BYTE_ORDER_MARKS, CONTROLS, is_codec
from mediacrawl.base.nearest import did_you_mean
from mediacrawl.base.text import cut
from mediacrawl.encoding import DecodedDocument, Hints, detect
from mediacrawl.programs.rerun.blocks import RerunError

_WIDE: Final = ("utf-16", "utf-32")
_SHIFTING: Final = ("iso2022", "hz", "utf-7")
"""Encodings of ASCII bytes only."""

_HEAD: Final = 4_096
"""Bytes in which UTF-16 without a mark is recognized."""

_LONGEST_NAME: Final = 40
"""Characters of a name in an error message."""

_FEW: Final = 20
"""One line in so many may be UTF-8 in a file of another encoding."""

_SURE: Final = 0.9
"""Least confidence of a line without support by others."""

_ENOUGH: Final = 24
"""Bytes beyond ASCII, in lines that are not UTF-8, that determine their encoding with any confidence."""

_LETTERS: Final = 3
"""Least letters in words beyond ASCII, likewise."""

_MOST_FIELDS, _MOST_BYTES = 64, 64 << 10
"""Fields of one line, and their bytes, that are decided."""

_HIGH: Final = bytes(range(128, 256))
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f]")


@dataclass(frozen=True, slots=True)
class TextEncoding:
    """The encoding of a file of lines; by default UTF-8, and other lines are decided one by one.

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

    @property
    def unit(self) -> int:
        """Bytes of the smallest unit of a character."""
        return {_WIDE[0]: 2, _WIDE[1]: 4}.get(self.name[:6], 1)

    @property
    def line_end(self) -> bytes:
        """A line feed."""
        return b"\n" if self.unit == 1 else "\n".encode(self.name)

    def in_utf8(self, line: bytes) -> bytes:
        """Convert a line; one that is UTF-8 already, or not in this encoding, stays."""
        is_plain = line.isascii() or (not self.named and as_utf8(line) is not None)
        if not self.name or (is_plain and self.unit == 1 and not self.name.startswith(_SHIFTING)):
            return line
        try:
            # Half of a surrogate pair makes its line invalid UTF-8, which is counted.
            return line.decode(self.name, "surrogatepass").encode("utf-8", "surrogatepass")
        except (UnicodeError, ValueError):
            return line if self.unit == 1 else line.decode(self.name, "replace").encode()

    def description(self) -> str:
        """Return the encoding for the report; empty for UTF-8."""
        return self.name or (f"UTF-8 and {self.hint}, line by line" if self.hint else "")


def named(name: str) -> str:
    """Return Python's name of the codec that the user named; empty for ``utf-8``, see `TextEncoding`.

    Raises:
        RerunError: Python has no such encoding of text.
    """
    if not is_codec(name.strip()):
        known = {each.replace("_", "-") for each in (*aliases, *aliases.values()) if is_codec(each)}
        advice = did_you_mean(name[:_LONGEST_NAME], known) or "."
        raise RerunError(f"--encoding: {cut(name, _LONGEST_NAME) or 'empty'} is no encoding of text{advice}")
    codec = codecs.lookup(name.strip()).name
    return "" if codec in ("utf-8", "utf-8-sig") else codec


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
    if b"\0" in sample[:_HEAD] and (found := DecodedDocument.of(sample[:_HEAD])).decided_by == "utf-16":
        wide = TextEncoding(found.encoding)
        # In 8-bit text with stray zeros, no line feed is paired with one.
        if wide.line_end in sample or b"\n" not in sample:
            return wide
    if sample.isascii() and (whole := DecodedDocument.of(sample).encoding).startswith(_SHIFTING):
        return TextEncoding(whole)
    lines = [line for line in sample.removeprefix(mark).split(b"\n") if not line.isascii()]
    # Lines with control characters are no text in any encoding.
    bad = [line for line in lines if as_utf8(line) is None and not CONTROLS.search(line)]
    if not bad:
        return TextEncoding(mark=mark)
    found = DecodedDocument.of(b"\n".join(bad))
    is_enough = sum(len(line) - len(line.translate(None, _HIGH)) for line in bad) >= _ENOUGH
    is_sure = is_enough or (found.confidence >= _SURE and len(bad) == len(lines))
    if not is_sure or found.decided_by not in ("models", "chardet"):
        return TextEncoding(mark=mark)
    encoding = "cp1252" if found.encoding in ("latin-1", "iso8859-1") else found.encoding
    is_one = not mark and len(lines) - len(bad) <= len(bad) // _FEW
    return TextEncoding(encoding) if is_one else TextEncoding(mark=mark, hint=encoding)


def line_as_utf8(line: bytes, token: re.Pattern[bytes], encoding: TextEncoding) -> tuple[bytes, str]:
    """Convert a line to UTF-8; decide one that is not in the encoding of its file.

    Args:
        line: of the file.
        token: matches its fields; those that are UTF-8 stay.
        encoding: of the file.

    Returns:
        The line in UTF-8, and its encoding; unchanged and empty if that is the file's, or unknown.
    """
    line = encoding.in_utf8(line)
    if as_utf8(line) is not None:
        return line, ""
    fields = [field for field in token.findall(line) if as_utf8(field) is None]
    is_bytes = any(map(CONTROLS.search, fields))
    if is_bytes or encoding.named or len(fields) > _MOST_FIELDS or sum(map(len, fields)) > _MOST_BYTES:
        return line, ""
    hint = encoding.hint
    found = detect(fields, Hints(declared=hint, page_charset=hint) if hint else Hints())
    words = [word for text in found.texts for word in text.split() if not word.isascii()]
    letters = sum(map(str.isalpha, "".join(words)))
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

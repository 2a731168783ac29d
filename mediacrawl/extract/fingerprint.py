"""What a page shows, in a few numbers that can be kept and compared.

The text alone does not make a page: two episodes may differ in nothing but their file. So the media that a page
refers to, and the pictures and frames that it shows, count too.
"""

from __future__ import annotations

import re
import sys
from array import array
from collections.abc import Sequence
from hashlib import sha256
from typing import Any
from urllib.parse import urlsplit
from zlib import crc32

from lxml import etree

from mediacrawl.extract.links import Page

_texts: Any = etree.XPath("//text()", smart_strings=False)
_SPREAD = 0x9E3779B1
"""Makes 64 bits of the 32 of a CRC (an odd number near 2**32 divided by the golden ratio)."""
_FEATURES = 20_000
"""Pieces of a text that count for its shape; a page of 200 KB has rarely a tenth of that."""
_is_rooted = re.compile(r"/|https?:", re.IGNORECASE).match


class Fingerprint:
    """What a page shows, as unsigned numbers of 64 bits.

    Attributes:
        text: of the visible text without its white space, the pictures and the media: equal if all of that is.
        media: of the references to media; 0 if there are none.
        length: bytes of the text without white space.
    """

    __slots__ = ("_shape", "_source", "length", "media", "text")

    def __init__(self, text: int, media: int = 0, length: int = 0, shape: int = 0) -> None:
        self.text = text
        self.media = media
        self.length = length
        self._shape = shape
        self._source: tuple[Any, Sequence[str]] | None = None

    @property
    def shape(self) -> int:
        """Simhash of the text: pages that differ in little differ in few of its bits. 0 without text.

        It takes three times as long as the rest, so it is made when it is asked for. Until then the tree is kept.
        """
        if self._source is not None:
            self._shape, self._source = _simhash(*self._source), None
        return self._shape

    def __repr__(self) -> str:
        return f"Fingerprint({self.text:#x}, media={self.media:#x}, length={self.length})"

    @classmethod
    def of(cls, page: Page, media: Sequence[str], thin: int, without: Sequence[str]) -> Fingerprint:
        """Take it; see `fingerprint`."""
        text = _squeezed(page.tree, without)
        files = _written(media if all(map(_is_rooted, media)) else [_folder(page), *media])
        shown = [text, files]
        if len(text) < thin:
            shown.append(_written([_folder(page), *(link.href for link in page.links)]))
        taken = cls(hash64(b"\0".join(shown)), hash64(files) if media else 0, len(text))
        taken._source = (page.tree, without)
        return taken


def fingerprint(page: Page, media: Sequence[str] = (), *, thin: int = 200, without: Sequence[str] = ()) -> Fingerprint:
    """Take a page's fingerprint, in less than 0.1 ms for 30 KB of HTML, since its tree is there already.

    A page with hardly any text (thumbnails, frames, a list of numbers) may look like its neighbour and lead elsewhere,
    so there the links and the folder count as part of what it shows.

    Args:
        page: as `parse_page` made it. Its scripts and styles are taken out of the tree.
        media: its references to media, as they stand there.
        thin: bytes of text below which links count.
        without: pieces of text that hold one of these words are left out. An error page names the file that is missing.
    """
    return Fingerprint.of(page, media, thin, without)


def hash64(data: bytes) -> int:
    """The first 64 bits of SHA-256, which processors compute at 2 GB a second. The same in every process."""
    return int.from_bytes(sha256(data).digest()[:8], "big")


def _squeezed(root: Any, without: Sequence[str]) -> bytes:
    """The visible text and the pictures and frames, without white space."""
    if root is None:
        return b""
    text = []
    # What follows </html> is a tree of its own.
    for tree in (root, *root.itersiblings()):
        etree.strip_elements(tree, "script", "style", with_tail=False)
        if not without:
            text.append(etree.tostring(tree, method="text", encoding="utf-8"))
        text += [_encoded(element.get("src") or "") for element in tree.iter("img", "iframe", "frame")]
    if without:
        text.append(_written(_pieces(root, without)))
    return b"".join(text).translate(None, b" \t\r\n")


def _pieces(root: Any, without: Sequence[str]) -> list[str]:
    """The pieces of text that hold more than white space, in all trees of the document."""
    pieces = list(filter(str.strip, _texts(root)))
    return [piece for piece in pieces if not any(word in piece for word in without)] if without else pieces


def _simhash(root: Any, without: Sequence[str]) -> int:
    """Charikar's simhash (STOC 2002), as Manku, Jain and Das Sarma used it for pages (WWW 2007).

    Its features are the lines, cut at full stops, and the pictures. Each has one vote on each of the 64 bits, and the
    majority decides; a longer text has more sentences, so it has more votes.
    """
    if root is None:
        return 0
    pieces = _pieces(root, without)
    pieces += [element.get("src") or "" for element in root.iter("img", "iframe", "frame")]
    features = [*filter(None, _written(pieces).replace(b".", b"\n").split(b"\n"))][:_FEATURES]
    if not features:
        return 0
    hashes = array("Q", map(crc32, features))
    # One long number of 64 bits a feature. The products fit, so they are all made by one multiplication.
    return _majority(int.from_bytes(hashes.tobytes(), sys.byteorder) * _SPREAD, len(hashes))


def _majority(words: int, number: int) -> int:
    """The bits that more than half of the words have.

    Halves are added to each other until one word is left: a binary counter for each bit, all 64 of all words at once.

    Args:
        words: words of 64 bits, side by side.
        number: how many.
    """
    planes, left = [words], number
    while left > 1:
        left = (left + 1) // 2
        planes = _add_halves(planes, 64 * left)
    above, level = 0, (1 << 64) - 1
    for place in range(len(planes) - 1, -1, -1):
        if number // 2 >> place & 1:
            level &= planes[place]
        else:
            above |= level & planes[place]
            level &= ~planes[place]
    return above


def _add_halves(planes: list[int], bits: int) -> list[int]:
    """Add the upper half of the counters to the lower: a ripple adder, plane by plane.

    Args:
        planes: the counters' bits, the lowest first.
        bits: of the lower half.
    """
    mask, carry = (1 << bits) - 1, 0
    added = []
    for plane in planes:
        lower, upper = plane & mask, plane >> bits
        differ = lower ^ upper
        added.append(differ ^ carry)
        carry = lower & upper | differ & carry
    return [*added, carry]


def _folder(page: Page) -> str:
    """The path that relative references begin with; not the host, which mirrors have of their own."""
    return urlsplit(page.base).path.rpartition("/")[0]


def _written(lines: Sequence[str]) -> bytes:
    return _encoded("\n".join(lines))


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "replace")

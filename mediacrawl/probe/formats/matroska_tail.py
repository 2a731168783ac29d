"""Parts of a Matroska file behind its clusters, found by their names where no seek head lists them (RFC 9559, 5.1).

Some programs write what describes the file when all clusters are written. The four bytes of a name may stand in
compressed data by chance, so a part must also have a size after which the next one begins, or the segment ends.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from mediacrawl.probe.context import BrokenError
from mediacrawl.probe.formats import ebml

_PARTS = (0x114D9B74, 0x1549A966, 0x1654AE6B, 0x1254C367, 0x1941A469, 0x1043A770, 0x1C53BB6B)
"""Names of the parts: seek head, info, tracks, tags, attachments, chapters, cues."""
_BEHIND = frozenset({*_PARTS, 0x1F43B675, 0xEC, 0xBF})
"""What may follow a part: another one, a cluster, a void, a checksum."""
_NAMES = re.compile(b"|".join(re.escape(name.to_bytes(4, "big")) for name in _PARTS))
_MAX_VOIDS = 8
_MAX_CANDIDATES = 200
"""Places that are tried: an index of seek heads names each part as well."""


def find_parts(data: bytes, start: int, stop: int) -> list[int]:
    """Finds the parts in the last bytes of a segment.

    Returns:
        The offsets of their headers, in order; of those inside another one only the outer.
    """
    spans = []
    for match in islice(_NAMES.finditer(data), _MAX_CANDIDATES):
        at = match.start()
        end = _end(data, at)
        if end is not None and (
            end == (stop - start) or any(int.from_bytes(data[end : end + width], "big") in _BEHIND for width in (1, 4))
        ):
            spans.append((at, end))
    # Those that follow each other up to the end are beyond doubt; a file that was cut off has none.
    last = {stop - start}
    sure = []
    for at, end in reversed(spans):
        if end in last or _skip_void(data, end) in last:
            sure.append((at, end))
            last.add(at)
    return [start + at for at, _ in _outer(sure[::-1] or spans)]


def _outer(spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Leaves out what is inside another one."""
    behind = 0
    for at, end in spans:
        if at >= behind:
            yield at, end
            behind = end


def _skip_void(data: bytes, at: int) -> int:
    """Returns the offset behind the voids at an offset, if there are any."""
    for _ in range(_MAX_VOIDS):
        if data[at : at + 1] != b"\xec":
            break
        end = _end(data, at, 1)
        if end is None or end > len(data):
            break
        at = end
    return at


def _end(data: bytes, at: int, name: int = 4) -> int | None:
    """Where the element at an offset ends, whose name has so many bytes; None if it does not say."""
    try:
        size, body = ebml.number(data, at + name)
    except BrokenError:
        return None
    unknown = size == (1 << 7 * (body - at - name)) - 1
    return None if unknown else body + size

"""Everything that the probe takes from mutagen, which has no types, and parts of whose API are deep inside.

A reader of 34 bytes that our own walker bounded, and the names of ID3v1's genres. mutagen never sees a file or a tag:
its tag readers drop or destroy text that is wrongly encoded, and hostile files cost it minutes and gigabytes.

mutagen is imported at the first call, for its import takes 120 ms and most processes read neither of the two.
"""

from __future__ import annotations

from functools import cache
from typing import Any, cast


@cache
def genres() -> tuple[str, ...]:
    """The names of ID3v1's genres, by their number."""
    from mutagen.id3 import TCON  # noqa: PLC0415 - see above

    return tuple(TCON.GENRES)


def stream_info(block: bytes) -> Any:
    """The facts in a STREAMINFO block of FLAC.

    Args:
        block: its 34 bytes.

    Returns:
        ``mutagen.flac.StreamInfo``, with ``sample_rate`` in Hz, ``length`` in seconds, ``channels``,
        ``bits_per_sample`` and ``md5_signature``.

    Raises:
        mutagen.flac.error: the block is cut short or holds impossible values.
    """
    from mutagen.flac import StreamInfo  # noqa: PLC0415 - see above

    return cast("Any", StreamInfo)(block)

"""Names of colour primaries and transfer functions by their code points (ISO/IEC 23091-2, 8.1 and 8.2).

MP4, QuickTime, Matroska and the headers of H.264 and HEVC share the code points. The names are ffmpeg's.
"""

from __future__ import annotations

_PRIMARIES = {
    1: "bt709",
    4: "bt470m",
    5: "bt470bg",
    6: "smpte170m",
    7: "smpte240m",
    8: "film",
    9: "bt2020",
    10: "smpte428",
    11: "smpte431",
    12: "smpte432",
    22: "ebu3213",
}
_TRANSFERS = {
    1: "bt709",
    4: "bt470m",
    5: "bt470bg",
    6: "smpte170m",
    7: "smpte240m",
    8: "linear",
    9: "log100",
    10: "log316",
    11: "iec61966-2-4",
    12: "bt1361e",
    13: "iec61966-2-1",
    14: "bt2020-10",
    15: "bt2020-12",
    16: "smpte2084",
    17: "smpte428",
    18: "arib-std-b67",
}


def primaries_name(code: int) -> str | None:
    """Names colour primaries; None for the code of unknown ones, and for reserved codes."""
    return _PRIMARIES.get(code)


def transfer_name(code: int) -> str | None:
    """Names a transfer function; None for the code of unknown ones, and for reserved codes."""
    return _TRANSFERS.get(code)

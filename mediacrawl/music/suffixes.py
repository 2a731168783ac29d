"""Names of files that are music, or lists of it; they say what is looked at, and never what a file is."""

from __future__ import annotations

_NAMES = (
    "aac aif aifc aiff ape asf avi flac m4a m4b m4p m4v mov mp1 mp2 mp3 mp4 mpc mpga oga ogg ogv opus spx tta wav wave"
    " wma wmv wv 3gp 3g2"
)
MEDIA = frozenset(f".{name}" for name in _NAMES.split())
"""Files of a folder that are opened; others are only named on the command line."""
M3U = frozenset({".m3u", ".m3u8", ".pls"})
"""Playlists."""
CUE = frozenset({".cue"})
"""Cue sheets."""

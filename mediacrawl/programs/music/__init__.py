"""Repairs the tags of music files on a disk.

The input is folders and files. The output is a table of wrong texts, and on request files with these texts in Unicode.
Only texts that change are written, and the audio keeps its bytes. A kill leaves each file whole, old or new, and
``--undo`` brings the originals back.

`reading` finds files and reads their tags with the readers of `mediacrawl.probe`. `deciding` decides the files of a
folder jointly. `writing` writes tags with mutagen, and compares all else. `originals` keeps the old file and puts the
new one in its place. `lists` converts playlists and cue sheets. `run` is the whole command but for what it prints.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mediacrawl.base.lazy import late_names

if TYPE_CHECKING:
    from mediacrawl.programs.music.originals import OriginalsError, undo
    from mediacrawl.programs.music.run import LEAST_SURE, MusicOptions, MusicSummary, mend_music
else:
    __getattr__ = late_names(
        __name__,
        {
            **dict.fromkeys(("OriginalsError", "undo"), "originals"),
            **dict.fromkeys(("LEAST_SURE", "MusicOptions", "MusicSummary", "mend_music"), "run"),
        },
    )

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

__all__ = [
    "CUE",
    "LEAST_SURE",
    "M3U",
    "MEDIA",
    "MusicOptions",
    "MusicSummary",
    "OriginalsError",
    "mend_music",
    "undo",
]

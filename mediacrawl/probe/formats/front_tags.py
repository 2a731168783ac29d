"""Tags before the audio: ID3v2 and APE, of which some files have several.

Which tag counts first is the order in which they are read, see `encoding.records.values.best_values`. A format's own
tags count before foreign ones:

* MPEG audio, AAC, AC-3, DTS and True Audio: ID3v2, APE, Lyrics3 and ID3v1. So TagLib documents it for MPEG audio
  (``MPEG::File::properties``). MusicBrainz Picard and mutagen read nothing but ID3 there; Picard has an option that
  removes APE from it.
* Monkey's Audio, WavPack and Musepack: APE, ID3v1, and ID3v2 only for what those lack (TagLib's ``WavPack::File`` and
  its like; Picard and mutagen read nothing but APE).
* FLAC, Ogg, WAV, AIFF and all others: what the container holds, then ID3v2 (TagLib's ``FLAC::File``).
"""

from __future__ import annotations

from mediacrawl.probe.context import ParseContext
from mediacrawl.probe.formats import id3, tail_tags
from mediacrawl.probe.formats.id3 import Id3Header
from mediacrawl.probe.formats.tail_tags import ApeTag

ID3_FIRST = frozenset({"mp3", "aac", "latm", "adif", "ac3", "dts", "tta"})
"""Formats whose own tag is ID3v2."""
_MAX_TAGS = 8
"""Some programs write a second tag before the first; more than a few are an attack."""


class FrontTags:
    """The tags at the front of one file, as far as their headers are at hand.

    Attributes:
        stop: offset behind them.
    """

    def __init__(self, context: ParseContext) -> None:
        """Finds the tags."""
        self.stop = 0
        self._context = context
        self._id3: list[Id3Header] = []
        self._ape: list[ApeTag] = []
        while len(self._id3) + len(self._ape) < _MAX_TAGS and self._step():
            pass

    @property
    def found(self) -> bool:
        """Whether there is one."""
        return bool(self._id3 or self._ape)

    def read(self) -> None:
        """Reads the tags. Values of a second tag are added to those of the first."""
        if self.found and self._context.result.has_cover is None:
            self._context.result.has_cover = False
        for header in self._id3:
            with self._context.stage("id3v2"):
                id3.read_tag(self._context, header)
        for tag in self._ape:
            with self._context.stage("ape"):
                tail_tags.read_ape(self._context, tag)

    def _step(self) -> bool:
        file, at = self._context.file, self.stop
        header = id3.find_header(file, at) if file.at_hand(at, at + id3.HEADER_SIZE) else None
        if header:
            self._id3.append(header)
            self.stop = header.end
            return True
        tag = tail_tags.find_ape_at_front(file, at)
        if tag:
            self._ape.append(tag)
            self.stop = tag.end
        return tag is not None

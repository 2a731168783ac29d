"""Tags at the end of MPEG audio and of the formats of the APE family: ID3v1, APE, Lyrics3, ID3v2 with a footer.

They stand in any order and each says where it begins, so they are found from the end on.
"""

from __future__ import annotations

from mediacrawl.probe.context import Reading
from mediacrawl.probe.formats import ape_tag, id3, id3v1, lyrics3
from mediacrawl.probe.formats.ape_tag import ApeTag
from mediacrawl.probe.formats.id3 import TagHeader
from mediacrawl.probe.formats.lyrics3 import Lyrics3
from mediacrawl.probe.sparse import SparseFile

_MAX_TAGS = 6
"""One of each, and some twice by programs that did not see the first."""


class Tail:
    """The tags at the end of one file.

    Attributes:
        stop: offset behind the audio, as far as known; None if the file's size is not known.
    """

    def __init__(self, reading: Reading, start: int) -> None:
        """Finds the tags.

        Args:
            reading: the walk.
            start: offset of the audio; no tag begins before it.
        """
        self.stop = reading.file.size
        self._reading = reading
        self._start = start
        self._found: list[ApeTag | Lyrics3 | TagHeader | bytes] = []
        reading.stage("tail", self._find)

    def read(self) -> None:
        """Reads the tags, in the order of the file."""
        if self.stop is not None and self._reading.result.has_cover is None:
            self._reading.result.has_cover = False
        for tag in reversed(self._found):
            if isinstance(tag, ApeTag):
                self._reading.stage("ape", ape_tag.read_tag, self._reading, tag)
            elif isinstance(tag, Lyrics3):
                self._reading.stage("lyrics3", lyrics3.read_tag, self._reading, tag)
            elif isinstance(tag, TagHeader):
                self._reading.stage("id3v2", id3.read_tag, self._reading, tag)
            else:
                self._reading.stage("id3v1", id3v1.read_tag, self._reading, tag)

    def set_bitrate(self, start: int) -> None:
        """Sets the average bit rate of what stands between an offset and the tags."""
        result = self._reading.result
        if self.stop is not None and result.duration and self.stop > start:
            result.bitrate = round((self.stop - start) * 8 / result.duration)

    def _find(self) -> None:
        size = self._reading.file.size
        if size is None:
            self._reading.note("size unknown")
            return
        # One request brings everything that may stand there.
        self._reading.file.get(max(self._start, size - self._reading.policy.tail_bytes), size)
        while len(self._found) < _MAX_TAGS and self._step(self._reading.file):
            pass

    def _step(self, file: SparseFile) -> bool:
        """Takes off the last tag of what is left. What stands before a long one is not worth a request."""
        stop = self.stop or 0
        data = file.at_hand(max(0, stop - id3v1.SIZE), stop) or b""
        if id3v1.is_tag(data):
            return self._take(data, stop - id3v1.SIZE)
        ape = ape_tag.find_at_end(file, stop)
        if ape:
            return self._take(ape, ape.start)
        lyrics = lyrics3.find_tag(file, stop)
        if lyrics:
            return self._take(lyrics, lyrics.start)
        id3v2 = id3.find_footer(file, stop)
        return id3v2 is not None and self._take(id3v2, id3v2.start - 10)

    def _take(self, tag: ApeTag | Lyrics3 | TagHeader | bytes, start: int) -> bool:
        if start < self._start:
            return False
        self._found.append(tag)
        self.stop = start
        return True

"""The media files that `probe` measures on: a made-up song and film by ffmpeg, dressed by mutagen and by hand.

What takes minutes, ffmpeg's work, is kept in a folder under the hash of the command; the dressing is done again each
time. ffmpeg is the one of the path, or that of the package imageio-ffmpeg.
"""

from __future__ import annotations

import hashlib
import importlib
import io
import json
import re
import shutil
import subprocess
from collections.abc import Callable
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from probe_truth import Sample as Sample  # noqa: PLC0414 - the names that modules of samples import from here
from probe_truth import Text as Text  # noqa: PLC0414

TEXTS = {
    "title": "Večerní píseň",
    "artist": "Čechomor",
    "album": "Low Water",
    "date": "2024",
    "genre": "Folk",
    "comment": "Recorded in one take",
}
"""What most files say, by the common names of `mediacrawl.probe.formats.keys`."""
WRONG = "Вечерняя песня"
"""A title that is written as windows-1251 where the container declares something else."""

_SONG = (
    "0.3*sin(2*PI*t*(220+55*mod(floor(t*2),7)))*exp(-3*mod(t,0.5))"
    "+0.1*sin(2*PI*t*110*(1+mod(floor(t/4),3)))+0.2*(random(0)-0.5)*exp(-9*mod(t,1))*lt(mod(t,40),25)"
)
"""Notes, a bass, and a drum that is silent for a while, so that a variable bit rate does vary."""


class MissingEncoderError(Exception):
    """This ffmpeg cannot make that."""


class Kitchen:
    """ffmpeg, and what it made before.

    Args:
        folder: where its work is kept.
        quick: whether files are a third as long, or less.

    Attributes:
        song: seconds of most audio files.
        film: seconds of most video files.
        hour: seconds of the longest files.
    """

    def __init__(self, folder: Path, *, quick: bool = False) -> None:
        self.song, self.film, self.hour = (60, 20, 600) if quick else (180, 60, 3600)
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    @cached_property
    def _program(self) -> str:
        """Looked for when a file is made: what files there are can be listed without it."""
        return find_ffmpeg()

    def ffmpeg(self, extension: str, *arguments: str | Path) -> Path:
        """Runs ffmpeg unless that was done before.

        Args:
            extension: of the file that is made.
            arguments: all but the name of that file.

        Raises:
            MissingEncoderError: it does not know this encoder or format.
        """
        words = [str(word) for word in arguments]
        name = hashlib.sha256("\0".join([extension, *words]).encode()).hexdigest()[:24]
        made = self._folder / f"{name}.{extension}"
        if not made.exists():
            half = made.with_name(f"half-{made.name}")
            self._run(*words, "-y", str(half))
            half.rename(made)
        return made

    def wave(self) -> Path:
        """The song: 16 bits, stereo, 44.1 kHz."""
        source = f"aevalsrc=exprs='{_SONG}|{_SONG}':s=44100:d={self.song}"
        return self.ffmpeg("wav", "-f", "lavfi", "-i", source, "-c:a", "pcm_s16le", *_PLAIN)

    def audio(self, extension: str, options: str, *more: str, tagged: bool = False) -> Path:
        """The song in another format.

        Args:
            extension: of the file.
            options: of ffmpeg, apart by blanks.
            more: further options, as they are.
            tagged: whether ffmpeg writes `TEXTS` into it.
        """
        return self.ffmpeg(extension, "-i", self.wave(), *_PLAIN, *options.split(), *more, *(_TAGS if tagged else ()))

    def video(self, extension: str, options: str, *more: str, size: str = "640x360", tagged: bool = True) -> Path:
        """A film of test pictures, 25 a second, with the song."""
        picture = f"testsrc2=size={size}:rate=25:duration={self.film}"
        sources = ("-f", "lavfi", "-i", picture, "-stream_loop", "-1", "-i", self.wave(), "-t", str(self.film))
        chosen = ("-map", "0:v", "-map", "1:a", *_PLAIN, "-pix_fmt", "yuv420p")
        return self.ffmpeg(extension, *sources, *chosen, *options.split(), *more, *(_TAGS if tagged else ()))

    def again(self, extension: str, made: Path, seconds: int, options: str = "", *more: str) -> Path:
        """A file played again and again up to a length, without a new encoding."""
        source = ("-stream_loop", "-1", "-i", made, "-t", str(seconds), "-map", "0", "-c", "copy")
        return self.ffmpeg(extension, *source, *_PLAIN, *options.split(), *more, *_TAGS)

    def again_with(self, extension: str, made: Path, chapters: Path, options: str = "") -> Path:
        """A file again with chapters of ffmpeg's metadata format, and with `TEXTS`, without a new encoding."""
        sources = ("-i", made, "-f", "ffmetadata", "-i", chapters, "-map", "0", "-c", "copy", "-map_chapters", "1")
        # Without the tags of the file before, but with the titles of the chapters.
        plain = ("-map_metadata:g", "-1", *_PLAIN[2:])
        return self.ffmpeg(extension, *sources, *plain, *options.split(), *_TAGS)

    def text(self, name: str, content: str) -> Path:
        """A text file that a command of ffmpeg reads."""
        path = self._folder / name
        path.write_text(content, encoding="utf-8")
        return path

    def count_seconds(self, name: str, data: bytes) -> float | None:
        """How long a file plays, by its last packet; None if ffmpeg cannot read it. Kept by the file's hash."""
        notes = self._folder / "seconds.json"
        known = json.loads(notes.read_text()) if notes.exists() else {}
        key = hashlib.sha256(data).hexdigest()[:24]
        if key not in known:
            path = self._folder / f"counted{Path(name).suffix}"
            path.write_bytes(data)
            command = [self._program, "-nostdin", "-hide_banner", "-i", path, "-map", "0:V?", "-map", "0:a?"]
            command += ["-c", "copy", "-f", "null", "-"]
            said = subprocess.run(command, capture_output=True, check=False).stderr.decode("utf-8", "replace")
            path.unlink()
            times = re.findall(r"time=(\d+):(\d+):([\d.]+)", said)
            known[key] = int(times[-1][0]) * 3600 + int(times[-1][1]) * 60 + float(times[-1][2]) if times else None
            notes.write_text(json.dumps(known))
        return known[key]

    def _run(self, *words: str) -> None:
        command = [self._program, "-nostdin", "-hide_banner", "-loglevel", "error", *words]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
        if done.returncode:
            raise MissingEncoderError((done.stderr.strip().splitlines() or ["ffmpeg failed"])[-1])


_PLAIN = ("-map_metadata", "-1", "-fflags", "+bitexact", "-flags:v", "+bitexact", "-flags:a", "+bitexact")
_TAGS = tuple(word for name, text in TEXTS.items() for word in ("-metadata", f"{name}={text}"))


def find_ffmpeg() -> str:
    """The program, of the path or of the package imageio-ffmpeg.

    Raises:
        SystemExit: there is none.
    """
    found = shutil.which("ffmpeg")
    if found:
        return found
    try:
        return str(importlib.import_module("imageio_ffmpeg").get_ffmpeg_exe())
    except ImportError:
        raise SystemExit("ffmpeg is needed: in the path, or by: pip install imageio-ffmpeg") from None


def texts(*keys: str, **others: str) -> tuple[Text, ...]:
    """Those of `TEXTS` with these names, all if none is named, and others."""
    chosen = [(key, TEXTS[key]) for key in keys or TEXTS]
    return tuple(Text(key, text) for key, text in [*chosen, *others.items()])


def as_utf8(*keys: str) -> tuple[Text, ...]:
    """Those of `TEXTS` with these names, to be judged by their bytes: the container says nothing of UTF-8."""
    return tuple(Text(key, TEXTS[key], TEXTS[key].encode()) for key in keys or TEXTS)


def wrong(key: str = "title") -> Text:
    """The title in windows-1251, as 8-bit text."""
    return Text(key, WRONG, WRONG.encode("cp1251"))


def saved(open_file: Callable[[io.BytesIO], Any], data: bytes, change: Callable[[Any], None], **options: Any) -> bytes:
    """What mutagen makes of a file.

    Args:
        open_file: one of mutagen's classes, or a function that opens with it.
        data: the file.
        change: sets tags.
        options: of mutagen's ``save``.
    """
    out = io.BytesIO(data)
    tagged = open_file(out)
    change(tagged)
    out.seek(0)
    tagged.save(out, **options)
    return out.getvalue()


def maker(group: str, seconds: float, mime: str, facts: dict[str, object]) -> Callable[..., Sample]:
    """Gives what makes the samples of one group that have these facts in common."""
    return partial(Sample, group=group, seconds=seconds, mime=mime, facts=facts)

"""`scrapy demojibake` over folders of music: how many titles come out right, and how many files it does a minute.

    python benchmarks/music.py [--quick]

Titles are the held-out ones of `titles/`. Four kinds of folders: an album each, in one encoding; several albums of
different languages in one folder, a quarter of which are right as they are; single songs of such albums in one folder;
and folders in which nothing is wrong. The peer is mid3iconv (mutagen), which is told by hand, for each folder, the
encoding of most of its wrong files, as its users do; in folders that are right it is not run. A title is right if every
character is.

The speed is that of the command over files of 3 MB in a warm cache, its start included; the processor's time counts,
so that a busy machine changes it little. mid3iconv writes the same files, in place.
"""

import argparse
import json
import os
import random
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from encoding_units import ENCODINGS, HELD_OUT, WEIGHTS, encoded, normal, rows
from mutagen.id3 import ID3

TARGETS = {"albums": 0.99, "mixed": 0.98, "singles": 0.97, "clean": 0.995, "dry": 5000.0, "write": 5000.0}
SOUND = Path(__file__).parents[1] / "tests" / "probe" / "samples" / "cbr.mp3"
BIN = Path(sys.executable).parent
NAMES = ("TPE1", "TALB", "TIT2")
LARGE = 3_000_000
"""Bytes of a file whose time is taken."""
OTHERS = 6.0 / 43
"""Weight of an encoding that has none of its own."""


@dataclass(frozen=True)
class Song:
    """What a file is to say, and what it was written in.

    Attributes:
        texts: artist, album, title.
        encoding: of the bytes, which the file declares as Latin-1; or ``utf_16``, which it declares rightly.
    """

    texts: tuple[str, str, str]
    encoding: str


def album(rng, language, encoding, count=10):
    """Songs of one album: the artist and the album of one row, titles of others. None if they cannot be written."""
    found = [texts for name, texts in rows(HELD_OUT) if name == language]
    artist, name, _ = rng.choice(found)
    titles = [texts[2] for texts in rng.sample(found, min(count, len(found)))]
    songs = [Song((artist, name, title), encoding) for title in titles]
    if encoding != "utf_16" and any(encoded(text, encoding) is None for song in songs for text in song.texts):
        return None
    if all(text.isascii() for song in songs for text in song.texts):
        return None
    return songs


def drawn(rng, *, clean=False):
    """An album in a language and an encoding as they are found; with `clean`, one that is right."""
    cells = [
        (language, encoding, WEIGHTS.get(encoding, OTHERS))
        for language, encodings in ENCODINGS.items()
        for encoding in encodings
        if (encoding == "cp1252") == clean
    ]
    # A code page of many languages is shared among them.
    shared = Counter(encoding for _, encoding, _ in cells)
    weights = [weight / shared[encoding] for _, encoding, weight in cells]
    while True:
        language, encoding, _ = rng.choices(cells, weights)[0]
        found = album(rng, language, rng.choice((encoding, "utf_16")) if clean else encoding)
        if found and not (clean and encoding == "cp1252" and not all(_is_latin(song) for song in found)):
            return found


def _is_latin(song):
    return song.encoding == "utf_16" or all(encoded(text, "latin-1") is not None for text in song.texts)


def library(kind, folders, rng):
    """Folders of songs."""
    for _ in range(folders):
        if kind == "albums":
            yield drawn(rng)
        elif kind == "clean":
            yield drawn(rng, clean=True)
        elif kind == "mixed":
            yield [song for _ in range(rng.choice((2, 3, 4))) for song in any_album(rng)]
        else:
            yield [rng.choice(any_album(rng)) for _ in range(20)]


def any_album(rng):
    """One album in four is right as it is."""
    return drawn(rng, clean=rng.random() < 0.25)


def write(path, song, sound):
    """An MP3 with an ID3v2.3 tag and a kilobyte of padding, as most taggers leave it."""
    body = b""
    for name, text in zip(NAMES, song.texts, strict=True):
        raw = b"\1" + text.encode("utf-16") if song.encoding == "utf_16" else b"\0" + encoded(text, song.encoding)
        body += name.encode() + struct.pack(">IH", len(raw), 0) + raw
    body += bytes(1024)
    path.write_bytes(b"ID3\3\0\0" + bytes(len(body) >> shift & 0x7F for shift in (21, 14, 7, 0)) + body + sound)


def make(top, folders, sound):
    """Writes a library; gives each file's song."""
    songs = {}
    for number, folder in enumerate(folders):
        place = top / f"{number:04}"
        place.mkdir(parents=True)
        for track, song in enumerate(folder):
            path = place / f"{track:02}.mp3"
            write(path, song, sound)
            songs[path] = song
    return songs


def share(songs, place):
    """Titles, and other texts, that are right now."""
    right = 0
    for path, song in songs.items():
        tag = ID3(path, translate=False)
        right += normal(str(tag[NAMES[place]].text[0])) == normal(song.texts[place])
    return right / len(songs)


def ours(top, *arguments):
    """Runs the command; gives its wall time and its processor time."""
    command = [sys.executable, "-m", "scrapy", "demojibake", top, "--limit", "0", *arguments]
    return timed([command])


def by_hand(songs):
    """Runs mid3iconv on each folder, with the encoding of most of its files."""
    folders = {}
    for path, song in songs.items():
        folders.setdefault(path.parent, []).append((path, song.encoding))
    commands = []
    for files in folders.values():
        encodings = Counter(encoding for _, encoding in files if encoding not in {"utf_16", "cp1252"})
        encoding = encodings.most_common(1)[0][0] if encodings else "latin-1"
        commands.append([BIN / "mid3iconv", "-q", "-e", encoding, *(path for path, _ in files)])
    return timed(commands)


def timed(commands):
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    for command in commands:
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.perf_counter() - begun, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def quality(kind, folders, home):
    """Share of titles right: before, by ours, by hand."""
    rng = random.Random(f"{kind} 5")
    found = list(library(kind, folders, rng))
    sound = SOUND.read_bytes()[:4000]
    songs = make(home / kind, found, sound)
    before = share(songs, 2)
    ours(home / kind, "--write", "--originals", str(home / f"{kind}-originals"))
    mine = share(songs, 2)
    shutil.rmtree(home / kind)
    if kind == "clean":
        return len(songs), before, mine, before
    songs = make(home / kind, found, sound)
    by_hand(songs)
    theirs = share(songs, 2)
    shutil.rmtree(home / kind)
    return len(songs), before, mine, theirs


def speed(count, home):
    """Files a minute of processor and of wall time, by way."""
    rng = random.Random(9)
    sound = (SOUND.read_bytes() * (LARGE // SOUND.stat().st_size + 1))[:LARGE]
    albums = list(library("albums", count // 10, rng))
    songs = make(home / "speed", albums, sound)
    found = {
        "dry run": ours(home / "speed"),
        "write": ours(home / "speed", "--write", "--originals", f"{home}/s-originals"),
    }
    found["undo"] = timed([[sys.executable, "-m", "scrapy", "demojibake", "--undo", f"{home}/s-originals"]])
    found["mid3iconv"] = by_hand(songs)
    shutil.rmtree(home / "speed")
    return {way: (60 * len(songs) / wall, 60 * len(songs) / cpu) for way, (wall, cpu) in found.items()}, len(songs)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the folders")
    options = parser.parse_args()
    part = 10 if options.quick else 1
    figures = []
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as folder:
        home = Path(folder)
        print(f"{'titles right':<12}{'files':>8}{'before':>9}{'ours':>9}{'by hand':>9}")
        for kind, folders in (("albums", 400), ("mixed", 150), ("singles", 150), ("clean", 300)):
            files, before, mine, theirs = quality(kind, folders // part, home)
            print(f"{kind:<12}{files:>8,}{before:>9.2%}{mine:>9.2%}{theirs:>9.2%}", flush=True)
            figures.append(figure(f"music_titles_{kind}", mine, "share", TARGETS[kind], "more", theirs))
        ways, files = speed(1000 // part, home)
        print(f"\n{'files a minute':<16}{'wall':>9}{'cpu':>9}   ({files:,} files of 3 MB)")
        for way, (wall, cpu) in ways.items():
            print(f"{way:<16}{wall:>9,.0f}{cpu:>9,.0f}")
    figures.append(figure("music_dry_run", ways["dry run"][1], "files/min", TARGETS["dry"], "more", None))
    figures.append(figure("music_write", ways["write"][1], "files/min", TARGETS["write"], "more", ways["mid3iconv"][1]))
    print(json.dumps({"bench": "music", "figures": figures}))


def figure(name, value, unit, target, better, peer):
    rounded = None if peer is None else round(peer, 4)
    return {"name": name, "value": round(value, 4), "unit": unit, "target": target, "better": better, "peer": rounded}


if __name__ == "__main__":
    main()

"""Stored records as crawls leave them, and what they should become."""

import base64
import csv
import dataclasses
import gzip
import importlib
import io
import json
import os
import signal
import sys
import tempfile

import harness
from harness import ROOT

from mediacrawl.base.evidence import tag_element
from mediacrawl.base.terms import Tag
from mediacrawl.programs.rerun import RerunOptions, blocks, json_lines, rerun
from mediacrawl.programs.rerun.run import RerunWatcher
from mediacrawl.record import Fixer, MediaItem
from mediacrawl.record.values import best_values
from mediacrawl.store import Catalogue

ALBUMS = [
    ("cp1251", "Кино", "Группа крови на рукаве", "Звезда по имени Солнце"),
    ("cp932", "中島みゆき", "時代はまわる夜明けの歌", "悪女と呼ばれた日々の記録"),
    ("cp1253", "Χάρις Αλεξίου", "Τα τραγούδια της καρδιάς μου", "Δι' ευχών των αγίων πατέρων"),  # noqa: RUF001
    ("utf-8", "Мельница", "Дорога сна и зимняя ночь", "Зов крови и перевал"),
    ("latin-1", "Françoise Hardy", "Tous les garçons et les filles de mon âge", "La maison où j'ai grandi"),
    ("ascii", "The Example Band", "Plain title number one", "An album of songs"),
]
"""Encoding that the tags really have, artist, title, album."""
RECORDS = 88
"""Records of the fixture `lines`; they fill several small blocks."""
ROWS = 72
"""Records of the fixture `catalogue`, likewise."""


def small_blocks(put=setattr):
    """Let runs of this process read blocks of a quarter of their size."""
    put(blocks, "BLOCK_BYTES", 32 << 10)
    put(blocks, "BLOCK_RECORDS", 16)


def our_record(number):
    """A record as the crawl stores it when nobody has decided it yet: tags that claim Latin-1."""
    encoding, artist, title, album = ALBUMS[number % len(ALBUMS)]
    fields = {"title": f"{title} {number}", "artist": artist, "album": album}
    tags = [
        tag_element(Tag("id3v2.3", frame, key, "latin-1", raw, raw.decode("latin-1")))
        for frame, (key, text) in zip(("TIT2", "TPE1", "TALB"), fields.items(), strict=True)
        if (raw := text.encode(encoding)) is not None
    ]
    raw = title.encode(encoding)
    chapters = [{"start": 0.0, "end": 60.5, "title": "Intro"}, {"start": 60.5, "title": raw.decode("latin-1")}]
    tags.append(tag_element(Tag("id3v2.3", "CHAP", "chapters[1].title", "latin-1", raw, raw.decode("latin-1"))))
    item = MediaItem(
        content_url=f"https://media.tonspur.example/{number}.mp3",
        site="tonspur.example",
        chapters=chapters,
        persons=[{"role": "artist", "name": artist.encode(encoding).decode("latin-1")}],
        tags=tags,
    )
    record = dataclasses.asdict(item) | best_values(tags)
    record["duration"], record["content_size"] = 125.5 + number, 4_000_000 + number
    return record


def foreign_item(number):
    """An item of another project: raw bytes beside the text, and a number that JSON can write in several ways."""
    encoding, artist, title, _ = ALBUMS[number % len(ALBUMS)]
    raw = f"{title} {number}".encode(encoding)
    return {
        "title": raw.decode("latin-1"),
        "title_raw": base64.b64encode(raw).decode(),
        "performer_name": artist,
        "price": 1.50,
        "nested": {"deep": [1, None, True]},
    }


def write_lines(path, number):
    """Records of ours, with lines between that are none."""
    with path.open("wb") as file:
        for place in range(number):
            file.write(json.dumps(our_record(place), ensure_ascii=False).encode() + b"\n")
            if place % 25 == 12:
                file.write(b'{"title": "torn\n\n[1, 2]\n{"title": "\xff"}\n')


def stored(path, *items):
    """Write items to a file of the kind that its name says, and return its path."""
    if path.name.endswith((".jl", ".jl.gz")):
        lines = "".join(json.dumps(item, ensure_ascii=False) + "\n" for item in items).encode()
        path.write_bytes(gzip.compress(lines) if path.suffix == ".gz" else lines)
    elif path.suffix == ".parquet":
        import pyarrow as pa
        import pyarrow.parquet as pq

        # Arrow knows no type of an empty object.
        rows = [{name: value for name, value in item.items() if value not in ({}, [])} for item in items]
        pq.write_table(pa.Table.from_pylist(rows), path)
    elif path.suffix == ".db":
        with Catalogue(path, clock=lambda: 1_700_000_000.0) as catalogue:
            for item in items:
                catalogue.upsert(item)
    else:
        text = io.StringIO(newline="")
        rows = csv.writer(text, delimiter="\t" if ".tsv" in path.suffixes else ",")
        rows.writerows([items[0], *([json_lines.cell(value) for value in item.values()] for item in items)])
        data = text.getvalue().encode()
        path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def read_lines(path):
    """The records of a file of JSON lines."""
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def decided(record, fields=None):
    """What the fixer makes of a record."""
    copy = json.loads(json.dumps(record))
    Fixer(fields).fix(copy)
    return copy


def go(source, output=None, **options):
    """A run in this process."""
    return rerun(RerunOptions(str(source), None if output is None else str(output), **options))


class Killer(RerunWatcher):
    """Ends the process as the system does when memory is short."""

    def __init__(self, blocks):
        self.left = blocks

    def block(self, done, items, rows):
        self.left -= 1
        if not self.left:
            os.kill(os.getpid(), signal.SIGKILL)


def kill_before(owner, name):
    """A kill where a method of a class is about to be called."""
    setattr(owner, name, lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL))


def killed(source, output, when, folder=ROOT, **options):
    """A run in a process of its own that is killed: after so many blocks, or before ``module:Class.method``."""
    asked = json.dumps({"source": str(source), "output": None if output is None else str(output), **options})
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "tests")])}
    with tempfile.TemporaryFile() as text:
        code = harness.start(__file__, [asked, str(when)], folder, environment, text, text).wait(120)
        text.seek(0)
        assert code == -signal.SIGKILL, text.read().decode()[-3000:]


if __name__ == "__main__":
    small_blocks()
    place = sys.argv[2]
    if not place.isdecimal():
        module, _, path = place.partition(":")
        cls, _, method = path.partition(".")
        kill_before(getattr(importlib.import_module(module), cls), method)
    rerun(RerunOptions(**json.loads(sys.argv[1])), Killer(int(place) if place.isdecimal() else -1))

"""No input breaks a run, takes its memory, or is lost."""

import contextlib
import csv
import gzip
import json
import random
import string
import tracemalloc

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from harness import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from stored_items import go, our_record, read_lines, stored

from mediacrawl.programs.rerun import RerunError, json_lines
from mediacrawl.programs.rerun.blocks import LONGEST_RECORD
from mediacrawl.programs.rerun.csv_rows import OPEN_QUOTE, CsvReader
from mediacrawl.programs.rerun.endpoints import location_of
from mediacrawl.record import Fixer

HOSTILE = [
    b"",
    b"   ",
    b"{",
    b"null",
    b'"text"',
    b"[{}]",
    b"\xff\xfe",
    b"\x00" * 50,
    b'{"title": "\x00"}',
    b"[" * 100_000,
    b'{"a":' * 50_000,
    b"9" * 5000,
    b'{"n": ' + b"9" * 5000 + b"}",
    b'{"title": NaN, "x": Infinity}',
    b'{"title": "\\ud83d alone", "artist": "\\ud83d\\ude00"}',
    b'{"tags": 7, "title": []}',
    b'{"tags": [null, 7, "x", {}, {"declared": "latin-1"}, {"declared": "x", "raw_b64": "?"}]}',
    b'{"tags": [{"source": "a", "frame": "b", "key": "title", "declared": "zip", "text": "\xc3\xa9"}]}',
    b'{"mojibake": 7, "title": "\xc3\xa9t\xc3\xa9 comme toujours"}',
    b'{"mojibake": {"title": 7}, "title": "\xc3\xa9t\xc3\xa9 comme toujours"}',
    b'{"extra": "text", "content_url": 7}',
    b'\xef\xbb\xbf{"title": "a mark at the front"}',
    b"{}\r",
    b'{"\xe2\x80\xa8": "a line separator is none here"}',
]


@pytest.fixture
def hostile(tmp_path):
    path = tmp_path / "hostile.jl"
    path.write_bytes(b"\n".join([*HOSTILE, json.dumps(our_record(0)).encode()]))
    return path


def test_lines_that_are_no_records_pass_as_they_are(hostile, tmp_path):
    result = go(hostile, tmp_path / "out.jl")
    before, after = hostile.read_bytes().split(b"\n"), (tmp_path / "out.jl").read_bytes().split(b"\n")
    bad = [line for line, raw in enumerate(before) if json_lines.parse(raw)[0] is None]
    assert [before[line] for line in bad] == [after[line] for line in bad]
    assert len(before) == len(after)
    assert sum(result.tally.bad.values()) == len(bad) - 2
    assert json.loads(after[-1])["title"] == "Группа крови на рукаве 0"
    assert result.tally.bad_lines["nested too deep"] == [10, 11]


def test_a_record_that_the_fixer_cannot_take_passes_unchanged_and_is_named(tmp_path, monkeypatch):
    fix = Fixer.fix

    def fix_all_but_one(self, item, names=None):
        if item["content_url"].endswith("/3.mp3"):
            item.clear()
            raise ZeroDivisionError
        return fix(self, item, names)

    for kind in ("jl", "csv", "parquet", "db"):
        source = stored(tmp_path / f"in.{kind}", *map(our_record, range(5)))
        monkeypatch.setattr(Fixer, "fix", fix_all_but_one)
        result = go(source, tmp_path / "out.jl", force=True)
        assert result.tally.bad_lines == {"cannot be decided: ZeroDivisionError": [5 if kind == "csv" else 4]}
        monkeypatch.setattr(Fixer, "fix", fix)
        assert read_lines(tmp_path / "out.jl")[3]["title"] == our_record(3)["title"]
        go(source, tmp_path / "whole.jl", force=True)
        assert read_lines(tmp_path / "whole.jl")[3]["title"] == "Дорога сна и зимняя ночь 3"


@pytest.mark.parametrize("kind", ["jl", "jl.gz", "csv"])
def test_a_long_line_passes_unread_and_one_that_is_longer_is_a_sentence(tmp_path, kind):
    long = b'{"title": "' + b"x" * (LONGEST_RECORD + 12345) + b'"}\n'
    data = b"title\n" + long.replace(b'"', b"") + b"plain\n" if kind == "csv" else long + b'{"title": "plain"}\n'
    source, out = tmp_path / f"in.{kind}", tmp_path / f"out.{kind}"
    source.write_bytes(gzip.compress(data) if kind == "jl.gz" else data)
    # The first run of a process also loads the models.
    go(stored(tmp_path / "one.jl", our_record(0)), tmp_path / "models_loaded.jl")
    tracemalloc.start()
    result = go(source, out)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    found = gzip.decompress(out.read_bytes()) if kind == "jl.gz" else out.read_bytes()
    assert result.tally.bad_lines == {"longer than 8 MiB": [2 if kind == "csv" else 1]}
    assert result.tally.records == 1
    assert long.replace(b'"', b"") in found.replace(b'"', b"")
    assert peak < 5 * LONGEST_RECORD
    data = data.replace(b"x" * 100, b"x" * 250)
    source.write_bytes(gzip.compress(data) if kind == "jl.gz" else data)
    with pytest.raises(RerunError, match="a line of more than 16 MiB"):
        go(source, out, force=True)


def test_memory_does_not_grow_with_the_input(tmp_path):
    peaks = []
    for number in (400, 4000):
        path = tmp_path / f"{number}.jl"
        path.write_bytes(b'{"title": "plain", "fill": "' + b"x" * 2000 + b'"}\n')
        path.write_bytes(path.read_bytes() * number)
        tracemalloc.start()
        go(path, tmp_path / f"{number}.out.jl")
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.5 * peaks[0]


@pytest.mark.parametrize("cut", [10, 500, -5])
def test_a_packed_file_that_is_cut_short_is_a_sentence(tmp_path, cut):
    whole = gzip.compress(b"".join(json.dumps(our_record(n)).encode() + b"\n" for n in range(50)))
    (tmp_path / "in.jl.gz").write_bytes(whole[:cut])
    with pytest.raises(RerunError, match="damaged or cut short"):
        go(tmp_path / "in.jl.gz", tmp_path / "out.jl")
    (tmp_path / "in.jl.gz").write_bytes(b"no gzip")
    with pytest.raises(RerunError, match="damaged or cut short"):
        go(tmp_path / "in.jl.gz", tmp_path / "out.jl", restart=True)


@pytest.mark.parametrize("name", ["in.parquet", "in.db"])
def test_a_file_that_is_not_what_its_name_says_is_a_sentence(tmp_path, name):
    (tmp_path / name).write_bytes(random.Random(1).randbytes(5000))
    with pytest.raises(RerunError) as caught:
        go(tmp_path / name, tmp_path / "out.jl")
    assert name in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "name",
    ["", "items", "items.json", "items.jl.bz2", "x.parquet.gz", "redis://h/0", "redis://h/0?key=", "redis://[::"],
)
def test_a_name_that_tells_nothing_is_a_sentence(name):
    with pytest.raises(RerunError):
        location_of(name)


def test_a_password_is_never_shown():
    found = location_of("redis://user:secret@host:6379/2?key=a%3Ab&ssl_cert_reqs=none")
    assert found.key == "a:b"
    assert found.url == "redis://user:secret@host:6379/2?ssl_cert_reqs=none"
    assert "secret" not in found.name


def test_missing_files_and_folders_are_sentences(tmp_path):
    for source in ("none.jl", "none.csv", "none.db", "none.parquet"):
        with pytest.raises(RerunError, match="none"):
            go(tmp_path / source, tmp_path / "out.jl")
    (tmp_path / "in.jl").write_text("{}\n")
    for output in ("no/folder/out.jl", "in.jl/out.jl"):
        with pytest.raises(RerunError):
            go(tmp_path / "in.jl", tmp_path / output)
    (tmp_path / "folder").mkdir()
    with pytest.raises(RerunError, match="without a file"):
        go(tmp_path / "folder", tmp_path / "out.jl")
    with pytest.raises(RerunError, match="is a folder"):
        go(tmp_path / "in.jl", tmp_path / "folder")


def test_nothing_in_gives_nothing_out(tmp_path):
    (tmp_path / "in.jl").write_bytes(b"")
    (tmp_path / "in.csv").write_bytes(b"title\n")
    pq.write_table(pa.table({"title": pa.array([], pa.string())}), tmp_path / "in.parquet")
    for kind in ("jl", "csv", "parquet"):
        assert go(tmp_path / f"in.{kind}", tmp_path / f"out.{kind}").tally.records == 0
        go(tmp_path / f"out.{kind}", tmp_path / "back.jl", force=True)
        assert (tmp_path / "back.jl").read_bytes() == b""


PARTS = st.sampled_from(['"', '"', '""', ",", ";", "x", "é", "\r", "\n", "\n", 'x"y,"z\n', '","', "a block and more\n"])


@settings(max_examples=examples(80))
@given(st.lists(PARTS, max_size=60).map("".join), st.sampled_from([8, 40, LONGEST_RECORD]))
def test_the_blocks_of_a_table_are_all_of_it_and_begin_where_the_one_before_ends(tmp_path_factory, text, longest):
    path = tmp_path_factory.mktemp("table") / "in.csv"
    path.write_bytes(b"title,n\n" + text.encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("mediacrawl.programs.rerun.blocks.BLOCK_BYTES", 8)
        patch.setattr("mediacrawl.programs.rerun.csv_rows._LONGEST_ROW", longest)
        with contextlib.closing(CsvReader(location_of(str(path)))) as reader:
            found = list(reader.blocks(None, 1))
            assert b"".join(b"".join(block.data) for block in found) == text.encode()
            for place, block in enumerate(found):
                assert [entry.raw for entry in reader.records(block)] == list(block.data)
                assert list(reader.blocks(block.after, block.next_number)) == found[place + 1 :]


ANEW = b'x"y,"z\n'
"""Opens a quote after it closed the one that was open before it, and opens one where none was open."""


def test_hostile_quotes_in_an_output_are_the_same_in_the_next_one(tmp_path):
    raw = "Группа крови на рукаве".encode("cp1251").decode("latin-1")
    data = f"id,title\n1,{raw}\n".encode() + ANEW * 300 + b"2,two\n" + ANEW * 301 + b"3,three\n"
    (tmp_path / "in.csv").write_bytes(data)
    first = go(tmp_path / "in.csv", tmp_path / "one.csv").tally
    second = go(tmp_path / "one.csv", tmp_path / "two.csv").tally
    assert (tmp_path / "one.csv").read_bytes() == (tmp_path / "two.csv").read_bytes()
    assert first.bad == second.bad == {OPEN_QUOTE: 601}
    assert first.bad_lines == second.bad_lines
    assert (first.records, first.changed, second.changed) == (3, 1, 0)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(string.printable + "é\ud83dя", max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=examples(80))
@given(st.dictionaries(st.text(max_size=5), VALUES, max_size=5), st.booleans())
def test_a_record_that_is_written_reads_as_itself(record, ascii_only):
    line = json.dumps(record, ensure_ascii=True).encode()
    like = line if ascii_only else json.dumps({"ключ": 1}, ensure_ascii=False).encode()
    again, problem = json_lines.parse(json_lines.dump(record, like))
    assert problem == ""
    assert repr(again) == repr(json.loads(line))


def test_no_line_is_read_again_for_each_quote_before_it(tmp_path, monkeypatch):
    """Each line opens a quote, and closes the one before; or opens one that is never closed."""
    read = []
    reader = csv.reader

    def counting(lines, **how):
        return reader((read.append(len(line)) or line for line in lines), **how)

    monkeypatch.setattr("mediacrawl.programs.rerun.csv_rows.csv.reader", counting)
    monkeypatch.setattr("mediacrawl.programs.rerun.csv_rows._LONGEST_ROW", 1 << 16)
    for line in (ANEW, b'"\n', b'x,"\n', b"more\n"):
        data = b'a,b\n"\n' + line * (2**18 // len(line))
        (tmp_path / "in.csv").write_bytes(data)
        read.clear()
        with contextlib.closing(CsvReader(location_of(str(tmp_path / "in.csv")))) as found:
            assert sum(len(row) for block in found.blocks(None, 1) for row in block.data) == len(data) - 4
        assert sum(read) < 8 * len(data)


@pytest.mark.parametrize("kind", ["jl", "csv", "jl.gz", "parquet"])
@pytest.mark.parametrize("ending", [".part", ".progress.new", ".new"])
def test_a_link_that_is_planted_at_a_name_of_a_run_is_not_followed(tmp_path, kind, ending):
    victim = tmp_path / "victim"
    victim.write_text("precious\n" * 9)
    (tmp_path / f"out.{kind}{ending}").symlink_to(victim)
    source = stored(tmp_path / f"in.{kind}", our_record(1))
    with contextlib.suppress(RerunError):
        go(source, tmp_path / f"out.{kind}", save_every=0.0)
    assert victim.read_text() == "precious\n" * 9

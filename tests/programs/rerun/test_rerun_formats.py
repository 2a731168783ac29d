"""What goes in comes out, mended, in whatever kind of file."""

import base64
import csv
import functools
import gzip
import io
import json
import subprocess
import sys

import pytest
from stored_items import ALBUMS, ROWS, decided, foreign_item, go, our_record, read_lines, stored

from mediacrawl.programs.rerun import RerunError
from mediacrawl.programs.rerun.console import report
from mediacrawl.programs.rerun.text_fields import TextFields
from mediacrawl.record import Fixer
from mediacrawl.store import Catalogue

pa = pytest.importorskip("pyarrow", reason="pip install -e '.[parquet]'")
pq = pytest.importorskip("pyarrow.parquet", reason="pip install -e '.[parquet]'")
parquet = pytest.importorskip("mediacrawl.programs.rerun.parquet")


@pytest.fixture
def items(tmp_path):
    """Sixty records of ours."""
    path = tmp_path / "items.jl"
    path.write_text("".join(json.dumps(our_record(number), ensure_ascii=False) + "\n" for number in range(60)))
    return path


@functools.cache
def mended():
    """What the fixer makes of them; not before a test asks, since each process that runs tests imports this file."""
    return [decided(our_record(number)) for number in range(60)]


def texts(record):
    return tuple(record.get(name) for name in ("title", "artist", "album", "content_url"))


def test_titles_are_right_afterwards(items, tmp_path):
    result = go(items, tmp_path / "out.jl")
    titles = [record["title"] for record in read_lines(tmp_path / "out.jl")]
    assert titles == [f"{ALBUMS[number % len(ALBUMS)][2]} {number}" for number in range(60)]
    named = {
        (record["chapters"][1]["title"], record["persons"][0]["name"]) for record in read_lines(tmp_path / "out.jl")
    }
    assert named == {(title, artist) for _, artist, title, _ in ALBUMS}
    assert result.tally.records == 60
    assert result.tally.changed == 40
    assert set(result.tally.encodings) == {"cp1251", "cp932", "cp1253", "utf-8"}


@pytest.mark.parametrize("name", ["out.jl", "out.jsonl", "OUT.NDJSON", "out.jl.gz", "out.jsonl.gz"])
def test_json_lines_hold_what_the_fixer_made(items, tmp_path, name):
    go(items, tmp_path / name)
    data = (tmp_path / name).read_bytes()
    data = gzip.decompress(data) if name.endswith(".gz") else data
    assert [json.loads(line) for line in data.splitlines()] == mended()


def test_a_line_of_which_nothing_changes_stays_byte_for_byte(tmp_path):
    odd = b'{ "title":"plain" ,"price": 1.50e+3, "n": 12345678901234567890, "title": "twice", "u": "https://a.example/\\u00e9"}\r\n'
    (tmp_path / "items.jl").write_bytes(odd * 3 + odd.strip())
    go(tmp_path / "items.jl", tmp_path / "out.jl")
    assert (tmp_path / "out.jl").read_bytes() == odd * 3 + odd.strip()


@pytest.mark.parametrize(
    ("ascii_only", "separators"), [(True, (", ", ": ")), (False, (", ", ": ")), (False, (",", ":"))]
)
def test_a_line_that_changes_keeps_its_style(tmp_path, ascii_only, separators):
    line = json.dumps(our_record(0), ensure_ascii=ascii_only, separators=separators)
    (tmp_path / "items.jl").write_text(line + "\r\n", newline="")
    go(tmp_path / "items.jl", tmp_path / "out.jl")
    expected = json.dumps(mended()[0], ensure_ascii=ascii_only, separators=separators)
    assert (tmp_path / "out.jl").read_bytes() == expected.encode() + b"\r\n"


def test_packed_lines_are_read(items, tmp_path):
    with gzip.open(tmp_path / "items.jl.gz", "wb") as file:
        file.write(items.read_bytes())
    go(tmp_path / "items.jl.gz", tmp_path / "out.jl")
    assert read_lines(tmp_path / "out.jl") == mended()


KINDS = ["jl", "jl.gz", "csv", "csv.gz", "tsv", "db", "parquet"]


@pytest.mark.parametrize("kind", KINDS)
def test_records_are_mended_in_each_kind_of_file_and_become_json_lines(tmp_path, kind):
    """Texts, numbers and the evidence are those of the straight way; a run over the output changes nothing."""
    one, two = tmp_path / f"one.{kind}", tmp_path / f"two.{kind}"
    source = stored(tmp_path / f"in.{kind}", *(our_record(number) for number in range(60)))
    if kind == "db":
        one = two = source
        assert go(source).tally.changed == 40
        again = go(source)
    else:
        assert go(source, one).tally.changed == 40
        again = go(one, two)
    assert (again.tally.changed, one.read_bytes()) == (0, two.read_bytes())
    result = go(two, tmp_path / "out.jl")
    assert result.tally.changed == 0
    assert result.tally.fields > 100
    for record, expected in zip(read_lines(tmp_path / "out.jl"), mended(), strict=True):
        assert texts(record) == texts(expected)
        assert float(record["duration"]) == expected["duration"]
        assert record["tags"] == expected["tags"]


def test_an_output_is_of_the_kind_of_the_input_or_json_lines(items, catalogue, tmp_path):
    table = stored(tmp_path / "in.csv", {"title": "plain"})
    for source, name in ((items, "out.csv"), (items, "out.db"), (table, "out.parquet"), (catalogue, "out.csv")):
        with pytest.raises(RerunError, match=rf"cannot be written to .*{name}: name an output of the same kind"):
            go(source, tmp_path / name)
    with pytest.raises(RerunError, match="To keep the old catalogue, copy it first"):
        go(catalogue, tmp_path / "copy.db")
    assert {path.name for path in tmp_path.iterdir()} == {"in.csv", "items.jl"}


def test_where_a_row_group_ends_does_not_depend_on_blocks(tmp_path, monkeypatch):
    monkeypatch.setattr("mediacrawl.programs.rerun.parquet._GROUP_ROWS", 25)
    go(stored(tmp_path / "in.parquet", *map(our_record, range(88))), tmp_path / "one.parquet")
    go(tmp_path / "one.parquet", tmp_path / "two.parquet")
    assert (tmp_path / "one.parquet").read_bytes() == (tmp_path / "two.parquet").read_bytes()
    found = pq.read_metadata(tmp_path / "two.parquet")
    assert [found.row_group(number).num_rows for number in range(found.num_row_groups)] == [25, 25, 25, 13]


def test_a_packed_output_is_what_gzip_reads_and_members_do_not_depend_on_blocks(lines, tmp_path):
    go(lines, tmp_path / "plain.jl")
    go(lines, tmp_path / "packed.jl.gz")
    (tmp_path / "empty.jl").touch()
    go(tmp_path / "empty.jl", tmp_path / "empty.jl.gz")
    for name, expected in (("packed.jl.gz", (tmp_path / "plain.jl").read_bytes()), ("empty.jl.gz", b"")):
        assert subprocess.run(["gzip", "-dc", tmp_path / name], capture_output=True, check=True).stdout == expected


def test_an_item_of_another_project_is_read_by_the_bytes_beside_it(tmp_path):
    items = [foreign_item(number) for number in range(12)]
    (tmp_path / "items.jl").write_text("".join(json.dumps(item) + "\n" for item in items))
    go(tmp_path / "items.jl", tmp_path / "out.jl", raws=(("title", "title_raw"),))
    records = read_lines(tmp_path / "out.jl")
    assert records == [decided(item, {"title": "title_raw"}) for item in items]
    assert [record["title"] for record in records] == [f"{ALBUMS[n % len(ALBUMS)][2]} {n}" for n in range(12)]
    assert {record["performer_name"] for record in records} == {album[1] for album in ALBUMS}


def test_only_mangled_writes_those_that_were_mended_and_again_the_same(items, tmp_path):
    go(items, tmp_path / "out.jl", only_mangled=True)
    assert read_lines(tmp_path / "out.jl") == [record for number, record in enumerate(mended()) if number % 6 < 4]
    go(tmp_path / "out.jl", tmp_path / "again.jl", only_mangled=True)
    assert (tmp_path / "again.jl").read_bytes() == (tmp_path / "out.jl").read_bytes()


def test_what_is_not_sure_enough_stays_and_is_counted(tmp_path):
    words = [base64.b64encode(word.encode("cp1251")).decode() for word in ("Кино", "Дом", "Лес", "Мост", "Ёж")]
    items = [{"title": base64.b64decode(raw).decode("latin-1"), "raw": raw} for raw in words]
    (tmp_path / "items.jl").write_text("".join(json.dumps(item) + "\n" for item in items))
    unsure = go(tmp_path / "items.jl", tmp_path / "out.jl", raws=(("title", "raw"),), min_confidence=1.0).tally
    easy = go(tmp_path / "items.jl", tmp_path / "easy.jl", raws=(("title", "raw"),)).tally
    assert unsure.changed < easy.changed
    assert unsure.undecided == easy.undecided + easy.changed - unsure.changed
    stays = [record["title"] for record in read_lines(tmp_path / "out.jl")]
    assert sum(now != was["title"] for now, was in zip(stays, items, strict=True)) == unsure.changed


# -- CSV -----------------------------------------------------------------------------------------------------------


def written(path, text, encoding="utf-8"):
    path.write_bytes(text.encode(encoding))
    return path


def test_rows_of_which_nothing_changes_stay_as_they_are(tmp_path):
    odd = 'id,title,price\r\n1,"plain ""quoted"", with\r\na line feed",1.50\r\n\r\n2, spaces ,\n3,short\r\n4,"x",9'
    go(written(tmp_path / "in.csv", odd), tmp_path / "out.csv")
    expected = 'id,title,price,mojibake\r\n1,"plain ""quoted"", with\r\na line feed",1.50,\r\n\r\n2, spaces ,,\n'
    assert (tmp_path / "out.csv").read_bytes().decode() == expected + '3,short\r\n4,"x",9,'
    go(tmp_path / "out.csv", tmp_path / "again.csv")
    assert (tmp_path / "again.csv").read_bytes() == (tmp_path / "out.csv").read_bytes()


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_row_that_changes_keeps_delimiter_and_columns(tmp_path, delimiter):
    raw = "Группа крови на рукаве".encode("cp1251")
    cells = ["7", raw.decode("latin-1"), foreign_item(0)["title_raw"], "with, comma; and\ttab"]
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=delimiter).writerows([["id", "title", "title_raw", "note"], cells])
    go(written(tmp_path / "in.csv", text.getvalue()), tmp_path / "out.csv", raws=(("title", "title_raw"),))
    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as file:
        head, row = csv.reader(file, delimiter=delimiter)
    assert head == ["id", "title", "title_raw", "note", "mojibake"]
    assert row[:4] == ["7", "Группа крови на рукаве 0", cells[2], cells[3]]
    assert json.loads(row[4])["title"]["before"] == cells[1]


def test_a_quote_that_is_never_closed_costs_one_line(tmp_path):
    text = 'id,title\n1,one\n2,"two\n' + "".join(f"{n},more\n" for n in range(3, 400))
    result = go(written(tmp_path / "in.csv", text), tmp_path / "out.jl")
    records = read_lines(tmp_path / "out.jl")
    assert result.tally.bad == {"a quote is not closed": 1}
    assert result.tally.bad_lines == {"a quote is not closed": [3]}
    assert "1 a quote is not closed (line 3)" in report(result.tally)
    assert [record["id"] for record in records] == [str(n) for n in range(1, 400) if n != 2]


def test_bad_rows_pass_in_csv_and_their_lines_are_named(tmp_path):
    data = b"id,title\n1,one\n2,too,many\n3,\xff\xfe\n4,bare\rreturn\n5,five\n"
    (tmp_path / "in.csv").write_bytes(data)
    result = go(tmp_path / "in.csv", tmp_path / "out.csv")
    assert result.tally.bad_lines == {"more cells than columns": [3], "not UTF-8": [4], "not CSV": [5]}
    expected = b"id,title,mojibake\n1,one,\n2,too,many\n3,\xff\xfe\n4,bare\rreturn\n5,five,\n"
    assert (tmp_path / "out.csv").read_bytes() == expected
    again = go(tmp_path / "out.csv", tmp_path / "again.csv")
    assert again.tally.bad_lines == result.tally.bad_lines
    assert (tmp_path / "again.csv").read_bytes() == expected


@pytest.mark.parametrize("head", ["", "a,a\n", '"open\n1,2\n'])
def test_a_file_without_a_header_is_refused(tmp_path, head):
    with pytest.raises(RerunError, match="no header"):
        go(written(tmp_path / "in.csv", head), tmp_path / "out.csv")


GARBLED_FORMULA = "=" + "Группа крови на рукаве".encode("cp1251").decode("latin-1")


def test_of_a_table_only_the_cells_that_are_mended_get_an_apostrophe(tmp_path):
    kept = "+49 170 123,=1+1,'=2+2,''=3+3,-1.50"
    lines = ["title,phone,sum,safe,twice,price", f"plain,{kept}", f"{GARBLED_FORMULA},{kept}"]
    written(tmp_path / "in.csv", "".join(line + "\r\n" for line in lines))
    go(tmp_path / "in.csv", tmp_path / "out.csv", fields=("title",))
    data = (tmp_path / "out.csv").read_bytes().decode()
    head, first, second = data.splitlines()
    assert (head, first) == (f"{lines[0]},mojibake", f"plain,{kept},")
    assert second.startswith(f"'=Группа крови на рукаве,{kept},")
    go(tmp_path / "out.csv", tmp_path / "again.csv", fields=("title",))
    assert (tmp_path / "again.csv").read_bytes().decode() == data
    go(tmp_path / "out.csv", tmp_path / "back.jl", fields=("title",))
    back = read_lines(tmp_path / "back.jl")
    assert [record["title"] for record in back] == ["plain", "=Группа крови на рукаве"]
    assert back[0]["phone"] == "+49 170 123"


# -- the catalogue ---------------------------------------------------------------------------------------------------


def rows(path):
    with Catalogue(path, read_only=True) as catalogue:
        return sorted(catalogue.search(()), key=lambda record: record["id"])


def test_a_catalogue_is_mended_in_place(catalogue, tmp_path):
    path = tmp_path / "media.db"
    path.write_bytes(catalogue.read_bytes())
    before = rows(path)
    assert go(path).tally.changed == ROWS * 4 // 6
    after = rows(path)
    assert [decided(record) for record in before] == after
    assert go(path).tally.changed == 0
    with Catalogue(path, read_only=True) as found:
        assert len(list(found.search("Группа крови"))) == ROWS // 6


def test_in_place_no_record_may_be_left_out(catalogue, tmp_path):
    path = tmp_path / "media.db"
    path.write_bytes(catalogue.read_bytes())
    for output in (None, path):
        with pytest.raises(RerunError, match="must not lose"):
            go(path, output, only_mangled=True)
    assert path.read_bytes() == catalogue.read_bytes()


def test_evidence_of_texts_without_bytes_stays_in_the_catalogue(tmp_path):
    with Catalogue(tmp_path / "media.db") as catalogue:
        catalogue.upsert({"content_url": "https://a.example/1.mp3", "title": "Größe", "shop_price": 3})
    go(tmp_path / "media.db")
    (record,) = rows(tmp_path / "media.db")
    assert record["extra"]["shop_price"] == 3
    assert record["extra"]["mojibake"]["title"]["before"] == "Größe"
    assert go(tmp_path / "media.db").tally.changed == 0
    assert rows(tmp_path / "media.db") == [record]


# -- Parquet ---------------------------------------------------------------------------------------------------------


def test_columns_of_other_types_stay_bit_for_bit(tmp_path):
    raws = ["Группа крови на рукаве".encode("cp1251"), b"plain", None]
    table = pa.table({
        "title": pa.array([raw and raw.decode("latin-1") for raw in raws], pa.large_string()),
        "raw": pa.array(raws, pa.binary()),
        "when": pa.array([1, 2, None], pa.timestamp("ns", "Asia/Tokyo")),
        "price": pa.array(["1.50", None, "2.25"]).cast(pa.decimal128(9, 2)),
        "small": pa.array([1, None, 3], pa.int8()),
        "genre": pa.array(["pop", "rock", "pop"]).dictionary_encode(),
        "artist": pa.array([[raws[0].decode("latin-1"), "x"], [], None], pa.list_(pa.string())),
        "map": pa.array([[("k", 1)], None, []], pa.map_(pa.string(), pa.int64())),
    })  # fmt: skip
    pq.write_table(table, tmp_path / "in.parquet")
    table = pq.read_table(tmp_path / "in.parquet")
    result = go(tmp_path / "in.parquet", tmp_path / "out.parquet", raws=(("title", "raw"),))
    found = pq.read_table(tmp_path / "out.parquet")
    assert result.tally.changed == 1
    assert found.column("title").to_pylist() == ["Группа крови на рукаве", "plain", None]
    assert found.schema.names == [*table.schema.names, "mojibake"]
    for name in table.schema.names[1:]:
        assert found.column(name).equals(table.column(name)), name
    assert found.schema.field("title").type == pa.large_string()


def test_a_folder_of_files_is_read_in_their_order(tmp_path):
    table = pq.read_table(stored(tmp_path / "all.parquet", *map(our_record, range(60))))
    (tmp_path / "set").mkdir()
    for place in range(3):
        part = table.slice(place * 20, 20)
        pq.write_table(part, tmp_path / "set" / f"part-{place}.parquet", row_group_size=7)
    go(tmp_path / "set", tmp_path / "out.parquet")
    assert pq.read_table(tmp_path / "out.parquet").column("content_url").equals(table.column("content_url"))


def test_without_pyarrow_a_sentence_says_how_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    monkeypatch.delitem(sys.modules, "mediacrawl.programs.rerun.parquet")
    with pytest.raises(RerunError, match=r"pip install 'pyarrow>=18'"):
        go(tmp_path / "in.parquet", tmp_path / "out.parquet")


# -- Redis -----------------------------------------------------------------------------------------------------------


def test_a_redis_list_is_read_and_another_one_written(redis_list, tmp_path):
    client, url = redis_list
    elements = [json.dumps(our_record(number)).encode() for number in range(200)]
    client.rpush("media:items", *elements[:100], b"torn", b'{\n "pretty": 1\n}', *elements[100:])
    result = go(url("media:items"), url("mended"))
    assert result.tally.records == 201
    assert result.tally.bad_lines == {"not JSON": [101]}
    found = client.lrange("mended", 0, -1)
    assert found[100:102] == [b"torn", b'{\n "pretty": 1\n}']
    assert [json.loads(e) for e in found[:100] + found[102:]] == [decided(our_record(n)) for n in range(200)]
    assert client.llen("media:items") == 202
    assert {key.decode() for key in client.scan_iter()} == {"media:items", "mended"}


def test_elements_become_lines(redis_list, tmp_path):
    client, url = redis_list
    client.rpush("items", b'{"a": 1}', b'{\n "pretty": 1\n}', b"torn", b"")
    go(url("items"), tmp_path / "out.jl")
    assert (tmp_path / "out.jl").read_bytes() == b'{"a": 1}\n{  "pretty": 1 }\ntorn\n'


def test_what_is_no_list_is_refused(redis_list, tmp_path):
    client, url = redis_list
    client.set("text", "x")
    for key, word in (("text", "a string"), ("nothing", "not there")):
        with pytest.raises(RerunError, match=word):
            go(url(key), tmp_path / "out.jl")


def test_a_server_that_does_not_answer_is_a_sentence_without_the_password(tmp_path):
    with pytest.raises(RerunError) as caught:
        go("redis://:secret@127.0.0.1:1/0?key=items", tmp_path / "out.jl")
    assert "127.0.0.1:1" in str(caught.value)
    assert "secret" not in str(caught.value)


def test_values_that_python_does_not_know_stay_as_they_are(tmp_path):
    """Times beyond its calendar, and texts that are not UTF-8, beside one that changes."""
    raw = "Группа крови на рукаве".encode("cp1251")
    data = raw.decode("latin-1").encode()
    offsets = b"".join(place.to_bytes(4, "little") for place in (0, 2, 2, 2 + len(data)))
    titles = pa.Array.from_buffers(pa.string(), 3, [None, pa.py_buffer(offsets), pa.py_buffer(b"\xff\xfe" + data)])
    table = pa.table({
        "title": titles,
        "raw": pa.array([None, None, raw]),
        "far": pa.array([10**18, 0, 1], pa.timestamp("us")),
        "near": pa.array([1, None, 2], pa.timestamp("ns")),
        "long": pa.array([1, 2, 3], pa.duration("ns")),
    })  # fmt: skip
    pq.write_table(table, tmp_path / "in.parquet")
    table = pq.read_table(tmp_path / "in.parquet")
    result = go(tmp_path / "in.parquet", tmp_path / "out.parquet", raws=(("title", "raw"),))
    found = pq.read_table(tmp_path / "out.parquet")
    assert result.tally.changed == 1
    assert found.column("title").cast(pa.binary()).to_pylist() == [b"\xff\xfe", b"", "Группа крови на рукаве".encode()]
    for name in table.schema.names[1:]:
        assert found.column(name).equals(table.column(name)), name
    go(tmp_path / "in.parquet", tmp_path / "out.jl")
    assert read_lines(tmp_path / "out.jl")[0]["near"] == "1970-01-01 00:00:00.000000001"


def test_a_row_that_cannot_be_decided_ends_no_spark_job_and_is_what_the_command_makes_of_it(tmp_path, monkeypatch):
    fix = Fixer.fix

    def fix_all_but_two(self, item, names=None):
        fixed = fix(self, item, names)
        if item["number"] in {3, 8}:
            raise ZeroDivisionError
        return fixed

    texts = [f"{ALBUMS[number % 4][2]} {number}".encode(ALBUMS[number % 4][0]) for number in range(12)]
    table = pa.table({"number": range(12), "title": [raw.decode("latin-1") for raw in texts], "raw": texts})
    pq.write_table(table, tmp_path / "in.parquet")
    monkeypatch.setattr(Fixer, "fix", fix_all_but_two)
    result = go(tmp_path / "in.parquet", tmp_path / "out.parquet", raws=(("title", "raw"),))
    (batch,) = table.combine_chunks().to_batches()
    found = parquet.decided(batch, Fixer({"title": "raw"}), TextFields(["title"], {"title": "raw"})).to_pylist()
    assert result.tally.bad_lines == {"cannot be decided: ZeroDivisionError": [4, 9]}
    assert found == pq.read_table(tmp_path / "out.parquet").to_pylist()
    assert [row["number"] for row in found if row["mojibake"] is None] == [3, 8]
    assert found[3]["title"] == table["title"][3].as_py()
    assert found[4]["title"] == f"{ALBUMS[0][2]} 4"


def test_two_columns_of_one_name_are_refused(tmp_path):
    table = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"])
    pq.write_table(table, tmp_path / "in.parquet")
    with pytest.raises(RerunError, match="two columns of one name"):
        go(tmp_path / "in.parquet", tmp_path / "out.parquet")


@pytest.mark.parametrize("kind", ["jl", "csv"])
def test_a_field_may_have_no_field_of_bytes(tmp_path, kind):
    """As in ``MOJIBAKE_FIELDS = {"title": "title_raw", "artist": ""}``."""
    mangled, raw = "Íî÷íîé ïîåçä", base64.b64encode("Ночной поезд".encode("cp1251")).decode()
    rows = {
        "jl": json.dumps({"title": mangled, "title_raw": raw, "artist": mangled}) + "\n",
        "csv": f"title,title_raw,artist\n{mangled},{raw},{mangled}\n",
    }
    source = tmp_path / f"in.{kind}"
    source.write_text(rows[kind], encoding="utf-8")
    result = go(
        source, tmp_path / f"out.{kind}", fields=("title", "artist"), raws=(("title", "title_raw"), ("artist", ""))
    )
    assert result.tally.changed == 1


def copies():
    """A record that lost its title, one of the same file with it, one with a question, and one of another file."""
    head = {"head_sha256": "a" * 64, "head_bytes": 16_384, "content_size": 5_000_000, "codec": "mp3"}
    lost = {
        "source": "id3v2.3",
        "frame": "TIT2",
        "key": "title",
        "index": 0,
        "lang": "",
        "desc": "",
        "declared": "latin-1",
    }
    whole = {**lost, "source": "feed", "frame": "title", "declared": "utf-8", "text": "夜の電車"}
    whole["raw_b64"] = base64.b64encode("夜の電車".encode()).decode()
    url = "https://{}.example/1.mp3".format
    yield {"content_url": url("a"), **head, "title": "????", "tags": [{**lost, "text": "????"}]}
    yield {"content_url": url("b"), **head, "title": "夜の電車", "tags": [{**lost, "text": "????"}, whole]}
    yield {"content_url": url("c"), **head, "title": "Why?", "tags": [{**lost, "text": "Why?"}]}
    yield {"content_url": url("d"), **head, "content_size": 9, "title": "????", "tags": [{**lost, "text": "????"}]}


@pytest.mark.parametrize("kind", ["jl", "parquet", "db"])
@pytest.mark.parametrize("turned", [False, True])
def test_a_text_that_one_record_lost_comes_from_another_of_the_same_file(tmp_path, kind, turned):
    records = list(copies())
    go(stored(tmp_path / f"items.{kind}", *(records[::-1] if turned else records)), tmp_path / "out.jl")
    found = {record["content_url"][8]: record for record in read_lines(tmp_path / "out.jl")}
    assert [found[name]["title"] for name in "abcd"] == ["夜の電車", "夜の電車", "Why?", "????"]
    assert found["a"]["tags"][1]["copy_url"] == "https://b.example/1.mp3"
    assert found["a"]["tags"][1]["text"] == "夜の電車"
    go(tmp_path / "out.jl", tmp_path / "again.jl")
    assert (tmp_path / "again.jl").read_bytes() == (tmp_path / "out.jl").read_bytes()

"""Which fields of stored records are text, in every format; and what a run says of those it did not look at."""

import base64
import json
import os
import threading

import pytest
from stored_items import go, our_record, read_lines, stored

from mediacrawl.programs.rerun import RerunError, RerunOptions, rerun
from mediacrawl.programs.rerun.console import refuse_unchecked, report
from mediacrawl.store import Catalogue

pa = pytest.importorskip("pyarrow", reason="pip install -e '.[parquet]'")
pq = pytest.importorskip("pyarrow.parquet", reason="pip install -e '.[parquet]'")

RIGHT = "Группа крови на рукаве"
GARBLED = RIGHT.encode("cp1251").decode("latin-1")


def lines(path, *items):
    path.write_text("".join(json.dumps(item, ensure_ascii=False) + "\n" for item in items), "utf-8")
    return path


# -- found by content ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["Titel", "track", "曲名", "a.b", "x[1]", "naslov pesmi", "ARTIST"])
@pytest.mark.parametrize("kind", ["jl", "csv", "parquet"])
def test_a_text_is_found_under_any_name(tmp_path, kind, name):
    result = go(stored(tmp_path / f"in.{kind}", {"nr": 1, name: GARBLED}), tmp_path / "out.jl")
    assert read_lines(tmp_path / "out.jl")[0][name] == RIGHT
    assert result.tally.holds == {"nr": "numbers", name.removesuffix("[1]"): "text"}
    assert "1 of 1 mended; nr: left, numbers" in report(result.tally)


@pytest.mark.parametrize(
    ("item", "place"),
    [
        ({"meta": {"author": {"naam": GARBLED}}}, "meta.author.naam"),
        ({"tracks": [{"n": 1, "label": "plain"}, {"n": 2, "label": GARBLED}]}, "tracks[1].label"),
        ({"words": [["plain"], ["plain", GARBLED]]}, "words[1][1]"),
        ({"tags": ["plain", GARBLED]}, "tags[1]"),
        ({"deep": {"a": [{"b": {"c": [GARBLED]}}]}}, "deep.a[0].b.c[0]"),
    ],
)
@pytest.mark.parametrize("kind", ["jl", "parquet", "redis"])
def test_a_nested_text_is_found_and_its_evidence_has_its_place(tmp_path, request, kind, item, place):
    if kind == "redis":
        client, url = request.getfixturevalue("redis_list")
        client.rpush("in", json.dumps(item))
        source = url("in")
    else:
        source = stored(tmp_path / f"in.{kind}", item)
    go(source, tmp_path / "out.jl")
    [record] = read_lines(tmp_path / "out.jl")
    evidence = record.pop("mojibake")
    assert evidence[place]["after"] == RIGHT
    assert json.dumps(record) == json.dumps(item).replace(json.dumps(GARBLED), json.dumps(RIGHT))
    again = go(tmp_path / "out.jl", tmp_path / "again.jl")
    assert again.tally.fields_changed == 0
    assert (tmp_path / "again.jl").read_bytes() == (tmp_path / "out.jl").read_bytes()


def test_a_struct_of_a_parquet_file_keeps_its_type(tmp_path):
    kind = pa.struct([("name", pa.string()), ("year", pa.int16()), ("seen", pa.timestamp("us"))])
    rows = [{"name": GARBLED, "year": 1988, "seen": None}, {"name": "plain", "year": None, "seen": None}, None]
    pq.write_table(pa.table({"about": pa.array(rows, kind)}), tmp_path / "in.parquet")
    go(tmp_path / "in.parquet", tmp_path / "out.parquet")
    table = pq.read_table(tmp_path / "out.parquet")
    assert table.schema.field("about").type == kind
    assert table.column("about").to_pylist() == [{"name": RIGHT, "year": 1988, "seen": None}, *rows[1:]]


def test_another_projects_fields_of_a_catalogue_are_found(tmp_path):
    with Catalogue(tmp_path / "media.db") as catalogue:
        catalogue.upsert({"content_url": "https://a.example/1.mp3", "notitie": GARBLED, "bron": {"naam": GARBLED}})
        catalogue.upsert({**our_record(5), "notitie": GARBLED})
    go(tmp_path / "media.db")
    with Catalogue(tmp_path / "media.db", read_only=True) as catalogue:
        extras = [record["extra"] for record in catalogue.search([], None)]
    assert [extra["notitie"] for extra in extras] == [RIGHT, RIGHT]
    assert [extra["bron"] for extra in extras if "bron" in extra] == [{"naam": RIGHT}]


@pytest.mark.parametrize(
    ("name", "value", "kind"),
    [
        ("link", f"https://a.example/{GARBLED.split()[0]}", "addresses"),
        ("where", f"/home/{GARBLED}/x", "paths"),
        ("stored", f"{GARBLED}.mp3", "paths"),
        ("as_text", json.dumps({"title": GARBLED}, ensure_ascii=False), "JSON"),
        ("price", "12,50 €", "numbers"),
        ("songId", GARBLED, "identifiers"),
        ("title_raw", GARBLED, "identifiers"),
        ("sha256", GARBLED, "identifiers"),
        ("etag", GARBLED, "identifiers"),
        ("blob", bytes(range(256)).decode("latin-1"), "bytes"),
        ("check", "9e107d9d372bb6826bd81d3542a419d6", "identifiers"),
        ("packed", "0JPRgNGD0L/Qv9CwINC60YDQvtCy0Lgg0L3QsCDRgNGD0LrQsNCy0LU=", "identifiers"),
        ("none", None, "empty"),
        ("yes", True, "numbers"),
    ],
)
@pytest.mark.parametrize("nested", [False, True])
def test_what_is_no_text_stays_and_is_named(tmp_path, name, value, kind, nested):
    item = {"meta": [{name: value}], "titel": GARBLED} if nested else {name: value, "titel": GARBLED}
    result = go(lines(tmp_path / "in.jl", item), tmp_path / "out.jl")
    [record] = read_lines(tmp_path / "out.jl")
    assert (record["meta"][0] if nested else record)[name] == value
    assert record["titel"] == RIGHT
    assert result.tally.holds == {f"meta.{name}" if nested else name: kind, "titel": "text"}


@pytest.mark.parametrize("kind", ["jl", "csv", "parquet"])
def test_what_most_values_of_a_field_are_all_are(tmp_path, kind):
    items = [{"bestand": f"{GARBLED}.mp3", "n": "1"}, {"bestand": f"{GARBLED}.ogg", "n": "2"}]
    items.append({"bestand": GARBLED, "n": GARBLED})
    result = go(stored(tmp_path / f"in.{kind}", *items), tmp_path / "out.jl")
    assert [record["bestand"] for record in read_lines(tmp_path / "out.jl")] == [item["bestand"] for item in items]
    assert read_lines(tmp_path / "out.jl")[2]["n"] == RIGHT
    assert result.tally.holds == {"bestand": "paths", "n": "text"}


@pytest.mark.parametrize("text", [f"[{GARBLED}]", f"{{{GARBLED}}}", f"{GARBLED}: www.x.example", f"AC/DC {GARBLED}"])
def test_a_text_that_looks_a_little_like_something_else_is_text(tmp_path, text):
    go(lines(tmp_path / "in.jl", {"Titel": text}), tmp_path / "out.jl")
    assert RIGHT in read_lines(tmp_path / "out.jl")[0]["Titel"]


def test_evidence_is_never_mended_wherever_it_is(tmp_path):
    element = {"source": "id3v2.3", "key": "title", "declared": "latin-1", "text": RIGHT, "text_declared": GARBLED}
    inner = {"tags": [element], "mojibake": {"title": {"before": GARBLED}}, "Titel": GARBLED}
    go(lines(tmp_path / "in.jl", {"record": inner, "list": [element]}), tmp_path / "out.jl")
    [record] = read_lines(tmp_path / "out.jl")
    assert (record["record"], record["list"]) == ({**inner, "Titel": RIGHT}, [element])


def test_a_field_that_a_person_has_fixed_stays(tmp_path):
    item = {"meta": {"naam": GARBLED, "other": GARBLED}, "fixed_by_user": ["meta.naam"]}
    go(lines(tmp_path / "in.jl", item), tmp_path / "out.jl")
    assert read_lines(tmp_path / "out.jl")[0]["meta"] == {"naam": GARBLED, "other": RIGHT}


def test_two_fields_of_one_name_are_told(tmp_path):
    result = go(lines(tmp_path / "in.jl", {"a": {"b": GARBLED}, "a.b": GARBLED}), tmp_path / "out.jl")
    [record] = read_lines(tmp_path / "out.jl")
    assert record["a.b"] == RIGHT
    assert record["a"]["b"] == GARBLED
    assert result.tally.holds["a.b"] == "text"


def test_the_titles_of_a_large_record_are_decided_first(tmp_path):
    item = {"notes": [f"{GARBLED} {number}" for number in range(600)], "title": GARBLED}
    result = go(lines(tmp_path / "in.jl", item), tmp_path / "out.jl")
    assert read_lines(tmp_path / "out.jl")[0]["title"] == RIGHT
    assert result.tally.passed["notes"] > 300


@pytest.mark.parametrize("item", [{"k" * 2_000: {"x": GARBLED}}, {"k" * 2_000: GARBLED}])
def test_a_name_of_any_length_ends_no_run(tmp_path, item):
    result = go(lines(tmp_path / "in.jl", {**item, "titel": GARBLED}), tmp_path / "out.jl")
    assert read_lines(tmp_path / "out.jl")[0]["titel"] == RIGHT
    assert "within a long name" in result.tally.holds.values()


def test_a_record_may_be_nested_deeper_than_the_stack(tmp_path):
    depth = 700
    line = '{"titel": ' + json.dumps(GARBLED) + ', "deep": ' + '{"a":' * depth + "1" + "}" * depth + "}\n"
    (tmp_path / "in.jl").write_text(line)
    result = go(tmp_path / "in.jl", tmp_path / "out.jl")
    assert result.tally.changed == 1
    assert result.tally.bad == {}


def test_a_million_names_do_not_fill_the_report(tmp_path):
    items = [{f"key{number}": "plain", f"other{number}": number} for number in range(1_000)]
    result = go(lines(tmp_path / "in.jl", *items), tmp_path / "out.jl")
    assert len(result.tally.holds) <= 400


# -- named fields ----------------------------------------------------------------------------------------------------


def test_a_named_field_is_found_in_any_case_in_objects_and_lists(tmp_path):
    item = {"Meta": {"Naam": GARBLED}, "l": [{"n": GARBLED, "m": GARBLED}], "titel": GARBLED}
    result = go(lines(tmp_path / "in.jl", item), tmp_path / "out.jl", fields=("meta.naam", "l.n"))
    [record] = read_lines(tmp_path / "out.jl")
    assert (record["Meta"]["Naam"], record["l"], record["titel"]) == (RIGHT, [{"n": RIGHT, "m": GARBLED}], GARBLED)
    assert result.tally.holds == {"Meta.Naam": "text", "l.n": "text", "l.m": "not named", "titel": "not named"}


def test_a_named_object_is_all_its_texts(tmp_path):
    item = {"meta": {"naam": GARBLED, "url": f"https://a.example/{GARBLED}"}, "titel": GARBLED}
    go(lines(tmp_path / "in.jl", item), tmp_path / "out.jl", fields=("meta",))
    [record] = read_lines(tmp_path / "out.jl")
    assert record["meta"] == {"naam": RIGHT, "url": item["meta"]["url"]}
    assert record["titel"] == GARBLED


def test_nested_bytes_belong_to_a_nested_text(tmp_path):
    raw = RIGHT.encode("koi8-r")
    item = {"meta": {"titel": "?", "raw": base64.b64encode(raw).decode()}}
    go(lines(tmp_path / "in.jl", item), tmp_path / "out.jl", raws=(("meta.titel", "meta.raw"),))
    assert read_lines(tmp_path / "out.jl")[0]["meta"]["titel"] == RIGHT


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("name", ["Nope", "Titel.naam", "meta.naam"])
@pytest.mark.parametrize("kind", ["jl", "csv", "parquet", "db", "redis", "pipe"])
def test_a_field_that_occurs_nowhere_is_an_error_in_every_format(tmp_path, request, kind, name, jobs):
    items = [{"content_url": f"https://a.example/{number}", "Titel": "plain"} for number in range(3)]
    feeder = None
    if kind == "redis":
        client, url = request.getfixturevalue("redis_list")
        client.rpush("in", *map(json.dumps, items))
        source = url("in")
    elif kind == "pipe":
        source = tmp_path / "in.jl"
        os.mkfifo(source)
        feeder = threading.Thread(target=lines, args=(source, *items))
        feeder.start()
    else:
        source = stored(tmp_path / f"in.{kind}", *items)
    with pytest.raises(
        RerunError, match=rf"--fields: .* has no field {name}.* It has: .*{'content_url' if kind == 'db' else 'Titel'}"
    ):
        go(source, tmp_path / "out.jl", fields=(name,), jobs=jobs)
    assert not (tmp_path / "out.jl").exists()
    if feeder:
        feeder.join()


def test_a_run_that_was_broken_off_refuses_such_a_field_too(tmp_path):
    source = lines(tmp_path / "in.jl", *({"Titel": f"{GARBLED} {number}" * 9} for number in range(200)))

    class Break(KeyboardInterrupt):
        pass

    class Stopper:
        def begin(self, *_):
            pass

        def block(self, *_):
            raise Break

    with pytest.raises(Break):
        rerun(RerunOptions(str(source), str(tmp_path / "out.jl"), save_every=0.0), Stopper())
    with pytest.raises(RerunError, match="has no field Nope"):
        go(source, tmp_path / "out.jl", fields=("Nope",))
    assert go(source, tmp_path / "out.jl").resumed


def test_a_field_that_occurs_once_at_the_end_is_found(tmp_path):
    items = [{"n": number, "x": "x" * 500} for number in range(2_000)]
    go(lines(tmp_path / "in.jl", *items, {"laat": GARBLED}), tmp_path / "out.jl", fields=("laat",))
    assert read_lines(tmp_path / "out.jl")[-1]["laat"] == RIGHT


def test_nothing_is_missing_in_an_empty_file(tmp_path):
    assert go(lines(tmp_path / "in.jl"), tmp_path / "out.jl", fields=("Titel",)).tally.records == 0


# -- what is told ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("items", "named"),
    [
        ([{"id": "x", "url": "https://a.example/é"}], r"id \(identifiers\), url \(identifiers\)"),
        ([{"n": 1, "list": [2.5, None]}], r"n \(numbers\), list \(numbers\)"),
        ([{}], "none"),
        ([{"where": "https://a.example/"}, {"file": "a.mp3"}], r"where \(addresses\), file \(paths\)"),
    ],
)
def test_a_run_that_looked_at_no_text_says_so_and_names_the_fields(tmp_path, items, named):
    options = RerunOptions(str(lines(tmp_path / "in.jl", *items)), dry_run=True)
    result = rerun(options)
    assert "none checked" in report(result.tally)
    with pytest.raises(RerunError, match=rf"No text of .*in\.jl was checked\. It has: {named}\."):
        refuse_unchecked(result, options)


@pytest.mark.parametrize("fields", [(), ("title",)])
def test_of_our_records_the_texts_in_tags_are_told_by_field(tmp_path, fields):
    result = go(lines(tmp_path / "in.jl", *map(our_record, range(6))), tmp_path / "out.jl", fields=fields)
    shown = " ".join(report(result.tally).split())
    mended = "album: 4 of 5 mended; artist: 4 of 5 mended; chapters.title: 4 of 5 mended; title: 4 of 5 mended"
    assert f"by field {mended} encodings" in shown


def test_plain_ascii_was_looked_at(tmp_path):
    options = RerunOptions(str(lines(tmp_path / "in.jl", {"titel": "plain"})), dry_run=True)
    result = rerun(options)
    refuse_unchecked(result, options)
    assert "titel: all ASCII" in report(result.tally)

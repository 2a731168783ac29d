"""Tables as spreadsheets write them, and files of lines in other encodings than UTF-8."""

import codecs
import csv
import gzip
import io
import json
import os
import random
import threading

import pytest
from stored_items import go, killed, read_lines

from mediacrawl.programs.rerun import RerunError, RerunOptions, rerun
from mediacrawl.programs.rerun.console import refuse_unchecked, report
from mediacrawl.programs.rerun.run import RerunWatcher
from mediacrawl.programs.rerun.text_encoding import encoding_of, named
from mediacrawl.record import Fixer

GARBLED = "Группа крови".encode("cp1251").decode("latin-1")
EXCEL = (
    codecs.BOM_UTF8
    + "Nr;Titel;Künstler;Preis;Datei;Netz;Bemerkung\r\n".encode()
    + f'1;"{GARBLED}";Кино;12,50 €;C:\\Musik\\Füße\\a.mp3;https://a.example/é;"mit ; und ""Zitat"""\r\n'.encode()
    + '2;"Über den Wolken";Reinhard Mey;1.200,00;C:\\Musik\\b.mp3;https://a.example/2;\r\n'.encode()
    + '3;"L\'Ã©tÃ© indien";Joe Dassin;-3;C:\\Musik\\c.mp3;https://a.example/3;"zwei\nZeilen"\r\n'.encode()
)
"""As Excel saves "CSV UTF-8" where the decimal sign is a comma: a mark, semicolons, carriage returns."""
LIBRE = (
    '"id","Title","Author"\n'
    f'"1","{GARBLED}","Кино"\n'
    '"2","Über den Wolken","Reinhard Mey"\n'
    '"3","plain",""\n'
)  # fmt: skip
"""As LibreOffice does with all texts quoted."""
RUSSIAN = [f"Ночной поезд {number}" for number in range(40)]


def put(path, data):
    path.write_bytes(data)
    return path


def table(path, delimiter=","):
    """The rows of a table, without the column of the evidence."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        return [row[:-1] for row in csv.reader(file, delimiter=delimiter)]


def of_rows(rows, delimiter=","):
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=delimiter).writerows(rows)
    return text.getvalue()


# -- what a spreadsheet needs stays ----------------------------------------------------------------------------------


def test_a_file_of_excel_keeps_mark_delimiter_line_ends_and_each_cell_that_stays(tmp_path):
    result = go(put(tmp_path / "in.csv", EXCEL), tmp_path / "out.csv")
    data = (tmp_path / "out.csv").read_bytes()
    head, first, second, *third = data.split(b"\r\n")
    assert head == codecs.BOM_UTF8 + "Nr;Titel;Künstler;Preis;Datei;Netz;Bemerkung;mojibake".encode()
    kept = ';Кино;12,50 €;C:\\Musik\\Füße\\a.mp3;https://a.example/é;"mit ; und ""Zitat""";'
    assert first.startswith(f'1;Группа крови{kept}"{{""Titel""'.encode())
    assert second.startswith(b'2;"\xc3\x9cber den Wolken";Reinhard Mey;1.200,00;C:\\Musik\\b.mp3;https://a.example/2;;')
    assert third[0].startswith("3;L'été indien;Joe Dassin;-3;".encode())
    assert b';"zwei\nZeilen";' in third[0]
    assert result.tally.changed == 2
    go(tmp_path / "out.csv", tmp_path / "again.csv")
    assert (tmp_path / "again.csv").read_bytes() == data


def test_a_file_of_libreoffice_keeps_its_quotes_and_line_feeds(tmp_path):
    go(put(tmp_path / "in.csv", LIBRE.encode()), tmp_path / "out.csv")
    lines = (tmp_path / "out.csv").read_bytes().decode().split("\n")
    assert lines[0] == '"id","Title","Author","mojibake"'
    assert lines[1].startswith('"1","Группа крови","Кино","{""Title""')
    assert lines[3] == '"3","plain","",'
    assert "\r" not in "".join(lines)


@pytest.mark.parametrize(
    ("data", "is_exact"),
    [
        (b"a,b\n1,x\n", True),
        (b'"a","b"\n"1","x"\n', True),
        (b'a,b\n1,"x, y"\n2,"z\nz"\n', True),
        (b'a,b\n1,"x"\n', False),
        (b'"a","b"\n1,x\n', False),
        (b'a,b\n1,x"y\n', False),
    ],
)
def test_quotes_that_would_not_come_back_are_told_before_anything_is_written(tmp_path, data, is_exact):
    class Listener(RerunWatcher):
        remarks = ()

        def remark(self, text):
            self.remarks = (text, [path.name for path in tmp_path.iterdir()])

    heard = Listener()
    rerun(RerunOptions(str(put(tmp_path / "in.csv", data)), str(tmp_path / "out.csv")), heard)
    if is_exact:
        assert heard.remarks == ()
    else:
        assert "in.csv sets quotes in a way of its own" in heard.remarks[0]
        assert heard.remarks[1] == ["in.csv"]


@pytest.mark.parametrize("mark", [b"", codecs.BOM_UTF8])
@pytest.mark.parametrize("first", [b"sep=;\r\n", b"SEP=;\n"])
def test_the_line_that_tells_excel_the_delimiter_is_no_header(tmp_path, mark, first):
    data = mark + first + f"Titel;a,b,c\r\n{GARBLED};x,y\r\nplain\r\n".encode()
    result = go(put(tmp_path / "in.csv", data), tmp_path / "out.csv")
    out = (tmp_path / "out.csv").read_bytes()
    assert out.startswith(mark + first + b"Titel;a,b,c;mojibake\r\n")
    assert out.split(b"\r\n")[-3].startswith("Группа крови;x,y;".encode())
    assert result.tally.records == 2


def test_columns_without_a_name_are_no_error(tmp_path):
    data = f"Titel;;\r\n{GARBLED};{GARBLED};\r\n".encode()
    go(put(tmp_path / "in.csv", data), tmp_path / "out.csv")
    head, row = (tmp_path / "out.csv").read_bytes().splitlines()
    assert head == b"Titel;;;mojibake"
    assert row.startswith("Группа крови;Группа крови;;".encode())


def test_lines_that_end_with_a_carriage_return_alone_are_a_sentence(tmp_path):
    with pytest.raises(RerunError, match="carriage returns"):
        go(put(tmp_path / "in.csv", b"id,title\r1,one\r"), tmp_path / "out.csv")


# -- columns ---------------------------------------------------------------------------------------------------------


def test_columns_with_text_are_found_by_what_they_hold_and_listed(tmp_path):
    result = go(put(tmp_path / "in.csv", EXCEL), tmp_path / "out.csv")
    assert result.tally.holds == {
        "Nr": "numbers",
        "Titel": "text",
        "Künstler": "text",
        "Preis": "numbers",
        "Datei": "paths",
        "Netz": "addresses",
        "Bemerkung": "text",
    }
    assert (result.tally.decided, result.tally.mended) == ({"Titel": 3, "Künstler": 1}, {"Titel": 2})
    shown = " ".join(report(result.tally, result.encoding).split())
    assert "Titel: 2 of 3 mended; Künstler: 0 of 1 mended; Bemerkung: all ASCII; Nr: left, numbers" in shown


def test_an_address_or_a_path_is_not_spelled_otherwise(tmp_path):
    rows = [["Titel", "Netz", "Datei"], [GARBLED, f"https://a.example/{GARBLED}", f"/home/musik/{GARBLED}.mp3"]]
    go(put(tmp_path / "in.csv", of_rows(rows).encode()), tmp_path / "out.csv")
    assert table(tmp_path / "out.csv")[1] == ["Группа крови", *rows[1][1:]]


@pytest.mark.parametrize("name", ["Titel", "titel", "TITEL"])
def test_a_field_is_found_in_any_case(tmp_path, name):
    result = go(put(tmp_path / "in.csv", EXCEL), tmp_path / "out.csv", fields=(name,))
    assert (result.tally.decided, result.tally.mended) == ({"Titel": 3}, {"Titel": 2})
    assert result.tally.holds["Künstler"] == "not named"


def test_common_names_are_found_in_any_case_in_json_lines(tmp_path):
    data = json.dumps({"Title": GARBLED, "ARTIST": GARBLED}).encode()
    go(put(tmp_path / "in.jl", data), tmp_path / "out.jl")
    [record] = read_lines(tmp_path / "out.jl")
    assert (record["Title"], record["ARTIST"]) == ("Группа крови", "Группа крови")


@pytest.mark.parametrize("kind", ["csv", "jl"])
def test_a_field_that_is_not_there_is_an_error_with_the_nearest_name(tmp_path, kind):
    data = EXCEL if kind == "csv" else json.dumps({"Nr": 1, "Titel": GARBLED}).encode()
    source = put(tmp_path / f"in.{kind}", data)
    with pytest.raises(RerunError, match=r"--fields: .* has no field Titl; did you mean Titel\? It has: Nr, Titel"):
        go(source, tmp_path / f"out.{kind}", fields=("Titl",))
    with pytest.raises(RerunError, match=r"--raw: .* has no field Titl"):
        go(source, tmp_path / f"out.{kind}", raws=(("Titl", "Nr"),))


# -- encodings -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("encoding", "texts"),
    [
        ("cp1251", RUSSIAN),
        ("koi8_r", RUSSIAN),
        ("cp932", [f"夜明けの歌と波 {number}" for number in range(30)]),
        ("gb18030", [f"我们的歌曲和月亮 {number}" for number in range(30)]),
        ("cp1250", [f"Żółta łódka płynie, część {number}" for number in range(30)]),
        ("iso2022_jp", [f"夜明けの歌と波 {number}" for number in range(30)]),
        ("utf-16", RUSSIAN),
        ("utf-16-le", RUSSIAN),
        ("utf-16-be", RUSSIAN),
        ("utf-32", RUSSIAN),
    ],
)
@pytest.mark.parametrize("kind", ["csv", "jl"])
def test_a_file_in_another_encoding_is_found_out(tmp_path, encoding, texts, kind):
    if kind == "csv":
        text = of_rows([["Nr", "Titel"], *enumerate(texts)], "\t")
    else:
        text = "".join(json.dumps({"title": text}, ensure_ascii=False) + "\n" for text in texts)
    result = go(put(tmp_path / f"in.{kind}", text.encode(encoding)), tmp_path / f"out.{kind}")
    assert result.encoding in {encoding, f"{encoding}-le"}
    assert (result.tally.records, result.tally.bad, result.tally.changed) == (len(texts), {}, 0)
    if kind == "csv":
        assert [row[1] for row in table(tmp_path / "out.csv", "\t")[1:]] == texts
        # Excel needs the mark, and it was there.
        assert (tmp_path / "out.csv").read_bytes().startswith(codecs.BOM_UTF8) == (encoding in {"utf-16", "utf-32"})
    else:
        assert [record["title"] for record in read_lines(tmp_path / "out.jl")] == texts


@pytest.mark.parametrize(("encoding", "packed"), [("utf-16", False), ("cp1251", True), ("cp1251", False)])
def test_lines_out_of_a_pipe_are_read_once(tmp_path, encoding, packed):
    data = "".join(json.dumps({"title": text}, ensure_ascii=False) + "\n" for text in RUSSIAN).encode(encoding)
    pipe = tmp_path / f"pipe.jl{'.gz' * packed}"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(gzip.compress(data) if packed else data,))
    writer.start()
    result = go(pipe, tmp_path / "out.jl", encoding=encoding)
    writer.join()
    assert result.tally.records == len(RUSSIAN)
    assert [record["title"] for record in read_lines(tmp_path / "out.jl")] == RUSSIAN


def test_a_table_out_of_a_pipe_is_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    writer = threading.Thread(target=(tmp_path / "pipe.csv").write_bytes, args=(b"Titel\n",))
    writer.start()
    with pytest.raises(RerunError, match="Store it as a file first"):
        go(tmp_path / "pipe.csv", tmp_path / "out.csv")
    writer.join()


def test_what_the_settings_name_is_no_error_in_a_table_without_it(tmp_path):
    result = go(put(tmp_path / "in.csv", EXCEL), tmp_path / "out.csv", fields=("headline",), must_exist=False)
    assert (result.tally.decided, result.tally.mended) == ({"Titel": 3, "Künstler": 1}, {"Titel": 2})
    result = go(tmp_path / "in.csv", tmp_path / "two.csv", fields=("headline", "titel"), must_exist=False)
    assert (result.tally.decided, result.tally.mended) == ({"Titel": 3}, {"Titel": 2})


def test_a_small_file_is_read_by_the_little_that_it_has(tmp_path):
    data = "Titel;Nr\r\nCafé crème;1\r\nplain;2\r\n".encode("cp1252")
    go(put(tmp_path / "in.csv", data), tmp_path / "out.csv")
    assert table(tmp_path / "out.csv", ";")[1] == ["Café crème", "1"]


def test_what_is_no_text_is_not_read(tmp_path):
    noise = random.Random(5).randbytes(20_000)
    assert go(put(tmp_path / "in.jl", noise), tmp_path / "out.jl").tally.records == 0
    assert (tmp_path / "out.jl").read_bytes() == noise
    with pytest.raises(RerunError, match="no header"):
        go(put(tmp_path / "in.csv", bytes(9_000)), tmp_path / "out.csv")


def test_a_named_encoding_is_believed(tmp_path):
    rows = of_rows([["Titel"], ["мир"], ["да"]])
    source = put(tmp_path / "in.csv", rows.encode("koi8_r"))
    result = go(source, tmp_path / "out.csv", encoding="KOI8-R")
    assert (result.encoding, table(tmp_path / "out.csv")) == ("koi8-r", [["Titel"], ["мир"], ["да"]])
    wrong = go(source, tmp_path / "wrong.csv", encoding="utf-8")
    assert wrong.tally.bad == {"not UTF-8": 2}
    # What does not decode passes as it is, and is counted.
    source = put(tmp_path / "in.jl", b'{"title": "\x83e\x83X\x83g"}\n{"title": "\x83"}\n')
    part = go(source, tmp_path / "out.jl", encoding="shift_jis")
    assert part.tally.bad == {"not shift_jis": 1}
    assert (tmp_path / "out.jl").read_bytes().endswith(b'\n{"title": "\x83"}\n')


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("windows-12511", "did you mean windows-1251"),
        ("base64", "no encoding of text"),
        ("rot13", "no encoding of text"),
        ("", "no encoding of text"),
        ("x" * 5000, "no encoding of text"),
        ("\0", "no encoding of text"),
    ],
)
def test_a_name_that_is_no_encoding_is_a_sentence(name, sentence):
    with pytest.raises(RerunError, match=sentence):
        named(name)


def test_an_encoding_is_for_text_only(catalogue, tmp_path):
    with pytest.raises(RerunError, match="--encoding is for files of JSON lines and CSV"):
        go(catalogue, tmp_path / "out.jl", encoding="cp1251")


CODES = ["utf-8", "cp1251", "koi8_r", "cp866"]


@pytest.mark.parametrize("kind", ["csv", "jl"])
def test_lines_in_several_encodings_are_read_line_by_line(tmp_path, kind):
    lines = ["Titel;Nr\n", *(f"{text};{n}\n" for n, text in enumerate(RUSSIAN))]
    if kind == "jl":
        lines = [json.dumps({"title": text, "n": n}, ensure_ascii=False) + "\n" for n, text in enumerate(RUSSIAN)]
    data = b"".join(line.encode(CODES[place % 4]) for place, line in enumerate(lines))
    result = go(put(tmp_path / f"in.{kind}", data), tmp_path / f"out.{kind}")
    assert set(result.tally.recoded) == {"cp1251", "koi8_r", "cp866"}
    assert 28 <= sum(result.tally.recoded.values()) <= 31
    if kind == "csv":
        assert [row[0] for row in table(tmp_path / "out.csv", ";")[1:]] == RUSSIAN
    else:
        assert [record["title"] for record in read_lines(tmp_path / "out.jl")] == RUSSIAN
    assert "line by line" in report(result.tally, result.encoding)
    again = go(tmp_path / f"out.{kind}", tmp_path / f"again.{kind}")
    assert (tmp_path / f"again.{kind}").read_bytes() == (tmp_path / f"out.{kind}").read_bytes()
    assert again.tally.recoded == {}


def test_one_field_in_another_encoding_than_the_others_of_its_line(tmp_path):
    line = b'{"title": "' + "Ночной поезд".encode() + b'", "artist": "' + "Красная площадь".encode("cp1251") + b'"}\n'
    other = '{"title": "Ночной поезд"}\n'.encode()
    result = go(put(tmp_path / "in.jl", line + other), tmp_path / "out.jl")
    assert read_lines(tmp_path / "out.jl")[0]["title"] == "Ночной поезд"
    assert read_lines(tmp_path / "out.jl")[0]["artist"] == "Красная площадь"
    assert result.tally.recoded == {"cp1251": 1}


def test_a_line_of_another_encoding_that_cannot_be_decided_is_still_text(tmp_path, monkeypatch):
    def refuse(self, item, names=None):
        raise ZeroDivisionError

    monkeypatch.setattr(Fixer, "fix", refuse)
    data = b"".join(("Titel;Nr\n" if not n else f"{text};{n}\n").encode(CODES[n % 2]) for n, text in enumerate(RUSSIAN))
    go(put(tmp_path / "in.csv", data), tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_bytes().decode()


def test_a_mark_stays_on_a_line_that_changes(tmp_path):
    line = codecs.BOM_UTF8 + json.dumps({"title": GARBLED}, ensure_ascii=False).encode() + b"\n"
    go(put(tmp_path / "in.jl", line), tmp_path / "out.jl")
    data = (tmp_path / "out.jl").read_bytes()
    assert data.startswith(codecs.BOM_UTF8)
    assert json.loads(data.decode("utf-8-sig"))["title"] == "Группа крови"


@pytest.mark.parametrize("data", [b"", b"\xff", b"\xff\xfe", b"\0" * 100, bytes(range(256)) * 40, b"\xef\xbb\xbf"])
def test_any_bytes_have_an_encoding_or_none(data):
    assert encoding_of(data) == encoding_of(data)
    assert encoding_of(data, name="cp1251").named


@pytest.mark.parametrize(
    ("kind", "encoding"),
    [
        ("csv", "utf-16"),
        pytest.param("csv", "cp1251", marks=pytest.mark.slow),
        pytest.param("jl", "utf-16", marks=pytest.mark.slow),
        pytest.param("jl", "cp1251", marks=pytest.mark.slow),
    ],
)
def test_a_killed_run_over_another_encoding_goes_on(tmp_path, encoding, kind):
    # The long cells fill the blocks, and cost no decision.
    rows = [["x" * 400, f"{text} и река, поле, лес {n}"] for n in range(20) for text in RUSSIAN]
    text = of_rows([["Nr", "Titel"], *rows])
    if kind == "jl":
        text = "".join(json.dumps({"x": x, "title": title}, ensure_ascii=False) + "\n" for x, title in rows)
    source = put(tmp_path / f"in.{kind}", text.encode(encoding))
    go(source, tmp_path / f"whole.{kind}")
    killed(source, tmp_path / f"out.{kind}", 2, save_every=0.0)
    result = go(source, tmp_path / f"out.{kind}")
    assert result.resumed > 0
    assert (tmp_path / f"out.{kind}").read_bytes() == (tmp_path / f"whole.{kind}").read_bytes()


# -- what is told ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "data"),
    [("in.jl", b"no\njson\n"), ("in.csv", b"id,title\n1,2,3,4\n"), ("in.jl", b"\xff\xfe\xff\n\x81\n")],
)
def test_an_input_of_which_nothing_is_read_is_an_error(tmp_path, name, data):
    options = RerunOptions(str(put(tmp_path / name, data)), dry_run=True)
    with pytest.raises(RerunError, match=r"Nothing of .*in\.\w+ could be read: \d lines?: "):
        refuse_unchecked(rerun(options), options)


def test_an_input_of_which_a_part_is_read_is_none(tmp_path):
    options = RerunOptions(str(put(tmp_path / "in.jl", b'no\n{"title": "x"}\n')), dry_run=True)
    refuse_unchecked(rerun(options), options)
    empty = RerunOptions(str(put(tmp_path / "empty.jl", b"")), dry_run=True)
    refuse_unchecked(rerun(empty), empty)


class Shown(RerunWatcher):
    def __init__(self):
        self.rows = []

    def block(self, done, items, rows):
        self.rows += rows


@pytest.mark.parametrize("jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_a_dry_run_makes_no_rows_that_nobody_sees(request, jobs):
    source = request.getfixturevalue("many_lines" if jobs > 1 else "lines")
    every, few = Shown(), Shown()
    rerun(RerunOptions(str(source), dry_run=True), every)
    rerun(RerunOptions(str(source), dry_run=True, rows=5, jobs=jobs), few)
    assert few.rows[:5] == every.rows[:5]
    assert len(few.rows) <= 5 * jobs < len(every.rows)

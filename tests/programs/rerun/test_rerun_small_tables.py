"""Tables by the few cells that tell how they are to be read: zeros, delimiters, names of files, numbers."""

import pytest
from stored_items import go

from mediacrawl.programs.rerun.blocks import RerunCounts
from mediacrawl.programs.rerun.console import report
from mediacrawl.programs.rerun.csv_rows import delimiter_of
from mediacrawl.programs.rerun.text_encoding import encoding_of

GARBLED = "Группа крови".encode("cp1251").decode("latin-1")


def mended(tmp_path, data):
    """The result of a run over a table, and the lines of its output."""
    (tmp_path / "in.csv").write_bytes(data.encode() if isinstance(data, str) else data)
    result = go(tmp_path / "in.csv", tmp_path / "out.csv")
    return result, (tmp_path / "out.csv").read_bytes().decode().splitlines()


# -- zeros -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "data",
    [
        b"title,n\r\nab\0c,1\r\n",
        b"title,n\r\nabc\0,1\r\n",
        b"title,n\nab\0c\0d,1\nx\0y,2\n",
        "Название;Автор\r\n Я\0 и ты;Кино\r\n".encode("cp1251"),
    ],
)
def test_a_zero_in_a_cell_does_not_make_a_table_utf_16(data):
    assert not encoding_of(data).name.startswith("utf-16")


def test_a_table_with_a_zero_in_a_cell_is_read(tmp_path):
    result, lines = mended(tmp_path, f"title,n\r\nab\0c,1\r\n{GARBLED},2\r\n")
    assert (result.encoding, result.tally.records, result.tally.changed) == ("", 2, 1)
    assert lines[1] == "ab\0c,1,"
    assert lines[2].startswith("Группа крови,2,")


@pytest.mark.parametrize("order", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize(
    "text",
    ["title,n\nabc,1\n", "标题,作者\n上海不夜城,上不下\n", 'Њујорк;Аутор\n"Љубав и музика";Њ\n', "a;b"],
)
def test_a_small_table_in_utf_16_is_still_found_out(text, order):
    assert encoding_of(text.encode(order)).name == order


# -- columns ---------------------------------------------------------------------------------------------------------


def test_names_of_files_stay_so_that_the_files_are_found(tmp_path):
    name = "Ãðóïïà êðîâè"
    rows = f"File;Cover;Titel\n{name}.mp3;{name}.JPG;{GARBLED}\n{name} 2.flac;;{GARBLED}.\n{name};;{GARBLED}\n"
    result, lines = mended(tmp_path, rows)
    assert dict(result.tally.holds) == {"File": "paths", "Cover": "paths", "Titel": "text"}
    assert lines[1].startswith(f"{name}.mp3;{name}.JPG;Группа крови;")
    assert lines[3].startswith(f"{name};;Группа крови;")


def test_one_text_among_numbers_makes_a_column_text(tmp_path):
    rows = ["Titel;Nr;Netz", *(f"{number};{number};https://a.example/{number}" for number in range(40))]
    rows += [f"{GARBLED};40;{GARBLED}", f"{GARBLED} 2;41;https://a.example/"]
    result, lines = mended(tmp_path, "".join(row + "\n" for row in rows))
    assert dict(result.tally.holds) == {"Titel": "text", "Nr": "numbers", "Netz": "addresses"}
    assert lines[5] == "4;4;https://a.example/4;"
    assert lines[41].startswith(f"Группа крови;40;{GARBLED};")


def test_texts_that_are_too_long_to_be_decided_are_told(tmp_path):
    cell = f"{GARBLED} " * 90
    rows = ["Titel;Text;Rest;A;B;C;D;E", f"{GARBLED};{cell * 50};{'x' * 5000}" + f";{cell * 3}" * 5, "plain;;;;;;;"]
    result, lines = mended(tmp_path, "".join(row + "\n" for row in rows))
    assert f";{cell * 50};" in lines[1]
    assert result.tally.passed == {"Text": 1, "E": 1}
    shown = " ".join(report(result.tally, result.encoding).split())
    assert "5 mended, 2 left, too long" in shown
    assert "Titel: 1 of 1 mended; Text: 1 left, too long; Rest: all ASCII;" in shown
    assert RerunCounts.from_json(result.tally.as_json()) == result.tally


# -- delimiters ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("header", "delimiter"),
    [
        ("Titel, with comma;N", ";"),
        ('"Name, first, last, middle";Titel', ";"),
        ("Titel|N", "|"),
        ('"a|b|c"\tTitel', "\t"),
        ("Titel, of; what; it; is", ","),
    ],
)
@pytest.mark.parametrize("rows", [1, 3])
def test_the_delimiter_is_the_one_that_the_rows_agree_with(tmp_path, header, delimiter, rows):
    data = f"{header}\r\n" + f"{GARBLED}{delimiter}{GARBLED}\r\n" * rows
    result, lines = mended(tmp_path, data)
    assert (len(result.tally.holds), result.tally.records) == (2, rows)
    assert lines[0] == f"{header}{delimiter}mojibake" or lines[0] == f'{header}{delimiter}"mojibake"'
    assert lines[1].startswith(f"Группа крови{delimiter}Группа крови{delimiter}")


@pytest.mark.parametrize(
    ("header", "delimiter"),
    [("a,b", ","), ("a;b;c,d", ";"), ("Title, with comma;N", ";"), ('"a;b";"c;d",e', ","), ("a", ","), ("", ",")],
)
def test_a_header_alone_tells_its_delimiter(header, delimiter):
    assert delimiter_of(header.encode(), []) == delimiter

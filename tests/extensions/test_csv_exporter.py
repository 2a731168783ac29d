"""Items as CSV (`-o items.csv`), with texts of strangers in them."""

import csv
import io

import pytest

from mediacrawl.extensions.csv_exporter import SafeCsvItemExporter


def rows_of(item, **options):
    """The rows of a file with one item."""
    file = io.BytesIO()
    exporter = SafeCsvItemExporter(file, encoding="utf-8", **options)
    exporter.start_exporting()
    exporter.export_item(item)
    exporter.finish_exporting()
    return list(csv.reader(io.StringIO(file.getvalue().decode(), newline="")))


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        ("=1+1", "'=1+1"),
        ("x;=1+1", "x;'=1+1"),
        ("x\t@SUM(A1)", "x\t'@SUM(A1)"),
        ("x\r\n+1+1", "x\r\n'+1+1"),
        ("x|\uff1d1", "x|'\uff1d1"),
        (["a", "=1+1"], "a,'=1+1"),
        (["=1+1", "a"], "'=1+1,a"),
        (("a;=1+1", "b"), "a;'=1+1,b"),
        ({"name": "x;=1+1"}, "{'name': 'x;'=1+1'}"),
        ([{"name": "x;=1+1"}], "[{'name': 'x;'=1+1'}]"),
        (b"x;=1+1", "x;'=1+1"),
        (-5, "-5"),
        (-0.5, "-0.5"),
        (None, ""),
        (True, "True"),
    ],
)
def test_no_value_of_an_item_is_a_formula(value, cell):
    assert rows_of({"n": 1, "value": value})[1] == ["1", cell]


@pytest.mark.parametrize(("name", "cell"), [("=1+1", "'=1+1"), ("x;@SUM(A1)", "x;'@SUM(A1)"), ("title", "title")])
def test_no_name_of_a_field_is_a_formula(name, cell):
    assert rows_of({"n": 1, name: 2}) == [["n", cell], ["1", "2"]]
    assert rows_of({"n": 1}, fields_to_export={"n": name}) == [[cell], ["1"]]

"""Items as CSV (`-o items.csv`), with texts of strangers in them."""

import csv
import io

import pytest

from mediacrawl.extensions.csv_exporter import SafeCsvItemExporter


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
    file = io.BytesIO()
    exporter = SafeCsvItemExporter(file, encoding="utf-8")
    exporter.start_exporting()
    exporter.export_item({"n": 1, "value": value})
    exporter.finish_exporting()
    rows = list(csv.reader(io.StringIO(file.getvalue().decode(), newline="")))
    assert rows[1] == ["1", cell]

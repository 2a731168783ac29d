"""Every golden file gives its record, and so does each one that is damaged."""

import itertools
import json

import golden
import pytest
from damage import changed_files, cut_files, flipped_files, magic_bytes, surrounded_files
from golden_records import record
from harness import examples, slow
from hypothesis import given, settings

from mediacrawl.base.evidence import raw_bytes
from mediacrawl.record import build_item


@pytest.mark.parametrize("family", golden.FAMILIES)
def test_each_file_gives_its_record(family):
    expected = json.loads(golden.path_of(family).read_text(encoding="utf-8"))
    found = {name: json.loads(json.dumps(record(case))) for name, case in golden.files(family)}
    assert list(found) == list(expected)
    wrong = {name: (record, expected[name]) for name, record in found.items() if record != expected[name]}
    told = "\n".join(f"{name}\n  is       {is_}\n  expected {was}" for name, (is_, was) in wrong.items())
    assert not wrong, f"python tests/record/golden_records.py {family} writes these anew:\n{told}"


def check(data):
    """The record of damaged bytes can be written, and holds the texts in their order."""
    probe, _ = golden.ask(golden.Case(data), restart=False)
    result = probe.result()
    item = build_item(result, probe, url="http://media.example/file")
    cut = sum(len(getattr(result, name)) - len(getattr(item, name)) for name in ("tracks", "chapters", "covers"))
    assert len(item.tags) + (item.texts_dropped or 0) == len(result.tags) + cut
    # A damaged length can make a text so long that the record has no room for it. The others keep their order.
    left = iter(result.tags)
    for element in item.tags:
        assert any(raw_bytes(element) == tag.raw for tag in left)
        element["text"].encode("utf-8")


# Of these each fourth; ``tests/probe`` reads all of them.


@pytest.mark.parametrize("part", [0, 1, *slow(*range(2, 8))])
def test_a_file_that_is_cut_ends_calmly(part):
    for data in itertools.islice(cut_files(part), None, None, 4):
        check(data)


@pytest.mark.parametrize("part", [0, 1, *slow(*range(2, 8))])
def test_random_changes_end_calmly(part):
    for data in itertools.islice(changed_files(part), None, None, 4):
        check(data)


@given(flipped_files())
@settings(max_examples=examples(200))
def test_a_file_with_flipped_bytes_ends_calmly(data):
    check(data)


@given(magic_bytes())
def test_any_bytes_behind_a_magic_end_calmly(data):
    check(data)


@given(surrounded_files())
@settings(max_examples=examples(100))
def test_anything_around_a_file_ends_calmly(data):
    check(data)

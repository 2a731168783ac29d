"""Damaged files of every format, from servers that may lie. The long form is ``make bench NAME=probe_fuzz``."""

import pytest
from fuzz_drive import make_case, run_case
from fuzz_mutations import size_fields
from fuzz_schema import SchemaError, check, validate
from fuzz_seeds import OTHER, by_container, seeds
from harness import examples
from probe_media import run

from mediacrawl.probe.formats import READERS

CASES = 120
"""For each reader, in the long form. A failure says its number; the bytes are `make_case(number, names).data`."""


@pytest.mark.parametrize("container", sorted({*READERS, OTHER}))
def test_damaged_files_end_calmly(container):
    names = by_container().get(container)
    assert names, f"no sample of {container} in tests/probe/samples: its reader would never be tried"
    for number in range(examples(CASES)):
        case = make_case(number, names)
        try:
            run_case(case)
        except BaseException as error:
            error.add_note(f"case {number} of {container}: {case.seed}, {len(case.data)} bytes, {case.server} server")
            raise


def test_a_number_repeats_its_case():
    names = sorted(seeds())
    assert make_case(5, names) == make_case(5, names)
    assert len({make_case(number, names).data for number in range(20)}) == 20


def test_sizes_of_atoms_are_among_what_is_damaged():
    data = seeds()["first.m4a"]
    assert {0, data.index(b"moov") - 4, data.index(b"ilst") - 4} <= set(size_fields(data))


def test_the_record_of_each_seed_is_as_the_schema_says():
    # All of them in the long form, else each sixth.
    for name in list(seeds())[:: 30 // examples(30)]:
        try:
            validate(run(seeds()[name], restart=False).probe)
        except SchemaError as error:
            error.add_note(name)
            raise


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"duration": "3"}, "duration breaks type"),
        ({"chapters": [{"start": 1.0}, {"title": "One"}]}, "chapters.# breaks required"),
        ({"tracks": [{"kind": "hologram"}]}, "tracks.#.kind breaks enum"),
        ({"language": "German"}, "language breaks pattern"),
        ({"mood": "calm"}, " breaks additionalProperties"),
    ],
)
def test_another_record_is_not(changes, message):
    item = {"type": "AudioObject", "id": "0", "content_url": "http://a.example/a", "tags": []}
    check(item)
    with pytest.raises(SchemaError) as caught:
        check(item | changes)
    assert str(caught.value) == message

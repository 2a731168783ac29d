"""Every golden file is probed and gives its facts, asks for its ranges, and ends calmly however it is damaged."""

import io
import json

import golden
import mutagen
import pytest
from damage import changed_files, cut_files, flipped_files, magic_bytes, seeds, surrounded_files
from harness import examples, slow
from hypothesis import given, settings
from hypothesis import strategies as st
from mutagen.mp4 import MP4
from probe_media import SAMPLES

from mediacrawl.probe import Probe

STATUS = ("complete", "partial", "unsupported", "error:")
CLEANED = (
    *("sound check in ", "text without a type cfe5f1ed", "mod", "s3m", "it: version ", "xm", "avi: name of a stream"),
    *("long one that is sought", "300 chapters", "list that claims ", "hostile tables 0", "au: text of 10000 words"),
    "longer than the tail",
)
"""Files whose texts or chapters the record cleans or cuts: ``tests/record`` compares these."""


@pytest.mark.parametrize("family", golden.FAMILIES)
def test_each_file_gives_its_facts(family):
    expected = json.loads(golden.path_of(family).read_text(encoding="utf-8"))
    wrong = []
    for name, case in golden.files(family):
        skipped = {"tags", "chapters"} if name.startswith(CLEANED) else set()
        for key, value in json.loads(json.dumps(golden.facts(case))).items():
            if key not in skipped and value != expected[name].get(key, False):
                wrong.append(f"{name}\n  {key} is {value}\n  expected {expected[name].get(key)}")
    assert not wrong, "\n".join([f"python tests/record/golden_records.py {family} writes these anew:", *wrong])


@pytest.mark.parametrize("family", golden.FAMILIES)
def test_the_state_between_visits_changes_nothing_and_no_name_stands_twice(family):
    names = []
    for name, case in golden.files(family):
        names.append(name)
        packed, asked = golden.ask(case, restart=True)
        kept, asked_at_once = golden.ask(case, restart=False)
        assert (packed.dump(), asked) == (kept.dump(), asked_at_once), name
    assert len(set(names)) == len(names)


# -- what mutagen says -------------------------------------------------------------------------------------------------

OTHERWISE = {"adpcm.wav", "film.avi", "film.mpg", "fragmented.m4a", "rifx.wav", "tracks.mp4", "vbr.mp3"}
"""Samples whose length mutagen takes from the wrong place, and those of which it knows nothing."""


def test_facts_are_those_of_mutagen():
    agreed = 0
    for path in sorted(SAMPLES.iterdir()):
        file = io.BytesIO(path.read_bytes())
        file.name = path.name
        known = None if path.name in OTHERWISE else mutagen.File(file)
        if known is None:
            continue
        result = golden.ask(golden.Case(path.read_bytes()), restart=False)[0].result()
        assert result.duration == pytest.approx(known.info.length, abs=0.05), path.name
        # It takes mono AAC for stereo, and its samples for 16 bits.
        facts = ["sample_rate"] if isinstance(known, MP4) else ["sample_rate", "channels", "bits_per_sample"]
        for name in facts:
            told = getattr(known.info, name, None)
            assert not told or getattr(result, name) == told, (path.name, name)
        agreed += 1
    assert agreed >= 25


# -- damage ------------------------------------------------------------------------------------------------------------


def check(data):
    """The probe of damaged bytes ends, and its texts are in the file's bytes or made of them."""
    probe, _ = golden.ask(golden.Case(data), restart=False)
    result = probe.result()
    assert result.status.startswith(STATUS)
    assert all(isinstance(tag.raw, bytes) and tag.text for tag in result.tags)


@pytest.mark.parametrize("part", [*range(4), *slow(*range(4, 8))])
def test_a_file_that_is_cut_ends_calmly(part):
    for data in cut_files(part):
        check(data)


@pytest.mark.parametrize("part", [*range(4), *slow(*range(4, 8))])
def test_random_changes_end_calmly(part):
    for data in changed_files(part):
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


@given(st.deferred(lambda: st.sampled_from(sorted(seeds()))), st.data())
def test_a_server_that_answers_anything_ends_the_probe(name, draw):
    data, probe = seeds()[name], Probe()
    answers = 0
    while (wanted := probe.next_range()) is not None:
        start = draw.draw(st.sampled_from([wanted[0], 0]) | st.integers(0, len(data)))
        length = draw.draw(st.integers(0, 20_000))
        size = draw.draw(st.sampled_from([len(data), None, len(data), 0, 100]))
        probe.feed(start, data[start : start + length], size)
        answers += 1
        assert answers <= probe.policy.max_requests
    assert probe.result().status.startswith(STATUS)

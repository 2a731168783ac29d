"""Every golden page and list gives its record, and is read calmly however it is damaged."""

import random
from dataclasses import replace

import golden_texts
import pytest

from mediacrawl.extract import Fingerprint, parse_page
from mediacrawl.extract.lists import list_form


@pytest.mark.parametrize("family", golden_texts.FAMILIES)
def test_each_case_gives_its_record(family):
    found = {case.name: (case.record(), case.expected) for case in golden_texts.cases(family)}
    wrong = [f"{name}\n{is_}instead of\n{was}" for name, (is_, was) in found.items() if is_ != was]
    assert not wrong, f"python tests/extract/golden_texts {family} writes these anew:\n" + "\n".join(wrong)


@pytest.mark.parametrize("family", golden_texts.FAMILIES)
def test_no_name_stands_twice(family):
    names = [case.name for case in golden_texts.cases(family)]
    assert len(set(names)) == len(names) > 0


@pytest.mark.parametrize("family", golden_texts.FAMILIES)
def test_what_is_damaged_is_still_read(family):
    chance = random.Random(family)
    pieces = [piece for case in golden_texts.cases(family) for piece in case.text.split('"')]
    for case in golden_texts.cases(family):
        place = chance.randrange(len(case.text) + 1)
        for rest in ("", case.text[place + chance.randrange(9) :], chance.choice(pieces) + case.text[place:]):
            text = case.text[:place] + rest
            replace(case, text=text).record()
            body = text.encode()
            list_form("", body, golden_texts.URL)
            assert Fingerprint.of(parse_page(body, golden_texts.URL)).media == 0

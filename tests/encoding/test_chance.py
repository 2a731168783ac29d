"""Clean text whose bytes are UTF-8 by chance, or that has signs where mojibake has them: it stays."""

# ruff: noqa: RUF001 - letters of many scripts are what this file is about

from pathlib import Path

import pytest

from mediacrawl.encoding import Hints, detect, repair
from mediacrawl.encoding.pricing.signs import coincidence

SHAPES = Path(__file__).parents[2] / "benchmarks" / "titles" / "shapes.txt"
OF_THE_ISSUE = ["NESTLÉ®", "Brontë…”", "VOCÊ…", "BEYONCÉ’s Greatest Hits", "CAFÉ™", "Charlotte Brontë…”", "OLÉ…"]


@pytest.mark.parametrize("text", OF_THE_ISSUE)
def test_a_letter_with_a_mark_and_signs_behind_it_stays(text):
    assert repair([text]).texts == (text,)
    assert repair([text, "Beyoncé"]).texts == (text, "Beyoncé")
    assert repair(["Beyoncé", text, "Live"]).texts == ("Beyoncé", text, "Live")


def test_every_fourth_title_of_the_benchmark_stays():
    texts = [line.partition("\t")[2] for line in SHAPES.read_text(encoding="utf-8").rstrip("\n").split("\n")][::4]
    assert len(texts) >= 70
    assert [text for text in texts if repair([text]).texts != (text,)] == []


@pytest.mark.parametrize(
    "text", ["DvoÅ™Ã¡k", "nÃ¡s", "gÉ™lmÉ™", "ZURÃœCK", "HÃ”TEL", "oraÈ™ul", "estÃ¡", "Ø³Ù„Ø§Ù…", "ë…¸ëž˜", "Ã‘u"]
)
def test_mojibake_with_the_same_signs_is_mended(text):
    assert repair([text]).texts == (text.encode("cp1252").decode(),)


def test_a_letter_that_nobody_writes_costs_more_than_one_that_stands_alone_in_its_script():
    def cost(stored):
        raw = stored.encode("cp1252")
        return coincidence(stored, raw, raw.decode())

    assert cost("NESTLÉ®") > cost("Õ…") > 0
    assert cost("Ã©tÃ©") == cost("HÃ´tel") == 0


@pytest.mark.parametrize("declared", ["utf-8", "cp1252"])
@pytest.mark.parametrize(
    "text",
    [
        "Don´t",
        "Let´s Go",
        "Rock´n´Roll",
        "m³",
        "E=mc²",
        "20 °C",
        "451 °F",
        "50 ¢",
        "10£",
        "«\u00a0Oui\u00a0»",
        "«\u00a0Au,\u00a0»",
    ],
)
def test_signs_of_figures_and_apostrophes_stay(text, declared):
    assert detect([text.encode(declared)], Hints(declared=declared)).texts == (text,)
    assert repair([text]).texts == (text,)

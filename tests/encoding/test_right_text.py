"""Text that came as Unicode is right until the damage is seen: each kind of right text stays, and damage is mended."""

# ruff: noqa: RUF001 - letters and signs of many scripts are what this file is about

from itertools import pairwise

import pytest

from mediacrawl.encoding import fix_text, repair

RIGHT = {
    "letters that look alike": [
        "MΛRBLE SKY", "ΔURORΔ", "НIGHTFALL", "GЯEEN DAYS", "dystopiΛ", "ΣCLIPSE", "KoЯnfield", "XΞNON", "FЯEAK OИ",
        "VΛPOЯ ШΛVE", "ΛRCΛDE", "DΣΛD SΣΛ", "LΛVENDER HILL", "dяuм", "Midλight", "SKYWΛLKER",
    ],
    "frames": [
        "Jazz │ Night", "║ Outro ║", "├── songs", "└─ live", "┌──┐", "▌▌ Pause ▐▐", "░▒▓ Haze ▓▒░", "══ Side B ══",
        "╔═╗ Box ╚═╝", "│ Café │",
    ],
    "dashes and bullets": [
        "Part c–d", "(ii–vii)", "na–na–na", "x–y–z", "do•re•mi", "a…b", "rock‘n’roll", "ha·ha·ha", "ö–ä", "у–а–у",
    ],
    "full and half width": [
        "ＭＴＶ ＪＡＰＡＮ", "ＬＯＶＥ", "Ｖｏｌ．３ 総集編", "ﾄﾞﾗｺﾞﾝ", "ＡＢＣ テレビ", "ｶﾗｵｹ大会", "ＤＪ ﾅｵｷ",
    ],
    "signs between letters and digits": [
        "MIX×2", "5 µm", "1500 Å²", "47 Ω", "ТВ7", "No°5", "A±B", "½ Way", "¶ 3", "Side§A", "4×4", "R×B", "5·1",
        "12 Å³", "700 Å²", "Å° 3", "Ä² 1",
    ],
    "languages without a model": [
        "Shīrāz", "Qāsemābād", "Tāmaki Makaurau", "ýagşy gün", "ýol ýaman", "Ẹ̀kọ́ Yorùbá", "Ɛyɛ me dɛ", "kɔkɔɔ",
        "שָׁלוֹם", "אַ ייִדיש ליד", "むむむむむむ", "わわわ", "巷陌", "ئۇيغۇر", "Ҭамшьы", "ⴰⵣⵓⵍ", "ᏣᎳᎩ", "Île d’Sant Anduri",
    ],
    "very short": ["ß", "ö", "ä_ä", "Ø", "é", "¿?", "Æ", "Я", "ñ", "õ!", "×", "ÿ", "øø"],
    "ordinary": [
        "Ночь / L'été", "Motörhead", "São João", "Año Nuevo", "Þungur hnífur", "Łódź", "Điện Biên", "Přerov",
        "İstanbul’da bir gün", "北京 / Pékin", "Ελλάδα – Grèce",
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    "text", [pytest.param(text, id=f"{kind}: {text}") for kind, some in RIGHT.items() for text in some]
)
def test_right_text_stays(text):
    assert repair([text]).texts == (text,)
    assert fix_text(text, min_confidence=0.0) == text


@pytest.mark.parametrize("kind", RIGHT)
def test_right_texts_of_one_record_stay(kind):
    """The fields of a record vote together; they must not vote for damage that none of them has."""
    some = RIGHT[kind]
    for first, second in pairwise(some):
        assert repair([first, second]).texts == (first, second)


@pytest.mark.parametrize(
    ("stored", "right"),
    [
        ("Âå÷³ðí³é äçâ³í", "Вечірній дзвін"), ("Ïðèâåò, Ìîñêâà", "Привет, Москва"), ("ÊáëçìÝñá", "Καλημέρα"),
        ("ùìåí òåìí", "שלום עולם"), ("CanciÃ³n del mar", "Canción del mar"), ("ã\x81\x95ã\x81\x8fã\x82\x89", "さくら"),
        ("РџСЂРёРІРµС‚", "Привет"), ("Za¿ó³æ gêœl¹ jaŸñ", "Zażółć gęślą jaźń"), ("√âtoile", "Étoile"),
        ("Letâ€™s go", "Let’s go"), ("Don\x92t", "Don’t"), ("ÃƒÂ‰toile", "Étoile"),
    ],
)  # fmt: skip
def test_damage_that_shows_itself_is_mended(stored, right):
    assert repair([stored]).texts == (right,)


@pytest.mark.parametrize(
    ("stored", "right"),
    [
        ("Bjцrk", "Björk"), ("Beyoncй", "Beyoncé"), ("Mцtley Crьe", "Mötley Crüe"), ("Josй Carreras", "José Carreras"),
        ("Motцrhead", "Motörhead"), ("Franзoise Hardy", "Françoise Hardy"),
    ],
)  # fmt: skip
def test_a_small_letter_of_another_script_in_a_latin_word_is_an_accented_one(stored, right):
    assert repair([stored]).texts == (right,)


@pytest.mark.parametrize(
    ("stored", "right"),
    [
        ("Motörhead / Áåëûé ñíåã", "Motörhead / Белый снег"),
        ("Áåëûé ñíåã feat. Müller", "Белый снег feat. Müller"),
        ("Queensrÿche - Õîëîäíàÿ âåñíà", "Queensrÿche - Холодная весна"),
        ("Õîëîäíàÿ âåñíà – Ää", "Холодная весна – Ää"),
        ("À vous - Õîëîäíàÿ âåñíà", "À vous - Холодная весна"),
        ("Τραγούδι / Õîëîäíàÿ âåñíà", "Τραγούδι / Холодная весна"),
        ("Õîëîäíàÿ âåñíà feat. 山口", "Холодная весна feat. 山口"),
        ("Gwiżdżę [ÊáëçìÝñá êüóìå]", "Gwiżdżę [Καλημέρα κόσμε]"),
        ("Песня: √âtoile filante", "Песня: Étoile filante"),
        ("Dvořák – PÄƒdure verde", "Dvořák – Pădure verde"),
        ("Résumé · JÃµulud", "Résumé · Jõulud"),
        ("Вечер – –°–Ω–µ–≥", "Вечер – Снег"),
        ("Fiancé – HabitaciÃ³n", "Fiancé – Habitación"),
        ("Æsir – grÃ¸nt hÃ¥b", "Æsir – grønt håb"),
        ("L’été / ForÃªt", "L’été / Forêt"),
    ],
)
def test_a_right_word_beside_damaged_ones_stays(stored, right):
    assert repair([stored]).texts == (right,)
    assert repair([right]).texts == (right,)


def test_a_single_letter_is_no_evidence_but_the_rest_of_its_record_is():
    assert repair(["è"]).texts == ("è",)
    assert repair(["Òèõèé âå÷åð", "è"]).texts[0] == "Тихий вечер"


@pytest.mark.parametrize("stored", ["Ѓорѓија – Â§úÊù•È¶ô", "Вечер – Â§úÊù•"])
def test_a_lossy_repair_of_little_confidence_is_a_guess(stored):
    field = repair([stored]).fields[0]
    assert field.text == stored
    assert field.decision != "fixed"
    assert field.guess not in ("", stored)
    assert field.suspect


@pytest.mark.parametrize(("stored", "right"), [("Que Ã© isto?", "Que é isto?"), ("sol Ã³ lúa", "sol ó lúa")])
def test_a_record_in_ascii_is_no_reason_for_a_rare_letter(stored, right):
    assert repair(["A Vida", "Tempada 3", stored]).texts[2] == right


@pytest.mark.parametrize(
    ("page", "texts"),
    [
        ("cp1251", ("В.И.А.", "Весёлые ребята", "Люди встречаются")),
        ("cp1251", ("Кино", "Ля-ля-ля", "Группа крови")),
        ("cp1251", ("Песня о «том о сём» и «о том»", "Старая пластинка")),
        ("cp1253", ("ΡΟΔΑ", "ΧΧΧ", "ΟΛΑ ΓΙΑ ΤΗΝ ΑΓΑΠΗ")),
    ],
)
def test_initials_and_syllables_follow_the_damage_of_their_record(page, texts):
    assert repair([text.encode(page).decode("cp1252", "replace") for text in texts]).texts == texts


@pytest.mark.parametrize("stored", ["Á morgun - Òèõ áÿë Äóíàâ", "Å ukjent - Òèõ áÿë Äóíàâ"])
def test_a_right_part_with_words_in_ascii_stays_beside_a_damaged_one(stored):
    assert repair([stored]).texts == (f"{stored.partition(' - ')[0]} - Тих бял Дунав",)

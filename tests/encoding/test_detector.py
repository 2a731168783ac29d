"""One decision over the fields of a record: which encoding their bytes are really in."""

# ruff: noqa: RUF001 - letters of many scripts are what this file is about

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.encoding import Hints, detect
from mediacrawl.encoding.detection import detector
from mediacrawl.encoding.detection.detector import confidence_of
from mediacrawl.encoding.languages import ENCODING_WEIGHTS, toned

TITLES = {
    "cp1252": ["Für Elise – schönste Stücke", "Les feuilles mortes à l’été", "Corazón espinado y niñez"],
    "cp1251": ["Подмосковные вечера", "Червона рута та інші пісні", "Македонско девојче од село"],
    "gb18030": ["月亮代表我的心", "青藏高原的歌声"],
    "cp932": ["上を向いて歩こう", "津軽海峡・冬景色"],
    "utf-8": ["Подмосковные вечера", "Łąka pełna kwiatów", "上を向いて歩こう"],
    "cp949": ["사랑했지만 그대는", "서울의 달 아래에서"],
    "cp1250": ["Dziwny jest ten świat", "Příliš žluťoučký kůň", "Gyönyörű őszi este"],
    "cp950": ["月亮代表我的心情歌", "愛情釀的酒與寂寞"],
    "cp1256": ["أغنية الحب والسلام", "پرنده و درخت در باران"],
    "cp1253": ["Το τραγούδι της αγάπης"],
    "cp1255": ["ירושלים של זהב"],
    "cp1254": ["Gönül dağı türküsü", "Aşkın gözyaşları"],
    "cp874": ["เพลงรักเพื่อชีวิต"],
    "cp1257": ["Daina apie mėnulį ir žvaigždes", "Ūdens un zeme mūžīgi dzied"],
    "cp1258": ["Đường về quê hương"],
    "koi8_r": ["Подмосковные вечера", "Ой, цветёт калина"],
    "koi8_u": ["Червона рута та інші пісні"],
    "cp866": ["Подмосковные вечера", "Ой, цветёт калина"],
    "cp1125": ["Червона рута та інші пісні"],
    "mac_cyrillic": ["Подмосковные вечера"],
    "iso8859_5": ["Подмосковные вечера"],
    "kz1048": ["Қазақтың халық әндері"],
    "ptcp154": ["Қазақтың халық әндері"],
    "iso8859_2": ["Dziwny jest ten świat pełen ąę", "Příliš žluťoučký kůň"],
    "cp852": ["Příliš žluťoučký kůň", "Dziwny jest ten świat"],
    "mac_latin2": ["Příliš žluťoučký kůň"],
    "iso8859_16": ["„Cântec de țară” și dor"],
    "cp855": ["Македонско девојче од село"],
    "mac_roman": ["Les feuilles mortes à l’été", "Schöne Mädchen grüßen übers Meer"],
    "cp850": ["Schöne Mädchen grüßen übers Meer", "Les forêts sont enchantées"],
    "iso8859_15": ["Le cœur et la sœur"],
    "iso8859_14": ["Y tŷ ger y dŵr"],
    "iso8859_3": ["Ĉiuj ŝanĝoj ĵaŭde"],
    "mac_turkish": ["Gönül dağı türküsü"],
    "cp857": ["Gönül dağı türküsü"],
    "iso8859_4": ["Ūdens un zeme mūžīgi dzied"],
    "iso8859_13": ["Daina apie mėnulį ir žvaigždes"],
    "cp775": ["Daina apie mėnulį ir žvaigždes"],
    "iso8859_7": ["Ά, το τραγούδι της αγάπης"],
    "cp737": ["Το τραγούδι της αγάπης"],
    "cp862": ["ירושלים של זהב"],
    "iso8859_6": ["أغنية الحب والسلام"],
    "euc_jp": ["上を向いて歩こう"],
}
RUSSIAN = ("Подмосковные вечера", "Ансамбль песни и пляски", "Лучшее")


def raw(title, encoding):
    return (toned(title) if encoding == "cp1258" else title).encode(encoding)


def read(data, hints=None):
    return unicodedata.normalize("NFC", detect([data], hints).texts[0])


def test_every_encoding_of_the_table_has_a_title_here():
    assert TITLES.keys() == ENCODING_WEIGHTS.keys()


@pytest.mark.parametrize(
    ("encoding", "title"), [(encoding, title) for encoding, some in TITLES.items() for title in some]
)
def test_a_title_of_several_words_is_read_right_in_every_encoding(encoding, title):
    assert read(raw(title, encoding)) == title


@pytest.mark.parametrize("encoding", ["cp1251", "koi8_r", "cp866", "mac_cyrillic", "iso8859_5", "utf-8"])
def test_a_record_is_decided_together(encoding):
    """The short field, in doubt alone, follows the others."""
    found = detect([text.encode(encoding) for text in RUSSIAN])
    assert found.texts == RUSSIAN
    assert found.encoding == encoding
    assert found.confidence > 0.9
    assert {field.decision for field in found.fields} == {"fixed"}


def test_the_fields_keep_their_order_and_ascii_ones_stay():
    fields = [b"Greatest Hits", RUSSIAN[0].encode("cp1251"), b"", b"2001", RUSSIAN[1].encode("cp1251")]
    assert detect(fields).texts == ("Greatest Hits", RUSSIAN[0], "", "2001", RUSSIAN[1])


def test_a_record_without_fields_or_with_plain_ones_is_decided_too():
    assert detect([]).texts == ()
    found = detect([b"abc", b""])
    assert (found.encoding, found.confidence, found.runner_up) == ("ascii", 1.0, "")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (("Подмосковные вечера", "cp1251"), ("Ансамбль песни и пляски", "koi8_r")),
        (("Подмосковные вечера", "cp1251"), ("Ансамбль песни и пляски", "utf-8")),
        (("Schöne Mädchen grüßen übers Meer", "latin-1"), ("Подмосковные вечера", "cp1251")),
        (("上を向いて歩こう", "cp932"), ("Les feuilles mortes de l'été passé", "latin-1")),
        (("月亮代表我的心", "gb18030"), ("月亮代表我的心情歌", "cp950")),
    ],
)
def test_a_field_that_differs_from_its_record_goes_its_own_way(first, second):
    titles = (first[0], second[0])
    data = [first[0].encode(first[1]), second[0].encode(second[1])]
    assert detect(data).texts == titles
    assert detect(data[::-1]).texts == titles[::-1]


def test_two_languages_in_one_encoding_are_no_mixed_record():
    titles = ("Подмосковные вечера", "Червона рута та інші пісні", "Greatest Hits")
    found = detect([title.encode("cp1251") for title in titles])
    assert (found.texts, found.encoding) == (titles, "cp1251")


@pytest.mark.parametrize("length", [28, 29, 30])
@pytest.mark.parametrize(
    ("encoding", "title"),
    [
        ("utf-8", "春よ遠き春よ瞼閉じればそこに"),
        ("utf-8", "Ой, цветёт калина в поле у ручья"),
        ("cp932", "春よ a 遠き春よ瞼閉じればそこに愛をくれし君の"),
        ("euc_jp", "春よ a 遠き春よ瞼閉じればそこに愛をくれし君の"),
        ("cp949", "사랑했지만 그대는 나를 떠나가고 있네요"),
        ("gb18030", "月亮代表我的心永远不会改变爱你一生 a"),
        ("cp950", "月亮代表我的心情永遠不會改變愛你一生"),
    ],
)
def test_an_id3v1_field_cut_inside_a_character_keeps_all_whole_ones(encoding, title, length):
    whole = max((title[:end] for end in range(len(title)) if len(title[:end].encode(encoding)) <= length), key=len)
    assert read(title.encode(encoding)[:length]) == whole


@pytest.mark.parametrize("encoding", ["cp1251", "utf-8", "koi8_r"])
@pytest.mark.parametrize("length", [28, 29, 30])
def test_a_cut_russian_title_is_read_as_far_as_it_goes(encoding, length):
    title = "Ой, цветёт калина в поле у ручья"
    found = read(title.encode(encoding)[:length])
    assert title.startswith(found)
    assert len(found.encode(encoding)) >= length - 1


TRUE = [
    "Señorita",
    "Für dich",
    "Noël",
    "Ça va",
    "Mötley Crüe",
    "Björk",
    "Beyoncé",
    "Þórr",
    "Größe",
    "Año",
    "São Paulo",
]


@pytest.mark.parametrize("title", TRUE)
def test_true_latin_1_stays(title):
    found = detect([title.encode("latin-1")])
    assert found.texts == (title,)
    assert found.fields[0].decision == "declared"
    assert found.fields[0].encoding == "latin-1"


@pytest.mark.parametrize("raw", ["Ñu".encode("latin-1"), "Ø".encode("latin-1")])
def test_two_bytes_that_say_next_to_nothing_stay_as_declared(raw):
    field = detect([raw]).fields[0]
    assert field.text == raw.decode("latin-1")
    assert field.confidence < 0.9


def test_windows_punctuation_shows_as_windows_1252():
    found = detect(["“Heroes” – Live".encode("cp1252")])
    assert (found.texts, found.fields[0].encoding, found.fields[0].decision) == (
        ("“Heroes” – Live",),
        "cp1252",
        "fixed",
    )


@pytest.mark.parametrize("data", [b"\xe9", b"\xe5", b"\xc9", b"\xd6", b"\xa4"])
def test_what_is_too_short_to_tell_stays_as_declared(data):
    found = detect([data]).fields[0]
    assert (found.text, found.confidence < 0.9) == (data.decode("latin-1"), True)


def test_an_undecided_field_keeps_its_declared_text_and_names_the_other_reading():
    patterns = [b"%c", b"%cr", b"%cm", b"%cy", b"%crj", b"up%canr"]
    short = [pattern % byte for pattern in patterns for byte in range(0xA0, 0x100)]
    undecided = {data: field for data in short if (field := detect([data]).fields[0]).decision == "undecided"}
    assert undecided
    for data, field in undecided.items():
        assert field.text == data.decode("latin-1")
        assert field.runner_up
        assert field.confidence < 0.75


def test_what_is_declared_may_be_another_8_bit_encoding():
    found = detect([RUSSIAN[0].encode("cp1251")], Hints(declared="cp1251"))
    assert (found.texts, found.fields[0].decision) == (RUSSIAN[:1], "declared")
    assert read(RUSSIAN[0].encode("koi8_r"), Hints(declared="cp1251")) == RUSSIAN[0]


def test_each_field_may_declare_its_own_encoding():
    fields = [RUSSIAN[0].encode("utf-16-le"), RUSSIAN[1].encode("cp1251"), RUSSIAN[0].encode("utf-8")]
    assert detect(fields, Hints(declared=("utf-16", "latin-1", "utf-8"))).texts == (RUSSIAN[0], RUSSIAN[1], RUSSIAN[0])


def test_declarations_that_are_missing_are_latin_1():
    assert detect([b"abc", RUSSIAN[0].encode("cp1251")], Hints(declared=("utf-16",))).texts[1] == RUSSIAN[0]


def test_the_evidence_of_a_clear_decision():
    found = detect([RUSSIAN[0].encode("cp1251")])
    (field,) = found.fields
    assert (found.encoding, found.language) == ("cp1251", "ru") == (field.encoding, field.language)
    assert found.confidence == field.confidence > 0.99
    assert found.margin > 5
    assert found.runner_up not in {"", "cp1251"}


def test_a_sure_field_helps_one_in_doubt_beside_it():
    """ID3v2.4 in UTF-8 beside the same title in ID3v1."""
    title = "Ёлка"
    found = detect(
        [title.encode("koi8_r"), (title + " и вальс снежинок").encode()], Hints(declared=("latin-1", "utf-8"))
    )
    assert found.texts[0] == title


@given(st.floats(0, 100), st.floats(0, 100))
def test_confidence_grows_with_the_margin(one, other):
    less, more = sorted((one, other))
    assert 0.5 <= confidence_of(less) <= confidence_of(more) <= 1


def test_confidence_grows_with_the_evidence():
    words = ["Подмосковные", "вечера", "не", "слышны", "в", "саду", "даже", "шорохи"]
    confidences = [detect([" ".join(words[:count]).encode("koi8_r")]).confidence for count in range(1, len(words) + 1)]
    assert confidences[-1] > 0.99
    assert min(confidences[2:]) > 0.9


def test_of_very_many_fields_only_so_many_are_decided_together(monkeypatch):
    sizes = []

    def counted(raws, *rest):
        sizes.append(len(raws))
        return hypotheses(raws, *rest)

    hypotheses = detector.hypotheses
    monkeypatch.setattr(detector, "hypotheses", counted)
    titles = [f"Песня {number} о тихом море" for number in range(2 * detector.MOST_TOGETHER)]
    raws = [b"Song", *(title.encode("cp1251") for title in titles), "Мороз".encode()]
    found = detect(raws, Hints(declared=("latin-1",) * (len(raws) - 1) + ("utf-8",)))
    assert max(sizes) <= detector.MOST_TOGETHER
    assert found.texts == ("Song", *titles, "Мороз")
    assert [field.decision for field in (found.fields[0], found.fields[1], found.fields[-1])] == [
        "declared",
        "fixed",
        "declared",
    ]
    assert (found.encoding, found.language) == ("cp1251", "ru")
    assert found.confidence == min(field.confidence for field in found.fields)


def test_very_many_plain_fields_are_ascii():
    found = detect([b"Song"] * (detector.MOST_TOGETHER + 1))
    assert (found.encoding, found.confidence, len(found.fields)) == ("ascii", 1.0, detector.MOST_TOGETHER + 1)


def test_the_same_bytes_are_always_decided_alike():
    data = [raw(title, encoding) for encoding, some in TITLES.items() for title in some]
    first = [detect([one]) for one in data]
    assert [detect([one]) for one in reversed(data)] == first[::-1]


@pytest.mark.parametrize("declared", ["latin-1", "utf-8"])
def test_surrogates_written_as_utf_8_are_the_character_that_they_are(declared):
    raw = b"".join(half.encode("utf-8", "surrogatepass") for half in "\ud83d\ude00") + b" party"
    assert detect([raw], Hints(declared=declared)).texts == ("😀 party",)


@pytest.mark.parametrize("text", ["Íî÷íîé ïîåçä", "Ïðèâåò ìèð", "Ìû æäåì ïåðåìåí"])
def test_many_sequences_of_utf_8_are_utf_8_however_odd_the_text(text):
    assert detect([text.encode()]).encoding.startswith("utf-8>")

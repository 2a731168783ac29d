"""What kind of bytes a field holds: 8-bit ones or Unicode in some form, whatever the container claims."""

# ruff: noqa: RUF001 - letters of many scripts are what this file is about
import pytest
from harness import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from mediacrawl.encoding import DecodedDocument, Hints, detect, repair
from mediacrawl.encoding.api import detect_text
from mediacrawl.encoding.detection.forms import FieldForm, form_of

RUSSIAN = "Подмосковные вечера"
FRENCH = "Été à la campagne"
JAPANESE = "上を向いて歩こう"


def text(raw, declared="latin-1"):
    return detect([raw], Hints(declared=declared)).texts[0]


@pytest.mark.parametrize("declared", ["latin-1", "utf-8", "utf-16", "cp1251", "no such codec", ""])
def test_ascii_is_ascii_whatever_is_declared(declared):
    assert form_of(b"Greatest Hits", declared) == FieldForm("ascii", "Greatest Hits")


def test_an_empty_field_is_ascii():
    assert form_of(b"", "utf-16") == FieldForm("ascii", "")


@pytest.mark.parametrize("title", [RUSSIAN, FRENCH, JAPANESE, "Hits", "𝄞 Musik", ""])
@pytest.mark.parametrize("declared", ["latin-1", "utf-16", "utf-8"])
@pytest.mark.parametrize(
    ("mark", "codec"), [(b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"), (b"\xef\xbb\xbf", "utf-8")]
)
def test_a_byte_order_mark_is_believed_before_what_is_declared(title, declared, mark, codec):
    assert form_of(mark + title.encode(codec), declared) == FieldForm(codec, title)


@pytest.mark.parametrize("title", [RUSSIAN, FRENCH, "Сарпике", "Мама", JAPANESE, "사랑", "Ελλάδα", "Live 2001 – Łódź"])
@pytest.mark.parametrize("order", ["utf-16-le", "utf-16-be"])
def test_declared_utf_16_without_a_mark_is_read_in_the_order_that_makes_sense(title, order):
    assert text(title.encode(order), order) == title
    assert text(title.encode(order), "utf-16") == title


@pytest.mark.parametrize("title", [RUSSIAN, FRENCH, "Greatest Hits"])
def test_a_wrongly_declared_byte_order_shows(title):
    assert text(title.encode("utf-16-le"), "utf-16-be") == title
    assert text(title.encode("utf-16-be"), "utf-16-le") == title


@pytest.mark.parametrize("title", ["Greatest Hits", FRENCH])
@pytest.mark.parametrize("order", ["utf-16-le", "utf-16-be"])
def test_utf_16_without_a_mark_in_a_latin_1_field_shows_by_its_nuls(title, order):
    assert text(title.encode(order)) == title


@pytest.mark.parametrize("order", ["utf-16-le", "utf-16-be"])
def test_8_bit_text_widened_to_utf_16_is_decided_as_8_bit_text(order):
    widened = RUSSIAN.encode("cp1251").decode("latin-1").encode(order)
    assert text(widened, "utf-16") == RUSSIAN
    assert text((b"\xff\xfe" if order == "utf-16-le" else b"\xfe\xff") + widened, "utf-16") == RUSSIAN


@pytest.mark.parametrize("codec", ["cp1251", "koi8_r", "cp866"])
@pytest.mark.parametrize("title", [RUSSIAN, RUSSIAN + "!"])
def test_8_bit_text_in_a_utf_16_field_is_not_read_as_chinese(codec, title):
    assert text(title.encode(codec), "utf-16") == title


@pytest.mark.parametrize("declared", ["latin-1", "cp1251", "utf-16"])
def test_iso_2022_jp_says_itself_what_it_is(declared):
    raw = JAPANESE.encode("iso2022_jp")
    assert form_of(raw, declared) == FieldForm("iso2022_jp", JAPANESE)
    assert text(raw, declared) == JAPANESE


def test_an_escape_that_begins_no_japanese_is_kept():
    assert text(b"\x1b[31mred \xe9t\xe9") == "\x1b[31mred été"


@pytest.mark.parametrize("raw", [b"caf\xe9\x00", b"caf\xe9\x00\x00\x00", b"\x00caf\xe9"])
def test_nuls_around_8_bit_text_stay_and_do_no_harm(raw):
    assert text(raw) == raw.decode("latin-1")


def test_utf_16_cut_inside_a_unit_loses_half_a_character_at_most():
    raw = b"\xff\xfe" + RUSSIAN.encode("utf-16-le")
    assert text(raw[:-1]) == RUSSIAN[:-1]


@pytest.mark.parametrize("cut", range(1, 4))
def test_half_a_surrogate_pair_at_the_end_never_comes_out(cut):
    raw = b"\xff\xfe" + "Musik 𝄞".encode("utf-16-le")
    text(raw[:-cut], "utf-16").encode()


@pytest.mark.parametrize("byte", range(0x80, 0xA0))
def test_a_c1_byte_is_never_dropped(byte):
    assert len(text(b"Greatest hits " + bytes((byte,)) + b" 2001")) == len("Greatest hits x 2001")


@pytest.mark.parametrize(
    "title", ["It’s Now or Never", "Don’t", "“Heroes”", "Wait…", "100 €", "Rock – Live", "Žižkov™"]
)
def test_windows_punctuation_in_a_latin_1_field_is_read(title):
    assert text(title.encode("cp1252")) == title


def test_declared_utf_8_that_is_none_is_decided_as_8_bit_text():
    assert text(RUSSIAN.encode("cp1251"), "utf-8") == RUSSIAN
    assert text(RUSSIAN.encode("utf-8"), "utf-8") == RUSSIAN


def test_declared_utf_8_may_be_wrong_text_in_right_utf_8():
    assert text(RUSSIAN.encode("cp1251").decode("latin-1").encode("utf-8"), "utf-8") == RUSSIAN


@pytest.mark.parametrize("declared", ["iso8859_1", "ISO-8859-1", "windows-1252", "unknown-8bit", "\x00", ""])
def test_an_8_bit_field_takes_the_declared_encoding_or_latin_1(declared):
    assert form_of(b"caf\xe9", declared).encoding == "cp1252"


UNMARKED = ["Привет мир", "Ελλάδα", "שלום", "東京ブルース", "さくら", "Łódź", "أغنية", "เพลง"]


@pytest.mark.parametrize("order", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("title", UNMARKED)
def test_utf_16_in_a_latin_1_field_shows_by_what_half_of_its_bytes_have_in_common(title, order):
    field = detect([title.encode(order)]).fields[0]
    assert (field.text, field.encoding, field.decision) == (title, order, "fixed")


def test_utf_16_that_is_declared_is_as_declared():
    raw = b"\xff\xfe" + RUSSIAN.encode("utf-16-le")
    assert detect([raw], Hints(declared="utf-16")).fields[0].decision == "declared"
    assert detect([raw]).fields[0].decision == "fixed"


@pytest.mark.parametrize("raw", [b"\x01caf\xe9!", b"caf\xe9 \x02\x03"])
def test_nobody_is_sure_of_a_text_with_control_characters(raw):
    assert detect([raw]).confidence < 0.9


@pytest.mark.parametrize("text", ["Größe zählt nicht", "Мумий Тролль"])
@pytest.mark.parametrize("bad", [b"\x81", b" \xff"])
def test_one_bad_byte_does_not_change_the_rest_of_a_text_that_is_declared_as_utf_8(text, bad):
    found = detect([text.encode() + bad, "Земфира".encode()], Hints(declared="utf-8")).fields[0]
    assert found.text.startswith(text)
    assert found.suspect


@pytest.mark.parametrize("title", ["Größe und Übermut für Mädchen", "Песня о весне и любви", "日本の歌と夜の街"])
@pytest.mark.parametrize("claim", ["latin-1", "cp1252"])
@pytest.mark.parametrize("bad", [b"\x96", b"\x81"])
def test_utf_8_with_one_wrong_byte_that_claims_latin_1_is_read_as_utf_8(title, claim, bad):
    raw = title.encode()
    for place in (0, len(raw)):
        torn = raw[:place] + bad + raw[place:]
        found = detect([torn], Hints(declared=claim)).fields[0]
        sign = bad.decode("cp1252", "replace")
        assert found.text == (title + sign if place else sign + title)
        assert found.suspect is (sign == "\ufffd")


STRAYS = [
    ("Café, isn{}t it", b"\x92"),
    ("Das Café {} heute", b"\x96"),
    ("«Été» {}encore{}", b"\x93"),
    ("Noël{} et puis", b"\x85"),
    ("Noël, caf{} noir", b"\xe9"),
    ("Ночь{}", b"\x85"),
    ("Ночь {} день", b"\x97"),
    ("Об{}єкт", b"\x92"),
    ("東京 {} 大阪", b"\x96"),
    ("Señor{}100 km", b"\xa0"),
]


@pytest.mark.parametrize(("text", "octet"), STRAYS)
def test_a_stray_octet_in_text_that_is_declared_as_utf_8_is_one_of_cp1252(text, octet):
    before, *after = text.encode().split(b"{}")
    raw = octet.join([before, *after])
    right = text.replace("{}", octet.decode("cp1252"))
    assert detect([raw], Hints(declared="utf-8")).fields[0].text == right
    assert detect_text(raw, Hints(declared="utf-8")).text == right
    assert DecodedDocument.of(b"<p>" + raw + b"</p>", [("utf-8", "meta")]).text == f"<p>{right}</p>"


@pytest.mark.parametrize("raw", [b"\xd0\x9d\x80\xd1\x87\xd1\x8c", b"caf\xc3\xa9 \x81", b"\xc3\xa9t\xc3\xa9 caf\xc3"])
def test_an_octet_that_is_the_rest_of_a_letter_or_none_in_cp1252_is_marked_as_lost(raw):
    found = detect([raw], Hints(declared="utf-8")).fields[0]
    assert (found.text, found.suspect) == (raw.decode("utf-8", "replace"), True)


@pytest.mark.parametrize(
    ("title", "encoding"),
    [("莫泰人口变化", "gbk"), ("おかしいな、", "big5"), ("駅ひとつ違う", "euc_jp"), ("Нека не буде", "cp855")],
)
def test_four_sequences_of_utf_8_to_a_wrong_byte_are_no_utf_8_if_no_words_come_out(title, encoding):
    assert form_of(title.encode(encoding), "latin-1").text is None


WORDS = {
    "Adlam": "𞤊𞤵𞤤𞤬𞤵𞤤𞤣𞤫", "Arabic": "موسيقى", "Armenian": "երգերը", "Balinese": "ᬩᬮᬶᬲᬂ", "Bamum": "ꚠꚡꚢꚣ",
    "Bassa Vah": "𖫐𖫑𖫒𖫓", "Batak": "ᯅᯖᯂ᯲", "Bengali": "বাংলা গান", "Bopomofo": "ㄅㄆㄇㄈ", "Buginese": "ᨅᨔᨕᨘᨁᨗ",
    "Buhid": "ᝊᝓᝑᝒ", "Canadian": "ᐃᓄᒃᑎᑐᑦ", "Chakma": "𑄌𑄋𑄴𑄟𑄳𑄦", "Cham": "ꨌꩌꨀꨁ", "Cherokee": "ᏣᎳᎩᎦᏬ",
    "Cherokee small": "ꮳꮃꭹꭶ", "Coptic": "ⲙⲉⲧⲣⲉⲙ", "Cyrillic": "песня", "Devanagari": "हिन्दी गीत", "Dogra": "𑠖𑠵𑠌𑠤",
    "Ethiopic": "ዘፈንአማርኛ", "Ethiopic extended": "ⶀⶁⶂⶃ", "Georgian": "ქართული", "Georgian capitals": "ᲥᲐᲠᲗᲣᲚᲘ",
    "Glagolitic": "ⰳⰾⰰⰳⱁⰾ", "Greek": "τραγούδι", "Greek extended": "ᾠδή ἐν", "Gujarati": "ગુજરાતી", "Gunjala Gondi":
    "𑵠𑵡𑵢𑵣", "Gurmukhi": "ਪੰਜਾਬੀ", "Han, simplified": "音乐大地", "Han, traditional": "音樂大地", "Hangul": "노래사랑",
    "Hanifi Rohingya": "𐴌𐴗𐴥𐴝", "Hanunoo": "ᜱᜨᜳᜨᜳ", "Hebrew": "שירים", "Hiragana": "うたのひ", "Javanese": "ꦗꦮꦶꦠꦼꦩ꧀ꦧꦁ",
    "Kannada": "ಕನ್ನಡ ಹಾಡು", "Katakana": "ウタノヒ", "Kayah Li": "ꤊꤛꤢꤟ", "Khmer": "ចម្រៀង", "Lao": "ເພງລາວ",
    "Latin": "Ängel", "Latin, far": "ŋʃəɓɗ", "Vietnamese": "ệộửặ", "Lepcha": "ᰛᰩᰵᰛ", "Limbu": "ᤕᤠᤰᤌᤢᤱ",
    "Lisu": "ꓡꓲ‐ꓢꓴ", "Malayalam": "മലയാളം", "Mandaic": "ࡌࡀࡍࡃࡀ", "Masaram Gondi": "𑴎𑴎𑴽𑴀", "Medefaidrin": "𖹀𖹁𖹂𖹃",
    "Meetei Mayek": "ꯃꯤꯇꯩꯃꯌꯦꯛ", "Mende": "𞠀𞠁𞠂𞠃", "Miao": "𖼀𖼁𖼂𖼃", "Mongolian": "ᠮᠣᠩᠭᠣᠯ", "Mro": "𖩀𖩁𖩂𖩃",
    "Myanmar": "မြန်မာ", "Newa": "𑐣𑐾𑐥𑐵", "New Tai Lue": "ᦅᦷᦡᦺ", "N'Ko": "ߒߞߏߓߊ", "Nyiakeng": "𞄀𞄁𞄂𞄃",
    "Ol Chiki": "ᱥᱟᱱᱛᱟᱲᱤ", "Oriya": "ଓଡ଼ିଆ ଗୀତ", "Osage": "𐓏𐓘𐓻𐓘", "Osmanya": "𐒈𐒝𐒑𐒛", "Pahawh Hmong": "𖬀𖬁𖬂𖬃",
    "Rejang": "ꤽꥍꤺꥏ", "Samaritan": "ࠔࠌࠓࠉ", "Saurashtra": "ꢱꣃꢬꢵ", "Sinhala": "සිංහල ගීත", "Sora Sompeng": "𑃐𑃑𑃒𑃓",
    "Sundanese": "ᮞᮥᮔ᮪ᮓ", "Syloti Nagri": "ꠍꠤꠟꠐ", "Syriac": "ܙܡܝܪܬܐ", "Tagalog": "ᜆᜄᜎᜓ", "Tagbanwa": "ᝦᝪᝯ",
    "Tai Le": "ᥖᥭᥰᥘᥫᥴ", "Tai Tham": "ᨲᩫ᩠ᩅᨾᩮᩥ", "Tai Viet": "ꪼꪕꪒꪾ", "Takri": "𑚔𑚭𑚊𑚤", "Tamil": "பாடல்கள்",
    "Telugu": "తెలుగు పాట", "Thaana": "ދިވެހި", "Thai": "เพลงรัก", "Tibetan": "བོད་གླུ", "Tifinagh": "ⵜⵉⴼⵉⵏⴰⵖ",
    "Toto": "𞊐𞊑𞊒𞊓", "Vai": "ꕙꔤꕉꕜ", "Wancho": "𞋒𞋀𞋉𞋃", "Warang Citi": "𑢹𑣗𑣁𑣜", "Yi": "ꆈꌠꁱꂷ", "Emoji": "🎵🎶💃🔥",
}  # fmt: skip


def read(raw, declared):
    return detect([raw], Hints(declared=declared)).texts[0]


@pytest.mark.parametrize("script", WORDS)
@pytest.mark.parametrize("order", ["utf-16-le", "utf-16-be"])
def test_a_declared_order_is_believed_from_the_first_letter_on(script, order):
    word = WORDS[script]
    wrong = {word[:end]: read(word[:end].encode(order), order) for end in range(1, 5)}
    wrong = {right: found for right, found in wrong.items() if right != found}
    assert not wrong


@pytest.mark.parametrize("script", WORDS)
def test_utf_16_without_an_order_is_little_endian_and_a_word_may_be_big_endian(script):
    word = WORDS[script]
    assert [read(word[:end].encode("utf-16-le"), "utf-16") for end in (1, 2, 3, 4)] == [
        word[:end] for end in (1, 2, 3, 4)
    ]
    assert read((word + " " + word).encode("utf-16-be"), "utf-16") == word + " " + word


@pytest.mark.parametrize("word", ["大地", "中", "天空", "梦", "山水", "爱", "光", "海", "橙色", "汤"])
@pytest.mark.parametrize("order", ["utf-16-le", "utf-16-be"])
def test_hanzi_whose_bytes_are_ascii_are_hanzi(word, order):
    assert read(word.encode(order), order) == word


@pytest.mark.parametrize("declared", ["utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("title", ["Greatest Hits", "Rock", "Love Songs, Vol. 2", "ABBA", "Live at the Hall"])
def test_ascii_in_a_field_that_declares_utf_16_is_ascii(title, declared):
    assert read(title.encode(), declared) == title


@pytest.mark.parametrize("declared", ["utf-16", "utf-16-le"])
@pytest.mark.parametrize(("title", "encoding"), [("Подмосковные вечера", "cp1251"), ("Für Elise und Chloé", "latin-1")])
def test_8_bit_text_in_a_field_that_declares_utf_16_is_8_bit_text(title, encoding, declared):
    assert read(title.encode(encoding), declared) == title


@pytest.mark.parametrize("script", ["Georgian", "Ethiopic", "Khmer", "Myanmar", "Mongolian", "Sinhala", "Devanagari"])
@pytest.mark.parametrize("order", ["utf-16-le", "utf-16-be"])
def test_utf_16_in_a_latin_1_field_shows_in_these_scripts_too(script, order):
    assert read(WORDS[script].replace(" ", "").encode(order), "latin-1") == WORDS[script].replace(" ", "")


def test_half_a_surrogate_pair_does_not_turn_the_rest_around():
    raw = "песня".encode("utf-16-le") + b"\x3d\xd8"
    assert read(raw, "utf-16-le") == "песня\ufffd"


@given(st.binary(max_size=60), st.sampled_from(["utf-16", "utf-16-le", "utf-16-be", "UTF_16LE"]))
@settings(max_examples=examples(80), deadline=None)
def test_any_bytes_have_a_shape(raw, declared):
    shape = form_of(raw, declared)
    assert shape.text is None or shape.text.encode("utf-8") is not None


@given(st.text(st.characters(codec="utf-16", categories=["L"], max_codepoint=0x2FFF), min_size=3, max_size=12))
@settings(max_examples=examples(80), deadline=None)
def test_letters_of_any_blocks_in_little_endian_as_declared_are_never_8_bit(text):
    assert form_of(text.encode("utf-16-le"), "utf-16-le").encoding.startswith("utf-16")


@pytest.mark.parametrize(
    ("stored", "text"),
    [
        ("ÿþA n n a", "Anna"),
        ("þÿ A n n a", "Anna"),
        ("яюS o n g   2 ", "Song 2"),
        ("A n n a", "A n n a"),
        ("ÿ ÿ", "ÿ ÿ"),
    ],
)
def test_utf_16_that_was_stored_with_blanks_for_zeros_needs_its_mark(stored, text):
    assert repair([stored]).texts == (text,)

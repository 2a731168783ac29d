"""UTF-16 without a byte order mark where UTF-16 is declared: it is believed, in every script of today."""

# ruff: noqa: RUF001 - letters of many scripts are what this file is about

import pytest
from harness import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from mediacrawl.encoding import Hints, detect
from mediacrawl.encoding.detection.forms import form_of

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

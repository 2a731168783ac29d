"""The table of languages with a model: letters, encodings, countries, prior probabilities, and their words.

Training and detection read the same table. Letters are the lower-case ones of the language's everyday spelling; any
other letter is foreign (`mediacrawl.encoding.codepages`). The encodings of a language are in the order of how common
they are among its files, the most common first; UTF-8 is implied.

The encoding weights are estimates of what files contain that declare Latin-1 and are not ASCII, relative to each other.
Flat priors would find rare encodings more often, common ones less often, and change more of what is right.
"""

# ruff: noqa: RUF001 - typographic signs and national letters are what this file is about
from __future__ import annotations

import codecs
import math
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

from mediacrawl.base.charsets import LONGEST_NAME

AZ: Final = "abcdefghijklmnopqrstuvwxyz"
CYRILLIC: Final = "абвгдежзийклмнопрстуфхцчшщъыьэюя"
WEST: Final = ("cp1252", "mac_roman", "cp850")
CENTRAL: Final = ("cp1250", "iso8859_2", "cp852", "mac_latin2")
BALTIC: Final = ("cp1257", "iso8859_13", "iso8859_4", "cp775")
ARABIC: Final = "ابتثجحخدذرزسشصضطظعغفقكلمنهويءآأؤإئىة"


@dataclass(frozen=True, slots=True)
class Language:
    """One language.

    Attributes:
        code: of texts and models: ISO 639-1, with a script where there are two.
        script: ``latin``, ``cyrillic``, ``cjk`` ...; the first word of its letters' Unicode names.
        letters: its alphabet in lower case; empty for Chinese, Japanese and Korean, which are modelled by characters.
        encodings: 8-bit and double-byte ones its texts were written in, as Python codec names, most common first.
        weight: share of wrongly declared files of its encodings that are in this language, relative to the others; an
            estimate.
        tlds: countries that speak it.
        codes: other names in files and pages: ISO 639-2, other tags.
        folds: pairs of a letter and the letter that it counts as: ``ςσ``.
    """

    code: str
    script: str
    letters: str
    encodings: tuple[str, ...] = ()
    weight: float = 1.0
    tlds: tuple[str, ...] = ()
    codes: tuple[str, ...] = ()
    folds: str = ""


def _latin(letters: str) -> str:
    return AZ + letters


_ALL: Final = (
    # Western Europe: ISO-8859-1 is what files declare, so only Mac and DOS encodings are ever wrong.
    Language("en", "latin", AZ, ("cp1252",), 4.0, ("uk", "us", "au", "nz", "ie", "ca"), ("eng",)),
    Language("de", "latin", _latin("äöüß"), WEST, 2.0, ("de", "at", "ch"), ("ger", "deu")),
    Language("fr", "latin", _latin("àâæçéèêëîïôœùûüÿ"), (*WEST, "iso8859_15"), 2.0, ("fr", "be", "ch", "ca"),
             ("fre", "fra")),
    Language("es", "latin", _latin("áéíñóúü"), WEST, 2.0, ("es", "mx", "ar", "cl", "co", "pe", "ve", "uy"), ("spa",)),
    Language("pt", "latin", _latin("áàâãçéêíóôõúü"), WEST, 1.5, ("pt", "br"), ("por",)),
    Language("it", "latin", _latin("àèéìíîòóùú"), WEST, 1.5, ("it", "ch"), ("ita",)),
    Language("nl", "latin", _latin("áäéèëïíóöúüĳ"), WEST, 1.0, ("nl", "be"), ("dut", "nld")),
    Language("sv", "latin", _latin("åäöéà"), WEST, 1.0, ("se",), ("swe",)),
    Language("no", "latin", _latin("æøåéèêòóô"), WEST, 0.7, ("no",), ("nor", "nob", "nb", "nn", "nno")),
    Language("da", "latin", _latin("æøåéöü"), WEST, 0.7, ("dk",), ("dan",)),
    Language("fi", "latin", _latin("äöåšž"), (*WEST, "iso8859_15"), 1.0, ("fi",), ("fin",)),
    Language("is", "latin", _latin("áðéíóúýþæö"), WEST, 0.4, ("is",), ("ice", "isl")),
    Language("ca", "latin", _latin("àçèéíïòóúü·"), WEST, 0.5, ("cat", "es", "ad"), ("cat",)),
    Language("gl", "latin", _latin("áéíñóúüï"), WEST, 0.3, ("gal", "es"), ("glg",)),
    Language("ga", "latin", _latin("áéíóú"), WEST, 0.3, ("ie",), ("gle",)),
    Language("eu", "latin", _latin("ñçü"), WEST, 0.2, ("eus", "es"), ("baq", "eus")),
    Language("af", "latin", _latin("áäéèêëíïîóôöúûü"), WEST, 0.2, ("za",), ("afr",)),
    Language("sq", "latin", _latin("çë"), ("cp1250", "cp1252", "iso8859_2", "cp852", "mac_roman"), 0.3, ("al",),
             ("alb", "sqi")),
    Language("id", "latin", _latin("é"), ("cp1252",), 0.3, ("id", "my"), ("ind", "ms", "may", "msa")),
    Language("cy", "latin", _latin("âêîôûŵŷáëïö"), ("cp1252", "iso8859_14"), 0.1, ("uk",), ("wel", "cym")),
    Language("uz", "latin", _latin("‘"), ("cp1252",), 0.2, ("uz",), ("uzb",), "ʻ‘"),
    Language("eo", "latin", _latin("ĉĝĥĵŝŭ"), ("iso8859_3",), 0.2, (), ("epo",)),
    Language("mt", "latin", _latin("ċġħżàèìòù"), ("iso8859_3",), 0.1, ("mt",), ("mlt",)),
    # Central Europe.
    Language("pl", "latin", _latin("ąćęłńóśźż"), CENTRAL, 3.0, ("pl",), ("pol",)),
    Language("cs", "latin", _latin("áčďéěíňóřšťúůýž"), CENTRAL, 2.0, ("cz",), ("cze", "ces")),
    Language("hu", "latin", _latin("áéíóöőúüű"), CENTRAL, 2.0, ("hu",), ("hun",)),
    Language("sk", "latin", _latin("áäčďéíĺľňóôŕšťúýž"), CENTRAL, 0.8, ("sk",), ("slo", "slk")),
    Language("sl", "latin", _latin("čšžćđ"), CENTRAL, 0.5, ("si",), ("slv",)),
    Language("hr", "latin", _latin("čćđšž"), CENTRAL, 0.8, ("hr", "ba", "rs", "me"), ("hrv", "bs", "bos", "sr-Latn",
             "scr")),
    Language("ro", "latin", _latin("ăâîşţ"), (*CENTRAL, "iso8859_16"), 1.0, ("ro", "md"), ("rum", "ron"), "șşțţ"),
    # Turkic in Latin letters, the Baltic, Vietnam.
    Language("tr", "latin", _latin("çğıöşüâîû"), ("cp1254", "mac_turkish", "cp857"), 1.0, ("tr",), ("tur",)),
    Language("az", "latin", _latin("çəğıöşü"), (), 0.3, ("az",), ("aze",)),
    Language("lt", "latin", _latin("ąčęėįšųūž"), BALTIC, 1.0, ("lt",), ("lit",)),
    Language("lv", "latin", _latin("āčēģīķļņšūž"), BALTIC, 1.0, ("lv",), ("lav",)),
    Language("et", "latin", _latin("äõöüšž"), (*BALTIC, "cp1252"), 0.7, ("ee",), ("est",)),
    # The five tone marks follow their vowel, as in cp1258: \u0300 \u0301 \u0303 \u0309 \u0323.
    Language("vi", "latin", _latin("ăâđêôơư\u0300\u0301\u0303\u0309\u0323"), ("cp1258",), 1.0, ("vn",), ("vie",)),
    # Cyrillic.
    Language("ru", "cyrillic", CYRILLIC + "ё", ("cp1251", "koi8_r", "cp866", "mac_cyrillic", "iso8859_5"), 8.0,
             ("ru", "su", "by", "kz", "ua"), ("rus",)),
    Language("uk", "cyrillic", "абвгґдеєжзиіїйклмнопрстуфхцчшщьюя", ("cp1251", "koi8_u", "cp1125", "mac_cyrillic",
             "iso8859_5"), 1.5, ("ua",), ("ukr",)),
    Language("be", "cyrillic", "абвгдеёжзійклмнопрстуўфхцчшыьэюя", ("cp1251", "cp866", "mac_cyrillic", "iso8859_5"),
             0.4, ("by",), ("bel",)),
    Language("bg", "cyrillic", CYRILLIC.replace("ы", "").replace("э", ""), ("cp1251", "mac_cyrillic", "iso8859_5",
             "cp866", "koi8_r"), 1.0, ("bg",), ("bul",)),
    Language("sr", "cyrillic", "абвгдђежзијклљмнњопрстћуфхцчџш", ("cp1251", "mac_cyrillic", "iso8859_5", "cp855"),
             0.4, ("rs", "ba", "me"), ("srp", "scc")),
    Language("mk", "cyrillic", "абвгдѓежзѕијклљмнњопрстќуфхцчџшѐѝ", ("cp1251", "mac_cyrillic", "iso8859_5",
             "cp855"), 0.3, ("mk",), ("mac", "mkd")),
    Language("kk", "cyrillic", CYRILLIC + "ёәғқңөұүһі", ("kz1048", "ptcp154"), 0.3, ("kz",), ("kaz",)),
    Language("ky", "cyrillic", CYRILLIC + "ёңөү", (), 0.1, ("kg",), ("kir",)),
    Language("tt", "cyrillic", CYRILLIC + "ёәҗңөүһ", (), 0.1, ("tatar",), ("tat",)),
    Language("mn", "cyrillic", CYRILLIC + "ёөү", (), 0.1, ("mn",), ("mon",)),
    # Other alphabets.
    Language("el", "greek", "αβγδεζηθικλμνξοπρστυφχψωάέήίόύώϊϋΐΰ", ("cp1253", "iso8859_7", "cp737"), 1.0, ("gr",
             "cy"), ("gre", "ell"), "ςσ"),
    Language("he", "hebrew", "אבגדהוזחטיךכלםמןנסעףפץצקרשת", ("cp1255", "cp862"), 1.0, ("il",), ("heb", "iw")),
    Language("ar", "arabic", ARABIC + "\u064b\u064c\u064d\u064e\u064f\u0650\u0651\u0652", ("cp1256", "iso8859_6"),
             2.0, ("sa", "eg", "ae", "ma", "dz", "tn", "iq", "sy", "jo", "lb", "kw"), ("ara",)),
    Language("fa", "arabic", ARABIC + "پچژگک\u064b\u0651", ("cp1256",), 0.7, ("ir", "af"), ("per", "fas"), "یي"),
    Language("ur", "arabic", ARABIC + "پچژگکٹڈڑںہھے\u064b", ("cp1256",), 0.3, ("pk",), ("urd",), "یي"),
    Language("th", "thai", "".join(map(chr, (*range(0xE01, 0xE3B), *range(0xE40, 0xE4F)))), ("cp874",), 1.0,
             ("th",), ("tha",)),
    Language("ka", "georgian", "აბგდევზთიკლმნოპჟრსტუფქღყშჩცძწჭხჯჰ", (), 0.1, ("ge",), ("geo", "kat")),
    Language("hy", "armenian", "աբգդեզէըթժիլխծկհձղճմյնշոչպջռսվտրցւփքօֆև", (), 0.1, ("am",), ("arm", "hye")),
    Language("hi", "devanagari", "".join(map(chr, (*range(0x901, 0x93A), *range(0x93C, 0x94E)))), (), 0.2, ("in",),
             ("hin", "kok", "mar", "nep")),
    # By characters.
    Language("ja", "cjk", "", ("cp932", "euc_jp"), 1.0, ("jp",), ("jpn",)),
    Language("ko", "cjk", "", ("cp949",), 1.0, ("kr",), ("kor",)),
    Language("zh-Hans", "cjk", "", ("gb18030",), 1.0, ("cn", "sg"), ("chi", "zho", "zh", "zh-CN", "zh-SG", "cmn")),
    Language("zh-Hant", "cjk", "", ("cp950",), 1.0, ("tw", "hk", "mo"), ("zh-TW", "zh-HK", "yue")),
)  # fmt: skip

LANGUAGES: Final[dict[str, Language]] = {language.code: language for language in _ALL}
TONES = "\u0300\u0301\u0303\u0309\u0323"
_TONES = frozenset(TONES)
_TURKIC = str.maketrans("Iİ", "ıi")


def lower(text: str, code: str) -> str:
    """Lower case by the rules of the language: Turkish and Azerbaijani have a dotless i."""
    if code in ("tr", "az"):
        text = text.translate(_TURKIC)
    return text.lower()


def toned(text: str) -> str:
    """Vietnamese as cp1258 writes it: the five tone marks after their vowel, other marks in the letter."""
    return "".join(map(_toned, text)) if not text.isascii() else text


@cache
def _toned(char: str) -> str:
    parts = unicodedata.normalize("NFD", char)
    tones = "".join(part for part in parts if part in _TONES)
    if not tones:
        return char
    return unicodedata.normalize("NFC", "".join(part for part in parts if part not in _TONES)) + tones


_WORD = re.compile(r"[^\W\d_]+(?:[\u0300-\u036f\u0591-\u06ed\u0900-\u0e4e·‘]+[^\W\d_]*)*")
"""Letters, with the marks that some scripts write among them."""


@cache
def _folds(code: str) -> dict[int, str]:
    folds = LANGUAGES[code].folds if code in LANGUAGES else ""
    return {ord(folds[i]): folds[i + 1] for i in range(0, len(folds), 2)}


def words(lines: Iterable[str], language: Language) -> Iterator[str]:
    """Yield the words of running text, in lower case, folded to the letters of the language.

    Words with other letters are left out.
    """
    letters = frozenset(language.letters)
    folds = _folds(language.code)
    for line in lines:
        for word in _WORD.findall(lower(line, language.code)):
            folded = word.translate(folds) if folds else word
            if language.code == "vi":
                folded = toned(folded)
            if letters.issuperset(folded):
                yield folded


ENCODING_WEIGHTS: Final[dict[str, float]] = {
    # The declared encoding is mostly right.
    "cp1252": 1000.0,
    "cp1251": 45.0, "gb18030": 11.0, "cp932": 18.0, "utf-8": 24.0, "cp949": 7.0, "cp1250": 7.0, "cp950": 5.5,
    "cp1256": 2.25, "cp1253": 3.0,
    "cp1255": 5.4, "cp1254": 2.7, "cp874": 2.7, "cp1257": 1.0, "cp1258": 0.6,
    "koi8_r": 0.6, "koi8_u": 0.2, "cp866": 0.6, "cp1125": 0.2, "mac_cyrillic": 0.4, "iso8859_5": 0.4, "kz1048": 0.15,
    "ptcp154": 0.01,
    "iso8859_2": 0.5, "cp852": 0.5, "mac_latin2": 0.4, "iso8859_16": 0.02, "cp855": 0.02,
    "mac_roman": 0.8, "cp850": 1.5, "iso8859_15": 0.05, "iso8859_14": 0.02, "iso8859_3": 0.05,
    "mac_turkish": 0.15, "cp857": 0.15, "iso8859_4": 0.2, "iso8859_13": 0.1, "cp775": 0.1,
    "iso8859_7": 0.1, "cp737": 0.2, "cp862": 0.2, "iso8859_6": 0.2, "euc_jp": 0.5,
}  # fmt: skip
"""How many wrongly declared media files are in an encoding, relative to the others: those that have a model."""

SOFTEN: Final = 0.75
"""Power of the weights: 0 makes them equal, 1 leaves them as they are."""

SOFTEN_SHARE: Final = 0.5
"""The same for the shares of the languages of an encoding."""

UTF8: Final = ("utf-8", "")
"""UTF-8 has no language before it is decoded."""


def prior_nats(encoding: str, code: str) -> float:
    """Return the prior cost of an encoding with a language, in nats above the likeliest."""
    share = 1.0
    if code:
        rivals = [language for language in LANGUAGES.values() if encoding in language.encodings]
        share = LANGUAGES[code].weight / sum(language.weight for language in rivals)
    return -math.log((ENCODING_WEIGHTS[encoding] / ENCODING_WEIGHTS["cp1252"]) ** SOFTEN * share**SOFTEN_SHARE)


@cache
def all_priors() -> dict[tuple[str, str], float]:
    """Return the prior probability of each encoding with each language; the sum is 1."""
    keys = [(encoding, language.code) for language in LANGUAGES.values() for encoding in language.encodings]
    weights = {key: math.exp(-prior_nats(*key)) for key in (*keys, UTF8)}
    total = sum(weights.values())
    return {key: weight / total for key, weight in weights.items()}


_SAME: Final = {
    "iso8859-1": "cp1252", "latin-1": "cp1252", "ascii": "cp1252", "iso8859-9": "cp1254", "iso8859-8": "cp1255",
    "iso8859-11": "cp874", "tis-620": "cp874",
    "shift_jis": "cp932", "euc_kr": "cp949", "gb2312": "gb18030", "gbk": "gb18030", "big5": "cp950",
    "big5hkscs": "cp950", "mac-cyrillic": "mac_cyrillic",
    "mac-roman": "mac_roman", "mac-latin2": "mac_latin2", "mac-turkish": "mac_turkish", "koi8-r": "koi8_r",
    "koi8-u": "koi8_u",
}  # fmt: skip


@lru_cache(maxsize=256)
def codec_name(name: str) -> str:
    """The canonical name of an encoding in this package, by any name that Python knows; empty if it has no prior.

    A subset has the name of its superset: GB2312 is gb18030, Shift_JIS is cp932, Latin-1 is cp1252.
    """
    if not name or len(name) > LONGEST_NAME:
        return ""
    try:
        known = codecs.lookup(name).name
    except (LookupError, ValueError):
        return ""
    known = _SAME.get(known, known)
    dashed = known.replace("-", "_")
    return known if known in ENCODING_WEIGHTS else dashed if dashed in ENCODING_WEIGHTS else ""


@cache
def _names() -> dict[str, tuple[str, ...]]:
    names: dict[str, list[str]] = {}
    for language in LANGUAGES.values():
        for name in (language.code, *language.codes):
            names.setdefault(name.lower(), []).append(language.code)
    return {name: tuple(codes) for name, codes in names.items()}


def languages_named(name: str) -> tuple[str, ...]:
    """Return the languages with a model that a tag names: ``pt-BR`` is Portuguese, ``zh`` either Chinese."""
    lowered = name.lower().replace("_", "-")
    names = _names()
    if lowered in ("zh", "zho", "chi"):
        return ("zh-Hans", "zh-Hant")
    while lowered not in names and "-" in lowered:
        lowered = lowered.rpartition("-")[0]
    return names.get(lowered, ())

"""Recordings whose tags claim one encoding and hold another, as millions of files do, and some that only look so.

The sound is that of the demo's other files; the tags are written here. All names and titles were made up for this
project and are CC0, like the files in ``media``.
"""

# ruff: noqa: RUF001 - the titles are in many scripts on purpose
from __future__ import annotations

import codecs
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import NamedTuple, TypeVar

from mediacrawl.demo.tags import Field, Fields, id3v1, id3v2, retag_flac, retag_m4a, retag_mp3

_Value = TypeVar("_Value", str, int)

LATIN1, UTF16 = 0, 1
_CLAIMED = {LATIN1: "latin-1", UTF16: "utf-16"}
_V1_BYTES = 30


class Names(NamedTuple):
    """What a recording is called; an empty text where its maker gave none."""

    title: str
    artist: str
    album: str


@dataclass(frozen=True, slots=True)
class Recording:
    """A file whose tags are written by hand.

    Attributes:
        folder: where it stands in its archive.
        names: as its maker meant them.
        v2: codec of the main tag, of all three texts or of title, artist and album; empty if there is only ID3v1.
        claims: ID3v2's encoding byte, of all three texts or of each. A text under ``UTF16`` in another codec was
            widened: each of its bytes became a character.
        v1: codec of the ID3v1 tag; empty if there is none. Its texts are cut after 30 bytes.
        version: of ID3v2.
    """

    folder: str
    names: Names
    v2: str | tuple[str, str, str] = ""
    claims: int | tuple[int, int, int] = LATIN1
    v1: str = ""
    version: int = 3

    @property
    def wrong(self) -> str:
        """The first codec that is another one than the file claims; empty if it claims the truth."""
        held = [*zip(_each(self.v2), _each(self.claims), strict=True), (self.v1, LATIN1)]
        return next((codec for codec, claim in held if codec and codec != _CLAIMED[claim]), "")

    @property
    def readable(self) -> Names:
        """The names as far as the file holds them: an ID3v1 tag alone cuts them."""
        return self.names if self.v2 else Names(*(_held(text, self.v1) for text in self.names))

    def fields(self) -> Fields:
        """The texts of the main tag, as they stand in the file."""
        return Fields(*map(_field, self.names, _each(self.v2), _each(self.claims)))

    def short_fields(self) -> Fields:
        """The texts of the ID3v1 tag, not yet cut."""
        return Fields(*(Field(text.encode(self.v1)) for text in self.names))


def _each(value: _Value | tuple[_Value, _Value, _Value]) -> tuple[_Value, _Value, _Value]:
    return value if isinstance(value, tuple) else (value, value, value)


def _held(text: str, codec: str) -> str:
    return text.encode(codec)[:_V1_BYTES].decode(codec, "ignore")


def _field(text: str, codec: str, claim: int) -> Field:
    raw = text.encode("utf-16-le" if codec == "utf-16" else codec)
    if claim != UTF16:
        return Field(raw)
    wide = raw if codec == "utf-16" else raw.decode("latin-1").encode("utf-16-le")
    return Field(codecs.BOM_UTF16_LE + wide, claim)


RECORDINGS = {
    # One wrong encoding for all of the tag.
    "faros.mp3": Recording("el", Names("Ο παλιός φάρος", "Ορχήστρα του Κάβου", "Τραγούδια του λιμανιού"), "cp1253"),
    "snieg.mp3": Recording("pl", Names("Śnieg na łące", "Zespół Żółta Łódź", "Pieśni znad rzeki"), "cp1250"),
    "deste.mp3": Recording("cs", Names("Šumění deště v údolí", "Kapela Modrý Žebřík", "Večerní písně"), "iso8859_2"),
    "ezeras.mp3": Recording("lt", Names("Žvejų daina prie ežero", "Šiaurės Žibintai", "Vakaro šviesos"), "cp1257"),
    "bereg.mp3": Recording("ru", Names("Песня о дальнем береге", "Ансамбль Белая Коса", "Северные вечера"), "koi8_r"),
    "dozhd.mp3": Recording("ru", Names("Дождь над старым городом", "Группа Тихий Двор", "Осенние тетради"), "cp866"),
    "more.mp3": Recording("bg", Names("Път към морето", "Група Бяла Лодка", "Песни от планината"), "mac_cyrillic"),
    "sahil.mp3": Recording("tr", Names("Rüzgârın şarkısı", "Gümüş Dağ Topluluğu", "Eski kıyı türküleri"), "cp1254"),
    "gesher.mp3": Recording("he", Names("שיר על הגשר הישן", "להקת הרוח הצפונית", "לילות של קיץ"), "cp1255"),
    "shati.mp3": Recording("ar", Names("أغنية على الشاطئ", "فرقة النجوم البعيدة", "حكايات المدينة القديمة"), "cp1256"),
    "maenam.mp3": Recording("th", Names("เพลงริมแม่น้ำยามเย็น", "วงดาวเหนือ", "บันทึกจากทะเล"), "cp874"),
    "bencu.mp3": Recording("vi", Names("Chiều trên bến cũ", "Nhóm Gió Đồng", "Những bài hát bên sông"), "utf-8"),
    "xiaoxiang.mp3": Recording("zh-cn", Names("雨后的小巷", "远山乐队", "夏夜的河流"), "gb18030"),
    "laoshu.mp3": Recording("zh-tw", Names("車站旁的老樹", "藍色雨傘樂團", "寫給遠方的歌"), "big5"),
    "sakamichi.mp3": Recording("ja", Names("夜明けの坂道", "月見草楽団", "海辺からの手紙"), "euc_jp"),
    "farol.mp3": Recording("pt", Names("A canção do farol", "Grupo Maré Mansa", "Histórias do cais"), "utf-8"),
    # Each byte of cp1251 widened to a character of UTF-16.
    "doroha.mp3": Recording(
        "uk", Names("Вечірня дорога додому", "Гурт Синя Левада", "Пісні над річкою"), "cp1251", UTF16, version=4
    ),
    # Containers whose texts are UTF-8 by their own rules.
    "tuman.flac": Recording("ru", Names("Берег за туманом", "Хор Дальние Огни", "Зимняя почта"), "cp1251"),
    "hegy.m4a": Recording("hu", Names("Őszi eső a hegyen", "Kék Vízimalom Együttes", "Történetek a tóról"), "cp1250"),
    # The title is right, the others are not; two tags that differ; an ID3v1 tag cut inside a character.
    "perron.mp3": Recording(
        "ru",
        Names("Снег на перроне", "Тихая Пристань", "Письма с севера"),
        ("utf-16", "cp1251", "cp1251"),
        (UTF16, LATIN1, LATIN1),
    ),
    "lodka.mp3": Recording("ru", Names("Лодка у причала", "Тихая Пристань", "Письма с юга"), "cp1251", v1="cp866"),
    "sanyue.mp3": Recording(
        "zh-cn", Names("3月的雨后小巷里有人轻轻唱着老歌", "远山乐队", "夏夜的河流"), "gbk", v1="gbk"
    ),
    "cantigas.mp3": Recording("pt", Names("Cantigas de amanhã e do coração", "Grupo Maré Mansa", "Serões"), v1="utf-8"),
    # These claim the truth, and must stay as they are.
    "tilleuls.mp3": Recording(
        "fr", Names("L'été sous les tilleuls", "Trio Fenêtre Ouverte", "Soirées à la rivière"), "latin-1", v1="latin-1"
    ),
    "daecher.mp3": Recording("de", Names("Grüße über die Dächer", "Die Gleisgärtner", "Früh am Fluß"), "latin-1"),
    "kyma.mp3": Recording(
        "el", Names("Το κύμα και το φως", "Νησιώτικη Παρέα", "Μικρό λιμάνι"), "utf-16", UTF16, version=4
    ),
}
"""File name -> how it is made."""

_SOUNDS = ("nachtzug.mp3", "regenlied.mp3", "kaze.mp3", "utro.mp3")


def build(name: str, sound: Callable[[str], bytes]) -> bytes:
    """The bytes of one of `RECORDINGS`.

    Args:
        name: of the file.
        sound: gives the bytes of a file of the library by its name.
    """
    made = RECORDINGS[name]
    suffix = PurePosixPath(name).suffix
    if suffix == ".flac":
        return retag_flac(sound("low-water.flac"), made.fields())
    if suffix == ".m4a":
        return retag_m4a(sound("burza.m4a"), made.fields())
    v2 = id3v2(made.fields(), made.version) if made.v2 else b""
    v1 = id3v1(made.short_fields()) if made.v1 else b""
    return retag_mp3(sound(_SOUNDS[len(name) % len(_SOUNDS)]), v2, v1)

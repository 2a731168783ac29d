"""The demo web's media files: small synthetic files with tags, some of them in the wrong encoding."""

# ruff: noqa: RUF001 - the titles are Greek, Russian and Turkish on purpose
from __future__ import annotations

import codecs
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import PurePosixPath
from typing import NamedTuple, TypeVar

from mediacrawl.programs.demo.tags import (
    EncodedText,
    EncodedTexts,
    audio_span,
    id3v1,
    id3v2,
    retag_flac,
    retag_m4a,
    retag_mp3,
)

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
        names: as its maker meant them.
        v2: codec of the main tag, of all three texts or of title, artist and album; empty if there is only ID3v1.
        claims: ID3v2's encoding byte, of all three texts or of each. A text under ``UTF16`` in another codec was
            widened: each of its bytes became a character.
        v1: codec of the ID3v1 tag; empty if there is none. Its texts are cut after 30 bytes.
        version: of ID3v2.
    """

    names: Names
    v2: str | tuple[str, str, str] = ""
    claims: int | tuple[int, int, int] = LATIN1
    v1: str = ""
    version: int = 3

    @property
    def wrong(self) -> str:
        """Return the first codec that is another one than the file claims; empty if it claims the truth."""
        held = [*zip(_each(self.v2), _each(self.claims), strict=True), (self.v1, LATIN1)]
        return next((codec for codec, claim in held if codec and codec != _CLAIMED[claim]), "")

    @property
    def readable(self) -> Names:
        """Return the names as far as the file holds them: an ID3v1 tag alone cuts them."""
        return self.names if self.v2 else Names(*map(self._cut, self.names))

    def _cut(self, text: str) -> str:
        return text.encode(self.v1)[:_V1_BYTES].decode(self.v1, "ignore")

    def fields(self) -> EncodedTexts:
        """Return the texts of the main tag, as they are in the file."""
        return EncodedTexts(*map(_field, self.names, _each(self.v2), _each(self.claims)))

    def short_fields(self) -> EncodedTexts:
        """Return the texts of the ID3v1 tag, not yet cut."""
        return EncodedTexts(*(EncodedText(text.encode(self.v1)) for text in self.names))


def _each(value: _Value | tuple[_Value, _Value, _Value]) -> tuple[_Value, _Value, _Value]:
    return value if isinstance(value, tuple) else (value, value, value)


def _field(text: str, codec: str, claim: int) -> EncodedText:
    raw = text.encode("utf-16-le" if codec == "utf-16" else codec)
    if claim != UTF16:
        return EncodedText(raw)
    wide = raw if codec == "utf-16" else raw.decode("latin-1").encode("utf-16-le")
    return EncodedText(codecs.BOM_UTF16_LE + wide, claim)


RECORDINGS = {
    # One wrong encoding for all of the tag.
    "faros.mp3": Recording(Names("Ο παλιός φάρος", "Ορχήστρα του Κάβου", "Τραγούδια του λιμανιού"), "cp1253"),
    "snieg.mp3": Recording(Names("Śnieg na łące", "Zespół Żółta Łódź", "Pieśni znad rzeki"), "cp1250"),
    "deste.mp3": Recording(Names("Šumění deště v údolí", "Kapela Modrý Žebřík", "Večerní písně"), "iso8859_2"),
    "ezeras.mp3": Recording(Names("Žvejų daina prie ežero", "Šiaurės Žibintai", "Vakaro šviesos"), "cp1257"),
    "bereg.mp3": Recording(Names("Песня о дальнем береге", "Ансамбль Белая Коса", "Северные вечера"), "koi8_r"),
    "dozhd.mp3": Recording(Names("Дождь над старым городом", "Группа Тихий Двор", "Осенние тетради"), "cp866"),
    "more.mp3": Recording(Names("Път към морето", "Група Бяла Лодка", "Песни от планината"), "mac_cyrillic"),
    "sahil.mp3": Recording(Names("Rüzgârın şarkısı", "Gümüş Dağ Topluluğu", "Eski kıyı türküleri"), "cp1254"),
    "gesher.mp3": Recording(Names("שיר על הגשר הישן", "להקת הרוח הצפונית", "לילות של קיץ"), "cp1255"),
    "shati.mp3": Recording(Names("أغنية على الشاطئ", "فرقة النجوم البعيدة", "حكايات المدينة القديمة"), "cp1256"),
    "maenam.mp3": Recording(Names("เพลงริมแม่น้ำยามเย็น", "วงดาวเหนือ", "บันทึกจากทะเล"), "cp874"),
    "bencu.mp3": Recording(Names("Chiều trên bến cũ", "Nhóm Gió Đồng", "Những bài hát bên sông"), "utf-8"),
    "xiaoxiang.mp3": Recording(Names("雨后的小巷", "远山乐队", "夏夜的河流"), "gb18030"),
    "laoshu.mp3": Recording(Names("車站旁的老樹", "藍色雨傘樂團", "寫給遠方的歌"), "big5"),
    "sakamichi.mp3": Recording(Names("夜明けの坂道", "月見草楽団", "海辺からの手紙"), "euc_jp"),
    "farol.mp3": Recording(Names("A canção do farol", "Grupo Maré Mansa", "Histórias do cais"), "utf-8"),
    # Each byte of cp1251 widened to a character of UTF-16.
    "doroha.mp3": Recording(
        Names("Вечірня дорога додому", "Гурт Синя Левада", "Пісні над річкою"), "cp1251", UTF16, version=4
    ),
    # Containers whose texts are UTF-8 by their own rules.
    "tuman.flac": Recording(Names("Берег за туманом", "Хор Дальние Огни", "Зимняя почта"), "cp1251"),
    "hegy.m4a": Recording(Names("Őszi eső a hegyen", "Kék Vízimalom Együttes", "Történetek a tóról"), "cp1250"),
    # The title is right, the others are not; two tags that differ; an ID3v1 tag cut inside a character.
    "perron.mp3": Recording(
        Names("Снег на перроне", "Тихая Пристань", "Письма с севера"),
        ("utf-16", "cp1251", "cp1251"),
        (UTF16, LATIN1, LATIN1),
    ),
    "lodka.mp3": Recording(Names("Лодка у причала", "Тихая Пристань", "Письма с юга"), "cp1251", v1="cp866"),
    "sanyue.mp3": Recording(Names("3月的雨后小巷里有人轻轻唱着老歌", "远山乐队", "夏夜的河流"), "gbk", v1="gbk"),
    "cantigas.mp3": Recording(Names("Cantigas de amanhã e do coração", "Grupo Maré Mansa", "Serões"), v1="utf-8"),
    # These claim the truth, and must stay as they are.
    "tilleuls.mp3": Recording(
        Names("L'été sous les tilleuls", "Trio Fenêtre Ouverte", "Soirées à la rivière"), "latin-1", v1="latin-1"
    ),
    "daecher.mp3": Recording(Names("Grüße über die Dächer", "Die Gleisgärtner", "Früh am Fluß"), "latin-1"),
    "kyma.mp3": Recording(Names("Το κύμα και το φως", "Νησιώτικη Παρέα", "Μικρό λιμάνι"), "utf-16", UTF16, version=4),
}
"""File name -> how it is made."""

_SOUNDS = ("nachtzug.mp3", "regenlied.mp3", "kaze.mp3", "utro.mp3")


CONTENT_TYPES = {
    ".mp3": "audio/mpeg",
    ".m4a": "audio/mp4",
    ".mp4": "video/mp4",
    ".ogg": "audio/ogg",
    ".opus": "audio/ogg",
    ".flac": "audio/flac",
    ".aac": "audio/aac",
    ".ac3": "audio/ac3",
    ".aiff": "audio/aiff",
    ".amr": "audio/AMR",
    ".au": "audio/basic",
    ".avi": "video/x-msvideo",
    ".caf": "audio/x-caf",
    ".dsf": "audio/x-dsf",
    ".flv": "video/x-flv",
    ".kar": "audio/midi",
    ".loas": "audio/MP4A-LATM",
    ".m2ts": "video/mp2t",
    ".m4b": "audio/mp4",
    ".mid": "audio/midi",
    ".mkv": "video/x-matroska",
    ".mod": "audio/x-mod",
    ".rm": "audio/x-pn-realaudio",
    ".w64": "audio/x-w64",
    ".wav": "audio/wav",
    ".webm": "video/webm",
    ".wma": "audio/x-ms-wma",
    ".wv": "audio/x-wavpack",
}

_GARDENERS = "Die Gleisgärtner"
_FERRY, _NORTH = "Тихая Пристань", "Письма с севера"
_PARTY, _HARBOUR = "Νησιώτικη Παρέα", "Μικρό λιμάνι"
_TEA, _TEA_HOST = "Чай у окна", "Вера Лужина"

NAMES = {
    "baile.avi": Names("Baile de otoño", "Cine del Arrabal", ""),
    "bateau.mp4": Names("Le bateau de papier", "Ciné-club des Écluses", ""),
    "brim.webm": Names("Brim við bryggjuna", "Fjarðarbíó", ""),
    "burza.m4a": Names("Burza nad jeziorem", "Kapela Żuraw", "Źródło"),
    "cafe.mp3": Names("Café on the Quay", "Harbour & Sons", "Tide Tables"),
    "can-y-mor.dsf": Names("Cân y môr", "Côr y Glannau", ""),
    "chai-1.mp3": Names("Пролог: Закипает вода", _TEA_HOST, _TEA),
    "chai-2.mp3": Names("Выпуск 2: Варенье и сосульки", _TEA_HOST, _TEA),
    "chai-3.mp3": Names("Выпуск 3: Сосед с виолончелью", _TEA_HOST, _TEA),
    "chai-3.opus": Names("Выпуск 3: Сосед с виолончелью", _TEA_HOST, _TEA),
    "dag-yolu.mkv": Names("Dağ yolunda kış", "Kıyı Film", ""),
    "foire.mp4": Names("La foire aux cerfs-volants", "Ciné-club des Écluses", ""),
    "folge-1.mp3": Names("Folge 1: Frühstück im Stehen", "Podcast am Morgen", "Staffel 1"),
    "folge-2.mp3": Names("Folge 2: Zwölf Brötchen, bitte", "Podcast am Morgen", "Staffel 1"),
    "folge-3.mp3": Names("Folge 3: Größere Tassen", "Podcast am Morgen", "Staffel 1"),
    "gradina.w64": Names("Ploaie peste grădină", "Corul din Vale", ""),
    "hajo.mkv": Names("Hajó a ködben", "Tiszai Filmkör", ""),
    "halling.aiff": Names("Hallingdans på tunet", "Fjordlaget", "Sommerkveld"),
    "haus.m4b": Names("Das Haus über den Dächern", "Friedrun Höller", "Stille Häuser"),
    "heidi.caf": Names("Sól yfir heiðinni", "Heiðarkórinn", ""),
    "kaze.mp3": Names("風の駅", "青葉三重奏", "窓のむこう"),
    "kisa.wav": Names("Kiša na trgu", "Družba Čipka", "Šetnja"),
    "kitchen.mp3": Names("Kitchen Recording No. 4", "Harbour & Sons", "Shoebox"),
    "lanternes.mp3": Names("Les lanternes de l'été", "Chœur des Écluses", "La fête au canal"),
    "low-water.flac": Names("Low Water", "Harbour & Sons", "Tide Tables"),
    "manha.wma": Names("Manhã de nevoeiro", "Trio da Ribeira", "Casa de pedra"),
    "marea.ac3": Names("Marea di marzo", "Coro del Molo", ""),
    "minato.mp3": Names("港の灯り", "青葉三重奏", "窓のむこう"),
    "mlyn.webm": Names("Mlýn u řeky", "Povltavský film", ""),
    "most.mp3": Names("Старый мост", _FERRY, _NORTH),
    "mosty.flac": Names("Mosty nad řekou", "Kapela Modrý Žebřík", "Večerní písně"),
    "nachtzug.mp3": Names("Nachtzug nach Köln", _GARDENERS, "Fahrplanwechsel"),
    "ninna.aac": Names("Ninna nanna del porto", "Coro del Molo", "Città bassa"),
    "nordurljos.mp4": Names("Norðurljós yfir firðinum", "Fjarðarbíó", ""),
    "notat.amr": Names("Notat fra båten", "Ragnhild Moe", ""),
    "nychta.opus": Names("Νύχτα στο μπαλκόνι", _PARTY, _HARBOUR),
    "ozero.mp3": Names("Озеро в октябре", _FERRY, _NORTH),
    "raba.au": Names("Öö raba serval", "Rabakoor", "Kuivad jalad"),
    "ranta.loas": Names("Rannan ääniä", "Rantaryhmä", ""),
    "regendak.mod": Names("Regen op het dak", "", ""),
    "regenlied.mp3": Names("Regenlied für Übermütige", _GARDENERS, "Fahrplanwechsel"),
    "sanchaek.mp3": Names("산책하는 고양이", "달빛 상점", "골목 이야기"),
    "spacer.m4a": Names("Zimowy spacer wśród łąk", "Kapela Żuraw", "Źródło"),
    "spole.mp3": Names("Spole på loftet", "Søren Lyng", "Støv"),
    "svetilka.mid": Names("Svetilka ob oknu", "", ""),
    "thalassa.ogg": Names("Η θάλασσα το πρωί", _PARTY, _HARBOUR),
    "tramvai.kar": Names("Вечерний трамвай", _FERRY, ""),
    "tuuli.wv": Names("Tuuli järvellä", "Saaren Soittajat", "Kesäyö"),
    "udvar.mp4": Names("Udvar délután", "Kata telefonja", ""),
    "utro.mp3": Names("Утро на берегу", _FERRY, _NORTH),
    "vecer.rm": Names("Večer na jezeru", "Jezerska godba", ""),
    "vinter.flv": Names("Vintervägen", "Skärgårdsfilm", ""),
    "vogguvisa.mp3": Names("Vögguvísa við gluggann", "Sigga í Hvammi", ""),
    "vonat.m2ts": Names("Tavaszi vonat", "Dunaparti Mozi", ""),
    **{name: made.readable for name, made in RECORDINGS.items()},
}
"""File name -> title, artist and album as its maker meant them, also where the file itself declares a wrong encoding;
where an ID3v1 tag alone cut them, as far as the file holds them; of a file without text what a page or the
data of a player says, as the artist of heidi.caf."""

LEGACY_ENCODINGS = {
    "ozero.mp3": "cp1251",
    "most.mp3": "cp1251",
    "minato.mp3": "shift_jis",
    "sanchaek.mp3": "euc_kr",
    "kisa.wav": "cp1250",
    "baile.avi": "utf-8",
    "halling.aiff": "utf-8",
    "raba.au": "utf-8",
    "tramvai.kar": "cp1251",
    "vecer.rm": "utf-8",
    **{name: made.wrong for name, made in RECORDINGS.items() if made.wrong},
}
"""File name -> Python codec of the text in tags that claim another one, or (ID3v1, RIFF, AIFF, AU, MIDI, RealMedia)
claim nothing."""

FRAME_BYTES, FRAME_SECONDS = 108, 0.036
"""Of an MP3 of the demo: MPEG-2 Layer III at 24 kbit/s and 16 kHz, without a bit reservoir (``media/make.sh``)."""


@cache
def media_bytes(name: str) -> bytes:
    """Return the bytes of one media file of the demo, by its name.

    Raises:
        FileNotFoundError: there is none of this name.
    """
    if (made := RECORDINGS.get(name)) is None:
        return (files("mediacrawl.programs.demo") / "media" / name).read_bytes()
    suffix = PurePosixPath(name).suffix
    if suffix == ".flac":
        return retag_flac(media_bytes("low-water.flac"), made.fields())
    if suffix == ".m4a":
        return retag_m4a(media_bytes("burza.m4a"), made.fields())
    v2 = id3v2(made.fields(), made.version) if made.v2 else b""
    v1 = id3v1(made.short_fields()) if made.v1 else b""
    return retag_mp3(media_bytes(_SOUNDS[len(name) % len(_SOUNDS)]), v2, v1)


def content_type_of(name: str) -> str:
    """Return the media type by the name's extension; KeyError if it is none of the demo's."""
    return CONTENT_TYPES[PurePosixPath(name).suffix]


def grow_mp3(data: bytes, seconds: float) -> bytes:
    """Return an MP3 of the demo made longer (or shorter) by repeating its own frames; its tags stay as they are.

    Args:
        data: an MP3 of the library; the length of kitchen.mp3, which its first frame states, would become false.
        seconds: length of the result, rounded to whole frames; at least one frame.

    Raises:
        ValueError: `data` is no such MP3.
    """
    start, stop = audio_span(data)
    sound = data[start:stop]
    if not sound or len(sound) % FRAME_BYTES or any(sound[at] != 0xFF for at in range(0, len(sound), FRAME_BYTES)):
        raise ValueError("only an MP3 of the demo's library, of frames of 108 bytes, can be made longer")
    size = FRAME_BYTES * max(1, round(seconds / FRAME_SECONDS))
    return data[:start] + (sound * (size // len(sound) + 1))[:size] + data[stop:]

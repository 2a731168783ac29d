"""Titles in many languages: each is made of a beginning and an end, so that all titles of a language differ."""

# ruff: noqa: RUF001 - national letters are what these texts are about

import unicodedata
from itertools import product

_PARTS = {
    "bg": (("Път", "Писмо", "Вечер", "Песен"), ("към морето", "до планината", "без луна", "за снега")),
    "cs": (("Cesta", "Píseň", "Dopis", "Večer"), ("přes řeku", "ze staré věže", "bez měsíce", "u žlutého domu")),
    "de": (("Brücke", "Gespräch", "Nachtzug", "Ausflug"), ("über dem Fluß", "im Nebel", "ohne Grüße", "am Hafen")),
    "el": (("Γράμμα", "Τραγούδι", "Βράδυ", "Ταξίδι"), ("στο λιμάνι", "χωρίς φεγγάρι", "από τον φάρο", "για τη βροχή")),
    "en": (("Summer", "Letters", "A Night", "Songs"), ("of 69", "by the River", "without a Map", "& Other Stories")),
    "es": (("Canción", "Mañana", "Carta", "Viaje"), ("del pequeño puerto", "sin lluvia", "bajo el árbol", "a León")),
    "fr": (("L'été", "La forêt", "Un dîner", "Le château"), ("à la rivière", "sous la neige", "en février", "d'Irène")),
    "hu": (("Levél", "Őszi este", "Út", "Ének"), ("a hídon túl", "hold nélkül", "a kék házból", "tizenkét húrra")),
    "it": (("Il ponte", "La città", "Un caffè", "Sera"), ("d'inverno", "senza nome", "lungo il fiume", "è qui")),
    "ja": (("海辺の", "夜明けの", "古い町の", "雨の日の"), ("坂道", "手紙", "約束", "はなし")),
    "ko": (("바닷가의", "오래된", "비 오는 날의", "겨울"), ("편지", "골목길", "약속", "노래")),
    "nl": (("Brief", "De brug", "Een avond", "Reis"), ("naar zee", "zonder maan", "over 't water", "bij de sluis")),
    "no": (("Brev", "Kveld", "En reise", "Vise"), ("fra øya", "uten måne", "på fjellet", "ved brygga")),
    "pl": (("Śnieg", "List", "Wieczór", "Droga"), ("na łące", "znad rzeki", "bez księżyca", "do źródła")),
    "pt": (("Canção", "A manhã", "O farol", "Uma viagem"), ("do cais", "sem pressa", "à beira-mar", "de São João")),
    "ru": (("Письмо", "Дождь", "Вечер", "Поезд"), ("над городом", "без луны", "у реки", "до станции Ёлкино")),
    "sv": (("Brev", "En kväll", "Resan", "Visa"), ("från ön", "utan måne", "över älven", "på räls")),
    "tr": (("Mektup", "Akşam", "Şarkı", "Yolculuk"), ("kıyıda", "aysız", "eski köprüden", "dağın ardına")),
    "uk": (("Лист", "Вечір", "Дорога", "Пісня"), ("над річкою", "без місяця", "до їжака", "з півночі")),
    "zh": (("雨后的", "夏夜的", "远山的", "车站旁的"), ("小巷", "河流", "老树", "来信")),
}
LANGUAGES = tuple(_PARTS)


def titles(language: str) -> list[str]:
    """Sixteen titles in this language, each another one."""
    begins, ends = _PARTS[language]
    space = "" if language in {"ja", "zh"} else " "
    # Neighbours differ in both parts.
    pairs = sorted(product(range(4), range(4)), key=lambda pair: ((pair[0] - pair[1]) % 4, pair))
    return [f"{begins[begin]}{space}{ends[end]}" for begin, end in pairs]


def slug(title: str) -> str:
    """A title as it stands in URLs: words of ASCII letters and digits with hyphens between them."""
    whole = unicodedata.normalize("NFKD", title.lower().replace("ß", "ss").replace("ł", "l").replace("ø", "o"))
    plain = (letter for letter in whole if not unicodedata.combining(letter) and letter != "'")
    return "-".join("".join(letter if letter.isascii() and letter.isalnum() else " " for letter in plain).split())

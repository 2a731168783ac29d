"""Feeds and playlists in code pages: what is claimed counts in the order of RFC 7303, else the models decide."""

# ruff: noqa: RUF001 - national letters are what this file is about

import pytest

from mediacrawl.base.evidence import raw_bytes
from mediacrawl.extract import parse_list
from mediacrawl.record.build import document_elements


def element_of(fact):
    return document_elements([fact])[0]


URL = "https://site.example/lists/list"


def test_an_m3u_in_an_unnamed_encoding_is_decided_and_keeps_its_octets():
    written = "#EXTM3U\n#EXTINF:1,Кино\xa0- Группа крови…\nж.mp3\n".encode("cp1251")
    (link,) = parse_list("m3u", written, URL).links
    assert link.href == "".join(f"%{octet:02X}" for octet in "ж".encode("cp1251")) + ".mp3"
    element = element_of(link.facts[0])
    assert (element["declared"], element["document"], element["decision"]) == ("cp1251", "models", "declared")
    assert raw_bytes(element) == "Кино - Группа крови…".encode("cp1251")
    assert link.title == "Кино\xa0- Группа крови…"


def test_octets_that_tell_too_little_are_left_to_the_record():
    (link,) = parse_list("m3u", b"#EXTM3U\n#EXTINF:1,Ha\xe7\na.mp3\n", URL).links
    element = element_of(link.facts[0])
    assert (element["declared"], raw_bytes(element), link.title) == ("latin-1", b"Ha\xe7", "")


FEED = """{}<rss version="2.0"><channel><title>Сосны и море</title><language>ru</language>
<item><title>Разговор с капитаном</title>
<description>Осенний дождь над городом</description><enclosure url="http://a.example/1.mp3" type="audio/mpeg"/></item>
</channel></rss>"""
TOLD = '<?xml version="1.0" encoding="koi8-r"?>'


@pytest.mark.parametrize(
    ("head", "written", "header", "reading"),
    [
        ("", "koi8-r", None, "koi8_r models ru"),
        ("", "mac_cyrillic", None, "mac_cyrillic models ru"),
        ("", "cp1251", "windows-1251", "cp1251"),
        (TOLD, "koi8-r", None, "koi8-r"),
        # RFC 7303: the header goes before the declaration, and a byte order mark before both.
        (TOLD, "cp1251", "windows-1251", "cp1251"),
        (TOLD, "utf-8-sig", "windows-1251", "utf-8"),
        (TOLD, "utf-16", "windows-1251", "utf-16"),
        # What does not decode is no claim.
        (TOLD, "koi8-r", "utf-8", "koi8-r"),
        ('<?xml version="1.0" encoding="utf-8"?>', "cp1251", "utf-8", "cp1251 models ru"),
        (TOLD, "koi8-r", "no such charset", "koi8-r"),
    ],
)
def test_a_feed_is_read_whole_in_one_encoding(head, written, header, reading):
    found = parse_list("feed", FEED.format(head).encode(written), URL, header)
    assert found.reading.replace("-", "_").startswith(reading.replace("-", "_"))
    (link,) = found.links
    told = {each.key: each.text for each in link.facts}
    assert (found.title, link.title) == ("Сосны и море", "Разговор с капитаном")
    assert told["description"] == "Осенний дождь над городом"


def test_a_feed_in_a_japanese_code_page_loses_nothing():
    titles = ["ソーラーの表示", "海辺の町で会いましょう", "能力のある予定表"]
    items = "".join(
        f'<item><title>{each}</title><enclosure url="http://a.example/{each}.mp3"/></item>' for each in titles
    )
    found = parse_list("feed", f"<rss><channel>{items}</channel></rss>".encode("cp932"), URL)
    assert [link.title for link in found.links] == titles


@pytest.mark.parametrize("encoding", ["cp1251", "koi8_r", "cp866"])
@pytest.mark.parametrize(
    ("form", "body"),
    [
        ("m3u", "#EXTM3U\n#EXTINF:1,Вечерние записи у реки\nреки.mp3\n#EXTINF:2,Песни о дальней дороге\nb.mp3\n"),
        ("pls", "[playlist]\nFile1=реки.mp3\nTitle1=Вечерние записи у реки\nFile2=b.mp3\nTitle2=Песни о дороге\n"),
        ("asx", '<asx><entry><title>Вечерние записи у реки</title><ref href="реки.mp3"/></entry></asx>'),
        (
            "xspf",
            "<playlist><track><title>Вечерние записи у реки</title><location>a.mp3</location></track></playlist>",
        ),
    ],
)
def test_a_list_in_a_code_page_is_read(form, body, encoding):
    found = parse_list(form, body.encode(encoding), URL)
    link = found.links[0]
    assert link.title == "Вечерние записи у реки"
    element = element_of(next(each for each in link.facts if each.key == "title"))
    assert (raw_bytes(element), element["document"]) == (link.title.encode(encoding), "models")
    if form != "xspf":
        assert link.href == "".join(f"%{octet:02X}" for octet in "реки".encode(encoding)) + ".mp3"


def test_the_header_names_the_encoding_of_a_playlist():
    body = "#EXTM3U\n#EXTINF:1,Мост\na.mp3\n".encode("mac_cyrillic")
    found = parse_list("m3u", body, URL, "x-mac-cyrillic")
    assert (found.links[0].title, found.reading) == ("Мост", "mac-cyrillic")


def test_what_a_host_wrote_before_tells_of_a_list_that_tells_too_little():
    body = "#EXTM3U\n#EXTINF:1,Dağ\na.mp3\n".encode("cp1254")
    found = parse_list("m3u", body, URL, None, lambda: {("cp1254", "tr"): 40.0})
    assert found.links[0].title == "Dağ"


def test_a_reference_whose_octets_cannot_be_had_from_the_text_keeps_them():
    # 0x81 is nothing in windows-1252, and still an octet of the file's name.
    titles = "Márgenes, canción española, niños y corazón".encode("cp1252")
    (link,) = parse_list("m3u", b"#EXTM3U\n#EXTINF:1," + titles + b"\nn\x81\xf1o.mp3\n", URL).links
    assert link.href == "n%81%F1o.mp3"

# ruff: noqa: RUF001
"""The files of a folder are decided together, and one that comes from elsewhere is not."""

from dataclasses import replace
from pathlib import Path

import pytest
from mending import mend
from music_files import (
    FORMATS,
    SAMPLES,
    TEXTS,
    id3v1,
    id3v2,
    misread,
    mp3,
    mp3_lying,
    mp3_v1_alone,
    patched,
    raw,
    stand_in,
)
from mutagen import apev2, id3, mp4

from mediacrawl.base.terms import Tag
from mediacrawl.programs.commands.on_disk import report
from mediacrawl.programs.music.deciding import Decider
from mediacrawl.programs.music.reading import TaggedFile, read_tags
from mediacrawl.programs.music.run import MusicOptions


def song(number, encoding, source="id3v2.3", **texts):
    names = {"title": "TIT2", "artist": "TPE1", "album": "TALB", "composer": "TCOM"}
    tags = []
    for key, text in texts.items():
        raw = text.encode(encoding)
        tags.append(Tag(source, names[key], key, "latin-1", raw, raw.decode("latin-1")))
    return TaggedFile(Path(f"{number}.mp3"), "mp3", tags=tags)


def read(files):
    return [{text.tag.key: text.text for text in decided.texts} for decided in Decider().decide(files)]


def test_a_short_title_follows_its_album():
    titles = ["Прощание славянки", "Дорожная песня", "Ты", "Я", "На сопках"]
    files = [song(n, "mac_cyrillic", title=title, album="Старые марши") for n, title in enumerate(titles)]
    assert [found["title"] for found in read(files)] == titles
    alone = [read([song(0, "mac_cyrillic", title=title)])[0]["title"] for title in titles]
    assert alone != titles


def test_a_file_of_another_encoding_in_the_album_keeps_its_own():
    titles = ["Прощание славянки", "Дорожная песня", "На сопках Маньчжурии", "Тоска по родине"]
    files = [song(n, "cp1251", title=title, album="Marches", artist="Orkestr") for n, title in enumerate(titles)]
    files.append(song(9, "koi8_r", title="Амурские волны и берега", album="Marches", artist="Orkestr"))
    assert [found["title"] for found in read(files)] == [*titles, "Амурские волны и берега"]


def test_a_short_title_follows_its_own_file_rather_than_the_album():
    titles = ["Прощание славянки", "Дорожная песня", "На сопках Маньчжурии", "Тоска по родине"]
    files = [song(n, "cp1251", title=title, album="Hits", artist="VA") for n, title in enumerate(titles)]
    files.append(song(9, "cp866", title="Мачо", composer="Николай Носов", album="Hits", artist="VA"))
    assert read(files)[-1] == {"title": "Мачо", "composer": "Николай Носов"}


def test_what_other_albums_of_the_folder_are_in_counts_for_a_doubtful_one():
    greek = ["Η θάλασσα το πρωί", "Νύχτα στο μπαλκόνι", "Μικρό λιμάνι", "Το τραγούδι της βροχής"]
    sure = [song(n, "iso8859_7", title=title, album=f"Τόμος {title}") for n, title in enumerate(greek * 3)]
    doubtful = song(99, "iso8859_7", title="Εγώ")
    assert read([*sure, doubtful])[-1] == {"title": "Εγώ"}


def test_true_latin_1_beside_an_album_in_a_code_page_stays():
    files = [song(n, "cp1251", title=title, album="Письма") for n, title in enumerate(["Утро", "Старый мост", "Озеро"])]
    files.append(song(9, "latin-1", title="Les lanternes de l'été", artist="Chœur".replace("œ", "oe"), album="Été"))
    assert read(files)[-1]["title"] == "Les lanternes de l'été"
    assert [found["title"] for found in read(files)[:3]] == ["Утро", "Старый мост", "Озеро"]


def test_the_result_does_not_depend_on_the_order_of_runs():
    files = [song(n, "cp1251", title=f"Песня {n}", album="Альбом") for n in range(30)]
    decider = Decider()
    assert decider.decide(files)[0].texts[0].element == decider.decide(files)[0].texts[0].element


def test_id3v1_alone_gets_an_id3v2_tag_with_all_its_texts(tmp_path):
    path = mp3_v1_alone(tmp_path)
    mend(path)
    tags = id3.ID3(path, load_v1=False, translate=False)
    assert tags.version == (2, 3, 0)
    assert {name: str(frame) for name, frame in tags.items()} == {
        "TIT2": "Вечерняя песня",
        "TPE1": "Тихая Пристань",
        "TALB": "Письма на север",
        "TYER": "1998",
        "COMM::XXX": "a remark",
        "TRCK": "7",
        "TCON": "Reggae" if "Reggae" in str(tags["TCON"]) else str(tags["TCON"]),
    }


def test_id3v1_is_kept_rewritten_or_removed(tmp_path):
    tails = {}
    for wish in ("keep", "rewrite", "remove"):
        folder = tmp_path / wish
        folder.mkdir()
        path = mp3(folder, 4, v1=True)
        before = path.read_bytes()[-128:]
        mend(path, id3v1=wish)
        tails[wish] = path.read_bytes()[-128:]
    assert tails["keep"] == before
    assert tails["rewrite"] == before[:3] + bytes(90) + before[93:]
    assert not tails["remove"].startswith(b"TAG")


def test_what_id3v1_alone_has_goes_to_id3v2_when_it_is_removed(tmp_path):
    path = mp3(tmp_path, 3, v1=True)
    mend(path, id3v1="remove")
    tags = id3.ID3(path, load_v1=False, translate=False)
    assert (str(tags["TYER"]), str(tags["COMM::XXX"]), str(tags["TRCK"])) == ("1998", "a remark", "7")
    assert str(tags["TIT2"]) == "Вечерняя песня"


def test_id3v1_behind_flac_stays_where_its_texts_can_go_nowhere(tmp_path):
    path = FORMATS["flac text"](tmp_path)
    path.write_bytes(path.read_bytes() + id3v1())
    mend(path, id3v1="remove")
    assert path.read_bytes().endswith(id3v1())


def test_a_multibyte_text_that_id3v1_cut_is_read_up_to_the_cut():
    title = "時代はまわる夜明けの歌をうたう人"
    file = song(0, "cp932", "id3v1", title=title, artist="中島みゆき")
    file.tags[0] = replace(file.tags[0], raw=title.encode("cp932")[:29])
    assert read([file]) == [{"title": title[:14], "artist": "中島みゆき"}]


def test_id3v1_takes_what_latin_1_has(tmp_path):
    path = tmp_path / "song.mp3"
    artist, comment = "Élégie d'été", "Ça ira"
    data = b"".join(text.encode().ljust(30, b"\0") for text in ("Ночь в лесу", artist, "")) + bytes(4)
    path.write_bytes((SAMPLES / "cbr.mp3").read_bytes() + b"TAG" + data + comment.encode().ljust(29, b"\0") + b"\5\xff")
    assert mend(path, id3v1="rewrite", min_confidence=0.5)[0].counts["written"] == 1
    tail = path.read_bytes()[-128:]
    assert tail[:33] == b"TAG" + bytes(30)
    assert tail[33:63] == artist.encode("latin-1").ljust(30, b"\0")
    assert tail[97:] == comment.encode("latin-1").ljust(29, b"\0") + b"\5\xff"


@pytest.mark.parametrize("version", [3, 4])
@pytest.mark.parametrize("artists", [["Первый", "Second", "Третий"], ["Первый", "", "Третий"]])
def test_values_of_one_frame_stay_several(artists, version, tmp_path):
    path = mp3(tmp_path, version, texts={"title": "Вечерняя песня", "artist": "\0".join(artists), "album": "Письма"})
    assert mend(path)[0].counts["written"] == 1
    found = [tag.text for tag in read_tags(path).tags if tag.key == "artist"]
    assert found == [artist for artist in artists if artist]
    assert version == 3 or id3.ID3(path)["TPE1"].text == artists


def test_a_tag_stays_as_long_as_it_was_where_its_padding_suffices(tmp_path):
    path = mp3(tmp_path, 3, padding=500)
    size = path.stat().st_size
    mend(path)
    assert path.stat().st_size == size


def test_a_change_that_is_not_sure_is_shown_and_waits_for_another_confidence(tmp_path):
    path = mp3(tmp_path, texts={"title": "Эй"})
    old = path.read_bytes()
    outcome, told, _ = mend(tmp_path)
    assert (outcome.counts["written"], outcome.counts["undecided"]) == (0, 1)
    assert [(field["new"], field["decision"]) for _, fields in told.files for field in fields] == [(None, "undecided")]
    assert path.read_bytes() == old
    assert mend(tmp_path, min_confidence=0.5)[0].counts["written"] == 1


def test_values_of_one_item_of_ape_stay_several(tmp_path):
    path = tmp_path / "song.wv"
    path.write_bytes((SAMPLES / "tone.wv").read_bytes())
    tags = apev2.APEv2()
    tags["Artist"], tags["Title"] = [misread("Первый"), "", misread("Третий")], misread("Вечерняя")
    tags.save(path)
    assert mend(path)[0].counts["written"] == 1
    assert list(apev2.APEv2(path)["Artist"]) == ["Первый", "", "Третий"]


def test_bytes_of_a_code_page_under_the_label_of_utf16_are_left(tmp_path):
    path = mp3_lying(3, 1)(tmp_path)
    old = path.read_bytes()
    assert mend(path)[1].troubles
    assert path.read_bytes() == old


@pytest.mark.parametrize("version", [3, 4])
@pytest.mark.parametrize("name", ["USLT", "COMM", "TPE1"])
def test_a_file_whose_frames_would_be_put_together_is_left(name, version, tmp_path):
    start = b"\0" if name == "TPE1" else b"\0rus\0"
    texts = [(name, start + raw(text)) for text in ("Первая песня о море", "Вторая песня о реке")]
    path = tmp_path / "song.mp3"
    path.write_bytes(id3v2(version, {"title": "Вечерняя песня"}, texts) + (SAMPLES / "cbr.mp3").read_bytes())
    old = path.read_bytes()
    assert mend(path)[1].troubles == [(path.name, "frames of its tag would be lost")]
    assert path.read_bytes() == old


def test_a_text_that_is_too_long_to_look_at_is_counted_and_told(tmp_path):
    lyrics = b"\0rus\0" + raw("Песня о море. ") * 20_000
    path = tmp_path / "song.mp3"
    path.write_bytes(id3v2(3, extra=[("USLT", lyrics)]) + (SAMPLES / "cbr.mp3").read_bytes())
    outcome, told, _ = mend(path)
    assert (outcome.counts["written"], outcome.counts["long"], told.troubles) == (1, 1, [])
    assert id3.ID3(path)["USLT::rus"].text.startswith(misread("Песня о море. Песня"))
    assert "  long       1 file with a text over 256 KB, which stays as it is" in report(outcome, MusicOptions([]))


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("IPLS", b"\0producer\0" + raw("Первый мастер")),
        ("IPLS", b"\0producer\0Somebody"),
        ("USER", b"\0engfor friends"),
        ("OWNE", b"\0EUR1.00\x0020010203somebody"),
    ],
)
def test_a_frame_without_its_last_terminator_does_not_keep_a_file_as_it_is(name, body, tmp_path):
    path = tmp_path / "song.mp3"
    path.write_bytes(id3v2(3, extra=[(name, body)]) + (SAMPLES / "cbr.mp3").read_bytes())
    outcome, told, _ = mend(path)
    assert (outcome.counts["written"], told.troubles) == (1, [])
    assert id3.ID3(path, translate=False).getall(name)


def test_a_text_in_a_frame_that_nothing_writes_does_not_keep_the_others_as_they_are(tmp_path):
    path = tmp_path / "song.mp3"
    frame = b"\0" + raw("Первый мастер")
    path.write_bytes(id3v2(3, extra=[("TXYZ", frame)]) + (SAMPLES / "cbr.mp3").read_bytes())
    outcome, told, _ = mend(path)
    assert (outcome.counts["written"], outcome.counts["unwritable"], told.troubles) == (1, 1, [])
    assert b"TXYZ\0\0\0\x0e\0\0" + frame in path.read_bytes()


def test_titles_of_chapters_stay_as_they_are_beside_texts_that_are_written(tmp_path):
    """They are in the media data, which nothing here writes."""
    path = tmp_path / "book.m4b"
    path.write_bytes((SAMPLES / "book.m4b").read_bytes().replace(b"chpl", b"free"))
    file = mp4.MP4(path)
    for name, text in zip(("\xa9nam", "\xa9ART", "\xa9alb"), TEXTS.values(), strict=True):
        file[name] = [stand_in(text)]
    file.save()
    patched(path)
    old, chapter = "Первая глава".encode(), raw("Первая глава, вступление")[:23]
    data = path.read_bytes()
    assert (data.count(old), len(old)) == (2, len(chapter))
    path.write_bytes(data.replace(old, chapter))
    outcome, told, _ = mend(path)
    assert (outcome.counts["written"], outcome.counts["unwritable"], told.troubles) == (1, 1, [])
    found = {tag.key: tag for tag in read_tags(path).tags}
    assert found["title"].text == TEXTS["title"]
    assert found["chapters[0].title"].raw == chapter
    assert path.read_bytes().count(chapter) == 2

# ruff: noqa: RUF001
"""Playlists and cue sheets in code pages become UTF-8, and still lead to their files."""

import os

import pytest
from mending import mend

from mediacrawl.programs.music import CUE, M3U
from mediacrawl.programs.music.originals import undo

LINES = ["#EXTM3U", "#EXTINF:215,Тихая Пристань - Старый мост", "Письма с севера\\Старый мост.mp3", "plain.mp3"]
M3U_TEXT = "\r\n".join([*LINES, "#EXTINF:99,Тихая Пристань - Озеро в октябре", "Озеро.mp3", ""])
PLS_TEXT = "[playlist]\nFile1=Старый мост.mp3\nTitle1=Тихая Пристань - Старый мост\nNumberOfEntries=1\nVersion=2\n"
CUE_TEXT = """REM GENRE Folk
PERFORMER "Тихая Пристань"
TITLE "Письма с севера"
FILE "Тихая Пристань - Письма с севера.flac" WAVE
  TRACK 01 AUDIO
    TITLE "Старый мост"
    INDEX 01 00:00:00
"""
LISTS = {"list.m3u": M3U_TEXT, "list.m3u8": M3U_TEXT, "list.pls": PLS_TEXT, "list.cue": CUE_TEXT}


@pytest.mark.parametrize("encoding", ["cp1251", "koi8_r", "cp866"])
@pytest.mark.parametrize("name", LISTS)
def test_a_list_becomes_utf8_under_its_name_and_goes_back(name, encoding, tmp_path):
    path = tmp_path / "Music" / name
    path.parent.mkdir()
    old = LISTS[name].encode(encoding)
    path.write_bytes(old)
    outcome, told, originals = mend(path.parent, lists=M3U | CUE)
    assert (outcome.counts["written"], told.troubles) == (1, [])
    mark = "#EXTENC:UTF-8\r\n" if name == "list.m3u" else ""
    assert path.read_bytes().decode() == LISTS[name].replace("#EXTM3U\r\n", f"#EXTM3U\r\n{mark}")
    assert mend(path.parent, lists=M3U | CUE)[0].counts["wrong"] == 0
    list(undo(originals))
    assert path.read_bytes() == old


@pytest.mark.parametrize("data", [M3U_TEXT.encode(), M3U_TEXT.encode("utf-16"), b"plain.mp3\n", b""])
def test_unicode_and_ascii_stay(data, tmp_path):
    path = tmp_path / "list.m3u"
    path.write_bytes(data)
    outcome, told, _ = mend(tmp_path, lists=M3U)
    assert (outcome.counts["wrong"], told.troubles) == (0, [])
    assert path.read_bytes() == data


def test_lists_are_left_alone_unless_they_are_asked_for(tmp_path):
    (tmp_path / "list.m3u").write_bytes(M3U_TEXT.encode("cp1251"))
    assert mend(tmp_path)[0].counts["files"] == 0


def test_a_list_that_names_a_file_by_the_bytes_of_its_name_is_left(tmp_path):
    path = tmp_path / "list.m3u"
    path.write_bytes(M3U_TEXT.encode("cp1251"))
    (tmp_path / os.fsdecode("Озеро.mp3".encode("cp1251"))).touch()
    outcome, told, _ = mend(path, lists=M3U)
    assert outcome.counts["written"] == 0
    assert told.troubles == [
        ("list.m3u", "it names Озеро.mp3, whose name on the disk is in cp1251 too; rename that file first")
    ]
    (tmp_path / "Озеро.mp3").touch()
    assert mend(path, lists=M3U)[0].counts["written"] == 1


def test_a_list_that_is_not_sure_is_shown_and_stays(tmp_path):
    data = M3U_TEXT.encode("cp1251")
    (tmp_path / "list.m3u").write_bytes(data)
    outcome, told, _ = mend(tmp_path, lists=M3U, min_confidence=1.0)
    assert (outcome.counts["written"], outcome.counts["undecided"], len(told.files)) == (0, 4, 1)
    assert {field["decision"] for field in told.files[0][1]} == {"undecided"}
    assert (tmp_path / "list.m3u").read_bytes() == data


def test_a_declared_encoding_is_a_hint_and_becomes_utf8(tmp_path):
    text = "#EXTM3U\r\n#EXTENC: {}\r\n#EXTINF:9,Ёж\r\na.mp3\r\n"
    for name in ("list.m3u", "list.m3u8"):
        (tmp_path / name).write_bytes(text.format("WINDOWS-1251").encode("cp1251"))
    assert mend(tmp_path, lists=M3U, min_confidence=0.8)[0].counts["written"] == 2
    for name in ("list.m3u", "list.m3u8"):
        assert (tmp_path / name).read_bytes().decode() == text.format("UTF-8")


@pytest.mark.parametrize(
    ("name", "text", "address"),
    [
        ("list.m3u8", M3U_TEXT + "http://radio.example/Музыка.mp3\r\n", "http://radio.example/{}.mp3"),
        ("list.pls", PLS_TEXT + "File2=http://radio.example/Музыка.mp3\n", "File2=http://radio.example/{}.mp3"),
    ],
)
def test_addresses_keep_their_bytes(name, text, address, tmp_path):
    path = tmp_path / name
    path.write_bytes(text.encode("cp1251"))
    assert mend(tmp_path, lists=M3U)[0].counts["written"] == 1
    address = address.format("%CC%F3%E7%FB%EA%E0")
    assert path.read_bytes().decode().splitlines() == [*text.splitlines()[:-1], address]
    assert mend(tmp_path, lists=M3U)[0].counts["wrong"] == 0


def test_a_list_of_addresses_alone_stays(tmp_path):
    data = "http://radio.example/Музыка.mp3\n".encode("cp1251")
    (tmp_path / "list.m3u").write_bytes(data)
    assert mend(tmp_path, lists=M3U)[0].counts["wrong"] == 0


def test_any_bytes_are_a_list_that_is_left_or_mended(tmp_path):
    import random

    rng = random.Random(3)
    for number in range(60):
        suffix = rng.choice([".m3u", ".pls", ".cue"])
        (tmp_path / f"{number}{suffix}").write_bytes(rng.randbytes(rng.randrange(300)))
    (tmp_path / "long.m3u").write_bytes(b"\xe0" * (5 << 20))
    outcome, told, originals = mend(tmp_path, lists=M3U | CUE)
    assert outcome.counts["files"] == 61
    assert ("long.m3u", "it is too long for a list") in told.troubles
    assert not originals.exists() or not any(done.failed for done in undo(originals))

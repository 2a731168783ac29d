"""Names of people keep their roles and instruments, and chapters their titles, where other texts are repaired."""

import io
import struct

import pytest
from mending import mend
from music_files import SAMPLES, frame, id3v1, id3v2, misread, raw
from mutagen import flac, id3

from mediacrawl.programs.music.reading import read_tags

NAME, OTHER = "Вечерняя песня", "Первый мастер"


def written(folder, version, *extra):
    path = folder / "song.mp3"
    path.write_bytes(id3v2(version, {"title": NAME}, extra) + (SAMPLES / "cbr.mp3").read_bytes())
    return path


PEOPLE = [
    ([["guitar", OTHER], ["bass", "Somebody"], ["drums", OTHER]], True),
    ([["producer", OTHER], ["", "Somebody"], ["mix", ""], ["artwork", OTHER]], True),
    # A role in the wrong encoding is a text as others are.
    ([["Продюсер", OTHER], ["producer", "Somebody"]], True),
    ([["producer", "Somebody"]], False),
]


@pytest.mark.parametrize("version", [3, 4])
@pytest.mark.parametrize(("people", "wrong"), PEOPLE)
def test_people_keep_their_roles(people, wrong, version, tmp_path):
    name = "IPLS" if version == 3 else "TMCL"
    path = written(tmp_path, version)
    tags = id3.ID3(path, translate=False)
    misread_people = [[misread(text) for text in pair] for pair in people] if wrong else people
    tags.add(getattr(id3, name)(encoding=0, people=misread_people))
    tags.save(path, v2_version=version)
    outcome, told, _ = mend(path)
    assert (outcome.counts["written"], told.troubles) == (1, [])
    tags = id3.ID3(path, translate=False)
    assert tags[name].people == people
    assert tags["TIT2"].text == [NAME]


def test_a_performer_keeps_the_instrument_behind_the_name(tmp_path):
    path = tmp_path / "song.flac"
    path.write_bytes((SAMPLES / "tone.flac").read_bytes())
    file = flac.FLAC(path)
    file["title"] = misread(NAME)
    file["performer"] = [misread(f"{OTHER} (гитара)"), "Somebody (bass)"]
    file.save()
    outcome, told, _ = mend(path)
    assert (outcome.counts["written"], told.troubles) == (1, [])
    assert flac.FLAC(path)["performer"] == [f"{OTHER} (гитара)", "Somebody (bass)"]


def test_titles_of_chapters_in_comments_are_repaired(tmp_path):
    path = tmp_path / "song.flac"
    path.write_bytes((SAMPLES / "tone.flac").read_bytes())
    file = flac.FLAC(path)
    marks = {"chapter001": "00:00:00", "chapter001name": misread(OTHER), "chapter002": "00:00:01"}
    file.update({"title": misread(NAME), "chapter002name": "Second", **marks})
    file.save()
    outcome, told, _ = mend(path)
    assert (outcome.counts["written"], told.troubles) == (1, [])
    file = flac.FLAC(path)
    assert (file["title"], file["chapter001name"], file["chapter002name"]) == ([NAME], [OTHER], ["Second"])
    assert (file["chapter001"], file["chapter002"]) == (["00:00:00"], ["00:00:01"])


def test_titles_of_chapters_in_id3v2_stay_and_do_not_keep_the_file_as_it_is(tmp_path):
    right = frame("TIT2", b"\1" + OTHER.encode("utf-16") + b"\0\0", 3)
    wrong = frame("TIT2", b"\0" + raw(OTHER) + b"\0", 3)
    times = struct.pack(">4I", 0, 1, 2**32 - 1, 2**32 - 1)
    path = written(
        tmp_path, 3, *[("CHAP", name + b"\0" + times + each) for name, each in ((b"a", right), (b"b", wrong))]
    )
    before = read_tags(path)
    outcome, told, _ = mend(path)
    assert [tag.key for tag in before.tags] == ["title", "chapters[0].title", "chapters[1].title"]
    assert (outcome.counts["written"], told.troubles) == (1, [])
    tags = id3.ID3(path, translate=False)
    assert tags["TIT2"].text == [NAME]
    titles = {each.element_id: str(each.sub_frames["TIT2"]) for each in tags.getall("CHAP")}
    assert titles == {"a": OTHER, "b": misread(OTHER)}


def test_what_lame_measured_is_no_tag_that_texts_can_go_to(tmp_path):
    header, size = b"\xff\xfb\x90\xc4", 417
    gains = struct.pack(">I", 1 << 22) + (1 << 13 | 3 << 10 | 30).to_bytes(2, "big") + bytes(2)
    info = struct.pack(">4sIIII", b"Info", 0xB, 153, 154 * size, 80) + b"LAME3.100" + bytes(2) + gains + bytes(17)
    audio = (header + bytes(17) + info).ljust(size, b"\0") + header.ljust(size, b"\0") * 153
    path = tmp_path / "song.mp3"
    path.write_bytes(audio + id3v1({"title": NAME}))
    assert {tag.source for tag in read_tags(path).tags} == {"lame", "id3v1"}
    outcome, told, _ = mend(path)
    assert (outcome.counts["written"], told.troubles) == (1, [])
    found = id3.ID3(io.BytesIO(path.read_bytes()), load_v1=False)
    # All that ID3v1 had is in the new tag.
    assert (found["TIT2"].text, found["COMM::XXX"].text) == ([NAME], ["a remark"])

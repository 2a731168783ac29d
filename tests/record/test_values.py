"""The structured values of a record: languages, identifiers, loudness, people, transcripts, chapters' titles."""

import pytest

from mediacrawl.base.evidence import tag_element, whole_elements
from mediacrawl.base.facts import frame_attributes, framed
from mediacrawl.base.languages import bcp47
from mediacrawl.base.parts import Chapter, Track, as_object, cover_type
from mediacrawl.base.terms import Tag
from mediacrawl.record.structured import identifiers_of, loudness_of
from mediacrawl.record.values import best_values, derived_again, placed_texts, structured_values, with_texts

RECORDING = "6a0c5b1e-6f5b-4c0e-9f6e-0d8a2a5b9c11"
ARTIST = "f59c5520-5f46-4d2c-b2c4-822eabf53419"


def element(key, text, *, source="vorbis", frame="X", desc=""):
    return tag_element(Tag(source, frame, key, "utf-8", text.encode(), text, desc=desc))


@pytest.mark.parametrize(
    ("written", "tag"),
    [
        ("eng", "en"),
        ("ger", "de"),
        ("deu", "de"),
        ("de_AT", "de-AT"),
        ("German", "de"),
        ("zh-hant-tw", "zh-Hant-TW"),
        ("en-029", "en-029"),
        ("sl-rozaj", "sl-rozaj"),
        ("gsw", "gsw"),
        ("en_US.UTF-8", "en-US"),
        ("eng/fre", "en"),
        ("de-x-mine", "de"),
        ("zh-cmn-Hans-CN", "zh"),
        ("sr_RS@latin", "sr-RS"),
        ("en-UK", "en-GB"),
        # Withdrawn codes.
        ("iw", "he"),
        ("in-ID", "id-ID"),
        ("mol", "ro"),
        ("scc", "sr"),
        # No codes: of countries, and beginnings of texts.
        ("jp", None),
        ("cz-CZ", None),
        ("no language", None),
        ("in English", None),
        ("qaa", None),
        ("qtz", None),
        ("und", None),
        ("XXX", None),
        ("zxx", None),
        ("", None),
        (None, None),
        ("Klingon", None),
        ("e", None),
        ("\0\0\0", None),
        ("en\0\0", "en"),
        ("a" * 10_000, None),
    ],
)
def test_languages_are_written_as_bcp_47(written, tag):
    assert bcp47(written) == tag
    assert tag is None or bcp47(tag) == tag


@pytest.mark.parametrize(
    ("key", "text", "found"),
    [
        ("musicbrainz_recordingid", RECORDING.upper(), {"musicbrainz_recording": [RECORDING]}),
        ("musicbrainz_artistid", f"{RECORDING}/{ARTIST}", {"musicbrainz_artist": [RECORDING, ARTIST]}),
        ("musicbrainz_artistid", f"{RECORDING}; {ARTIST}", {"musicbrainz_artist": [RECORDING, ARTIST]}),
        ("musicbrainz_recordingid", "see MusicBrainz", {}),
        ("isrc", "de-a12-26-00001", {"isrc": ["DEA122600001"]}),
        ("isrc", "DEA122600001; DEA122600002", {"isrc": ["DEA122600001", "DEA122600002"]}),
        ("isrc", "none", {}),
        ("barcode", " 4006381333931 ", {"barcode": ["4006381333931"]}),
        ("catalognumber", "x" * 201, {}),
        ("title", RECORDING, {}),
    ],
)
def test_identifiers_have_one_name_each(key, text, found):
    assert identifiers_of([element(key, text)]) == found


@pytest.mark.parametrize(
    ("key", "text", "found"),
    [
        ("replaygain_track_gain", "-6.48 dB", {"track_gain": -6.48}),
        ("replaygain_album_gain", "+2,5 dB", {"album_gain": 2.5}),
        ("replaygain_track_peak", "0.988553", {"track_peak": 0.988553}),
        ("r128_track_gain", "-512", {"r128_track_gain": -2.0}),
        ("output_gain", "1.5", {"output_gain": 1.5}),
        # 2000 is twice the base: 3.01 dB less.
        ("itunnorm", " 000007D0 000003E8 00000000 00000000", {"itunes_gain": -3.01}),
        ("comment:itunnorm", "00000000 00000000", {}),
        ("replaygain_track_gain", "loud", {}),
        ("replaygain_track_gain", "1e308", {}),
        ("replaygain_track_peak", "999", {}),
        ("r128_track_gain", "9" * 400, {}),
    ],
)
def test_loudness_is_in_decibels(key, text, found):
    assert loudness_of([element(key, text)]) == found


def test_people_have_roles_instruments_and_pages():
    host = framed("podcast:person", role="host", href="https://a.example/jane?a='b'")
    tags = [
        element("artist", "Ann"),
        element("artist", "Ben"),
        element("artist", "Ann; B", source="id3v1"),
        element("performer", "Cy", desc="oboe"),
        element("person", "Jane", source="feed", frame=host),
        element("title", "x"),
    ]
    assert structured_values(tags)["persons"] == [
        {"role": "artist", "name": "Ann"},
        {"role": "artist", "name": "Ben"},
        {"role": "performer", "name": "Cy", "instrument": "oboe"},
        {"role": "host", "name": "Jane", "url": "https://a.example/jane?a=%27b%27"},
    ]


def test_transcripts_and_soundbites_take_their_attributes_from_the_frame():
    vtt = framed("podcast:transcript", type="text/vtt", language="ger")
    clip = framed("podcast:soundbite", start="73.5", duration="60.0")
    tags = [
        element("transcript_url", "https://a.example/1.vtt", source="feed", frame=vtt),
        element("soundbite", "The point", source="feed", frame=clip),
        element("soundbite", "Nowhere", source="feed", frame="podcast:soundbite"),
    ]
    values = structured_values(tags)
    assert values["transcripts"] == [{"url": "https://a.example/1.vtt", "type": "text/vtt", "language": "de"}]
    assert values["soundbites"] == [{"start": 73.5, "duration": 60.0, "title": "The point"}]


@pytest.mark.parametrize("attributes", [{}, {"a": ""}, {"a": "x" * 700}, {"a": "]"}, {"a": "b c", "d": "[@e='f"}])
def test_attributes_of_a_frame_come_back(attributes):
    kept = {name: text.replace("'", "%27") for name, text in attributes.items() if 0 < len(text) < 600}
    assert frame_attributes(framed("x:y", **attributes)) == kept


@pytest.mark.parametrize("hostile", ["[@" * 5_000, "[@a='" * 5_000, "[@a='b']" * 5_000])
def test_a_hostile_frame_has_few_attributes(hostile):
    assert len(frame_attributes(hostile)) <= 1


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("media_kind", "audiobook", "audiobook"),
        ("media_kind", "Hörspiel", None),
        ("episode_type", "trailer", "trailer"),
        ("episode_type", "special", None),
        ("explicit", "yes", "yes"),
        ("explicit", "1", "yes"),
        ("explicit", "2", "no"),
        ("explicit", "sometimes", None),
        ("language", "rus", "ru"),
        ("language", "both", None),
    ],
)
def test_a_text_outside_the_vocabulary_is_no_value(key, text, value):
    assert best_values([element(key, text)])[key] == value


def test_repaired_titles_go_to_their_places():
    chapters = [{"start": 0.0, "title": "Intro"}, {"start": 9.0, "title": "Ðåêà"}]
    tags = [element("chapters[1].title", "Река"), element("chapters[7].title", "no such place"), element("title", "x")]
    texts = placed_texts([*tags, element("chapters[1].title", "a second text of one place")])
    assert with_texts("chapters", chapters, texts) == [chapters[0], {"start": 9.0, "title": "Река"}]
    assert with_texts("tracks", chapters, texts) == chapters
    for strange in (None, "text", {}, [1, None]):
        assert with_texts("chapters", strange, texts) == strange


def test_a_title_that_a_person_set_stays():
    before, after = (
        {"chapters[0].title": "Ðåêà", "chapters[1].title": "Ãîðà"},
        {
            "chapters[0].title": "Река",
            "chapters[1].title": "Гора",
        },
    )
    chapters = [{"start": 0.0, "title": "Ðåêà"}, {"start": 9.0, "title": "My title"}]
    placed = with_texts("chapters", chapters, after, before)
    assert placed == [{"start": 0.0, "title": "Река"}, chapters[1]]


def test_values_that_were_set_otherwise_do_not_follow_the_evidence():
    before, guest = [element("artist", "Ann")], element("performer", "Jo", desc="oboe")
    ann, jo = {"role": "artist", "name": "Ann"}, {"role": "performer", "name": "Jo", "instrument": "oboe"}
    assert derived_again({"persons": [ann]}, before, [*before, guest]) == {"persons": [ann, jo]}
    assert derived_again({"persons": [{"role": "artist", "name": "Anne"}]}, before, [*before, guest]) == {}


def test_elements_of_another_program_are_left_out():
    whole = element("title", "x")
    assert whole_elements([whole, "x", {}, {**whole, "text": None}, {**whole, "key": 1}]) == [whole]
    assert whole_elements("x") == whole_elements(None) == []
    # What is no name of an instrument is none.
    strange = {**element("performer", "Jo"), "desc": ["oboe"]}
    assert structured_values([strange])["persons"] == [{"role": "performer", "name": "Jo"}]


def test_an_object_has_only_what_is_known():
    assert as_object(Chapter(1.23456789, None, "")) == {"start": 1.234568}
    assert as_object(Chapter(0.0, float("inf"))) == {"start": 0.0}
    assert as_object(Track("audio", default=False)) == {"kind": "audio", "default": False}
    assert [cover_type(number) for number in (-1, 3, 20, 21)] == [None, "front", "publisher logo", None]

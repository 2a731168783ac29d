"""One key for each identifier, person, loudness and other field, whatever the container calls it.

The names are those of the tables of MusicBrainz Picard, and for films those of Matroska's registry of tags.
"""

import pytest
from mutagen import id3
from probe_media import audio, saved
from tag_writers import (
    COLUMNS,
    WRITERS,
    matroska,
    record,
    write_ape,
    write_asf,
    write_film,
    write_flac,
    write_id3,
    write_id3v23,
    write_mp4,
    write_vorbis,
)

from mediacrawl.probe import raw_bytes
from mediacrawl.probe.formats.keys import (
    ape_key,
    asf_key,
    flv_key,
    id3_key,
    matroska_key,
    mp4_key,
    riff_key,
    vorbis_key,
)

UUIDS = [f"{n:08x}-1111-4222-8333-{n:012x}" for n in range(1, 12)]


def names(mp3, mp4, vorbis, ape, asf, matroska=None):
    """The names of one field by container."""
    return {"id3": mp3, "mp4": mp4, "vorbis": vorbis, "ape": ape, "asf": asf, "matroska": matroska or vorbis}


def of_musicbrainz(words):
    """The forms that Picard writes a MusicBrainz identifier in: ``Album Id`` has five of them."""
    plain = "MUSICBRAINZ_" + words.replace(" ", "").upper()
    return names(f"TXXX:MusicBrainz {words}", f"MusicBrainz {words}", plain, plain, f"MusicBrainz/{words}")


def plain(name, asf=None):
    return names(f"TXXX:{name}", name, name, name, asf or name)


TRACK = of_musicbrainz("Track Id") | {"id3": "UFID:http://musicbrainz.org"}
IDENTIFIERS = [
    ("musicbrainz_recording", UUIDS[0], TRACK),
    ("musicbrainz_track", UUIDS[1], of_musicbrainz("Release Track Id")),
    ("musicbrainz_release", UUIDS[2], of_musicbrainz("Album Id")),
    ("musicbrainz_release_group", UUIDS[3], of_musicbrainz("Release Group Id")),
    ("musicbrainz_artist", UUIDS[4], of_musicbrainz("Artist Id")),
    ("musicbrainz_release_artist", UUIDS[5], of_musicbrainz("Album Artist Id")),
    ("musicbrainz_work", UUIDS[6], of_musicbrainz("Work Id")),
    ("musicbrainz_disc", "I5l9cCSFccLKFEKS.7wqSZAorPU-", of_musicbrainz("Disc Id")),
    ("isrc", "USRC17607839", names("TSRC", "ISRC", "ISRC", "ISRC", "WM/ISRC")),
    ("barcode", "4006408126348", plain("BARCODE", "WM/Barcode") | {"ape": "Barcode"}),
    (
        "catalog_number",
        "TIC 01",
        plain("CATALOGNUMBER", "WM/CatalogNo") | {"ape": "CatalogNumber", "matroska": "CATALOG_NUMBER"},
    ),
    ("asin", "B000002UAL", plain("ASIN")),
    (
        "acoustid",
        UUIDS[7],
        names("TXXX:Acoustid Id", "Acoustid Id", "ACOUSTID_ID", "ACOUSTID_ID", "Acoustid/Id"),
    ),
    ("discogs_release", "249504", plain("DISCOGS_RELEASE_ID")),
    ("discogs_artist", "72872", plain("DISCOGS_ARTIST_ID")),
    ("eidr", "10.5240/7791-8534-2C23-9030-8610-5", plain("EIDR")),
    ("isan", "0000-0000-D07A-0090-Q-0000-0000-X", plain("ISAN")),
    ("imdb", "tt0068646", plain("IMDB")),
    ("tmdb", "movie/238", plain("TMDB")),
    ("tvdb", "81189", plain("TVDB")),
]


@pytest.mark.parametrize("container", WRITERS)
def test_all_identifiers_are_the_same_object_in_each_container(container):
    fields = {spelt[COLUMNS[container]]: [value] for _, value, spelt in IDENTIFIERS}
    found = record(WRITERS[container](fields)).identifiers
    assert found == {name: [value] for name, value, _ in IDENTIFIERS}


@pytest.mark.parametrize("container", WRITERS)
def test_several_of_one_kind_are_a_list(container):
    wanted = {"musicbrainz_artist": UUIDS[:2], "isrc": ["USRC17607839", "GBAYE0000351"]}
    spelt = {name: each for name, _, each in IDENTIFIERS}
    fields = {spelt[name][COLUMNS[container]]: values for name, values in wanted.items()}
    found = record(WRITERS[container](fields)).identifiers
    # mutagen puts the first value of ASF into an object behind that of the others.
    assert {name: sorted(values) for name, values in found.items()} == {
        name: sorted(values) for name, values in wanted.items()
    }


def test_identifiers_of_apples_store_are_numbers_in_mp4():
    data = write_mp4({"cnID": [1440857781], "atID": [136975], "plID": [1440857778], "egid": ["tag:example.org,1"]})
    assert record(data).identifiers == {
        "itunes_track": ["1440857781"],
        "itunes_artist": ["136975"],
        "itunes_album": ["1440857778"],
        "episode": ["tag:example.org,1"],
    }


@pytest.mark.parametrize(
    ("owner", "identifier", "text"),
    [
        ("http://www.cddb.com/id3/taginfo1.html", b"3CD3N48Q241232290U1", "{owner} 3CD3N48Q241232290U1"),
        ("http://example.org", b"\x01\x02\xff", "{owner} 0102ff"),
    ],
)
def test_other_unique_identifiers_are_told_with_their_owner(owner, identifier, text):
    tags = id3.ID3()
    tags.add(id3.UFID(owner=owner, data=identifier))
    assert record(saved(tags, audio(4))).identifiers == {"ufid": [text.format(owner=owner)]}


def person(role, name, **more):
    return {"role": role, "name": name, **more}


PEOPLE = [
    ("composer", names("TCOM", "©wrt", "COMPOSER", "Composer", "WM/Composer")),
    ("lyricist", names("TEXT", "LYRICIST", "LYRICIST", "Lyricist", "WM/Writer")),
    ("conductor", names("TPE3", "CONDUCTOR", "CONDUCTOR", "Conductor", "WM/Conductor")),
    ("arranger", names("TXXX:ARRANGER", "ARRANGER", "ARRANGER", "Arranger", "WM/Arranger")),
    ("remixer", names("TPE4", "REMIXER", "REMIXER", "MixArtist", "WM/ModifiedBy", "REMIXED_BY")),
    ("producer", names("TXXX:PRODUCER", "PRODUCER", "PRODUCER", "Producer", "WM/Producer")),
    ("engineer", names("TXXX:ENGINEER", "ENGINEER", "ENGINEER", "Engineer", "WM/Engineer", "SOUND_ENGINEER")),
    ("mixer", names("TXXX:MIXER", "MIXER", "MIXER", "Mixer", "WM/Mixer")),
    ("djmixer", names("TXXX:DJMIXER", "DJMIXER", "DJMIXER", "DJMixer", "WM/DJMixer", "MIXED_BY")),
    ("director", names("TXXX:DIRECTOR", "DIRECTOR", "DIRECTOR", "Director", "WM/Director")),
]


@pytest.mark.parametrize("container", WRITERS)
def test_people_have_the_same_roles_in_each_container(container):
    fields = {spelt[COLUMNS[container]]: [f"{role} of it"] for role, spelt in PEOPLE}
    expected = [person(role, f"{role} of it") for role, _ in PEOPLE]
    assert record(WRITERS[container](fields)).persons == expected


@pytest.mark.parametrize("container", ["ogg", "flac", "ape", "mp4", "matroska"])
def test_the_instrument_of_a_performer_stands_in_parentheses(container):
    performers = ["Ann (guitar)", "Bob (drums (drum set))", "Prince", "(both)", "Eve ()"]
    item = record(WRITERS[container]({"PERFORMER": performers}))
    assert item.persons == [
        person("performer", "Ann", instrument="guitar"),
        person("performer", "Bob", instrument="drums (drum set)"),
        person("performer", "Prince"),
        person("performer", "(both)"),
        person("performer", "Eve ()"),
    ]
    # The evidence has the text as it stands in the file.
    assert [element["text"] for element in item.tags if element["key"] == "performer"] == performers


PAIRS = [
    ("producer", "producer", ""),
    ("Engineer", "engineer", ""),
    ("mix", "mixer", ""),
    ("DJ-mix", "djmixer", ""),
    ("arranger", "arranger", ""),
    ("guitar", "performer", "guitar"),
    ("Lead vocals", "performer", "Lead vocals"),
    ("гитара", "performer", "гитара"),
    ("artwork", "", ""),
]


@pytest.mark.parametrize("version", [3, 4])
@pytest.mark.parametrize(("word", "role", "instrument"), PAIRS)
def test_words_in_lists_of_people_are_roles_and_instruments(version, word, role, instrument):
    item = record(write_id3({"IPLS" if version == 3 else "TIPL": [[word, "Anna Ö"], [word, "Bob"]]}, version))
    about = {"instrument": instrument} if instrument else {}
    assert item.persons == [person(role, name, **about) for name in ("Anna Ö", "Bob") if role]
    if not role:
        frame = {3: "ipls", 4: "tipl"}[version]
        assert [each["text"] for each in item.tags if each["key"] == frame] == [word, "Anna Ö", word, "Bob"]


def test_musicians_and_their_instruments_are_pairs_with_bytes_of_their_own():
    item = record(write_id3({"TMCL": [["guitar", "Анна"], ["", "Nobody"], ["bass", ""], ["piano", "Bob"]]}))
    assert item.persons == [
        person("performer", "Анна", instrument="guitar"),
        person("performer", "Bob", instrument="piano"),
    ]
    performers = [element for element in item.tags if element["key"] == "performer"]
    assert [(raw_bytes(each), each["desc"]) for each in performers] == [
        ("Анна".encode(), "guitar"),
        (b"Bob", "piano"),
    ]
    assert [each["text"] for each in item.tags if each["key"] == "tmcl"] == ["Nobody"]


def test_a_film_names_its_people_and_whom_they_play():
    cast = [("Ann Lee", {"CHARACTER": "The Captain"}), "Bob Ray"]
    fields = {"DIRECTOR": ["Dee"], "PRODUCER": ["Pat"], "WRITTEN_BY": ["Wil"], "ACTOR": cast}
    assert record(write_film(fields)).persons == [
        person("writer", "Wil"),
        person("producer", "Pat"),
        person("director", "Dee"),
        person("actor", "Ann Lee", character="The Captain"),
        person("actor", "Bob Ray"),
    ]


def test_instruments_nest_in_a_performer_of_matroska():
    band = [("Ann", {"SORT_WITH": "A", "INSTRUMENTS": "guitar, bass"}), "Bob"]
    assert record(WRITERS["matroska"]({"ACCOMPANIMENT": band})).persons == [
        person("performer", "Ann", instrument="guitar, bass"),
        person("performer", "Bob"),
    ]


KEYS = [
    ("releasestatus", of_musicbrainz("Album Status") | {"vorbis": "RELEASESTATUS"}),
    ("releasetype", of_musicbrainz("Album Type") | {"vorbis": "RELEASETYPE"}),
    (
        "releasecountry",
        of_musicbrainz("Album Release Country") | {"vorbis": "RELEASECOUNTRY", "ape": "RELEASECOUNTRY"},
    ),
    ("script", plain("SCRIPT", "WM/Script")),
    ("artists", plain("ARTISTS", "WM/ARTISTS") | {"id3": "TXXX:Artists"}),
    ("work", plain("WORK", "WM/Work")),
    ("writer", plain("WRITER") | {"id3": "TXXX:Writer", "ape": "Writer"}),
    (
        "acoustid_fingerprint",
        names(
            "TXXX:Acoustid Fingerprint",
            "Acoustid Fingerprint",
            "ACOUSTID_FINGERPRINT",
            "ACOUSTID_FINGERPRINT",
            "Acoustid/Fingerprint",
        ),
    ),
    ("discsubtitle", names("TSST", "DISCSUBTITLE", "DISCSUBTITLE", "DiscSubtitle", "WM/SetSubTitle")),
    ("musicbrainz_originalalbumid", of_musicbrainz("Original Album Id")),
    ("musicbrainz_originalartistid", of_musicbrainz("Original Artist Id")),
    ("musicip_puid", names("TXXX:MusicIP PUID", "MusicIP PUID", "MUSICIP_PUID", "MUSICIP_PUID", "MusicIP/PUID")),
]
NAMERS = {
    "id3": lambda name: id3_key(*name.split(":", 1)),
    "mp4": lambda name: mp4_key(f"----:com.apple.iTunes:{name}"),
    "vorbis": vorbis_key,
    "ape": ape_key,
    "asf": asf_key,
    "matroska": matroska_key,
}


@pytest.mark.parametrize(("key", "spelt"), KEYS)
def test_other_fields_have_picards_names(key, spelt):
    assert {column: NAMERS[column](name) for column, name in spelt.items()} == dict.fromkeys(spelt, key)


@pytest.mark.parametrize("name", ["Mood", "Anything else", "x" * 70_000, "MusicBrainz", ""])
def test_what_nobody_knows_keeps_its_own_name(name):
    assert id3_key("TXXX", name) == f"txxx:{name.lower()}"[:100]
    assert vorbis_key(name.upper()) == name.lower()[:100]


def test_names_of_other_containers_go_by_the_same_table():
    assert [riff_key(name) for name in ("IENG", "IPRO", "ISTR", "IMUS")] == [
        "engineer",
        "producer",
        "performer",
        "composer",
    ]
    assert flv_key("MusicBrainz Album Id") == "musicbrainz_albumid"
    # What is said of a part, or of the collection, is not said of the file.
    assert matroska_key("IMDB", "collection") == "collection:imdb"
    assert record(matroska((70, {"IMDB": ["tt0000001"]}), (50, {"TMDB": ["tv/1"]}))).identifiers == {"tmdb": ["tv/1"]}


LICENCE = "https://creativecommons.org/licenses/by/4.0/"


@pytest.mark.parametrize(
    "data",
    [
        write_id3({"WCOP": [LICENCE]}),
        write_id3({"TXXX:LICENSE": [LICENCE]}),
        write_vorbis({"LICENSE": [LICENCE]}),
        write_flac({"license": [LICENCE]}),
        write_ape({"License": [LICENCE]}),
        write_mp4({"LICENSE": [LICENCE]}),
    ],
)
def test_a_licence_that_is_an_address_is_its_address(data):
    item = record(data)
    assert (item.license, item.license_url) == (None, LICENCE)


@pytest.mark.parametrize("text", ["CC BY 4.0", "see https://example.org/licence", "ftp.example.org"])
def test_a_licence_that_is_a_name_is_a_name(text):
    item = record(write_vorbis({"LICENSE": [text]}))
    assert (item.license, item.license_url) == (text, None)


@pytest.mark.parametrize(
    ("text", "explicit"),
    [
        *(dict.fromkeys(("1", "4", "true", "Explicit"), "yes") | dict.fromkeys(("2", "0", "clean"), "no")).items(),
        ("", None),
        ("maybe", None),
    ],
)
@pytest.mark.parametrize("name", ["EXPLICIT", "ITUNESADVISORY"])
def test_what_is_said_of_explicit_content_is_yes_or_no(name, text, explicit):
    assert record(write_vorbis({name: [text]})).explicit == explicit
    assert record(write_id3({f"TXXX:{name}": [text]})).explicit == explicit
    assert record(write_mp4({name: [text]})).explicit == explicit


@pytest.mark.parametrize(
    ("data", "language"),
    [
        (write_id3({"TLAN": ["ger"]}), "de"),
        (write_id3v23({"TLAN": ["por"]}), "pt"),
        (write_vorbis({"LANGUAGE": ["pt_BR"]}), "pt-BR"),
        (write_ape({"Language": ["German"]}), "de"),
        (write_asf({"WM/Language": ["en-US"]}), "en-US"),
        (write_mp4({"LANGUAGE": ["jpn"]}), "ja"),
    ],
)
def test_the_language_of_a_tag_is_that_of_the_record(data, language):
    assert record(data).language == language


def test_a_compilation_is_told_alike():
    files = [
        write_id3({"TCMP": ["1"]}),
        write_mp4({"cpil": True}),
        write_vorbis({"COMPILATION": ["1"]}),
        write_ape({"Compilation": ["1"]}),
        write_asf({"WM/IsCompilation": [True]}),
    ]
    for data in files:
        assert [each["text"] for each in record(data).tags if each["key"] == "compilation"] == ["1"]


def test_what_a_players_library_keeps_for_itself_is_no_text():
    fields = {"WM/MediaClassPrimaryID": ["{D1607DBC-E323-4BE2-86A1-48A42A28441E}"], "WM/Mood": ["calm"]}
    assert [each["key"] for each in record(write_asf(fields)).tags] == ["mood"]

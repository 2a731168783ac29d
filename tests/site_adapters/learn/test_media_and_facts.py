"""Which values of an answer become media, records, their facts and the next page."""

import json

import pytest
from hand_made import entry, media, names, page, recording

from mediacrawl.site_adapters.learn.learning import learn

IDS = ("8340112", "5520937", "7719024")
HEX = ("a81b20c9d8e7", "b77120aa0f1e", "c9d1f0b2a3e4")


def learned(answer, played=None, more=(), html="<h1>{title}</h1>", pages=2):
    """What is learned of pages whose data request has this answer, a function of the page's number."""
    made = []
    for n in range(pages):
        body = answer(n)
        files = played(n) if played else [f"https://cdn.example/{HEX[n]}.mp4"]
        data = entry(f"https://s.example/api/{IDS[n]}", body)
        others = [entry(url.format(id=IDS[n]), other(n)) for url, other in more]
        made.append(
            page(
                f"https://s.example/v/{IDS[n]}",
                data,
                *others,
                *map(media, files),
                html=html.format(title=f"Song {HEX[n]}"),
            )
        )
    return learn([recording(*made)])


def records(answer, **more):
    found = learned(answer, **more)
    assert found.adapter is not None, found.refusals
    return found.adapter["records"]


def file(n, name=""):
    return f"https://cdn.example/{HEX[n]}{name}.mp4"


def test_qualities_of_one_medium_are_all_taken():
    found = records(
        lambda n: {"v": {"sources": [{"src": file(n), "height": 720}, {"src": file(n, "_low"), "height": 240}]}}
    )
    assert found["media"] == [{"json": "v.sources[*].src"}]


def test_what_is_not_played_is_not_taken_if_something_is():
    found = records(lambda n: {"id": IDS[n], "hls": f"https://h.example/{HEX[n]}/x.m3u8", "mp4": file(n)})
    assert found["media"] == [{"json": "mp4"}]


def test_pages_that_play_different_qualities_have_both_taken_from_a_list():
    answer = lambda n: {"s": [{"f": file(n, "_a"), "rate": 1}, {"f": file(n, "_b"), "rate": 2}]}  # noqa: E731
    found = records(answer, played=lambda n: [file(n, "_ab"[0::2][0] + "ab"[n])])
    assert found["media"] == [{"json": "s[*].f"}]


def test_a_medium_that_is_the_same_on_all_pages_is_none():
    found = records(
        lambda n: {"jingle": "https://cdn.example/jingle.mp4", "song": file(n)},
        played=lambda n: ["https://cdn.example/jingle.mp4", file(n)],
    )
    assert found["media"] == [{"json": "song"}]


def test_of_two_media_that_were_not_played_none_is_taken():
    found = learned(lambda n: {"title": f"Song {HEX[n]}", "related": file(n, "_x"), "clip": file(n)}, lambda n: [])
    assert (found.adapter, found.refusals[0].name) == (None, "ambiguous")


@pytest.mark.parametrize("written", ["Anna &amp; {n}", "Anna &#38; {n}", "Anna & {n}"])
def test_a_title_with_entities_names_the_page_too(written):
    found = learned(
        lambda n: {"title": written.format(n=f"Song {HEX[n]}"), "clip": file(n)},
        lambda n: [],
        html="<h1>Anna &amp; {title}</h1>",
    )
    assert found.adapter is not None, found.refusals


# Lists of records


def album(n, size=3):
    tracks = [{"no": k, "title": f"T{n}{k} {HEX[n]}", "s": file(n, k or ""), "ms": 61_000 + k} for k in range(size + n)]
    return {"album": f"Song {HEX[n]}", "artist": {"name": "Anna"}, "tracks": tracks}


def test_a_list_that_the_page_shows_is_a_record_each():
    found = records(album)
    assert found["each"] == "tracks[*]"
    assert found["media"] == [{"json": "s"}]
    assert found["title"] == {"json": "title"}
    assert found["duration"] == {"json": "ms", "unit": "ms"}
    assert "next" not in found


def test_a_list_that_begins_with_the_medium_of_the_page_may_be_in_any_order():
    def answer(n):
        others = [{"title": f"Other {HEX[n]}{k}", "s": file(n, k)} for k in range(1, 4)]
        return {"items": [{"title": f"Song {HEX[n]}", "s": file(n)}, *others]}

    assert names(learned(answer)) == ["ambiguous"]


# Facts


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"title": "Song {hex}"}, {"title": {"json": "clip.title"}}),
        ({"meta": {"name": "Song {hex}"}}, {"title": {"json": "clip.meta.name"}}),
        ({"rubrik": "Song {hex}"}, {"title": {"json": "clip.rubrik"}}),
        ({"title": "720p"}, {}),
        ({"duration": 125}, {"duration": {"json": "clip.duration"}}),
        ({"duration": 125000}, {"duration": {"json": "clip.duration", "unit": "ms"}}),
        ({"durationMs": 9000}, {"duration": {"json": "clip.durationMs", "unit": "ms"}}),
        ({"minutes": 3}, {"duration": {"json": "clip.minutes", "unit": "min"}}),
        ({"length": "PT3M20S"}, {"duration": {"json": "clip.length"}}),
        ({"length": "3:20"}, {"duration": {"json": "clip.length"}}),
        ({"length": "long"}, {}),
        ({"published": "2024-05-06"}, {"date": {"json": "clip.published"}}),
        ({"no_ar": "2024-05-06T10:00:00Z"}, {"date": {"json": "clip.no_ar"}}),
        ({"a1": "2024-05-06", "a2": "2024-05-07"}, {}),
        ({"created": 1700000000}, {"date": {"json": "clip.created"}}),
        ({"created": 1700000000123}, {"date": {"json": "clip.created", "unit": "ms"}}),
        ({"poster": "/p/{hex}.jpg"}, {"thumbnail": {"json": "clip.poster"}}),
        ({"images": [{"url": "/p/{hex}.jpg"}]}, {"thumbnail": {"json": "clip.images[0].url"}}),
        ({"poster": "none"}, {}),
        ({"description": "What it is about"}, {"description": {"json": "clip.description"}}),
        ({"author": {"name": "Anna"}}, {"artist": {"json": "clip.author.name"}}),
        ({"album": "Low Water"}, {"album": {"json": "clip.album"}}),
    ],
)
def test_facts_stand_beside_the_medium(fields, expected):
    def answer(n):
        text = json.dumps(fields).replace("{hex}", HEX[n])
        return {"clip": {**json.loads(text), "src": file(n)}}

    found = records(answer)
    assert {name: place for name, place in found.items() if name != "media"} == expected


def test_facts_of_objects_around_are_taken_if_the_nearest_has_none():
    found = records(lambda n: {"name": f"Song {HEX[n]}", "files": {"main": {"src": file(n), "name": "720p"}}})
    assert found["title"] == {"json": "name"}


def test_facts_beside_the_title_belong_to_it():
    found = records(lambda n: {"details": {"x": {"caption": f"Song {HEX[n]}", "seconds": 61}}, "f": {"src": file(n)}})
    assert found["title"] == {"json": "details.x.caption"}
    assert found["duration"] == {"json": "details.x.seconds"}


def test_facts_of_an_earlier_answer_are_taken():
    made = []
    for n in range(2):
        config = {"clip": {"id": IDS[n], "key": HEX[n], "title": f"Song {HEX[n]}", "lengthMs": 61_000}}
        url = f"https://cdn.example/{IDS[n][::-1]}.mp4"
        answers = [entry(f"https://s.example/c/{IDS[n]}", config), entry(f"https://s.example/s/{HEX[n]}", {"f": url})]
        made.append(page(f"https://s.example/v/{IDS[n]}", *answers, media(url)))
    written = learn([recording(*made)]).adapter
    assert written["records"]["title"] == {"slot": "fact_title"}
    assert written["slots"]["fact_duration"] == {"in": "answer 1", "json": "clip.lengthMs"}
    assert written["records"]["duration"] == {"slot": "fact_duration", "unit": "ms"}


# Answers in XML


def test_xml_is_read_by_local_names():
    def answer(n):
        return (
            f'<m:clip xmlns:m="urn:m"><m:title>Song {HEX[n]}</m:title><m:length ms="61000"/>'
            f'<m:file rate="8" href="{file(n)}"/><m:file rate="2" href="{file(n, "_low")}"/></m:clip>'
        )

    found = records(answer)
    assert found["media"] == [{"json": 'clip.file[*]."@href"'}]
    assert found["title"] == {"json": "clip.title[0]"}
    assert found["duration"] == {"json": 'clip.length[0]."@ms"', "unit": "ms"}


def test_a_list_in_xml_is_a_record_each():
    def answer(n):
        items = "".join(
            f'<item><title>T{k} {HEX[n]}</title><enclosure url="{file(n, k or "")}"/></item>' for k in range(3)
        )
        return f"<rss><channel><title>Song {HEX[n]}</title>{items}</channel></rss>"

    found = records(answer)
    assert found["each"] == "rss.channel[0].item[*]"
    assert found["media"] == [{"json": 'enclosure[0]."@url"'}]
    assert found["title"] == {"json": "title[0]"}


# Headers


def test_headers_that_the_script_set_are_kept_and_no_others():
    headers = {"accept": "application/json", "x-requested-with": "XMLHttpRequest", "cookie": "REMOVED", "x-other": "1"}
    made = []
    for n in range(2):
        data = entry(f"https://s.example/api/{IDS[n]}", {"id": IDS[n], "src": file(n)}, request_headers=headers)
        made.append(page(f"https://s.example/v/{IDS[n]}", data, media(file(n))))
    found = learn([recording(*made)])
    sent = found.adapter["requests"][0]["headers"]
    assert sent == {"Accept": "application/json", "X-Requested-With": "XMLHttpRequest"}
    assert [step for step in found.steps if "header" in step] == [
        "Data request 1 is made without the header x-other that the page's script set (not proven)."
    ]

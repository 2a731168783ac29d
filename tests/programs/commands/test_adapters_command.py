"""``scrapy adapters``: learns, checks and tries site adapters."""

import json

import pytest
from adapter_files import CLIP, text_of
from command_line import MEDIACRAWL, QUICK, run
from harness import switches
from player_sites import RECORDINGS, SITES, read_har
from player_sites.server import PlayerWeb, moved

CLIPS = SITES["clips"]


def adapters(folder, *words, **settings):
    return run(folder, *MEDIACRAWL, "adapters", *words, *switches(settings))


@pytest.fixture(scope="module")
def learned(tmp_path_factory):
    folder = tmp_path_factory.mktemp("learned")
    done = adapters(folder, "learn", str(RECORDINGS / "clips.har.gz"), "-o", "clips.json").check()
    return folder / "clips.json", done.out


def test_a_recording_gives_an_adapter_and_says_how_it_works(learned):
    path, told = learned
    assert "clips.har.gz: 2 pages" in told
    assert "Data request 1 has" in told
    assert f"{path.name} is written" in told
    assert adapters(path.parent, "check", path.name).check().out == (
        "clips.example: clips.example/clip/{id}, 1 data request\n"
    )


def test_learning_overwrites_no_file_and_wants_to_know_where_to_write(learned):
    path, _ = learned
    recording = str(RECORDINGS / "clips.har.gz")
    assert adapters(path.parent, "learn", recording, "-o", path.name).sentence == "clips.json exists; name a new file"
    assert "-o FILE" in adapters(path.parent, "learn", recording).sentence
    assert "takes recordings" in adapters(path.parent, "learn", "-o", "x.json").sentence


def test_pages_that_are_held_out_prove_the_adapter(tmp_path):
    har = read_har(CLIPS.recordings()[0])
    # The last page once more, under an id of its own.
    last = [each for each in har["log"]["entries"] if each["pageref"] == "page_2"]
    har["log"]["entries"] += json.loads(json.dumps(last).replace("1834531", "1834532").replace("page_2", "page_3"))
    har["log"]["pages"].append({**har["log"]["pages"][1], "id": "page_3", "title": "http://clips.example/clip/1834532"})
    (tmp_path / "three.har").write_text(json.dumps(har), encoding="utf-8")
    done = adapters(tmp_path, "learn", "three.har", "--hold-out", "1")
    assert "held out: http://clips.example/clip/1834532 is right: " in done.out
    assert "WRONG" not in done.out


@pytest.mark.parametrize(("name", "why"), [("pochta", "post_only"), ("verboten", "robots"), ("leden", "login")])
def test_what_is_refused_is_told_in_a_sentence_and_nothing_is_written(tmp_path, name, why):
    done = adapters(tmp_path, "learn", str(RECORDINGS / f"{name}.har.gz"), "-o", "new.json")
    assert done.code == 1
    assert done.err.startswith(f"refused, {why}: ")
    assert not (tmp_path / "new.json").exists()


def test_check_names_file_line_and_field_of_each_fault(tmp_path):
    folder = tmp_path / "adapters"
    folder.mkdir()
    (folder / "a.json").write_bytes(text_of(CLIP))
    (folder / "b.json").write_bytes(text_of({**CLIP, "name": "B", "form": 3}))
    done = adapters(tmp_path, "check", "adapters")
    assert done.code == 1
    assert done.err.splitlines() == [
        "adapters/b.json:2: form is 3; this version of mediacrawl reads 1",
        "adapters/b.json:3: name is 'B', which does not match ^[a-z0-9][a-z0-9._-]{0,59}$",
    ]
    (folder / "b.json").unlink()
    assert (
        adapters(tmp_path, "check", ADAPTERS_DIR="adapters").check().out.startswith("clips.example: *.clips.example/")
    )
    assert "set ADAPTERS_DIR" in adapters(tmp_path, "check").sentence


def test_the_schema_is_printed(tmp_path):
    assert json.loads(adapters(tmp_path, "schema").check().out)["title"] == "Site adapter"
    assert "did you mean check?" in adapters(tmp_path, "chek").sentence


@pytest.fixture(scope="module")
def web():
    with PlayerWeb([CLIPS]) as served:
        yield served


@pytest.fixture
def at_port(learned, web, tmp_path):
    """The learned adapter, for the port of the web."""
    path = tmp_path / "clips.json"
    path.write_text(json.dumps(moved(json.loads(learned[0].read_text()), web.port)))
    return path


def try_on(folder, web, *words):
    reached = {"RESOLVER_HOSTS": json.dumps(web.hosts), "GUARD_ALLOW": "127.0.0.1"}
    return adapters(folder, "try", *words, **QUICK, **reached, MEDIACRAWL_CONTACT="https://example.org/bot")


def test_try_asks_a_page_that_was_not_recorded_by_the_rules_and_shows_steps_and_record(at_port, web, tmp_path):
    page = web.pages[-1]
    done = try_on(tmp_path, web, str(at_port), page, "--json").check()
    (told,) = [json.loads(line) for line in done.out.splitlines()]
    (expected,) = web.truth(page)
    assert [each["url"] for each in told["media"]] == list(expected.media)
    assert {each["title"] for each in told["media"]} == {expected.title}
    (probed,) = told["probed"]
    assert probed["record"]["content_url"] == expected.media[0]
    assert probed["record"]["page_url"] == page
    asked = [(entry.host, entry.path) for entry in web.log]
    assert asked == [
        ("clips.example", "/robots.txt"),
        ("api.clips.example", "/robots.txt"),
        ("api.clips.example", told["requests"][0]["url"].partition(f":{web.port}")[2]),
        ("cdn.clips.example", "/robots.txt"),
        ("cdn.clips.example", expected.media[0].partition(f":{web.port}")[2]),
    ]


def test_try_shows_what_is_missed_and_does_not_ask_the_page_instead(at_port, web, tmp_path):
    before = len(web.log)
    done = try_on(tmp_path, web, str(at_port), f"http://clips.example:{web.port}/clip/1")
    assert done.code == 1
    assert "data request 1: http://api.clips.example" in done.out
    assert "no media: the server answered 404" in done.out
    assert "/clip/1" not in [entry.path for entry in web.log[before:]]


def test_try_refuses_what_is_no_page_of_the_adapter(at_port, web, tmp_path):
    told = try_on(tmp_path, web, str(at_port), "http://other.example/clip/1").sentence
    assert told.startswith("http://other.example/clip/1 is no page of clips.example: ")
    assert "one URL or more" in try_on(tmp_path, web, str(at_port)).sentence

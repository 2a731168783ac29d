"""What was learned of hosts and folders: told again, bounded, changeable, and harmless to lose."""

import json
import logging
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.encoding import Hints, History, detect
from mediacrawl.encoding.decision import Detection
from mediacrawl.encoding.history import place_of
from mediacrawl.encoding.pricing.hints import shift_of

RUSSIAN = ("cp1251", "ru")
LATIN = ("cp1252", "de")


def found(pair=RUSSIAN, margin=9.0):
    encoding, language = pair
    return Detection(encoding, language, 0.99, margin, "", ())


def taught(*lessons, hosts=100):
    """A history that met records: (folder, pair, how often)."""
    history = History(hosts)
    for folder, pair, count in lessons:
        for number in range(count):
            history.learn(f"http://{folder}/{number}.mp3", found(pair))
    return history


def test_a_new_place_has_no_history():
    assert History().prior("http://a.example/x.mp3") == {}


def test_what_a_folder_taught_is_told_there_and_on_its_host():
    history = taught(("a.example/old", RUSSIAN, 3))
    assert history.prior("http://a.example/old/new.mp3") == {RUSSIAN: 3.0}
    assert history.prior("http://A.example:8080/other/new.mp3") == {RUSSIAN: 3.0}
    assert history.prior("http://b.example/old/new.mp3") == {}


def test_a_latin_1_host_is_learned_like_any_other():
    assert taught(("a.example", LATIN, 2)).prior("http://a.example/x.mp3") == {LATIN: 2.0}


def test_a_folder_with_little_of_its_own_hears_its_host_and_one_with_enough_does_not():
    history = taught(("a.example/ru", RUSSIAN, 40), ("a.example/de", LATIN, 3))
    assert history.prior("http://a.example/de/x.mp3") == {LATIN: 3.0, RUSSIAN: 5.0}
    history = taught(("a.example/ru", RUSSIAN, 40), ("a.example/de", LATIN, 8))
    assert history.prior("http://a.example/de/x.mp3") == {LATIN: 8.0}


def test_one_url_teaches_once():
    history = History()
    for _ in range(5):
        history.learn("http://a.example/x.mp3", found())
    assert history.prior("http://a.example/y.mp3") == {RUSSIAN: 1.0}


@pytest.mark.parametrize("margin", [3.0, 0.0, -1.0, math.nan])
def test_a_doubtful_decision_teaches_nothing(margin):
    history = History()
    history.learn("http://a.example/x.mp3", found(margin=margin))
    assert len(history) == 0


def test_unicode_that_was_right_teaches_nothing_and_neither_does_a_text_without_encoding():
    history = taught(("a.example", ("utf-16", "ru"), 3), ("a.example", ("", ""), 3))
    assert len(history) == 0


def test_a_host_may_change():
    history = taught(("a.example", LATIN, 60))
    for number in range(100, 190):
        history.learn(f"http://a.example/{number}.mp3", found(RUSSIAN))
    counts = history.prior("http://a.example/x.mp3")
    assert counts[RUSSIAN] > 2 * counts.get(LATIN, 0)
    assert sum(counts.values()) <= 64


def test_the_hosts_not_met_for_longest_are_forgotten():
    history = History(3)
    for number, name in enumerate("abcad"):
        history.learn(f"http://{name}.example/{number}.mp3", found())
    assert history.prior("http://b.example/") == {}
    assert history.prior("http://a.example/") != {}
    assert len(history) == 3


def test_a_place_keeps_eight_pairs_and_a_new_one_among_them():
    history = History()
    for number in range(30):
        history.learn(f"http://a.example/{number}", found((f"cp{number}", "xx")))
    counts = history.prior("http://a.example/x")
    assert len(counts) == 8
    assert ("cp29", "xx") in counts


@pytest.mark.parametrize("url", ["", "no url", "http://[", "mailto:a@b.example", "http:///x", "\ud800", "http://\0/"])
def test_what_is_no_address_neither_teaches_nor_raises(url):
    history = History()
    history.learn(url, found())
    history.prior(url)
    assert all(len(name) <= 120 for name in place_of(url))


@given(st.text(max_size=40).map("http://a.example/".__add__) | st.text(max_size=40).map("http://".__add__))
def test_no_address_raises(url):
    history = History(2)
    history.learn(url, found())
    history.prior(url)


def test_folders_with_endless_names_are_told_apart_and_cost_little():
    one, two = (place_of(f"http://a.example/{'x' * 5000}{number}/y.mp3")[1] for number in (1, 2))
    assert one != two
    assert len(one) <= 120


# -- on disk -------------------------------------------------------------------------------------------------------


def test_what_was_saved_is_there_again(tmp_path):
    path = tmp_path / "state" / "encodings.json"
    history = taught(("a.example/x", RUSSIAN, 3), ("b.example", LATIN, 1))
    history.save(path)
    again = History.load(path)
    for url in ("http://a.example/x/1", "http://a.example/y/1", "http://b.example/2"):
        assert again.prior(url) == history.prior(url) != {}
    assert [entry.name for entry in path.parent.iterdir()] == ["encodings.json"]


def test_a_smaller_limit_keeps_the_newest(tmp_path):
    path = tmp_path / "encodings.json"
    taught(*((f"{name}.example", RUSSIAN, 1) for name in "abcd")).save(path)
    again = History.load(path, hosts=2)
    assert [bool(again.prior(f"http://{name}.example/")) for name in "abcd"] == [False, False, True, True]


def test_without_a_file_it_begins_anew(tmp_path, caplog):
    assert len(History.load(tmp_path / "encodings.json")) == 0
    assert caplog.records == []


GOOD = {"format": 1, "hosts": {"a.example": {"cp1251 ru": 1.0}}, "folders": {}}


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff\xfe",
        b"[" * 100_000,
        b"[]",
        b"{}",
        json.dumps(GOOD)[:-5].encode(),
        json.dumps(GOOD | {"format": 2}).encode(),
        json.dumps(GOOD | {"hosts": []}).encode(),
        json.dumps(GOOD | {"hosts": {"a": 1}}).encode(),
        json.dumps(GOOD | {"hosts": {"a": {"x y": "1"}}}).encode(),
        json.dumps(GOOD | {"hosts": {"a": {"x y": math.nan}}}).encode(),
        json.dumps(GOOD | {"hosts": {"a": {"x y": 1e9}}}).encode(),
        json.dumps(GOOD | {"hosts": {"a": {f"x{n} y": 1 for n in range(9)}}}).encode(),
    ],
)
def test_a_damaged_file_is_kept_aside_and_told_in_one_sentence(tmp_path, caplog, content):
    path = tmp_path / "encodings.json"
    path.write_bytes(content)
    with caplog.at_level(logging.WARNING):
        assert len(History.load(path)) == 0
    (line,) = caplog.messages
    assert "starts empty" in line
    assert not path.exists()
    assert (tmp_path / "encodings.json.damaged").read_bytes() == content


def test_a_disk_that_refuses_is_told_and_nothing_raises(tmp_path, caplog):
    (tmp_path / "file").write_text("no folder")
    taught(("a.example", RUSSIAN, 1)).save(tmp_path / "file" / "encodings.json")
    assert "could not be saved" in caplog.text


def test_a_save_that_is_killed_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "encodings.json"
    taught(("a.example", RUSSIAN, 1)).save(path)
    before = path.read_bytes()

    def killed(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("pathlib.Path.replace", killed)
    with pytest.raises(KeyboardInterrupt):
        taught(("b.example", RUSSIAN, 1)).save(path)
    assert path.read_bytes() == before


def test_what_detect_finds_is_learned_by_the_names_that_its_priors_have():
    history = History()
    for number, title in enumerate(["Schöne Mädchen grüßen", "Über sieben Brücken", "Für Elise, schönste Stücke"]):
        history.learn(f"http://de.example/{number}.mp3", detect([title.encode("latin-1")]))
        history.learn(f"http://ru.example/{number}.mp3", detect(["Подмосковные вечера, песня".encode()]))
        history.learn(f"http://en.example/{number}.mp3", detect([b"Greatest Hits"]))
    assert history.prior("http://de.example/x.mp3") == {("cp1252", "de"): 3.0}
    assert history.prior("http://ru.example/x.mp3") == {("utf-8", ""): 3.0}
    assert history.prior("http://en.example/x.mp3") == {}


def test_a_latin_1_host_makes_latin_1_likelier_and_nothing_else():
    shift = shift_of(Hints(seen={("cp1252", "de"): 8.0}))
    assert shift is not None
    assert shift("cp1252", "de") < 0 < shift("cp1251", "ru")

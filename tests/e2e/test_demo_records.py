"""The records of a real crawl of the demo web: each has the declared form, and says what file, page and list say."""

import json

import pytest
from demo_fields import FIELDS
from jsonschema import Draft202012Validator
from judging import says

from mediacrawl.model.item import record_schema
from mediacrawl.scope import canonical


@pytest.fixture(scope="module")
def exported(finished):
    """The records as ``scrapy catalogue --export`` writes them."""
    path = finished.folder / "records.jsonl"
    done = finished.command("catalogue", "--export", str(path))
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_every_medium_of_the_web_has_a_record(finished, exported):
    assert {canonical(record["content_url"]) for record in exported} == finished.web.expected_records


def test_every_record_of_the_catalogue_has_the_declared_form(exported):
    validator = Draft202012Validator(record_schema())
    wrong = [
        (record["content_url"], error.json_path, error.message)
        for record in exported
        for error in validator.iter_errors(record)
    ]
    assert wrong == []


def test_every_item_of_the_feed_export_has_the_declared_form(finished):
    validator = Draft202012Validator(record_schema())
    lines = (finished.folder / "items.jl").read_text(encoding="utf-8").splitlines()
    assert [error.message for line in lines for error in validator.iter_errors(json.loads(line))] == []


@pytest.mark.parametrize("place", sorted(FIELDS))
def test_a_record_says_what_its_file_its_page_and_its_list_say(finished, exported, place):
    host, slash, path = place.partition("/")
    url = f"http://{host}:{finished.web.port}{slash}{path}"
    (record,) = [each for each in exported if canonical(each["content_url"]) == url]
    expected = finished.web.expected_fields[url]
    wrong = {name: record[name] for name, value in expected.items() if not says(record[name], value)}
    assert wrong == {}, {name: expected[name] for name in wrong}


def test_a_second_page_that_describes_a_file_is_named_in_the_evidence(finished, exported):
    (record,) = [each for each in exported if each["content_url"].endswith("/lade/heidi.caf")]
    pages = {tag["key"]: tag.get("page_url") or record["page_url"] for tag in record["tags"] if tag["source"] == "page"}
    second = f"http://wunderkammer.example:{finished.web.port}/brett/heidi/urheber"
    assert (pages["artist"], pages["license_url"]) == (second, second)
    assert record["page_url"] == second.removesuffix("/urheber")


def test_titles_of_chapters_in_another_encoding_than_they_claim_keep_their_bytes(exported):
    (record,) = [each for each in exported if each["content_url"].endswith("/zvuk/chai-2.mp3")]
    titles = [tag for tag in record["tags"] if tag["key"].startswith("chapters[")]
    assert [tag["text"] for tag in titles] == [chapter["title"] for chapter in record["chapters"]]
    assert {(tag["declared"], tag["encoding"], tag["decision"]) for tag in titles} == {("latin-1", "cp1251", "fixed")}
    assert all(tag["text_declared"].encode("latin-1") == tag["text"].encode("cp1251") for tag in titles)

"""Many records at a time, and nobody's work is overwritten."""

import pytest

from mediacrawl.store import BulkCatalogue, Catalogue


def item(number, **more):
    return {"content_url": f"https://a.example/{number}.mp3", "title": f"title {number}", **more}


@pytest.fixture
def path(tmp_path):
    with Catalogue(tmp_path / "media.db", clock=lambda: 1_700_000_000.0) as catalogue:
        for number in range(10):
            catalogue.upsert(item(number))
    return tmp_path / "media.db"


def titles(path):
    with Catalogue(path, read_only=True) as catalogue:
        return [record["title"] for record in catalogue.search(())][::-1]


def test_rows_come_in_the_order_in_which_they_were_stored(path):
    with BulkCatalogue(path, read_only=True) as catalogue:
        first = catalogue.rows(0, catalogue.last_number(), 4)
        rest = catalogue.rows(first[-1][0], 8, 100)
    assert [BulkCatalogue.record_of(row)["title"] for row in first + rest] == [f"title {n}" for n in range(8)]


def changed(row, title):
    return row, BulkCatalogue.row_of({**BulkCatalogue.record_of(row), "title": title}, 0.0)


def test_rows_are_written_back_and_found_by_their_new_words(path):
    with BulkCatalogue(path) as catalogue:
        first, second, *_ = catalogue.rows(0, 10, 10)
        assert catalogue.rewrite([changed(first, "größer")]) == 1
        # Again, as after a kill.
        assert catalogue.rewrite([changed(first, "größer"), changed(second, "kleiner")]) == 2
        assert [record["title"] for record in catalogue.search("grosser größ")] == []
        assert [record["title"] for record in catalogue.search("größ")] == ["größer"]
        assert catalogue.get(first[1 + 1])["last_seen_at"] == "2023-11-14T22:13:20Z"


def test_a_row_that_somebody_changed_or_removed_meanwhile_is_left(path):
    with BulkCatalogue(path) as catalogue:
        first, second, third, *_ = catalogue.rows(0, 10, 10)
        with Catalogue(path) as crawl:
            crawl.upsert(item(0, title="from the crawl"))
        catalogue._database.execute("DELETE FROM media WHERE number = ?", (second[0],))
        assert catalogue.rewrite([changed(row, "ours") for row in (first, second, third)]) == 1
    assert titles(path)[:2] == ["from the crawl", "ours"]


def test_fields_of_other_projects_stand_beside_the_others_and_go_back(tmp_path):
    strange = {"shop": {"price": 3}, "duration": "long", "id": "their-7"}
    with BulkCatalogue(tmp_path / "media.db", clock=lambda: 1_700_000_000.0) as catalogue:
        catalogue.upsert(item(1, **strange))
        (row,) = catalogue.rows(0, 9, 9)
        record = BulkCatalogue.record_of(row)
        assert record["shop"] == {"price": 3}
        assert record["extra"] == {"duration": "long", "id": "their-7"}
        assert catalogue.rewrite([(row, BulkCatalogue.row_of(record, 0.0))]) == 1
        assert catalogue.rows(0, 9, 9) == [row]

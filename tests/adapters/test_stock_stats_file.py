"""The file of stats in somebody else's project."""

import json
import re

from mediacrawl.fleet import WorkerStats


def prepare(project, **settings):
    project.set(EXTENSIONS={"mediacrawl.extensions.StatsFile": 0}, **settings)


def test_the_stats_of_a_crawl_are_in_the_file_when_it_ends(project, site):
    site.page("/")
    path = project.state / "told" / "stats.json"
    prepare(project, STATS_FILE=str(path))
    project.crawl(site.url("/")).check()
    account = WorkerStats.load(path)
    assert account.stats["finish_reason"] == "finished"
    assert account.stats["item_scraped_count"] == 1
    assert re.match(r"\d{4}-\d\d-\d\dT", account.stats["start_time"])
    assert json.loads(path.read_text()).keys() == {"written", "stats"}
    assert [each.name for each in path.parent.iterdir()] == ["stats.json"]


def test_a_file_that_cannot_be_written_is_told_once_and_the_crawl_goes_on(project, site):
    site.page("/")
    (project.state / "taken").write_text("a file")
    prepare(project, STATS_FILE=str(project.state / "taken" / "stats.json"))
    done = project.crawl(site.url("/")).check()
    assert done.log.count("The stats cannot be written") == 1
    assert len(done.items) == 1

"""In which order real crawls ask, by the server's log."""

import json

from honest_sites import HONEST, honest_files
from sins_traps import TrapWeb
from trap_crawl import Finished

SITE = "short-notes"


def asked(folder, seeds=("/",), **settings):
    """The paths of the one site that is crawled, in the order in which they were requested, each once."""
    with TrapWeb(HONEST, honest_files) as web:
        finished = Finished.on(web, folder, SITE)
        web.seeds = [web.url(SITE, path) for path in seeds]
        finished.run(**{"PRIORITY": "rules", "FRONTIER_EXPLORE": 0, "SCOPE_MAX_DEPTH": 100, **settings})
        assert finished.code == 0, finished.crawl.text()[-3000:]
        assert finished.media[SITE] == finished.found
        return list(dict.fromkeys(entry.path for entry in web.settled_log() if entry.path != "/robots.txt"))


def test_a_file_is_asked_before_the_next_page_and_a_seed_before_what_others_lead_to(tmp_path):
    paths = asked(tmp_path, ("/", "/seed/9"))
    assert paths.index("/seed/9") < paths.index("/note/1") < paths.index("/note/2")
    assert paths.index("/note0.mp3") < paths.index("/note/1")
    assert paths.index("/note1.mp3") < paths.index("/note/3")


def test_the_setting_priority_scores_changes_the_order(tmp_path):
    paths = asked(tmp_path, PRIORITY_SCORES=json.dumps({"media": 0.05, "page": 0.9, "depth": 0}))
    assert paths.index("/note/29") < paths.index("/note0.mp3")


def test_a_model_that_cannot_be_read_stops_the_start_with_one_sentence(crawl, tmp_path):
    crawl.start(PRIORITY="adaptive", PRIORITY_MODEL=tmp_path / "none.npz")
    assert crawl.wait() == 1
    told = crawl.text()
    assert "none.npz cannot be read as a model" in told
    assert "Traceback" not in told
    assert not crawl.web.settled_log()

"""A crawl that was killed, whose catalogue then loses its log or all of its bytes."""

import crash_plan
import pytest
from crash_web import CrashWeb
from ordeal import SWITCHES, Ordeal


@pytest.fixture
def crawl(tmp_path):
    with CrashWeb(4, patient=False) as web:
        crawl = Ordeal(web, tmp_path, crash_plan.dice("catalogue"))
        yield crawl
        if crawl.process is not None and crawl.process.poll() is None:
            crawl.kill()


def emptied(path):
    path.write_bytes(b"")


def without_its_log(path):
    path.with_name("media.db-wal").unlink()


@pytest.mark.slow
@pytest.mark.parametrize("fault", [emptied, without_its_log])
def test_a_crawl_on_a_catalogue_that_lost_records_does_not_begin_and_says_why(crawl, fault):
    crawl.start(*SWITCHES)
    log = crawl.folder / "state" / "media.db-wal"
    # Records, beyond the tables.
    crawl.until(lambda _: log.exists() and b"complete" in log.read_bytes())
    crawl.kill()
    asked = len(crawl.web.settled_log())
    fault(log.with_name("media.db"))
    crawl.start(*SWITCHES, seed="")
    assert crawl.wait() == 1
    assert "CRITICAL: The catalogue" in crawl.text()
    assert "delete media.db.mark to go on with the records that are there" in crawl.text()
    assert "Spider closed (catalogue_error)" in crawl.text()
    assert "Traceback" not in crawl.text()
    assert len(crawl.web.settled_log()) == asked
    log.with_name("media.db.mark").unlink()
    crawl.start(*SWITCHES, seed="")
    assert crawl.wait() == 0

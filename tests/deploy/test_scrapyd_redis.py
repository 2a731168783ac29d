"""Jobs of one scrapyd that share a crawl by way of Redis."""

import secrets

import pytest
from demo_web import DemoWeb
from redis_server import RedisServer
from scrapyd_daemon import deployed
from scrapyd_job import Job

pytestmark = pytest.mark.slow

PASSWORD = secrets.token_hex(16)


@pytest.fixture(scope="module")
def redis(tmp_path_factory):
    server = RedisServer(tmp_path_factory.mktemp("redis"), "--requirepass", PASSWORD).start()
    yield server
    server.stop()


@pytest.fixture(scope="module")
def daemon(tmp_path_factory, redis):
    url = f"redis://:{PASSWORD}@127.0.0.1:{redis.port}/0"
    with deployed(tmp_path_factory.mktemp("daemon"), REDIS_URL=url) as daemon:
        yield daemon


@pytest.fixture(scope="module")
def crawled(daemon, tmp_path_factory):
    """A crawl by two jobs; the second came later and was given no seeds."""
    with DemoWeb() as web:
        job = Job(daemon, web, tmp_path_factory.mktemp("job"))
        shared = {
            "SCHEDULER_STORE": "redis",
            "MEDIACRAWL_DB": daemon.folder / "media.db",
            "REQUEST_LOG_DIR": daemon.folder / "log",
            "POLITENESS_MIN_DELAY": 0.3,
        }
        job.schedule(shared, seed=",".join(job.seeds), include=str(job.include), jobid="first")
        daemon.until(lambda: job.web.log)
        job.schedule(shared, include=str(job.include), jobid="second")
        job.logs = [daemon.finish(name) for name in ("first", "second")]
        yield job


def test_two_jobs_share_a_crawl(crawled, daemon):
    assert crawled.found(daemon.folder / "media.db") == crawled.media
    for log in crawled.logs:
        assert "Spider closed (finished)" in log
        assert "Traceback" not in log


def test_two_jobs_ask_for_nothing_twice(crawled):
    pages = {url: times for url, times in crawled.asked().items() if url not in crawled.web.expected_media}
    assert {url for url, times in pages.items() if times > 1 and not url.endswith("/robots.txt")} == set()
    assert crawled.web.violations() == []


def test_the_password_is_in_no_log(crawled, daemon):
    assert PASSWORD not in daemon.output()
    written = [path for path in daemon.folder.rglob("*") if path.is_file() and PASSWORD.encode() in path.read_bytes()]
    assert written == []

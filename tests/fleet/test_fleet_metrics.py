"""The parent of a fleet serves the sum of its workers, also after one was killed."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from urllib.request import urlopen

import pytest
from demo_web import DemoWeb
from launcher import environment, free_port

SECONDS = 120
REQUESTS = "mediacrawl_requests_total"


def metrics(port):
    """Name of each series without labels -> its value; empty as long as nobody answers."""
    try:
        with urlopen(f"http://127.0.0.1:{port}/metrics", timeout=30) as answer:
            text = answer.read().decode()
    except OSError:
        return {}
    return {name: float(value) for name, value in re.findall(r"^(mediacrawl_\w+) (\S+)$", text, re.MULTILINE)}


def until(port, is_met):
    """The metrics as soon as a condition holds for them."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        found = metrics(port)
        if found and is_met(found):
            return found
        time.sleep(0.2)
    raise AssertionError(f"after {SECONDS} s: {metrics(port)}")


def status(folder, worker):
    try:
        return json.loads((folder / f"worker-{worker}" / "status.json").read_text())
    except (OSError, ValueError):
        return {}


@pytest.mark.slow
def test_the_sum_goes_on_after_a_worker_was_killed(tmp_path):
    folder, port = tmp_path / "state", free_port()
    settings = {
        "MEDIACRAWL_DIR": folder,
        "MEDIACRAWL_CONTACT": "http://localhost/tests",
        "METRICS_PORT": port,
        "POLITENESS_FACTOR": 1,
        "POLITENESS_MIN_DELAY": 1,
        "POLITENESS_FIRST_DELAY": 1,
        "POLITENESS_ADDRESS_FACTOR": 0,
        "POLITENESS_ADDRESS_MIN_DELAY": 0,
    }
    with DemoWeb() as web, (tmp_path / "out").open("wb") as out:
        settings["RESOLVER_HOSTS"] = json.dumps(web.hosts)
        words = [word for name, value in settings.items() for word in ("-s", f"{name}={value}")]
        command = [sys.executable, "-m", "mediacrawl", "fleet", "-n", "2", "-a", f"seed={','.join(web.seeds)}", *words]
        fleet = subprocess.Popen(command, cwd=tmp_path, env=environment(), stdout=out, stderr=subprocess.STDOUT)
        try:
            until(port, lambda found: found["mediacrawl_processes"] == 2 and found[REQUESTS] > 10)
            killed = next(each for each in (status(folder, 1), status(folder, 2)) if each.get("requests", 0) > 0)
            before = metrics(port)[REQUESTS]
            os.kill(killed["pid"], signal.SIGKILL)
            after = metrics(port)[REQUESTS]
            assert after >= before - 1
            more = until(port, lambda found: found[REQUESTS] > before + 5)
            assert more["mediacrawl_up"] == 1
        finally:
            fleet.send_signal(signal.SIGINT)
            assert fleet.wait(60) in {0, 130}, Path(tmp_path / "out").read_text()

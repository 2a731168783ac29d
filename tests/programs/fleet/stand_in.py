"""A worker that crawls nothing: at each start it does what its first argument says for its number and start."""

import itertools
import json
import os
import signal
import sys
import time
from pathlib import Path


def account(stats, begun):
    """Write what a worker says of itself."""
    told = {"written": time.time(), "stats": {"n": 1, **({"seeds/joined": 3} if begun else {})}}
    status = stats.with_name("status.json")
    before = json.loads(status.read_text())["pages"] if status.exists() else 0
    # As a worker, it continues the counts of the process before it.
    for path, content in ((status, {"written": time.time(), "pages": before + 10}), (stats, told)):
        path.with_suffix(".new").write_text(json.dumps(content))
        path.with_suffix(".new").replace(path)


def wait(seconds=60.0):
    """For a signal."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(0.05)
    sys.exit("nobody ended it")


def told_to_stop(*_):
    print("stopped cleanly", flush=True)
    os._exit(0)


def main():
    lives, words = json.loads(sys.argv[1]), sys.argv[2:]
    settings = dict(word.split("=", 1) for before, word in itertools.pairwise(words) if before == "-s")
    folder = Path(settings["MEDIACRAWL_DIR"])
    with (folder / "told.jl").open("a") as told:
        told.write(json.dumps(words) + "\n")
    start = len((folder / "told.jl").read_text().splitlines())
    life = lives[folder.name.removeprefix("worker-")]
    signal.signal(signal.SIGTERM, told_to_stop)
    for deed in life[min(start, len(life)) - 1].split():
        do(deed, Path(settings["STATS_FILE"]), folder)


def do(deed, stats, folder):
    if deed in {"open", "begin"}:
        account(stats, begun=deed == "begin")
        print("2026-01-01 00:00:00 [stand_in] INFO: ready", flush=True)
    elif deed == "trace":
        print("2026-01-01 00:00:01 [stand_in] ERROR: broken\nTraceback (most recent call last):", flush=True)
        while not (folder / "go_on").exists():
            time.sleep(0.005)
        print('  File "x.py", line 1\nValueError: \x1b[31mred', flush=True)
    elif deed == "deaf":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    elif deed == "wait":
        wait()
    elif deed == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    elif deed.startswith("say="):
        print(deed[4:], flush=True)
    else:
        sys.exit(int(deed))


if __name__ == "__main__":
    main()

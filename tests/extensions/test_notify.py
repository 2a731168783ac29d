"""A real crawl tells its operator."""

import json
import sys

import pytest
from command_line import MEDIACRAWL, run

APPEND = "import sys; open(sys.argv[1], 'a').write(sys.stdin.read() + chr(10))"


def told(folder, *settings):
    target = f'{sys.executable} -c "{APPEND}" "{folder / "told.jl"}"'
    words = [word for each in (f"NOTIFY={target}", *settings) for word in ("-s", each)]
    ended = run(folder, *MEDIACRAWL, "demo", "--folder", "demo", *words).check()
    return ended, [json.loads(line) for line in (folder / "told.jl").read_text().splitlines()]


@pytest.mark.slow
def test_the_end_is_told_with_reason_and_counts(tmp_path):
    _, notices = told(tmp_path, "NOTIFY_STALL=0.3")
    end = notices[-1]
    assert (end["event"], end["reason"], end["crawl"]) == ("end", "finished", "media")
    assert end["counts"]["records"] == 88
    assert "has ended: finished. 88 media files" in end["text"]
    # Nothing is found for 0.3 s: before the first find at the latest.
    assert {each["event"] for each in notices[:-1]} == {"stall"}
    assert all("has found nothing for" in each["text"] for each in notices[:-1])


@pytest.mark.slow
def test_a_message_that_cannot_be_delivered_is_logged_and_the_crawl_is_not_disturbed(tmp_path):
    words = ["-s", f"NOTIFY={sys.executable} -c 'import sys; sys.exit(\"mail is down\")'"]
    ended = run(tmp_path, *MEDIACRAWL, "demo", "--folder", "demo", *words).check()
    assert (
        "The message of NOTIFY was not delivered: the command ended with exit code 1: mail is down"
        in ended.err + ended.out
    )

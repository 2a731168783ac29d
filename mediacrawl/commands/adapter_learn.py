"""``scrapy adapters learn``: from recordings of a browser to the file of a site adapter."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from mediacrawl.observe.format import plural
from mediacrawl.politeness.robots import RobotsRules
from mediacrawl.site_adapters.har.reading import read_recording
from mediacrawl.site_adapters.har.recording import SKIPPED, Recording
from mediacrawl.site_adapters.learn.learning import learn
from mediacrawl.site_adapters.learn.model import HeldOut, Learned


def learn_from(names: Sequence[str], hold_out: int, agent: str) -> tuple[list[Recording], Learned]:
    """Learn a site adapter. No request is made.

    Args:
        names: paths of the recordings.
        hold_out: so many pages, the last ones, are kept out to try the adapter on.
        agent: product token that robots.txt of the recordings are asked for.

    Raises:
        RecordingError: a recording cannot be read.
    """
    recordings = [read_recording(name, Path(name).name) for name in names]

    def allows(text: str, url: str) -> bool:
        return bool(RobotsRules.parse(text.encode(), agent).allowed(url))

    return recordings, learn(recordings, hold_out=hold_out, allows=allows)


def write_adapter(path: Path, written: dict[str, Any]) -> None:
    """Write a new file: the adapter as JSON.

    On disk: created at once with its whole content; a kill leaves the file, whole or cut, and a cut one is no JSON.

    Args:
        path: that does not exist.
        written: the content.

    Raises:
        OSError: it exists, or cannot be written.
    """
    with path.open("x", encoding="utf-8") as file:
        file.write(json.dumps(written, ensure_ascii=False, indent=2) + "\n")


def lines(recordings: Sequence[Recording], learned: Learned) -> Iterator[str]:
    """What was read and learned, for people, one line each.

    Args:
        recordings: that were read.
        learned: from them.
    """
    for recording in recordings:
        pages = plural(len(recording.pages), "page")
        requests = plural(sum(len(page.entries) for page in recording.pages), "request")
        yield f"{recording.name}: {pages}, {requests} ({recording.flavour})"
        for why, number in sorted(recording.skipped.items()):
            yield f"  not read: {number} {SKIPPED.get(why, why)}"
    for step in learned.steps:
        yield f"  {step}"
    for page in learned.held_out:
        yield _tested(page)


def _tested(page: HeldOut) -> str:
    if page.right:
        return f"  held out: {page.url} is right: {', '.join(page.found)}"
    return f"  held out: {page.url} is WRONG: {page.why or 'it finds other media'}"

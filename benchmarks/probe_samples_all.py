"""All files of `probe`, in the order of its table: those that ffmpeg alone makes, and those of the modules of samples.

The former are data, ``probe_samples.json``: what ffmpeg is told (`Kitchen.audio` or `Kitchen.video`, extension and
options), how long it plays, and the truth. A module has a function `samples`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import probe_samples_audio
import probe_samples_chapters
import probe_samples_credits
import probe_samples_faults
import probe_samples_identifiers
import probe_samples_mpeg
import probe_samples_old
import probe_samples_pictures
import probe_samples_rare
import probe_samples_tracks
import probe_samples_video
from probe_samples import Kitchen, Sample, as_utf8, texts
from probe_truth import Stream

MODULES = (
    probe_samples_mpeg,
    probe_samples_audio,
    probe_samples_rare,
    probe_samples_video,
    probe_samples_old,
    probe_samples_faults,
    probe_samples_chapters,
    probe_samples_tracks,
    probe_samples_identifiers,
    probe_samples_credits,
    probe_samples_pictures,
)


def all_samples(kitchen: Kitchen) -> list[Sample]:
    """Lists them; each is made when its `make` is called."""
    return [*_listed(kitchen), *(sample for module in MODULES for sample in module.samples(kitchen))]


def _listed(kitchen: Kitchen) -> Iterator[Sample]:
    for told in json.loads(Path(__file__).with_name("probe_samples.json").read_text(encoding="utf-8")):
        written = texts(*told["texts"]) if "texts" in told else ()
        yield Sample(
            told["name"],
            told["group"],
            partial(_made, kitchen, told),
            getattr(kitchen, told["plays"]),
            as_utf8(*told["texts_as_utf8"]) if "texts_as_utf8" in told else written,
            told.get("mime", ""),
            told.get("facts", {}),
            tracks=[Stream(*track) for track in told.get("tracks", ())],
        )


def _made(kitchen: Kitchen, told: dict[str, Any]) -> bytes:
    """Return what ffmpeg makes of the song, or of a film of test pictures."""
    if "audio" in told:
        return kitchen.audio(*told["audio"], tagged=told["tagged"]).read_bytes()
    size = {"size": told["size"]} if "size" in told else {}
    return kitchen.video(*told["video"], tagged=told["tagged"], **size).read_bytes()

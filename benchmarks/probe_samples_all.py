"""All files of `probe`, in the order of its table. A module of samples has a function `samples`."""

from __future__ import annotations

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
from probe_samples import Kitchen, Sample

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
    return [sample for module in MODULES for sample in module.samples(kitchen)]

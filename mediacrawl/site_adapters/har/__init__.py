"""Recordings of browsers (HTTP Archive, HAR): read in bounded memory, and without their secrets."""

from mediacrawl.site_adapters.har.reading import MOST_MEMORY, read_recording
from mediacrawl.site_adapters.har.recording import SKIPPED, Entry, RecordedPage, Recording, RecordingError
from mediacrawl.site_adapters.har.secrets import REMOVED, header_kind, secret_kind

__all__ = [
    "MOST_MEMORY",
    "REMOVED",
    "SKIPPED",
    "Entry",
    "RecordedPage",
    "Recording",
    "RecordingError",
    "header_kind",
    "read_recording",
    "secret_kind",
]

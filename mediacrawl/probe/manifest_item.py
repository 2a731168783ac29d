"""The record of a medium that is sent in pieces: its manifest is all that is asked for."""

from __future__ import annotations

from dataclasses import dataclass, replace

from mediacrawl.encoding.records.evidence import clean
from mediacrawl.extract.manifests import Manifest
from mediacrawl.facts import PLAYLIST, fact, pack, unpack
from mediacrawl.probe.record import build_page_item
from mediacrawl.probe.streams import STREAM
from mediacrawl.records import Evidence, MediaItem

_FIELDS = ("container", "duration", "bitrate", "width", "height", "frame_rate", "video_codec", "audio_codec")


@dataclass(frozen=True, slots=True)
class ManifestAnswer:
    """What the server said with a manifest, empty where it said nothing.

    Attributes:
        status: HTTP status.
        content_type, etag, last_modified: headers.
        length: bytes of its body.
        at: when it came, RFC 3339 in UTC.
    """

    status: int
    content_type: str
    etag: str
    last_modified: str
    length: int
    at: str


def build_manifest_item(
    manifest: Manifest, answer: ManifestAnswer, evidence: Evidence, *, url: str, key: str = "", page_url: str, site: str
) -> MediaItem:
    """Builds the record of a manifest. Its probe status is ``stream``: nothing of the medium itself was read.

    Args:
        manifest: as it was read.
        answer: what it came with.
        evidence: where its URL was found.
        url: its own, as it was requested.
        key: its canonical form, if that is another; the record's id is made of it.
        page_url: URL of the page it was found on; empty for a seed.
        site: registrable domain.
    """
    title = fact(PLAYLIST, "Title", "title", manifest.title)
    if title is not None:
        evidence = replace(evidence, facts=pack([title, *unpack(evidence.facts)]))
    item = build_page_item(evidence, page_url=page_url, site=site, found_at=answer.at, url=url, key=key)
    told_duration = item.duration
    for name in _FIELDS:
        value = getattr(manifest, name)
        setattr(item, name, clean(value) if isinstance(value, str) else value)
    if manifest.duration is None and not manifest.live:
        item.duration = told_duration
    item.duration_estimated = None if item.duration is None else manifest.duration is None
    item.type = _type(manifest, item)
    item.encoding_format = manifest.mime
    item.probe_status = STREAM
    item.http_status = answer.status
    item.content_type = clean(answer.content_type) or None
    item.etag = clean(answer.etag) or None
    item.last_modified = clean(answer.last_modified) or None
    item.requested_url = (evidence.requested_url if evidence.requested_url != url else None) or None
    item.requests, item.bytes_fetched = 1, answer.length
    return item


def _type(manifest: Manifest, item: MediaItem) -> str:
    if manifest.live:
        return "BroadcastService"
    if item.type == "PodcastEpisode":
        return item.type
    is_sound = manifest.audio_codec is not None and not manifest.is_video
    return "AudioObject" if is_sound else "VideoObject"

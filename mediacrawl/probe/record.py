"""From what a probe found to the record that is stored."""

from __future__ import annotations

import hashlib

from mediacrawl.encoding.evidence import clean, tag_element
from mediacrawl.encoding.values import best_values
from mediacrawl.probe.planner import Probe
from mediacrawl.probe.result import ProbeResult
from mediacrawl.records import Evidence, MediaItem

_FACTS = (
    "encoding_format",
    "container",
    "codec",
    "duration",
    "duration_estimated",
    "bitrate",
    "bitrate_mode",
    "sample_rate",
    "bits_per_sample",
    "channels",
    "width",
    "height",
    "frame_rate",
    "video_codec",
    "audio_codec",
    "audio_md5",
    "has_cover",
    "cover_mime",
    "cover_size",
)


def build_item(
    result: ProbeResult,
    probe: Probe,
    *,
    url: str,
    requested_url: str | None = None,
    evidence: Evidence | None = None,
    page_url: str | None = None,
    site: str | None = None,
    found_at: str | None = None,
    checked_at: str | None = None,
    http_status: int | None = None,
    content_type: str | None = None,
    etag: str | None = None,
    last_modified: str | None = None,
    server_accepts_ranges: bool | None = None,
) -> MediaItem:
    """Builds the record of one media file. Its text is Unicode without lone surrogates and NULs.

    Args:
        result: what the probe found.
        probe: the probe itself, for what it cost and the file's first bytes.
        url: final URL in canonical form; the record's id is made of it.
        requested_url: URL that led there, if it is another one.
        evidence: where the URL was found.
        page_url: URL of the page it was found on.
        site: registrable domain.
        found_at: RFC 3339 time, UTC.
        checked_at: RFC 3339 time, UTC.
        http_status: status of the first answer.
        content_type: the server's claim.
        etag: the server's, for a later check.
        last_modified: the server's, for a later check.
        server_accepts_ranges: whether it answered a Range with 206.
    """
    found = evidence or Evidence()
    item = MediaItem(
        type="VideoObject" if result.is_video else "AudioObject",
        id=item_id(url),
        content_url=clean(url),
        requested_url=_or_none(requested_url if requested_url != url else None),
        page_url=_or_none(page_url),
        page_title=_or_none(found.page_title),
        page_language=_or_none(found.page_language),
        page_charset=_or_none(found.page_charset),
        anchor_text=_or_none(found.anchor),
        discovered_via=_or_none(found.via),
        feed_url=_or_none(found.feed_url),
        guid=_or_none(found.guid),
        site=_or_none(site),
        found_at=found_at,
        checked_at=checked_at,
        http_status=http_status,
        content_type=_or_none(content_type),
        content_size=probe.size,
        etag=_or_none(etag),
        last_modified=_or_none(last_modified),
        server_accepts_ranges=server_accepts_ranges,
        probe_status=result.status,
        bytes_fetched=probe.bytes_fetched,
        requests=probe.requests,
        head_sha256=hashlib.sha256(probe.head).hexdigest() if probe.head else None,
        head_bytes=len(probe.head) or None,
        tags=[tag_element(tag) for tag in result.tags],
    )
    for name in _FACTS:
        value = getattr(result, name)
        setattr(item, name, clean(value) if isinstance(value, str) else value)
    fill_values(item)
    return item


def item_id(url: str) -> str:
    """Names the record of a URL: the first 32 hex digits of its SHA-256."""
    return hashlib.sha256(url.encode("utf-8", errors="replace")).hexdigest()[:32]


def fill_values(item: MediaItem) -> None:
    """Sets the item's text fields from its tags; to be called again after the tags' text was repaired."""
    for key, value in best_values(item.tags).items():
        setattr(item, key, value)


def _or_none(text: str | None) -> str | None:
    return clean(text or "") or None

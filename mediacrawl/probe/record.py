"""From what a probe found to the record that is stored."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from mediacrawl.encoding.records.evidence import LINK_FIELDS, best_values, clean, tag_element
from mediacrawl.encoding.records.fields import document_element, link_elements, name_elements, parse_reading
from mediacrawl.facts import Fact, unpack
from mediacrawl.probe.byte_budget import LEAST, within
from mediacrawl.probe.planner import Probe
from mediacrawl.probe.result import ProbeResult
from mediacrawl.probe.streams import STREAM
from mediacrawl.records import Evidence, MediaItem

PAGE_STATUS = "page"
"""The `MediaItem.probe_status` of a record that only a page speaks for: nothing was probed."""
_TYPE_OF_PAGE = "VideoObject"
_TYPES = frozenset({"AudioObject", "VideoObject", "MusicRecording", "PodcastEpisode", "BroadcastService"})
_TYPES_OF_VIDEO = frozenset({"PodcastEpisode", "BroadcastService"})
"""What a file with a picture may be as well."""
_NUMBER = re.compile(r"\d{1,7}(?:\.\d{1,6})?", re.ASCII)

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
    key: str = "",
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
        url: final URL, as it was requested.
        key: its canonical form, if that is another; the record's id is made of it.
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
    facts = unpack(found.facts)
    item = replace(
        _sighted(found, url=url, key=key, page_url=page_url, site=site),
        type=_type_of(result),
        requested_url=_or_none(requested_url if requested_url != url else None),
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
    )
    told = (*map(document_element, facts), *name_elements(url), *link_elements(found))
    _set_tags(item, (*map(tag_element, result.tags), *told), probe.policy.max_record_bytes)
    for name in _FACTS:
        value = getattr(result, name)
        setattr(item, name, clean(value) if isinstance(value, str) else value)
    _fill_from(item, facts)
    fill_values(item)
    return item


def build_page_item(
    evidence: Evidence, *, page_url: str, site: str, found_at: str, url: str, key: str = ""
) -> MediaItem:
    """Builds the record of a medium that a page plays and whose file cannot be had: what the page says of it.

    Args:
        evidence: where it was found; its facts are the record.
        page_url: URL of that page.
        site: registrable domain of the page.
        found_at: RFC 3339 time, UTC.
        url: of the player, or of the page itself if it names none.
        key: its canonical form, if that is another; the record's id is made of it.
    """
    facts = unpack(evidence.facts)
    item = replace(
        _sighted(evidence, url=url, key=key, page_url=page_url, site=site),
        type=_TYPE_OF_PAGE,
        found_at=found_at,
        checked_at=found_at,
        probe_status=PAGE_STATUS,
    )
    _set_tags(item, (*map(document_element, facts), *link_elements(evidence)), LEAST)
    _fill_from(item, facts)
    fill_values(item)
    return item


def _sighted(evidence: Evidence, *, url: str, key: str, page_url: str | None, site: str | None) -> MediaItem:
    """A record of which nothing is known but where its URL was found."""
    return MediaItem(
        id=item_id(key or url),
        content_url=clean(url),
        page_url=_or_none(page_url),
        page_title=_or_none(evidence.page_title),
        page_language=_or_none(evidence.page_language),
        page_charset=_or_none(parse_reading(evidence.page_charset).encoding),
        anchor_text=_or_none(evidence.anchor),
        discovered_via=_or_none(evidence.via),
        feed_url=_or_none(evidence.feed_url),
        guid=_or_none(evidence.guid),
        site=_or_none(site),
    )


def _set_tags(item: MediaItem, tags: Iterable[dict[str, Any]], most: int) -> None:
    item.tags, dropped = within(tags, item.bytes_fetched, most)
    item.texts_dropped = dropped or None


def _fill_from(item: MediaItem, facts: Sequence[Fact]) -> None:
    """Sets from facts what is no text, and is not known of the file itself."""
    told = {each.key: each.text for each in reversed(facts)}
    kind = told.get("type", "")
    if kind in _TYPES and (item.type == "AudioObject" or kind in _TYPES_OF_VIDEO or item.probe_status == PAGE_STATUS):
        item.type = kind
    seconds = _number(told.get("duration"))
    if item.duration is None and seconds and item.probe_status != STREAM:
        item.duration, item.duration_estimated = seconds, True
    if item.duration is not None:
        # Sums of fractions leave digits that say nothing.
        item.duration = round(item.duration, 6)
    if item.probe_status == PAGE_STATUS:
        width, height = _number(told.get("width")), _number(told.get("height"))
        item.width, item.height = (int(width), int(height)) if width and height else (None, None)


def _type_of(result: ProbeResult) -> str:
    if result.status == STREAM:
        return "BroadcastService"
    return "VideoObject" if result.is_video else "AudioObject"


def _number(text: str | None) -> float | None:
    if text is None or not _NUMBER.fullmatch(text):
        return None
    return float(text)


def item_id(url: str) -> str:
    """Names the record of a URL: the first 32 hex digits of its SHA-256."""
    return hashlib.sha256(url.encode("utf-8", errors="replace")).hexdigest()[:32]


def fill_values(item: MediaItem) -> None:
    """Sets the item's text fields from its tags; to be called again after the tags' text was repaired."""
    for key, value in best_values(item.tags).items():
        # Of these only what is beyond ASCII has evidence.
        if value or key not in LINK_FIELDS:
            setattr(item, key, value)


def _or_none(text: str | None) -> str | None:
    return clean(text or "") or None

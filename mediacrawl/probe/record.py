"""From the result of a probe, a page's description or a manifest to the record that is stored."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mediacrawl.encoding.records.evidence import SIGHTED_FIELDS, best_values, clean, tag_element
from mediacrawl.encoding.records.fields import name_elements, parts_of_reading, sighted_elements, told_element
from mediacrawl.extract.manifests import Manifest
from mediacrawl.facts import PLAYLIST, Fact, fact, pack, unpack
from mediacrawl.probe.byte_budget import LEAST, within
from mediacrawl.probe.icecast import STREAM
from mediacrawl.probe.planner import Probe
from mediacrawl.probe.result import ProbeResult
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
    told = (*map(told_element, facts), *name_elements(url), *sighted_elements(found))
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
    _set_tags(item, (*map(told_element, facts), *sighted_elements(evidence)), LEAST)
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
        page_charset=_or_none(parts_of_reading(evidence.page_charset).encoding),
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
        if value or key not in SIGHTED_FIELDS:
            setattr(item, key, value)


def _or_none(text: str | None) -> str | None:
    return clean(text or "") or None


_OF_MANIFEST = ("container", "duration", "bitrate", "width", "height", "frame_rate", "video_codec", "audio_codec")


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
    for name in _OF_MANIFEST:
        value = getattr(manifest, name)
        setattr(item, name, clean(value) if isinstance(value, str) else value)
    if manifest.duration is None and not manifest.live:
        item.duration = told_duration
    item.duration_estimated = None if item.duration is None else manifest.duration is None
    item.type = _type_of_manifest(manifest, item)
    item.encoding_format = manifest.mime
    item.probe_status = STREAM
    item.http_status = answer.status
    item.content_type = clean(answer.content_type) or None
    item.etag = clean(answer.etag) or None
    item.last_modified = clean(answer.last_modified) or None
    item.requested_url = (evidence.requested_url if evidence.requested_url != url else None) or None
    item.requests, item.bytes_fetched = 1, answer.length
    return item


def _type_of_manifest(manifest: Manifest, item: MediaItem) -> str:
    if manifest.live:
        return "BroadcastService"
    if item.type == "PodcastEpisode":
        return item.type
    is_sound = manifest.audio_codec is not None and not manifest.is_video
    return "AudioObject" if is_sound else "VideoObject"

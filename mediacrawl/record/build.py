"""From the result of a probe, a page's description or a manifest to the record that is stored."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import fields, replace
from itertools import pairwise
from typing import Any

from mediacrawl.base.facts import PLAYLIST, Fact, fact, frame_attributes, is_external, pack, unpack
from mediacrawl.base.languages import bcp47
from mediacrawl.base.parts import Chapter, Track, as_object
from mediacrawl.base.terms import Evidence
from mediacrawl.encoding.excerpts import clean
from mediacrawl.extract import Manifest, ManifestTrack
from mediacrawl.probe import FirstAnswer, Probe, ProbeResult
from mediacrawl.record.byte_budget import LEAST, parts_within, within
from mediacrawl.record.evidence import tag_element
from mediacrawl.record.fields import document_element, link_elements, name_elements, parse_reading
from mediacrawl.record.item import MediaItem
from mediacrawl.record.values import (
    LINK_FIELDS,
    LISTS_WITH_TEXTS,
    best_values,
    chapter_number,
    placed_texts,
    structured_values,
    with_texts,
)

PAGE_STATUS = "page"
"""The `MediaItem.probe_status` of a record that comes from a page alone: no file was probed."""
STREAM = "stream"
"""The `ProbeResult.status` of a stream, which manifests have, too."""
_PAGE_TYPE = "VideoObject"
_TYPES = frozenset({"AudioObject", "VideoObject", "MusicRecording", "PodcastEpisode", "BroadcastService"})
_ANSWERS = {"yes": True, "no": False}
_VIDEO_TYPES = frozenset({"PodcastEpisode", "BroadcastService"})
"""Types that a file with video may have besides VideoObject."""
_NUMBER = re.compile(r"\d{1,7}(?:\.\d{1,6})?", re.ASCII)
_PARTS = ("tracks", "chapters", "covers")
"""Lists of objects, in the order in which they are kept if the record's budget is short."""
_PROBED = tuple(
    {each.name for each in fields(ProbeResult)} & {each.name for each in fields(MediaItem)} - {"tags", *_PARTS}
)
_OF_MANIFEST = ("container", "duration", "bitrate", "width", "height", "frame_rate", "video_codec", "audio_codec")


def build_item(
    result: ProbeResult,
    probe: Probe,
    *,
    url: str,
    key: str = "",
    evidence: Evidence | None = None,
    page_url: str | None = None,
    site: str | None = None,
    checked_at: str | None = None,
    first: FirstAnswer | None = None,
) -> MediaItem:
    """Builds the record of one media file. Its text is Unicode without lone surrogates and NULs.

    Args:
        result: of the probe.
        probe: for its cost, and the file's first bytes.
        url: final URL, as it was requested.
        key: its canonical form, if that differs; the record's id is made of it.
        evidence: where the URL was found.
        page_url: URL of the page it was found on.
        site: registrable domain.
        checked_at: RFC 3339 time, UTC.
        first: the server's first answer; None for a local file.
    """
    evidence, first = evidence or Evidence(), first or FirstAnswer()
    facts = unpack(evidence.facts)
    item = _found_item(evidence, url=url, key=key, page_url=page_url, site=site)
    _set_answer(item, first, evidence, url)
    item.type = "VideoObject" if result.is_video else "AudioObject"
    if result.status == STREAM:
        item.type = "BroadcastService"
    item.found_at, item.checked_at = first.at or None, checked_at
    item.content_size, item.server_accepts_ranges = probe.size, first.ranges
    item.probe_status, item.bytes_fetched, item.requests = result.status, probe.bytes_fetched, probe.requests
    if head := probe.head:
        item.head_sha256, item.head_bytes = hashlib.sha256(head).hexdigest(), len(head)
    elements = (*map(document_element, facts), *name_elements(url), *link_elements(evidence))
    parts = {name: _objects(getattr(result, name)) for name in _PARTS}
    _set_parts(item, parts, (*map(tag_element, result.tags), *elements), probe.policy.max_record_bytes)
    _copy_clean(result, item, _PROBED)
    _fill_from_facts(item, facts)
    fill_values(item)
    return item


def build_page_item(
    evidence: Evidence, *, page_url: str, site: str, found_at: str, url: str, key: str = ""
) -> MediaItem:
    """Builds the record of a medium that a page plays and whose file cannot be had: what the page states about it.

    Args:
        evidence: where it was found; its facts are the record.
        page_url: URL of that page.
        site: registrable domain of the page.
        found_at: RFC 3339 time, UTC.
        url: of the player, or of the page itself if it names none.
        key: its canonical form, if that differs; the record's id is made of it.
    """
    facts = unpack(evidence.facts)
    item = _found_item(evidence, url=url, key=key, page_url=page_url, site=site)
    item.type, item.probe_status = _PAGE_TYPE, PAGE_STATUS
    item.found_at = item.checked_at = found_at
    _set_parts(item, {}, (*map(document_element, facts), *link_elements(evidence)), LEAST)
    _fill_from_facts(item, facts)
    fill_values(item)
    return item


def build_manifest_item(
    manifest: Manifest,
    first: FirstAnswer,
    evidence: Evidence,
    *,
    length: int,
    url: str,
    key: str = "",
    page_url: str,
    site: str,
) -> MediaItem:
    """Builds the record of an HLS or DASH manifest. Its probe status is ``stream``: no segment was read.

    Args:
        manifest: as it was parsed.
        first: the answer that it came in.
        evidence: where its URL was found.
        length: bytes of the manifest.
        url: its own, as it was requested.
        key: its canonical form, if that differs; the record's id is made of it.
        page_url: URL of the page it was found on; empty for a seed.
        site: registrable domain.
    """
    title = fact(PLAYLIST, "Title", "title", manifest.title)
    if title is not None:
        evidence = replace(evidence, facts=pack([title, *unpack(evidence.facts)]))
    item = build_page_item(evidence, page_url=page_url, site=site, found_at=first.at, url=url, key=key)
    stated_duration = item.duration
    _copy_clean(manifest, item, _OF_MANIFEST)
    if manifest.duration is None and not manifest.live:
        item.duration = stated_duration
    item.duration_estimated = None if item.duration is None else manifest.duration is None
    item.type = _type_of_manifest(manifest, item)
    # A playlist of playlists does not say whether they end.
    item.is_live = True if manifest.live else None if manifest.duration is None else False
    item.tracks = _objects(_track(each) for each in manifest.tracks)
    item.codec = item.video_codec or item.audio_codec
    item.encoding_format, item.probe_status = manifest.mime, STREAM
    _set_answer(item, first, evidence, url)
    item.requests, item.bytes_fetched = 1, length
    return item


def _track(found: ManifestTrack) -> Track:
    """A track of a manifest. What plays unless another one is chosen is stated for all but the picture."""
    return Track(
        found.kind,
        found.codec,
        bcp47(found.language),
        found.title or None,
        None if found.kind == "video" else found.default,
        found.forced if found.kind == "subtitle" else None,
        channels=found.channels,
        width=found.width,
        height=found.height,
        frame_rate=found.frame_rate,
    )


def _found_item(evidence: Evidence, *, url: str, key: str, page_url: str | None, site: str | None) -> MediaItem:
    """A record that holds only where its URL was found."""
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


def _set_answer(item: MediaItem, first: FirstAnswer, evidence: Evidence, url: str) -> None:
    item.requested_url = _or_none(evidence.requested_url if evidence.requested_url != url else None)
    item.http_status = first.status or None
    item.content_type, item.etag = _or_none(first.content_type), _or_none(first.etag)
    item.last_modified = _or_none(first.last_modified)


def _copy_clean(source: object, item: MediaItem, names: Iterable[str]) -> None:
    for name in names:
        value = getattr(source, name)
        setattr(item, name, clean(value) if isinstance(value, str) else value)


def _objects(parts: Iterable[object]) -> list[dict[str, Any]]:
    return [
        {name: clean(value) if isinstance(value, str) else value for name, value in as_object(part).items()}
        for part in parts
    ]


def _set_parts(
    item: MediaItem, parts: dict[str, list[dict[str, Any]]], tags: Iterable[dict[str, Any]], most: int
) -> None:
    """Sets tags, tracks, chapters and covers, as far as the record's budget allows."""
    elements = list(tags)
    told = list(filter(_is_told_chapter, elements))
    if parts.get("chapters"):
        # The file's own chapters count; those of the feed would be taken for theirs by their keys.
        elements = [element for element in elements if not _is_told_chapter(element)]
    elif told:
        parts = parts | {"chapters": chapters_of(told)}
    taken, cut = parts_within(parts, item.bytes_fetched, most)
    for name, found in parts.items():
        setattr(item, name, found)
    item.tags, dropped = within(elements, item.bytes_fetched, most, taken)
    item.texts_dropped = dropped + cut or None


def _is_told_chapter(element: dict[str, Any]) -> bool:
    return is_external(element) and chapter_number(element["key"]) is not None


def chapters_of(elements: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The chapters that a feed states: beginning, link and picture are attributes of the frame (`base.facts.framed`).

    A chapter that is missing ends them, since the keys of those behind it are not their places.

    Args:
        elements: of ``tags``, the titles of the chapters; of one key the first counts.
    """
    titles: dict[int, dict[str, Any]] = {}
    for each in elements:
        number = chapter_number(each["key"])
        if number is not None:
            titles.setdefault(number, each)
    found = list[Chapter]()
    while (element := titles.get(len(found))) is not None:
        about = frame_attributes(element["frame"])
        start = _number(about.get("start"))
        found.append(Chapter(start or 0.0, None, element["text"], about.get("href"), about.get("image")))
    for chapter, following in pairwise(found):
        chapter.end = following.start if following.start > chapter.start else None
    return _objects(found)


def _fill_from_facts(item: MediaItem, facts: Sequence[Fact]) -> None:
    """Sets type, duration and size of the picture from facts where the file itself does not state them."""
    stated = {each.key: each.text for each in reversed(facts)}
    kind = stated.get("type", "")
    if kind in _TYPES and (item.type == "AudioObject" or kind in _VIDEO_TYPES or item.probe_status == PAGE_STATUS):
        item.type = kind
    seconds = _number(stated.get("duration"))
    if item.duration is None and seconds and item.probe_status != STREAM:
        item.duration, item.duration_estimated = seconds, True
    if item.duration is not None:
        # Sums of fractions leave meaningless digits.
        item.duration = round(item.duration, 6)
    if item.is_live is None and stated.get("is_live") in _ANSWERS:
        item.is_live = _ANSWERS[stated["is_live"]]
    if item.probe_status == PAGE_STATUS:
        width, height = _number(stated.get("width")), _number(stated.get("height"))
        item.width, item.height = (int(width), int(height)) if width and height else (None, None)


def _type_of_manifest(manifest: Manifest, item: MediaItem) -> str:
    if manifest.live:
        return "BroadcastService"
    if item.type == "PodcastEpisode":
        return item.type
    is_sound = manifest.audio_codec is not None and not manifest.is_video
    return "AudioObject" if is_sound else "VideoObject"


def _number(text: str | None) -> float | None:
    if text is None or not _NUMBER.fullmatch(text):
        return None
    return float(text)


def item_id(url: str) -> str:
    """Returns the id of a URL's record: the first 32 hex digits of its SHA-256."""
    return hashlib.sha256(url.encode("utf-8", errors="replace")).hexdigest()[:32]


def fill_values(item: MediaItem) -> None:
    """Sets the item's fields that come from its tags; to be called again after the tags' text was repaired."""
    for key, value in best_values(item.tags).items():
        # `LINK_FIELDS` have elements only for text beyond ASCII, so an empty value means unchanged.
        if value or key not in LINK_FIELDS:
            setattr(item, key, value)
    for key, value in structured_values(item.tags).items():
        setattr(item, key, value)
    titles = placed_texts(item.tags)
    for name in LISTS_WITH_TEXTS:
        setattr(item, name, with_texts(name, getattr(item, name), titles))


def _or_none(text: str | None) -> str | None:
    return clean(text or "") or None

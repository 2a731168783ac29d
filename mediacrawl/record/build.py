"""From the result of a probe, a page's description or a manifest to the record that is stored."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Final
from urllib.parse import unquote_to_bytes

from mediacrawl.base.charsets import CHARDET, DocumentReading, clean_all
from mediacrawl.base.evidence import by_user, chapter_number, is_better, tag_elements, whole_elements
from mediacrawl.base.facts import (
    ADAPTER,
    FEED,
    LONGEST_TEXT,
    MOST_FACTS,
    OCTETS,
    PAGE,
    PLAYLIST,
    SITEMAP,
    URL,
    Fact,
    fact,
    is_external,
    pack,
    unpack,
)
from mediacrawl.base.languages import bcp47
from mediacrawl.base.parts import Track, as_object
from mediacrawl.base.terms import Evidence, Tag
from mediacrawl.encoding import DecodedDocument, FieldDecision, model_version
from mediacrawl.extract import Manifest, ManifestTrack
from mediacrawl.probe import FirstAnswer, Probe, ProbeResult
from mediacrawl.record.fixer import decision_fields
from mediacrawl.record.item import MediaItem, stored_bytes
from mediacrawl.record.structured import STRUCTURED_KEYS
from mediacrawl.record.values import best_values, chapters_of, derived_again, fill_values, number_in

_PAGE_TYPE = "VideoObject"
_TYPES = frozenset({"AudioObject", "VideoObject", "MusicRecording", "PodcastEpisode", "BroadcastService"})
_ANSWERS = {"yes": True, "no": False}
_VIDEO_TYPES = frozenset({"PodcastEpisode", "BroadcastService"})
"""Types that a file with video may have besides VideoObject."""
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
    """Build the record of one media file. Its text is Unicode without lone surrogates and NULs.

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
    facts = unpack(evidence.facts) if evidence.facts else []
    parts = {name: list(map(as_object, getattr(result, name))) for name in _PARTS}
    found = {name: getattr(result, name) for name in _PROBED} | parts
    item = _found_item(evidence, first, found, url=url, key=key, page_url=page_url, site=site)
    item.type = "VideoObject" if result.is_video else "AudioObject"
    if result.status == ProbeResult.STREAM:
        item.type = "BroadcastService"
    item.found_at, item.checked_at = first.at or None, checked_at
    item.content_size, item.server_accepts_ranges = probe.size, first.ranges
    item.probe_status, item.bytes_fetched, item.requests = result.status, probe.bytes_fetched, probe.requests
    if head := probe.head:
        item.head_sha256, item.head_bytes = hashlib.sha256(head).hexdigest(), len(head)
    elements = [*tag_elements(result.tags), *document_elements(facts), *name_elements(url), *link_elements(evidence)]
    _set_parts(item, elements, MOST)
    _fill_from_facts(item, facts)
    fill_values(item)
    return item


def build_page_item(
    evidence: Evidence, *, page_url: str, site: str, found_at: str, url: str, key: str = ""
) -> MediaItem:
    """Build the record of a medium that a page plays and whose file cannot be had: what the page states about it.

    The facts in `evidence` are the record. `url` is that of the player, or of the page itself if it names none;
    `found_at` is an RFC 3339 time in UTC; the other arguments are as for `build_item`.
    """
    facts = unpack(evidence.facts) if evidence.facts else []
    item = _found_item(evidence, None, {}, url=url, key=key, page_url=page_url, site=site)
    item.type, item.probe_status = _PAGE_TYPE, MediaItem.PAGE_STATUS
    item.found_at = item.checked_at = found_at
    _set_parts(item, [*document_elements(facts), *link_elements(evidence)], LEAST)
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
    """Build the record of an HLS or DASH manifest. Its probe status is ``stream``: no segment was read.

    `first` is the answer that it came in, and `length` its bytes; the other arguments are as for `build_item`.
    """
    title = fact(PLAYLIST, "Title", "title", manifest.title)
    if title is not None:
        evidence = replace(evidence, facts=pack([title, *unpack(evidence.facts)]))
    item = build_page_item(evidence, page_url=page_url, site=site, found_at=first.at, url=url, key=key)
    stated_duration = item.duration
    found = {name: getattr(manifest, name) for name in _OF_MANIFEST}
    tracks = [as_object(_track(each)) for each in manifest.tracks]
    _set_clean(item, found | {"tracks": tracks}, _answer(first, evidence, url))
    if manifest.duration is None and not manifest.live:
        item.duration = stated_duration
    item.duration_estimated = None if item.duration is None else manifest.duration is None
    item.type = _type_of_manifest(manifest, item)
    # A playlist of playlists does not say whether they end.
    item.is_live = True if manifest.live else None if manifest.duration is None else False
    item.codec = item.video_codec or item.audio_codec
    item.encoding_format, item.probe_status = manifest.mime, ProbeResult.STREAM
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


def _found_item(
    evidence: Evidence,
    first: FirstAnswer | None,
    found: Mapping[str, Any],
    *,
    url: str,
    key: str,
    page_url: str | None,
    site: str | None,
) -> MediaItem:
    """Return a record of where its URL was found, of the first answer if there was one, and of what else was found."""
    about = {
        "page_url": page_url,
        "page_title": evidence.page_title,
        "page_language": evidence.page_language,
        "page_charset": evidence.page_charset.partition(" ")[0],
        "anchor_text": evidence.anchor,
        "discovered_via": evidence.via,
        "feed_url": evidence.feed_url,
        "guid": evidence.guid,
        "site": site,
    }
    if first is not None:
        about |= _answer(first, evidence, url)
    item = MediaItem(id=MediaItem.id_of(key or url))
    _set_clean(item, {**found, "content_url": url}, about)
    return item


def _answer(first: FirstAnswer, evidence: Evidence, url: str) -> dict[str, Any]:
    return {
        "requested_url": evidence.requested_url if evidence.requested_url != url else None,
        "http_status": first.status,
        "content_type": first.content_type,
        "etag": first.etag,
        "last_modified": first.last_modified,
    }


def _set_clean(item: MediaItem, found: Mapping[str, Any], about: Mapping[str, Any]) -> None:
    """Set fields, all texts clean; what is empty in `about` is not known."""
    for name, value in clean_all({**found, **about}).items():
        setattr(item, name, (value or None) if name in about else value)


def _set_parts(item: MediaItem, elements: list[dict[str, Any]], most: int) -> None:
    """Set the tags, and the chapters that a feed states if the file has none, as far as the record's budget allows."""
    told = list(filter(_is_told_chapter, elements))
    if item.chapters:
        # The file's own chapters count; those of the feed would be taken for theirs by their keys.
        elements = [element for element in elements if not _is_told_chapter(element)]
    elif told:
        item.chapters = chapters_of(told)
    taken, cut = parts_within({name: getattr(item, name) for name in _PARTS}, item.bytes_fetched, most)
    item.tags, dropped = within(elements, item.bytes_fetched, most, taken)
    item.texts_dropped = dropped + cut or None


def _is_told_chapter(element: dict[str, Any]) -> bool:
    key = element["key"]
    return key.startswith("chapters[") and is_external(element) and chapter_number(key) is not None


def _fill_from_facts(item: MediaItem, facts: Sequence[Fact]) -> None:
    """Sets type, duration and size of the picture from facts where the file itself does not state them."""
    stated = {each.key: each.text for each in reversed(facts)}
    kind = stated.get("type", "")
    if kind in _TYPES and (
        item.type == "AudioObject" or kind in _VIDEO_TYPES or item.probe_status == MediaItem.PAGE_STATUS
    ):
        item.type = kind
    seconds = number_in(stated.get("duration"))
    if item.duration is None and seconds and item.probe_status != ProbeResult.STREAM:
        item.duration, item.duration_estimated = seconds, True
    if item.duration is not None:
        # Sums of fractions leave meaningless digits.
        item.duration = round(item.duration, 6)
    if item.is_live is None and stated.get("is_live") in _ANSWERS:
        item.is_live = _ANSWERS[stated["is_live"]]
    if item.probe_status == MediaItem.PAGE_STATUS:
        width, height = number_in(stated.get("width")), number_in(stated.get("height"))
        item.width, item.height = (int(width), int(height)) if width and height else (None, None)


def _type_of_manifest(manifest: Manifest, item: MediaItem) -> str:
    if manifest.live:
        return "BroadcastService"
    if item.type == "PodcastEpisode":
        return item.type
    is_sound = manifest.audio_codec is not None and not manifest.is_video
    return "AudioObject" if is_sound else "VideoObject"


# -- the elements of tags ----------------------------------------------------------------------------------------------
#
# One from a document has, besides what `base.evidence` lists, ``document`` if no declaration decided its encoding:
# ``models``, ``chardet``, or ``default`` for windows-1252 where nothing else applied. `declared` is then that of
# the document, and the decision is the document's, if it was certain. A text that the document's encoding cannot hold,
# since some of its characters were written by reference, has its UTF-8 and no ``document``.

UTF8: Final = "utf-8"


def document_elements(facts: Sequence[Fact]) -> list[dict[str, Any]]:
    """Return the entries of facts in `MediaItem.tags`, with their bytes in the document, or their UTF-8."""
    if not facts:
        return []
    read = [DocumentReading.of(each.declared) for each in facts]
    raws = [
        None if of.encoding == UTF8 else DecodedDocument.bytes_of(each.text, of)
        for each, of in zip(facts, read, strict=True)
    ]
    elements = tag_elements(
        [
            Tag(each.source, each.frame, each.key, UTF8, each.text.encode(), each.text)
            if raw is None
            else Tag(each.source, each.frame, each.key, of.encoding, raw, each.text)
            for each, of, raw in zip(facts, read, raws, strict=True)
        ]
    )
    for element, each, of, raw in zip(elements, facts, read, raws, strict=True):
        if of.by and raw is not None and not each.text.isascii():
            element["document"] = of.by
            if of.by == CHARDET or of.is_sure:
                decision = FieldDecision(element["text"], of.encoding, of.language, of.confidence)
                element.update(decision_fields(decision, model_version()))
    return elements


def link_elements(evidence: Evidence) -> list[dict[str, Any]]:
    """Return the entries of page title and anchor text in `MediaItem.tags`. Plain ASCII has none."""
    via = evidence.via.partition("/")[0]
    source = FEED if evidence.feed_url else via if via in {PLAYLIST, SITEMAP, ADAPTER} else PAGE
    # An answer to a data request is not the page, whose title this is.
    of_title = PAGE if source == ADAPTER else source
    # Their keys are not ``title``, which is that of a feed's entry.
    texts = zip((of_title, source), MediaItem.LINK_FIELDS, (evidence.page_title, evidence.anchor), strict=True)
    return document_elements(
        [
            Fact(of, name, name, text, evidence.page_charset or UTF8)
            for of, name, text in texts
            if text and not text.isascii()
        ]
    )


def name_elements(url: str) -> list[dict[str, Any]]:
    """Return the entry of a file's name in its URL, whose bytes are in the encoding of the server's file system.

    Plain ASCII has none. The declared encoding is UTF-8 if the bytes are valid, else Latin-1.
    """
    written = url.partition("#")[0].partition("?")[0].rpartition("/")[2]
    if len(written) > 3 * LONGEST_TEXT or ("%" not in written and written.isascii()):
        return []
    raw = unquote_to_bytes(written)[:LONGEST_TEXT]
    if raw.isascii():
        return []
    try:
        text, declared = raw.decode(UTF8), UTF8
    except UnicodeDecodeError:
        text, declared = raw.decode(OCTETS), OCTETS
    return tag_elements([Tag(URL, "path", "filename", declared, raw, text)])


# -- limits on the text of a record: a kilobyte can decompress to megabytes of tags, each kept with its bytes ----------

LEAST = 8 * 1024
"""Bytes of text that every record may hold, however little was fetched: thirty short texts."""
MOST = 128 * 1024
"""Bytes of text that the record of a media file may hold, however much was fetched."""
FACTOR = 4
"""Bytes of text for each byte that was fetched. With what else a record takes, five reach the disk."""
_OF_FIELDS = frozenset({*MediaItem.FILE_FIELDS, *STRUCTURED_KEYS})


def parts_within(lists: Mapping[str, list[dict[str, Any]]], fetched: int, most: int) -> tuple[int, int]:
    """Cut the lists of a record (tracks, chapters, covers) to half of the record's budget, in place.

    Returns:
        The bytes that they take, and the number of objects that were cut off.
    """
    room, cut = _room(fetched, most) // 2, 0
    taken = 0
    for parts in lists.values():
        for number, part in enumerate(parts):
            size = len(json.dumps(part, ensure_ascii=False).encode())
            if taken + size > room:
                cut += len(parts) - number
                del parts[number:]
                break
            taken += size
    return taken, cut


def _room(fetched: int, most: int) -> int:
    return min(max(FACTOR * fetched, LEAST), most)


def within(
    elements: Iterable[dict[str, Any]], fetched: int, most: int, taken: int = 0
) -> tuple[list[dict[str, Any]], int]:
    """Keep as many texts of a record as its budget allows, those of the record's own fields first.

    Returns:
        The texts that are kept, in their order, and the number of the others.
    """
    found = list(elements)
    room = _room(fetched, most) - taken
    kept = set[int]()
    for number, element in sorted(enumerate(found), key=lambda each: each[1]["key"] not in _OF_FIELDS):
        size = stored_bytes(element)
        if size <= room:
            room -= size
            kept.add(number)
    return [element for number, element in enumerate(found) if number in kept], len(found) - len(kept)


# -- what is said of a file that has a record --------------------------------------------------------------------------

_GUESSED = frozenset({"guessed_language", "guessed_language_confidence"})


@dataclass(frozen=True, slots=True)
class Description:
    """What a second page, feed or list says of a file that the crawl knows already.

    Attributes:
        url: of the file, in canonical form.
        page_url: of the page or list that states them.
        facts: about the file.
    """

    MOST: ClassVar = 50
    """Files that one page may describe so, and a list at a time: each is looked up in the catalogue."""

    url: str
    page_url: str
    facts: Sequence[Fact]

    @property
    def record_id(self) -> str:
        """The id of the file's record, if no redirect led to it."""
        return MediaItem.id_of(self.url)

    @property
    def characters(self) -> int:
        """The length of its facts."""
        return sum(len(each.frame) + len(each.text) for each in self.facts)

    def added_to(self, record: Mapping[str, Any]) -> dict[str, Any] | None:
        """Add the facts to a record.

        Each fact becomes an element of ``tags`` that names its page under ``page_url``. A field that has a value keeps
        it, unless a feed states the title or the date of an episode (`values.best_values`); lists that are made of
        texts (people, transcripts) grow. Facts of the record's own page are not added again, nor those whose encoding
        is not sure, since the fixer has seen the record already.

        Returns:
            The record with them; None if they add nothing.
        """
        if self.page_url in {record.get("page_url"), record.get("feed_url")}:
            return None
        tags = [element for element in record.get("tags") or () if isinstance(element, dict)]
        room = MOST_FACTS - sum(map(is_external, tags))
        if room <= 0:
            return None
        known = {_identity(element) for element in tags}
        has_chapters = bool(record.get("chapters"))
        added = []
        for each in self.facts:
            read = DocumentReading.of(each.declared)
            is_readable = each.text.isascii() or not read.by or read.is_sure
            if not is_readable or (has_chapters and chapter_number(each.key) is not None):
                continue
            (element,) = document_elements([each])
            element["page_url"] = self.page_url
            if _identity(element) not in known:
                known.add(_identity(element))
                added.append(element)
        return _filled(record, tags, added[:room]) if added else None


def _identity(element: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(str(element.get(name)) for name in ("source", "frame", "key", "text"))


def _filled(record: Mapping[str, Any], tags: list[dict[str, Any]], added: list[dict[str, Any]]) -> dict[str, Any]:
    filled = {**record, "tags": [*tags, *added]}
    theirs = by_user(record)
    before = whole_elements(tags)
    after = [*before, *added]
    values, given = best_values(after), best_values(before)
    filled |= {
        name: values[name]
        for name in MediaItem.FILE_FIELDS
        if name not in theirs
        and (
            not filled.get(name)
            or is_better(values[name], filled[name])
            # A feed names an episode, also one that was found on a page before.
            or (values[name] != given[name] == filled[name] and values[name])
        )
    }
    lists = derived_again(record, before, after)
    filled |= {name: lists[name] for name in lists if lists[name] and name not in _GUESSED and name not in theirs}
    if not filled.get("chapters"):
        filled["chapters"] = chapters_of(added)
    return filled

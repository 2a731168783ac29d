"""The limits of a probe, each with its unit and its reason."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ProbePolicy:
    """Limits on the requests, bytes, texts and parts of one media file, measured on 65 generated files of all kinds.

    Those that an operator may change are settings too (``PROBE_...``); the others follow from the formats. Depth has no
    limit here: readers follow fixed paths, and nested values (texts of Matroska, objects of AMF) have constants of
    their own.

    Attributes:
        head_bytes: bytes of the first request. 8 KB saves little and costs a request wherever a tag is
            somewhat longer; 64 KB triples the median of bytes and saves a request in 2 files of 65.
        single_bytes: bytes of the only request to a server without ranges: as much as its first read brings anyway.
            Four times as many made one more file of 65 readable.
        tail_bytes: bytes at the end of MPEG audio: ID3v1, APEv2's footer and Lyrics3 at once.
        ogg_tail_bytes: bytes at the end of Ogg, tried in turn. An Ogg page has at most 65,307 bytes,
            so the second surely holds a page's start; the first holds one in most files.
        matroska_tail_bytes: bytes at the end of a Matroska stream that states no length, tried in turn: its last
            cluster begins there. Browsers begin one every few seconds, and a second of film has some 100 KB.
        wavpack_tail_bytes: bytes at the end of a WavPack stream that states no length, tried in turn: its last block
            begins there. A block holds half a second, some 50 KB of stereo at 44.1 kHz.
        mpeg_tail_bytes: bytes at the end of an MPEG transport or program stream, tried in turn: the last times.
            At 20 Mbit/s a frame of video, and so the time of the next, can be 100 KB away.
        step_bytes: bytes of a request inside the file. A request that continues a run of bytes
            doubles it, so a long tag costs few requests.
        skip_bytes: bytes that cost as much as one more polite request. Two ranges nearer than this are fetched
            together; nothing shorter is skipped by a request of its own.
        max_requests: requests for one file; a podcast with 30 chapter images would take 33.
        max_bytes: bytes fetched for one file, and so the memory it takes.
        max_text_bytes: bytes of one text value; longer ones are not read.
        max_values: values inside one text field (a million of them cost a parser 17 s).
        max_tag_bytes: text of one file after decompression (a bomb of 1 MB would give 3 GB).
        max_parts: frames, atoms, pages and comments read in one file (10,000 cost 65 ms).
        max_tracks: streams listed of one file; broadcasts have some fifty.
        max_chapters: chapters listed of one file; long audiobooks have some three hundred.
        max_tags: text values kept of one file.
        max_id3_tags: ID3v2 tags read in one file; programs that update a tag may add another one.
        sync_bytes: how far behind a tag the first MPEG frame is searched for.
        average_bytes: bytes of frames at each end of a stream that give its bit rate where no header states it.
    """

    head_bytes: int = 16 * 1024
    single_bytes: int = 64 * 1024
    tail_bytes: int = 4 * 1024
    ogg_tail_bytes: tuple[int, ...] = (8 * 1024, 64 * 1024)
    matroska_tail_bytes: tuple[int, ...] = (16 * 1024, 128 * 1024)
    wavpack_tail_bytes: tuple[int, ...] = (64 * 1024, 128 * 1024)
    mpeg_tail_bytes: tuple[int, ...] = (8 * 1024, 64 * 1024)
    step_bytes: int = 8 * 1024
    skip_bytes: int = 64 * 1024
    max_requests: int = 6
    max_bytes: int = 256 * 1024
    max_text_bytes: int = 64 * 1024
    max_values: int = 100
    max_tag_bytes: int = 4 * 1024 * 1024
    max_parts: int = 5000
    max_tracks: int = 64
    max_chapters: int = 500
    max_tags: int = 1000
    max_id3_tags: int = 16
    sync_bytes: int = 64 * 1024
    average_bytes: int = 64 * 1024

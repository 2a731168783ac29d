"""What mutagen, tinytag and ffprobe say of the same files, whole and on disk."""

from __future__ import annotations

import importlib
import json
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import mutagen
from mutagen.apev2 import APEv2
from probe_said import LONGEST_LIST, OWN_WORDS, SHORT, Said, all_texts, vorbis_chapters
from probe_truth import Stream

HEAD = 64 * 1024
"""Bytes of a file that mutagen is also given alone: what a crawler would fetch that knows no containers."""
PATIENCE = 120
"""Seconds that ffprobe may take for a file."""


# -- mutagen -----------------------------------------------------------------------------------------------------------


def mutagen_whole(path: Path) -> Said | None:
    """What mutagen says of a file; None if it cannot read such a file. Of MP3 it is asked for an APEv2 tag too."""
    try:
        file = mutagen.File(path)
    except Exception:  # noqa: BLE001  (it may raise anything on a damaged file)
        return None
    if file is None:
        return None
    pairs = list((file.tags or {}).items())
    if type(file).__name__ in {"MP3", "TrueAudio", "AAC"}:
        pairs += _ape_pairs(path)
    values = [value for _, value in pairs]
    first = {str(name): next(iter(_texts(value)), "") for name, value in pairs}
    named = [(chapter.start, chapter.title) for chapter in getattr(file, "chapters", None) or ()]
    return Said(
        texts=all_texts(_texts(values)),
        names=frozenset(str(name).lower() for name, _ in pairs),
        seconds=getattr(file.info, "length", None),
        chapters=[*named, *_id3_chapters(values), *vorbis_chapters(first)],
        levels=_levels(file.info),
        pictures=_mutagen_pictures(file, pairs),
        facts=_mutagen_facts(file, pairs),
    )


def mutagen_head(path: Path) -> Said | None:
    """What mutagen says of the first `HEAD` bytes."""
    head = path.with_name(f"head-{path.name}")
    head.write_bytes(path.read_bytes()[:HEAD])
    try:
        return mutagen_whole(head)
    finally:
        head.unlink()


def _ape_pairs(path: Path) -> list[tuple[str, Any]]:
    try:
        return list(APEv2(path).items())
    except mutagen.MutagenError:
        return []


def _texts(value: Any) -> Iterator[str]:
    """All texts in what mutagen keeps as a value: lists, frames, attributes, numbers, pairs of numbers."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, int):
        yield str(value)
    elif isinstance(value, tuple) and all(isinstance(part, int) for part in value):
        yield "/".join(map(str, value))
    elif isinstance(value, bytes):
        if len(value) <= LONGEST_LIST:
            yield value.decode("utf-8", errors="replace")
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _texts(one)
    elif hasattr(value, "text"):
        yield from _texts([str(one) for one in value.text] if isinstance(value.text, list) else str(value.text))
    else:
        yield from _other_texts(value)


def _other_texts(value: Any) -> Iterator[str]:
    """Those of frames with people, an address or an identifier, and of attributes."""
    for name in ("people", "url", "data", "value"):
        found = getattr(value, name, None)
        if isinstance(found, str):
            yield from found.split("\0")
        elif isinstance(found, bytes | list | int):
            yield from _texts(found)


def _id3_chapters(values: Sequence[Any]) -> list[tuple[float, str | None]]:
    chapters = [value for value in values if type(value).__name__ == "CHAP"]
    return [(each.start_time / 1000, next(_texts(each.sub_frames.getall("TIT2")), None)) for each in chapters]


def _levels(info: Any) -> dict[str, float]:
    names = ("track_gain", "track_peak", "album_gain", "album_peak")
    return {name: value for name in names if isinstance(value := getattr(info, name, None), float | int)}


def _mutagen_pictures(file: Any, pairs: Sequence[tuple[str, Any]]) -> list[tuple[str | None, int | None]]:
    found: list[tuple[str | None, int | None]] = []
    for picture in getattr(file, "pictures", ()):
        found.append((picture.mime, len(picture.data)))
    for name, value in pairs:
        if type(value).__name__ == "APIC":
            found.append((value.mime, len(value.data)))
        elif name.lower() in {"metadata_block_picture", "wm/picture", "covr"}:
            found += [(None, None)] * (len(value) if isinstance(value, list) else 1)
        elif name.lower().startswith("cover art"):
            found.append((None, None))
    return found


def _mutagen_facts(file: Any, pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    info = file.info
    facts: dict[str, Any] = {name: getattr(info, name, None) for name in ("sample_rate", "channels", "bits_per_sample")}
    facts |= {
        "codec": OWN_WORDS,
        "audio_codec": OWN_WORDS,
        "is_video": False,
        "bitrate": getattr(info, "bitrate", None),
    }
    if hasattr(info, "fps"):
        facts |= {"frame_rate": float(info.fps), "video_codec": OWN_WORDS, "is_video": True}
    return facts | {"has_cover": bool(_mutagen_pictures(file, pairs))}


# -- tinytag -----------------------------------------------------------------------------------------------------------


def tinytag_whole(path: Path) -> Said | None:
    """What tinytag says of a file; None if it is not installed, or cannot read such a file."""
    try:
        reader = importlib.import_module("tinytag").TinyTag
    except ImportError:
        return None
    try:
        found = reader.get(path, image=True)
        images = [image for each in found.images.as_dict().values() for image in each]
    except Exception:  # noqa: BLE001
        return None
    said = {name: value for name, value in found.as_dict().items() if isinstance(value, str | int | list)}
    first = {name: next(_texts(value), "") for name, value in said.items()}
    joined = [f"{first.get(name)}/{first.get(f'{name}_total')}" for name in ("track", "disc")]
    facts = {"sample_rate": found.samplerate, "channels": found.channels, "bits_per_sample": found.bitdepth}
    facts |= {"codec": OWN_WORDS, "audio_codec": OWN_WORDS, "is_video": False, "has_cover": bool(images)}
    return Said(
        texts=all_texts([*_texts(list(said.values())), *joined]),
        names=frozenset(name.lower() for name in said),
        seconds=found.duration,
        chapters=vorbis_chapters(first),
        pictures=[(image.mime_type, len(image.data)) for image in images],
        facts=facts | {"bitrate": round(found.bitrate * 1000) if found.bitrate else None},
    )


# -- ffprobe -----------------------------------------------------------------------------------------------------------

_LIST = ("-v", "error", "-show_format", "-show_streams", "-show_chapters", "-of", "json=sv=ignore")
_MIMES = {"mjpeg": "image/jpeg", "png": "image/png"}


def ffprobe_whole(path: Path) -> Said | None:
    """What ffprobe says of a file; None if there is none in the path, or if it cannot read such a file."""
    program = shutil.which("ffprobe")
    if program is None:
        return None
    try:
        done = subprocess.run([program, *_LIST, "-i", path], capture_output=True, check=False, timeout=PATIENCE)
        # With sv=ignore a text in a wrong encoding comes as its bytes.
        found = json.loads(done.stdout.decode("utf-8", "surrogateescape"))
    except (subprocess.TimeoutExpired, ValueError):
        return None
    return ffprobe_said(found) if "format" in found else None


def ffprobe_said(found: dict[str, Any]) -> Said:
    """What it says, of the object that it prints with ``-show_format -show_streams -show_chapters``."""
    streams, chapters = found.get("streams", []), found.get("chapters", [])
    tags = [each.get("tags", {}) for each in (found["format"], *streams)]
    pictures = [each for each in streams if _is_picture(each)]
    tracks = [_track(each) for each in streams if each not in pictures]
    return Said(
        texts=all_texts(text for each in tags for text in each.values()),
        names=frozenset(name.lower() for each in tags for name in each),
        seconds=float(found["format"].get("duration", 0)) or None,
        chapters=[(float(each["start_time"]), each.get("tags", {}).get("title")) for each in chapters],
        tracks=tracks,
        pictures=[(_MIMES.get(each.get("codec_name", "")), None) for each in pictures],
        facts=_ffprobe_facts(streams, tracks) | {"has_cover": bool(pictures)},
    )


def _is_picture(stream: dict[str, Any]) -> bool:
    is_attached = stream.get("disposition", {}).get("attached_pic") == 1
    return is_attached or stream.get("tags", {}).get("mimetype", "").startswith("image/")


def _track(stream: dict[str, Any]) -> Stream:
    tags, set_to = stream.get("tags", {}), stream.get("disposition", {})
    language = tags.get("language", "")
    more = {
        "title": tags.get("title"),
        "default": bool(set_to.get("default")),
        "forced": bool(set_to.get("forced")),
        "channels": stream.get("channels"),
        "channel_layout": stream.get("channel_layout"),
        "transfer": stream.get("color_transfer"),
        "primaries": stream.get("color_primaries"),
        "width": stream.get("width"),
        "height": stream.get("height"),
    }
    return Stream(stream.get("codec_type", ""), stream.get("codec_name", ""), SHORT.get(language, language), more)


def _ffprobe_facts(streams: Sequence[dict[str, Any]], tracks: Sequence[Stream]) -> dict[str, Any]:
    """Of the first stream of sound and of pictures."""

    def first(kind: str) -> dict[str, Any]:
        return next((each for each in streams if each.get("codec_type") == kind and not _is_picture(each)), {})

    audio, video = first("audio"), first("video")
    bits = int(audio.get("bits_per_raw_sample") or audio.get("bits_per_sample") or 0)
    turned = [int(each["rotation"]) for each in video.get("side_data_list", ()) if "rotation" in each]
    size = video.get("width"), video.get("height")
    width, height = reversed(size) if turned and turned[0] % 180 else size
    languages = [each.language for each in tracks if each.kind == "audio"]
    return {
        "codec": video.get("codec_name") or audio.get("codec_name"),
        "video_codec": video.get("codec_name"),
        "audio_codec": audio.get("codec_name"),
        "is_video": bool(video),
        "sample_rate": int(audio.get("sample_rate", 0)) or None,
        "channels": audio.get("channels"),
        "bits_per_sample": bits or None,
        "width": width,
        "height": height,
        "frame_rate": _ratio(video.get("avg_frame_rate")) or _ratio(video.get("r_frame_rate")),
        # Its degrees are anticlockwise.
        "rotation": -turned[0] % 360 if turned else None,
        "language": languages[0] if languages else None,
    }


def _ratio(text: str | None) -> float | None:
    above, _, below = (text or "").partition("/")
    return int(above) / int(below) if above.isdigit() and below.isdigit() and int(below) else None

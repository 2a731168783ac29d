"""The files of `probe_samples` with several tracks: languages, forced subtitles, turned pictures, colours of HDR."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from probe_bytes_parts import ebml, matroska, track, turned
from probe_samples import TEXTS, Kitchen, Sample, texts
from probe_truth import Stream

KB = 1024
_SUBTITLES = "1\n00:00:01,000 --> 00:00:03,000\nNízká voda\n\n2\n00:00:05,000 --> 00:00:08,000\nKameny jsou suché\n"
_H264 = "-c:v libx264 -preset veryfast -b:v 300k -c:a aac -b:a 96k"
_NO_TAGS = ("-fflags", "+bitexact", "-flags:v", "+bitexact", "-flags:a", "+bitexact")


def samples(kitchen: Kitchen) -> Iterator[Sample]:
    """All of them."""
    yield from matroska_languages(kitchen)
    yield from mp4_languages(kitchen)
    yield from mpeg_languages(kitchen)
    yield from other_containers(kitchen)
    yield from audio_languages(kitchen)
    yield from turned_pictures(kitchen)
    yield from colours(kitchen)


def _film(kitchen: Kitchen) -> Path:
    return kitchen.video("mp4", _H264, tagged=False)


def _with(kitchen: Kitchen, extension: str, options: str, *titles: str, subtitles: bool = True) -> bytes:
    """The film, the song twice and subtitles, which `options` maps, encodes and names.

    Args:
        kitchen: ffmpeg.
        extension: of the file.
        options: apart by blanks. Input 0 is the film with sound, 1 the song, 2 the subtitles.
        titles: options with texts, as they are.
        subtitles: whether there are any.
    """
    inputs: list[str | Path] = ["-i", _film(kitchen), "-i", kitchen.wave()]
    if subtitles:
        inputs += ["-i", kitchen.text("subtitles.srt", _SUBTITLES)]
    words = [*options.split(), *titles, "-metadata", f"title={TEXTS['title']}", "-t", str(kitchen.film)]
    return kitchen.ffmpeg(extension, *inputs, *_NO_TAGS, *words).read_bytes()


def matroska_languages(kitchen: Kitchen) -> Iterator[Sample]:
    """By ffmpeg, with titles of tracks; and by hand, with the BCP 47 element and attachments before the tracks."""
    one = partial(Sample, group="Matroska", seconds=kitchen.film, texts=texts("title"), mime="video/x-matroska")
    options = (
        "-map 0:v -map 0:a -map 1:a -map 2:s -map 2:s -map 2:s -c:v copy -c:a:0 copy -c:a:1 ac3 -b:a:1 192k"
        " -c:s:0 srt -c:s:1 srt -c:s:2 ass -metadata:s:a:0 language=cze -metadata:s:a:1 language=ger"
        " -metadata:s:s:0 language=cze -metadata:s:s:1 language=eng -metadata:s:s:2 language=ger"
        " -disposition:a:0 default -disposition:a:1 0 -disposition:s:0 forced -disposition:s:1 0 -disposition:s:2 0"
    )
    titles = ("-metadata:s:a:0", "title=Původní znění", "-metadata:s:s:1", "title=Full")
    yield one(
        "mkv-languages.mkv",
        make=lambda: _with(kitchen, "mkv", options, *titles),
        tracks=[
            Stream("video", "h264"),
            Stream("audio", "aac", "cs", {"title": "Původní znění", "default": True, "channels": 2}),
            Stream("audio", "ac3", "de", {"default": False}),
            Stream("subtitle", "subrip", "cs", {"forced": True}),
            Stream("subtitle", "subrip", "en", {"forced": False, "title": "Full"}),
            Stream("subtitle", "ass", "de"),
        ],
        facts={"language": "cs", "width": 640, "height": 360},
    )
    yield from _matroska_by_hand()
    vp9 = "-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -b:v 300k -c:a libopus -b:a 64k -c:s webvtt"
    yield one(
        "webm-subtitles.webm",
        group="WebM",
        make=lambda: _with(
            kitchen,
            "webm",
            f"-map 0:v -map 0:a -map 2:s -map 2:s {vp9} -metadata:s:a:0 language=eng -metadata:s:s:0 language=ger"
            " -metadata:s:s:1 language=fre",
        ),
        mime="video/webm",
        tracks=[
            Stream("video", "vp9"),
            Stream("audio", "opus", "en"),
            Stream("subtitle", "webvtt", "de"),
            Stream("subtitle", "webvtt", "fr"),
        ],
    )


def _matroska_by_hand() -> Iterator[Sample]:
    """Two dozen tracks, as a disc of a film has them; codes of BCP 47 stand beside those of ISO 639-2."""
    languages = [("por", "pt-BR"), ("chi", "zh-Hant"), ("spa", "es-419"), ("ger", ""), ("jpn", "ja"), ("eng", "en-GB")]
    picture = ebml("e0", ebml("b0", 1920), ebml("ba", 1080))
    tracks = [track(1, 1, "V_MPEGH/ISO/HEVC", picture)]
    truth = [Stream("video", "hevc", "", {"width": 1920, "height": 1080})]
    for number in range(24):
        old, new = languages[number % len(languages)]
        is_text = number >= 6
        named = [ebml("536e", f"{'Subtitles' if is_text else 'Sound'} {number}")]
        named += [ebml("22b59d", new)] if new else []
        sound = ebml("e1", ebml("b5", 48000.0), ebml("9f", 6))
        more = [*named, ebml("55aa", 1)] if number % 7 == 6 else named
        kind, codec = (17, "S_TEXT/UTF8") if is_text else (2, "A_EAC3")
        tracks.append(track(number + 2, kind, codec, *more, *([] if is_text else [sound]), language=old))
        about = {"title": f"{'Subtitles' if is_text else 'Sound'} {number}"}
        language = new or "de"
        truth.append(Stream("subtitle" if is_text else "audio", "subrip" if is_text else "eac3", language, about))
    truth[7] = truth[7]._replace(more={**truth[7].more, "forced": True})
    yield Sample(
        "mkv-many-tracks.mkv",
        "Matroska",
        lambda: matroska(7200.0, tracks, title=TEXTS["title"], size=300 * KB),
        7200.0,
        texts("title"),
        "video/x-matroska",
        {"video_codec": "hevc", "audio_codec": "eac3", "channels": 6, "sample_rate": 48000},
        countable=False,
        tracks=truth,
    )


_MP4_OPTIONS = (
    "-map 0:v -map 0:a -map 1:a -map 2:s -map 2:s -c:v copy -c:a:0 copy -c:a:1 ac3 -b:a:1 192k -c:s mov_text"
    " -metadata:s:a:0 language=ces -metadata:s:a:1 language=deu -metadata:s:s:0 language=eng"
    " -metadata:s:s:1 language=fra -disposition:s:0 0"
)
_MP4_TRACKS = (
    Stream("video", "h264", "", {"width": 640, "height": 360}),
    Stream("audio", "aac", "cs", {"channels": 2}),
    Stream("audio", "ac3", "de"),
    Stream("subtitle", "mov_text", "en"),
    Stream("subtitle", "mov_text", "fr"),
)


def mp4_languages(kitchen: Kitchen) -> Iterator[Sample]:
    one = partial(Sample, seconds=kitchen.film, texts=texts("title"), tracks=_MP4_TRACKS, facts={"language": "cs"})
    for name, group, mime, options in (
        ("mp4-languages-moov-last.mp4", "MP4", "video/mp4", ""),
        ("mp4-languages-moov-first.mp4", "MP4", "video/mp4", "-movflags +faststart"),
        ("mov-languages.mov", "MOV/3GP", "video/quicktime", ""),
        ("mp4-languages-fragmented.mp4", "MP4", "video/mp4", "-movflags +frag_keyframe+delay_moov+default_base_moof"),
    ):
        # QuickTime's own numbers of languages have one for each, but ffmpeg knows German by its other code only.
        words = _MP4_OPTIONS.replace("=deu", "=ger") if name.endswith("mov") else _MP4_OPTIONS
        yield one(
            name,
            group,
            lambda name=name, options=f"{words} {options}": _with(kitchen, name[-3:], options),
            mime=mime,
        )


def mpeg_languages(kitchen: Kitchen) -> Iterator[Sample]:
    """ISO 639 descriptors of a transport stream; a program stream has none."""
    one = partial(Sample, group="MPEG", seconds=kitchen.film)
    options = (
        "-map 0:v -map 0:a -map 1:a -map 1:a -c:v copy -c:a:0 mp2 -b:a:0 128k -c:a:1 ac3 -b:a:1 192k -c:a:2 aac"
        " -metadata:s:a:0 language=ces -metadata:s:a:1 language=deu -metadata:s:a:2 language=eng"
    )
    sound = [Stream("audio", "mp2", "cs"), Stream("audio", "ac3", "de"), Stream("audio", "aac", "en")]
    yield one(
        "ts-languages.ts",
        make=lambda: _with(kitchen, "ts", options, subtitles=False),
        mime="video/mp2t",
        tracks=[Stream("video", "h264"), *sound],
    )
    yield one(
        "m2ts-languages.m2ts",
        make=lambda: _with(kitchen, "m2ts", f"{options} -mpegts_m2ts_mode 1 -f mpegts", subtitles=False),
        mime="video/mp2t",
        tracks=[Stream("video", "h264"), *sound],
    )
    yield one(
        "vob-two-sounds.vob",
        make=lambda: _with(
            kitchen,
            "vob",
            "-map 0:v -map 0:a -map 1:a -c:v mpeg2video -b:v 800k -c:a:0 mp2 -b:a:0 128k -c:a:1 ac3 -b:a:1 192k -f vob",
            subtitles=False,
        ),
        mime="video/mpeg",
        tracks=[Stream("video", "mpeg2video"), Stream("audio", "mp2"), Stream("audio", "ac3")],
    )


def other_containers(kitchen: Kitchen) -> Iterator[Sample]:
    one = partial(Sample, seconds=kitchen.film)
    yield one(
        "avi-two-sounds.avi",
        "AVI",
        lambda: _with(
            kitchen,
            "avi",
            "-map 0:v -map 0:a -map 1:a -c:v mpeg4 -b:v 500k -c:a:0 libmp3lame -b:a:0 96k -c:a:1 ac3 -b:a:1 192k",
            subtitles=False,
        ),
        mime="video/x-msvideo",
        tracks=[Stream("video", "mpeg4"), Stream("audio", "mp3"), Stream("audio", "ac3")],
    )
    yield one(
        "asf-two-sounds.wmv",
        "ASF",
        lambda: _with(
            kitchen,
            "wmv",
            "-map 0:v -map 0:a -map 1:a -c:v wmv2 -b:v 500k -c:a:0 wmav2 -b:a:0 96k -c:a:1 libmp3lame -b:a:1 128k",
            subtitles=False,
        ),
        mime="video/x-ms-wmv",
        tracks=[Stream("video", "wmv2"), Stream("audio", "wmav2"), Stream("audio", "mp3")],
        texts=texts("title"),
    )
    yield one(
        "ogv-two-sounds.ogv",
        "Ogg",
        lambda: _with(
            kitchen,
            "ogv",
            "-map 0:v -map 0:a -map 1:a -c:v libtheora -b:v 500k -c:a:0 libvorbis -q:a:0 2 -c:a:1 libvorbis -q:a:1 0",
            subtitles=False,
        ),
        mime="video/ogg",
        tracks=[Stream("video", "theora"), Stream("audio", "vorbis"), Stream("audio", "vorbis")],
    )


def audio_languages(kitchen: Kitchen) -> Iterator[Sample]:
    """Of one track: the language of the file."""
    one = partial(Sample, seconds=kitchen.song, facts={"language": "de"}, texts=texts())
    spoken = ("-metadata:s:a:0", "language=deu")
    for name, group, mime, options in (
        ("language.m4a", "M4A", "audio/mp4", "-c:a aac -b:a 64k"),
        ("language.mka", "Matroska", "audio/x-matroska", "-c:a libvorbis -q:a 2"),
        ("language.3gp", "MOV/3GP", "", "-c:a aac -b:a 64k"),
    ):
        yield one(
            name,
            group,
            lambda name=name, options=options: kitchen.audio(
                name.rpartition(".")[2], options, *spoken, tagged=True
            ).read_bytes(),
            mime=mime,
            texts=() if name.endswith("3gp") else texts(),
        )


def turned_pictures(kitchen: Kitchen) -> Iterator[Sample]:
    """As phones write them: the picture is coded lying, and a matrix turns it."""
    one = partial(Sample, group="phones", seconds=kitchen.film, texts=texts("title"))
    tall = {"width": 360, "height": 640, "is_video": True}
    for degrees, extension, mime, options in (
        (90, "mov", "video/quicktime", ""),
        (180, "mp4", "video/mp4", "-movflags +faststart"),
        (270, "mp4", "video/mp4", ""),
    ):
        yield one(
            f"turned-{degrees}.{extension}",
            make=lambda degrees=degrees, extension=extension, options=options: turned(
                kitchen.video(extension, f"{_H264} {options}").read_bytes(), degrees
            ),
            mime=mime,
            facts={**(tall if degrees % 180 else {"width": 640, "height": 360}), "rotation": degrees},
            tracks=[Stream("video", "h264"), Stream("audio", "aac")],
        )


def colours(kitchen: Kitchen) -> Iterator[Sample]:
    """HDR10's and HLG's colours (ITU-T H.273), in MP4's ``colr``, Matroska's ``Colour``, and in the stream alone."""
    one = partial(Sample, seconds=kitchen.film, texts=texts("title"))
    wide = "-pix_fmt yuv420p10le -color_primaries bt2020 -colorspace bt2020nc"
    kinds = {"pq": "smpte2084", "hlg": "arib-std-b67"}
    for name, group, mime, transfer in (
        ("hdr-pq.mp4", "MP4", "video/mp4", "pq"),
        ("hdr-hlg.mp4", "MP4", "video/mp4", "hlg"),
        ("hdr-pq.mkv", "Matroska", "video/x-matroska", "pq"),
        ("hdr-hlg.mov", "MOV/3GP", "video/quicktime", "hlg"),
    ):
        about = {"transfer": kinds[transfer], "primaries": "bt2020"}
        coding = f"-c:v libx265 -preset ultrafast -x265-params log-level=error -c:a aac -color_trc {kinds[transfer]}"
        yield one(
            name,
            group,
            lambda name=name, coding=coding: kitchen.video(name[-3:], f"{coding} {wide}").read_bytes(),
            mime=mime,
            tracks=[Stream("video", "hevc", "", about), Stream("audio", "aac")],
        )

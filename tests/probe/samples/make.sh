#!/bin/sh
# Makes the samples again. Needs ffmpeg with libmp3lame, libvorbis, libopus, libspeex, libtheora, libvpx,
# libx264 and libx265; and sox with its formats (libsox-fmt-all) for AMR and RIFX.
# The tests need only the files: they are committed, and grown or altered by the tests themselves.
set -eu
cd "$(dirname "$0")"
tone="-f lavfi -i sine=frequency=440:sample_rate=44100:duration"
picture="-f lavfi -i testsrc=size=96x64:rate=10:duration"
exact="-map_metadata -1 -fflags +bitexact -flags:v +bitexact -flags:a +bitexact"
run() { ffmpeg -hide_banner -loglevel error -y "$@"; }

run $tone=4 $exact -ac 1 -c:a libmp3lame -b:a 32k -write_xing 0 -id3v2_version 0 cbr.mp3
run $tone=4 $exact -ac 2 -c:a libmp3lame -q:a 9 -id3v2_version 0 xing.mp3
run $tone=2 $exact -metadata title=Tone -metadata artist=Sine -id3v2_version 3 -write_id3v1 1 \
    -ac 1 -c:a libmp3lame -b:a 32k tagged.mp3
# Loud noise after silence: the bit rate moves, and no header says how many frames there are.
run -f lavfi -i "aevalsrc='if(lt(t,2),0,random(0)-0.5)':s=22050:d=6" $exact -ac 1 \
    -c:a libmp3lame -q:a 9 -write_xing 0 -id3v2_version 0 vbr.mp3
run $tone=3 $exact -metadata title=Tone -metadata artist=Sine -metadata track=3/12 \
    -ac 1 -c:a aac -b:a 32k -movflags +faststart first.m4a
run $tone=3 $exact -metadata title=Tone -ac 1 -c:a aac -b:a 32k last.m4a
run $tone=2 $exact -metadata title=Tone -ac 1 -c:a alac -ar 8000 alac.m4a
run $tone=3 $exact -metadata title=Tone -ac 1 -c:a aac -b:a 32k \
    -movflags +frag_keyframe+empty_moov -frag_duration 1000000 fragmented.m4a
run $tone=2 $picture=2 $exact -metadata title=Film -ac 1 -c:a aac -b:a 24k -c:v libx264 \
    -pix_fmt yuv420p -crf 40 film.mp4
run $tone=2 $picture=2 $exact -metadata title=Film -ac 1 -c:a aac -b:a 24k -c:v libx264 \
    -pix_fmt yuv420p -crf 40 film.mov
run $tone=3 $exact -metadata title=Tone -metadata artist=Sine -ac 1 -c:a libvorbis -q:a 0 tone.ogg
run $tone=3 $exact -metadata title=Tone -metadata artist=Sine -ac 1 -c:a libopus -b:a 16k tone.opus
run $tone=2 $exact -metadata title=Tone -ac 1 -ar 8000 -c:a flac -f ogg tone.oga
run $tone=2 $picture=2 $exact -metadata title=Film -ac 1 -c:a libvorbis -q:a 0 \
    -c:v libtheora -q:v 2 film.ogv
run $tone=2 $exact -metadata title=Tone -metadata artist=Sine -ac 1 -ar 8000 -c:a flac tone.flac
# Bare streams of frames, and the formats that carry APE tags.
run $tone=1 $exact -metadata title=Tone -metadata artist=Sine -ac 1 -ar 8000 -c:a wavpack tone.wv
run $tone=1 $exact -metadata title=Tone -metadata artist=Sine -ac 1 -ar 8000 -c:a tta tone.tta
run $tone=2 $exact -ac 1 -c:a aac -b:a 24k -f adts tone.aac
run $tone=1 $exact -ac 2 -ar 48000 -c:a ac3 -b:a 64k tone.ac3
run $tone=1 $exact -ac 2 -ar 48000 -c:a eac3 -b:a 48k tone.eac3
run $tone=0.2 $exact -ac 1 -strict -2 -c:a dca -b:a 192k tone.dts
run $tone=2 $exact -ac 1 -ar 24000 -c:a mp2 -b:a 16k tone.mp2
run $tone=2 $exact -metadata title=Tone -metadata artist=Sine -ac 1 -ar 16000 -c:a libspeex tone.spx
# RIFF, AIFF, ASF and FLV. The second FLV is as a recorder leaves it that nobody ended: without a duration.
named="-metadata title=Tone -metadata artist=Sine"
run $tone=0.4 $exact $named -ac 1 -ar 8000 tone.wav
run $tone=1 $exact $named -ac 1 -ar 8000 -c:a adpcm_ima_wav adpcm.wav
run $tone=0.4 $exact $named -ac 1 -ar 8000 -write_id3v2 1 tone.aiff
run $tone=0.2 $exact -metadata title=Tone -ac 2 -ar 8000 -c:a pcm_s16le -f aiff sowt.aifc
run $tone=1 $exact $named -ac 1 -b:a 32k -c:a wmav2 tone.wma
run $tone=0.3 $picture=0.3 $exact $named -ac 1 -b:a 24k -c:a wmav2 -b:v 16k -c:v wmv2 film.wmv
run $tone=1 $picture=1 $exact -metadata title=Film -ac 1 -ar 16000 -c:a libmp3lame -b:a 16k \
    -c:v mpeg4 -q:v 31 -reserve_index_space 256 film.avi
run $tone=1 $picture=1 $exact -metadata title=Film -ac 1 -ar 22050 -c:a libmp3lame -b:a 16k \
    -c:v flv1 -q:v 31 film.flv
run $tone=1 $picture=1 $exact -metadata title=Film -ac 1 -ar 22050 -c:a aac -b:a 16k \
    -c:v libx264 -pix_fmt yuv420p -crf 51 -f flv - > live.flv
# Matroska, also as it is written while it is sent, without a length; MPEG transport and program streams.
run $tone=1 $picture=1 $exact $named -ac 1 -c:a aac -b:a 16k -c:v libx264 \
    -pix_fmt yuv420p -crf 51 film.mkv
run $tone=2 $exact $named -ac 1 -c:a libopus -b:a 12k -f webm tone.weba
run $tone=2 $picture=2 $exact -ac 1 -c:a libopus -b:a 12k -c:v libvpx -b:v 10k -live 1 -f webm live.webm
run $tone=0.6 $picture=0.6 $exact -ac 1 -c:a aac -b:a 16k -c:v libx264 -pix_fmt yuv420p -crf 51 film.ts
run $picture=0.6 $exact -c:v libx265 -x265-params log-level=none -pix_fmt yuv420p -crf 51 hevc.ts
run $tone=1 $exact -ac 1 -c:a libmp3lame -b:a 32k tone.ts
run $tone=0.7 -f lavfi -i testsrc=size=96x64:rate=25:duration=0.7 $exact -ac 1 -c:a mp2 -b:a 32k \
    -c:v mpeg1video -q:v 16 -f mpeg film.mpg
run $tone=0.7 -f lavfi -i testsrc=size=96x64:rate=25:duration=0.7 $exact -ac 1 -c:a ac3 -b:a 32k \
    -c:v mpeg2video -q:v 16 -f vob film.vob
# Several streams, chapters and pictures. An audiobook in MP4 has its chapters twice: as a track and as chpl.
parts=$(mktemp -d)
trap 'rm -r "$parts"' EXIT
cat >"$parts/chapters" <<'END'
;FFMETADATA1
title=Book
[CHAPTER]
TIMEBASE=1/1000
START=0
END=1000
title=Первая глава
[CHAPTER]
TIMEBASE=1/1000
START=1000
END=1800
title=Second
END
printf '1\n00:00:00,000 --> 00:00:01,000\nText\n' >"$parts/text.srt"
run -f lavfi -i testsrc=size=16x16 -frames:v 1 -q:v 31 -bitexact "$parts/cover.jpg"
plain="-fflags +bitexact -flags:v +bitexact -flags:a +bitexact"
low="-f lavfi -i sine=frequency=220:sample_rate=44100:duration"
hdr="-color_primaries bt2020 -color_trc smpte2084 -colorspace bt2020nc"
spoken="-metadata:s:a:0 language=deu -metadata:s:a:1 language=eng -metadata:s:a:1 title=Комментарий"
run $tone=2 -f ffmetadata -i "$parts/chapters" $plain -map 0 -map_metadata 1 -ac 1 -ar 8000 -c:a aac -b:a 8k \
    -metadata:s:a language=deu -metadata media_type=2 -metadata episode_sort=7 -metadata compilation=1 book.m4b
run $picture=1 $tone=1 $low=1 -i "$parts/text.srt" $plain -map 0 -map 1 -map 2 -map 3 -ar 8000 -ac 1 \
    -c:v libx264 -pix_fmt yuv420p -crf 51 $hdr -c:a aac -b:a 8k -c:s mov_text $spoken \
    -metadata:s:s:0 language=rus tracks.mp4
run $picture=1 $tone=1 $low=1 -i "$parts/text.srt" -f ffmetadata -i "$parts/chapters" $plain -map 0 -map 1 -map 2 \
    -map 3 -map 3 -map_metadata 4 -map_chapters 4 -ar 8000 -ac 1 -c:v libx264 -pix_fmt yuv420p -crf 51 $hdr \
    -c:a aac -b:a 8k -c:s:0 srt -c:s:1 ass $spoken -disposition:a:0 0 -disposition:a:1 default \
    -disposition:s:1 forced -metadata:s:s:0 language=rus \
    -attach "$parts/cover.jpg" -metadata:s:t mimetype=image/jpeg tracks.mkv
run $picture=0.6 $tone=0.6 $low=0.6 $plain -map 0 -map 1 -map 2 -ac 1 -ar 16000 -c:v libx264 -pix_fmt yuv420p \
    -crf 51 -c:a mp2 -b:a 16k -metadata:s:a:0 language=deu -metadata:s:a:1 language=eng tracks.ts
# Text of 3GPP and of QuickTime's keys.
run $tone=1 $exact $named -ac 1 -c:a aac -b:a 24k -f 3gp tone.3gp
run $tone=1 $exact $named -ac 1 -c:a aac -b:a 24k -f mov -movflags use_metadata_tags keys.mov
# RealMedia.
run $tone=0.6 $picture=0.6 $exact -metadata title=Film -metadata author=Sine -metadata "copyright=(c) 1999" \
    -metadata comment=Low -ac 1 -c:a ac3 -b:a 32k -c:v rv10 -b:v 30k film.rm
# Containers of the studio, of the Mac and of Unix; AAC in LATM; speech of telephones.
run $tone=0.2 $exact $named -ac 1 -ar 8000 tone.au
run $tone=0.4 $exact $named -ac 1 -ar 8000 -c:a alac alac.caf
run $tone=0.2 $exact -ac 2 -ar 8000 -c:a pcm_s24le tone.w64
run $tone=1.5 $exact -ac 1 -c:a aac -b:a 24k -f latm tone.latm
run $tone=1 $exact -ac 2 -c:a aac -b:a 24k -mpegts_flags latm -f mpegts latm.ts
sox -R -n -r 8000 -c 1 -t amr-nb tone.amr synth 2 sine 440
sox -R -n -r 8000 -c 2 -b 24 -B rifx.wav synth 0.1 sine 440
ls -l

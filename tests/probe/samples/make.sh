#!/bin/sh
# Makes the samples again. Needs ffmpeg with libmp3lame, libvorbis, libopus, libtheora and libx264.
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
ls -l

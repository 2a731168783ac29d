#!/usr/bin/env bash
# Makes every media file of this folder: short melodies, and tags invented for this project.
# The files and this script are dedicated to the public domain (CC0 1.0), see README.txt.
#
# Needs ffmpeg (with libmp3lame, libvorbis, libopus, libx264) and python3. The same ffmpeg gives the same
# bytes: no time stamps, no encoder names, fixed serial numbers.
set -euo pipefail
cd "$(dirname "$0")"

FFMPEG=(ffmpeg -hide_banner -loglevel error -nostdin -y)
EXACT=(-fflags +bitexact -flags:a +bitexact -flags:v +bitexact -map_metadata -1)
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT

# Constant bit rate without a Xing header and without bit reservoir: each frame stands alone, so the demo
# can repeat the frames and the result is a sound MP3 of any length.
MP3=(-codec:a libmp3lame -b:a 24k -reservoir 0 -write_xing 0)

# melody BASE SECONDS RATE: four notes, over and over. BASE must be a multiple of 16 (no clicks between notes).
melody() {
  echo "aevalsrc=0.25*sin(2*PI*t*$1*(1+0.25*mod(floor(t*4)\,4))):d=$2:s=$3"
}

# tagged BASE SECONDS RATE TITLE ARTIST ALBUM DATE OUTPUT [ffmpeg options]
tagged() {
  local base=$1 seconds=$2 rate=$3 title=$4 artist=$5 album=$6 date=$7 output=$8
  shift 8
  "${FFMPEG[@]}" -f lavfi -i "$(melody "$base" "$seconds" "$rate")" "${EXACT[@]}" \
    -metadata title="$title" -metadata artist="$artist" -metadata album="$album" -metadata date="$date" \
    "$@" "$output"
}

# bare BASE SECONDS: MPEG frames only, to be tagged by hand below.
bare() {
  "${FFMPEG[@]}" -f lavfi -i "$(melody "$1" "$2" 16000)" "${EXACT[@]}" "${MP3[@]}" -id3v2_version 0 -f mp3 "$3"
}

# ID3v2.3: UTF-16 where ASCII does not suffice.
tagged 224 2 16000 "Nachtzug nach Köln" "Die Gleisgärtner" "Fahrplanwechsel" 2019 nachtzug.mp3 \
  "${MP3[@]}" -id3v2_version 3 -metadata genre=Chanson -metadata track=3/9
tagged 320 2 16000 "風の駅" "青葉三重奏" "窓のむこう" 2021 kaze.mp3 "${MP3[@]}" -id3v2_version 3

# ID3v2.4: UTF-8.
tagged 256 2 16000 "Regenlied für Übermütige" "Die Gleisgärtner" "Fahrplanwechsel" 2019 regenlied.mp3 \
  "${MP3[@]}" -id3v2_version 4 -metadata track=4/9
tagged 288 2 16000 "Утро на берегу" "Тихая Пристань" "Письма с севера" 2018 utro.mp3 "${MP3[@]}" -id3v2_version 4
tagged 192 2 16000 "Folge 1: Frühstück im Stehen" "Podcast am Morgen" "Staffel 1" 2024 folge-1.mp3 \
  "${MP3[@]}" -id3v2_version 4 -metadata genre=Podcast
tagged 208 2 16000 "Folge 2: Zwölf Brötchen, bitte" "Podcast am Morgen" "Staffel 1" 2024 folge-2.mp3 \
  "${MP3[@]}" -id3v2_version 4 -metadata genre=Podcast
tagged 240 2 16000 "Folge 3: Größere Tassen" "Podcast am Morgen" "Staffel 1" 2024 folge-3.mp3 \
  "${MP3[@]}" -id3v2_version 3 -metadata genre=Podcast

# A cover that is much larger than the text: a probe should jump over it.
"${FFMPEG[@]}" -f lavfi -i mandelbrot=s=336x336:start_scale=0.004:end_scale=0.003 -frames:v 1 \
  "${EXACT[@]}" -q:v 2 "$WORK/cover.jpg"
bare 272 2 "$WORK/lanternes.mp3"
"${FFMPEG[@]}" -i "$WORK/lanternes.mp3" -i "$WORK/cover.jpg" -map 0:a -map 1:v "${EXACT[@]}" -c copy \
  -id3v2_version 3 -write_xing 0 -metadata title="Les lanternes de l'été" -metadata artist="Chœur des Écluses" \
  -metadata album="La fête au canal" -metadata date=2016 -metadata:s:v comment="Cover (front)" lanternes.mp3

# MP4: moov first (faststart) and moov last (the muxer's habit).
tagged 256 2 16000 "Zimowy spacer wśród łąk" "Kapela Żuraw" "Źródło" 2020 spacer.m4a -codec:a aac -b:a 24k -movflags +faststart
tagged 304 2 16000 "Burza nad jeziorem" "Kapela Żuraw" "Źródło" 2020 burza.m4a -codec:a aac -b:a 24k
VIDEO=(-pix_fmt yuv420p -shortest -codec:a aac -b:a 16k)
"${FFMPEG[@]}" -f lavfi -i testsrc=s=64x48:r=10:d=2 -f lavfi -i "$(melody 176 2 16000)" "${EXACT[@]}" \
  -codec:v libx264 -preset veryslow -crf 34 -threads 1 "${VIDEO[@]}" \
  -metadata title="Le bateau de papier" -metadata artist="Ciné-club des Écluses" -metadata date=2022 bateau.mp4
"${FFMPEG[@]}" -f lavfi -i testsrc2=s=64x48:r=10:d=2 -f lavfi -i "$(melody 160 2 16000)" "${EXACT[@]}" \
  -codec:v mpeg4 -q:v 12 -threads 1 "${VIDEO[@]}" -movflags +faststart \
  -metadata title="La foire aux cerfs-volants" -metadata artist="Ciné-club des Écluses" -metadata date=2022 foire.mp4

# Vorbis comments.
tagged 240 2 16000 "Η θάλασσα το πρωί" "Νησιώτικη Παρέα" "Μικρό λιμάνι" 2017 thalassa.ogg -codec:a libvorbis -q:a 0
tagged 272 2 16000 "Νύχτα στο μπαλκόνι" "Νησιώτικη Παρέα" "Μικρό λιμάνι" 2017 nychta.opus -codec:a libopus -b:a 12k
tagged 320 1 8000 "Low Water" "Harbour & Sons" "Tide Tables" 2015 low-water.flac -codec:a flac -compression_level 12 -sample_fmt s16

# One file of each family that is not above.
tagged 240 2 16000 "Manhã de nevoeiro" "Trio da Ribeira" "Casa de pedra" 2014 manha.wma -codec:a wmav2 -b:a 24k
tagged 288 1 8000 "Hallingdans på tunet" "Fjordlaget" "Sommerkveld" 2011 halling.aiff -codec:a pcm_s16be -write_id3v2 1
tagged 256 1 8000 "Tuuli järvellä" "Saaren Soittajat" "Kesäyö" 2013 tuuli.wv -codec:a wavpack -sample_fmt s16p
tagged 208 2 16000 "Ninna nanna del porto" "Coro del Molo" "Città bassa" 2012 ninna.aac -codec:a aac -b:a 24k -write_id3v2 1
"${FFMPEG[@]}" -f lavfi -i "$(melody 192 1 32000)" "${EXACT[@]}" -codec:a ac3 -b:a 32k marea.ac3
film() {  # film SOURCE BASE TITLE ARTIST OUTPUT [ffmpeg options]
  local source=$1 base=$2 title=$3 artist=$4 output=$5
  shift 5
  "${FFMPEG[@]}" -f lavfi -i "$source=s=64x48:r=10:d=2" -f lavfi -i "$(melody "$base" 2 16000)" "${EXACT[@]}" \
    -metadata title="$title" -metadata artist="$artist" -pix_fmt yuv420p -shortest -threads 1 "$@" "$output"
}
film testsrc 224 "Dağ yolunda kış" "Kıyı Film" dag-yolu.mkv -codec:v libx264 -preset veryslow -crf 34 -codec:a aac -b:a 16k
film testsrc2 240 "Mlýn u řeky" "Povltavský film" mlyn.webm -codec:v libvpx -b:v 8k -codec:a libopus -b:a 12k
film testsrc 256 "Baile de otoño" "Cine del Arrabal" baile.avi -codec:v mpeg4 -q:v 12 -codec:a libmp3lame -b:a 16k
film testsrc2 208 "Vintervägen" "Skärgårdsfilm" vinter.flv -codec:v flv1 -q:v 12 -ar 22050 -codec:a libmp3lame -b:a 16k
film testsrc 176 "" "" vonat.m2ts -codec:v mpeg2video -r 25 -q:v 20 -codec:a ac3 -ac 1 -ar 32000 -b:a 32k

# Tags that no encoder of today writes: ID3v2.2, ID3v1 only, and text in a legacy encoding that claims to be Latin-1.
bare 256 2 "$WORK/cafe.mp3"
"${FFMPEG[@]}" -f lavfi -i "$(melody 192 2 16000)" "${EXACT[@]}" -codec:a libmp3lame -q:a 9 -id3v2_version 0 -f mp3 "$WORK/kitchen.mp3"
bare 224 2 "$WORK/ozero.mp3"
bare 208 2 "$WORK/most.mp3"
bare 288 2 "$WORK/minato.mp3"
bare 304 2 "$WORK/sanchaek.mp3"
python3 - "$WORK" <<'PYTHON'
import math
import struct
import sys
from pathlib import Path

WORK = Path(sys.argv[1])


def syncsafe(size):
    return bytes(size >> shift & 0x7F for shift in (21, 14, 7, 0))


def id3v2(version, frames, codec):
    """A tag whose text frames all say 'Latin-1' (encoding byte 0), whatever their bytes are."""
    parts = []
    for name, text in frames.items():
        value = b"\0" + text.encode(codec)
        head = len(value).to_bytes(3, "big") if version == 2 else len(value).to_bytes(4, "big") + b"\0\0"
        parts.append(name.encode() + head + value)
    body = b"".join(parts) + bytes(16)
    return b"ID3" + bytes([version, 0, 0]) + syncsafe(len(body)) + body


def id3v1(title, artist, album, year, codec):
    fields = [(title, 30), (artist, 30), (album, 30), (year, 4), ("", 30)]
    return b"TAG" + b"".join(text.encode(codec)[:size].ljust(size, b"\0") for text, size in fields) + b"\xff"


def write(name, head=b"", tail=b""):
    Path(name).write_bytes(head + (WORK / name).read_bytes() + tail)


def legacy(name, codec, title, artist, album):
    write(name, id3v2(3, {"TIT2": title, "TPE1": artist, "TALB": album}, codec))


def wave_file(name, info, codec):
    """Half a second of 8-bit sound, with an INFO list behind it."""
    def chunk(kind, body):
        return kind.encode() + len(body).to_bytes(4, "little") + body + bytes(len(body) % 2)

    sound = bytes(128 + round(40 * math.sin(2 * math.pi * 256 * at / 8000)) for at in range(4000))
    layout = struct.pack("<HHIIHH", 1, 1, 8000, 8000, 1, 8)
    texts = b"".join(chunk(kind, text.encode(codec) + b"\0") for kind, text in info.items())
    body = b"WAVE" + chunk("fmt ", layout) + chunk("data", sound) + chunk("LIST", b"INFO" + texts)
    Path(name).write_bytes(chunk("RIFF", body))


write("cafe.mp3", id3v2(2, {"TT2": "Café on the Quay", "TP1": "Harbour & Sons", "TAL": "Tide Tables"}, "latin-1"))
write("kitchen.mp3", tail=id3v1("Kitchen Recording No. 4", "Harbour & Sons", "Shoebox", "1998", "latin-1"))
# Text in a RIFF file declares no encoding at all.
wave_file("kisa.wav", {"INAM": "Kiša na trgu", "IART": "Družba Čipka", "IPRD": "Šetnja", "ICRD": "2009"}, "cp1250")
write("most.mp3", tail=id3v1("Старый мост", "Тихая Пристань", "Письма с севера", "2003", "cp1251"))
legacy("ozero.mp3", "cp1251", "Озеро в октябре", "Тихая Пристань", "Письма с севера")
legacy("minato.mp3", "shift_jis", "港の灯り", "青葉三重奏", "窓のむこう")
legacy("sanchaek.mp3", "euc_kr", "산책하는 고양이", "달빛 상점", "골목 이야기")
PYTHON
ls -l -- *.[a-z0-9]*

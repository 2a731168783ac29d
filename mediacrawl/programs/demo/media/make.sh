#!/usr/bin/env bash
# Makes every media file of this folder: short melodies, and tags invented for this project.
# The files and this script are dedicated to the public domain (CC0 1.0), see README.txt.
#
# Needs ffmpeg (with libmp3lame, libvorbis, libopus, libx264), sox (with AMR), and a Python that has mutagen: python3, or
# what PYTHON names. The same ffmpeg gives the same bytes: no time stamps, no encoder names, fixed serial numbers.
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

# Containers of telephones, studios and old machines. AMR, LATM and Wave64 hold no text.
tagged 240 1 8000 "Öö raba serval" "Rabakoor" "Kuivad jalad" 2009 raba.au -codec:a pcm_mulaw
tagged 272 1 8000 "Sól yfir heiðinni" "" "" 2013 heidi.caf -codec:a alac -sample_fmt s16p
"${FFMPEG[@]}" -f lavfi -i "$(melody 208 1 8000)" "${EXACT[@]}" -codec:a pcm_mulaw gradina.w64
"${FFMPEG[@]}" -f lavfi -i "$(melody 224 2 16000)" "${EXACT[@]}" -codec:a aac -b:a 24k -f latm ranta.loas
tagged 256 2 8000 "Večer na jezeru" "" "" "" "$WORK/vecer.rm" -ac 1 -codec:a real_144 -metadata author="Jezerska godba" \
  -metadata comment="Posneto s čolna"
sox -R -n -r 8000 -c 1 -t amr-nb notat.amr synth 1.2 sine 300-500

# Files of a player: one has its names in its tags, of the others only the data of the player speaks.
film testsrc2 192 "Norðurljós yfir firðinum" "Fjarðarbíó" nordurljos.mp4 -codec:v libx264 -preset veryslow -crf 34 \
  -codec:a aac -b:a 16k -movflags +faststart
film testsrc 208 "" "" brim.webm -codec:v libvpx -b:v 8k -codec:a libopus -b:a 12k
bare 176 2 vogguvisa.mp3

# A podcast. Two of its files get their chapters below; the third has them in the feed, and a second encoding.
bare 224 2 "$WORK/chai-2.mp3"
tagged 256 2 16000 "Пролог: Закипает вода" "Вера Лужина" "Чай у окна" 2025 chai-1.mp3 "${MP3[@]}" -id3v2_version 4
tagged 272 2 16000 "Выпуск 3: Сосед с виолончелью" "Вера Лужина" "Чай у окна" 2025 chai-3.mp3 "${MP3[@]}" -id3v2_version 4
tagged 272 2 16000 "Выпуск 3: Сосед с виолончелью" "Вера Лужина" "Чай у окна" 2025 chai-3.opus -codec:a libopus -b:a 12k

# chapters TITLE SECONDS ...: a list of chapters as ffmpeg reads it, each of so many seconds.
chapters() {
  local start=0
  echo ";FFMETADATA1"
  while [ $# -gt 0 ]; do
    printf '[CHAPTER]\nTIMEBASE=1/1\nSTART=%d\nEND=%d\ntitle=%s\n' "$start" "$((start + $2))" "$1"
    start=$((start + $2))
    shift 2
  done
}
# Without -map_metadata -1, which would empty the texts of the streams and the chapters.
PLAIN=(-fflags +bitexact -flags:a +bitexact -flags:v +bitexact)
chapters "Die Tür" 1 "Größere Räume" 2 "Der Schlüssel überm Türstock" 1 >"$WORK/book"
"${FFMPEG[@]}" -f lavfi -i "$(melody 192 4 16000)" -f ffmetadata -i "$WORK/book" "${PLAIN[@]}" -map 0 -map_chapters 1 \
  -codec:a aac -b:a 16k -metadata:s:a:0 language=deu -metadata title="Das Haus über den Dächern" \
  -metadata artist="Friedrun Höller" -metadata album="Stille Häuser" -metadata composer="Jörg Grün" \
  -metadata media_type=2 -metadata season_number=2 -metadata episode_sort=7 haus.m4b

# A film with two sounds, subtitles that are always shown, and chapters.
chapters "Indulás" 1 "A köd" 1 >"$WORK/film"
printf '1\n00:00:00,500 --> 00:00:01,500\nNebel\n' >"$WORK/forced.srt"
"${FFMPEG[@]}" -f lavfi -i testsrc=s=64x48:r=10:d=2 -f lavfi -i "$(melody 240 2 16000)" -f lavfi \
  -i "$(melody 192 2 16000)" -i "$WORK/forced.srt" -f ffmetadata -i "$WORK/film" "${PLAIN[@]}" -map 0 -map 1 -map 2 -map 3 \
  -map_chapters 4 -codec:v libx264 -preset veryslow -crf 34 -pix_fmt yuv420p -threads 1 -codec:a aac -b:a 16k \
  -codec:s srt -metadata title="Hajó a ködben" -metadata artist="Tiszai Filmkör" \
  -metadata:s:a:0 language=hun -metadata:s:a:1 language=ger -metadata:s:a:1 title="Deutsche Fassung" \
  -metadata:s:s:0 language=ger -disposition:a:0 default -disposition:a:1 0 -disposition:s:0 forced hajo.mkv

# A telephone that was held upright: the picture lies on its side. It is turned below.
film testsrc2 256 "Udvar délután" "Kata telefonja" "$WORK/udvar.mp4" -codec:v libx264 -preset veryslow -crf 34 \
  -codec:a aac -b:a 16k

# Tags that no encoder writes, see below.
tagged 304 2 8000 "Mosty nad řekou" "Kapela Modrý Žebřík" "Večerní písně" 2016 mosty.flac -codec:a flac \
  -compression_level 12 -sample_fmt s16
bare 176 2 "$WORK/spole.mp3"

# Tags that no encoder of today writes: ID3v2.2, ID3v1 only, and text in a legacy encoding that claims to be Latin-1.
bare 256 2 "$WORK/cafe.mp3"
"${FFMPEG[@]}" -f lavfi -i "$(melody 192 2 16000)" "${EXACT[@]}" -codec:a libmp3lame -q:a 9 -id3v2_version 0 -f mp3 "$WORK/kitchen.mp3"
bare 224 2 "$WORK/ozero.mp3"
bare 208 2 "$WORK/most.mp3"
bare 288 2 "$WORK/minato.mp3"
bare 304 2 "$WORK/sanchaek.mp3"
"${PYTHON:-python3}" - "$WORK" <<'PYTHON'
import codecs
import math
import struct
import sys
from pathlib import Path

from mutagen.flac import FLAC

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

def turned(name):
    """Sets the matrix of the first track's tkhd to 90 degrees clockwise (ISO/IEC 14496-12, 8.3.2)."""
    data = bytearray((WORK / name).read_bytes())
    at = data.index(b"tkhd") + 44
    matrix = struct.unpack(">9i", data[at : at + 36])
    assert matrix == (1 << 16, 0, 0, 0, 1 << 16, 0, 0, 0, 1 << 30), matrix
    (height,) = struct.unpack(">I", data[at + 40 : at + 44])
    data[at : at + 36] = struct.pack(">9i", 0, 1 << 16, 0, -1 << 16, 0, 0, height, 0, 1 << 30)
    Path(name).write_bytes(data)


def timed(name, milliseconds):
    """Sets the length of a RealMedia file and of its stream, which ffmpeg leaves at 0."""
    data = bytearray((WORK / name).read_bytes())
    for kind, place in ((b"PROP", 30), (b"MDPR", 36)):
        at = data.index(kind) + place
        assert data[at : at + 4] == bytes(4)
        data[at : at + 4] = struct.pack(">I", milliseconds)
    Path(name).write_bytes(data)


def midi(name, *tracks):
    """A MIDI file of format 1, 480 ticks a quarter; of each track its events with their delays."""
    def chunk(kind, body):
        return kind + len(body).to_bytes(4, "big") + body

    bodies = (b"".join(delay(ticks) + event for ticks, event in track) + b"\0\xff\x2f\0" for track in tracks)
    head = struct.pack(">HHH", 1, len(tracks), 480)
    Path(name).write_bytes(chunk(b"MThd", head) + b"".join(chunk(b"MTrk", body) for body in bodies))


def delay(ticks):
    """Seven bits a byte, the highest first."""
    return bytes([0x80 | ticks >> 7, ticks & 0x7F]) if ticks > 0x7F else bytes([ticks])


def meta(kind, text, codec="ascii"):
    raw = text.encode(codec)
    return b"\xff" + bytes([kind, len(raw)]) + raw


def tune(*notes, words=()):
    """Quarters, one note after the other, with a syllable before each."""
    for place, note in enumerate(notes):
        yield from ((0, meta(1, word, "cp1251")) for word in words[place : place + 1])
        yield 0, bytes([0x90, note, 80])
        yield 480, bytes([0x80, note, 0])


def module(name, title, lines):
    """A MOD of four channels and one pattern; musicians write their messages into the names of the samples."""
    wave = bytes((40 if at < 16 else 216) for at in range(32))
    heads = b""
    for place in range(31):
        line = lines[place] if place < len(lines) else ""
        words, volume = (len(wave) // 2, 48) if place == 0 else (0, 0)
        heads += line.encode("ascii").ljust(22, b"\0") + struct.pack(">HBBHH", words, 0, volume, 0, words or 1)
    pattern = bytearray(64 * 4 * 4)
    for row, period in zip(range(0, 64, 16), (428, 339, 285, 339)):
        pattern[row * 16 : row * 16 + 4] = struct.pack(">HH", period, 0x1000)
    order = bytes([1, 127]) + bytes(128)
    Path(name).write_bytes(title.encode("ascii").ljust(20, b"\0") + heads + order + b"M.K." + bytes(pattern) + wave)


def one_bit(name, title, artist):
    """A DSF with one block of silence (a pattern without bias), and its tag behind the audio."""
    audio = struct.pack("<4sQ", b"data", 12 + 4096) + b"\x69" * 4096
    about = struct.pack("<4sQIIIIIIQII", b"fmt ", 52, 1, 0, 1, 1, 2822400, 1, 8 * 4096, 4096, 0)
    tag = id3v2(3, {"TIT2": title, "TPE1": artist}, "latin-1")
    head = struct.pack("<4sQQQ", b"DSD ", 28, 28 + len(about) + len(audio) + len(tag), 28 + len(about) + len(audio))
    Path(name).write_bytes(head + about + audio + tag)


def frame(name, body):
    return name.encode() + len(body).to_bytes(4, "big") + b"\0\0" + body


def chaptered(name, texts, chapters):
    """Texts in UTF-16, as they should be; titles of chapters in windows-1251 that claim Latin-1 (ID3v2 CHAP, CTOC)."""
    frames = b"".join(frame(key, b"\1" + codecs.BOM_UTF16_LE + text.encode("utf-16-le")) for key, text in texts.items())
    entries = b"".join(b"ch%d\0" % number for number in range(len(chapters)))
    frames += frame("CTOC", b"toc\0\3" + bytes([len(chapters)]) + entries)
    ends = [start for start, _ in chapters[1:]] + [CHAI_2_SECONDS]
    for number, ((start, title), end) in enumerate(zip(chapters, ends)):
        times = struct.pack(">IIII", 1000 * start, 1000 * end, 0xFFFFFFFF, 0xFFFFFFFF)
        frames += frame("CHAP", b"ch%d\0" % number + times + frame("TIT2", b"\0" + title.encode("cp1251")))
    write(name, b"ID3\3\0\0" + syncsafe(len(frames)) + frames)


CHAI_2_SECONDS = 1260
"""Length to which the demo's server grows the episode."""

karaoke = (meta(1, "@KMIDI KARAOKE FILE"),)
sung = (meta(1, "@TВечерний трамвай", "cp1251"), meta(1, "@TТихая Пристань", "cp1251"))
words = ("\\Поз", "дний ", "трам", "вай ", "спе", "шит ", "в де", "по")
midi(
    "tramvai.kar",
    [(0, meta(3, "Soft Karaoke")), *((0, event) for event in karaoke)],
    [(0, meta(3, "Words")), *((0, event) for event in sung), *tune(60, 62, 64, 60, 62, 64, 65, 60, words=words)],
)
midi(
    "svetilka.mid",
    [(0, meta(3, "Svetilka ob oknu")), (0, meta(2, "CC0")), (0, meta(1, "Za tiste, ki berejo ponoci"))],
    [(0, meta(3, "Orglice")), *tune(67, 69, 71, 72, 71, 69, 67)],
)
module(
    "regendak.mod",
    "Regen op het dak",
    ("geschreven in de trein", "tussen Delft en Leiden", "", "groeten aan Joost", "en de hele zolder"),
)
one_bit("can-y-mor.dsf", "Cân y môr", "Côr y Glannau")
chaptered(
    "chai-2.mp3",
    {"TIT2": "Выпуск 2: Варенье и сосульки", "TPE1": "Вера Лужина", "TALB": "Чай у окна"},
    [(0, "Чайник ставят на плиту"), (95, "Разговор о варенье"), (610, "Письма наших слушателей"), (1105, "Прощание")],
)
turned("udvar.mp4")
timed("vecer.rm", 2000)
# What a damaged download leaves before the first frame.
write("spole.mp3", bytes(1500), id3v1("Spole på loftet", "Søren Lyng", "Støv", "1999", "latin-1"))

tags = FLAC("mosty.flac")
tags.update(
    MUSICBRAINZ_TRACKID="8f1d3c52-6a0b-4e7d-9b15-2c4e6f708192",
    MUSICBRAINZ_RELEASETRACKID="0b5e8a31-77c4-4f0e-8d26-91a3b5c7d9e0",
    MUSICBRAINZ_ALBUMID="c41f7e09-5d83-4b2a-a6f4-3e1d0c9b8a76",
    MUSICBRAINZ_RELEASEGROUPID="2d9a6b74-1f38-4c5e-b780-6f5e4d3c2b1a",
    MUSICBRAINZ_ARTISTID="5a7c9e1f-3b2d-4860-9f71-a8b6c4d2e0f1",
    MUSICBRAINZ_ALBUMARTISTID="5a7c9e1f-3b2d-4860-9f71-a8b6c4d2e0f1",
    ACOUSTID_ID="e6f0a1b2-c3d4-4e5f-8091-a2b3c4d5e6f7",
    ISRC="CZX121600042",
    BARCODE="8590000000429",
    CATALOGNUMBER="ŽEBŘÍK 12",
    REPLAYGAIN_TRACK_GAIN="-6.30 dB",
    REPLAYGAIN_TRACK_PEAK="0.988525",
    REPLAYGAIN_ALBUM_GAIN="-7.15 dB",
    REPLAYGAIN_ALBUM_PEAK="1.000000",
    COMPOSER="Hedvika Říčná",
    PERFORMER="Bořivoj Kůs (cimbál)",
    CHAPTER001="00:00:00.000",
    CHAPTER001NAME="Předehra",
    CHAPTER002="00:00:00.750",
    CHAPTER002NAME="Most první",
    CHAPTER003="00:00:01.500",
    CHAPTER003NAME="Most druhý a třetí",
)
tags.save(padding=lambda info: 0)
PYTHON
ls -l -- *.[a-z0-9]*

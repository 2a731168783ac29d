"""Reads a recording that is generated while it is read, in a process of its own, and prints what that took.

``python large_har.py KIND BYTES`` prints the most memory that the process had, in bytes, and the number of entries: 0
if the recording is refused.
"""

import json
import re
import resource
import sys
from pathlib import Path

from har_files import Har

from mediacrawl.site_adapters.har.reading import read_recording
from mediacrawl.site_adapters.har.recording import RecordingError

HEAD = b'{"log": {"version": "1.2", "creator": {"name": "WebInspector"}, "entries": ['
DOCUMENT = json.dumps(Har().document("https://a.example/watch/1").entries[0]).encode()


def parts_of_entry(mime):
    content = {"mimeType": mime, "text": "BODY"}
    entry = Har().add("https://a.example/1", content=content, referer="https://a.example/watch/1").entries[0]
    return json.dumps(entry).encode().split(b'BODY"')


def one_string(size, unit, mime="video/mp2t"):
    """One body of a size."""
    before, behind = parts_of_entry(mime)
    block = unit * ((1 << 20) // len(unit))
    yield before
    for _ in range(size // len(block)):
        yield block
    yield b'"' + behind


def many_strings(size, length, mime="video/mp2t", unit=b"A"):
    """Bodies of a length, each of them another one."""
    before, behind = parts_of_entry(mime)
    for number in range(size // length):
        yield (b"," if number else b"") + before + b"%08d " % number + unit * (length // len(unit)) + b'"' + behind


def brackets(size):
    before, _ = parts_of_entry("")
    yield before[:-1] + b'[{"a":' * (1 << 18)
    for _ in range(size // (6 << 18)):
        yield b'[{"a":' * (1 << 18)


def everything(size):
    """As many secrets in as many notations, as many headers, and as many texts as are kept, all at once."""
    for number in range(470):
        cookies = [{"name": "a", "value": f'{number:04}{each:04}/:"&=<>\u00e9 {"x y " * 16}'} for each in range(20)]
        yield json.dumps(Har().add("https://a.example/1", cookies=cookies).entries[0]).encode() + b","
    for number in range(11_000):
        entry = Har().add("https://a.example/1", headers={"X-A": f"{number} " * 300}).entries[0]
        yield json.dumps(entry).encode() + b","
    yield from many_strings(size, 3_000_000, "text/plain", "a\U0001f600b".encode())


KINDS = {
    # A film in one string; what a player requested, in pieces; and other strings that are passed over.
    "film": lambda size: one_string(size, b"A"),
    "segments": lambda size: many_strings(size, 1_000_000),
    "escapes": lambda size: one_string(size, rb"\"\n\u00e9", "text/plain"),
    # Texts, as long as they are kept, of one byte a character and of four.
    "texts": lambda size: many_strings(size, 1_900_000, "text/plain", b"ab"),
    "wide": lambda size: many_strings(size, 3_000_000, "text/plain", "a\U0001f600b".encode()),
    "secrets": lambda size: many_strings(size, 400_000, "text/plain", b'{\\"token\\":\\"12345678\\"},'),
    "entries": lambda size: many_strings(size // 1_000, 1),
    "brackets": brackets,
    "everything": everything,
}


class Generated:
    """A file of what is generated."""

    def __init__(self, pieces):
        self.pieces = pieces
        self.waiting = b""

    def read(self, most):
        while len(self.waiting) < most:
            piece = next(self.pieces, None)
            if piece is None:
                break
            self.waiting += piece
        data, self.waiting = self.waiting[:most], self.waiting[most:]
        return data


def pieces_of(kind, size):
    yield HEAD + DOCUMENT + b","
    yield from KINDS[kind](size)
    yield b"]}}"


def peak_memory():
    """Bytes that this process has had in memory at most; getrusage begins with the peak of the one that started it."""
    try:
        text = Path("/proc/self/status").read_text(encoding="ascii")
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return int(re.search(r"^VmHWM:\s+(\d+) kB", text, re.MULTILINE)[1]) * 1024


if __name__ == "__main__":
    kind, size = sys.argv[1], int(sys.argv[2])
    try:
        recording = read_recording(Generated(pieces_of(kind, size)), "large.har")
        count = sum(len(page.entries) for page in recording.pages)
    except RecordingError:
        count = 0
    print(peak_memory(), count)

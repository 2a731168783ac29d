"""What does a crawl find where servers label, name and link things oddly?

A server on loopback has a web of more than 120 sites (``mess_inputs.py``; `mess_web` says how an input is written).
Each shows one way in which servers, feeds and pages are not as they should be, and has real media files with a title
each. A real crawl (``scrapy crawl media`` in a process of its own, with small delays) begins at their front pages. A
file is found if an item has one of its URLs and the right title; the last item of a URL counts.

Bait are URLs that no crawler should request: what a robots.txt in an odd spelling forbids, templates, a tracker's URL
that says where the file is. They are counted, and are no part of the share.

The web has ports 80 and 443, as the URLs inside of tracking prefixes have. So this needs Linux, and root or
``net.ipv4.ip_unprivileged_port_start=80``. Each run has loopback addresses of its own. No name is looked up elsewhere.

Run: ``make bench NAME=mess``, half a minute. ``ARGS=--misses`` lists what is missing, with what the server saw.
``--only KIND`` crawls the kinds whose name contains that. ``--inputs FILE`` takes another module of inputs.
``--check`` crawls nothing: it requests every file as a browser does, and has ffmpeg read what was made. ``--serve``
only serves, and prints the option that has Chromium find the hosts.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import re
import subprocess
import sys
import tempfile
import unicodedata
from collections import Counter
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import quote, urljoin, urlsplit

from mess_web import File, Server, Web, key, media
from probe_samples import find_ffmpeg
from shared import HERE, environment, figure, finish, table

SETTINGS = {
    # Delays for loopback.
    "POLITENESS_FACTOR": 0,
    "POLITENESS_MIN_DELAY": 0.02,
    "POLITENESS_FIRST_DELAY": 0.02,
    "POLITENESS_TAIL_FACTOR": 1,
    "POLITENESS_ADDRESS_FACTOR": 0,
    "POLITENESS_ADDRESS_MIN_DELAY": 0,
    "ROBOTS_RETRY": 1,
    "BACKOFF_MAX": 1,
    "BACKOFF_REST": 3,
    "MEDIACRAWL_CONTACT": "http://localhost/benchmark",
    "MEDIACRAWL_DIR": "state",
    # Fewer than the redirects of a tracker, more than the requests of any site with files.
    "FRONTIER_SITE_BUDGET": 36,
    # No name of this web is looked up anywhere else.
    "RESOLVER_SERVERS": "127.0.0.1:9",
    "RESOLVER_TIMEOUT": 1,
    "LOG_LEVEL": "INFO",
}
LONGEST = 400
"""Seconds after which a crawl is ended."""
TARGET, REQUESTS, SHOWN = 97, 4, 6
BROWSER = {
    "User-Agent": "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36",
    "Accept-Language": "en-GB,en;q=0.9",
    "Accept-Encoding": "gzip, deflate",
}


@dataclass
class Found:
    """What a crawl left: titles by the key of a URL, and why URLs were dropped."""

    titles: dict[str, list[str]]
    drops: dict[str, int]


def load(path: Path, only: str) -> Web:
    """Return the web of a module of inputs."""
    spec = importlib.util.spec_from_file_location("inputs", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    web: Web = module.WEB
    if only:
        web.files = [file for file in web.files if only in file.kind]
        wanted = {host for host, kind in web.kinds.items() if only in kind}
        web.seeds = [seed for seed in web.seeds if urlsplit(seed).hostname in wanted]
    return web


def crawl(web: Web, server: Server, folder: Path) -> Found:
    """Run a crawl from the front pages."""
    (folder / "seeds.txt").write_text("\n".join(web.seeds) + "\n", encoding="utf-8")
    hosts = json.dumps(server.addresses)
    settings = {**SETTINGS, "RESOLVER_HOSTS": hosts, "CLOSESPIDER_TIMEOUT": LONGEST, "STATS_FILE": "stats.json"}
    command = [sys.executable, "-m", "scrapy", "crawl", "media", "-a", "seed=seeds.txt", "-o", "items.jl"]
    for name, value in settings.items():
        command += ["-s", f"{name}={value}"]
    with (folder / "crawl.log").open("wb") as log:
        known = environment(SCRAPY_SETTINGS_MODULE="mediacrawl.settings")
        code = subprocess.run(command, cwd=folder, env=known, stdout=log, stderr=log, check=False).returncode
    items = folder / "items.jl"
    if code or not items.exists():
        told = (folder / "crawl.log").read_text(encoding="utf-8", errors="replace")
        raise SystemExit(f"the crawl failed, with code {code}:\n{told[-4000:]}")
    titles: dict[str, list[str]] = {}
    for line in items.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        if record.get("probe_status") == "page":
            continue
        for url in {record["content_url"], record.get("requested_url") or record["content_url"]}:
            titles.setdefault(key(url), []).append(record.get("title") or "")
    stats = folder / "state" / "stats.json"
    numbers = json.loads(stats.read_text(encoding="utf-8"))["stats"] if stats.exists() else {}
    return Found(titles, {name: value for name, value in numbers.items() if name.startswith("drop/")})


def plain(title: str) -> str:
    """Return a title as it is compared."""
    return " ".join(unicodedata.normalize("NFC", title).split())


def got(file: File, found: Found) -> str | None:
    """Return the title that the crawl has for a file, its last one; None if there is no record."""
    titles = [title for url in file.urls for title in found.titles.get(url, [])]
    return titles[-1] if titles else None


def is_right(file: File, found: Found) -> bool:
    """Return whether a file was found with its right title."""
    title = got(file, found)
    return title is not None and plain(title) == plain(file.title)


def report(web: Web, server: Server, found: Found, *, misses: bool) -> None:
    """Print the table, what is missing if that is wanted, and the figures."""
    kinds = dict.fromkeys(file.kind for file in web.files)
    asked = Counter(seen.place for seen in server.seen)
    bait = {place: asked[place] for place in web.bait if asked[place]}
    rows = []
    for kind in kinds:
        files = [file for file in web.files if file.kind == kind]
        right, there = sum(is_right(file, found) for file in files), sum(got(file, found) is not None for file in files)
        bitten = sum(count for place, count in bait.items() if web.bait[place] == kind)
        rows.append((kind, (right, len(files), there - right, len(files) - there, 100 * right / len(files), bitten)))
    table("Files by kind", ("right", "of", "other title", "missing", "%", "bait"), rows, digits=0)
    if misses:
        _list_misses(web, server, found, bait)
    right = sum(is_right(file, found) for file in web.files)
    there = sum(got(file, found) is not None for file in web.files)
    web_is = f"{len(server.addresses)} hosts, {len(web.seeds)} front pages, {len(web.files)} files"
    print(f"\n{web_is}, {asked.total()} requests")
    figures = [
        figure("files found with the right title", 100 * right / len(web.files), "%", TARGET),
        figure("files found with any title", 100 * there / len(web.files), "%", TARGET),
        figure("requests for each file found", asked.total() / max(there, 1), "requests", REQUESTS, "less"),
        figure("bait requested", sum(bait.values()), "requests", 0, "less", digits=0),
    ]
    finish("mess", figures)


def _list_misses(web: Web, server: Server, found: Found, bait: dict[str, int]) -> None:
    for file in web.files:
        if is_right(file, found):
            continue
        title = got(file, found)
        print(
            f"\n{file.kind}: {file.urls[0]}\n    wanted {file.title!r}, "
            + ("no record" if title is None else f"got {title!r}")
        )
        hosts = {url.partition("/")[0] for url in file.urls} | {urlsplit(file.page).netloc}
        seen = [each for each in server.seen if each.place.partition("/")[0] in hosts]
        near = [each for each in seen if each.place in file.urls] or seen
        for each in near[-SHOWN:]:
            told = ", ".join(f"{name}: {value}" for name, value in each.headers.items())
            print(f"    {each.status} {each.place}  ({told})")
        print(f"    {len(seen)} requests to {', '.join(sorted(hosts))}")
    for place, count in sorted(bait.items()):
        print(f"bait, {count} requests: {place}")
    print("\nDrops: " + ", ".join(f"{name[5:]} {value}" for name, value in sorted(found.drops.items())))


# -- the check of the web itself -----------------------------------------------------------------------------------


def check(web: Web, server: Server, folder: Path) -> None:
    """Request every file as a browser does, and have ffmpeg read it; print what is wrong."""
    faults = 0
    for file in web.files:
        for url in file.urls:
            fault = _reached(url, server, file.page)
            if fault and not (fault.startswith("404") and len(file.urls) > 1):
                faults += 1
                print(f"{file.kind}: {url}: {fault}")
    for form, title in {answer.media for answer in web.answers.values() if answer.media[0] not in {"", "station"}}:
        path = folder / f"read.{form}"
        path.write_bytes(media(form, title))
        command = [find_ffmpeg(), "-i", str(path), "-f", "null", "-"]
        read = subprocess.run(command, capture_output=True, check=False)
        told = read.stderr.decode("utf-8", "replace")
        if read.returncode or not re.search(r"title\s*: " + re.escape(title), told, re.IGNORECASE):
            faults += 1
            print(f"{form} {title!r}: ffmpeg does not read it as meant:\n{told[-600:]}")
    print(f"{len(web.files)} files, {faults} faults")


def _reached(place: str, server: Server, page: str) -> str:
    """Return what is wrong with a URL; empty if a media file is there."""
    browser, cookie = dict(BROWSER), ""
    url = "http://" + quote(place, safe="/:?=&;,+@~!$'()*%")
    for _ in range(9):
        parts = urlsplit(url)
        host = parts.hostname or ""
        if host not in server.addresses:
            return f"no such host: {host}"
        connection = HTTPConnection(server.addresses[host], parts.port or 80, timeout=5)
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        near = page if urlsplit(page).netloc == parts.netloc else f"http://{urlsplit(page).netloc}/"
        headers = {**browser, "Host": parts.netloc, "Referer": near, **({"Cookie": cookie} if cookie else {})}
        connection.request("GET", target, headers=headers)
        answer = connection.getresponse()
        if answer.status in {301, 302, 303, 307, 308}:
            cookie = (answer.headers.get("Set-Cookie") or cookie).partition(";")[0]
            url = urljoin(url, answer.headers["Location"])
            continue
        if answer.status == 406 and "Accept-Encoding" in browser:
            # No browser gets this file; curl does.
            del browser["Accept-Encoding"]
            continue
        head = answer.read(64)
        is_media = (
            head[:3] == b"ID3" or head[:4] in {b"OggS", b"fLaC", b"RIFF"} or head[4:8] == b"ftyp" or head[0] == 0xFF
        )
        return "" if answer.status == 200 and (is_media or b"#EXTM3U" in head) else f"{answer.status} {head!r}"
    return "redirects without an end"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--inputs", type=Path, default=HERE / "mess_inputs.py", help="another module of inputs")
    parser.add_argument("--only", default="", help="part of the name of kinds")
    parser.add_argument("--misses", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--serve", action="store_true")
    parser.add_argument("--folder", type=Path, help="an empty folder for the crawl, which is kept")
    given = parser.parse_args()
    web = load(given.inputs, given.only)
    server = Server(web)
    if given.serve:
        rules = ", ".join(f"MAP {host} {address}" for host, address in server.addresses.items())
        print(f'--host-resolver-rules="{rules}"', *web.seeds, sep="\n")
        input("Enter ends it.")
        return
    with tempfile.TemporaryDirectory() as parent:
        folder = given.folder or Path(parent)
        folder.mkdir(parents=True, exist_ok=True)
        if given.check:
            check(web, server, folder)
        else:
            report(web, server, crawl(web, server, folder), misses=given.misses)


if __name__ == "__main__":
    main()

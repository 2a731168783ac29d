"""Hosts in several languages: pages that are not UTF-8, and media whose tags claim a wrong encoding."""

# ruff: noqa: RUF001 - the titles are Greek, Russian and Japanese on purpose
from __future__ import annotations

from mediacrawl.demo.library import RECORDINGS
from mediacrawl.demo.sites import names
from mediacrawl.demo.virtual_host import VirtualHost


def language_hosts(port: int) -> list[VirtualHost]:
    """Greek (no robots.txt), Russian (windows-1251), Japanese (Shift_JIS) and Korean (EUC-KR)."""
    return [_greek(port), _russian(port), _japanese(port), _korean(port)]


def _greek(port: int) -> VirtualHost:
    radio = VirtualHost(names.GREEK, port)
    radio.page(
        "/",
        "Ράδιο Μεσημβρία",
        '<p>Καλημέρα. Το <a href="/programma/">πρόγραμμα</a> της ημέρας.</p>',
        lang="el",
    )
    radio.page(
        "/programma/",
        "Πρόγραμμα",
        '<audio src="thalassa.ogg"></audio><p><a href="nychta.opus">Νύχτα στο μπαλκόνι</a></p>',
        lang="el",
    )
    radio.media("/programma/thalassa.ogg", "thalassa.ogg")
    radio.media("/programma/nychta.opus", "nychta.opus")
    return radio


def _russian(port: int) -> VirtualHost:
    """The encoding is declared only in the meta element, as on most old pages."""
    radio = VirtualHost(names.RUSSIAN, port)
    radio.robots("User-agent: *\nDisallow:\n")
    radio.page(
        "/",
        "Старое радио",
        '<p>Записи прошлых лет: <a href="/архив/">архив</a>.</p>',
        lang="ru",
        charset="windows-1251",
        header_charset=False,
    )
    radio.page(
        "/архив/",
        "Архив",
        """
<p><a href="/zapisi/ozero.mp3">Озеро в октябре</a>, <a href="/zapisi/most.mp3">Старый мост</a>,
<a href="/zapisi/utro.mp3">Утро на берегу</a></p>
""",
        lang="ru",
        charset="windows-1251",
        header_charset=False,
    )
    radio.media("/zapisi/ozero.mp3", "ozero.mp3", seconds=221)
    radio.media("/zapisi/most.mp3", "most.mp3", seconds=167)
    radio.media("/zapisi/utro.mp3", "utro.mp3", seconds=198)
    return radio


def _japanese(port: int) -> VirtualHost:
    road = VirtualHost(names.JAPANESE, port)
    road.robots("User-agent: *\nDisallow:\n")
    road.page(
        "/",
        "音の道",
        f"""
<p><a href="/oto/minato.mp3">港の灯り</a>、<a href="/oto/kaze.mp3">風の駅</a>。
友達のページ：<a href="{road.url("/", names.KOREAN)}">ソリギル</a></p>
""",
        lang="ja",
        charset="shift_jis",
    )
    road.media("/oto/minato.mp3", "minato.mp3", seconds=190)
    road.media("/oto/kaze.mp3", "kaze.mp3", seconds=245)
    return road


def _korean(port: int) -> VirtualHost:
    path = VirtualHost(names.KOREAN, port)
    path.robots("User-agent: *\nDisallow:\n")
    path.page(
        "/",
        "소리길",
        '<p>오늘의 노래: <a href="sanchaek.mp3">산책하는 고양이</a></p>',
        lang="ko",
        charset="euc-kr",
    )
    path.media("/sanchaek.mp3", "sanchaek.mp3", seconds=207)
    return path


_FOLDERS = {
    names.TAPES_NORTH: ("bg", "cs", "de", "lt", "pl", "uk"),
    names.TAPES_SOUTH: ("ar", "el", "fr", "he", "hu", "pt", "tr"),
    names.TAPES_EAST: ("ja", "ru", "th", "vi", "zh-cn", "zh-tw"),
}
"""Several tape_hosts, each a site of its own, so that the demo need not wait for one of them."""

_TAPE_SECONDS = 60.0


def tape_hosts(port: int) -> list[VirtualHost]:
    """The archives; the first links to the others."""
    return [_archive(port, host, folders) for host, folders in _FOLDERS.items()]


def _archive(port: int, name: str, folders: tuple[str, ...]) -> VirtualHost:
    archive = VirtualHost(name, port)
    archive.robots("User-agent: *\nDisallow:\n")
    paths = {f"/{made.folder}/{file}": file for file, made in RECORDINGS.items() if made.folder in folders}
    for number, (path, file) in enumerate(sorted(paths.items())):
        archive.media(path, file, seconds=_TAPE_SECONDS + number if file.endswith(".mp3") else 0.0)
    tapes = "\n".join(f'<li><a href="{path}">{file}</a></li>' for path, file in sorted(paths.items()))
    others = ", ".join(f'<a href="{archive.url("/", other)}">{other}</a>' for other in _FOLDERS if other != name)
    archive.page("/", "Tapes", f"<ul>\n{tapes}\n</ul>\n<p>More tapes: {others}</p>")
    return archive

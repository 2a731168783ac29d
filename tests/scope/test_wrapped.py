"""Unwrapping of URLs whose path is the host and the path of a file."""

import pytest

from mediacrawl.scope.wrapped import unwrapped

FILE = "https://cdn.example/shows/ep1.mp3?x=1"


@pytest.mark.parametrize(
    "url",
    [
        "https://a.example/track/b.example/r/cdn.example/shows/ep1.mp3?x=1",
        "https://a.example/e/cdn.example/shows/ep1.mp3?x=1",
        "http://a.example/e/https://cdn.example/shows/ep1.mp3?x=1",
        "http://a.example/e/https:/cdn.example/shows/ep1.mp3?x=1",
        "http://a.example/ID42/https/cdn.example/shows/ep1.mp3?x=1",
        "http://a.example/https/ID42/cdn.example/shows/ep1.mp3?x=1",
        "http://a.example/https%3A%2F%2Fcdn.example%2Fshows%2Fep1.mp3%3Fx%3D1",
        "http://a.example/t/https%3a%2f%2fcdn.example%2fshows%2fep1.mp3?x=1",
        "https://a.example/redirect.mp3/b.example/rss/p/c.example/m/d.example/track/7979/cdn.example/shows/ep1.mp3?x=1",
        "https://a.example/x1/b.example/x2/cdn.example/shows/ep1.mp3?x=1",
        "https://a.example/b.example/r/cdn.example/shows/ep1.mp3?x=1",
        "https://a.example" + "".join(f"/e/t{n}.example" for n in range(8)) + "/e/cdn.example/shows/ep1.mp3?x=1",
        "https://dts.podtrac.com/redirect.mp3/unknown.example/e/cdn.example/shows/ep1.mp3?x=1",
        "https://op3.dev/e,pg=4a6b/chrt.fm/track/8G/pdst.fm/e/cdn.example/shows/ep1.mp3?x=1",
        "https://growx.podkite.com/https/ID42/mgln.ai/e/35/cdn.example/shows/ep1.mp3?x=1",
        "https://www.podtrac.com/pts/redirect.mp3/media.blubrry.com/show/p/cdn.example/shows/ep1.mp3?x=1",
    ],
)
def test_an_enclosure_is_unwrapped_to_the_innermost_file(url: str) -> None:
    found = unwrapped(url, is_enclosure=True)
    assert found is not None
    assert found.requested == FILE


@pytest.mark.parametrize(
    ("url", "inner"),
    [
        (
            "https://pdst.fm/e/traffic.megaphone.fm/ABC123.mp3?updated=5",
            "https://traffic.megaphone.fm/ABC123.mp3?updated=5",
        ),
        ("http://pdst.fm/e/cdn.example:8080/ep.mp3", "http://cdn.example:8080/ep.mp3"),
        ("https://pscrb.fm/rss/p/mgln.ai/track/cdn.example/play/17", "https://cdn.example/play/17"),
        ("https://pdst.fm/e/cdn.example%2Fshow%2Fep.mp3", "https://cdn.example/show/ep.mp3"),
        ("https://pdst.fm/e/cdn.example/podcast.name/ep.mp3", "https://cdn.example/podcast.name/ep.mp3"),
        (
            "https://pdst.fm/e/web.archive.org/web/2019/http://gone.example/ep.mp3",
            "https://web.archive.org/web/2019/http://gone.example/ep.mp3",
        ),
    ],
)
def test_a_known_prefix_is_unwrapped_in_any_link(url: str, inner: str) -> None:
    for is_enclosure in (False, True):
        found = unwrapped(url, is_enclosure=is_enclosure)
        assert found is not None
        assert found.requested == inner


@pytest.mark.parametrize(
    "url",
    [
        "https://web.archive.org/web/2019/http://gone.example/ep.mp3",
        "https://web.archive.org/web/20190101120000if_/https://gone.example/ep.mp3",
        "https://archive.example/https://gone.example/ep.mp3",
        "https://site.example/20190101/https://gone.example/ep.mp3",
        "https://band.example/music/artist.com/song.mp3",
        "https://cdn.example/podcast.name/ep.mp3",
        "https://cdn.example/podcast.name/artist.com/ep.mp3",
        "https://mirror.example/pub/ftp.kernel.org/x.mp3",
        "https://files.example/mirrors/a.org/pub/b.org/x.mp3",
        "https://ipfs.io/ipfs/QmX/site.example/x.mp3",
        "https://gateway.example/ipns/site.example/x.mp3",
        "https://img.example/resize/300/https://cdn.example/x.mp4",
        "https://cdn.example/track/01.intro.mp3",
        "https://cdn.example/track/v1.2/ep.mp3",
        "https://cdn.example/e/1.2.3.4/ep.mp3",
        "https://cdn.example/e/track.aac/ep.mp3",
        "https://a.example/e/cdn.example/page.html",
        "https://a.example/e/cdn.example",
        "https://a.example/e/?u=https://cdn.example/ep.mp3",
        "https://pdst.fm/e/",
        "https://traffic.megaphone.fm/ABC123.mp3",
        "https://cdn.example/ep.mp3",
    ],
)
def test_other_urls_are_none(url: str) -> None:
    assert unwrapped(url, is_enclosure=True) is None


def test_only_known_prefixes_count_outside_of_feeds() -> None:
    assert unwrapped("https://a.example/track/cdn.example/ep.mp3", is_enclosure=False) is None

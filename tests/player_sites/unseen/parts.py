"""What these sites have in common: how a page plays, and which item a page is about."""

from mediacrawl.demo import Resource
from player_sites.answers import text_answer
from player_sites.ask import Ask
from player_sites.site import Item, PlayerSite

HLS = "application/vnd.apple.mpegurl"
_START = """
function start(url) {
  document.querySelector('button.play').onclick = function () {
    var player = document.querySelector('video, audio');
    player.src = url;
    player.play().catch(function () {});
  };
}
function json(url, options) { return fetch(url, options).then(function (answer) { return answer.json(); }); }
"""
_TAGS = {"video": "<video></video>", "audio": "<audio controls></audio>"}


def player(code: str, tag: str = "video", label: str = "Play", **values: str) -> str:
    """HTML of a player and its script, which may call ``start(url)`` and ``json(url)``.

    Args:
        code: JavaScript; ``@name@`` stands for a value.
        tag: video or audio.
        label: of the button.
        values: by name.
    """
    for name, value in values.items():
        code = code.replace(f"@{name}@", value)
    return (
        f'<div class="player">{_TAGS[tag]}<button class="play">{label}</button></div>\n<script>{_START}{code}</script>'
    )


def master() -> Resource:
    """An HLS manifest of one variant, ``v/list.m3u8``."""
    return text_answer("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=800000,RESOLUTION=640x360\nv/list.m3u8\n", HLS)


def variant() -> Resource:
    """An HLS manifest of segments."""
    return text_answer("#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\n0.ts\n#EXTINF:4,\n1.ts\n#EXT-X-ENDLIST\n", HLS)


class UnseenSite(PlayerSite):
    """A site that its learner's author had not seen."""

    def item_of_page(self, ask: Ask) -> Item | None:
        """The item whose page is asked for, by the path alone."""
        if ask.host != self.host:
            return None
        return next((item for item in self.items if self.page_target(item).partition("?")[0] == ask.path), None)

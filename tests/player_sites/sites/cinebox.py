"""A chain of three, which begins with an identifier in the page's HTML."""

from mediacrawl.demo import Resource
from player_sites.answers import json_answer
from player_sites.ask import Ask, Net
from player_sites.shapes import digits, hexes, number
from player_sites.site import Expected, Item, PlayerSite
from player_sites.titles import slug

_API, _CDN = "gw.cinebox.example", "edge.cinebox.example"
_SCRIPT = """
<script type="module">
const api = '%s';
const story = document.querySelector('main article').getAttribute('data-story');
const ask = async (path) => (await fetch(api + path, {headers: {Accept: 'application/json'}})).json();
const page = await ask(`/stories/${story}`);
const asset = await ask(`/assets/${page.story.lead.asset}?expand=streams`);
const streams = await ask(`/streams/${asset.stream_id}.json`);
document.querySelector('button.play').addEventListener('click', () => {
  const video = document.querySelector('video');
  video.src = streams.playlist[0].sources[0].file;
  video.play().catch(() => {});
});
</script>
"""


class Cinebox(PlayerSite):
    name = "cinebox"
    host = "cinebox.example"
    others = (_API, _CDN)
    about = "A chain of three, which begins with an identifier in the page's HTML."
    language = "it"
    ids = digits(6)
    keys = hexes(10)

    def page_target(self, item: Item) -> str:
        return f"/{item.day[:4]}/{slug(item.title)}.html"

    def _asset(self, item: Item) -> str:
        return f"as-{number(f'{item.key} asset') % 10**9:09}"

    def _stream(self, item: Item) -> str:
        return hexes(18)(f"{item.key} stream")

    def expected(self, item: Item, net: Net) -> list[Expected]:
        name = small_name(item)
        files = tuple(net.url(_CDN, f"/m/{name}/{quality}.mp4") for quality in ("alta", "media", "bassa"))
        return [Expected(files, item.title, item.seconds, item.day, net.url(_CDN, f"/m/{name}/poster.png"))]

    def data_urls(self, item: Item, net: Net) -> list[str]:
        return [net.url(_API, f"/v4/streams/{self._stream(item)}.json")]

    def answer(self, ask: Ask) -> Resource | None:
        if ask.host == _API:
            return self._data(ask)
        item = next((item for item in self.items if self.page_target(item) == ask.path), None)
        if item is None:
            return None
        article = f'<main><article class="storia" data-story="{item.key}"><video></video>'
        button = '<button class="play">Guarda</button></article></main>'
        return self.page(item, article + button + _SCRIPT % ask.url("/v4", _API))

    def _data(self, ask: Ask) -> Resource | None:
        for item in self.items:
            if ask.path == f"/v4/stories/{item.key}":
                lead = {"type": "video", "asset": self._asset(item)}
                return json_answer({"story": {"key": item.key, "title": item.title, "lead": lead, "body": []}})
            if ask.path == f"/v4/assets/{self._asset(item)}":
                return json_answer({"asset": self._asset(item), "stream_id": self._stream(item), "geo": ["IT", "CH"]})
            if ask.path == f"/v4/streams/{self._stream(item)}.json":
                return self._streams(item, ask.net)
        return None

    def _streams(self, item: Item, net: Net) -> Resource:
        (record,) = self.expected(item, net)
        sources = [{"file": url, "label": url.rpartition("/")[2]} for url in record.media]
        entry = {"sources": sources, "title": record.title, "image": record.thumbnail, "duration": item.seconds}
        return json_answer({"playlist": [{**entry, "pubdate": record.date}], "kind": "Single Item"})


def small_name(item: Item) -> str:
    """The folder of an item's files."""
    return hexes(12)(f"{item.key} folder")

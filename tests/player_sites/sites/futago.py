"""Each page has two media, which are asked for by two requests of one shape: which is which cannot be told."""

from mediacrawl.demo import Resource
from player_sites.answers import json_answer
from player_sites.ask import Ask, Net
from player_sites.shapes import digits, hexes, number
from player_sites.site import Expected, Item, PlayerSite

_API, _CDN = "api.futago.example", "cdn.futago.example"
_PLAYER = """
<section class="clip" data-key="%s"><video></video></section>
<section class="clip" data-key="%s"><video></video></section>
<button class="play">再生</button>
<script>
for (const section of document.querySelectorAll('section.clip')) {
  fetch('%s/clip/' + section.dataset.key).then(r => r.json()).then(found => {
    document.querySelector('button.play').addEventListener('click', () => {
      const video = section.querySelector('video');
      video.src = found.src;
      video.play().catch(() => {});
    });
  });
}
</script>
"""


class Futago(PlayerSite):
    name = "futago"
    host = "futago.example"
    others = (_API, _CDN)
    about = "Two media of a page, film and trailer in any order, come from two requests of one shape."
    language = "ja"
    ids = digits(5)
    keys = hexes(10)
    learnable = False
    refused_as = "ambiguous"

    def page_target(self, item: Item) -> str:
        return f"/movie/{item.id}"

    def expected(self, item: Item, net: Net) -> list[Expected]:
        """The film, then its trailer."""
        film, trailer = _keys(item)
        return [
            Expected((net.url(_CDN, f"/{hexes(15)(film)}.mp4"),), item.title, item.seconds),
            Expected((net.url(_CDN, f"/{hexes(15)(trailer)}.mp4"),), f"{item.title} 予告編", 60),
        ]

    def data_urls(self, item: Item, net: Net) -> list[str]:
        return [net.url(_API, f"/clip/{key}") for key in _keys(item)]

    def answer(self, ask: Ask) -> Resource | None:
        if ask.host == _API:
            return self._clip(ask)
        item = self.item_at(id=ask.between("/movie/") or "")
        if item is None:
            return None
        # On one page the film comes first, on another the trailer.
        keys = _keys(item)[:: 1 if item.place % 2 else -1]
        return self.page(item, _PLAYER % (*keys, ask.url("", _API)))

    def _clip(self, ask: Ask) -> Resource | None:
        wanted = ask.between("/clip/")
        for item in self.items:
            for key, record in zip(_keys(item), self.expected(item, ask.net), strict=True):
                if key == wanted:
                    return json_answer({"title": record.title, "length": record.duration, "src": record.media[0]})
        return None


def _keys(item: Item) -> tuple[str, str]:
    """Names of the film and of the trailer."""
    return item.key, f"{number(f'{item.key} trailer') % 16**10:010x}"

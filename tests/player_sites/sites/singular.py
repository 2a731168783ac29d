"""A single-page application: after a click another page is shown, and no document is requested."""

from mediacrawl.demo import Resource
from player_sites.answers import json_answer, page, script
from player_sites.ask import Ask, Net
from player_sites.shapes import hexes, small
from player_sites.site import Expected, Item, PlayerSite, Step

_CDN = "cdn.singular.example"
_SCRIPT = """
let shown;
async function show() {
  const id = location.pathname.split('/')[2];
  shown = await (await fetch('/_data/titles/' + id + '.json')).json();
  document.title = shown.props.title;
  document.querySelector('h1').textContent = shown.props.title;
}
document.querySelector('button.play').addEventListener('click', () => {
  const video = document.querySelector('video');
  video.src = shown.props.video.progressive[0].url;
  video.play().catch(() => {});
});
document.querySelector('nav').addEventListener('click', event => {
  if (event.target.tagName !== 'A') return;
  event.preventDefault();
  history.pushState({}, '', event.target.getAttribute('href'));
  show();
});
addEventListener('popstate', show);
show();
"""


class Singular(PlayerSite):
    name = "singular"
    host = "singular.example"
    others = (_CDN,)
    about = "A single-page application: the second of the recorded pages is shown after a click, without a document."
    language = "en"
    ids = small(8)
    keys = hexes(12)
    recorded = ((0, 1, 2),)

    def page_target(self, item: Item) -> str:
        return f"/title/{item.id}"

    def steps(self, items: list[Item]) -> list[Step]:
        first, second, third = (Net().url(self.host, self.page_target(item)) for item in items)
        play = self.click
        return [
            Step(url=first, page=first),
            Step(click=play, page=first),
            Step(click=f'nav a[href="{self.page_target(items[1])}"]', page=second),
            Step(click=play, page=second),
            Step(url=third, page=third),
            Step(click=play, page=third),
        ]

    def expected(self, item: Item, net: Net) -> list[Expected]:
        files = tuple(net.url(_CDN, f"/{item.key}/{height}p.mp4") for height in (720, 360))
        return [Expected(files, item.title, item.seconds, item.day, net.url(_CDN, f"/{item.key}/art.png"))]

    def data_urls(self, item: Item, net: Net) -> list[str]:
        return [net.url(self.host, f"/_data/titles/{item.id}.json")]

    def answer(self, ask: Ask) -> Resource | None:
        if ask.path == "/_app/main.js":
            return script(_SCRIPT)
        key = ask.between("/_data/titles/", ".json")
        item = self.item_at(id=key or ask.between("/title/") or "")
        if item is None:
            return None
        if key is None:
            # One document for all pages.
            links = "".join(f'<a href="{self.page_target(other)}">{other.title}</a> ' for other in self.items)
            body = f'<nav>{links}</nav><video></video><button class="play">Play</button>'
            return page("Singular", f'{body}<script type="module" src="/_app/main.js"></script>', lang="en")
        (record,) = self.expected(item, ask.net)
        files = [{"url": url, "quality": url.rpartition("/")[2]} for url in record.media]
        video = {"progressive": files, "seconds": item.seconds}
        facts = {"title": record.title, "released": record.date, "art": record.thumbnail}
        return json_answer({"props": {**facts, "video": video}, "buildId": "k3v9"})

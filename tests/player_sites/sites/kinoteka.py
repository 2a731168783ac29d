"""The identifier is deep in the state of a script in the page; the state does not name the media."""

import json

from mediacrawl.demo import Resource
from player_sites.answers import json_answer, script
from player_sites.ask import Ask, Net
from player_sites.shapes import digits, uuid
from player_sites.site import Expected, Item, PlayerSite
from player_sites.titles import slug

_API, _MEDIA = "api.kinoteka.example", "wideo.kinoteka.example"
_SCRIPT = """
const state = window.__STATE__;
async function load() {
  const title = state.routes.film.data.entity;
  const answer = await fetch(state.config.api + '/titles/' + title.uid + '/playback?platform=web&lang=pl');
  const playback = await answer.json();
  document.querySelector('button.play').addEventListener('click', () => {
    const video = document.querySelector('video');
    video.src = playback.manifest.progressive[0].src;
    video.play().catch(() => {});
  });
}
load();
"""


class Kinoteka(PlayerSite):
    name = "kinoteka"
    host = "kinoteka.example"
    others = (_API, _MEDIA)
    about = "The identifier, a UUID, is deep in window.__STATE__; the state names no media."
    language = "pl"
    ids = digits(3)
    keys = uuid

    def page_target(self, item: Item) -> str:
        return f"/film/{slug(item.title)}"

    def expected(self, item: Item, net: Net) -> list[Expected]:
        file = net.url(_MEDIA, f"/vod/{item.day.replace('-', '')}/k{item.id}_1080p.mp4")
        return [Expected((file,), item.title, item.seconds, item.day, net.url(_MEDIA, f"/plakaty/k{item.id}.png"))]

    def data_urls(self, item: Item, net: Net) -> list[str]:
        return [net.url(_API, f"/titles/{item.key}/playback?platform=web&lang=pl")]

    def answer(self, ask: Ask) -> Resource | None:
        if ask.path == "/static/app.js":
            return script(_SCRIPT)
        if ask.host == _API:
            return self._playback(ask)
        wanted = ask.between("/film/")
        item = next((item for item in self.items if slug(item.title) == wanted), None)
        if item is None:
            return None
        state = json.dumps(self._state(item, ask), ensure_ascii=False)
        body = '<div id="root"><video></video><button class="play">Oglądaj</button></div>'
        return self.page(
            item, f'{body}<script>window.__STATE__ = {state};</script><script src="/static/app.js"></script>'
        )

    def _state(self, item: Item, ask: Ask) -> dict:
        entity = {"kind": "title", "uid": item.key, "name": item.title, "year": int(item.day[:4]), "rating": None}
        return {
            "user": {"loggedIn": False, "profile": None},
            "config": {
                "api": ask.url("", _API),
                "build": "2024.11.3",
                "features": {"autoplay": True, "casting": False},
            },
            "routes": {"film": {"status": "ready", "data": {"entity": entity, "crumbs": ["Filmy", item.title]}}},
        }

    def _playback(self, ask: Ask) -> Resource | None:
        item = self.item_at(key=ask.between("/titles/", "/playback") or "")
        if item is None:
            return None
        (record,) = self.expected(item, ask.net)
        return json_answer(
            {
                "uid": item.key,
                "meta": {"title": record.title, "runtimeMs": item.seconds * 1000, "premiere": record.date},
                "art": {"poster": record.thumbnail},
                "manifest": {"progressive": [{"src": record.media[0], "bitrate": 4_500_000}], "drm": None},
            }
        )

"""A manifest among other files of a clip, and a list that is asked for by offsets."""

from mediacrawl.demo import Resource
from player_sites.answers import json_answer, text_answer
from player_sites.ask import Ask, Net
from player_sites.shapes import digits, hexes, small
from player_sites.site import Expected, Item
from player_sites.titles import titles
from player_sites.unseen import parts
from player_sites.unseen.parts import UnseenSite, player


class Pikseli(UnseenSite):
    name = "pikseli"
    host = "pikseli.example"
    others = ("hls.pikseli.example", "static.pikseli.example")
    about = "The answer names an HLS manifest, and beside it a poster, subtitles and the pictures of a seek bar."
    language = "sv"
    ids = small(9)
    keys = hexes(22)

    def page_target(self, item: Item) -> str:
        return f"/klipp/{item.id}"

    def expected(self, item: Item, net: Net) -> list[Expected]:
        manifest = net.url(self.others[0], f"/{item.key}/master.m3u8")
        poster = net.url(self.others[1], f"/poster/{item.key}.png")
        return [Expected((manifest,), item.title, item.seconds, f"{item.day} 20:00", poster)]

    def data_urls(self, item: Item, net: Net) -> list[str]:
        return [net.url(self.host, f"/api/v3/embed/{item.id}/config.json")]

    def answer(self, ask: Ask) -> Resource | None:
        if found := self._file(ask):
            return found
        if key := ask.between("/api/v3/embed/", "/config.json"):
            return self._config(ask, key)
        item = self.item_of_page(ask)
        code = """
        json('/api/v3/embed/' + location.pathname.split('/')[2] + '/config.json').then(found => {
          const video = document.querySelector('video');
          video.poster = found.video.poster;
          document.querySelector('button.play').onclick = async () => {
            await (await fetch(found.video.hls.master)).text();
            await (await fetch(new URL('v/list.m3u8', found.video.hls.master))).text();
            await (await fetch(found.video.captions[0].url)).text();
          };
        });"""
        return item and self.page(item, player(code, label="Spela"))

    def _file(self, ask: Ask) -> Resource | None:
        if ask.host == self.others[0] and ask.path.endswith("/master.m3u8"):
            return parts.master()
        if ask.host == self.others[0] and ask.path.endswith("/v/list.m3u8"):
            return parts.variant()
        if ask.host == self.others[1] and ask.path.endswith(".vtt"):
            return text_answer("WEBVTT\n\n00:01.000 --> 00:03.000\nHej\n", "text/vtt; charset=utf-8")
        return None

    def _config(self, ask: Ask, key: str) -> Resource | None:
        item = self.item_at(id=key)
        if item is None:
            return None
        (record,) = self.expected(item, ask.net)
        side = f"/{item.key}"
        video = {
            "hls": {"master": record.media[0], "drm": False},
            "poster": record.thumbnail,
            "thumbs": {"vtt": ask.url(f"{side}/thumbs.vtt", self.others[1]), "rows": 5},
            "captions": [{"lang": "sv", "url": ask.url(f"{side}/sv.vtt", self.others[1])}],
        }
        return json_answer({"video": video, "meta": {"name": record.title, "secs": item.seconds, "date": record.date}})


class Canale(UnseenSite):
    name = "canale"
    host = "canale.example"
    others = ("api.canale.example",)
    about = "A list in several answers, each of which is asked for by an offset and a limit."
    language = "it"
    ids = digits(5)
    keys = small(8)
    limit = 4

    def page_target(self, item: Item) -> str:
        return f"/c/{item.id}/video"

    def expected(self, item: Item, net: Net) -> list[Expected]:
        count = (6, 9, 3, 13)[item.place % 4]
        names, made = titles(self.language), []
        for place in range(count):
            file = hexes(14)(f"{item.key} {place}")
            title = f"{names[(item.place * 3 + place) % len(names)]} ({item.place * 13 + place + 1})"
            made.append(Expected((net.url(self.others[0], f"/v/{file}.mp4"),), title, 30 + 17 * place + item.place))
        return made

    def data_urls(self, item: Item, net: Net) -> list[str]:
        offsets = range(0, len(self.expected(item, net)) + 1, self.limit)
        path = f"/channels/{item.id}/videos"
        return [net.url(self.others[0], f"{path}?offset={each}&limit={self.limit}&sort=new") for each in offsets]

    def answer(self, ask: Ask) -> Resource | None:
        if ask.host == self.others[0]:
            return self._videos(ask)
        item = self.item_of_page(ask)
        code = """
        (async () => {
          const url = '@api@/channels/' + location.pathname.split('/')[2] + '/videos';
          for (let offset = 0, first; ; offset += 4) {
            const found = await json(`${url}?offset=${offset}&limit=4&sort=new`);
            if (!first && found.results.length) start(first = found.results[0].src);
            if (found.results.length < 4) break;
          }
        })();"""
        return item and self.page(item, player(code, label="Guarda", api=ask.url("", self.others[0])))

    def _videos(self, ask: Ask) -> Resource | None:
        item, offset = self.item_at(id=ask.between("/channels/", "/videos") or ""), ask.query.get("offset", "")
        if item is None or not offset.isdecimal():
            return None
        records = self.expected(item, ask.net)
        shown = records[int(offset) : int(offset) + self.limit]
        results = [{"name": record.title, "len": record.duration, "src": record.media[0]} for record in shown]
        return json_answer({"total": len(records), "offset": int(offset), "results": results})

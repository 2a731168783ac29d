"""Pages whose player is another service's: podcasts in a frame, video platforms, and calls with the page's own URL."""

from html import escape

from mediacrawl.demo import Resource
from player_sites.answers import json_answer, text_answer
from player_sites.ask import Ask, Net
from player_sites.shapes import digits, hexes, number, small, uuid
from player_sites.site import Expected, Item
from player_sites.titles import slug
from player_sites.unseen.parts import UnseenSite, master, player, variant

_POLICY = "application/json;pk=BCpkADawqM0zRk1SvPqTEnBxQ7dJuW4mKcYfH2gLs9"
_ACCOUNT = "5104226627001"
_LIBRARY = "Xq7LmZ2a"


class Podkast(UnseenSite):
    name = "podkast"
    host = "podkast.example"
    others = ("player.podkast.example", "api.podkast.example", "dts.podkast.example")
    about = "The page has a frame whose URL has a UUID; a script in the frame asks for the episode."
    language = "no"
    keys = uuid

    def page_target(self, item: Item) -> str:
        return f"/serier/nattprat/{slug(item.title)}"

    def expected(self, item: Item, net: Net) -> list[Expected]:
        number_of = number(item.key) % 10**8
        file = net.url(self.others[2], f"/e/{number_of:08}/media.lagring.example/{item.key[:8]}.mp3")
        return [Expected((file,), item.title, item.seconds, f"{item.day}T05:00:00+00:00")]

    def data_urls(self, item: Item, net: Net) -> list[str]:
        return [net.url(self.others[1], f"/v2/episodes/{item.key}")]

    def answer(self, ask: Ask) -> Resource | None:
        if ask.host == self.others[0]:
            return self._frame(ask)
        if ask.host == self.others[1]:
            return self._episode(ask)
        item = self.item_of_page(ask)
        if item is None:
            return None
        source = escape(ask.url(f"/embed/{item.key}?theme=dark&color=ff4400", self.others[0]))
        frame = f'<iframe src="{source}" allow="autoplay" width="600" height="180"></iframe>'
        code = "document.querySelector('button').onclick = () => frames[0].postMessage('play', '*');"
        return self.page(item, f'{frame}<button class="play">Spill</button><script>{code}</script>')

    def _frame(self, ask: Ask) -> Resource | None:
        item = self.item_at(key=ask.between("/embed/") or "")
        code = """
        const found = json('@api@/v2/episodes/' + location.pathname.split('/').pop());
        onmessage = async () => {
          const audio = document.querySelector('audio');
          audio.src = (await found).episode.enclosure.url;
          audio.play().catch(() => {});
        };"""
        body = player(code, "audio", "Spill", api=ask.url("", self.others[1]))
        return item and text_answer(f"<!DOCTYPE html><title>Player</title>{body}", "text/html; charset=utf-8")

    def _episode(self, ask: Ask) -> Resource | None:
        item = self.item_at(key=ask.between("/v2/episodes/") or "")
        if item is None:
            return None
        (record,) = self.expected(item, ask.net)
        show = {"title": "Nattprat", "image": ask.url("/nattprat.png")}
        enclosure = {"url": record.media[0], "type": "audio/mpeg", "length": item.seconds * 16_000}
        facts = {"title": record.title, "duration": item.seconds, "published_at": record.date}
        return json_answer({"episode": {"id": item.key, **facts, "enclosure": enclosure, "show": show}})


class Brightly(UnseenSite):
    name = "brightly"
    host = "brightly.example"
    others = ("edge.brightly.example", "bcvod.brightly.example")
    about = "A video platform: the identifier is an attribute, the Accept header has the platform's key for the site."
    language = "en"
    ids = digits(13)
    keys = uuid
    data_headers = (("Accept", _POLICY),)

    def page_target(self, item: Item) -> str:
        return f"/culture/film/{slug(item.title)}.html"

    def expected(self, item: Item, net: Net) -> list[Expected]:
        names = ("master.m3u8", "high.mp4", "low.mp4")
        files = tuple(net.url(self.others[1], f"/media/{item.key}/{name}") for name in names)
        poster = net.url(self.others[1], f"/image/{item.key}/match.png")
        return [Expected(files, item.title, item.seconds, f"{item.day}T10:11:12.131Z", poster)]

    def data_urls(self, item: Item, net: Net) -> list[str]:
        return [net.url(self.others[0], f"/playback/v1/accounts/{_ACCOUNT}/videos/{item.id}")]

    def answer(self, ask: Ask) -> Resource | None:
        if ask.host == self.others[0]:
            return self._video(ask)
        if ask.path.endswith("/master.m3u8"):
            return master()
        item = self.item_of_page(ask)
        code = """
        const box = document.querySelector('video-js').dataset;
        json(`@api@/playback/v1/accounts/${box.account}/videos/${box.videoId}`, {headers: {Accept: '@key@'}})
          .then(found => start(found.sources[1].src));"""
        if item is None:
            return None
        box = f'<video-js data-account="{_ACCOUNT}" data-player="default" data-video-id="{item.id}"></video-js>'
        return self.page(item, box + player(code, api=ask.url("", self.others[0]), key=_POLICY))

    def _video(self, ask: Ask) -> Resource | None:
        item = self.item_at(id=ask.path.rpartition("/")[2])
        if item is None:
            return None
        if ask.headers.get("accept") != _POLICY:
            return text_answer('[{"error_code": "INVALID_POLICY_KEY"}]', "application/json", status=403)
        (record,) = self.expected(item, ask.net)
        manifest, high, low = record.media
        sources = [
            {"src": manifest, "type": "application/x-mpegURL", "ext_x_version": "4"},
            {"src": high, "codec": "H264", "container": "MP4", "height": 1080, "avg_bitrate": 4_100_000},
            {"src": low, "codec": "H264", "container": "MP4", "height": 270, "avg_bitrate": 310_000},
        ]
        track = {"src": ask.url(f"/text/{item.key}.vtt", self.others[1]), "kind": "captions", "srclang": "en"}
        video = {
            "account_id": _ACCOUNT,
            "id": item.id,
            "name": record.title,
            "description": None,
            "duration": item.seconds * 1000,
            "published_at": record.date,
            "poster": record.thumbnail,
            "sources": sources,
            "text_tracks": [track],
            "cue_points": [],
            "economics": "AD_SUPPORTED",
        }
        return json_answer(video)


class Jwish(UnseenSite):
    name = "jwish"
    host = "jwish.example"
    others = ("content.jwish.example", "videos.jwish.example")
    about = "A video platform: the identifier stands between two others in the id of an element."
    language = "nl"
    keys = small(8)

    def page_target(self, item: Item) -> str:
        return f"/nieuws/{item.day[:4]}/{slug(item.title)}"

    def expected(self, item: Item, net: Net) -> list[Expected]:
        name = hexes(10)(item.key)
        files = tuple(net.url(self.others[1], f"/videos/{name}-{width}.mp4") for width in (1920, 640))
        return [Expected(files, item.title, item.seconds, "", net.url(self.others[1], f"/thumbs/{name}-720.png"))]

    def data_urls(self, item: Item, net: Net) -> list[str]:
        return [net.url(self.others[0], f"/v2/media/{item.key}?recommendations_playlist_id=R3cMm3nd")]

    def answer(self, ask: Ask) -> Resource | None:
        if ask.host == self.others[0]:
            return self._media(ask)
        item = self.item_of_page(ask)
        code = """
        const media = document.querySelector('.botr').id.split('_')[1];
        json('@api@/v2/media/' + media + '?recommendations_playlist_id=R3cMm3nd')
          .then(found => start(found.playlist[0].sources[0].file));"""
        box = item and f'<div class="botr" id="botr_{item.key}_{_LIBRARY}_div"></div>'
        return item and self.page(item, f"{box}{player(code, label='Kijk', api=ask.url('', self.others[0]))}")

    def _media(self, ask: Ask) -> Resource | None:
        item = self.item_at(key=ask.between("/v2/media/") or "")
        if item is None:
            return None
        (record,) = self.expected(item, ask.net)
        sources = [{"file": url, "type": "video/mp4", "label": "H.264"} for url in record.media]
        strips = {"file": ask.url(f"/strips/{item.key}-120.vtt", self.others[1]), "kind": "thumbnails"}
        entry = {
            "title": record.title,
            "mediaid": item.key,
            "image": record.thumbnail,
            "images": [{"src": record.thumbnail, "width": 720}],
            "duration": item.seconds,
            "pubdate": 1_500_000_000 + number(item.key) % 10**8,
            "sources": sources,
            "tracks": [strips],
            "variations": {},
        }
        return json_answer({"title": record.title, "kind": "Single Item", "playlist": [entry], "feed_instance_id": ""})


class Klangwolke(UnseenSite):
    name = "klangwolke"
    host = "klangwolke.example"
    others = ("api.klangwolke.example", "cf.klangwolke.example")
    about = "The data URL has the whole URL of the page, percent-encoded, as a parameter."
    language = "de"
    keys = hexes(20)

    def page_target(self, item: Item) -> str:
        return f"/{small(7)(item.key)}/{slug(item.title)}"

    def expected(self, item: Item, net: Net) -> list[Expected]:
        file = net.url(self.others[1], f"/{item.key}.128.mp3")
        art = net.url(self.others[1], f"/artworks/{item.key}.png")
        return [Expected((file,), item.title, item.seconds, f"{item.day}T17:42:09Z", art)]

    def data_urls(self, item: Item, net: Net) -> list[str]:
        page = net.url(self.host, self.page_target(item)).replace(":", "%3A").replace("/", "%2F")
        return [net.url(self.others[0], f"/resolve?url={page}&client=web-4.1&format=json")]

    def answer(self, ask: Ask) -> Resource | None:
        if ask.host == self.others[0]:
            return self._track(ask)
        item = self.item_of_page(ask)
        code = """
        json('@api@/resolve?url=' + encodeURIComponent(location.href) + '&client=web-4.1&format=json')
          .then(track => start(track.media.progressive));"""
        return item and self.page(item, player(code, "audio", "Hören", api=ask.url("", self.others[0])))

    def _track(self, ask: Ask) -> Resource | None:
        wanted = ask.query.get("url", "")
        item = next((item for item in self.items if ask.net.url(self.host, self.page_target(item)) == wanted), None)
        if item is None or ask.path != "/resolve":
            return None
        (record,) = self.expected(item, ask.net)
        user = {"username": small(7)(item.key), "avatar_url": ask.url("/avatars/1.png", self.others[1])}
        facts = {"title": record.title, "duration": item.seconds * 1000, "created_at": record.date}
        media = {"progressive": record.media[0]}
        return json_answer({"kind": "track", **facts, "artwork_url": record.thumbnail, "user": user, "media": media})


class Fernrohr(UnseenSite):
    name = "fernrohr"
    host = "fernrohr.example"
    others = ("api1.fernrohr.example", "api2.fernrohr.example", "v.fernrohr.example")
    about = "Two hosts take turns in answering the same data requests."
    language = "hu"
    ids = digits(6)
    keys = hexes(15)

    def page_target(self, item: Item) -> str:
        return f"/v/{item.id}"

    def expected(self, item: Item, net: Net) -> list[Expected]:
        manifest = net.url(self.others[2], f"/{item.key}/index.m3u8")
        return [Expected((manifest,), item.title, item.seconds, item.day)]

    def data_urls(self, item: Item, net: Net) -> list[str]:
        return [net.url(self.others[item.place % 2], f"/info/{item.id}")]

    def answer(self, ask: Ask) -> Resource | None:
        if ask.host in self.others[:2]:
            return self._info(ask)
        if ask.host == self.others[2] and ask.path.endswith("/index.m3u8"):
            return master()
        if ask.host == self.others[2] and ask.path.endswith("/v/list.m3u8"):
            return variant()
        item = self.item_of_page(ask)
        code = """
        const turn = Number(sessionStorage.getItem('turn') || 0);
        sessionStorage.setItem('turn', turn + 1);
        json(['@one@', '@two@'][turn % 2] + '/info/' + location.pathname.split('/')[2]).then(found => {
          document.querySelector('button.play').onclick = async () => {
            await (await fetch(found.hls)).text();
            await (await fetch(new URL('v/list.m3u8', found.hls))).text();
          };
        });"""
        one, two = (ask.url("", host) for host in self.others[:2])
        return item and self.page(item, player(code, label="Indítás", one=one, two=two))

    def _info(self, ask: Ask) -> Resource | None:
        item = self.item_at(id=ask.between("/info/") or "")
        if item is None:
            return None
        (record,) = self.expected(item, ask.net)
        return json_answer({"hls": record.media[0], "cim": record.title, "hossz": item.seconds, "datum": record.date})

"""Sites that an adapter cannot, or must not, map: each is refused by a name."""

import json
import time
from base64 import b64encode
from hashlib import sha256
from html import escape
from urllib.parse import quote

from mediacrawl.demo import Resource, Response
from player_sites.answers import json_answer, media, page, text_answer
from player_sites.ask import Ask, Net
from player_sites.shapes import digits, hexes, small, word
from player_sites.site import Expected, Item
from player_sites.titles import slug
from player_sites.unseen.parts import HLS, UnseenSite, player

_SALT = "kl31dosk0p"
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_QUERY = hexes(64)("query EpisodePage")


class Krotki(UnseenSite):
    name = "krotki"
    host = "krotki.example"
    others = ("api.krotki.example",)
    about = "The page's identifier is a number to the base of 36, the data URL has it to the base of ten."
    language = "pl"
    ids = digits(9)
    keys = hexes(14)
    learnable = False
    refused_as = "unexplained"

    def page_target(self, item: Item) -> str:
        return f"/v/{_base36(int(item.id))}"

    def expected(self, item: Item, net: Net) -> list[Expected]:
        return [Expected((net.url(self.others[0], f"/f/{item.key}.mp4"),), item.title, item.seconds, item.day)]

    def data_urls(self, item: Item, net: Net) -> list[str]:
        return [net.url(self.others[0], f"/items/{item.id}.json")]

    def answer(self, ask: Ask) -> Resource | None:
        if key := ask.between("/items/", ".json"):
            item = self.item_at(id=key)
            return item and json_answer({"film": self.expected(item, ask.net)[0].media[0], "tytul": item.title})
        item = self.item_of_page(ask)
        code = """
        json('@api@/items/' + parseInt(location.pathname.split('/')[2], 36) + '.json')
          .then(found => start(found.film));"""
        return item and self.page(item, player(code, label="Odtwórz", api=ask.url("", self.others[0])))


def _base36(value: int) -> str:
    digits_of = ""
    while value:
        value, place = divmod(value, 36)
        digits_of = _DIGITS[place] + digits_of
    return digits_of


class Episoder(UnseenSite):
    name = "episoder"
    host = "episoder.example"
    others = ("gql.episoder.example",)
    about = "GraphQL by GET; its variable is Base64 of a word and the page's number, as Relay has it."
    language = "no"
    ids = digits(5, 7)
    keys = hexes(14)
    learnable = False
    refused_as = "unexplained"

    def page_target(self, item: Item) -> str:
        return f"/episode/{item.id}"

    def expected(self, item: Item, net: Net) -> list[Expected]:
        return [Expected((net.url(self.host, f"/lyd/{item.key}.mp3"),), item.title, item.seconds, item.day)]

    def data_urls(self, item: Item, net: Net) -> list[str]:
        values = json.dumps({"id": _relay(item)}, separators=(",", ":"))
        extensions = json.dumps({"persistedQuery": {"version": 1, "sha256Hash": _QUERY}}, separators=(",", ":"))
        query = "&".join(f"{name}={quote(text, safe='')}" for name, text in (("v", values), ("ext", extensions)))
        return [net.url(self.others[0], f"/graphql?{query}")]

    def answer(self, ask: Ask) -> Resource | None:
        if ask.host == self.others[0]:
            item = next((item for item in self.items if _relay(item) in ask.query.get("v", "")), None)
            return item and json_answer({"data": {"node": self._node(item, ask)}})
        item = self.item_of_page(ask)
        code = """
        const v = encodeURIComponent(JSON.stringify({id: btoa('Episode:' + location.pathname.split('/')[2])}));
        const ext = encodeURIComponent(JSON.stringify({persistedQuery: {version: 1, sha256Hash: '@hash@'}}));
        json('@api@/graphql?v=' + v + '&ext=' + ext).then(found => start(found.data.node.audioUrl));"""
        return item and self.page(item, player(code, "audio", "Spill", api=ask.url("", self.others[0]), hash=_QUERY))

    def _node(self, item: Item, ask: Ask) -> dict[str, str]:
        (record,) = self.expected(item, ask.net)
        return {"__typename": "Episode", "title": record.title, "audioUrl": record.media[0], "aired": record.date}


def _relay(item: Item) -> str:
    return b64encode(f"Episode:{item.id}".encode()).decode()


class Postkino(UnseenSite):
    name = "postkino"
    host = "postkino.example"
    others = ("graph.postkino.example", "m.postkino.example")
    about = "GraphQL by POST only; a GET of the same URL answers with an error."
    language = "es"
    ids = word(10)
    keys = hexes(12)
    learnable = False
    refused_as = "post_only"

    def page_target(self, item: Item) -> str:
        return f"/pelicula/{item.id}"

    def expected(self, item: Item, net: Net) -> list[Expected]:
        return [Expected((net.url(self.others[1], f"/{item.key}.mp4"),), item.title, item.seconds, item.day)]

    def answer(self, ask: Ask) -> Resource | Response | None:
        if ask.host == self.others[0]:
            return self._graph(ask)
        item = self.item_of_page(ask)
        code = """
        const query = 'query Film($id: ID!) { film(id: $id) { title file } }';
        const body = JSON.stringify({operationName: 'Film', variables: {id: location.pathname.split('/')[2]}, query});
        json('@api@/graphql', {method: 'POST', body}).then(found => start(found.data.film.file));"""
        return item and self.page(item, player(code, label="Ver", api=ask.url("", self.others[0])))

    def _graph(self, ask: Ask) -> Resource | Response | None:
        if ask.method != "POST":
            return text_answer('{"errors": [{"message": "POST only"}]}', "application/json", status=405)
        item = self.item_at(id=json.loads(ask.body)["variables"]["id"])
        if item is None:
            return None
        film = {"title": item.title, "file": self.expected(item, ask.net)[0].media[0]}
        headers = (("Content-Type", "application/json"), ("Access-Control-Allow-Origin", "*"))
        return Response(200, headers, json.dumps({"data": {"film": film}}).encode())


class Sigma(UnseenSite):
    name = "sigma"
    host = "sigma.example"
    about = "The data request has a header that a script computes of the path and the time; without it, it is refused."
    language = "el"
    ids = digits(6)
    keys = hexes(12)
    learnable = False
    refused_as = "signed"

    def page_target(self, item: Item) -> str:
        return f"/ekpompi/{item.id}"

    def expected(self, item: Item, net: Net) -> list[Expected]:
        return [Expected((net.url(self.host, f"/arxeia/{item.key}.mp3"),), item.title, item.seconds, item.day)]

    def answer(self, ask: Ask) -> Resource | None:
        if key := ask.between("/api/v1/track/"):
            return self._track(ask, key)
        item = self.item_of_page(ask)
        code = """
        const path = '/api/v1/track/' + location.pathname.split('/')[2], time = Math.floor(Date.now() / 1000);
        let hash = 0x811c9dc5;
        for (const letter of '@salt@' + path + time) hash = Math.imul(hash ^ letter.charCodeAt(0), 0x01000193) >>> 0;
        const headers = {'X-Timestamp': String(time), 'X-Signature': hash.toString(16).padStart(8, '0')};
        json(path, {headers}).then(found => start(found.track.file));"""
        return item and self.page(item, player(code, "audio", "Άκου", salt=_SALT))

    def _track(self, ask: Ask, key: str) -> Resource | None:
        item, at = self.item_at(id=key), ask.headers.get("x-timestamp", "")
        value = 0x811C9DC5
        for byte in f"{_SALT}{ask.path}{at}".encode():
            value = (value ^ byte) * 0x01000193 & 0xFFFFFFFF
        if item is None or ask.headers.get("x-signature") != f"{value:08x}":
            return text_answer('{"error": "signature"}', "application/json", status=403)
        (record,) = self.expected(item, ask.net)
        return json_answer({"track": {"title": record.title, "file": record.media[0], "length": item.seconds}})


class Klubben(UnseenSite):
    name = "klubben"
    host = "klubben.example"
    others = ("filer.klubben.example",)
    about = "The data request needs a cookie, which is had by a login form."
    language = "sv"
    ids = digits(5)
    keys = hexes(12)
    learnable = False
    refused_as = "login"
    lead = ("/logga-in",)

    def page_target(self, item: Item) -> str:
        return f"/filmer/{item.id}"

    def expected(self, item: Item, net: Net) -> list[Expected]:
        return [Expected((net.url(self.others[0], f"/{item.key}.mp4"),), item.title, item.seconds, item.day)]

    def answer(self, ask: Ask) -> Resource | Response | None:
        if ask.path == "/logga-in":
            return self._login(ask)
        if key := ask.between("/api/filmer/"):
            return self._film(ask, key)
        item = self.item_of_page(ask)
        code = "json('/api/filmer/' + location.pathname.split('/')[2]).then(found => start(found.fil));"
        return item and self.page(item, player(code, label="Spela"))

    def _login(self, ask: Ask) -> Resource | Response:
        if ask.method == "POST":
            cookie = ("Set-Cookie", f"PHPSESSID={_session()}; Path=/; HttpOnly")
            return Response(302, (("Location", "/mitt-konto"), cookie))
        fields = '<input name="namn" value="medlem"><input type="password" name="losen" value="hemligt">'
        form = f'<form method="post" action="/logga-in">{fields}<button class="play">Logga in</button></form>'
        return page("Logga in", form, lang="sv")

    def _film(self, ask: Ask, key: str) -> Resource | None:
        item = self.item_at(id=key)
        if item is None or f"PHPSESSID={_session()}" not in ask.headers.get("cookie", ""):
            return text_answer('{"fel": "logga in"}', "application/json", status=401)
        (record,) = self.expected(item, ask.net)
        return json_answer({"titel": record.title, "fil": record.media[0], "sekunder": item.seconds})


def _session() -> str:
    return sha256(b"medlem hemligt").hexdigest()[:26]


class Doorway(UnseenSite):
    name = "doorway"
    host = "doorway.example"
    others = ("vod.doorway.example",)
    about = "The path of the media URL has a time at which it expires, and a hash of it."
    language = "en"
    ids = digits(6)
    keys = hexes(16)
    learnable = False
    refused_as = "expires"

    def page_target(self, item: Item) -> str:
        return f"/episodes/{item.id}/{slug(item.title)}"

    def expected(self, item: Item, net: Net) -> list[Expected]:
        return [Expected((net.url(self.others[0], f"/{item.key}.mp4"),), item.title, item.seconds, item.day)]

    def data_urls(self, item: Item, net: Net) -> list[str]:
        return [net.url(self.host, f"/playback/{item.id}")]

    def answer(self, ask: Ask) -> Resource | Response | None:
        if ask.host == self.others[0]:
            return _if_fresh(ask)
        if key := ask.between("/playback/"):
            return self._playback(ask, key)
        item = self.item_of_page(ask)
        code = "json('/playback/' + location.pathname.split('/')[2]).then(found => start(found.manifest.url));"
        return item and self.page(item, player(code))

    def _playback(self, ask: Ask, key: str) -> Resource | None:
        item = self.item_at(id=key)
        if item is None:
            return None
        until = int(time.time()) + 3600
        proof = sha256(f"{_SALT}{until}".encode()).hexdigest()
        url = ask.url(f"/exp={until}~acl=%2f*~hmac={proof}/{item.key}.mp4", self.others[0])
        return json_answer({"manifest": {"url": url, "type": "mp4"}, "title": item.title, "length": item.seconds})


def _if_fresh(ask: Ask) -> Resource | None:
    until, _, rest = ask.path.removeprefix("/exp=").partition("~acl=%2f*~hmac=")
    proof = rest.partition("/")[0]
    if not until.isdecimal() or proof != sha256(f"{_SALT}{until}".encode()).hexdigest() or int(until) < time.time():
        return text_answer("expired\n", "text/plain", status=403)
    return media(ask.url(f"/{ask.path.rpartition('/')[2]}"))


class Szyfr(UnseenSite):
    name = "szyfr"
    host = "szyfr.example"
    others = ("f.szyfr.example",)
    about = "The answer has the media URL in a cipher of the site's own, which a script solves."
    language = "pl"
    ids = digits(6)
    keys = hexes(12)
    learnable = False
    refused_as = "not_found"

    def page_target(self, item: Item) -> str:
        return f"/film/{item.id}"

    def expected(self, item: Item, net: Net) -> list[Expected]:
        return [Expected((net.url(self.others[0], f"/{item.key}.mp4"),), item.title, item.seconds, item.day)]

    def answer(self, ask: Ask) -> Resource | None:
        if key := ask.between("/api/zrodlo/"):
            item = self.item_at(id=key)
            return item and json_answer(
                {"tytul": item.title, "dane": _hidden(self.expected(item, ask.net)[0].media[0])}
            )
        item = self.item_of_page(ask)
        code = """
        json('/api/zrodlo/' + location.pathname.split('/')[2]).then(found => {
          const bytes = found.dane.match(/../g).map((pair, place) => parseInt(pair, 16) ^ (90 + place % 7));
          start(String.fromCharCode(...bytes));
        });"""
        return item and self.page(item, player(code, label="Odtwórz"))


def _hidden(text: str) -> str:
    return "".join(f"{byte ^ (90 + place % 7):02x}" for place, byte in enumerate(text.encode()))


class Cadenas(UnseenSite):
    name = "cadenas"
    host = "cadenas.example"
    others = ("hls.cadenas.example", "licences.cadenas.example")
    about = "What the answer names is encrypted: an HLS manifest with keys of two systems for DRM."
    language = "fr"
    ids = digits(6)
    keys = hexes(16)
    learnable = False
    refused_as = "drm"

    def page_target(self, item: Item) -> str:
        return f"/films/{item.id}"

    def expected(self, item: Item, net: Net) -> list[Expected]:
        manifest = net.url(self.others[0], f"/{item.key}/master.m3u8")
        return [Expected((manifest,), item.title, item.seconds, item.day)]

    def data_urls(self, item: Item, net: Net) -> list[str]:
        return [net.url(self.host, f"/api/lecture/{item.id}")]

    def answer(self, ask: Ask) -> Resource | None:
        if ask.host == self.others[0]:
            return _locked(ask)
        if key := ask.between("/api/lecture/"):
            item = self.item_at(id=key)
            return item and json_answer({"titre": item.title, "flux": self.expected(item, ask.net)[0].media[0]})
        item = self.item_of_page(ask)
        code = """
        json('/api/lecture/' + location.pathname.split('/')[2]).then(found => {
          document.querySelector('button.play').onclick = async () => {
            await (await fetch(found.flux)).text();
            await (await fetch(new URL('v/list.m3u8', found.flux))).text();
          };
        });"""
        return item and self.page(item, player(code, label="Lire"))


def _locked(ask: Ask) -> Resource | None:
    if ask.path.endswith("/master.m3u8"):
        return text_answer("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=800000\nv/list.m3u8\n", HLS)
    if not ask.path.endswith("/v/list.m3u8"):
        return None
    apple = 'METHOD=SAMPLE-AES,URI="skd://cadenas/1",KEYFORMAT="com.apple.streamingkeydelivery",KEYFORMATVERSIONS="1"'
    google = (
        'METHOD=SAMPLE-AES,URI="data:text/plain;base64,AAAA",KEYFORMAT="urn:uuid:edef8ba9-79d6-4ace-a3c8-27dcd51d21ed"'
    )
    keys = f"#EXT-X-KEY:{apple}\n#EXT-X-KEY:{google}\n"
    return text_answer(f"#EXTM3U\n#EXT-X-TARGETDURATION:4\n{keys}#EXTINF:4,\n0.m4s\n#EXT-X-ENDLIST\n", HLS)


class Bandowo(UnseenSite):
    name = "bandowo"
    host = "bandowo.example"
    others = ("t4.bandowo.example",)
    about = "An attribute of the page names the medium, in JSON; an answer does so too."
    language = "pl"
    ids = digits(8)
    keys = small(12)
    learnable = False
    refused_as = "page_names_it"
    page_media = True

    def page_target(self, item: Item) -> str:
        return f"/track/{slug(item.title)}"

    def expected(self, item: Item, net: Net) -> list[Expected]:
        return [Expected((net.url(self.others[0], f"/stream/{item.key}.mp3"),), item.title, item.seconds, item.day)]

    def data_urls(self, item: Item, net: Net) -> list[str]:
        return [net.url(self.host, f"/api/mobile/tralbum?id={item.id}")]

    def answer(self, ask: Ask) -> Resource | None:
        if ask.path == "/api/mobile/tralbum":
            item = self.item_at(id=ask.query.get("id", ""))
            return item and json_answer({"tracks": self._tracks(item, ask)})
        item = self.item_of_page(ask)
        if item is None:
            return None
        album = {"id": int(item.id), "current": {"title": item.title}, "trackinfo": self._tracks(item, ask)}
        box = f'<div id="pagedata" data-tralbum="{escape(json.dumps(album))}"></div>'
        code = """
        const album = JSON.parse(document.getElementById('pagedata').dataset.tralbum);
        start(album.trackinfo[0].file['mp3-128']);
        json('/api/mobile/tralbum?id=' + album.id).then(found => { document.title = found.tracks[0].title; });"""
        return self.page(item, f"{box}{player(code, 'audio', 'Odtwórz')}")

    def _tracks(self, item: Item, ask: Ask) -> list[dict[str, object]]:
        (record,) = self.expected(item, ask.net)
        return [{"title": record.title, "duration": item.seconds, "file": {"mp3-128": record.media[0]}}]

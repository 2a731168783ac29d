"""Sites as common frameworks make them: Next.js, WordPress, TYPO3, Drupal and PeerTube."""

import json
from hashlib import sha256
from html import escape
from secrets import token_hex

from mediacrawl.demo import Resource, Response
from player_sites.answers import json_answer, text_answer
from player_sites.ask import Ask, Net
from player_sites.shapes import digits, hexes, small, word
from player_sites.site import Expected, Item
from player_sites.titles import slug
from player_sites.unseen.parts import UnseenSite, player

_BUILD = "Zk3vQ1xYbT0d_8HcUe5nL"
_NONCE = token_hex(5)
"""A nonce of WordPress: the same for all visitors for half a day. Here another one each time that the site runs."""


class NextFilm(UnseenSite):
    name = "nextfilm"
    host = "www.nextfilm.example"
    others = ("assets.nextfilm.example",)
    about = "Next.js: the data URL has the name of the build, which the page's state says, and the identifier twice."
    ids = word(8)
    keys = hexes(16)

    def page_target(self, item: Item) -> str:
        return f"/video/{item.id}"

    def expected(self, item: Item, net: Net) -> list[Expected]:
        files = tuple(net.url(self.others[0], f"/r/{item.key}/{height}.mp4") for height in (1080, 720, 360))
        poster = net.url(self.others[0], f"/p/{item.key}.png")
        return [Expected(files, item.title, item.seconds, f"{item.day}T08:30:00Z", poster)]

    def data_urls(self, item: Item, net: Net) -> list[str]:
        return [net.url(self.host, f"/_next/data/{_BUILD}/video/{item.id}.json?id={item.id}")]

    def answer(self, ask: Ask) -> Resource | None:
        if key := ask.between(f"/_next/data/{_BUILD}/video/", ".json"):
            return self._props(ask, key)
        item = self.item_of_page(ask)
        if item is None:
            return None
        state = {
            "props": {"pageProps": {}, "__N_SSG": True},
            "page": "/video/[id]",
            "query": {"id": item.id},
            "buildId": _BUILD,
            "isFallback": True,
        }
        data = f'<script id="__NEXT_DATA__" type="application/json">{json.dumps(state)}</script>'
        code = """
        const next = JSON.parse(document.getElementById('__NEXT_DATA__').textContent);
        json(`/_next/data/${next.buildId}/video/${next.query.id}.json?id=${next.query.id}`)
          .then(found => start(found.pageProps.video.renditions[1].src));"""
        return self.page(item, f'<div id="__next"></div>{data}{player(code)}')

    def _props(self, ask: Ask, key: str) -> Resource | None:
        item = self.item_at(id=key)
        if item is None:
            return None
        (record,) = self.expected(item, ask.net)
        video = {
            "id": item.id,
            "headline": record.title,
            "durationInSeconds": item.seconds,
            "publishedAt": record.date,
            "poster": {"src": record.thumbnail, "width": 1280},
            "renditions": [
                {"src": url, "height": height} for url, height in zip(record.media, (1080, 720, 360), strict=True)
            ],
        }
        others = self.items[item.place + 1 :][:3]
        related = [{"id": other.id, "headline": other.title, "durationInSeconds": other.seconds} for other in others]
        return json_answer({"pageProps": {"video": video, "related": related}, "__N_SSG": True})


class WpCast(UnseenSite):
    name = "wpcast"
    host = "wpcast.example"
    about = "WordPress: the REST interface is asked for the post by its slug and answers a list; dates are in the path."
    language = "it"
    ids = digits(4)
    keys = small(10)

    def page_target(self, item: Item) -> str:
        return f"/{item.day[:4]}/{item.day[5:7]}/{slug(item.title)}/"

    def expected(self, item: Item, net: Net) -> list[Expected]:
        file = net.url(self.host, f"/wp-content/uploads/{item.day[:4]}/{item.day[5:7]}/{item.key}.mp3")
        return [Expected((file,), item.title, item.seconds, f"{item.day}T18:00:00")]

    def data_urls(self, item: Item, net: Net) -> list[str]:
        return [net.url(self.host, f"/wp-json/wp/v2/posts?slug={slug(item.title)}&_embed=1")]

    def answer(self, ask: Ask) -> Resource | None:
        if ask.path == "/wp-json/wp/v2/posts":
            return self._posts(ask)
        item = self.item_of_page(ask)
        code = """
        var slug = location.pathname.split('/').filter(Boolean).pop();
        json('/wp-json/wp/v2/posts?slug=' + slug + '&_embed=1').then(posts => start(posts[0].meta.audio_file));"""
        return item and self.page(item, player(code, "audio", "Ascolta"))

    def _posts(self, ask: Ask) -> Resource:
        item = next((item for item in self.items if slug(item.title) == ask.query.get("slug")), None)
        if item is None:
            return json_answer([])
        (record,) = self.expected(item, ask.net)
        minutes, seconds = divmod(item.seconds, 60)
        post = {
            "id": int(item.id),
            "date": record.date,
            "modified": f"{item.day[:8]}28T19:11:02",
            "slug": slug(item.title),
            "status": "publish",
            "type": "podcast",
            "link": ask.url(self.page_target(item)),
            "title": {"rendered": record.title},
            "excerpt": {"rendered": "<p>Una puntata [&hellip;]</p>\n", "protected": False},
            "meta": {"audio_file": record.media[0], "duration": f"{minutes}:{seconds:02}", "filesize": "12.4M"},
            "_embedded": {"author": [{"id": 2, "name": "Redazione", "link": ask.url("/author/redazione/")}]},
        }
        return json_answer([post], php=True)


class WpNonce(UnseenSite):
    name = "wpnonce"
    host = "wpnonce.example"
    about = "WordPress: the data URL has a nonce from the page, the same on all pages for half a day."
    language = "tr"
    ids = digits(5)
    keys = hexes(14)
    noise = frozenset({"nonce"})
    data_headers = (("X-Requested-With", "XMLHttpRequest"),)

    def page_target(self, item: Item) -> str:
        return f"/film/{item.id}/"

    def expected(self, item: Item, net: Net) -> list[Expected]:
        return [Expected((net.url(self.host, f"/uploads/{item.key}.mp4"),), item.title, item.seconds, item.day)]

    def data_urls(self, item: Item, net: Net) -> list[str]:
        query = f"action=fp_source&post={item.id}&nonce={_NONCE}"
        return [net.url(self.host, f"/wp-admin/admin-ajax.php?{query}")]

    def answer(self, ask: Ask) -> Resource | None:
        if ask.path == "/wp-admin/admin-ajax.php":
            return self._source(ask)
        item = self.item_of_page(ask)
        code = """
        var box = document.querySelector('.fp');
        json('/wp-admin/admin-ajax.php?action=fp_source&post=' + box.dataset.post + '&nonce=' + box.dataset.nonce,
          {headers: {'X-Requested-With': 'XMLHttpRequest'}}).then(found => start(found.data.src));"""
        box = item and f'<div class="fp" data-post="{item.id}" data-nonce="{_NONCE}"></div>'
        return item and self.page(item, f"{box}{player(code, label='Oynat')}")

    def _source(self, ask: Ask) -> Resource:
        item = self.item_at(id=ask.query.get("post", ""))
        if item is None or ask.query.get("nonce") != _NONCE:
            return text_answer("-1", "text/html; charset=utf-8", status=403)
        (record,) = self.expected(item, ask.net)
        facts = {"title": record.title, "length": item.seconds, "date": record.date}
        return json_answer({"success": True, "data": {"src": record.media[0], **facts}}, php=True)


class Stadtarchiv(UnseenSite):
    name = "stadtarchiv"
    host = "stadtarchiv.example"
    about = "TYPO3: an attribute holds a configuration in JSON, which has the whole data URL, relative, with a hash."
    language = "de"
    ids = digits(4)
    keys = hexes(32)

    def page_target(self, item: Item) -> str:
        return f"/mediathek/filme/detail/{slug(item.title)}"

    def expected(self, item: Item, net: Net) -> list[Expected]:
        name = item.key[::-1][:12]
        files = tuple(net.url(self.host, f"/fileadmin/av/{name}_{kind}.mp4") for kind in ("hd", "sd"))
        return [Expected(files, item.title, item.seconds, item.day, net.url(self.host, f"/fileadmin/bild/{name}.png"))]

    def data_urls(self, item: Item, net: Net) -> list[str]:
        return [net.url(self.host, self._source(item))]

    def _source(self, item: Item) -> str:
        return f"/index.php?eID=avplayer&uid={item.id}&L=0&cHash={item.key}"

    def answer(self, ask: Ask) -> Resource | None:
        if ask.path == "/index.php":
            return self._sources(ask)
        item = self.item_of_page(ask)
        if item is None:
            return None
        settings = {"autoplay": False, "source": self._source(item), "skin": "stadt", "labels": {"play": "Abspielen"}}
        box = f'<div class="tx-avplayer" data-config="{escape(json.dumps(settings))}"></div>'
        code = """
        var settings = JSON.parse(document.querySelector('.tx-avplayer').dataset.config);
        json(settings.source).then(found => start(found.medium.dateien[0].url));"""
        return self.page(item, f"{box}{player(code, label='Abspielen')}")

    def _sources(self, ask: Ask) -> Resource | None:
        item = self.item_at(key=ask.query.get("cHash", ""))
        if item is None or ask.query.get("uid") != item.id:
            return None
        (record,) = self.expected(item, ask.net)
        files = [{"art": "video/mp4", "url": url} for url in record.media]
        facts = {"titel": record.title, "laenge": item.seconds, "datum": record.date, "bild": record.thumbnail}
        return json_answer({"medium": {"dateien": files, **facts}})


class Biblioteka(UnseenSite):
    name = "biblioteka"
    host = "biblioteka.example"
    about = "Drupal: the answer is a list of commands, one of which has HTML that names the medium."
    language = "pl"
    ids = digits(5)
    keys = small(11)

    def page_target(self, item: Item) -> str:
        return f"/node/{item.id}"

    def expected(self, item: Item, net: Net) -> list[Expected]:
        file = net.url(self.host, f"/sites/default/files/{item.key}.mp4")
        return [Expected((file,), thumbnail=net.url(self.host, f"/sites/default/files/styles/{item.key}.png"))]

    def data_urls(self, item: Item, net: Net) -> list[str]:
        query = f"view_name=player&view_display_id=block_1&view_args={item.id}"
        return [net.url(self.host, f"/views/ajax?{query}")]

    def answer(self, ask: Ask) -> Resource | None:
        if ask.path == "/views/ajax":
            return self._commands(ask)
        item = self.item_of_page(ask)
        code = """
        json('/views/ajax?view_name=player&view_display_id=block_1&view_args=' + location.pathname.split('/').pop())
          .then(commands => {
            const box = document.createElement('div');
            box.innerHTML = commands[1].data;
            start(box.querySelector('source').src);
          });"""
        return item and self.page(item, player(code, label="Obejrzyj"))

    def _commands(self, ask: Ask) -> Resource | None:
        item = self.item_at(id=ask.query.get("view_args", ""))
        if item is None:
            return None
        (record,) = self.expected(item, ask.net)
        html = (
            f'<div class="view view-player view-dom-id-{sha256(item.id.encode()).hexdigest()}">\n'
            f'<video class="vjs" preload="none" poster="{record.thumbnail}">'
            f'<source src="{record.media[0]}" type="video/mp4" /></video></div>'
        )
        settings = {"command": "settings", "settings": {"pluralDelimiter": "\u0003", "user": {"uid": 0}}, "merge": True}
        insert = {"command": "insert", "method": "replaceWith", "selector": ".js-view-dom-id", "data": html}
        return json_answer([settings, insert], php=True)


class Peerish(UnseenSite):
    name = "peerish"
    host = "peerish.example"
    about = "PeerTube: the answer names torrents, magnets, pictures and avatars beside the files."
    language = "fr"
    ids = word(22)
    keys = hexes(18)

    def page_target(self, item: Item) -> str:
        return f"/w/{item.id}"

    def expected(self, item: Item, net: Net) -> list[Expected]:
        files = tuple(net.url(self.host, f"/static/web-videos/{item.key}-{height}.mp4") for height in (720, 480))
        preview = net.url(self.host, f"/lazy-static/previews/{item.key}.png")
        return [Expected(files, item.title, item.seconds, f"{item.day}T21:00:00.000Z", preview)]

    def data_urls(self, item: Item, net: Net) -> list[str]:
        return [net.url(self.host, f"/api/v1/videos/{item.id}")]

    def answer(self, ask: Ask) -> Resource | Response | None:
        if ask.path == "/api/v1/config":
            return json_answer({"instance": {"name": "Peerish", "defaultLanguage": "fr"}, "serverVersion": "6.3.1"})
        if ask.path.endswith("/views"):
            return Response(204)
        if key := ask.between("/api/v1/videos/"):
            return self._video(ask, key)
        item = self.item_of_page(ask)
        code = """
        (async () => {
          await json('/api/v1/config');
          const id = location.pathname.split('/')[2];
          const video = await json('/api/v1/videos/' + id);
          start(video.files[1].fileUrl);
          fetch('/api/v1/videos/' + id + '/views', {method: 'POST', body: JSON.stringify({currentTime: 0})});
        })();"""
        return item and self.page(item, f"<my-app></my-app>{player(code, label='Lire')}")

    def _video(self, ask: Ask, key: str) -> Resource | None:
        item = self.item_at(id=key)
        if item is None:
            return None
        (record,) = self.expected(item, ask.net)
        files = [
            {
                "resolution": {"id": height, "label": f"{height}p"},
                "magnetUri": f"magnet:?xs={ask.url(f'/lazy-static/torrents/{item.key}-{height}.torrent')}",
                "size": item.seconds * height * 100,
                "torrentUrl": ask.url(f"/lazy-static/torrents/{item.key}-{height}.torrent"),
                "fileUrl": url,
            }
            for url, height in zip(record.media, (720, 480), strict=True)
        ]
        avatar = {"path": "/lazy-static/avatars/5a1.png", "width": 48}
        video = {
            "id": 1000 + item.place,
            "shortUUID": item.id,
            "name": record.title,
            "duration": item.seconds,
            "publishedAt": record.date,
            "previewPath": f"/lazy-static/previews/{item.key}.png",
            "channel": {"displayName": "Chaîne de l'atelier", "avatars": [avatar]},
            "account": {"displayName": "atelier", "avatars": [avatar]},
            "files": files,
            "streamingPlaylists": [],
        }
        return json_answer(video)

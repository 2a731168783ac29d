"""Page URLs as they are met: languages in paths, national letters, parameters in any order; and answers to match."""

from base64 import urlsafe_b64encode
from urllib.parse import quote

from mediacrawl.demo import Resource, Response
from player_sites.answers import json_answer
from player_sites.ask import Ask, Net
from player_sites.shapes import digits, hexes, small
from player_sites.site import Expected, Item
from player_sites.unseen.parts import UnseenSite, player

_LOCALES = ("de", "fr", "it")


class Rundfunk(UnseenSite):
    name = "rundfunk"
    host = "rundfunk.example"
    others = ("dl.rundfunk.example",)
    about = "A percent-encoded title and a number stand in one segment; media URLs have no scheme and one constant."
    language = "de"
    ids = digits(5, 6)
    keys = small(10)

    def page_target(self, item: Item) -> str:
        return f"/sendungen/{quote(item.title.replace(' ', '_'))}_{item.id}"

    def expected(self, item: Item, net: Net) -> list[Expected]:
        file = net.url(self.others[0], f"/{item.key[:2]}/{item.key}.mp3?v=20240611")
        return [Expected((file,), item.title, item.seconds, item.day)]

    def data_urls(self, item: Item, net: Net) -> list[str]:
        return [net.url(self.host, f"/ajax/beitrag/{item.id}/")]

    def answer(self, ask: Ask) -> Resource | None:
        if key := ask.between("/ajax/beitrag/", "/"):
            return self._piece(ask, key)
        item = self.item_of_page(ask)
        code = """
        json('/ajax/beitrag/' + location.pathname.split('_').pop() + '/').then(found => start(found.audio.quelle));"""
        return item and self.page(item, player(code, "audio", "Hören"))

    def _piece(self, ask: Ask, key: str) -> Resource | None:
        item = self.item_at(id=key)
        if item is None:
            return None
        (record,) = self.expected(item, ask.net)
        audio = {"quelle": record.media[0].removeprefix("http:"), "dauer": item.seconds}
        return json_answer({"id": int(key), "titel": record.title, "datum": record.date, "audio": audio})


class Teleport(UnseenSite):
    name = "teleport"
    host = "teleport.example"
    others = ("f1.teleport.example",)
    about = "Parameters of the page come in any order; the answer has the media URL in URL-safe Base64."
    language = "ru"
    ids = digits(4, 7)
    keys = hexes(26)

    def page_target(self, item: Item) -> str:
        pairs = [f"cat={item.place % 4 + 1}", f"vid={item.id}", "lang=ru"]
        turn = item.place % 3
        return f"/play.php?{'&'.join(pairs[turn:] + pairs[:turn])}"

    def expected(self, item: Item, net: Net) -> list[Expected]:
        return [Expected((net.url(self.others[0], f"/get/{item.key}/film.mp4"),), item.title, item.seconds)]

    def data_urls(self, item: Item, net: Net) -> list[str]:
        return [net.url(self.host, f"/ajax/get.php?vid={item.id}")]

    def answer(self, ask: Ask) -> Resource | None:
        if ask.path == "/ajax/get.php":
            return self._film(ask)
        item = self.item_at(id=ask.query.get("vid", "")) if ask.path == "/play.php" else None
        code = """
        json('/ajax/get.php?vid=' + new URLSearchParams(location.search).get('vid'))
          .then(found => start(atob(found.s.replace(/-/g, '+').replace(/_/g, '/'))));"""
        return item and self.page(item, player(code, label="Смотреть"))

    def _film(self, ask: Ask) -> Resource | None:
        item = self.item_at(id=ask.query.get("vid", ""))
        if item is None:
            return None
        (record,) = self.expected(item, ask.net)
        hidden = urlsafe_b64encode(record.media[0].encode()).decode().rstrip("=")
        return json_answer({"ok": 1, "s": hidden, "n": record.title, "d": item.seconds})


class Helvetia(UnseenSite):
    name = "helvetia"
    host = "helvetia.example"
    others = ("il.helvetia.example", "vod.helvetia.example")
    about = "The language in the page's path is a parameter of the data URL; the answer has one file a language."
    language = "fr"
    ids = digits(6)
    keys = hexes(10)

    def page_target(self, item: Item) -> str:
        return f"/{_LOCALES[item.place % 3]}/film/{item.id}"

    def expected(self, item: Item, net: Net) -> list[Expected]:
        files = tuple(net.url(self.others[1], f"/{item.key}/audio_{locale}.mp4") for locale in _LOCALES)
        return [Expected(files, item.title, item.seconds, item.day)]

    def data_urls(self, item: Item, net: Net) -> list[str]:
        return [net.url(self.others[0], f"/play?locale={_LOCALES[item.place % 3]}&film={item.id}")]

    def answer(self, ask: Ask) -> Resource | None:
        if ask.host == self.others[0]:
            return self._film(ask)
        item = self.item_of_page(ask)
        code = """
        const [, locale, , film] = location.pathname.split('/');
        json('@api@/play?locale=' + locale + '&film=' + film)
          .then(found => start(found.versions.find(version => version.lang === locale).file));"""
        return item and self.page(item, player(code, label="▶", api=ask.url("", self.others[0])))

    def _film(self, ask: Ask) -> Resource | None:
        item = self.item_at(id=ask.query.get("film", ""))
        # Each film is there in the language of its page only.
        if item is None or ask.query.get("locale") != _LOCALES[item.place % 3]:
            return None
        (record,) = self.expected(item, ask.net)
        versions = [{"lang": lang, "file": url} for lang, url in zip(_LOCALES, record.media, strict=True)]
        return json_answer({"title": record.title, "length": item.seconds, "date": record.date, "versions": versions})


class Samtykke(UnseenSite):
    name = "samtykke"
    host = "samtykke.example"
    others = ("cmp.samtykke.example", "tall.samtykke.example", "v.samtykke.example")
    about = "A banner asks for consent first, a parameter names one of two variants, and statistics are posted."
    language = "no"
    ids = digits(7)
    keys = hexes(16)
    noise = frozenset({"variant", "cb"})

    def page_target(self, item: Item) -> str:
        return f"/klipp/{item.id}?autoplay=1" if item.place % 2 else f"/klipp/{item.id}"

    def expected(self, item: Item, net: Net) -> list[Expected]:
        return [Expected((net.url(self.others[2], f"/{item.key}.mp4"),), item.title, item.seconds, item.day)]

    def data_urls(self, item: Item, net: Net) -> list[str]:
        return [net.url(self.host, f"/api/klipp/{item.id}")]

    def answer(self, ask: Ask) -> Resource | Response | None:
        if ask.host == self.others[0]:
            banner = {"video": ask.url("/intro.mp4", self.others[0])}
            return json_answer({"banner": {"text": "Vi bruker informasjonskapsler", **banner}, "vendors": [7, 12, 91]})
        if ask.host == self.others[1]:
            return Response(204, (("Access-Control-Allow-Origin", "*"),))
        if key := ask.between("/api/klipp/"):
            return self._clip(ask, key)
        item = self.item_of_page(ask)
        code = """
        (async () => {
          await json('@cmp@/config.json?site=samtykke&cb=' + Math.random());
          const turn = Number(sessionStorage.getItem('turn') || 0), id = location.pathname.split('/')[2];
          sessionStorage.setItem('turn', turn + 1);
          const found = await json('/api/klipp/' + id + '?variant=' + 'AB'[turn % 2]);
          start(found.klipp.url);
          const body = JSON.stringify({event: 'load', id: id, media: found.klipp.url, page: location.href});
          fetch('@stats@/v1/events', {method: 'POST', body: body});
        })();"""
        cmp, stats = (ask.url("", host) for host in self.others[:2])
        return item and self.page(item, player(code, label="Spill", cmp=cmp, stats=stats))

    def _clip(self, ask: Ask, key: str) -> Resource | None:
        item = self.item_at(id=key)
        if item is None:
            return None
        (record,) = self.expected(item, ask.net)
        clip = {"tittel": record.title, "url": record.media[0], "varighet": item.seconds, "publisert": record.date}
        return json_answer({"klipp": clip, "eksperiment": ask.query.get("variant", "A")})


class Eiga(UnseenSite):
    name = "eiga"
    host = "eiga.example"
    others = ("cdn.eiga.example",)
    about = "An answer with another film has the same form as the page's own, comes first, and is played silently."
    language = "ja"
    ids = digits(5)
    keys = hexes(18)

    def page_target(self, item: Item) -> str:
        return f"/movies/{item.id}/"

    def expected(self, item: Item, net: Net) -> list[Expected]:
        picture = net.url(self.others[0], f"/p/{item.key}.png")
        return [Expected((net.url(self.others[0], f"/m/{item.key}.mp4"),), item.title, item.seconds, item.day, picture)]

    def data_urls(self, item: Item, net: Net) -> list[str]:
        return [net.url(self.host, f"/api/movies/{item.id}")]

    def answer(self, ask: Ask) -> Resource | None:
        if ask.path == "/api/movies/recommended":
            item = self.item_at(id=ask.query.get("for", ""))
            return item and self._movie(ask, self.items[(item.place + 5) % len(self.items)])
        if key := ask.between("/api/movies/"):
            item = self.item_at(id=key)
            return item and self._movie(ask, item)
        item = self.item_of_page(ask)
        code = """
        const id = location.pathname.split('/')[2];
        json('/api/movies/recommended?for=' + id).then(found => {
          const preview = document.createElement('video');
          preview.muted = true;
          preview.src = found.movie.file;
          document.body.append(preview);
          return preview.play().catch(() => {});
        }).then(() => json('/api/movies/' + id)).then(found => start(found.movie.file));"""
        return item and self.page(item, player(code, label="再生"))

    def _movie(self, ask: Ask, item: Item) -> Resource:
        (record,) = self.expected(item, ask.net)
        facts = {"title": record.title, "seconds": item.seconds, "date": record.date, "image": record.thumbnail}
        return json_answer({"movie": {"id": int(item.id), **facts, "file": record.media[0]}})


class Kinosaal(UnseenSite):
    name = "kinosaal"
    host = "kinosaal.example"
    others = ("assets.kinosaal.example",)
    about = "A trailer is played as the page opens, from an answer of the same form; the film comes after a click."
    language = "de"
    ids = digits(5)
    keys = hexes(20)

    def page_target(self, item: Item) -> str:
        return f"/film/{item.id}"

    def expected(self, item: Item, net: Net) -> list[Expected]:
        return [Expected((net.url(self.others[0], f"/{item.key}.mp4"),), item.title, item.seconds + 3000, item.day)]

    def unwanted(self, item: Item, net: Net) -> list[str]:
        return [net.url(self.others[0], f"/{hexes(20)(item.key)}.mp4")]

    def data_urls(self, item: Item, net: Net) -> list[str]:
        return [net.url(self.host, f"/api/asset/{item.id}/feature")]

    def answer(self, ask: Ask) -> Resource | None:
        for kind in ("trailer", "feature"):
            if key := ask.between("/api/asset/", f"/{kind}"):
                return self._asset(ask, key, kind)
        item = self.item_of_page(ask)
        code = """
        const id = location.pathname.split('/')[2];
        json('/api/asset/' + id + '/trailer').then(found => {
          const video = document.querySelector('video');
          video.muted = true;
          video.src = found.asset.url;
          return video.play().catch(() => {});
        }).then(() => json('/api/asset/' + id + '/feature')).then(found => start(found.asset.url));"""
        return item and self.page(item, player(code, label="Film ansehen"))

    def _asset(self, ask: Ask, key: str, kind: str) -> Resource | None:
        item = self.item_at(id=key)
        if item is None:
            return None
        (record,) = self.expected(item, ask.net)
        (trailer,) = self.unwanted(item, ask.net)
        asset = {"kind": kind, "title": record.title, "seconds": record.duration, "url": record.media[0]}
        if kind == "trailer":
            asset |= {"title": f"Trailer: {record.title}", "seconds": 45, "url": trailer}
        return json_answer({"asset": asset})

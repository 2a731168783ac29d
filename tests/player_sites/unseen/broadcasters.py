"""Broadcasters: JSONP with a fixed name, dates in paths, SMIL, XSPF, RSS, radio streams and a jingle."""

import json
from datetime import UTC, datetime
from email.utils import format_datetime
from xml.sax.saxutils import escape, quoteattr

from mediacrawl.demo import Resource
from player_sites.answers import json_answer, script, text_answer
from player_sites.ask import Ask, Net
from player_sites.shapes import digits, hexes, number, small
from player_sites.site import Expected, Item
from player_sites.titles import slug, titles
from player_sites.unseen.parts import UnseenSite, player


class Beeb(UnseenSite):
    name = "beeb"
    host = "beeb.example"
    others = ("open.beeb.example", "a.beeb.example")
    about = "JSONP with a fixed name of its function in the path; the answer names a jingle too, which is played first."
    language = "en"
    ids = small(8)
    keys = hexes(24)

    def page_target(self, item: Item) -> str:
        return f"/programmes/{item.id}"

    def expected(self, item: Item, net: Net) -> list[Expected]:
        files = tuple(net.url(self.others[1], f"/od/{item.key}_{rate}.m4a") for rate in (128, 48))
        return [Expected(files, item.title, item.seconds, item.day)]

    def unwanted(self, item: Item, net: Net) -> list[str]:
        return [net.url(self.others[1], "/ident/sounds-2024.m4a")]

    def data_urls(self, item: Item, net: Net) -> list[str]:
        return [net.url(self.others[0], f"/mediaselector/{item.id}/format/jsonp/cb/onMedia.js")]

    def answer(self, ask: Ask) -> Resource | None:
        if ask.host == self.others[0]:
            return self._selector(ask)
        item = self.item_of_page(ask)
        code = """
        function onMedia(found) {
          document.querySelector('button.play').onclick = () => {
            const audio = document.querySelector('audio');
            audio.src = found.ident.href;
            audio.play().catch(() => {});
            setTimeout(() => {
              audio.src = found.media[0].connection[0].href;
              audio.play().catch(() => {});
            }, 150);
          };
        }
        const tag = document.createElement('script');
        tag.src = '@api@/mediaselector/' + location.pathname.split('/')[2] + '/format/jsonp/cb/onMedia.js';
        document.head.appendChild(tag);"""
        return item and self.page(item, player(code, "audio", api=ask.url("", self.others[0])))

    def _selector(self, ask: Ask) -> Resource | None:
        item = self.item_at(id=ask.between("/mediaselector/", "/format/jsonp/cb/onMedia.js") or "")
        if item is None:
            return None
        (record,) = self.expected(item, ask.net)
        media = [
            {"kind": "audio", "bitrate": rate, "connection": [{"priority": "10", "href": url, "supplier": "a"}]}
            for url, rate in zip(record.media, ("128", "48"), strict=True)
        ]
        ident = {"href": self.unwanted(item, ask.net)[0], "seconds": 4}
        facts = {"title": record.title, "duration": item.seconds, "firstBroadcast": record.date}
        return script(f"onMedia({json.dumps({'ident': ident, 'programme': facts, 'media': media})});\n")


class Abendschau(UnseenSite):
    name = "abendschau"
    host = "abendschau.example"
    others = ("media.abendschau.example",)
    about = "The data URL has year, month and day of a date in the page's HTML, and the last part of the page's path."
    language = "de"
    keys = hexes(8)
    # The first two are of one month, so that they would not tell what is the date of a page.
    recorded = ((0, 3),)

    def page_target(self, item: Item) -> str:
        return f"/sendung/beitraege/{slug(item.title)}.html"

    def expected(self, item: Item, net: Net) -> list[Expected]:
        files = tuple(net.url(self.others[0], f"/video/{item.key}.web{size}.mp4") for size in ("xl", "m", "s"))
        return [Expected(files, item.title, item.seconds, f"{item.day}T19:30:00+02:00")]

    def data_urls(self, item: Item, net: Net) -> list[str]:
        return [net.url(self.host, f"/json/{item.day.replace('-', '/')}/{slug(item.title)}.json")]

    def answer(self, ask: Ask) -> Resource | None:
        if ask.path.startswith("/json/"):
            return self._piece(ask)
        item = self.item_of_page(ask)
        code = """
        const [year, month, day] = document.querySelector('time.airdate').dateTime.slice(0, 10).split('-');
        const name = location.pathname.split('/').pop().replace('.html', '');
        json(`/json/${year}/${month}/${day}/${name}.json`).then(found => start(found.mediadata.streams[1]));"""
        aired = item and f'<p>Gesendet am <time class="airdate" datetime="{item.day}T19:30:00+02:00">abends</time></p>'
        return item and self.page(item, f"{aired}{player(code, label='Abspielen')}")

    def _piece(self, ask: Ask) -> Resource | None:
        item = next((item for item in self.items if self.data_urls(item, ask.net)[0].endswith(ask.path)), None)
        if item is None:
            return None
        (record,) = self.expected(item, ask.net)
        facts = {"headline": record.title, "durationSeconds": item.seconds, "broadcastedOn": record.date}
        return json_answer({"sophoraId": f"beitrag{item.key}", **facts, "mediadata": {"streams": list(record.media)}})


class Kinescope(UnseenSite):
    name = "kinescope"
    host = "kinescope.example"
    others = ("vod.kinescope.example",)
    about = "The answer is SMIL: a base, the same on all pages, and the names of the files below it."
    language = "bg"
    ids = digits(5)
    keys = small(9)

    def page_target(self, item: Item) -> str:
        return f"/watch/{item.id}"

    def expected(self, item: Item, net: Net) -> list[Expected]:
        files = tuple(net.url(self.others[0], f"/vod/2019/{item.key}_{height}p.mp4") for height in (720, 360))
        return [Expected(files, item.title)]

    def data_urls(self, item: Item, net: Net) -> list[str]:
        return [net.url(self.host, f"/smil/{item.id}.smil")]

    def answer(self, ask: Ask) -> Resource | None:
        if key := ask.between("/smil/", ".smil"):
            return self._smil(ask, key)
        item = self.item_of_page(ask)
        code = """
        fetch('/smil/' + location.pathname.split('/')[2] + '.smil').then(r => r.text()).then(text => {
          const smil = new DOMParser().parseFromString(text, 'text/xml');
          const [base, file] = [smil.querySelector('meta[base]'), smil.querySelector('video')];
          start(base.getAttribute('base') + file.getAttribute('src'));
        });"""
        return item and self.page(item, player(code, label="Пусни"))

    def _smil(self, ask: Ask, key: str) -> Resource | None:
        item = self.item_at(id=key)
        if item is None:
            return None
        base = ask.url("/vod/", self.others[0])
        videos = "".join(
            f'      <video src="2019/{item.key}_{height}p.mp4" system-bitrate="{height}000" height="{height}"/>\n'
            for height in (720, 360)
        )
        return text_answer(
            f"""<?xml version="1.0" encoding="UTF-8"?>
<smil xmlns="http://www.w3.org/2001/SMIL20/Language">
  <head>
    <meta base="{base}"/>
    <meta name="title" content={quoteattr(item.title)}/>
  </head>
  <body>
    <switch>
{videos}    </switch>
  </body>
</smil>
""",
            "application/smil+xml",
        )


class Gramofon(UnseenSite):
    name = "gramofon"
    host = "gramofon.example"
    about = "The answer is a playlist in XSPF, of an album's tracks."
    language = "cs"
    ids = digits(4)
    keys = hexes(7)

    def page_target(self, item: Item) -> str:
        return f"/deska/{item.id}/{slug(item.title)}"

    def expected(self, item: Item, net: Net) -> list[Expected]:
        names = titles(self.language)
        return [
            Expected(
                (net.url(self.host, f"/mp3/{item.key}/{place + 1:02}.mp3"),),
                names[(item.place + 3 * place + 2) % len(names)],
                100 + number(f"{item.key} {place}") % 300,
                thumbnail=net.url(self.host, f"/obal/{item.key}.png"),
            )
            for place in range(3 + item.place % 4)
        ]

    def data_urls(self, item: Item, net: Net) -> list[str]:
        return [net.url(self.host, f"/xspf.php?album={item.id}&typ=mp3")]

    def answer(self, ask: Ask) -> Resource | None:
        if ask.path == "/xspf.php":
            return self._playlist(ask)
        item = self.item_of_page(ask)
        code = """
        const found = new XMLHttpRequest();
        found.open('GET', '/xspf.php?album=' + location.pathname.split('/')[2] + '&typ=mp3');
        found.onload = () => start(found.responseXML.getElementsByTagName('location')[0].textContent);
        found.send();"""
        return item and self.page(item, player(code, "audio", "Přehrát"))

    def _playlist(self, ask: Ask) -> Resource | None:
        item = self.item_at(id=ask.query.get("album", ""))
        if item is None:
            return None
        tracks = "".join(
            f"<track><location>{escape(record.media[0])}</location><title>{escape(record.title)}</title>"
            f"<creator>Kapela</creator><image>{record.thumbnail}</image>"
            f"<duration>{int(record.duration * 1000)}</duration></track>\n"
            for record in self.expected(item, ask.net)
        )
        head = f"<title>{escape(item.title)}</title><creator>Kapela</creator><date>{item.day}T00:00:00</date>"
        return text_answer(
            '<?xml version="1.0" encoding="UTF-8"?>\n<playlist version="1" xmlns="http://xspf.org/ns/0/">'
            f"{head}<trackList>\n{tracks}</trackList></playlist>\n",
            "application/xspf+xml",
        )


class Razgovori(UnseenSite):
    name = "razgovori"
    host = "razgovori.example"
    others = ("feeds.razgovori.example",)
    about = "The player of a show reads its RSS feed, which is found by an attribute of the page."
    language = "uk"
    ids = digits(6)
    keys = small(9)

    def page_target(self, item: Item) -> str:
        return f"/shows/{item.key}"

    def expected(self, item: Item, net: Net) -> list[Expected]:
        names, records = titles(self.language), []
        for place in range(2 + item.place % 3):
            file = hexes(16)(f"{item.key} {place}")
            day = datetime(2020, 1 + item.place % 12, 1 + place, 6, tzinfo=UTC)
            title = names[(item.place + 5 * place + 2) % len(names)]
            url = net.url(self.others[0], f"/audio/{file}.mp3")
            records.append(Expected((url,), title, 300 + number(file) % 3000, format_datetime(day)))
        return records

    def data_urls(self, item: Item, net: Net) -> list[str]:
        return [net.url(self.others[0], f"/podcast/{item.id}/rss.xml")]

    def answer(self, ask: Ask) -> Resource | None:
        if ask.host == self.others[0]:
            return self._feed(ask)
        item = self.item_of_page(ask)
        code = """
        const show = document.querySelector('[data-show]').dataset.show;
        fetch(`@feeds@/podcast/${show}/rss.xml`).then(r => r.text()).then(text => {
          const feed = new DOMParser().parseFromString(text, 'text/xml');
          start(feed.querySelector('item enclosure').getAttribute('url'));
        });"""
        box = item and f'<section data-show="{item.id}" data-skin="light"></section>'
        return item and self.page(item, f"{box}{player(code, 'audio', 'Слухати', feeds=ask.url('', self.others[0]))}")

    def _feed(self, ask: Ask) -> Resource | None:
        item = self.item_at(id=ask.between("/podcast/", "/rss.xml") or "")
        if item is None:
            return None
        items = "".join(
            f"<item><title>{escape(record.title)}</title><guid isPermaLink='false'>{item.id}-{place}</guid>"
            f"<pubDate>{record.date}</pubDate><itunes:duration>{int(record.duration)}</itunes:duration>"
            f"<enclosure url={quoteattr(record.media[0])} length='{place + 1}000000' type='audio/mpeg'/></item>\n"
            for place, record in enumerate(self.expected(item, ask.net))
        )
        return text_answer(
            '<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0" '
            'xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><channel>'
            f"<title>{escape(item.title)}</title><link>{ask.url(self.page_target(item), self.host)}</link>"
            f"<language>uk</language>\n{items}</channel></rss>\n",
            "application/rss+xml; charset=utf-8",
        )


class Vlna(UnseenSite):
    name = "vlna"
    host = "vlna.example"
    others = ("api.vlna.example", "ice.vlna.example", "previews.vlna.example")
    about = "A radio station: an answer names its streams; another one names a sample of what is on the air."
    language = "cs"
    ids = small(6)
    keys = small(12)

    def page_target(self, item: Item) -> str:
        return f"/stanice/{item.id}"

    def expected(self, item: Item, net: Net) -> list[Expected]:
        files = (f"/{item.key}-128.mp3", f"/{item.key}-64.m4a")
        streams = tuple(net.url(self.others[1], path) for path in files)
        return [Expected(streams, item.title, thumbnail=net.url(self.others[0], f"/logo/{item.id}.png"))]

    def unwanted(self, item: Item, net: Net) -> list[str]:
        return [net.url(self.others[2], f"/{hexes(16)(item.key)}.m4a")]

    def data_urls(self, item: Item, net: Net) -> list[str]:
        return [net.url(self.others[0], f"/stations/{item.id}/streams")]

    def answer(self, ask: Ask) -> Resource | None:
        if ask.host == self.others[0]:
            return self._station(ask)
        item = self.item_of_page(ask)
        code = """
        const station = location.pathname.split('/')[2];
        json('@api@/stations/' + station + '/streams').then(found => start(found.streams[0].url));
        json('@api@/stations/' + station + '/nowplaying?t=' + Date.now()).then(found => {
          document.title = found.now.song;
        });"""
        return item and self.page(item, player(code, "audio", "Poslouchat", api=ask.url("", self.others[0])))

    def _station(self, ask: Ask) -> Resource | None:
        playing = self.item_at(id=ask.between("/stations/", "/nowplaying") or "")
        if playing is not None:
            song = {"song": "Letní déšť", "artist": "Kapela", "preview": self.unwanted(playing, ask.net)[0]}
            return json_answer({"now": song, "next_in": 73})
        item = self.item_at(id=ask.between("/stations/", "/streams") or "")
        if item is None:
            return None
        (record,) = self.expected(item, ask.net)
        streams = [
            {"format": kind, "kbps": rate, "url": url}
            for url, (kind, rate) in zip(record.media, (("mp3", 128), ("aac", 64)), strict=True)
        ]
        station = {"id": item.id, "name": record.title, "logo": record.thumbnail, "web": ask.url("/", self.host)}
        return json_answer({"station": station, "streams": streams})

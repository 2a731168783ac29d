"""The identifier is an attribute in the page's HTML; the page's URL says nothing of it."""

from mediacrawl.demo import Resource
from player_sites.answers import json_answer, text_answer
from player_sites.ask import Ask, Net
from player_sites.shapes import digits, small
from player_sites.site import Expected, Item, PlayerSite
from player_sites.titles import slug

_SCRIPT = """
<script>
$ = document.querySelector.bind(document);
var box = $('div.audio-player'), head = {'X-Requested-With': 'XMLHttpRequest'};
fetch('/ajax/audio/' + box.dataset.audioId, {headers: head}).then(r => r.json()).then(found => {
  $('button.play').onclick = () => {
    var audio = new Audio(found.audio.mp3);
    audio.play().catch(() => {});
  };
});
</script>
"""


class Hoerspiel(PlayerSite):
    name = "hoerspiel"
    host = "hoerspiel.example"
    others = ("ton.hoerspiel.example",)
    about = "The identifier is an attribute in the page's HTML; the answer wants X-Requested-With."
    data_headers = (("X-Requested-With", "XMLHttpRequest"),)
    language = "de"
    ids = digits(4)
    keys = small(7)

    def page_target(self, item: Item) -> str:
        return f"/sendung/{slug(item.title)}"

    def expected(self, item: Item, net: Net) -> list[Expected]:
        # The name of the file is none of the identifiers.
        file = net.url(self.others[0], f"/{item.day[:4]}/{item.day[5:7]}/{slug(item.title)}-{item.id}.mp3")
        picture = net.url(self.host, f"/bilder/{item.id}.png")
        return [Expected((file,), item.title, item.seconds, f"{item.day}T20:05:00+01:00", picture)]

    def data_urls(self, item: Item, net: Net) -> list[str]:
        return [net.url(self.host, f"/ajax/audio/{item.key}")]

    def answer(self, ask: Ask) -> Resource | None:
        key = ask.between("/ajax/audio/")
        if key is not None:
            return self._audio(ask, key)
        wanted = ask.between("/sendung/")
        item = next((item for item in self.items if slug(item.title) == wanted), None)
        if item is None:
            return None
        box = f'<div class="audio-player" id="player-{item.place + 3}" data-audio-id="{item.key}" data-theme="dunkel">'
        return self.page(item, f'{box}<button class="play">Anhören</button></div>{_SCRIPT}')

    def _audio(self, ask: Ask, key: str) -> Resource | None:
        item = self.item_at(key=key)
        if item is None:
            return None
        if ask.headers.get("x-requested-with") != "XMLHttpRequest":
            return text_answer("<div class='audio-player'>…</div>", "text/html; charset=utf-8")
        (record,) = self.expected(item, ask.net)
        return json_answer(
            {
                "ok": True,
                "audio": {"mp3": record.media[0], "dauer": item.seconds},
                "titel": record.title,
                "gesendet": record.date,
                "bild": record.thumbnail,
            },
            php=True,
        )

"""What the answer names is encrypted (DRM): a manifest with ContentProtection, and the URL of a license."""

import json
from xml.sax.saxutils import escape

from mediacrawl.demo import Resource, Response
from player_sites.answers import json_answer, script, text_answer
from player_sites.ask import Ask, Net
from player_sites.shapes import digits, hexes, uuid
from player_sites.site import Expected, Item, PlayerSite

_CDN, _LICENSES = "dash.zamek.example", "license.zamek.example"
_SCRIPT = """
(async () => {
  const id = location.pathname.split('/').pop();
  const found = await (await fetch('/api/play/' + id)).json();
  document.querySelector('button.play').onclick = async () => {
    const text = await (await fetch(found.manifest)).text();
    const manifest = new DOMParser().parseFromString(text, 'text/xml');
    const key = manifest.querySelector('ContentProtection').getAttribute('cenc:default_KID').replaceAll('-', '');
    const kid = btoa(String.fromCharCode(...key.match(/../g).map(x => parseInt(x, 16))));
    const setting = [{initDataTypes: ['keyids'], audioCapabilities: [{contentType: 'audio/webm; codecs="opus"'}]}];
    const access = await navigator.requestMediaKeySystemAccess('org.w3.clearkey', setting);
    const keys = await access.createMediaKeys();
    await document.querySelector('video').setMediaKeys(keys);
    const session = keys.createSession();
    session.addEventListener('message', async event => {
      const answer = await fetch(found.drm.license_url, {method: 'POST', body: event.message});
      await session.update(await answer.arrayBuffer());
    });
    const wanted = JSON.stringify({kids: [kid.replace(/=+$/, '').replace(/\\+/g, '-').replace(/\\//g, '_')]});
    await session.generateRequest('keyids', new TextEncoder().encode(wanted));
  };
})();
"""


class Zamek(PlayerSite):
    name = "zamek"
    host = "zamek.example"
    others = (_CDN, _LICENSES)
    about = "What the answer names is encrypted: a DASH manifest with ContentProtection; a license is posted for."
    language = "uk"
    ids = digits(6)
    keys = hexes(12)
    learnable = False
    refused_as = "drm"
    # Keys are given to secure origins only.
    secure = True

    def page_target(self, item: Item) -> str:
        return f"/film/{item.id}"

    def expected(self, item: Item, net: Net) -> list[Expected]:
        return [Expected((net.url(_CDN, f"/{item.key}/manifest.mpd"),), item.title, item.seconds, item.day)]

    def data_urls(self, item: Item, net: Net) -> list[str]:
        return [net.url(self.host, f"/api/play/{item.id}")]

    def answer(self, ask: Ask) -> Resource | Response | None:
        if ask.path == "/drm-player.js":
            return script(_SCRIPT)
        if ask.host == _LICENSES:
            return _license(ask)
        if ask.host == _CDN:
            item = self.item_at(key=ask.between("/", "/manifest.mpd") or "")
            return item and _manifest(item)
        key = ask.between("/api/play/")
        item = self.item_at(id=key or ask.between("/film/") or "")
        if item is None:
            return None
        if key is None:
            body = '<video></video><button class="play">Дивитися</button><script src="/drm-player.js"></script>'
            return self.page(item, body)
        (record,) = self.expected(item, ask.net)
        drm = {"type": "clearkey", "license_url": ask.url(f"/clearkey?asset={item.key}", _LICENSES)}
        return json_answer({"title": record.title, "manifest": record.media[0], "drm": drm, "seconds": item.seconds})


def _manifest(item: Item) -> Resource:
    scheme = 'schemeIdUri="urn:mpeg:dash:mp4protection:2011" value="cenc"'
    protection = f'<ContentProtection {scheme} cenc:default_KID="{uuid(item.key)}"/>'
    return text_answer(
        f"""<?xml version="1.0"?>
<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" xmlns:cenc="urn:mpeg:cenc:2013" type="static"
 mediaPresentationDuration="PT{item.seconds}S" profiles="urn:mpeg:dash:profile:isoff-on-demand:2011">
<!-- {escape(item.title)} -->
<Period><AdaptationSet mimeType="video/mp4">{protection}
<Representation id="v" bandwidth="900000"><BaseURL>video.mp4</BaseURL></Representation></AdaptationSet></Period>
</MPD>
""",
        "application/dash+xml",
    )


def _license(ask: Ask) -> Response | None:
    try:
        kids = json.loads(ask.body)["kids"]
    except (ValueError, KeyError, TypeError):
        return None
    keys = [{"kty": "oct", "kid": kid, "k": "AAECAwQFBgcICQoLDA0ODw"} for kid in kids]
    headers = (("Content-Type", "application/json"), ("Access-Control-Allow-Origin", "*"))
    return Response(200, headers, json.dumps({"keys": keys, "type": "temporary"}).encode())

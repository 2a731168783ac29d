"""Records player sites with a headless Chromium, as DevTools would export them.

From the project's folder: ``PYTHONPATH=.:tests python -m player_sites.recorder [NAME ...]`` records the sites of these
names, or all, into ``tests/player_sites/recordings``.
"""

import select
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import browser

from player_sites.har import Capture
from player_sites.recordings_of import FOLDER, write_har
from player_sites.server import PlayerWeb
from player_sites.site import PlayerSite, Step
from player_sites.sites import SITES

QUIET_SECONDS = 0.3
"""How long nothing must happen before a page counts as loaded, or as played."""
LONGEST_WAIT = 15.0
"""Seconds after which a page is taken as it is."""
_OPTIONS = (
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--mute-audio",
    # Nothing of the kind is behind these URLs.
    "--disable-features=HttpsUpgrades,HttpsFirstBalancedModeAutoEnable,MediaRouter,OptimizationHints",
)


class Recorder(browser.Browser):
    """A Chromium that reaches the hosts of the sites at a server, without a port in any URL.

    Args:
        folder: new and empty, for the browser's profile.
        port: of the server.
        sites: that it is going to record.
    """

    def __init__(self, folder: Path, port: int, sites: Iterable[PlayerSite]) -> None:
        self._capture = Capture()
        self._changed = time.monotonic()
        secure = ",".join(f"http://{site.host}" for site in sites if site.secure)
        options = [*_OPTIONS, f"--host-resolver-rules=MAP *.example 127.0.0.1:{port}"]
        if secure:
            options.append(f"--unsafely-treat-insecure-origin-as-secure={secure}")
        super().__init__(folder, options)

    def record(self, steps: Iterable[Step]) -> dict[str, Any]:
        """Do what is to be done, in a profile without cookies and cache; answers the HAR."""
        context = self._begin()
        for step in steps:
            if step.url:
                self._capture.begin_page(step.url)
                self.call("Page.navigate", url=step.url)
            elif not self._click(step.click):
                continue
            self._settle()
        har = self._capture.har()
        session, self._session = self._session, None
        self.call("Target.disposeBrowserContext", browserContextId=context)
        self._session = session
        return har

    def _begin(self) -> str:
        """Open a page in a new profile."""
        self._session = None
        context = self.call("Target.createBrowserContext")["browserContextId"]
        target = self.call("Target.createTarget", url="about:blank", browserContextId=context)["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.call("Page.enable")
        self.call("Network.enable", maxTotalBufferSize=1 << 26, maxResourceBufferSize=1 << 24)
        # As who records with DevTools is told to do.
        self.call("Network.setCacheDisabled", cacheDisabled=True)
        self._capture = Capture()
        return context

    def _click(self, selector: str) -> bool:
        """Click on what a selector finds, as a person does: only then may a page play sound."""
        expression = f"(e => e && (e.click(), true))(document.querySelector({selector!r}))"
        answer = self.call("Runtime.evaluate", expression=expression, userGesture=True, returnByValue=True)
        return bool(answer["result"].get("value"))

    def _settle(self) -> None:
        """Wait until nothing is under way, and fetch the bodies of what has ended."""
        self._changed = time.monotonic()
        end = self._changed + LONGEST_WAIT
        while (now := time.monotonic()) < end:
            for request in self._capture.take_done():
                self._fetch(request)
            if not self._capture.open and now - self._changed > QUIET_SECONDS:
                return
            self._wait(QUIET_SECONDS / 4)

    def _fetch(self, request: str) -> None:
        try:
            answer = self.call("Network.getResponseBody", requestId=request)
        except AssertionError:
            # A body that there is not: of a preflight, of an empty answer.
            return
        self._capture.add_body(request, answer["body"], base64=answer["base64Encoded"])

    def _wait(self, seconds: float) -> None:
        """Take one event, if one comes within so many seconds."""
        if b"\0" in self._rest or select.select([self._in], [], [], seconds)[0]:
            self._keep(self._next())

    def _keep(self, event: dict[str, Any]) -> None:
        if event.get("sessionId") == self._session and event.get("method", "").startswith(("Network.", "Page.")):
            self._capture.feed(event)
            self._changed = time.monotonic()


def record(sites: Iterable[PlayerSite], folder: Path) -> list[Path]:
    """Record sites into a folder; answers the files."""
    sites = list(sites)
    written = []
    with PlayerWeb(sites) as web, tempfile.TemporaryDirectory() as profile:
        recorder = Recorder(Path(profile), web.port, sites)
        try:
            for site in sites:
                for name, steps in site.recordings().items():
                    written.append(write_har(folder / f"{name}.har.gz", recorder.record(steps)))
        finally:
            recorder.close()
    return written


if __name__ == "__main__":
    for path in record([SITES[name] for name in sys.argv[1:]] or SITES.values(), FOLDER):
        print(path, path.stat().st_size)

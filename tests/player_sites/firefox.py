"""Records player sites with a headless Firefox: the HAR is what its own network monitor exports.

From the project's folder: ``PYTHONPATH=.:tests python -m player_sites.firefox NAME ...`` records the sites of these
names into ``tests/player_sites/recordings/NAME.firefox.har.gz``. No test runs it: Firefox is not installed where tests
run, and what it wrote is kept.

Firefox is driven by Marionette, its protocol for tests: JSON with its length in front over TCP. It reaches the hosts of
the sites through the server as its proxy, so that no URL has a port.
"""

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from player_sites.recordings_of import FOLDER, write_har
from player_sites.server import PlayerWeb
from player_sites.site import Step
from player_sites.sites import SITES

PROGRAM = shutil.which("firefox-esr") or shutil.which("firefox")
QUIET_SECONDS = 0.8
"""How long the server must have got no request before a page counts as loaded, or as played."""
LONGEST_BODY = 4096
"""Bytes of a body that Firefox keeps: 1 MiB by default, which leaves out what is played. The files here are small."""
_START_SECONDS = 60
_OPEN_MONITOR = """
const done = arguments[arguments.length - 1];
const {require} = ChromeUtils.importESModule("resource://devtools/shared/loader/Loader.sys.mjs");
const {gDevTools} = require("devtools/client/framework/devtools");
gDevTools.showToolboxForTab(gBrowser.selectedTab, {toolId: "netmonitor", hostType: "window"})
  .then(toolbox => { window.recordingToolbox = toolbox; done(""); }, error => done(String(error)));
"""
_EXPORT = """
const done = arguments[arguments.length - 1];
window.recordingToolbox.getHARFromNetMonitor().then(har => done(JSON.stringify(har)), error => done(String(error)));
"""


class Marionette:
    """A connection to Firefox.

    Args:
        port: where it listens on loopback.
    """

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self._rest, self._number = b"", 0
        self._read()
        self.call("WebDriver:NewSession")

    def call(self, command: str, **parameters: Any) -> Any:
        """The result of a command.

        Raises:
            LookupError: Firefox answers that it failed.
        """
        self._number += 1
        message = json.dumps([0, self._number, command, parameters]).encode()
        self._socket.sendall(b"%d:%s" % (len(message), message))
        _, _, error, result = self._read()
        if error:
            raise LookupError(error["message"])
        return result

    def run(self, script: str) -> str:
        """The text that a script of the browser itself, not of a page, hands to its callback."""
        self.call("Marionette:SetContext", value="chrome")
        found = self.call("WebDriver:ExecuteAsyncScript", script=script, args=[], newSandbox=False, sandbox="system")
        self.call("Marionette:SetContext", value="content")
        return found["value"]

    def close(self) -> None:
        self._socket.close()

    def _read(self) -> Any:
        while b":" not in self._rest:
            self._rest += self._socket.recv(1 << 20)
        size, _, self._rest = self._rest.partition(b":")
        while len(self._rest) < int(size):
            self._rest += self._socket.recv(1 << 20)
        message, self._rest = self._rest[: int(size)], self._rest[int(size) :]
        return json.loads(message)


def record(steps: Iterable[Step], web: PlayerWeb) -> dict[str, Any]:
    """Do what is to be done in a new Firefox; answers the HAR that it exports."""
    with tempfile.TemporaryDirectory() as folder:
        profile = Path(folder)
        lines = (f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in _preferences(web.port))
        (profile / "user.js").write_text("".join(lines), encoding="utf-8")
        command = [PROGRAM, "--headless", "--no-remote", "--marionette", "--remote-allow-system-access"]
        command += ["--profile", folder]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        with subprocess.Popen(command, env={**os.environ, "HOME": folder}, **quiet) as process:
            try:
                return _recorded(Marionette(_port(profile)), steps, web)
            finally:
                process.terminate()


def _port(profile: Path) -> int:
    """Where Firefox listens: it writes it down when it does."""
    file, end = profile / "MarionetteActivePort", time.monotonic() + _START_SECONDS
    while not (file.exists() and file.read_text()):
        assert time.monotonic() < end, "Firefox does not start"
        time.sleep(0.1)
    return int(file.read_text())


def _recorded(firefox: Marionette, steps: Iterable[Step], web: PlayerWeb) -> dict[str, Any]:
    problem = firefox.run(_OPEN_MONITOR)
    assert not problem, problem
    for step in steps:
        if step.url:
            firefox.call("WebDriver:Navigate", url=step.url)
        else:
            _click(firefox, step.click)
        _settle(web)
    log = json.loads(firefox.run(_EXPORT))
    firefox.close()
    for entry in log["entries"]:
        # The port of the proxy, another one each time.
        if "connection" in entry:
            entry["connection"] = "80"
    return {"log": log}


def _click(firefox: Marionette, selector: str) -> None:
    try:
        found = firefox.call("WebDriver:FindElement", using="css selector", value=selector)["value"]
    except LookupError:
        return
    (element,) = found.values()
    firefox.call("WebDriver:ElementClick", id=element)


def _settle(web: PlayerWeb) -> None:
    """Wait until the server gets no more requests."""
    seen, since = -1, time.monotonic()
    while time.monotonic() - since < QUIET_SECONDS:
        if len(web.log) != seen:
            seen, since = len(web.log), time.monotonic()
        time.sleep(0.05)


def _preferences(port: int) -> list[tuple[str, Any]]:
    """What is set in the profile: the proxy for all hosts, a log of several pages, and nothing for its makers."""
    proxy = [(f"network.proxy.{kind}", "127.0.0.1") for kind in ("http", "ssl")]
    proxy += [(f"network.proxy.{kind}_port", port) for kind in ("http", "ssl")]
    off = (
        "app.update.enabled",
        "browser.safebrowsing.malware.enabled",
        "browser.safebrowsing.phishing.enabled",
        "browser.shell.checkDefaultBrowser",
        "datareporting.policy.dataSubmissionEnabled",
        "dom.security.https_first",
        "dom.security.https_only_mode",
        "network.captive-portal-service.enabled",
        "network.connectivity-service.enabled",
        "toolkit.telemetry.enabled",
    )
    return [
        *proxy,
        ("network.proxy.type", 1),
        ("marionette.port", 0),
        ("devtools.netmonitor.persistlog", True),
        ("devtools.netmonitor.responseBodyLimit", LONGEST_BODY),
        ("devtools.cache.disabled", True),
        ("media.autoplay.default", 0),
        ("services.settings.server", "data:,"),
        *((name, False) for name in off),
    ]


if __name__ == "__main__":
    for site in [SITES[name] for name in sys.argv[1:]]:
        for recording, steps in site.recordings().items():
            with PlayerWeb([site]) as web:
                path = write_har(FOLDER / f"{recording}.firefox.har.gz", record(steps, web))
            print(path, path.stat().st_size)

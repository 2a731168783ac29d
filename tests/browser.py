"""A headless Chromium, driven over its debugging pipe: null-terminated JSON (Chrome DevTools Protocol)."""

import json
import os
import shutil
import subprocess
import time

PROGRAM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


class Browser:
    """One page of a browser that keeps what the page requested and logged.

    Args:
        folder: new and empty, for the browser's profile.
        options: further ones of its command line.

    Attributes:
        requests: URLs that the page asked for.
        messages: of the console and the log.
    """

    def __init__(self, folder, options=()):
        read, self._out = os.pipe()
        self._in, write = os.pipe()

        def place():
            # The browser reads descriptor 3 and writes 4.
            spare = os.dup(write)
            os.dup2(read, 3)
            os.dup2(spare, 4)

        usual = ["--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--no-first-run"]
        self._process = subprocess.Popen(
            [PROGRAM, *usual, *options, f"--user-data-dir={folder}", "about:blank"],
            preexec_fn=place,  # noqa: PLW1509 - the test starts no threads
            close_fds=False,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(read)
        os.close(write)
        self._rest, self._number, self._session = b"", 0, None
        self.requests, self.messages = [], []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method, **parameters):
        """The result of a command."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while (answer := self._next()).get("id") != self._number:
            self._keep(answer)
        assert "error" not in answer, answer
        return answer["result"]

    def open(self, url, width, *, dark=False, height=900):
        """Load a page, and wait until it is complete."""
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.call("Emulation.setEmulatedMedia", features=scheme)
        self.requests.clear()
        self.messages.clear()
        self.call("Page.navigate", url=url)
        deadline = time.monotonic() + 30
        while self.value("document.readyState + location.href") != f"complete{url}":
            assert time.monotonic() < deadline
            time.sleep(0.05)

    def value(self, expression):
        """The value of an expression in the page."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def close(self):
        self._process.terminate()
        self._process.wait(20)
        os.close(self._in)
        os.close(self._out)

    def _next(self):
        while b"\0" not in self._rest:
            read = os.read(self._in, 1 << 20)
            assert read, "the browser has ended"
            self._rest += read
        message, _, self._rest = self._rest.partition(b"\0")
        return json.loads(message)

    def _keep(self, event):
        told = event.get("params", {})
        if event.get("method") == "Network.requestWillBeSent":
            self.requests.append(told["request"]["url"])
        elif event.get("method") == "Runtime.consoleAPICalled":
            self.messages.append(str(told["args"]))
        elif event.get("method") == "Log.entryAdded":
            self.messages.append(told["entry"]["text"])
        elif event.get("method") == "Runtime.exceptionThrown":
            self.messages.append(told["exceptionDetails"]["text"])

"""From the events of the Chrome DevTools Protocol to a HAR 1.2 in the shape of DevTools' own export.

Field by field what DevTools writes when all is exported, cookies and authorization included: its creator
"WebInspector", the fields that begin with an underscore, bodies as text or Base64, none for what is played.
"""

import re
from collections import defaultdict
from datetime import UTC, datetime
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import urlsplit

_CAPITAL = re.compile("[A-Z]")
_HTTP_PORT = "80"
"""What is written as the port: the one in the URLs, not the one to which the browser was redirected."""


class Capture:
    """Collects events of a page, and the bodies that were asked for; then writes them down.

    Attributes:
        open: identifiers of requests that have not ended.
    """

    def __init__(self) -> None:
        self.open: set[str] = set()
        self._done: list[str] = []
        self._pages: list[dict[str, Any]] = []
        self._hops: list[dict[str, Any]] = []
        self._last: dict[str, dict[str, Any]] = {}
        self._sent: dict[str, list[dict[str, Any]]] = defaultdict(list)
        self._received: dict[str, list[dict[str, Any]]] = defaultdict(list)
        self._bodies: dict[str, tuple[str, bool]] = {}

    def begin_page(self, url: str) -> None:
        """A new document is about to be requested."""
        self._pages.append({"title": url, "began": None, "content": -1.0, "load": -1.0})

    def take_done(self) -> list[str]:
        """Requests whose bodies can be had, each once."""
        done, self._done = self._done, []
        return done

    def add_body(self, request: str, text: str, *, base64: bool) -> None:
        """The body of an answer."""
        self._bodies[request] = (text, base64)

    def feed(self, event: dict[str, Any]) -> None:
        """Take one event of the domains Network and Page; others are passed over."""
        name = event.get("method", "").rpartition(".")[2]
        handler = getattr(self, "_on_" + _CAPITAL.sub(r"_\g<0>", name).lower(), None)
        if handler is not None:
            handler(event["params"])

    # Events

    def _on_request_will_be_sent(self, told: dict[str, Any]) -> None:
        request = told["requestId"]
        if "redirectResponse" in told and request in self._last:
            self._last[request] |= {"response": told["redirectResponse"], "ended": told["timestamp"]}
            self._last[request]["location"] = told["request"]["url"]
        self._add(request, told, told["request"], told.get("type", "Other"))

    def _add(self, request: str, told: dict[str, Any], asked: dict[str, Any], kind: str) -> None:
        page = self._pages[-1] if self._pages else None
        if page and page["began"] is None:
            page |= {"began": told["timestamp"], "wall": told["wallTime"]}
        hop = {
            "id": request,
            "page": len(self._pages),
            "request": asked,
            "kind": kind.lower(),
            "initiator": told.get("initiator", {"type": "other"}),
            "started": told["timestamp"],
            "wall": told["wallTime"],
            "number": sum(other["id"] == request for other in self._hops),
            "length": 0,
        }
        self._hops.append(hop)
        self._last[request] = hop
        self.open.add(request)

    def _on_request_will_be_sent_extra_info(self, told: dict[str, Any]) -> None:
        self._sent[told["requestId"]].append(told)

    def _on_response_received(self, told: dict[str, Any]) -> None:
        if told["requestId"] in self._last:
            self._last[told["requestId"]] |= {"response": told["response"], "kind": told["type"].lower()}

    def _on_response_received_extra_info(self, told: dict[str, Any]) -> None:
        self._received[told["requestId"]].append(told)

    def _on_data_received(self, told: dict[str, Any]) -> None:
        if told["requestId"] in self._last:
            self._last[told["requestId"]]["length"] += told["dataLength"]

    def _on_loading_finished(self, told: dict[str, Any]) -> None:
        if told["requestId"] in self._last:
            self._last[told["requestId"]] |= {"ended": told["timestamp"], "transfer": told["encodedDataLength"]}
            self._end(told["requestId"])

    def _on_loading_failed(self, told: dict[str, Any]) -> None:
        if told["requestId"] in self._last:
            self._last[told["requestId"]] |= {"ended": told["timestamp"], "error": told["errorText"]}
            self.open.discard(told["requestId"])

    def _end(self, request: str) -> None:
        self.open.discard(request)
        if self._last[request]["kind"] != "media":
            self._done.append(request)

    def _on_web_socket_created(self, told: dict[str, Any]) -> None:
        self._last[told["requestId"]] = {"socket": told}

    def _on_web_socket_will_send_handshake_request(self, told: dict[str, Any]) -> None:
        created = self._last[told["requestId"]]["socket"]
        asked = {"url": created["url"], "method": "GET", "headers": told["request"]["headers"]}
        self._add(told["requestId"], {**told, "initiator": created.get("initiator")}, asked, "websocket")
        self._last[told["requestId"]]["messages"] = []

    def _on_web_socket_handshake_response_received(self, told: dict[str, Any]) -> None:
        self._last[told["requestId"]] |= {"response": told["response"], "ended": told["timestamp"]}
        self.open.discard(told["requestId"])

    def _on_web_socket_frame_received(self, told: dict[str, Any]) -> None:
        self._message(told, "receive")

    def _on_web_socket_frame_sent(self, told: dict[str, Any]) -> None:
        self._message(told, "send")

    def _message(self, told: dict[str, Any], kind: str) -> None:
        hop, frame = self._last[told["requestId"]], told["response"]
        time = hop["wall"] + told["timestamp"] - hop["started"]
        hop["messages"].append({"type": kind, "time": time, "opcode": frame["opcode"], "data": frame["payloadData"]})

    def _on_dom_content_event_fired(self, told: dict[str, Any]) -> None:
        self._mark("content", told)

    def _on_load_event_fired(self, told: dict[str, Any]) -> None:
        self._mark("load", told)

    def _mark(self, name: str, told: dict[str, Any]) -> None:
        if self._pages and self._pages[-1]["began"] is not None:
            self._pages[-1][name] = 1000 * (told["timestamp"] - self._pages[-1]["began"])

    # The HAR

    def har(self) -> dict[str, Any]:
        """All that was collected."""
        pages = [
            {
                "startedDateTime": _moment(page["wall"]),
                "id": f"page_{number}",
                "title": page["title"],
                "pageTimings": {"onContentLoad": page["content"], "onLoad": page["load"]},
            }
            for number, page in enumerate(self._pages, 1)
            if page["began"] is not None
        ]
        entries = [self._entry(hop) for hop in self._hops if "ended" in hop and _is_http(hop["request"]["url"])]
        creator = {"name": "WebInspector", "version": "537.36"}
        return {"log": {"version": "1.2", "creator": creator, "pages": pages, "entries": entries}}

    def _entry(self, hop: dict[str, Any]) -> dict[str, Any]:
        response, kind = hop.get("response"), hop["kind"]
        entry: dict[str, Any] = {}
        if response and response.get("connectionId"):
            entry["_connectionId"] = str(int(response["connectionId"]))
        if response and response.get("fromDiskCache"):
            entry["_fromCache"] = "disk"
        entry["_initiator"] = {key: value for key, value in hop["initiator"].items() if key != "requestId"}
        entry["_priority"] = hop["request"].get("initialPriority", "Low")
        entry["_resourceType"] = kind
        if kind == "websocket":
            del entry["_priority"]
            entry["_webSocketMessages"] = hop["messages"]
        timings = _timings(hop)
        entry |= {"cache": {}, "connection": _HTTP_PORT, "pageref": f"page_{max(hop['page'], 1)}"}
        entry["request"] = self._request(hop)
        entry["response"] = self._response(hop)
        entry["serverIPAddress"] = (response or {}).get("remoteIPAddress", "127.0.0.1")
        entry["startedDateTime"] = _moment(hop["wall"])
        entry["time"] = sum(max(value, 0) for name, value in timings.items() if not name.startswith("_"))
        entry["timings"] = timings
        return entry

    def _request(self, hop: dict[str, Any]) -> dict[str, Any]:
        asked = hop["request"]
        extra = self._sent[hop["id"]][hop["number"] :][:1]
        headers = extra[0]["headers"] if extra else asked["headers"]
        sent = [each["cookie"] for each in extra[0]["associatedCookies"] if not each["blockedReasons"]] if extra else []
        found = {
            "method": asked["method"],
            "url": asked["url"] + asked.get("urlFragment", ""),
            "httpVersion": "HTTP/1.1",
            "headers": _headers(headers),
            "queryString": _query(asked["url"]),
            "cookies": [_cookie(cookie) for cookie in sent],
            "headersSize": sum(len(name) + len(value) + 4 for name, value in headers.items()) + 2,
            "bodySize": len(asked.get("postData", "").encode()),
        }
        if "postData" in asked:
            mime = next((value for name, value in headers.items() if name.lower() == "content-type"), "")
            found["postData"] = {"mimeType": mime, "text": asked["postData"]}
        return found

    def _response(self, hop: dict[str, Any]) -> dict[str, Any]:
        response = hop.get("response") or {"status": 0, "statusText": "", "headers": {}, "mimeType": "x-unknown"}
        extra = self._received[hop["id"]][hop["number"] :][:1]
        headers = extra[0]["headers"] if extra else response["headers"]
        head_size = sum(len(name) + len(value) + 4 for name, value in headers.items()) + 19
        transfer = int(hop.get("transfer", response.get("encodedDataLength", 0)))
        status = extra[0]["statusCode"] if extra else response["status"]
        return {
            "status": status,
            "statusText": response["statusText"],
            "httpVersion": "HTTP/1.1" if status else "",
            "headers": _headers(headers),
            "cookies": _set_cookies(headers),
            "content": self._content(hop, response, transfer - head_size),
            "redirectURL": hop.get("location", ""),
            "headersSize": head_size if status else -1,
            "bodySize": max(transfer - head_size, 0) if status else -1,
            "_transferSize": transfer,
            "_error": hop.get("error"),
            "_fetchedViaServiceWorker": False,
        }

    def _content(self, hop: dict[str, Any], response: dict[str, Any], body_size: int) -> dict[str, Any]:
        content = {"size": hop["length"], "mimeType": response.get("mimeType", "x-unknown")}
        if hop["length"] and body_size > 0:
            content["compression"] = hop["length"] - body_size
        # Of redirects only the last answer has a body.
        if hop is self._last[hop["id"]] and hop["id"] in self._bodies:
            text, base64 = self._bodies[hop["id"]]
            content["text"] = text
            if base64:
                content["encoding"] = "base64"
        return content


def _is_http(url: str) -> bool:
    """Whether DevTools exports requests of this URL: not those of ``data:`` and ``blob:``."""
    return url.startswith(("http:", "https:", "ws:", "wss:"))


def _moment(wall: float) -> str:
    return datetime.fromtimestamp(wall, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _headers(headers: dict[str, str]) -> list[dict[str, str]]:
    """One for each line; several lines of one name come joined with line feeds."""
    return [{"name": name, "value": line} for name, value in headers.items() for line in value.split("\n")]


def _query(url: str) -> list[dict[str, str]]:
    """Names and values as they stand in the URL: DevTools resolves no escapes."""
    pairs = [part.partition("=") for part in urlsplit(url).query.split("&") if part]
    return [{"name": name, "value": value} for name, _, value in pairs]


def _cookie(cookie: dict[str, Any]) -> dict[str, Any]:
    lasting = cookie.get("expires", -1) > 0
    found = {name: cookie[name] for name in ("name", "value", "path", "domain")}
    found["expires"] = _moment(cookie["expires"]) if lasting else "1969-12-31T23:59:59.000Z"
    return found | {"httpOnly": cookie["httpOnly"], "secure": cookie["secure"]}


def _set_cookies(headers: dict[str, str]) -> list[dict[str, Any]]:
    lines = [value for name, value in headers.items() if name.lower() == "set-cookie"]
    found = []
    for line in "\n".join(lines).split("\n"):
        try:
            jar = SimpleCookie(line)
        except CookieError:
            continue
        for name, morsel in jar.items():
            cookie = {"name": name, "value": morsel.value, "path": morsel["path"], "domain": morsel["domain"]}
            cookie |= {"expires": None, "httpOnly": bool(morsel["httponly"]), "secure": bool(morsel["secure"])}
            found.append(cookie)
    return found


def _timings(hop: dict[str, Any]) -> dict[str, float]:
    """Milliseconds of each phase; -1 for one that there was not."""
    timing, ended = (hop.get("response") or {}).get("timing"), hop.get("ended", hop["started"])
    names = ("blocked", "dns", "ssl", "connect", "send", "wait", "receive")
    if timing is None:
        return dict.fromkeys(names, -1.0) | {"blocked": 1000 * (ended - hop["started"]), "send": 0, "wait": 0}
    begun = next((timing[name] for name in ("dnsStart", "connectStart", "sendStart") if timing[name] >= 0), 0)
    queued = max(1000 * (timing["requestTime"] - hop["started"]), 0)
    spans = {name: _span(timing, name) for name in ("dns", "ssl", "connect")}
    headers = timing["receiveHeadersEnd"]
    return {
        "blocked": queued + begun,
        **spans,
        "send": timing["sendEnd"] - timing["sendStart"],
        "wait": headers - timing["sendEnd"],
        "receive": max(1000 * (ended - timing["requestTime"]) - headers, 0),
        "_blocked_queueing": queued,
        "_workerStart": -1,
        "_workerReady": -1,
        "_workerFetchStart": -1,
        "_workerRespondWithSettled": -1,
    }


def _span(timing: dict[str, float], name: str) -> float:
    start, end = timing[f"{name}Start"], timing[f"{name}End"]
    return end - start if start >= 0 else -1.0

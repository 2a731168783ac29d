"""From a recording by Chromium to what other exports would have of it.

Firefox's own exports are in ``recordings/*.firefox.har.gz``. Safari runs on no machine of ours: `as_safari` writes what
its Web Inspector writes (WebKit's ``HARBuilder.js``).
"""

import copy
from datetime import UTC, datetime, timedelta
from typing import Any

_SENSITIVE = {"authorization", "cookie", "set-cookie"}
_SAFARI_PRIORITY = {"VeryLow": "low", "Low": "low", "Medium": "medium", "High": "high", "VeryHigh": "high"}


def as_sanitized(har: dict[str, Any]) -> dict[str, Any]:
    """What DevTools exports if not asked for more, since Chrome 130: no cookies, and no Authorization.

    Args:
        har: a recording by Chromium; it stays as it is.
    """
    har = copy.deepcopy(har)
    for entry in har["log"]["entries"]:
        for side in (entry["request"], entry["response"]):
            side["headers"] = [each for each in side["headers"] if each["name"].lower() not in _SENSITIVE]
            side["cookies"] = []
    return har


def as_documented(har: dict[str, Any]) -> dict[str, Any]:
    """What the steps of docs/site-adapters.md give: each page is opened, reloaded, and only then its player started.

    Args:
        har: a recording by Chromium, in which each page is opened once; it stays as it is.
    """
    log = copy.deepcopy(har["log"])
    pages, entries, later = [], [], timedelta()
    for page in log["pages"]:
        own = [entry for entry in log["entries"] if entry["pageref"] == page["id"]]
        times = [datetime.fromisoformat(entry["startedDateTime"]) for entry in own]
        opened = [entry for entry in own if not _is_played(entry)]
        first = {**page, "id": f"{page['id']} before"}
        lasts = max(times, default=datetime.now(UTC)) - min(times, default=datetime.now(UTC)) + timedelta(seconds=2)
        entries += [_moved(entry, first["id"], later) for entry in opened]
        entries += [_moved(entry, page["id"], later + lasts) for entry in own]
        later += lasts
        pages += [first, page]
    return {"log": {**log, "pages": pages, "entries": entries}}


def _moved(entry: dict[str, Any], page: str, later: timedelta) -> dict[str, Any]:
    started = datetime.fromisoformat(entry["startedDateTime"]) + later
    return {**copy.deepcopy(entry), "pageref": page, "startedDateTime": started.isoformat()}


def _is_played(entry: dict[str, Any]) -> bool:
    mime = entry["response"]["content"]["mimeType"]
    is_manifest = "mpegurl" in mime or ".mpd" in entry["request"]["url"]
    return is_manifest or entry["_resourceType"] == "media" or mime.startswith(("audio/", "video/"))


def as_safari(har: dict[str, Any]) -> dict[str, Any]:
    """What Safari's Web Inspector exports of the same requests, with "Preserve Log" on.

    It knows one page, which has the URL of the last document. It tells no kind of a resource, no initiator and no
    WebSocket. A media type has no parameters, a cookie of a request no path, and an empty body no text.

    Args:
        har: a recording by Chromium; it stays as it is.
    """
    log = copy.deepcopy(har["log"])
    page = {**log["pages"][-1], "id": "page_0"}
    entries = [_safari_entry(entry) for entry in log["entries"] if entry["_resourceType"] != "websocket"]
    creator = {"name": "WebKit Web Inspector", "version": "1.0"}
    return {"log": {"version": "1.2", "creator": creator, "pages": [page], "entries": entries}}


def _safari_entry(entry: dict[str, Any]) -> dict[str, Any]:
    request, response = entry["request"], entry["response"]
    request["cookies"] = [{"name": each["name"], "value": each["value"]} for each in request["cookies"]]
    if "postData" in request:
        request["postData"]["params"] = []
    content = response["content"]
    content["mimeType"] = content["mimeType"].partition(";")[0]
    content.setdefault("compression", 0)
    if not content.get("text"):
        content.pop("text", None)
    response.pop("_fetchedViaServiceWorker", None)
    if response["_error"] is None:
        del response["_error"]
    kept = {name: entry[name] for name in ("startedDateTime", "time", "request", "response", "cache")}
    timings = {name: value for name, value in entry["timings"].items() if not name.startswith("_")}
    return {
        "pageref": "page_0",
        **kept,
        "timings": timings,
        "serverIPAddress": entry["serverIPAddress"],
        "_serverPort": 80,
        "connection": entry.get("_connectionId", "1"),
        "_fetchType": "Network Load",
        "_priority": _SAFARI_PRIORITY.get(entry["_priority"], "low"),
    }

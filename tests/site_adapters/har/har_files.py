"""Recordings as each program writes them: the fields, their order and their oddities."""

import base64
import io
import json
from datetime import UTC, datetime
from urllib.parse import parse_qsl

from mediacrawl.site_adapters.har.reading import read_recording

START = 1_760_000_000.0
HTML = "text/html"


def at(seconds):
    return datetime.fromtimestamp(START + seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def pairs(headers):
    return [{"name": name, "value": value} for name, value in headers.items()]


def body_as(body, mime):
    """The fields of a body as Chrome writes it."""
    if body is None:
        return {}
    if isinstance(body, bytes):
        return {"text": base64.b64encode(body).decode(), "encoding": "base64"}
    return {"text": body}


class Har:
    """A recording of one program, made entry by entry; a second passes between two of them."""

    def __init__(self, creator="WebInspector", version="537.36"):
        self.creator = {"name": creator, "version": version}
        self.pages = []
        self.entries = []
        self.pageref = None

    def page(self, title, page_id=None):
        self.pageref = page_id or f"page_{len(self.pages) + 1}"
        self.pages.append(
            {
                "startedDateTime": at(len(self.entries)),
                "id": self.pageref,
                "title": title,
                "pageTimings": {"onContentLoad": 120.5, "onLoad": -1},
            }
        )
        return self

    def add(
        self, url, body="", mime="application/json", *, method="GET", status=200, headers=None, kind=None, answer=None,
        redirect="", referer=None, post=None, started=None, content=None, pageref=True, **extra
    ):  # fmt: skip
        headers = dict(headers or {})
        if referer is not None:
            headers["Referer"] = referer
        size = len(body if isinstance(body, bytes) else (body or "").encode())
        request = {
            "method": method,
            "url": url,
            "httpVersion": "http/2.0",
            "headers": pairs(headers),
            "queryString": pairs(dict(parse_qsl(url.partition("?")[2]))),
            "cookies": extra.pop("cookies", []),
            "headersSize": -1,
            "bodySize": len(post or ""),
        }
        if post is not None:
            request["postData"] = {"mimeType": headers.get("Content-Type", ""), "text": post}
        entry = {
            "startedDateTime": at(len(self.entries) if started is None else started),
            "time": 12.5,
            "request": request,
            "response": {
                "status": status,
                "statusText": "",
                "httpVersion": "http/2.0",
                "headers": pairs(answer or {}),
                "cookies": extra.pop("set_cookies", []),
                "content": content or {"size": size, "mimeType": mime, **body_as(body, mime)},
                "redirectURL": redirect,
                "headersSize": -1,
                "bodySize": -1,
                "_transferSize": size,
                "_error": None,
            },
            "cache": {},
            "timings": {"blocked": 1, "dns": -1, "ssl": -1, "connect": -1, "send": 0, "wait": 5, "receive": 1},
            **({"_resourceType": kind, "_initiator": {"type": "script", "stack": {"callFrames": []}}} if kind else {}),
            **extra,
        }
        if self.pageref and pageref:
            entry["pageref"] = self.pageref
        self.entries.append(entry)
        return self

    def document(self, url, body="<title>T</title>", **options):
        """A document that a browser opens: Fetch Metadata says so."""
        headers = {"Accept": "text/html,*/*;q=0.8", "Sec-Fetch-Dest": "document", **options.pop("headers", {})}
        return self.add(url, body, HTML, headers=headers, **options)

    def plain_document(self, url, body="<title>T</title>", **options):
        """A document that an old browser opens, or one over HTTP: nothing says what it is for."""
        return self.add(url, body, HTML, headers={"Accept": "text/html,*/*;q=0.8"}, **options)

    def value(self):
        return {"log": {"version": "1.2", "creator": self.creator, "pages": self.pages, "entries": self.entries}}

    def data(self, **options):
        return json.dumps(self.value(), **options).encode()

    def read(self):
        return read_recording(io.BytesIO(self.data()), "test.har")


def outline(recording):
    """Each page's URL with the URLs of its entries."""
    return [(page.url, [entry.url for entry in page.entries]) for page in recording.pages]


def bodies(recording):
    return [entry.body for page in recording.pages for entry in page.entries]

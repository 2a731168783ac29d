"""Recordings made by hand, for tests of the learner."""

import json
import re
from html import unescape

from mediacrawl.site_adapters.engine import Miss, data_request, page_slots, read_answer
from mediacrawl.site_adapters.har.recording import Entry, RecordedPage, Recording
from mediacrawl.site_adapters.learn.learning import adapter_of

STARTED = 1_795_682_000.0
"""When the first request was made."""


def entry(url, body=None, mime="application/json", **more):
    """One request with its answer; `body` may be anything that becomes JSON."""
    text = body if body is None or isinstance(body, str) else json.dumps(body)
    known = {
        "index": 0,
        "method": "GET",
        "url": url,
        "started": STARTED,
        "status": 200,
        "request_headers": {},
        "post": False,
        "mime": mime,
        "body": text,
        "is_media": False,
        "redirect": "",
    }
    return Entry(**(known | more))


def media(url, **more):
    """The request for a media file."""
    kind = "audio/mpeg" if ".mp3" in url else "video/mp4"
    return entry(url, **{"mime": kind, "is_media": True, "status": 206, **more})


def page(url, *entries, html="<p>nothing</p>", title=""):
    """A page with its requests, which were made one second after the other."""
    document = entry(url, html, "text/html")
    named = re.search(r"<title>(.*?)</title>", html)
    title = title or (unescape(named[1]) if named else "")
    made = [document, *entries]
    return RecordedPage(url, html, title, made)


def recording(*pages, name="hand.har"):
    """A recording of these pages; numbers its entries, and sets the time of those that have none of their own."""
    number = 0
    for each in pages:
        for one in each.entries:
            one.index = number
            if one.started == STARTED:
                one.started = STARTED + number
            number += 1
    return Recording(name, "chrome", list(pages))


def names(learned):
    """The names of the refusals."""
    return [each.name for each in learned.refusals]


def applied(written, url, answers, html=""):
    """URLs of the media that an adapter finds on another page, and the URLs that it requests.

    Args:
        written: the content of the adapter's file.
        url: of the page.
        answers: URL -> body of each answer, as text or as what becomes JSON.
        html: of the page.
    """
    adapter = adapter_of(written)
    slots = adapter.match(url)
    assert slots is not None, f"{url} does not match"
    if adapter.fetches_page:
        slots = page_slots(adapter, slots, html.encode(), url, "text/html; charset=utf-8")
    asked, answer = [], None
    for step in range(1, len(adapter.requests) + 1):
        request = data_request(adapter, step, slots)
        asked.append(request.url)
        body = answers.get(request.url)
        if body is None:
            raise Miss(f"answer {step}", f"nothing is at {request.url}")
        text = body if isinstance(body, str) else json.dumps(body)
        answer = read_answer(adapter, step, slots, text.encode(), request.url, content_type="text/plain; charset=utf-8")
        slots = dict(answer.slots)
    return [url for record in answer.records for url in record.media], asked

"""All that reads a stranger's text, and how each is tried with texts that grow."""

from dataclasses import asdict
from datetime import date

from fuzz_growth import check_growth
from fuzz_tags import FILES
from fuzz_texts import HEADERS, JSON, LISTS, PAGES, ROBOTS, TEXTS, URLS
from probe_media import run

from mediacrawl.base.content_type import claim_of, header_charset
from mediacrawl.base.facts import pack
from mediacrawl.base.terms import Candidate, Evidence, Kind
from mediacrawl.base.times import moment, seconds
from mediacrawl.encoding import detect, repair
from mediacrawl.extract import Fingerprint, decode, parse_list, parse_page
from mediacrawl.extract.links import link_header
from mediacrawl.extract.texts import whole, yes_or_no
from mediacrawl.frontier.redis.start_urls import read_entry
from mediacrawl.politeness.caching import lifetime
from mediacrawl.politeness.delay import asked_to_wait
from mediacrawl.politeness.robots import RobotsRules, directives_of, is_html
from mediacrawl.priority import Scores, link_class
from mediacrawl.priority.links import places
from mediacrawl.probe import sniff
from mediacrawl.probe.multipart import read_content_range, read_parts
from mediacrawl.programs.rerun import json_lines
from mediacrawl.programs.rerun.csv_rows import delimiter_of
from mediacrawl.reading.response import recognize
from mediacrawl.record import Fixer, build_item
from mediacrawl.scope import Base, Scope, canonical, spelling
from mediacrawl.scope.candidates import candidate, parse_seeds

URL = "https://www.station.example/shows/page.html"
RULE = b"User-agent: *\nDisallow: /%s\n"
SCOPE = Scope(today=lambda: date(2026, 10, 2))


# -- readers -----------------------------------------------------------------------------------------------------------


def read_page(body):
    """What `spiders.reader` does with a page, without a frontier."""
    page = parse_page(body, URL)
    Fingerprint.of(page, [link.href for link in page.links if link.via != "a"]).shape  # noqa: B018 - it is made now
    if page.is_directory:
        page.leave_steering()
    directives_of(page.robots, "mediacrawl")
    if page.base:
        base = Base(page.base, charset=page.charset)
        for facts in page.facts_by_url(base.canonical).values():
            pack(facts)
    accepted, _ = SCOPE.sift(page.base, [link.href for link in page.links], charset=page.charset)
    for place, url in accepted:
        link = page.links[place]
        page.anchor(link), page.path(link), page.nofollow(link), page.media_type(link), page.file_facts(link)
        places(Candidate(url.key, "station.example", parent=URL))


def list_reader(form):
    def read(body):
        for label in ("text/xml", "text/html", ""):
            recognize(Kind.PAGE, "a", URL, {"Content-Type": label, "Content-Disposition": ""}.get, body)
        return parse_list(form, body, URL)

    return read


def read_robots(body):
    rules = RobotsRules.parse(body, "mediacrawl")
    is_html("", body)
    rules.allowed(URL), rules.allowed(f"https://a.example/{'a' * 2_000}")
    # What it says of us is kept, and read again.
    RobotsRules.parse(rules.group_text.encode(), "mediacrawl", most=len(rules.group_text))


def read_header(raw):
    """All that reads a header; of an answer that has it several times too."""
    text = raw.decode("latin-1")
    link_header([text, text], "canonical"), directives_of([text, text], "mediacrawl"), claim_of(text)
    (
        read_content_range(text),
        list(read_parts(text, raw)),
        decode(b"", "html", URL, header_charset(text)),
        canonical(text),
        Base(URL).resolve(text),
    )
    asked_to_wait(503, [text, text], 0.0, text), lifetime(text, text, text, text, 0.0)
    moment(text), seconds(text), whole(text), yes_or_no(text)


def read_url(raw):
    text = raw.decode("utf-8", "replace")
    for base in (URL, f"https://a.example/{'a/' * 900}?a=b"):
        Base(base, text), Base(base).resolve(text)
    spelling(text, "shift_jis"), SCOPE.sift(URL, [text])
    RobotsRules.parse(RULE % raw.split(b"\n")[0], "mediacrawl").allowed(f"https://a.example/{text}")
    found = canonical(text)
    if found is not None and len(found) <= 20_000:
        link_class(found), candidate(found, Evidence(), Scores()), SCOPE.check(found)


def read_seeds(raw):
    parse_seeds(raw, "seeds.txt")


def read_text(raw):
    detect([raw]), repair([raw.decode("utf-8", "replace")]), sniff(raw)


def read_json_line(raw):
    read_entry(raw), json_lines.parse(raw), delimiter_of(raw, raw.splitlines(keepends=True))
    # A line that is not UTF-8 is read in an encoding of its own.
    json_lines.parsed_line(b"\xe9" + raw, 1, 0)


def read_tags(data):
    """What a crawl does with a media file: its tags are found, and then decided."""
    probe = run(data, restart=False).probe
    item = build_item(probe.result(), probe, url="http://a.example/a.mp3")
    Fixer().fix(asdict(item))


READERS = {
    "page": (read_page, PAGES),
    **{form: (list_reader(form), families) for form, families in LISTS.items()},
    "robots": (read_robots, ROBOTS),
    "header": (read_header, HEADERS),
    "url": (read_url, URLS),
    "seeds": (read_seeds, URLS),
    "text": (read_text, TEXTS),
    "tags": (read_tags, FILES),
    "json": (read_json_line, JSON),
}
"""What reads, and what it is given."""
BOUNDED = {"one link with many attributes", "one link with many quoted brackets", "a player with many attributes"}
"""For a tag of few thousand attributes libxml2 is not linear: a sixth of a second at most, for then `charset.shorten`
ends it. `test_page_cost` has these."""
PARTS = 8
_LONG = 128 * 1024
_LARGEST = {"json": 1024 * 1024, **dict.fromkeys(("page", "header", "url", "seeds"), 64 * 1024)}
"""Bytes of the largest input of some readers: as large as a HAR, and no larger than a line of a header. Pages have the
most families, and what grows too fast is seen at 64 KB."""


def grow(reader, families, largest):
    """Tries families; all that fail are told at once."""
    read, failed = READERS[reader][0], []
    for family in families:
        if family.name in BOUNDED:
            continue
        try:
            check_growth(read, family.make, family.least, largest)
        except Exception as error:
            failed.append(f"{family.name}: {type(error).__name__}: {error}")
    assert not failed, "\n".join(failed)


def grow_part(reader, part):
    """Tries one of so many families, `PARTS` in all, with the largest inputs."""
    grow(reader, READERS[reader][1][part::PARTS], _LARGEST.get(reader, _LONG))

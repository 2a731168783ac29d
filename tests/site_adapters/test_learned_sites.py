"""The player sites: learned from recordings of browsers, and right on all pages that were not recorded.

Some sites were made after the learner, by someone who had not read it. What the first run gave of them: of 25 that can
be learned 19 gave an adapter, and 17 adapters found all media on ten other pages.
"""

import io
import json
from functools import cache

import pytest
from player_sites import SITES, read_har
from player_sites.applying import records_of
from player_sites.flavours import as_documented, as_safari, as_sanitized

from mediacrawl.politeness.robots import RobotsRules
from mediacrawl.site_adapters.har.reading import read_recording
from mediacrawl.site_adapters.learn.learning import adapter_of, learn

NOT_LEARNED = {
    # Folders named by the first letters of an id, or by two signs of it.
    "arkhiv": "unexplained",
    "lugnet": "unexplained",
    # The medium is the first of a queue, which another page may have in another order.
    "xiangsheng": "ambiguous",
    # The medium is in the second item of a list of two, which another page may have in another order.
    "biblioteka": "not_found",
    # Its header Accept has a key, which no script of the site has.
    "brightly": "login",
    # Which of two hosts has a medium cannot be told from two pages.
    "fernrohr": "unexplained",
    # Its pages were opened by a script, in one document.
    "singular": "ambiguous",
    # The recordings do not show that the answer does not need the parameter.
    "samtykke": "unexplained",
}
"""Sites that a person would learn, and how they are refused."""
LEARNED = {name: site for name, site in SITES.items() if site.learnable and name not in NOT_LEARNED}
REFUSED = NOT_LEARNED | {name: site.refused_as for name, site in SITES.items() if not site.learnable}
EVERY = pytest.mark.parametrize("name", SITES)


def allows(text, url):
    return bool(RobotsRules.parse(text.encode(), "mediacrawl").allowed(url))


def of_files(paths):
    return learn([read_recording(path, path.name) for path in paths], allows=allows)


@cache
def learned(name):
    return of_files(SITES[name].recordings())


def faults(site, written):
    """Held-out pages on which an adapter finds something else than what the site says is true."""
    adapter = adapter_of(written)
    found = []
    for page in site.held_out[:10]:
        media = [set(record.media) for record in records_of(adapter, page, site.get)]
        truth = [set(record.media) for record in site.pages[page]]
        if len(media) != len(truth) or not all(own and own <= true for own, true in zip(media, truth, strict=True)):
            found.append((page, media, truth))
    return found


def judge(name, found, refused_as=""):
    """Assert that what was learned of a site is right, or refused by the right name."""
    if name in LEARNED:
        assert found.adapter is not None, found.refusals
        assert faults(SITES[name], found.adapter) == []
    else:
        assert found.adapter is None
        assert found.refusals[0].name == (refused_as or REFUSED[name]), found.refusals


def test_most_sites_can_be_learned():
    assert len(LEARNED) >= 0.8 * sum(site.learnable for site in SITES.values())


@EVERY
def test_a_site_is_learned_and_right_on_ten_pages_that_were_not_recorded_or_refused_by_name(name):
    judge(name, learned(name))
    assert bool(learned(name).steps) == (name in LEARNED)


@pytest.mark.parametrize("name", [name for name, site in SITES.items() if site.recordings("firefox")])
def test_recordings_of_firefox_are_learned_from_too(name):
    judge(name, of_files(SITES[name].recordings("firefox")))


def changed(name, change):
    """What is learned of a site's recordings in another shape."""
    files = [io.BytesIO(json.dumps(change(read_har(path))).encode()) for path in SITES[name].recordings()]
    return learn([read_recording(file, name) for file in files], allows=allows)


@pytest.mark.parametrize("name", [name for name, site in SITES.items() if not site.unseen])
def test_recordings_without_cookies_and_authorization_are_learned_from_too(name):
    judge(name, changed(name, as_sanitized))


@EVERY
def test_recordings_made_as_documented_are_learned_from(name):
    judge(name, changed(name, as_documented))


@EVERY
def test_recordings_of_one_tab_made_as_documented_are_learned_from(name):
    # Safari, which gives a tab one page, does not record WebSockets.
    refused = "not_found" if SITES[name].refused_as == "websocket" else ""
    judge(name, changed(name, lambda har: as_safari(as_documented(har))), refused)


def test_facts_are_those_of_the_site():
    found, known = 0, 0
    for name, site in LEARNED.items():
        adapter = adapter_of(learned(name).adapter)
        for page in site.held_out[:3]:
            for record, truth in zip(records_of(adapter, page, site.get), site.pages[page], strict=True):
                assert record.title in {truth.title, ""}
                assert record.thumbnail in {truth.thumbnail, ""}
                assert not record.duration or not truth.duration or abs(float(record.duration) - truth.duration) < 1
                wanted = [each for each in ("title", "duration", "date", "thumbnail") if getattr(truth, each)]
                known += len(wanted)
                found += sum(bool(getattr(record, each)) for each in wanted)
    assert found >= 0.9 * known


@pytest.mark.parametrize("name", [name for name in LEARNED if len(SITES[name].recordings()) == 1])
def test_one_recorded_page_gives_no_adapter(name):
    site, (path,) = SITES[name], SITES[name].recordings()
    recording = read_recording(path, path.name)
    first = list(site.pages)[site.recorded[0][0]]
    recording.pages = [page for page in recording.pages if page.url == first]
    found = learn([recording], allows=allows)
    assert (found.adapter, [each.name for each in found.refusals]) == (None, ["one_page"])


@pytest.mark.parametrize("name", ["eiga", "kinosaal", "adverts"])
def test_a_recording_that_lacks_a_request_gives_no_wrong_adapter(name):
    (path,) = SITES[name].recordings()
    lengths = [len(page.entries) for page in read_recording(path, path.name).pages]
    for number, place in ((number, place) for number, length in enumerate(lengths) for place in range(1, length)):
        recording = read_recording(path, path.name)
        del recording.pages[number].entries[place]
        found = learn([recording], allows=allows)
        assert found.adapter is None or faults(SITES[name], found.adapter) == []

"""Names of errors as people say them, and numbers with their nouns."""

import errno

import pytest
from OpenSSL import SSL
from scrapy import exceptions

from mediacrawl.base.format import counted_in_words, in_words, plural, reason_of
from mediacrawl.watch.report import CrawlFacts, summary


@pytest.mark.parametrize(
    "name", [name for name in dir(exceptions) if name.startswith("Download")] + ["UnknownKindError"]
)
def test_no_name_of_an_exception_is_left_in_what_people_read(name):
    said = in_words(name)
    assert said == said.lower()
    assert "error" not in said


def test_what_is_no_name_stays():
    assert [in_words(said) for said in ("", "404", "no answer", "timeout")] == ["", "404", "no answer", "timeout"]


def test_names_that_mean_the_same_are_counted_together():
    failures = {"DownloadTimeoutError": 2, "TCPTimedOutError": 1, "410": 3}
    assert counted_in_words(failures) == {"timeout": 3, "410": 3}
    reset = {f"connection reset after {size}": 1 for size in ("3.0 KB", "812 B", "3.1 KB")}
    assert counted_in_words({**reset, "connection reset": 2}) == {"connection reset": 5}
    assert "timeout 3, 410 1" in summary(CrawlFacts(failures={**failures, "410": 1}))


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (ConnectionResetError(errno.ECONNRESET, "as written by a loop"), "connection reset"),
        (ConnectionRefusedError(errno.ECONNREFUSED, "Connect call failed ('127.0.0.1', 9)"), "connection refused"),
        (OSError(errno.EHOSTUNREACH, ""), "no route to host"),
        (OSError("without a number"), "os"),
        (SSL.Error([("SSL routines", "", "wrong version number")]), "TLS failed: wrong version number"),
        (SSL.Error(), "TLS failed"),
        (KeyError([["words of a stranger"]]), "key"),
    ],
)
def test_a_reason_is_in_words_of_ours(error, reason):
    assert reason_of(error) == reason


@pytest.mark.parametrize(
    ("number", "noun", "verb", "said"),
    [
        (1, "seed", "", "1 seed"),
        (0, "seed", "", "0 seeds"),
        (1_200, "link class", "", "1,200 link classes"),
        (1, "URL", "waits", "1 URL waits"),
        (2, "URL that waited", "was", "2 URLs that waited were"),
        (2, "", "rests", "2 rest"),
    ],
)
def test_a_noun_and_its_verb_go_with_their_number(number, noun, verb, said):
    assert plural(number, noun, verb) == said

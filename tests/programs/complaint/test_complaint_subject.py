"""What people write in mails is understood, or refused with a sentence."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.programs.complaint import ComplaintError, subject_of

SITES = {
    "example.org": "example.org",
    " WWW.Example.ORG. ": "example.org",
    "https://www.example.org:8443/a?b=c#d": "example.org",
    "www.example.org/a/b": "example.org",
    "www.example.org:8080": "example.org",
    "*.example.org": "example.org",
    "webmaster@example.org": "example.org",
    "blog.github.io": "blog.github.io",
    "münchen.example": "xn--mnchen-3ya.example",
    "192.0.2.7": "192.0.2.7",
    "http://[2001:DB8::1]:8000/": "2001:db8::/64",
    "[2001:db8::1]:8000": "2001:db8::/64",
    "2001:db8::1": "2001:db8::/64",
    "localhost:8000": "localhost",
}


@pytest.mark.parametrize("written", SITES)
def test_a_domain_a_host_and_a_url_mean_their_site(written):
    assert subject_of(written).site == SITES[written]


@pytest.mark.parametrize("written", ["not a domain", "http://", "a..b", "ftp://a.example/", "", "[", "%"])
def test_what_is_no_domain_is_refused_in_one_sentence(written):
    with pytest.raises(ComplaintError, match=r"is no domain, host or URL; write it as example\.org\.$"):
        subject_of(written)


def test_the_host_alone_covers_its_urls_only():
    subject = subject_of("https://www.example.org/x", only_host=True)
    assert subject.covers("https://www.example.org/y")
    assert not subject.covers("https://media.example.org/y")
    narrow = subject_of("example.org", prefix="https://EXAMPLE.org:443/a")
    assert narrow.covers("https://example.org/about")
    assert not narrow.covers("https://example.org/b")


@given(st.text(max_size=60))
def test_whatever_is_written_gives_a_site_or_one_sentence(written):
    try:
        answer = subject_of(written).site
    except ComplaintError as error:
        answer = str(error).partition(" is no domain")[2]
    assert " " not in answer or answer.endswith("write it as example.org.")
    assert answer

"""The contact in the User-Agent."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.politeness.identity import agent_problem, contact_problem, leads_nowhere
from mediacrawl.settings import MEDIACRAWL_CONTACT


@pytest.mark.parametrize(
    "contact",
    ["https://crawler.uni-graz.at/bot", "http://93.184.215.14/bot.html", "bot@uni-graz.at", "mailto:bot+c@uni-graz.at",
     "https://[2a00:1450:4001::1]/bot", "https://xn--knstler-n2a.at/bot?lang=de#who"],
)  # fmt: skip
def test_a_page_or_a_mail_address_is_a_contact(contact):
    assert contact_problem(contact) is None
    assert not leads_nowhere(contact)


@pytest.mark.parametrize(
    ("contact", "words"),
    [
        ("", "empty"),
        (" ", "empty"),
        ("me", "neither"),
        ("uni-graz.at/bot", "neither"),
        ("https://", "neither"),
        ("https:///bot", "neither"),
        ("https://[/bot", "neither"),
        ("https://.../", "neither"),
        ("ftp://uni-graz.at/bot", "neither"),
        ("javascript:alert@home", "neither"),
        ("@uni-graz.at", "neither"),
        ("bot@", "neither"),
        ("bot@uni-graz.at\r\nX-Other: 1", "line feed"),
        ("https://uni-graz.at/\x00", "line feed"),
        ("https://künstler.at/", "ASCII"),
        ("https://uni-graz.at/bot bot@uni-graz.at", "blank"),
        ("https://uni-graz.at/bot)", "bracket"),
        ("https://uni-graz.at/" + "x" * 200, "200 characters"),
    ],
)
def test_what_is_no_contact_is_told(contact, words):
    assert words in contact_problem(contact)


@pytest.mark.parametrize(
    "contact",
    [MEDIACRAWL_CONTACT, "https://example.com/bot", "https://www.example.org/bot", "me@example.net", "http://localhost/",
     "http://LOCALHOST:8000/", "http://localhost./", "root@localhost", "http://127.0.0.1/", "http://[::1]/",
     "http://10.0.0.3/bot", "http://0.0.0.0/", "http://crawler/bot", "me@laptop", "http://nas.local/bot",
     "http://bot.test/", "https://tonspur.example/"],
)  # fmt: skip
def test_a_contact_that_nobody_out_there_can_reach_is_known(contact):
    assert contact_problem(contact) is None
    assert leads_nowhere(contact)


@given(st.text())
def test_no_contact_makes_it_raise(contact):
    if contact_problem(contact) is None:
        assert leads_nowhere(contact) in (True, False)
        assert agent_problem(f"mediacrawl/1 (+{contact})", contact) is None


def test_a_user_agent_must_name_the_contact():
    contact = "https://uni-graz.at/bot"
    assert "{contact}" in agent_problem("Mozilla/5.0", contact)
    assert "header" in agent_problem(f"bot\n {contact}", contact)
    assert "header" in agent_problem(f"höhö {contact}", contact)

"""A DNS server for the tests of the resolver, and the resolver's patience with it."""

import pytest
from dns_server import DnsServer
from looking_up import LONG

from mediacrawl.download import resolver


@pytest.fixture
def server():
    with DnsServer() as server:
        yield server


@pytest.fixture
def patient(monkeypatch):
    """Every answer is waited for; a test in which one does not come says for itself when it is given up."""
    monkeypatch.setattr(resolver, "_TIMEOUTS", (LONG,))
    monkeypatch.setattr(resolver, "_GRACE", LONG)
    monkeypatch.setattr(resolver, "_LOST", LONG)

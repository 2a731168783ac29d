"""The stores that are held to the contract."""

import pytest
from contract_kit import NOW, POLICY, STORES, client_of, opened, server_of


@pytest.fixture(params=STORES)
def make(request, tmp_path):
    """Opens a store, again and again if it is to be the same one."""
    server = server_of(request.param, request)
    if server is not None:
        client_of(server).flushall()
    stores = []

    def make(policy=POLICY, now=NOW):
        stores.append(opened(request.param, tmp_path / "state", policy, now, server))
        return stores[-1]

    yield make
    for store in stores:
        store.close()


@pytest.fixture
def frontier(make):
    """A store with nothing in it."""
    return make()

"""Makes the modules of this folder importable by their names, and inputs of every kind."""

import sys
from pathlib import Path

import pytest

if str(Path(__file__).parent) not in sys.path:
    sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(autouse=True, scope="module")
def blocks():
    """Blocks are small here."""
    from stored_items import small_blocks

    with pytest.MonkeyPatch.context() as patch:
        small_blocks(patch.setattr)
        yield


@pytest.fixture(scope="session")
def lines(tmp_path_factory):
    """A file of JSON lines, enough blocks to be broken off; some lines are none."""
    from stored_items import RECORDS, write_lines

    path = tmp_path_factory.mktemp("stored") / "items.jl"
    write_lines(path, RECORDS)
    return path


@pytest.fixture(scope="session")
def many_lines(tmp_path_factory):
    """Enough of them for several processes."""
    from stored_items import RECORDS, write_lines

    path = tmp_path_factory.mktemp("stored") / "items.jl"
    write_lines(path, 2 * RECORDS)
    return path


@pytest.fixture(scope="session")
def catalogue(tmp_path_factory):
    """A catalogue of our records."""
    from stored_items import ROWS, our_record

    from mediacrawl.store import Catalogue

    path = tmp_path_factory.mktemp("stored") / "media.db"
    with Catalogue(path, clock=lambda: 1_700_000_000.0) as found:
        for number in range(ROWS):
            found.upsert(our_record(number))
    return path


@pytest.fixture
def redis_list(redis_server):
    """Two empty lists: a client, and URLs by key."""
    import redis

    client = redis.Redis.from_url(redis_server)
    client.flushall()
    yield client, lambda key: f"{redis_server}/0?key={key}"
    client.close()

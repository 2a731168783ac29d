"""The helpers of these tests are next to them, and the stores in Redis run on each of its versions."""

import sys
from pathlib import Path

import pytest
from redis_server import AGES

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="module", params=AGES)
def redis_server(request, redis_server):
    """A Redis server at each end of the range of versions."""
    return redis_server if request.param == "newest" else request.getfixturevalue("oldest_redis_server")

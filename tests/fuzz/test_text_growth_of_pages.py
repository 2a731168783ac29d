"""No page takes far more than twice the time for twice the text, whatever it repeats: the long form."""

import pytest
from fuzz_readers import PARTS, grow_part

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("part", range(PARTS))
def test_twice_the_text_takes_about_twice_the_time(part):
    grow_part("page", part)

"""No other text takes far more than twice the time for twice the size, whatever it repeats: the long form."""

import pytest
from fuzz_readers import PARTS, READERS, grow_part
from fuzz_texts import LISTS

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("reader", [each for each in READERS if each != "page" and each not in LISTS])
def test_twice_the_text_takes_about_twice_the_time(reader, part):
    grow_part(reader, part)

"""No reader of a stranger's text raises, or takes far more than twice the time for twice the text.

The long form is in ``test_text_growth_of_lists.py``, ``_of_pages`` and ``_of_texts``, so that they run side by side.
"""

import pytest
from fuzz_readers import READERS, grow
from fuzz_texts import Plain

_OTHERS = 47
"""Of the many families that repeat a plain unit one of so many is tried; the long form tries all."""
_DEAR = {"page": 26, "url": 26, "feed": 10, "text": 6, "header": 2, "robots": 2}
"""Of some readers one special family of so many is tried; `test_page_cost` has the dearest pages."""
_SHORT = 32 * 1024


@pytest.mark.parametrize("reader", READERS)
def test_twice_the_text_takes_about_twice_the_time(reader):
    families = READERS[reader][1]
    special = [family for family in families if not isinstance(family, Plain)]
    others = [family for family in families if isinstance(family, Plain)][::_OTHERS]
    grow(reader, [*special[:: _DEAR.get(reader, 1)], *others], _SHORT)

"""Where the texts in fields of 8 bits end."""

import pytest

from mediacrawl.base.charsets import wide_order
from mediacrawl.probe.text import ended, split, unpadded


@pytest.mark.parametrize(
    "raw", [b"Foo\0Bar", b"A\0B", b"2010\0\0", b"A\tB\tC\t", b"10\0\0\0", b"a\nb\nc\n", b"", b"\0"]
)
def test_8_bit_text_ends_at_its_first_zero(raw):
    assert not wide_order(raw)
    assert unpadded(raw) == raw.rstrip(b"\0")
    if raw != b"A\0B":
        assert ended(raw) == raw.partition(b"\0")[0]


@pytest.mark.parametrize("values", [[b"A", b"B", b"A"], [b"a"] * 9, [b"Foo", b"Bar"]])
def test_a_list_of_values_of_one_letter_is_no_utf16(values):
    assert [value.raw for value in split(b"\0".join(values), "latin-1", 99)] == values

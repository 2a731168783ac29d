"""Shapes of identifiers: each function answers one that makes an identifier of a seed, always the same."""

from base64 import urlsafe_b64encode
from collections.abc import Callable
from hashlib import sha256

Shape = Callable[[str], str]
"""Makes an identifier of a seed."""

# Without those that are easily confused; 32 of them, and 24 letters to begin with.
_LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"


def number(seed: str) -> int:
    """A whole number below 2 ** 128."""
    return int.from_bytes(sha256(seed.encode()).digest()[:16], "big")


def digits(least: int, most: int = 0) -> Shape:
    """Decimal numbers of so many digits, without zeros in front."""

    def make(seed: str) -> str:
        length = least + number(f"{seed} length") % (max(most, least) - least + 1)
        return str(10 ** (length - 1) + number(seed) % (9 * 10 ** (length - 1)))

    return make


def hexes(length: int) -> Shape:
    """Lower-case hexadecimal digits."""
    return lambda seed: sha256(seed.encode()).hexdigest()[:length]


def word(length: int) -> Shape:
    """Letters, digits, hyphens and underscores; it begins and ends with a letter or a digit."""

    def make(seed: str) -> str:
        text = urlsafe_b64encode(sha256(seed.encode()).digest()).decode()[:length]
        first = text[0] if text[0].isalnum() else "q"
        return f"{first}{text[1:-1]}{text[-1] if text[-1].isalnum() else 'X'}"

    return make


def uuid(seed: str) -> str:
    """A UUID of version 4."""
    text = sha256(seed.encode()).hexdigest()
    return f"{text[:8]}-{text[8:12]}-4{text[13:16]}-a{text[17:20]}-{text[20:32]}"


def small(length: int) -> Shape:
    """Lower-case letters and digits; the first is a letter."""

    def make(seed: str) -> str:
        value = number(seed)
        text = "".join(_LETTERS[value >> 5 * place & 31] for place in range(length))
        return _LETTERS[value % 24] + text[1:]

    return make

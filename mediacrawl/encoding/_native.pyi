# The extension of deploy/native. The docstrings of its methods have the arguments; pairs and languages are numbers.

from collections.abc import Callable
from typing import Any, TypeAlias

# All fields of a record, whose ASCII words are evidence of the language; the shifts of the priors
# (`hypotheses.prior_shifts`); groups of pairs, of each of which the cheapest is always priced exactly.
RecordContext: TypeAlias = tuple[list[bytes], bytes | None, tuple[tuple[int, ...], ...]]

# The number of the best hypothesis; its margin over the declared encoding, in twelfths of a nat; whether the last rival
# certainly has another text; the cheapest hypotheses that may have another text, with the margin over each; and if the
# margin over the declared encoding is less than `hypotheses.CLOSE`, the costs of the declared and of the best encoding
# in each language, cheapest first.
Choice: TypeAlias = tuple[int, int, int, list[tuple[int, int]], list[int], list[int]]

class Kernel:
    def __init__(self, spec: dict[str, Any], loader: Callable[..., Any], /) -> None: ...
    # Number (of `hypotheses.hypothesis_names`), prior, and the cost of each piece.
    def weigh(
        self, pieces: list[bytes], of_record: list[int], about: RecordContext, utf8: list[int] | None, may_mix: bool, /
    ) -> list[tuple[int, int, list[int]]]: ...
    def choose(
        self, piece: bytes, about: RecordContext, utf8: int | None, trusted: int, declared: int, /
    ) -> Choice: ...
    # The candidates for a word in a double-byte encoding that lost bytes, see `lost_bytes._grown`.
    def grow(
        self,
        options: list[tuple[tuple[str, int, int, bool], ...]],
        kept: list[int],
        language: int,
        prices: tuple[int, int, int],
        beam: int,
        /,
    ) -> list[tuple[int, str, int, int, int]]: ...
    # None where Python must decode the bytes.
    def double(self, raw: bytes, encoding: int, /) -> int | None: ...
    # The cost of the words beyond ASCII, without the prior.
    def price(self, raw: bytes, pair: int, /) -> int: ...
    # The best pair for a text (-1 for none), its cost, and the cost of what no encoding can write.
    def alphabet(
        self, text: str, toned: str, encodings: tuple[int, ...], tonal: int, only: int, /
    ) -> tuple[int, int, int]: ...

# The extension of deploy/native. The docstrings of its methods have the arguments; pairs and languages are numbers.

from collections.abc import Callable
from typing import Any

from mediacrawl.encoding.native import Choice, RecordContext

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

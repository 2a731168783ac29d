"""A reader of JSON (RFC 8259) that holds a piece of the text only.

A recording has gigabytes, nearly all of it in strings that nobody needs: media as base64. The reader walks over members
and elements one by one. The caller takes a value, a text, or skips it. What is skipped is never held, whatever its
size: strings are passed over by searching their end, brackets by a regular expression in linear time.

Missing and needless commas are accepted, since some tools write them. A text that ends in the middle raises `JsonError`
where it ends; what was read before is right.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import re2

_CHUNK = 1 << 20
"""Bytes that are read at a time."""
_LONGEST_KEY = 1_000
"""Bytes of a key that are held. A longer one reads as an empty key."""
_MOST_MEMBERS = 10_000
"""Members of an object that are told; the rest is passed over. Those of a recording have 30."""
_MOST_BRACKETS = 5_000
"""Lists and objects in a value that is taken as a whole: 1 MB of nothing but brackets would take 25 MB of memory."""
_NESTED = 12
"""Brackets inside brackets that the regular expression passes over at once. An entry of a recording nests to six."""
_FREE_STEPS = 100_000
_BYTES_A_STEP = 100
"""Brackets that are passed over one by one, as it is needed where they nest deeper: so many, and one more for each so
many bytes. A call stack that Chrome records has one for each 200 bytes. Each takes 5 us, so that 500 MB of nothing but
brackets end in 20 s."""


def _skipping() -> Any:
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    inside = rb'[^"{}\[\]]|"(?:[^"\\]|\\.)*"'
    nested = rb"[{\[](?:" + inside + rb")*[}\]]"
    for _ in range(_NESTED - 1):
        nested = rb"[{\[](?:" + inside + rb"|" + nested + rb")*[}\]]"
    return re2.compile(rb"(?s)(?:" + inside + rb"|" + nested + rb")*", options)


_decode = json.JSONDecoder(strict=False).decode
"""It accepts control characters in strings."""

_Match = Callable[..., Any]
# Each of them matches everywhere, and be it nothing.
_skip_flat: _Match = _skipping().match
_skip_string: _Match = re.compile(rb'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL).match
_space: _Match = re.compile(rb"[ \t\r\n]*+").match
_between: _Match = re.compile(rb"[ \t\r\n,]*+").match
_bare: _Match = re.compile(rb'[^ \t\r\n,:"{}\[\]]*+').match

_QUOTE, _BACKSLASH, _COLON = b'"\\:'
_OPENING = frozenset(b"{[")


class JsonError(Exception):
    """The text is no JSON from here on.

    Attributes:
        offset: bytes before the place.
        is_cut: whether the text simply ends here.
    """

    def __init__(self, offset: int, *, is_cut: bool) -> None:
        super().__init__(f"byte {offset}")
        self.offset = offset
        self.is_cut = is_cut


class JsonStream:
    """Walks over JSON. Each value must be taken by one call: `members`, `elements`, `text`, `value` or `skip`.

    Inside `members` and `elements` a value that the caller does not take is skipped.

    Attributes:
        was_long: whether the value that was taken last was longer than its limit.
    """

    def __init__(self, read: Callable[[int], bytes]) -> None:
        """Begin before the first value.

        Args:
            read: gives at most so many bytes of the text, and none at its end.
        """
        self._read = read
        self._data = b""
        # The next byte to look at.
        self._at = 0
        # The first byte to keep, while a value is read as a whole.
        self._pin: int | None = None
        self._most = 0
        self._before = 0
        # Whether a value comes next, which nobody has taken yet.
        self._waiting = True
        # Whether the rest of an array is to be passed over.
        self._is_enough = False
        self._steps = 0
        self.was_long = False

    @property
    def offset(self) -> int:
        """Bytes of the text before the place that the reader has reached."""
        return self._before + self._at

    def members(self) -> Iterator[str]:
        """Yield the key of each member of an object; nothing for another value, which is skipped."""
        if self._peek() != ord("{"):
            self.skip()
            return
        self._at += 1
        self._waiting = False
        for _ in range(_MOST_MEMBERS):
            if self._peek(_between) == ord("}"):
                self._at += 1
                return
            key = self._key()
            self._waiting = True
            yield key
            if self._waiting:
                self.skip()
        self._pass_to_end()

    def elements(self) -> Iterator[None]:
        """Yield once before each element of an array; nothing for another value, which is skipped."""
        if self._peek() != ord("["):
            self.skip()
            return
        self._at += 1
        self._waiting = False
        while self._peek(_between) != ord("]"):
            self._waiting = True
            yield
            if self._is_enough:
                self._is_enough = self._waiting = False
                self._pass_to_end()
                return
            if self._waiting:
                self.skip()
        self._at += 1

    def text(self, most: int) -> str | None:
        """Take a string.

        Args:
            most: bytes that it may have, as it is written. A longer one is never held.

        Returns:
            The string; None if it is longer, or another value.
        """
        if self._peek() != _QUOTE:
            self.skip()
            self.was_long = False
            return None
        found = self._whole(most)
        return found if isinstance(found, str) else None

    def value(self, most: int) -> Any:
        """Take a value of any type, None if it is longer than ``most`` bytes or is no JSON.

        Args:
            most: bytes that it may have, as it is written. One with thousands of lists or objects is too long as well.
        """
        self._peek()
        return self._whole(most)

    def small(self, most: int) -> Any:
        """Take an object at once if it is short, which is ten times as fast as to walk over it.

        Args:
            most: bytes that it may have, as it is written, at most 1 MB.

        Returns:
            A dict; None if the next value is another one, or longer. Then nothing was taken.
        """
        if self._peek() != ord("{"):
            return None
        if len(self._data) - self._at < most:
            self._more(may_end=True)
        start = self._at
        end = _skip_flat(self._data, start + 1, start + most).end()
        if self._data[end : end + 1] != b"}":
            return None
        found = self._loaded(self._data[start : end + 1])
        if found is not None:
            self._at = end + 1
            self._waiting = False
        return found

    def skip_rest(self) -> None:
        """Pass over the element that comes next, and over all others of its array."""
        self._is_enough = True

    def skip(self) -> None:
        """Pass over a value of any size."""
        self._waiting = False
        first = self._peek()
        if first == _QUOTE:
            self._pass_string()
        elif first in _OPENING:
            self._at += 1
            self._pass_to_end()
        elif not self._pass_bare():
            raise JsonError(self.offset, is_cut=False)

    def _whole(self, most: int) -> Any:
        self._pin, self._most = self._at, most
        try:
            self.skip()
            self.was_long = self._pin is None or self._at - self._pin > most
            if self._pin is None or self.was_long:
                return None
            written = self._data[self._pin : self._at]
        finally:
            self._pin = None
        return self._loaded(written)

    def _loaded(self, written: bytes) -> Any:
        if written[0] in _OPENING and written.count(b"{") + written.count(b"[") > _MOST_BRACKETS:
            self.was_long = True
            return None
        text = written.decode("utf-8", "replace")
        if written[0] == _QUOTE and "\\" not in text:
            return text[1:-1]
        try:
            # A number of thousands of digits is a ValueError.
            return _decode(text)
        except (ValueError, RecursionError):
            return None

    def _key(self) -> str:
        if self._data[self._at] != _QUOTE:
            raise JsonError(self.offset, is_cut=False)
        key = self._whole(_LONGEST_KEY)
        if self._peek() != _COLON:
            raise JsonError(self.offset, is_cut=False)
        self._at += 1
        return key if isinstance(key, str) else ""

    def _peek(self, passed: Callable[[bytes, int], Any] = _space) -> int:
        """The next byte that is no space."""
        while True:
            self._at = passed(self._data, self._at).end()
            if self._at < len(self._data):
                return self._data[self._at]
            self._more()

    def _pass_string(self) -> None:
        self._at += 1
        while True:
            # Most strings have no backslash, and base64 is long: the search for a byte is 100 times as fast.
            end = self._data.find(b'"', self._at)
            if end < 0 and self._data.find(b"\\", self._at) < 0:
                end = len(self._data)
            elif end < 0 or (end > self._at and self._data[end - 1] == _BACKSLASH):
                end = _skip_string(self._data, self._at).end()
            self._at = end
            if end < len(self._data) and self._data[end] == _QUOTE:
                self._at += 1
                return
            self._more()

    def _pass_to_end(self) -> None:
        """Pass over the rest of an object or array."""
        depth = 1
        while depth:
            self._at = _skip_flat(self._data, self._at).end()
            if self._at >= len(self._data):
                self._more()
            elif self._data[self._at] == _QUOTE:
                # It goes on in the next chunk.
                self._pass_string()
            else:
                # It nests deeper than the expression goes, or goes on in the next chunk.
                depth += 1 if self._data[self._at] in _OPENING else -1
                self._at += 1
                if depth:
                    self._step()

    def _pass_bare(self) -> bool:
        """Pass over a number or a word."""
        start = self.offset
        while True:
            self._at = _bare(self._data, self._at).end()
            if self._at < len(self._data) or not self._more(may_end=True):
                return self.offset > start

    def _step(self) -> None:
        self._steps += 1
        if self._steps > _FREE_STEPS and self._steps - _FREE_STEPS > self.offset // _BYTES_A_STEP:
            raise JsonError(self.offset, is_cut=False)

    def _more(self, *, may_end: bool = False) -> bool:
        chunk = self._read(_CHUNK)
        if not chunk:
            if may_end:
                return False
            raise JsonError(self._before + len(self._data), is_cut=True)
        if self._pin is not None and len(self._data) - self._pin > self._most:
            self._pin = None
        keep = self._at if self._pin is None else self._pin
        self._data = self._data[keep:] + chunk
        self._before += keep
        self._at -= keep
        if self._pin is not None:
            self._pin = 0
        return True

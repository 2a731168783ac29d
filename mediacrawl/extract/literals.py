"""Object literals in scripts and in broken JSON, read without running anything.

A script sets up a player with an object: ``jwplayer("x").setup({file: "a.mp3", title: 'Eins', /* ... */})``. One pass
over its tokens (ECMA-262, 12) finds the objects and lists between the code. Keys may have no quotes, strings single
ones, commas may be too many or too few, and brackets may be missing. What is computed (names, calls, concatenations,
templates with ``${``) is no value and is left out.

The time is linear in the text: a token is read once, brackets nest to a bounded depth, and the number of tokens has a
limit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

MOST_TOKENS = 200_000
"""Tokens of a text that are read, in a fifth of a second."""
_DEEPEST = 60
"""Brackets inside brackets. What is deeper is passed over."""
_LONGEST_NUMBER = 25

_DOUBLE, _SINGLE = (rf"{mark}[^{mark}\\]*+(?:\\.[^{mark}\\]*+)*+(?:{mark}|\\?\Z)" for mark in "\"'")
_LINE_DOUBLE, _LINE_SINGLE = (
    rf"{mark}[^{mark}\\\n]*+(?:\\.[^{mark}\\\n]*+)*+(?:{mark}|(?=\n)|\\?\Z)" for mark in "\"'"
)
_TEMPLATE = r"`[^`\\]*+(?:\\.[^`\\]*+)*+(?:`|\\?\Z)"
# Each comment and each string extends to the end of the text if it is never closed, so that nothing is read twice.
_COMMENT = r"//[^\n]*+|/\*[^*]*+(?:\*(?!/)[^*]*+)*+(?:\*/|\Z)|<!--|-->"
_WORD = r"(?P<word>(?:[^\W\d]|\$)[\w$]*+)"
_NUMBER = r"(?P<number>-?+(?:0[xX][0-9A-Fa-f]++|(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][+-]?[0-9]++)?))"
_MARK = r"(?P<mark>=>|=++|.)"


def _tokens(skipped: str, *strings: str) -> re.Pattern[str]:
    string = f"(?P<string>{'|'.join(strings)})"
    return re.compile(rf"[\s\ufeff]*+(?:(?:{skipped})[\s\ufeff]*+)*+(?:{string}|{_WORD}|{_NUMBER}|{_MARK})", re.DOTALL)


_of_script = _tokens(_COMMENT, _LINE_DOUBLE, _LINE_SINGLE, _TEMPLATE).match
_of_json = _tokens(_COMMENT + r"|<!\[CDATA\[|\]\]>", _DOUBLE, _SINGLE).match
_regular_expression = re.compile(
    r"/(?![*/])(?:[^/\\\[\n]|\\[^\n]|\[(?:[^\]\\\n]|\\[^\n]){0,40}+\]){1,120}+/[a-z]{0,8}+"
).match
_escape = re.compile(r"\\(?:u\{([0-9A-Fa-f]{1,6})\}|u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2})|(\r\n|.))", re.DOTALL).sub
_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "0": "\0", "\n": "", "\r\n": ""}

_WORDS = {"true": True, "false": False, "null": None, "undefined": None}
_CLOSED_BY = {"{": "}", "[": "]", "(": ")"}
_BEFORE_OBJECT = frozenset({"", "(", "[", ",", "=", ":", "?", "|", "&", "return", "default"})
"""Tokens behind which ``{`` begins an object, and no block of code."""
_BEFORE_VALUE = _BEFORE_OBJECT | frozenset("{};!+-*%<>~^") | {"=>", "==", "===", "case", "typeof", "in", "of"}
"""Tokens behind which ``[`` begins a list, and ``/`` a regular expression."""
_JOINS = frozenset("+.([?*-/%:")
"""Tokens behind a string that make it a part of something else."""


class Literal(NamedTuple):
    """A value in a script.

    Attributes:
        name: what it is given to: the function that it is an argument of, or the variable; empty if it is neither.
        value: a dict, a list, or a text.
    """

    name: str
    value: Any


class _Unknown:
    """What has no value without running the script."""


_UNKNOWN = _Unknown()


class _Frame:
    """An open bracket.

    Attributes:
        bracket: which one.
        value: the dict or list that it makes; None for arguments and for code.
        is_root: whether its value is inside no other one.
        name: what the value is given to; of arguments the function.
        key: of the property that is read; None before the colon.
        text: the first token of the property or item.
        slot: its value.
        count: tokens that it has so far: with several it is computed.
    """

    __slots__ = ("bracket", "count", "is_root", "key", "name", "slot", "text", "value")

    def __init__(self, bracket: str, value: Any, name: str, *, is_root: bool) -> None:
        self.bracket = bracket
        self.value = value
        self.name = name
        self.is_root = is_root
        self.clear()

    def clear(self) -> None:
        self.key: str | None = None
        self.text: str | None = None
        self.slot: Any = _UNKNOWN
        self.count = 0

    def add(self, text: str | None, value: Any) -> None:
        if self.count == 0:
            self.text, self.slot = text, value
        self.count += 1

    def colon(self) -> None:
        """Take what was read as the key of a property; a second colon belongs to a condition."""
        if self.key is None and isinstance(self.value, dict):
            key = self.text if self.count == 1 and self.text is not None else ""
            self.clear()
            self.key = key
        else:
            self.count += 1

    def next_key(self, key: str) -> None:
        """Take the last token as the key of the next property: the comma before it is missing."""
        self.count -= 1
        self.commit()
        self.key = key

    def commit(self) -> None:
        """Keep the property or item that was read."""
        if self.count == 1 and self.slot is not _UNKNOWN:
            if isinstance(self.value, list):
                self.value.append(self.slot)
            elif isinstance(self.value, dict) and self.key:
                self.value[self.key] = self.slot
        self.clear()


def literals(text: str, *, is_json: bool = False, most: int = MOST_TOKENS) -> Iterator[Literal]:
    """Yield the values of a script: objects and lists, and texts that are assigned or are arguments. Never raises.

    In broken JSON (`is_json`) strings extend over lines, every bracket begins a value, and no texts are yielded. An
    object that is never closed has what was read of it. At most `most` tokens are read.
    """
    return _Reader(text, is_json=is_json).read(most)


class _Reader:
    """One pass over the tokens of a text."""

    def __init__(self, text: str, *, is_json: bool) -> None:
        self._text = text
        self._is_json = is_json
        self._stack = [_Frame("", None, "", is_root=False)]
        # Brackets beyond the limit of depth.
        self._over = 0
        self._previous = ""
        self._word = ""
        self._assigned = ""
        self._pending: Literal | None = None

    def read(self, most: int) -> Iterator[Literal]:
        token, place, text = _of_json if self._is_json else _of_script, 0, self._text
        for _ in range(most):
            match = token(text, place)
            if match is None:
                break
            place = match.end()
            kind = match.lastgroup
            if kind == "mark":
                mark = match["mark"]
                if mark == "/" and not self._is_json and self._previous in _BEFORE_VALUE:
                    whole = _regular_expression(text, place - 1)
                    place = whole.end() if whole else place
                yield from self._mark(mark)
            elif self._over == 0:
                yield from self._value(kind or "", match[kind or 0])
        yield from self._flush("")
        while len(self._stack) > 1:
            yield from self._pop()

    def _value(self, kind: str, written: str) -> Iterator[Literal]:
        yield from self._flush(kind)
        frame = self._stack[-1]
        if kind == "string":
            value = _string(written)
            self._word = value if isinstance(value, str) else ""
            if frame.value is None and isinstance(value, str) and self._is_given() and not self._is_json:
                self._pending = Literal(self._name(), value)
            frame.add(self._word, value)
        elif kind == "word":
            frame.add(written, _WORDS.get(written, _UNKNOWN))
            self._word = written
        else:
            frame.add(written, _number(written))
        self._previous = written if kind == "word" else kind

    def _mark(self, mark: str) -> Iterator[Literal]:
        if mark in "{[(":
            yield from self._flush(mark)
            self._open(mark)
        elif mark in "}])":
            yield from self._flush(mark)
            yield from self._close(mark)
        elif self._over == 0:
            yield from self._flush(mark)
            self._punctuation(mark)
        self._previous = mark

    def _punctuation(self, mark: str) -> None:
        frame = self._stack[-1]
        if mark == ",":
            frame.commit()
        elif mark == ":":
            self._colon()
        elif frame.value is not None:
            frame.count += 1
        if mark == "=":
            self._assigned = self._word
        elif mark in ";,":
            self._assigned = ""

    def _colon(self) -> None:
        """Take a colon; behind a text in broken JSON it is that of a property, whatever is missing before."""
        stack = self._stack
        if not self._is_json or self._previous != "string":
            stack[-1].colon()
            return
        if isinstance(stack[-1].value, list) and isinstance(stack[-2].value, dict):
            # The list was not closed.
            stack.pop().next_key("")
            stack[-1].count += 1
        frame = stack[-1]
        if frame.key is None:
            frame.colon()
        else:
            frame.next_key(self._word)

    def _open(self, bracket: str) -> None:
        frame = self._stack[-1]
        if self._over or len(self._stack) >= _DEEPEST:
            self._over += 1
            frame.count += self._over == 1
            return
        value: Any = None
        inside = frame.value is not None
        if bracket != "(" and (frame.count == 0 if inside else self._begins_value(bracket)):
            value = {} if bracket == "{" else []
        is_call = bracket == "(" and self._previous == self._word
        name = self._name() if value is not None else self._word if is_call else ""
        self._stack.append(_Frame(bracket, value, name, is_root=value is not None and not inside))
        # What it holds is added later; if it is no value, the property or item is computed.
        frame.add(None, value if value is not None else _UNKNOWN)
        if value is None:
            frame.count += 1

    def _begins_value(self, bracket: str) -> bool:
        return self._is_json or self._previous in (_BEFORE_OBJECT if bracket == "{" else _BEFORE_VALUE)

    def _is_given(self) -> bool:
        """Whether a value in this place is assigned to something, or an argument."""
        return self._previous == "=" or (self._stack[-1].bracket == "(" and self._previous in ("(", ","))

    def _name(self) -> str:
        """What a value in this place is given to."""
        if not self._is_given():
            return ""
        return self._assigned if self._previous == "=" else self._stack[-1].name

    def _close(self, bracket: str) -> Iterator[Literal]:
        if self._over:
            self._over -= 1
            return
        stack = self._stack
        place = next((n for n in range(len(stack) - 1, 0, -1) if _CLOSED_BY[stack[n].bracket] == bracket), 0)
        # Those above it were not closed. A bracket that closes nothing is passed over.
        while place and len(stack) > place:
            yield from self._pop()

    def _pop(self) -> Iterator[Literal]:
        frame = self._stack.pop()
        frame.commit()
        if frame.is_root:
            yield Literal(frame.name, frame.value)
            # Outside of a value there is nothing that the next bracket could be a part of.
            self._stack[-1].clear()

    def _flush(self, behind: str) -> Iterator[Literal]:
        """Yield the text before this token, unless it is a part of an expression."""
        pending, self._pending = self._pending, None
        if pending is not None and behind not in _JOINS:
            yield pending


def _string(written: str) -> Any:
    mark = written[0]
    if len(written) < 2 or written[-1] != mark:
        return _UNKNOWN
    inside = written[1:-1]
    if mark == "`" and "${" in inside:
        return _UNKNOWN
    if "\\" in inside:
        inside = _escape(_unescaped, inside)
    if not inside.isascii():
        # Halves of characters beyond the first 65,536 that belong together, and those that do not.
        inside = inside.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return inside


def _unescaped(match: re.Match[str]) -> str:
    code = match[1] or match[2] or match[3]
    if code:
        number = int(code, 16)
        return chr(number) if number <= 0x10FFFF else "\ufffd"
    return _ESCAPES.get(match[4], match[4])


def _number(written: str) -> Any:
    if len(written) > _LONGEST_NUMBER:
        return _UNKNOWN
    try:
        return int(written, 0 if written[:3].lower().lstrip("-").startswith("0x") else 10)
    except ValueError:
        pass
    try:
        return float(written)
    except ValueError:
        return _UNKNOWN

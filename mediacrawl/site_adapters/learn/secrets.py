"""What is a secret in the constants of an adapter: by the name of a field or header, and by the shape of a value."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Any
from urllib.parse import unquote

from mediacrawl.site_adapters.learn.urls import parsed
from mediacrawl.site_adapters.learn.words import WORDS


def _kinds_of(table: str) -> dict[str, str]:
    """Name -> the kind of secret that it is, by the lists of `WORDS` whose names begin so."""
    lists = ((key.removeprefix(f"{table}/"), words) for key, words in WORDS.items() if key.startswith(f"{table}/"))
    return {word: kind for kind, words in lists for word in words}


_WHOLE = _kinds_of("whole")
"""Names that are a secret if they have no other word: ``auth`` is one, ``requires_auth`` is none."""
_OF_PARAMETERS = _kinds_of("parameter")
"""Names that are a secret as those of a parameter: of OAuth (RFC 6749, 4.1.2), of CloudFront, of a visitor."""
_LONG_VALUE = frozenset(WORDS["long_value"])
"""Names that are a secret only with a long value that has digits: ``code=pl`` is a language."""
_LAST_WORD = _kinds_of("last")
"""Short words, which are a secret as the last word of a name: ``user_sid`` is one, ``inside`` is none."""
_ENDING = _kinds_of("ending")
"""Ends of names: ``access_token``, ``accessToken`` and ``accesstoken`` are the same."""
_NO_SECRET = WORDS["no_secret"]
"""Ends of names of places in a list; the next page of the list is requested with them."""
_HEADERS = _kinds_of("header")
_LONGEST_NAME = 100
"""Characters of a name; longer ones are no names of fields."""

_word = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+").findall
_letters = re.compile(r"[A-Za-z]+").findall


@lru_cache(maxsize=4096)
def secret_kind(name: str) -> str:
    """Return the kind of secret that a field of this name holds, for example ``token``; empty if it holds none."""
    if len(name) > _LONGEST_NAME:
        return ""
    joined = "".join(_letters(name)).lower()
    if not joined or joined.endswith(_NO_SECRET):
        return ""
    if kind := _WHOLE.get(joined):
        return kind
    words = _word(name)
    if kind := _LAST_WORD.get(words[-1].lower() if words else ""):
        return kind
    return _ENDING.get(max((end for end in _ENDING if joined.endswith(end)), key=len, default=""), "")


@lru_cache(maxsize=1024)
def header_kind(name: str) -> str:
    """Return the kind of secret that a header of this name holds, for example ``token``; empty if it holds none."""
    lower = name.strip().lower()
    if lower.startswith(("x-csrf", "x-xsrf")):
        return "csrf"
    return _HEADERS.get(lower) or secret_kind(lower)


_NO_VALUES = frozenset({"", "0", "1", "false", "nan", "none", "null", "true", "undefined", "public", "anonymous"})
_SHAPES = {
    "jwt": r"eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}",
    "api_key": r"AIza[0-9A-Za-z_-]{30,}|gh[opsur]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}"
    r"|A[KS]IA[A-Z0-9]{16}"
    r"|[prs]k_(?:live|test)_[A-Za-z0-9]{10,}|sk-[A-Za-z0-9-]{20,}|xox[abeprs]-[A-Za-z0-9-]{10,}|SG\.[\w-]{16,}"
    r"|ya29\.[\w-]{10,}|npm_[A-Za-z0-9]{30,}|hf_[A-Za-z0-9]{20,}|EAA[A-Za-z0-9]{30,}",
    "authorization": r"(?:Bearer|Basic|Digest)[ +]\S{6,}",
}
_shape = re.compile("|".join(rf"(?<![A-Za-z0-9])(?P<{kind}>{shape})" for kind, shape in _SHAPES.items())).search
_card = re.compile(r"(?<![0-9])[3-6][0-9]{3}[ -]?[0-9]{4}[ -]?[0-9]{4}[ -]?[0-9]{3,4}(?![0-9])").search
_account = re.compile(r"[\w.+-]{1,64}@[\w-]+\.[\w.-]*[A-Za-z]|\+[1-9][0-9 ()./-]{7,}[0-9]").search
_iban = re.compile(r"(?<![A-Za-z0-9])[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?![A-Za-z0-9])").search
_runs = re.compile(r"[A-Za-z0-9+=_-]{16,}").findall
_pieces = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+|[^A-Za-z0-9]+").findall
_LEAST_BITS = 3.1
"""Bits for each character, from which on a value with digits and letters looks random; words have some 2.5 to 3."""
_IBAN_REST, _LUHN = 97, 10


def value_kind(value: str) -> str:
    """Return the kind of secret that a value is by its shape; empty if it is none."""
    found = _shape(value)
    return str(found.lastgroup) if found else ""


def is_account(value: str) -> bool:
    """Return whether a constant is of a person: a mail address, a number of a phone, a card or an account."""
    if card := _card(value):
        # The check digit of a card (ISO/IEC 7812-1, annex B).
        digits = [int(each) for each in card[0] if each.isdigit()][::-1]
        total = sum(each if number % 2 == 0 else sum(divmod(2 * each, 10)) for number, each in enumerate(digits))
        if total % _LUHN == 0 and len(set(digits)) > 1:
            return True
    if iban := _iban(value):
        # The check digits of an IBAN (ISO 13616).
        plain = iban[0].replace(" ", "")
        if int("".join(str(int(each, 36)) for each in plain[4:] + plain[:4])) % _IBAN_REST == 1:
            return True
    return _account(value) is not None


def kind_of(name: str, value: str) -> str:
    """Return the kind of secret that a parameter is by its name or the shape of its value; empty if it is none."""
    if value.lower() in _NO_VALUES:
        return ""
    joined = "".join(_letters(name)).lower()
    is_short = len(value) < 8 or not any(each.isdigit() for each in value)
    own = "" if joined in _LONG_VALUE and is_short else _OF_PARAMETERS.get(joined, "")
    return own or secret_kind(name) or value_kind(value)


def random_parts(value: str) -> list[str]:
    """Return the parts of a constant that a machine made for somebody: a key, an id of a visitor, a digest."""
    found = []
    for run in _runs(value):
        bits = -sum(n / len(run) * math.log2(n / len(run)) for n in Counter(run).values())
        # Words and numbers are those of a path: ``season-12-episode-3``, ``getVideoV2``.
        pieces = _pieces(run)
        is_of_words = sum(len(each) > 2 or not each.isalnum() for each in pieces) * 2 > len(pieces)
        if any(map(str.isdigit, run)) and any(map(str.isalpha, run)) and bits >= _LEAST_BITS and not is_of_words:
            found.append(run)
    return found


def secret_in(written: Any, at: str = "$") -> str:
    """Return where an adapter has a secret, with its kind: ``api_key at $.requests[0].url``; empty if it has none."""
    if isinstance(written, dict):
        found = ((each, f"{at}.{key}", str(key)) for key, each in written.items() if key != "learned")
    elif isinstance(written, list):
        found = ((each, f"{at}[{number}]", "") for number, each in enumerate(written))
    else:
        kinds = list(_kinds(written)) if isinstance(written, str) else []
        if at == "$.page.path":
            named = in_path(unquote(written).split("/"))
            kinds += [kind for name, value in named if not value.startswith("{") and (kind := secret_kind(name))]
        return f"{kinds[0]} at {at}" if kinds else ""
    for each, where, name in found:
        is_of_query = at == "$.page.query" and isinstance(each, str) and not each.startswith("{")
        is_header = at.endswith(".headers")
        kind = header_kind(name) if is_header else kind_of(name, each) if is_of_query else ""
        if why := f"{kind} at {where}" if kind else secret_in(each, where):
            return why
    return ""


def _kinds(text: str) -> Iterator[str]:
    plain = unquote(text)
    yield from filter(None, (value_kind(plain), "account" if is_account(plain) else ""))
    url = parsed(text) if "://" in text else None
    for each in url.parameters if url is not None else ():
        if not each.value.startswith("{"):
            yield from filter(None, [kind_of(each.name, each.value)])
    for name, value in in_path([one.value for one in url.segments] if url is not None else []):
        yield from filter(None, [secret_kind(name) if not value.startswith("{") else ""])


def in_path(segments: list[str]) -> Iterator[tuple[str, str]]:
    """Yield names and values in a path: ``/token/abc1`` and ``/;jsessionid=abc1`` have one each."""
    for name, value in pairwise(segments):
        if any(each.isdigit() for each in value):
            yield name, value
    for segment in segments:
        for part in re.split("[;,~]", segment):
            name, sign, value = part.partition("=")
            if sign:
                yield name, value

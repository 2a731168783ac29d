"""Detection of the encoding of a record's fields, jointly.

Every hypothesis (`pricing.hypotheses`) has a cost for each field: the length in nats of the message "this encoding,
this language, these letters". The hypothesis with the lowest sum decides on the record. A field that costs much more
under it than under its own best hypothesis is decided alone, since records with mixed encodings exist. The declared
encoding stays unless another one is likelier by a margin.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from mediacrawl.base.charsets import CONTROLS
from mediacrawl.base.evidence import DecisionName
from mediacrawl.encoding.codepages import MULTIBYTE, STEP, undefined
from mediacrawl.encoding.decision import SURE, Detection, FieldDecision, Hints, confidence_of
from mediacrawl.encoding.detection.forms import FieldForm, form_of, torn_utf8, without_cut
from mediacrawl.encoding.excerpts import LONGEST_FIELD, heads_of
from mediacrawl.encoding.languages import codec_name
from mediacrawl.encoding.mojibake.repairer import repair
from mediacrawl.encoding.pricing.decoding import bytes_of, decode, decode_as, decode_single, read_alike
from mediacrawl.encoding.pricing.hints import shift_of
from mediacrawl.encoding.pricing.hypotheses import (
    CLOSE,
    TRUSTED,
    choose,
    hypotheses,
    hypothesis_names,
    is_id3v1,
    strange_cost,
)
from mediacrawl.encoding.pricing.reading import read, worth
from mediacrawl.encoding.pricing.scoring import NEVER, Hypothesis

SWITCH: Final = 16 * STEP
"""Penalty, in 1/12 nat, when one field's encoding differs from its record's."""

MARGIN: Final = STEP // 3
"""Least margin of another encoding over the declared one."""

SHORT: Final = 2

SHORT_MARGIN: Final = 3 * STEP
"""The same for a field of up to `SHORT` bytes, which hold little evidence."""

NO_RIVAL: Final = 12 * STEP
"""Margin of a reading without a priced alternative."""

KNOWN: Final = 14 * STEP
"""Bonus of a reading that equals a text that is certainly right, in the same file or next to its link."""

SHORTEST_KNOWN: Final = 3

MOST_TOGETHER: Final = 64
"""Fields that are decided jointly. A record may have a thousand; a few identify the encoding of all."""

UNREADABLE: Final = 0.5
"""Confidence of bytes that cannot be decoded as what they appear to be."""

GOOD: Final = 1.4
"""Highest ratio of a text's cost to that of correct text at which it is not repaired. Of titles 78 in 100 are below it,
and one in 2,500 of those whose UTF-8 was encoded twice."""

_DASHES: Final = {ord("-"): "", ord("_"): ""}


def detect_record(fields: Sequence[bytes], hints: Hints | None = None) -> Detection:
    """Decide the fields of one record by the models, jointly in groups of `MOST_TOGETHER`; see `api.detect`."""
    hints = hints or _NO_HINTS
    claims = _declared(hints, len(fields))
    if len(fields) > MOST_TOGETHER:
        parts = [slice(start, start + MOST_TOGETHER) for start in range(0, len(fields), MOST_TOGETHER)]
        return Detection.of_parts([_together(fields[part], claims[part], hints) for part in parts])
    return _together(fields, claims, hints)


def _together(fields: Sequence[bytes], claims: Sequence[str], hints: Hints) -> Detection:
    """Return one decision over fields of any length."""
    if sum(map(len, fields)) <= LONGEST_FIELD:
        return _decided(fields, claims, hints)
    heads = heads_of(fields, claims)
    found = _decided(heads, claims, hints)
    return replace(found, fields=tuple(map(whole_field, fields, heads, claims, found.fields)))


_NO_HINTS: Final = Hints()


def _decided(fields: Sequence[bytes], claims: Sequence[str], hints: Hints) -> Detection:
    """Return the decision on fields of bounded length."""
    shapes = list(map(form_of, fields, claims))
    texts = [place for place, shape in enumerate(shapes) if shape.text is not None]
    of_place: dict[int, FieldDecision] = {}
    if texts:
        mended = _unicode([shapes[place] for place in texts], [claims[place] for place in texts], hints)
        of_place.update(zip(texts, mended, strict=True))
    odd = [place for place, shape in enumerate(shapes) if shape.text is None]
    record = None
    if odd:
        known = hints.known
        if texts:
            certain = [found.text for found in of_place.values() if found.confidence > 0.9 and not found.text.isascii()]
            known = tuple(dict.fromkeys((*known, *certain)))
        raws = [fields[place] for place in odd]
        record = _eight_bit(raws, [shapes[place] for place in odd], fields, hints, known)
        decided = _with_repairs(record.fields, raws, hints)
        if decided is record.fields and len(fields) == 1:
            return record
        if record.encoding == "utf-8":
            record = replace(record, encoding=min(field.encoding for field in decided))
        of_place.update(zip(odd, decided, strict=True))
    every = tuple(of_place[place] for place in range(len(fields)))
    decisive: FieldDecision | Detection | None = record
    if decisive is None:
        telling = [decided for decided in every if decided.encoding != "ascii"]
        decisive = min(telling, key=lambda decided: decided.margin, default=FieldDecision("", "ascii", margin=SURE))
    confidence = min((decided.confidence for decided in every), default=1.0)
    return Detection(decisive.encoding, decisive.language, confidence, decisive.margin, decisive.runner_up, every)


def _declared(hints: Hints, count: int) -> list[str]:
    """Return the declared encoding of each field."""
    if isinstance(hints.declared, str):
        return [hints.declared] * count
    return [*hints.declared[:count], *["latin-1"] * (count - len(hints.declared))]


def _unicode(shapes: Sequence[FieldForm], claims: Sequence[str], hints: Hints) -> list[FieldDecision]:
    """Decisions on Unicode fields, which may be mojibake themselves."""
    texts = [shape.text or "" for shape in shapes]
    decided = []
    for text, shape, declared, repaired in zip(texts, shapes, claims, repair(texts, hints).fields, strict=True):
        # Bytes that are no character tell nothing of the letter that was there.
        is_guess = shape.suspect and repaired.lossy
        mended = replace(repaired, text=text, decision="declared", lossy=False) if is_guess else repaired
        undone = mended.encoding if mended.decision == "fixed" else ""
        encoding = f"{shape.encoding}>{undone}" if undone else shape.encoding
        decision: DecisionName = "fixed" if not _agrees(shape.encoding, declared) else mended.decision
        found = replace(mended, encoding=encoding, decision=decision)
        if shape.suspect:
            found = replace(found, confidence=min(mended.confidence, UNREADABLE), suspect=True)
        decided.append(found)
    return decided


_ADJACENT: Final = re.compile("[^\x00-\x7f]{2}")
"""What is always in UTF-8 that was decoded wrongly; most titles in Latin letters lack it, and repair takes a while."""


def _with_repairs(found: Sequence[FieldDecision], raws: Sequence[bytes], hints: Hints) -> Sequence[FieldDecision]:
    """Return decisions on 8-bit fields, those on UTF-8 with what its text was before it was decoded wrongly."""
    odd = [
        place
        for place, of_field in enumerate(found)
        if of_field.encoding == "utf-8"
        and _ADJACENT.search(of_field.text)
        and read(of_field.text).cost > GOOD * worth((of_field.text,))
    ]
    if not odd:
        return found
    decided = list(found)
    mended = repair([_without_half(found[place].text, raws[place]) for place in odd], hints).fields
    for place, again in zip(odd, mended, strict=True):
        decided[place] = _chained(found[place], again)
    return decided


def _without_half(text: str, raw: bytes) -> str:
    """Return the text of a field without the beginning of a character that was cut, if its UTF-8 was encoded twice."""
    once = bytes_of(text, "cp1252") or b"" if is_id3v1(raw) else b""
    whole = without_cut(once)
    return text[: len(whole)] if len(whole) < len(once) and decode(whole, "utf-8") is not None else text


def _chained(found: FieldDecision, mended: FieldDecision) -> FieldDecision:
    """Combine the decision on bytes with that on their text."""
    if mended.decision != "fixed":
        return replace(found, suspect=mended.suspect)
    least, margin = min(found.confidence, mended.confidence), min(found.margin, mended.margin)
    return replace(mended, encoding=f"{found.encoding}>{mended.encoding}", confidence=least, margin=margin)


def _agrees(encoding: str, declared: str) -> bool:
    """Whether the declared encoding covers that of a Unicode field; any covers ASCII."""
    claimed = declared.lower().translate(_DASHES)
    family = "utf16" if encoding.startswith("utf-16") else encoding.translate(_DASHES)
    return encoding == "ascii" or claimed.startswith(family)


@dataclass(slots=True)
class _Weighed:
    """Hypotheses with their cost for the whole record, cheapest first."""

    ranking: list[tuple[int, int]]
    found: list[Hypothesis]
    own: list[int]
    limits: list[int]
    """Most that a field adds to the record's cost: the cost of its new words on their own, plus `SWITCH`."""
    best_alone: dict[int, Hypothesis] = field(default_factory=dict)
    """Results of `alone`, by place."""

    def best(self) -> Hypothesis:
        return self.found[self.ranking[0][1]]

    def reading_of(self, place: int, hypothesis: Hypothesis) -> Hypothesis:
        """The hypothesis that decides on a field: the record's, or its own where they differ by more than `SWITCH`."""
        if hypothesis.costs[place] <= self.own[place] + SWITCH:
            return hypothesis
        return self.alone(place)

    def read(self, place: int, raw: bytes, hypothesis: Hypothesis) -> str:
        """Return the text of a field if the record follows a hypothesis."""
        return read_as(raw, (self.reading_of(place, hypothesis) if len(self.own) > 1 else hypothesis).encoding)

    def alone(self, place: int) -> Hypothesis:
        """Return the best hypothesis for one field."""
        best = self.best_alone.get(place)
        if best is None:
            costs = [other.costs[place] + other.prior for other in self.found]
            best = self.best_alone[place] = self.found[costs.index(min(costs))]
        return best


def _weigh(found: list[Hypothesis], fields: int) -> _Weighed:
    if fields == 1:
        ranking = sorted([(hypothesis.prior + hypothesis.costs[0], number) for number, hypothesis in enumerate(found)])
        return _Weighed(ranking, found, [ranking[0][0]], [NEVER])
    places = range(fields)
    own = [min([hypothesis.costs[place] + hypothesis.prior for hypothesis in found]) for place in places]
    limits = [min([hypothesis.news[place] + hypothesis.prior for hypothesis in found]) + SWITCH for place in places]
    totals = [hypothesis.prior + sum(map(min, hypothesis.news, limits)) for hypothesis in found]
    ranking = sorted([(total, number) for number, total in enumerate(totals)])
    return _Weighed(ranking, found, own, limits)


def _eight_bit(
    raws: Sequence[bytes], shapes: list[FieldForm], fields: Sequence[bytes], hints: Hints, known: tuple[str, ...]
) -> Detection:
    """Return the decision on the fields that are not Unicode."""
    if len(raws) == 1 and not known and (alone := _eight_bit_alone(raws[0], shapes[0], fields, hints)):
        return alone
    found = _considered(raws, shapes, fields, hints, known)
    weighed = _weigh(found, len(raws))
    best = weighed.best()
    followed = [weighed.reading_of(place, best) for place in range(len(raws))]
    texts = [read_as(raw, hypothesis.encoding) for raw, hypothesis in zip(raws, followed, strict=True)]
    margin, runner_up = _runner_up(weighed, raws, texts)
    decided = []
    for place, (raw, hypothesis, text) in enumerate(zip(raws, followed, texts, strict=True)):
        if hypothesis is best:
            left = _left_costs(weighed, shapes[place].encoding, place)
            over_declared = min(left, default=NEVER) - weighed.ranking[0][0]
            if 0 < over_declared < CLOSE:
                same = [cost for cost, number in weighed.ranking if found[number].encoding == best.encoding]
                over_declared = _over_declared(left, same, raws, shapes[place].encoding)
            of_field = _BestReading(best.encoding, best.language, text, margin, runner_up, over_declared)
            decided.append(_field(raw, shapes[place], of_field))
        else:
            decided.append(_field_alone(raw, shapes[place], weighed, place))
    encoding = next(
        (field.encoding for field, hypothesis in zip(decided, followed, strict=True) if hypothesis is best),
        best.encoding,
    )
    confidence = min(field.confidence for field in decided)
    return Detection(encoding, best.language, confidence, round(margin / STEP, 2), runner_up, tuple(decided))


def _eight_bit_alone(raw: bytes, shape: FieldForm, fields: Sequence[bytes], hints: Hints) -> Detection | None:
    """`_eight_bit` for one field by the native part; None if that cannot decide it."""
    chosen = None if _anchor(hints) else choose(raw, fields, shift_of(hints), shape.encoding)
    if chosen is None:
        return None
    best, over_declared, is_sure, rivals, left, same = chosen
    names = hypothesis_names()
    encoding, language = names[best]
    text = read_as(raw, encoding)
    if left and text != _declared_text(raw, shape):
        over_declared = _over_declared(left, same, [raw], shape.encoding)
    margin, runner_up = NO_RIVAL, ""
    for number, dearer in rivals:
        rival = names[number][0]
        if (is_sure and number == rivals[-1][0]) or read_as(raw, rival) != text:
            margin, runner_up = dearer, rival
            break
    decided = _field(raw, shape, _BestReading(encoding, language, text, margin, runner_up, over_declared))
    margin_nats = round(margin / STEP, 2)
    return Detection(decided.encoding, language, decided.confidence, margin_nats, runner_up, (decided,))


def _anchor(hints: Hints) -> str:
    """Return the text around the link, if it can confirm a reading."""
    return hints.anchor if len(hints.anchor) >= SHORTEST_KNOWN and not hints.anchor.isascii() else ""


def _considered(
    raws: Sequence[bytes], shapes: list[FieldForm], fields: Sequence[bytes], hints: Hints, known: tuple[str, ...]
) -> list[Hypothesis]:
    """Return all hypotheses, priced by the bytes and the hints."""
    found = hypotheses(raws, fields, shift_of(hints), [shape.encoding for shape in shapes])
    claimed = {shape.encoding for shape in shapes if shape.encoding != "cp1252"}
    for hypothesis in found if claimed else ():
        if hypothesis.encoding in claimed:
            hypothesis.prior -= TRUSTED
    anchor = _anchor(hints)
    if known or anchor:
        _agree(found, raws, known, anchor)
    return found


def rivals(raw: bytes, hints: Hints) -> list[FieldDecision]:
    """Return the readings of a single 8-bit field, cheapest first, each distinct text once; none for Unicode.

    Their `margin` is 0 for the first one and negative for the others, in nats.
    """
    (claim,) = _declared(hints, 1)
    shape = form_of(raw, claim)
    if shape.text is not None:
        return []
    found = _considered([raw], [shape], [raw], hints, hints.known)
    readings: dict[str, FieldDecision] = {}
    ranking = _weigh(found, 1).ranking
    for cost, number in ranking:
        hypothesis = found[number]
        text = read_as(raw, hypothesis.encoding)
        if hypothesis.costs[0] < NEVER and text not in readings:
            nats = (ranking[0][0] - cost) / STEP
            readings[text] = FieldDecision(text, _name(raw, hypothesis.encoding), hypothesis.language, margin=nats)
    return list(readings.values())


def _agree(found: list[Hypothesis], raws: Sequence[bytes], known: tuple[str, ...], anchor: str) -> None:
    is_new = [any(hypothesis.news[place] for hypothesis in found) for place in range(len(raws))]
    for place, raw in enumerate(raws):
        agrees: dict[str, bool] = {}
        for hypothesis in found:
            if hypothesis.costs[place] >= NEVER:
                continue
            encoding = hypothesis.encoding
            if encoding not in agrees:
                text = read_as(raw, encoding).strip()
                is_known = text in anchor or any(right.startswith(text) for right in known)
                agrees[encoding] = is_known and len(text) >= SHORTEST_KNOWN and not text.isascii()
            if agrees[encoding]:
                hypothesis.costs[place] -= KNOWN
                if is_new[place] and hypothesis.news is not hypothesis.costs:
                    hypothesis.news[place] -= KNOWN


def read_as(raw: bytes, encoding: str) -> str:
    """Return a field decoded with an encoding; with cp1252 where that fails."""
    text = decode_as(raw, encoding)
    return text if text is not None else decode_single(raw, "cp1252")


def _runner_up(weighed: _Weighed, raws: Sequence[bytes], texts: list[str]) -> tuple[int, str]:
    """Return the margin over the cheapest hypothesis with another text, and its encoding."""
    least = weighed.ranking[0][0]
    same = {weighed.best().encoding}
    for cost, number in weighed.ranking[1:]:
        hypothesis = weighed.found[number]
        if hypothesis.encoding in same:
            continue
        same.add(hypothesis.encoding)
        if any(
            hypothesis.costs[place] < NEVER and weighed.read(place, raw, hypothesis) != text
            for place, (raw, text) in enumerate(zip(raws, texts, strict=True))
        ):
            return cost - least, hypothesis.encoding
    return NO_RIVAL, ""


def _left_costs(weighed: _Weighed, declared: str, place: int) -> list[int]:
    """Return the costs of the record with one field left as it is declared, in each language."""
    limit = weighed.limits[place]
    return [
        (hypothesis.prior if len(weighed.own) == 1 else total - min(hypothesis.news[place], limit))
        + hypothesis.news[place]
        for total, number in weighed.ranking
        if (hypothesis := weighed.found[number]).encoding == declared
    ]


def _over_declared(left: list[int], same: list[int], raws: Sequence[bytes], declared: str) -> int:
    """Return the margin over the declared encoding in a close call.

    Both encodings count in all languages, by the costs of each; cp1252 also in a language without a model.
    """
    if declared == "cp1252":
        left = [*left, min(NEVER, sum(strange_cost(decode_single(raw, "cp1252")) for raw in raws))]
    return _sum_of_chances(left) - _sum_of_chances(same)


def _sum_of_chances(costs: Sequence[int]) -> int:
    """Return the cost of one of several alternatives, not only of the cheapest."""
    least = min(costs, default=NEVER)
    return least - round(STEP * math.log(sum(math.exp((least - cost) / STEP) for cost in costs))) if costs else NEVER


def _field_alone(raw: bytes, shape: FieldForm, weighed: _Weighed, place: int) -> FieldDecision:
    """Return the decision on a field that does not follow its record."""
    hypothesis = weighed.alone(place)
    text = read_as(raw, hypothesis.encoding)
    costs = sorted((other.costs[place] + other.prior, number) for number, other in enumerate(weighed.found))
    mine = hypothesis.costs[place] + hypothesis.prior
    leave = min((cost for cost, number in costs if weighed.found[number].encoding == shape.encoding), default=NEVER)
    of_field = [replace(other, costs=[other.costs[place]]) for other in weighed.found]
    single = _Weighed(costs, of_field, [weighed.own[place]], [weighed.limits[place]])
    margin, runner_up = _runner_up(single, [raw], [text])
    followed = _BestReading(hypothesis.encoding, hypothesis.language, text, margin, runner_up, leave - mine)
    return _field(raw, shape, followed)


class _BestReading(NamedTuple):
    """The best reading of a field, its margin over the best other text (in `runner_up`), and over the declared one."""

    encoding: str
    language: str
    text: str
    margin: int
    runner_up: str
    over_declared: int


def _field(raw: bytes, shape: FieldForm, best: _BestReading) -> FieldDecision:
    """Return the decision on a field from its best reading and its declared encoding."""
    declared = best.text if best.encoding == shape.encoding != "utf-8" else _declared_text(raw, shape)
    if best.text != declared and best.over_declared < (MARGIN if len(raw) > SHORT else SHORT_MARGIN):
        nats = round(-best.over_declared / STEP, 2)
        encoding, rival = _name(raw, shape.encoding), best.encoding
        decision: DecisionName = "declared" if nats > 0 else "undecided"
        return FieldDecision(declared, encoding, "", confidence_of(nats), nats, rival, decision)
    # Correct text has no control characters, whatever the alternatives cost.
    nats = round(best.margin / STEP, 2) if not CONTROLS.search(raw) else 0.0
    encoding = _name(raw, best.encoding)
    strict = raw.decode("latin-1") if shape.encoding == "cp1252" else declared
    decision = "declared" if best.text == strict else "fixed"
    language = best.language or read(best.text).language
    return FieldDecision(best.text, encoding, language, confidence_of(nats), nats, best.runner_up, decision)


def _declared_text(raw: bytes, shape: FieldForm) -> str:
    if shape.encoding in MULTIBYTE:
        return decode(raw, shape.encoding) or decode_single(raw, "cp1252")
    return decode_single(raw, shape.encoding if shape.encoding != "utf-8" else "cp1252")


def _name(raw: bytes, encoding: str) -> str:
    """Return the reported name: Latin-1 where cp1252 decodes the bytes in the same way, or does not define them."""
    if encoding != "cp1252":
        return encoding
    windows = raw.translate(None, _NO_CONTROLS)
    return "cp1252" if windows and not windows.translate(None, _WINDOWS) else "latin-1"


_NO_CONTROLS: Final = bytes((*range(0x80), *range(0xA0, 0x100)))
"""The bytes that Latin-1 and cp1252 decode in the same way."""

_WINDOWS: Final = bytes(byte for byte in range(0x80, 0xA0) if byte not in undefined("cp1252"))
_CUT: Final = 4
"""Characters at the end of a head that may be cut and differ in the whole text."""


def whole_field(raw: bytes, head: bytes, declared: str, found: FieldDecision) -> FieldDecision:
    """Apply the decision on the head of a field to all of it; ``undecided`` where that cannot be decoded so."""
    if raw is head:
        return found
    text = read_alike(raw, found.encoding)
    if text is None and found.encoding == "utf-8" and (torn := torn_utf8(raw)).holds:
        return replace(found, text=torn.text, suspect=found.suspect or "\ufffd" in torn.text)
    if text is not None and found.text[:-_CUT] in text:
        return replace(found, text=text)
    first, known = found.encoding.partition(">")[0], codec_name(declared)
    if declared.startswith("utf-16") and first.startswith("utf-16"):
        left = raw.decode(first, "replace")
    else:
        left = decode_single(raw, "cp1252") if known in ("", "cp1252") else raw.decode(known, "replace")
    return replace(found, text=left, confidence=min(found.confidence, UNREADABLE), decision="undecided", suspect=True)

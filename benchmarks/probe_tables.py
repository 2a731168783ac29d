"""The tables of `probe`: each file, what is wrong with it, and the share of fields right by group and kind of field."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field

from probe_said import Said
from probe_samples import Sample
from probe_truth import KINDS, Field, Recorded, fields, is_near

from mediacrawl.probe import ProbeResult

KB = 1024
FACTS_NEAR = {"sample_rate": 0.0, "channels": 0.0, "bits_per_sample": 0.0, "bitrate": 0.05}
"""By how much we and tinytag may differ."""
_NAMED = 6
"""Missing fields of a file that are named; of the others there is the number."""


@dataclass
class Row:
    """What was measured of one file.

    Attributes:
        sample: the file, and the truth.
        size: of the file, in bytes.
        requests: that the probe cost.
        fetched: bytes that it cost.
        cpu: seconds of processor time, all walks and the packing between them.
        result: what the probe found.
        record: what our record says.
        said: what each other program says; None of one that cannot read the file, or is not there.
        fields: all fields of the truth.
        missing: those that the record has not, or wrongly.
    """

    sample: Sample
    size: int
    requests: int
    fetched: int
    cpu: float
    result: ProbeResult
    record: Recorded
    said: dict[str, Said | None]
    fields: list[Field] = field(init=False)
    missing: list[Field] = field(init=False)

    def __post_init__(self) -> None:
        self.fields = fields(self.sample)
        self.missing = [each for each in self.fields if not self.record.has(each)]

    def right(self, kinds: Sequence[str], peer: str = "") -> tuple[int, int]:
        """How many fields of some kinds are right in our record or in what a peer says, and how many there are."""
        some = [each for each in self.fields if each.kind in kinds]
        said = self.said[peer] if peer else self.record
        return sum(said.has(each) for each in some) if said else 0, len(some)


def share(rows: Sequence[Row], kinds: Sequence[str], peer: str = "") -> float | None:
    """Per cent of the fields of some kinds that are right; None if there are none of these."""
    counts = [row.right(kinds, peer) for row in rows]
    total = sum(count for _, count in counts)
    return 100 * sum(right for right, _ in counts) / total if total else None


def print_files(rows: Sequence[Row]) -> None:
    print(f"{'':37}{'MB':>7}{'req':>4}{'KB':>7}{'CPU ms':>8}{'fields':>8}  what is wrong or missing")
    for row in rows:
        name, size, count = row.sample.name, row.size / 1e6, len(row.fields)
        right = f"{count - len(row.missing)}/{count}"
        print(
            f"{name:37}{size:>7.1f}{row.requests:>4}{row.fetched / KB:>7.1f}{row.cpu * 1e3:>8.1f}{right:>8}  {why(row)}"
        )


def why(row: Row) -> str:
    """What is not right with a file, in some words; empty if all is."""
    words = [_about(row, each) for each in row.missing[:_NAMED]]
    if len(row.missing) > _NAMED:
        words.append(f"{len(row.missing) - _NAMED} more")
    if row.result.status != "complete":
        words.append(" ".join([row.result.status, *row.result.notes]))
    return "; ".join(words)


def _about(row: Row, each: Field) -> str:
    if each.what == "duration":
        return f"duration {row.result.duration} of {row.sample.seconds}"
    if each.what == "fact" and each.truth[0] != "is_video":
        return f"{each.name} is {getattr(row.record.item, each.truth[0])}"
    return f"no {each.name}"


def surplus_lines(rows: Sequence[Row]) -> list[str]:
    """What the records say beyond the truth, a line for each file."""
    found = {row.sample.name: row.record.surplus(row.sample) for row in rows}
    return [f"{name}: {'; '.join(words)}" for name, words in found.items() if words]


def print_shares(rows: Sequence[Row], peers: Sequence[str]) -> None:
    """Per cent of the fields right, of ours and of each peer, by group and kind."""
    print(f"\n{'':26}{'files':>6}{'req':>6}{'KB':>7}{'fields':>8}{'ours':>8}", end="")
    print("".join(f"{name:>14}" for name in peers) + "   (requests, KB: median; % of the fields right)")
    groups = dict.fromkeys(row.sample.group for row in rows)
    for group in (*groups, "all"):
        some = [row for row in rows if group in {row.sample.group, "all"}]
        requests = statistics.median([row.requests for row in some])
        size = statistics.median([row.fetched / KB for row in some])
        print(f"{group:26}{len(some):>6}{requests:>6.1f}{size:>7.1f}{_shares(some, KINDS, peers)}")
        for kind in KINDS:
            if sum(row.right([kind])[1] for row in some):
                print(f"  {kind:24}{'':19}{_shares(some, [kind], peers)}")


def _shares(rows: Sequence[Row], kinds: Sequence[str], peers: Sequence[str]) -> str:
    count = sum(row.right(kinds)[1] for row in rows)
    parts = [share(rows, kinds, peer) for peer in ("", *peers)]
    shown = ["-" if part is None else f"{part:.1f}" for part in parts]
    return f"{count:>8}{shown[0]:>8}" + "".join(f"{text:>14}" for text in shown[1:])


def print_second_opinion(rows: Sequence[Row]) -> None:
    lines = [f"{row.sample.name:37}{line}" for row in rows for line in disagreements(row)]
    read = sum(row.said["tinytag"] is not None for row in rows)
    print(f"\ntinytag reads {read} of {len(rows)} files; where it and we say something else of the sound:")
    print("\n".join(lines) if lines else "nowhere")


def disagreements(row: Row) -> list[str]:
    """Where tinytag and the probe both say something, and not the same."""
    second, ours = row.said["tinytag"], row.result
    if second is None:
        return []
    lines = []
    if second.seconds and ours.duration and not is_near(second.seconds, ours.duration):
        lines.append(f"duration {second.seconds:.1f}, we {ours.duration}; it is {row.sample.seconds}")
    for name, near in FACTS_NEAR.items():
        theirs, found = second.facts.get(name), getattr(ours, name)
        if theirs and found and not is_near(found, theirs, near):
            lines.append(f"{name} {theirs}, we {found}")
    return lines

"""Re-runs of stored records: read, decided again by several processes, written.

Input: a file of JSON lines or CSV, a catalogue, a set of Parquet files, a Redis list, of this or any other project.
Output: the same records in the same order, in the same or another of these formats, with repaired texts and evidence.

Guarantees: a run that was killed resumes and ends with the same bytes; the output does not depend on the number of
processes; a run over the output changes nothing; an unchanged record stays byte for byte the same, or becomes UTF-8 if
the file is in another encoding; unreadable records are passed through or put aside, and counted; memory is bounded.
"""

from mediacrawl.programs.rerun.blocks import RerunCounts, RerunError, RerunOptions
from mediacrawl.programs.rerun.console import PreviewTable, report
from mediacrawl.programs.rerun.run import RerunResult, RerunWatcher, rerun

__all__ = [
    "PreviewTable",
    "RerunCounts",
    "RerunError",
    "RerunOptions",
    "RerunResult",
    "RerunWatcher",
    "report",
    "rerun",
]

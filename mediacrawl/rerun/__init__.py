"""Stored records decided anew: read, mended by several processes, written.

Comes in: a file of JSON lines or CSV, a catalogue, a set of Parquet files, a Redis list, of this or any other project.
Goes out: the same records in the same order, of the same or of another of these kinds, with texts mended and the
evidence for it. It promises that a run which is killed goes on where it stopped and ends with the same bytes; that they
do not depend on the number of processes; that a run over the output changes nothing; that a record of which nothing
changed stays as it is, byte for byte, or as UTF-8 where the file is in another encoding; that what cannot be read is
passed on or put aside, and counted; and that memory does not grow with the input.
"""

from mediacrawl.rerun.blocks import RerunCounts, RerunError
from mediacrawl.rerun.console import PreviewTable, RerunProgress, report
from mediacrawl.rerun.run import RerunOptions, RerunResult, RerunWatcher, rerun

__all__ = [
    "PreviewTable",
    "RerunCounts",
    "RerunError",
    "RerunOptions",
    "RerunProgress",
    "RerunResult",
    "RerunWatcher",
    "report",
    "rerun",
]

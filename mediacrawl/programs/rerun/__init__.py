"""Re-runs of stored records: read, decided again by several processes, written.

Input: a file of JSON lines or CSV, a catalogue, a set of Parquet files, a Redis list, of this or any other project.
Output: the same records in the same order, in the same or another of these formats, with repaired texts and evidence.

Guarantees: a run that was killed resumes and ends with the same bytes; the output does not depend on the number of
processes; a run over the output changes nothing; an unchanged record stays byte for byte the same, or becomes UTF-8 if
the file is in another encoding; unreadable records are passed through or put aside, and counted; memory is bounded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mediacrawl.base.lazy import late_names

if TYPE_CHECKING:
    from mediacrawl.programs.rerun.blocks import PreviewRow, RerunError, RerunOptions
    from mediacrawl.programs.rerun.console import PreviewTable, RerunConsole, ranking, refuse_unchecked, write_report
    from mediacrawl.programs.rerun.endpoints import location_of, open_reader
    from mediacrawl.programs.rerun.output_file import replace
    from mediacrawl.programs.rerun.run import rerun
else:
    __getattr__ = late_names(
        __name__,
        {
            **dict.fromkeys(("PreviewRow", "RerunError", "RerunOptions"), "blocks"),
            **dict.fromkeys(("PreviewTable", "RerunConsole", "ranking", "refuse_unchecked", "write_report"), "console"),
            **dict.fromkeys(("location_of", "open_reader"), "endpoints"),
            "replace": "output_file",
            "rerun": "run",
        },
    )

__all__ = [
    "PreviewRow",
    "PreviewTable",
    "RerunConsole",
    "RerunError",
    "RerunOptions",
    "location_of",
    "open_reader",
    "ranking",
    "refuse_unchecked",
    "replace",
    "rerun",
    "write_report",
]

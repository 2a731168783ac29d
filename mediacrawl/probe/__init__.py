"""Reads the metadata of a media file from a few of its bytes.

In come ranges of a file as a server sent them, through `Probe`, which states the range it needs next. Out goes a
`ProbeResult` with stream facts and with every text field as raw bytes (`record.build` makes a record of it).
Nothing here touches network, disk or clock. A file costs at most the requests, bytes and memory that `ProbePolicy`
allows; no input raises or loops; wrongly encoded text is kept byte for byte.

`formats` recognizes the format by content and has its reader, and the reader walks the container's
structure over a `SparseFile`. A byte that is not there raises `NeedBytes`, which becomes the next range.
"""

from mediacrawl.probe.formats import Sniffed, sniff
from mediacrawl.probe.planner import Probe
from mediacrawl.probe.policy import ProbePolicy
from mediacrawl.probe.result import ProbeResult
from mediacrawl.probe.sparse import NeedBytes, SparseFile

__all__ = [
    "NeedBytes",
    "Probe",
    "ProbePolicy",
    "ProbeResult",
    "Sniffed",
    "SparseFile",
    "sniff",
]

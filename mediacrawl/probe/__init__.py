"""What is in a media file, read from a few of its bytes.

Comes in: ranges of a file, as a server gave them, through `Probe`, which says what range it wants next.
Goes out: a `ProbeResult` with stream facts and with every text field as raw bytes, and from it, by
`build_item`, the record. It promises: nothing here touches network, disk or clock; a file costs at most what
`ProbePolicy` allows, in requests, bytes and memory; no input raises or loops; text that is wrongly encoded is
kept byte for byte, for that is what this project is for.

`formats` recognizes the format by content and has its reader, and the reader walks the container's
structure over a `SparseFile`. A byte that is not there raises `NeedBytes`, which becomes the next range.
"""

from mediacrawl.encoding.records.evidence import raw_bytes
from mediacrawl.probe.formats import Sniffed, sniff
from mediacrawl.probe.planner import Probe
from mediacrawl.probe.policy import ProbePolicy
from mediacrawl.probe.record import build_item, build_page_item, fill_values, item_id
from mediacrawl.probe.result import ProbeResult
from mediacrawl.probe.sparse import NeedBytes, SparseFile

__all__ = [
    "NeedBytes",
    "Probe",
    "ProbePolicy",
    "ProbeResult",
    "Sniffed",
    "SparseFile",
    "build_item",
    "build_page_item",
    "fill_values",
    "item_id",
    "raw_bytes",
    "sniff",
]

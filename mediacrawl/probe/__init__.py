"""Reads the metadata of a media file from a few of its bytes.

In come ranges of a file, through `Probe`, which names the range that it needs next; `Session` takes them as an HTTP
server answered. Out goes a `ProbeResult` with stream facts and with every text field as raw bytes beside its text.
A file costs at most the requests, bytes and memory that `ProbePolicy` allows; no input raises or loops; wrongly encoded
text is kept byte for byte. Nothing here touches network or clock, and a disk only `read_file` and `file_parts`.

Begin with ``README.md`` beside this file, then read `session.Probe`. `formats` recognizes the format by content and has
its reader, which walks the container's structure over a `context.SparseFile`. A byte that is not there raises
`NeedBytes`, which becomes the next range. Others import only the names of this module.
"""

from typing import TYPE_CHECKING

from mediacrawl.base.lazy import late_names

if TYPE_CHECKING:
    from mediacrawl.probe.disk import file_parts, read_file
    from mediacrawl.probe.formats import sniff
    from mediacrawl.probe.icecast import read_stream, stream_bytes
    from mediacrawl.probe.policy import ProbePolicy
    from mediacrawl.probe.result import ProbeResult
    from mediacrawl.probe.session import FirstAnswer, Odd, Probe, Reply, Session
else:
    __getattr__ = late_names(
        __name__,
        {
            "FirstAnswer": "session",
            "Odd": "session",
            "Probe": "session",
            "ProbePolicy": "policy",
            "ProbeResult": "result",
            "Reply": "session",
            "Session": "session",
            "file_parts": "disk",
            "read_file": "disk",
            "read_stream": "icecast",
            "sniff": "formats",
            "stream_bytes": "icecast",
        },
    )

__all__ = [
    "FirstAnswer",
    "Odd",
    "Probe",
    "ProbePolicy",
    "ProbeResult",
    "Reply",
    "Session",
    "file_parts",
    "read_file",
    "read_stream",
    "sniff",
    "stream_bytes",
]

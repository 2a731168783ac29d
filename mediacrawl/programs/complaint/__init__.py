"""Answering complaints: what the crawl requested from one site, and whether it was polite.

It takes the name of a site and the folders of the request logs, and makes a `Case`: every request to the site, the
history of its robots.txt, and a judgement made from the log alone. From these it writes the verdict and the draft of a
reply. The judgement trusts the log and not the crawl, and says what cannot be proved. It only reads, also while
a crawl writes. Nothing that a server sent controls the terminal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mediacrawl.base.lazy import late_names

if TYPE_CHECKING:
    from mediacrawl.programs.complaint.case import ComplaintError, Logs, Subject, open_case, subject_of
    from mediacrawl.programs.complaint.judging import ConductPolicy
    from mediacrawl.programs.complaint.text import Sender, reply, verdict
else:
    __getattr__ = late_names(
        __name__,
        {
            **dict.fromkeys(("ComplaintError", "Logs", "Subject", "open_case", "subject_of"), "case"),
            "ConductPolicy": "judging",
            **dict.fromkeys(("Sender", "reply", "verdict"), "text"),
        },
    )

__all__ = [
    "ComplaintError",
    "ConductPolicy",
    "Logs",
    "Sender",
    "Subject",
    "open_case",
    "reply",
    "subject_of",
    "verdict",
]

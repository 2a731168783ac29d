"""Detection of text encodings, and repair of texts that were decoded wrongly.

Input: the bytes of a record's text fields and hints (`detect`); stored texts whose bytes are lost (`repair`); many
records of either kind (`detect_many`, `repair_many`); or a single text (`detect_text`, `candidates`, `fix_text`).
Output: the texts, each with encoding, language, calibrated confidence and the runner-up.

Guarantees: no content raises; correct text stays unchanged; unknown characters are marked, not invented. An argument of
a wrong type is a `TypeError` with advice.

A reading's cost is the length in nats of the message "this encoding, this language, these letters": a prior
(`languages`, moved by `pricing.hints`), the letters by trigrams and word lists (`models`, trained by `train`),
and the classes of adjacent characters (`codepages`). The first pass prices all pairs of encoding and language at once,
the second the few that are left (`scoring`); `hypotheses` gathers them, `detector` and `repairer` decide. `fixer`
applies this to stored records, and `history` counts what was found where. Models of other languages are made by
`train` and used by `models.use_models`.
"""

from mediacrawl.encoding import native
from mediacrawl.encoding.api import Match, candidates, detect_many, detect_text, fix_text, repair_many
from mediacrawl.encoding.decision import Detection, FieldDecision, Hints, Repair, Seen
from mediacrawl.encoding.detection.detector import detect
from mediacrawl.encoding.models import ModelError, model_version, use_models
from mediacrawl.encoding.mojibake.repairer import repair
from mediacrawl.encoding.pricing import kernel_tables

native.use_tables(kernel_tables.spec, kernel_tables.load)

__all__ = [
    "Detection",
    "FieldDecision",
    "Hints",
    "Match",
    "ModelError",
    "Repair",
    "Seen",
    "candidates",
    "detect",
    "detect_many",
    "detect_text",
    "fix_text",
    "model_version",
    "repair",
    "repair_many",
    "use_models",
]

"""What encoding a text is really in.

Comes in: the bytes of a record's text fields, as they stand in the file, and what is known beside them (`detect`);
or texts that were stored wrongly, the bytes lost (`repair`). Goes out: the texts as they were meant, each with
encoding, language, calibrated confidence and the runner-up. It promises: no input raises; what is right stays as it
is; what cannot be known is marked, never invented.

A reading's cost is the length in nats of the message "this encoding, this language, these letters": a prior
(`priors`, moved by `hinting`), the letters by trigrams and word lists (`models`, trained by `train` and `corpus`),
their case and company (`codepages`). The first pass prices all pairs of encoding and language at once, the
second the few that are left (`scoring`); `hypotheses` gathers them, `detector` and `repairer` decide. `fixer`
applies this to stored records, and `history` remembers what was found where. Models of other languages are made by
`own_training` and used by `own`.
"""

from mediacrawl.encoding.decision import Detection, FieldDecision, Hints, Repair, Seen
from mediacrawl.encoding.detector import detect
from mediacrawl.encoding.models import ModelError, model_version
from mediacrawl.encoding.own import use_models
from mediacrawl.encoding.repairer import repair

__all__ = [
    "Detection",
    "FieldDecision",
    "Hints",
    "ModelError",
    "Repair",
    "Seen",
    "detect",
    "model_version",
    "repair",
    "use_models",
]

"""What the complaint desk cannot do, in one sentence."""


class ComplaintError(ValueError):
    """The question cannot be answered as it was put. The text is one whole sentence."""

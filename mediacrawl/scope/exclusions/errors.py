"""What goes wrong with a list as a whole."""


class NeverCrawlError(ValueError):
    """The list can not be used or changed, and there is no earlier one to keep. The text is one whole sentence."""

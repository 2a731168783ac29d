"""How text is read wrongly: what the tests of damaged text share."""


def windows(data):
    """Bytes read as browsers read Latin-1: as cp1252, with C1 controls where that has nothing."""
    return "".join(bytes((byte,)).decode("cp1252", "ignore") or chr(byte) for byte in data)

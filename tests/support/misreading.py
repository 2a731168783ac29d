"""How text is read wrongly: what the tests of damaged text share."""

from mediacrawl.encoding import Substitutions


def windows(data):
    """Bytes read as browsers read Latin-1: as cp1252, with C1 controls where that has nothing."""
    return "".join(bytes((byte,)).decode("cp1252", "ignore") or chr(byte) for byte in data)


def stripped(text):
    """UTF-8 read as Latin-1, its C1 controls thrown away: two letters in three are lost, or half of them."""
    return "".join(chr(byte) for byte in text.encode() if not 0x80 <= byte < 0xA0)


def taught(*pairs, times=1, encoding="utf-8"):
    """Substitutions that were learned from pairs of damaged and right texts."""
    substitutions = Substitutions()
    for before, after in pairs * times:
        substitutions.learn(before, after, encoding)
    return substitutions

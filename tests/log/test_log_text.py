"""Log lines that cannot command a terminal, and cannot be forged."""

import io
import logging

import pytest

from mediacrawl.log.text import SafeFormatter, make_safe, traceback_text

ESC, C1, BIDI = "\x1b[2J\x1b]0;owned\x07", "\x9b2J", "\u202e"
FORGED = "2026-01-01 00:00:00 [mediacrawl] INFO: all is well"
EVIL = f"{ESC}{C1}{BIDI}\n{FORGED}"
TOLD_ESC = r"\x1b[2J\x1b]0;owned\x07"
TOLD = TOLD_ESC + r"\x9b2J\u202e"


@pytest.fixture
def log():
    """A logger with one handler, and what that wrote."""
    written = io.StringIO()
    handler = logging.StreamHandler(written)
    handler.setFormatter(logging.Formatter("%(asctime)s [%(name)s] %(levelname)s: %(message)s", "%Y-%m-%d %H:%M:%S"))
    logger = logging.getLogger("tests.strangers")
    logger.propagate, logger.handlers, logger.filters = False, [handler], []
    make_safe(logger)
    logger.written = written.getvalue
    return logger


def harmless(text):
    assert all(char.isprintable() or char == "\n" for char in text), text
    return [line for line in text.split("\n") if line.startswith("2026-01-01")] == []


def test_an_argument_stays_on_one_line_and_commands_nothing(log):
    log.warning("%s said %r, %d times %5.1f %%", EVIL, EVIL, 3, 0.5)
    assert harmless(log.written())
    assert log.written().count("\n") == 1
    assert TOLD in log.written()
    assert "3 times   0.5 %" in log.written()


def test_arguments_by_name_and_objects_are_made_safe_too(log):
    class Odd:
        def __str__(self):
            return EVIL

    log.warning("%(a)s and %(b)s", {"a": Odd(), "b": Exception(EVIL), "c": None})
    assert harmless(log.written())
    assert log.written().count("\n") == 1
    assert log.written().count(TOLD) == 2


def test_a_message_that_was_put_together_before_keeps_its_lines_and_forges_none(log):
    log.warning(f"cannot decode '{EVIL}'")
    assert harmless(log.written())
    assert f"\n    {FORGED}'" in log.written()


def test_an_argument_with_a_line_of_its_own_may_have_several(log):
    log.warning("Summary\n%s", f"  pages {ESC}\n  media 3\n{FORGED}")
    assert log.written().endswith(f"Summary\n  pages {TOLD_ESC}\n  media 3\n    {FORGED}\n")
    assert harmless(log.written())


def test_a_traceback_stays_readable_and_what_the_exception_says_forges_nothing(log):
    try:
        raise ValueError(EVIL) from KeyError(EVIL)
    except ValueError:
        log.exception("at %s", EVIL)
    text = log.written()
    assert harmless(text)
    assert "\nTraceback (most recent call last):\n" in text
    assert f"\nValueError: {TOLD}\n    {FORGED}\n" in text
    assert "\n    raise ValueError(EVIL) from KeyError(EVIL)\n" in text


def test_the_record_stays_as_it_is_for_others(log):
    kept = []
    log.addFilter(lambda record: kept.append(record) or True)
    log.warning("%s", EVIL)
    assert (kept[0].args, kept[0].msg) == ((EVIL,), "%s")


def test_a_message_that_does_not_fit_its_arguments_is_told_to_whoever_wrote_it():
    record = logging.LogRecord("a", logging.INFO, "", 0, "%s and %s", (ESC,), None)
    with pytest.raises(TypeError):
        SafeFormatter(logging.Formatter()).format(record)


def test_a_formatter_with_colours_keeps_them():
    coloured = SafeFormatter(logging.Formatter("\x1b[31m%(message)s\x1b[0m"))
    record = logging.LogRecord("a", logging.INFO, "", 0, "%s", (ESC,), None)
    assert coloured.format(record) == f"\x1b[31m{TOLD_ESC}\x1b[0m"


def test_it_is_put_before_a_formatter_once():
    logger = logging.getLogger("tests.twice")
    logger.handlers = [logging.StreamHandler(io.StringIO())]
    make_safe(logger)
    first = logger.handlers[0].formatter
    make_safe(logger)
    assert logger.handlers[0].formatter is first


def test_a_long_or_broken_exception_is_told_in_bounds():
    assert len(traceback_text(ValueError("x" * 1_000_000))) < 21_000

    class BrokenError(Exception):
        def __str__(self):
            raise RuntimeError

    assert "BrokenError" in traceback_text(BrokenError())


def test_a_long_message_is_told_in_bounds(log):
    log.warning("%s", "\x1b" * 10_000_000)
    log.warning("\x1b" * 10_000_000)
    log.warning("said %s", "\x1b" * 10_000_000)
    assert len(log.written()) < 3 * 4 * 100_100

"""Other values for constants of mediacrawl, for crawls that are to end in seconds.

Crawls in processes of their own get them as settings whose names are paths of a module's constant, as in
``-s mediacrawl.scheduler.LEASES_AT_ONCE=4``, or of a policy's field, as in
``-s mediacrawl.politeness.backoff.BackoffPolicy.jitter=0``. `launcher` changes them in that process and takes the words
out of the command.
"""

import importlib
import inspect
import json


def change(path, value):
    """Change a constant of a module, or the default of a field of a dataclass there."""
    owner, _, name = path.rpartition(".")
    try:
        module = importlib.import_module(owner)
    except ModuleNotFoundError:
        change_field(owner, name, value)
    else:
        assert isinstance(getattr(module, name), int | float), path
        setattr(module, name, value)


def change_field(owner, name, value):
    """Change the default of a field: the one of ``__init__``, since a class with slots has no other."""
    module, _, cls = owner.rpartition(".")
    init = getattr(importlib.import_module(module), cls).__init__
    having = [each.name for each in inspect.signature(init).parameters.values() if each.default is not each.empty]
    assert name in having, f"{owner} has no field {name} with a default"
    positional = having[: len(init.__defaults__ or ())]
    if name in positional:
        init.__defaults__ = tuple(
            value if each == name else old for each, old in zip(positional, init.__defaults__, strict=True)
        )
    else:
        init.__kwdefaults__ = {**init.__kwdefaults__, name: value}


def take(arguments):
    """Change the constants that a command names; answers its other words."""
    words = list(arguments)
    for place in reversed(range(len(words) - 1)):
        path, is_one, value = words[place + 1].partition("=")
        if words[place] == "-s" and path.startswith("mediacrawl.") and is_one:
            change(path, json.loads(value))
            del words[place : place + 2]
    return words

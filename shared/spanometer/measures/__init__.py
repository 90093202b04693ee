"""The measures. Each has its own file, which is imported when the measure is first used."""

import re
from importlib import import_module
from importlib.util import find_spec
from typing import Any

_HOMES = {
    "Measure": "base",
    "word_probabilities": "information",
    **dict.fromkeys(("AlignedMeasure", "FMeasure"), "aligned"),
    **dict.fromkeys(("ALL_MEASURES", "MEASURES", "TREE_MEASURES", "read_counts", "register", "unregister"), "registry"),
}


def __getattr__(name: str) -> Any:
    """Import the class of a measure when it is first used."""
    home = _HOMES.get(name, re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower())
    if (name in _HOMES or name[:1].isupper()) and find_spec(f"{__name__}.{home}"):
        return getattr(import_module(f"{__name__}.{home}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

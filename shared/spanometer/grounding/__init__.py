"""From what a language model wrote to spans: answers read, mentions found in the text, every choice with a name."""

from .answers import FORMATS, Answer, Item, read_answer
from .fates import FATES, Fate, fates_of
from .grounded import COUNTS, Grounded, ground, text_indices
from .policies import NAMED, PLACES, GroundingPolicy

__all__ = [
    "COUNTS",
    "FATES",
    "FORMATS",
    "NAMED",
    "PLACES",
    "Answer",
    "Fate",
    "Grounded",
    "GroundingPolicy",
    "Item",
    "fates_of",
    "ground",
    "read_answer",
    "text_indices",
]

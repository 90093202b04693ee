"""From what a language model wrote to spans: answers read, mentions found in the text, every choice with a name."""

from .answers import FORMATS, Answer, Item, read_answer
from .grounded import COUNTS, Grounded, ground
from .policies import NAMED, PLACES, GroundingPolicy

__all__ = [
    "COUNTS",
    "FORMATS",
    "NAMED",
    "PLACES",
    "Answer",
    "Grounded",
    "GroundingPolicy",
    "Item",
    "ground",
    "read_answer",
]

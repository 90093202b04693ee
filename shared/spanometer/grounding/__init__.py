"""From what a language model wrote to spans: answers read, mentions found in the text, every choice with a name."""

from .answers import FORMATS, Answer, Item, read_answer
from .fates import FATES, Fate, fates_of
from .grounded import COUNTS, Grounded, ground, text_indices
from .policies import NAMED, NAMED_STRINGS, PLACES, GroundingPolicy, StringPolicy
from .reading import AnswerReading
from .strings import GroundedStrings, ground_strings

__all__ = [
    "COUNTS",
    "FATES",
    "FORMATS",
    "NAMED",
    "NAMED_STRINGS",
    "PLACES",
    "Answer",
    "AnswerReading",
    "Fate",
    "Grounded",
    "GroundedStrings",
    "GroundingPolicy",
    "Item",
    "StringPolicy",
    "fates_of",
    "ground",
    "ground_strings",
    "read_answer",
    "text_indices",
]

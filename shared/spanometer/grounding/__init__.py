"""Grounding: parse a language model's answers and find their mentions in the text, under named policies."""

from .answers import FORMATS, Answer, read_answer
from .grounded import Grounded, ground, text_indices
from .items import Item
from .outcomes import outcomes_of
from .placing import Outcome
from .policies import COUNTS, NAMED, NAMED_STRINGS, OUTCOMES, PLACES, GroundingPolicy, StringPolicy
from .reading import AnswerReading, GroundedStrings, ground_strings

"""The example corpus: invented news with a reference and the outputs of three systems."""

from pathlib import Path

EXAMPLE = Path(__file__).with_name("example.conll")
"""The file of the example corpus, with four columns of tags."""

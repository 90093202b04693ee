"""Lists of words with probabilities or counts."""

import gzip
import io

import pytest

from spanometer import InputError
from spanometer.readers import read_word_probabilities


def read(text):
    return read_word_probabilities(io.BytesIO(text.encode()), name="list")


def test_probabilities_and_counts(tmp_path):
    assert read("the\t0.05\nNile\t1e-6\n") == {"the": 0.05, "Nile": 1e-6}
    assert read("the\t1\nNile\t0.5\n") == {"the": 1.0, "Nile": 0.5}
    assert read("the\t3\nNile\t1\n") == {"the": 0.75, "Nile": 0.25}
    path = tmp_path / "list.gz"
    path.write_bytes(gzip.compress("été 6\r\n# 2\r\n\r\n".encode()))
    assert read_word_probabilities(path) == {"été": 0.75, "#": 0.25}
    # a heading, and blanks inside a cell if there are tabs
    assert read("word\tcount\nNew York\t4\n") == {"New York": 1.0}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("the\t0.5\nNile\tx\n", "line 2: .*is not a word with a number"),
        ("the\t0.5\nNile\n", "line 2: 'Nile' is not a word with a number"),
        ("0.5\n0.5\n", "line 1: '0.5' is not a word with a number"),
        ("the\t0.5\n\t0.5\n", "line 2: .*is not a word"),
        ("the\t5\nNile\t0\n", "line 2: 0 is neither the probability nor the count of 'Nile'"),
        ("the\t5\nNile\t0.5\n", "line 1: 5 is neither"),
        ("the\t0.5\nNile\t-2\n", "line 2: -2 is neither"),
        ("the\tnan\n", "line 1: nan is neither"),
        ("the\t0.5\nthe\t0.5\n", "line 2: the word 'the' is there twice"),
        ("word\tcount\n", "the list has no words"),
        ("", "the file is empty"),
    ],
)
def test_complaints(text, said):
    with pytest.raises(InputError, match=f"list.*{said}"):
        read(text)

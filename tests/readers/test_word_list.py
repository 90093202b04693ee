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


def test_a_word_that_is_there_twice_far_apart():
    rows = [f"w{number % 5000}\t1\n" for number in range(5003)]
    with pytest.raises(InputError, match="list, line 5001: the word 'w0' is repeated"):
        read("".join(rows))

"""Lists of words with probabilities or counts."""

import gzip
import io
import tracemalloc

import pyarrow as pa
import pytest

from spanometer import InputError
from spanometer.measures.information import mapping_digest, require_probabilities
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


def test_a_list_is_a_mapping_of_columns():
    """Against the same as a dict, with words whose order in UTF-16 is another than in code points."""
    words = {"b": 1, "a": 3, "😀": 2, "\N{FULLWIDTH LATIN SMALL LETTER A}": 5, "é": 4, "A": 1}
    found = read("".join(f"{word}\t{count}\n" for word, count in words.items()))
    expected = {word: count / 16 for word, count in words.items()}
    assert found == expected and len(found) == 6
    assert list(found) == sorted(words) and list(found.items()) == [(word, expected[word]) for word in sorted(words)]
    assert [found.get(word) for word in (*words, "c", "", 3)] == [*expected.values(), None, None, None]
    assert mapping_digest(found) == mapping_digest(expected)


def test_a_word_that_is_there_twice_far_apart():
    rows = [f"w{number % 5000}\t1\n" for number in range(5003)]
    with pytest.raises(InputError, match="list, line 5001: the word 'w0' is repeated"):
        read("".join(rows))


def test_what_a_list_takes(monkeypatch):
    monkeypatch.setattr("spanometer.readers.source.BLOCK_SIZE", 1 << 14)
    monkeypatch.setattr("spanometer.readers.lists._AT_ONCE", 100)
    monkeypatch.setattr("spanometer.measures.information._WORDS", 100)
    sizes, peaks = [], []
    # what comes first is held in memory too
    for number in (1, 5_000, 30_000):
        text = "".join(f"word{place}\t{place % 97 + 1}\n" for place in range(number))
        tracemalloc.start()
        before = pa.total_allocated_bytes()
        found = read(text)
        require_probabilities(found)
        mapping_digest(found)
        peaks.append(tracemalloc.get_traced_memory()[1] + pa.total_allocated_bytes() - before)
        tracemalloc.stop()
        sizes.append(len(text))
    assert peaks[2] - peaks[1] < 5 * (sizes[2] - sizes[1])

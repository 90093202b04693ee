"""Logits in .npz files."""

import numpy as np
import pytest

from spanometer import InputError
from spanometer.readers.option_files import read_logits

LABELS = np.array(["O", "B-A", "I-A"])


def saved(tmp_path, *arrays, **named):
    path = tmp_path / "logits.npz"
    np.savez(path, *arrays, **named)
    return str(path)


def test_logits_of_each_document(tmp_path):
    arrays = [np.full((length, 3), float(length)) for length in range(1, 13)]
    logits, labels = read_logits(saved(tmp_path, *arrays, labels=LABELS))
    assert labels == LABELS.tolist()
    assert [array.tolist() for array in logits] == [array.tolist() for array in arrays]


def test_padded_logits(tmp_path):
    padded = np.arange(18, dtype=np.float32).reshape(2, 3, 3)
    logits, _ = read_logits(saved(tmp_path, logits=padded, lengths=np.array([1, 3]), labels=LABELS))
    assert [array.tolist() for array in logits] == [padded[0, :1].tolist(), padded[1].tolist()]
    logits, _ = read_logits(saved(tmp_path, logits=padded, labels=LABELS))
    assert [len(array) for array in logits] == [3, 3]


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_one_changed_byte(tmp_path, save):
    path = tmp_path / "logits.npz"
    save(path, np.zeros((3, 3)), np.ones((2, 3)), labels=LABELS)
    whole = path.read_bytes()
    refused = 0
    for place in range(len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        try:
            read_logits(path)
        except InputError as error:
            assert error.source == str(path)
            refused += 1
    assert refused > len(whole) // 2

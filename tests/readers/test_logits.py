"""Logits in .npz files."""

import numpy as np
import pytest

from spanometer import InputError
from spanometer.readers.logits import read_logits

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


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ({"logits": np.zeros((1, 2, 3))}, "no list of strings 'labels'"),
        ({"logits": np.zeros((1, 2, 3)), "labels": np.arange(3)}, "no list of strings 'labels'"),
        ({"logits": np.zeros((2, 3)), "labels": LABELS}, "'logits' has the shape"),
        ({"logits": np.zeros((1, 2, 3)), "labels": LABELS, "lengths": np.array([1, 2])}, "does not fit 1 documents"),
        ({"logits": np.zeros((1, 2, 3)), "labels": LABELS, "lengths": np.array([1.0])}, "does not fit 1 documents"),
        ({"logits": np.zeros((1, 2, 3)), "labels": LABELS, "lengths": np.array([3])}, "document 0: the length 3"),
        ({"logits": np.zeros((1, 2, 4)), "labels": LABELS}, "document 0: logits of shape"),
        ({"logits": np.full((1, 2, 3), np.nan), "labels": LABELS}, "document 0, token 0: a logit is NaN"),
        (
            {"logits": np.zeros((1, 2, 3)), "labels": np.array(["O", "X-A", "I-A"])},
            "labels, token 1: 'X-A' has no prefix",
        ),
        ({"a": np.array([{}], dtype=object), "labels": LABELS}, "not an .npz file of numbers and strings"),
    ],
)
def test_bad_logits(tmp_path, named, said):
    path = saved(tmp_path, **named)
    with pytest.raises(InputError) as caught:
        read_logits(path)
    assert str(caught.value).startswith(path)
    assert said in str(caught.value)


def test_files_without_logits(tmp_path):
    path = tmp_path / "a.npz"
    for content in (b"", b"text", b"PK\x03\x04"):
        path.write_bytes(content)
        with pytest.raises(InputError, match=r"not an \.npz file"):
            read_logits(path)
    with open(path, "wb") as stream:
        np.save(stream, np.zeros(3))
    with pytest.raises(InputError, match="this is one array"):
        read_logits(path)
    with pytest.raises(InputError, match="cannot be read: no such file"):
        read_logits(tmp_path / "none")


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


def test_a_zip_file_of_a_later_version(tmp_path):
    path = tmp_path / "logits.npz"
    np.savez(path, np.zeros((3, 3)), labels=LABELS)
    content = bytearray(path.read_bytes())
    content[content.index(b"PK\1\2") + 6] = 99
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"not an \.npz file"):
        read_logits(path)

"""Where documents and tokens stand in files, and whether two files have the same."""

import pytest

from spanometer.errors import InputError
from spanometer.readers import read, require_same_tokens


def test_lines_of_tokens(file):
    read_file = read(file("# c\n\na O\nb O\n\n\nc O\n# d = e\nd O\n"))
    assert read_file.token_lines.tolist() == [3, 4, 7, 9]
    assert read_file.document_lines.tolist() == [3, 7]
    located = read_file.locate(InputError("p", "r", side="references", document=1, position=1))
    assert str(located) == f"{read_file.source}, line 9: p\nr"


def test_require_same_tokens(file):
    one, two = file("a O\n\nb O\nc O\n"), file("O\n\n\nO\n")
    with pytest.raises(InputError) as caught:
        require_same_tokens(read(one), read(two))
    assert caught.value.source == str(one)
    assert caught.value.line == 3
    assert f"has 2 tokens, the predicted one ({two}, line 4) has 1 token." in caught.value.problem
    with pytest.raises(InputError) as caught:
        require_same_tokens(read(two), read(file("O\n")))
    assert (caught.value.source, caught.value.line) == (str(two), 4)
    assert "1 predicted document, 2 reference documents" in caught.value.problem
    require_same_tokens(read(two), read(file("B-X\n\nB-Y\n")))

"""Where documents and tokens stand in files, and whether two files have the same."""

import pytest

import spanometer
from spanometer.exceptions import InputError
from spanometer.readers import read, read_entities, require_same_tokens


def test_lines_of_tokens(file):
    read_file = read(file("# c\n\na O\nb O\n\n\nc O\n# d = e\nd O\n"))
    assert read_file.token_lines.tolist() == [3, 4, 7, 9]
    assert read_file.document_lines.tolist() == [3, 7]
    located = read_file.locate(InputError("p", "r", side="references", document=1, position=1))
    assert str(located) == f"{read_file.source}, line 9: p\nr"


def test_require_same_tokens(file):
    require_same_tokens(read(file("O\n\n\nO\n")), read(file("B-X\n\nB-Y\n")))


def words_error(read_one, one, other):
    sides = [read_one(path) for path in (one, other)]
    require_same_tokens(*sides, ignore_words=True)
    with pytest.raises(InputError) as caught:
        require_same_tokens(*sides)
    assert caught.value.source == str(one)
    assert "ignore_words=True" in str(caught.value)
    return caught.value


def with_words(path):
    return read(path, words=True)


def test_words_are_the_same(file):
    one, other = file("# c\na O\nb O\n\nc B-X\n"), file("a x O\nb y O\n\nd z B-X\n")
    error = words_error(with_words, one, other)
    assert error.line == 5
    assert error.problem == f"the word here is 'c', but it is 'd' in line 4 of {str(other)!r}."
    # tags are no words, and words that were not read are not compared
    for first, second in ((read(one), with_words(other)), (with_words(one), with_words(file("O\nO\n\nB-X\n")))):
        require_same_tokens(first, second)
    require_same_tokens(with_words(one), with_words(file("O O\nO B-X\n\nO O\n")))
    # codes are given in the order of occurrence: the same words, met in another order before
    words_error(with_words, file("a O\nb O\n"), file("b O\na O\n"))


@pytest.mark.parametrize(
    ("word", "other", "hint"),
    [
        ("caf\u00e9", "cafe\u0301", "The only difference: Unicode normalisation."),
        ("Ada", "ADA", "The only difference: case."),
        ("Ada", "Ida", ""),
    ],
)
def test_a_hint_about_words(file, word, other, hint):
    problem = words_error(with_words, file(f"{word} O\n"), file(f"{other} O\n")).problem
    assert problem.startswith(f"the word here is {word!r}, but it is {other!r} in line 1 of ")
    assert problem.endswith(f".conll'. {hint}".strip())


@pytest.mark.parametrize(
    ("read_one", "key"),
    [
        (with_words, '"tags": ["O"]'),
        (spanometer.read, '"spans": []'),
        (read_entities, '"entities": []'),
    ],
)
def test_words_of_json_lines(file, read_one, key):
    one, other = (
        file(f'{{"tokens": ["a"], {key}}}\n\n{{"tokens": ["{word}"], {key}}}\n', f"{word}.jsonl") for word in "bc"
    )
    assert words_error(read_one, one, other).line == 3
    require_same_tokens(read_one(one), read_one(file(f"{{{key}}}\n{{{key}}}\n", "bare.jsonl")))

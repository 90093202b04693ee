"""CoNLL-U with entities in MISC."""

import pytest

from spanometer.exceptions import InputError
from spanometer.readers.formats import detect, read_as


def rows(*misc, words="abcdefgh"):
    return "".join(
        f"{number}\t{word}\t_\tNOUN\t_\t_\t0\troot\t_\t{cell}\n"
        for number, (word, cell) in enumerate(zip(words, misc, strict=False), 1)
    )


def read(file, text, **options):
    path = file(text)
    assert detect(path).name == "conllu"
    return read_as("spans", path, options={"misc_key": None, "scheme": None, "repair": "conlleval", **options})


def spans(found):
    return [[(span["start"], span["end"], span["label"]) for span in row] for row in found.spans.to_dicts()]


@pytest.mark.parametrize("key", ["name", "NE", "NER"])
def test_tags(file, key):
    text = rows(f"SpaceAfter=No|{key}=B-PER", f"{key}=I-PER", "_") + "\n" + rows(f"{key}=I-PER", "_")
    found = read(file, text)
    assert spans(found) == [[(0, 2, "PER")], [(0, 1, "PER")]]
    assert found.words == [["a", "b", "c"], ["a", "b"]]


def test_documents(file):
    """The tags of a sentence do not go on in the next; offsets are those of the document."""
    text = "# newdoc id = x\n" + rows("_", "NE=B-A") + "\n" + rows("NE=I-A", "_") + "\n# newdoc\n" + rows("NE=B-A")
    assert spans(read(file, text)) == [[(1, 2, "A"), (2, 3, "A")], [(0, 1, "A")]]


def test_scheme_and_repair_are_the_decoders(file):
    assert spans(read(file, rows("NE=B-A", "NE=I-B"), scheme="IOB2", repair="discard")) == [[(0, 1, "A")]]


def test_words_and_empty_nodes_are_no_tokens(file):
    lines = rows("NE=B-A", "NE=I-A").splitlines()
    text = "\n".join([lines[0].replace("1\t", "1-2\t", 1), lines[0], lines[1].replace("2\t", "1.1\t", 1), lines[1], ""])
    assert spans(read(file, text)) == [[(0, 2, "A")]]


def test_brackets(file):
    text = "# global.Entity = GRP-etype-head\n" + rows(
        "Entity=(1-person-1(2-place-1", "Entity=2)", "Entity=(2-place-1)", "Entity=1)(3-time-1", "Entity=3)"
    )
    assert spans(read(file, text)) == [[(0, 2, "place"), (0, 4, "person"), (2, 3, "place"), (3, 5, "time")]]


def test_discontinuous_brackets(file):
    """Two mentions of entity 1 and one of entity 2 that lies between the parts of the second."""
    parts = "(1-a)", "(1[1/2]-a", "1[1/2])", "(2[1/2]-b)", "(1[2/2]-c)", "(2[2/2]-b", "2[2/2])"
    found = read(file, rows(*(f"Entity={part}" for part in parts)))
    pieces = [(span["label"], span["fragments"]) for span in found.spans.to_dicts()[0]]
    assert pieces == [("a", [[0, 1]]), ("a", [[1, 3], [4, 5]]), ("b", [[3, 4], [5, 7]])]
    with pytest.raises(InputError, match="'1\\[2/2\\]' has no part before it"):
        read(file, rows("Entity=(1[2/2]-c)"))

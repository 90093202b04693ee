"""QUAERO's markup."""

import pickle
import random
import re
import sys

import pytest

from builders import entity
from entity_files import keys
from slow import markup as slow
from spanometer.exceptions import InputError
from spanometer.readers.text.markup import MAX_DEPTH, from_markup
from spanometer.spans.entities import ENTITY_TYPES


def part(start, end, label):
    return {"start": start, "end": end, "label": label}


AMBASSADOR = (
    "<func.ind> <kind> ambassadeur </kind> de la <loc.adm.nat> <name> Turquie </name> </loc.adm.nat> en "
    "<loc.adm.nat> <name> France </name> </loc.adm.nat> </func.ind>"
)
"""Example 2 of the paper on ETER: the places are entities and components."""


def refused(text, **options):
    with pytest.raises(InputError) as caught:
        from_markup(text, **options)
    return caught.value


def test_nested_entities_are_components_too():
    found = from_markup(AMBASSADOR)
    assert found.words == ["ambassadeur", "de", "la", "Turquie", "en", "France"]
    assert found.entities == [
        entity(0, 6, "func.ind", (0, 1, "kind"), (3, 4, "loc.adm.nat"), (5, 6, "loc.adm.nat")),
        entity(3, 4, "loc.adm.nat", (3, 4, "name")),
        entity(5, 6, "loc.adm.nat", (5, 6, "name")),
    ]


def test_what_is_an_entity():
    text = "<time.date> <time-modifier> about </time-modifier> 1900 </time.date>"
    assert from_markup(text).entities == [entity(0, 2, "time.date", (0, 1, "time-modifier"))]
    assert refused(text, entity_types=["loc", "time-modifier"]).column == 1
    assert from_markup("<drug> a </drug>", entity_types=["drug"]).entities == [entity(0, 1, "drug")]


@pytest.mark.parametrize("word", ["&lt;", "&amp;pers;", "<", "<3", "a<", "<<", "<é", ">", "a>b", "<=", "<!--", "<?x"])
def test_text_is_taken_as_it_is(word):
    if word == "<é":
        assert "is not a tag" in refused(word).problem
        return
    assert from_markup(f"x {word} <loc> {word} </loc>").words == ["x", word, word]


def test_blanks():
    found = from_markup("  a\t b\r\n\n<loc>c\u00a0d\u2028e\x0b</loc>f\r\r\n ")
    assert found.words == ["a", "b", "c\u00a0d\u2028e\x0b", "f"]
    assert found.entities == [entity(2, 3, "loc")]
    assert from_markup("a<loc>b</loc>c").words == ["a", "b", "c"]


def test_errors_name_the_document_and_count_lines_from_the_first_given():
    error = refused("a\n</loc>", document=3, first_line=10)
    assert error.place == "document 3, line 11, column 1"
    twin = pickle.loads(pickle.dumps(error))
    assert (str(twin), twin.column, twin.line) == (str(error), 1, 11)
    said = error.placed(side="references")
    assert said.place == "references, document 3, line 11, column 1"
    assert error.in_file("f.ne", 11).placed(column=1).place == "f.ne, line 11, column 1"
    assert error.in_file("f.ne").column is None


def test_long_and_strange_names_are_shown_short():
    error = refused("<" + "a" * 1_000_000 + ">b</pers>")
    assert len(str(error)) < 400
    assert len(str(refused("<" + "a" * 1_000_000))) < 400
    assert "\\x1b" in str(refused("a <b\x1b[31m>"))


# depth and size


def nested(depth, name="pers"):
    return f"<{name}> " * depth + "a" + f" </{name}>" * depth


def test_depth():
    assert len(from_markup(nested(MAX_DEPTH)).entities) == MAX_DEPTH
    error = refused(nested(MAX_DEPTH + 1))
    assert error.column == len("<pers> ") * MAX_DEPTH + 1
    assert error.problem.startswith(f"more than {MAX_DEPTH} tags are open")
    assert refused("<pers>" * 100_000).problem == error.problem
    assert refused("<pers>" + "<name>" * 100_000).column == 6 * MAX_DEPTH + 1
    assert refused("</pers>" * 100_000).column == 1


def calls_to_read(text):
    """How many functions are called, Python's and C's, to read a text."""
    count = 0

    def note(frame, event, argument):
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        from_markup(text)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("unit", [AMBASSADOR + " ", nested(50) + "\n", "a < b << ", "a \n", nested(20, "loc+org")])
def test_work_is_linear(unit):
    one, ten = calls_to_read(unit * 30), calls_to_read(unit * 300)
    assert ten <= 10 * one


@pytest.mark.parametrize(
    "text", ["<" + "a." * 1_000_000, "<" + "a+" * 1_000_000, "<a" * 1_000_000, "a" * 1_999_999 + "</a"]
)
def test_megabytes_of_malformed_tags(text):
    assert refused(text).line == 1


# random trees

ENTITIES = ("pers.ind", "loc", "loc.adm", "org+loc", "time.date+org", "amount")
COMPONENTS = ("name", "name.first", "kind", "val", "time-modifier")


def random_tree(generator, depth, inside):
    """Words and elements."""
    pieces = []
    for _ in range(generator.choice((1, 1, 2, 3))):
        if depth < 5 and generator.random() < 0.6:
            name = generator.choice((*ENTITIES, *(COMPONENTS if inside else ())))
            pieces += [f"<{name}>", *random_tree(generator, depth + 1, inside or name in ENTITIES), f"</{name}>"]
        else:
            pieces.append(generator.choice("abcdef"))
    return pieces


def test_random_trees():
    deepest = 0
    for seed in range(500):
        generator = random.Random(seed)
        text = " ".join(random_tree(generator, 0, False))
        found = from_markup(text.replace(" ", generator.choice((" ", "\n", " \t "))))
        words, expected = slow.read(text, ENTITY_TYPES)
        assert found.words == words
        assert [key[1:] for key in keys([found.entities])] == expected
        deepest = max(deepest, len(expected))
    assert deepest > 5


PIECES = ["<loc>", "</loc>", "<name>", "</name>", "<loc+org>", "</loc+org>", "<", ">", "a", " ", "\n", "</", "+", "é"]


def test_any_text_is_read_or_refused_at_its_place():
    generator = random.Random(7)
    read = 0
    for _ in range(5_000):
        text = "".join(generator.choices(PIECES, [4, 4, 2, 2, 1, 1, 1, 1, 8, 6, 1, 1, 1, 1], k=generator.randrange(14)))
        try:
            found = from_markup(text)
        except InputError as error:
            line = text.split("\n")[error.line - 1]
            assert line[error.column - 1] == "<"
            continue
        read += 1
        assert found.words == re.sub(r"</?[\w+]+>", " ", text).split()
    assert read > 500

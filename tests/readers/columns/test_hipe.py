"""HIPE's columns."""

import random

import pytest

from builders import entity
from entity_files import NAMES, PRESIDENT, entities_of, hipe, keys, trees
from spanometer.measures import SpanF
from spanometer.readers import read, require_same_tokens
from spanometer.spans.spans import pair_from_tags


def test_hipe_by_hand():
    file = entities_of(PRESIDENT)
    assert trees(file) == [
        [
            entity(1, 6, "pers.ind", (1, 5, "function"), (4, 5, "loc.adm.nat"), (5, 6, "name")),
            entity(4, 5, "loc.adm.nat"),
            entity(7, 8, "loc.adm.town+org.adm"),
        ]
    ]
    assert file.words == [["Le", "président", "de", "la", "France", "Poincaré", "quitte", "Paris"]]
    assert (file.format, file.documents.ids, file.left_out) == ("hipe", ("d1",), ())
    assert (file.line(0), file.line(0, 3), file.lengths.tolist()) == (3, 6, [8])
    assert len(file.trees) == 3


def test_entities_end_with_their_documents():
    head = "# document_id = d1\n"
    rows = hipe("a B-loc O O O", head=head) + "# document_id = d2\n" + "b\tI-loc\tO\tB-comp.x\tO\n"
    file = entities_of(rows)
    assert trees(file) == [[entity(0, 1, "loc")], [entity(0, 1, "loc", (0, 1, "x"))]]
    assert file.documents.ids == ("d1", "d2")
    assert file.document_lines.tolist() == [3, 5]


def test_names_of_documents():
    text = (
        "TOKEN\tNE-FINE-LIT\n# hipe2022:document_id = a b\n# hipe2022:x = y\na\tO\n# hipe2022:document_id = c\nb\tO\n"
    )
    assert entities_of(text).documents.ids == ("a b", "c")
    # a document without rows is left out
    text = hipe("a O O O O").replace("# document_id = d1", "# document_id = d0\n# document_id=d1\t\t")
    assert entities_of(text).documents.ids == ("d1",)
    text = "TOKEN\tNE-FINE-LIT\na\tO\n# document_id = b\nb\tO\n"
    assert entities_of(text).documents.ids == ("", "b")


def test_the_level():
    names = ["TOKEN", "NE-COARSE-LIT", "NE-COARSE-METO", *NAMES[1:]]
    content = hipe("a B-loc B-org B-loc.adm B-org.ent B-comp.name B-pers", names=names)
    assert trees(entities_of(content))[0][0] == entity(0, 1, "loc.adm+org.ent", (0, 1, "name"), (0, 1, "pers"))
    assert trees(entities_of(content, level="coarse")) == [[entity(0, 1, "loc+org")]]


def test_columns_that_may_be_missing():
    assert trees(entities_of(hipe("a B-loc", names=["TOKEN", "NE-FINE-LIT"]))) == [[entity(0, 1, "loc")]]
    swapped = hipe("_ B-comp.x a B-loc", names=["MISC", "NE-FINE-COMP", "TOKEN", "NE-FINE-LIT"])
    assert trees(entities_of(swapped)) == [[entity(0, 1, "loc", (0, 1, "x"))]]
    assert entities_of(swapped).words == [["a"]]


def test_scheme_and_repair_are_the_decoders():
    content = hipe("a I-loc O O O", "b B-loc O O O", "c I-org O O O")
    assert [each["start"] for each in trees(entities_of(content))[0]] == [0, 1, 2]
    assert [each["start"] for each in trees(entities_of(content, repair="discard"))[0]] == [1]
    single = hipe("a S-loc O O O")
    assert trees(entities_of(single, scheme="IOBES")) == [[entity(0, 1, "loc")]]


def random_hipe(generator):
    """A file of random columns, illegal tags and components without entities among them."""
    labels = {1: ("loc.a", "org.b", "pers"), 2: ("loc.a", "org.b"), 3: ("comp.x", "comp.y"), 4: ("loc.a", "pers")}
    content = "\t".join(NAMES) + "\n"
    for document in range(generator.randrange(1, 4)):
        content += f"# document_id = d{document}\n"
        for _ in range(generator.randrange(1, 9)):
            tags = [
                generator.choice(("B-", "I-", "I-")) + generator.choice(labels[column])
                if generator.random() < (0.8, 0.3, 0.4, 0.3)[column - 1]
                else "O"
                for column in range(1, 5)
            ]
            content += "\t".join([generator.choice(("a", "#", "# b", "O", "<loc>")), *tags]) + "\n"
    return content


def obvious(content):
    """Entities of columns, (document, start, end, types, components), and how many spans are left out."""
    documents = []
    for line in content.splitlines()[1:]:
        if line.startswith("# document_id"):
            documents.append([])
        else:
            documents[-1].append(line.split("\t"))
    found, left_out = [], 0
    for number, rows in enumerate(documents):
        literal, metonymic, components, nested = (spans_in([row[column] for row in rows]) for column in range(1, 5))
        trees = [[number, *bounds, [label], []] for *bounds, label in literal]
        roots = list(trees)
        for start, end, label in metonymic:
            same = [root for root in roots if root[1:3] == [start, end]]
            if not same:
                trees.append([number, start, end, [label], []])
            elif same[0][3] == [label]:
                left_out += 1
            else:
                same[0][3].append(label)
        for spans, are_entities in ((nested, True), (components, False)):
            for start, end, label in spans:
                around = [root for root in roots if root[1] <= start and end <= root[2]]
                name = label.removeprefix("comp.")
                if around:
                    around[0][4].append((start, end, name))
                elif not are_entities:
                    left_out += 1
                if are_entities:
                    trees.append([number, start, end, [label], []])
        found += trees
    return sorted((d, s, e, tuple(types), tuple(sorted(parts))) for d, s, e, types, parts in found), left_out


def spans_in(tags):
    spans = []
    for position, tag in enumerate(tags):
        if tag == "O":
            continue
        label = tag[2:]
        if tag[0] == "I" and spans and spans[-1][1] == position and spans[-1][2] == label:
            spans[-1][1] += 1
        else:
            spans.append([position, position + 1, label])
    return spans


def test_random_columns():
    for seed in range(100):
        generator = random.Random(seed)
        content = random_hipe(generator)
        file = entities_of(content)
        expected, left_out = obvious(content)
        # equal entities are one
        assert keys(trees(file)) == sorted(set(expected))
        assert len(file.left_out) == left_out


REFERENCE, SYSTEM = "hipe2020_test_fr.tsv", "hipe2020_team1_bundle3_fr_1.tsv"

OFFICIAL = {
    ("coarse", "NE-COARSE-LIT"): (1217, 397, 383),
    ("coarse", "NE-COARSE-METO"): (62, 27, 50),
    ("fine", "NE-FINE-LIT"): (1114, 446, 486),
    ("fine", "NE-FINE-METO"): (62, 31, 50),
    ("fine", "NE-FINE-COMP"): (439, 188, 271),
    ("fine", "NE-NESTED"): (23, 35, 59),
}
"""Official counts of exact matches: true positives, false positives, false negatives."""


@pytest.fixture(scope="session")
def columns(data):
    """All columns with official counts, of the reference and of the system."""
    names = [column for _, column in OFFICIAL]
    return [read(data / name, columns=names, documents="document_id", outside="_") for name in (REFERENCE, SYSTEM)]


@pytest.mark.parametrize(("level", "column"), OFFICIAL)
def test_counts_of_each_column_are_the_official_ones(columns, level, column):
    files = [file.select(file.columns.index(column)) for file in columns]
    require_same_tokens(*files)
    assert len(files[0].document_lines) == 43
    counts = SpanF().counts(*pair_from_tags(*(file.tags[0] for file in files))[:2])
    assert (counts.both, counts.predicted - counts.both, counts.reference - counts.both) == OFFICIAL[level, column]

"""Nested spans from files, layer by layer: JSON lines of spans, and tag columns taken together."""

import json

import pytest

from spanometer import Spans
from spanometer.spans.annotations import union

WORDS = ["the", "University", "of", "Paris", "in", "France", "is", "old"]
GOLD = [[(0, 4, "ORG"), (3, 4, "ORG"), (5, 6, "LOC")], []]
SYSTEM = [[(1, 4, "ORG"), (3, 4, "ORG"), (5, 6, "LOC")], []]
CHANCE = ("--measures", "chance_kappa_f1(placement=layers)")
HIPE = ("--documents", "document_id", "--outside", "_")


def lines(documents):
    rows = (
        {
            "id": str(number),
            "tokens": WORDS[: 2 if number else 8],
            "spans": [dict(zip(("start", "end", "label"), span, strict=True)) for span in spans],
        }
        for number, spans in enumerate(documents)
    )
    return "".join(json.dumps(row) + "\n" for row in rows)


def columns(documents, outer=lambda span: span[1] - span[0] != 1 or span[2] == "LOC"):
    """HIPE's columns; the outer spans in one, the inner ones in another."""
    text = "TOKEN\tNE-COARSE-LIT\tNE-FINE-LIT\tNE-NESTED\n"
    for number, spans in enumerate(documents):
        text += f"# document_id = {number}\n"
        size = 2 if number else 8
        rows = [["_"] * size, ["_"] * size]
        for span in spans:
            row = rows[0 if outer(span) else 1]
            for token in range(span[0], span[1]):
                row[token] = f"{'B' if token == span[0] else 'I'}-{span[2]}"
        text += "".join("\t".join((word, "_", *tags)) + "\n" for word, *tags in zip(WORDS, *rows, strict=False))
    return text


def test_by_hand(scores, file):
    """Of 7 + 1 and 6 + 1 tokens 7 are shared, each layer counted; see the chance of each by hand."""
    of_lines = scores("score", file("a.jsonl", lines(GOLD)), file("b.jsonl", lines(SYSTEM)), *CHANCE)
    found = of_lines["measures"]["chance_kappa_f1"]
    # spans of 4 and 3 tokens anywhere in 8 share 52 / 30; each layer meets each; one token of 8 meets one
    expected = 52 / 30 + (4 + 3) / 8 + 1 / 8 + 1 / 8
    assert found["counts"] == pytest.approx(
        {"both": 7, "expected": expected, "predicted": 7, "reference": 8, "reference_spans": 3}
    )
    assert found["scores"]["f1"] == pytest.approx(14 / 15)
    assert found["scores"]["chance_f1"] == pytest.approx(2 * expected / 15)
    # the same from columns
    of_columns = scores(
        "score",
        *(file("a.tsv", columns(GOLD)), file("b.tsv", columns(SYSTEM))),
        *(*CHANCE, *HIPE, "--layer-columns", "NE-FINE-LIT,NE-NESTED"),
    )["measures"]["chance_kappa_f1"]
    assert of_columns["scores"] == pytest.approx(found["scores"], abs=1e-12)
    assert of_columns["signature"].startswith(
        "chance_kappa_f1|scheme:IOB2|repair:conlleval|documents:document_id|outside:_|layers:NE-FINE-LIT+NE-NESTED|"
    )


def test_union_by_hand():
    layers = [Spans.from_tags([["B-A", "I-A"], ["O"]]), Spans.from_tags([["B-A", "O"], ["B-C"]])]
    layers.append(Spans.from_tags([["B-A", "I-A"], ["O"]]))
    found = union(layers)
    assert [[tuple(span.values()) for span in document] for document in found.to_dicts()] == [
        [(0, 1, "A"), (0, 2, "A")],
        [(0, 1, "C")],
    ]
    assert found.lengths.tolist() == [2, 1]


COLUMNS = (*HIPE, "--layer-columns", "NE-FINE-LIT,NE-NESTED")
OTHER = [[(0, 4, "ORG"), (1, 2, "ORG"), (5, 6, "LOC")], [(0, 1, "LOC")]]


def results(found):
    """A result without what names its files and how they were read."""
    if isinstance(found, dict):
        left = (
            "files",
            "reference",
            "predictions",
            "systems",
            "signature",
            "signatures",
            "document_lines",
            "lines",
            "tokens",
        )
        return {key: results(value) for key, value in found.items() if key not in left}
    return [results(value) for value in found] if isinstance(found, list) else found


@pytest.mark.parametrize(
    ("command", "options"),
    {
        "agree": ("agree", ("--measures", "chance_kappa_f1(placement=layers)", "--per-label")),
        "compare": ("compare", ("--n-resamples", "20", "--measures", "span_f,link_f", "--per-label")),
        "errors": ("errors", ()),
        "references": ("score", ("--references", "2")),
    }.values(),
)
def test_layers_are_the_same_spans_in_every_command(run, file, command, options):
    """What columns have is what JSON lines of nested spans have, and the signature names the columns."""
    contents = (GOLD, SYSTEM, OTHER)
    from_columns = [file(f"{place}.tsv", columns(spans)) for place, spans in enumerate(contents)]
    from_lines = [file(f"{place}.jsonl", lines(spans)) for place, spans in enumerate(contents)]
    found = []
    for paths, reading in ((from_columns, COLUMNS), (from_lines, ())):
        status, output, errors = run(command, *paths, *reading, *options, "--json")
        assert (status, errors) == (0, "")
        found.append(json.loads(output))
    assert results(found[0]) == results(found[1])
    assert "layers:NE-FINE-LIT+NE-NESTED" in json.dumps(found[0])
    assert "layers:" not in json.dumps(found[1])

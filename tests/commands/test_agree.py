"""`spanometer agree`: the agreement of annotators."""

import re
from itertools import chain

import pytest

import spanometer
from spanometer.documents.joining import SCORED_DOCUMENTS
from spanometer.measures import Gamma
from spanometer.readers import read, tag_lists

ANN = "Ada B-PER\nLovelace I-PER\nslept O\n\nin O\nRome B-LOC\n"
BEN = "Ada B-PER\nLovelace O\nslept O\n\nin B-LOC\nRome I-LOC\n"
CAT = "Ada O\nLovelace B-PER\nslept O\n\nin O\nRome B-LOC\n"
ALL = "\n".join(
    f"{one} {two.split()[1]} {three.split()[1]}" if one else ""
    for one, two, three in zip(ANN.split("\n"), BEN.split("\n"), CAT.split("\n"), strict=True)
)


# of older matplotlib with newer pyparsing
old_matplotlib = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@pytest.fixture
def files(file):
    return [file(f"{name}.conll", content) for name, content in (("ann", ANN), ("ben", BEN), ("cat", CAT))]


def expected(files, **options):
    return spanometer.agreement(
        [tag_lists(read(path).tags[0]) for path in files], names=["ann", "ben", "cat"], **options
    )


@pytest.mark.filterwarnings("ignore:annotator:UserWarning")
def test_the_consensus_of_expanded_spans_is_written(run, lines, tmp_path):
    span = {"start": 0, "end": 2, "label": "P"}
    path, gold = lines("a.jsonl", {"text": "Ann-Marie", "spans": [span, span]}), tmp_path / "gold.jsonl"
    assert run("consensus", path, path, "--tokenizer", "words", "--to-tokens", "expand", "-o", gold)[0] == 0
    assert spanometer.read(gold).spans.to_dicts() == [[{**span, "end": 1}]] and gold.read_text().count("label") == 1


def test_formats_in_code_points_ignore_the_offset_unit(scores, run, lines):
    span = {"start": 2, "end": 5, "label": "P"}
    gold = lines("gold.jsonl", {"text": "💃 Ann", "label": [[3, 6, "P"]]})
    for key in ("spans", "entities"):
        system = lines(f"{key}.jsonl", {"text": "💃 Ann", key: [span]})
        found = scores("score", gold, system, "--offset-unit", "utf-16", "--measures", "span_f")
        assert found["measures"]["span_f"]["scores"]["f1"] == 1
        assert "--offset-unit has no effect" in run("score", system, system, "--offset-unit", "utf-16")[2]


def test_columns_of_one_file(scores, file, files):
    path = file("all.conll", ALL)
    found = scores("agree", path, "--column", "2,3,4")
    assert found["annotators"] == ["column 2", "column 3", "column 4"]
    named = scores("agree", path, "--column", "2, 3, 4", "--names", "ann, ben, cat")
    of_files = scores("agree", *files)
    assert {**named, "files": None} == {**of_files, "files": None}


def documents(annotator, *numbers):
    spans = [{"start": 0, "end": 3, "label": "PER"}, {"start": 4, "end": 7, "label": "LOC"}]
    parts = ({"id": f"d{number}", "spans": spans[(number + place) % 3 :]} for place, number in enumerate(numbers))
    return [{**part, "text": "Ada Ulm", "annotator": annotator} for part in parts]


@pytest.mark.filterwarnings("ignore:.* document:UserWarning")
@pytest.mark.parametrize("policy", SCORED_DOCUMENTS)
@pytest.mark.parametrize("command", ["agree", "consensus", "score", "errors"])
def test_one_file_of_all_annotators(run, lines, command, policy):
    """The same numbers as from separate files, also if annotators have different documents."""
    people = {"ann": documents("ann", 1, 2, 3), "ben": documents("ben", 4, 3, 1), "cat": documents("cat", 1, 3, 4, 5)}
    files = [lines(f"{name}.jsonl", *rows) for name, rows in people.items()]
    whole, system = lines("all.jsonl", *chain(*people.values())), lines("new.jsonl", *documents("ben", 1, 2, 3, 5))
    together, apart = {
        "score": ([whole, system, "--references", 1], [*files, system, "--references", 3]),
        "errors": ([whole, system, "--annotators", "ben"], [files[1], system]),
    }.get(command, ([whole], files))
    more = ["--scored-documents", policy, *([] if command == "consensus" else ["--json"])]
    (status, output, _), (of_files, expected, _) = (run(command, *each, *more) for each in (together, apart))
    if policy == "same" and command in ("agree", "consensus"):
        # by default one file leaves out what an annotator lacks
        assert (status, of_files) == (0, 2)
        return
    assert status == of_files == (2 if policy == "same" else 0)
    assert re.sub(r'"file": .*', "", output) == re.sub(r'"file": .*', "", expected)


@old_matplotlib
def test_plot(run, files, tmp_path):
    pytest.importorskip("matplotlib")
    path = tmp_path / "agreement.png"
    status, _, complaint = run("agree", *files, "--plot", path)
    assert (status, complaint) == (0, "")
    assert path.read_bytes().startswith(b"\x89PNG")


def test_gamma(run, files, scores):
    gamma = ("agree", *files, "--measures", "unitizing_alpha", "--measures")
    found = scores(*gamma, "gamma(samples=5,distances=PER/LOC=0.5)")
    assert scores(*gamma, 'gamma(samples=5,distances={"PER": {"LOC": 0.5}})') == found
    sides = {name: tag_lists(read(path).tags[0]) for name, path in zip(("ann", "ben", "cat"), files, strict=True)}
    expected = spanometer.agreement(sides, gamma=Gamma(samples=5, distances={"PER": {"LOC": 0.5}}))
    assert {key: found[key] for key in Gamma.keys} == {key: getattr(expected, key) for key in Gamma.keys}
    assert found["signatures"]["gamma"] == expected.signatures["gamma"]
    assert "|distances:LOC/PER=0.5|" in found["signatures"]["gamma"]
    _, output, _ = run(*gamma, "gamma(samples=5,distances=PER/LOC=0.5)")
    assert re.search(rf"^all jointly .* {expected.gamma:.4f} +{expected.gamma_cat:.4f}$", output, re.MULTILINE)

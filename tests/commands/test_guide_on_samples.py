"""The commands of the guide for annotation leads, on exports of brat, INCEpTION, Label Studio and Doccano."""

import json
import re
import shutil

import pytest


@pytest.fixture
def exports(data):
    return data / "exports"


@pytest.fixture
def inception(exports, tmp_path):
    """A project with two annotators and a curator, of samples that are files of one document each."""
    for number, name in enumerate(("TokenBoundedStackedSpanWithFeatureValue", "MultiTokenSpanWithFeatureValue")):
        folder = tmp_path / "project" / "annotation" / f"doc{number}.txt"
        folder.mkdir(parents=True)
        for user in ("ann", "ben", "CURATION_USER"):
            shutil.copy(exports / "webanno_tsv" / "suite" / f"test{name}.tsv", folder / f"{user}.tsv")
    return tmp_path / "project"


WORDS = ("--tokenizer", "words", "--to-tokens", "expand")


def sides_of(tool, exports, inception):
    brat, studio = exports / "brat" / "bratiaa-agree-2", exports / "label_studio"
    return {
        "brat": ([brat / "ann1", brat / "ann2", "--join-fragments"], ["esp.train-doc-29", "esp.train-doc-46"]),
        "inception": ([inception, "--layer", "Span"], ["doc0.txt", "doc1.txt"]),
        "label_studio": (
            [studio / "ner_saude-bruno.json", studio / "ner_saude-elisa.json", "--scored-documents", "shared"],
            ["937", "940", "943"],
        ),
        "doccano": ([exports / "doccano" / "annotations-with-users.jsonl", "--scored-documents", "shared"], ["2578"]),
    }[tool]


# what is moved or left out is a warning
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("tool", ["brat", "inception", "label_studio", "doccano"])
def test_guide(run, exports, inception, tool, tmp_path):
    paths, names = sides_of(tool, exports, inception)
    status, output, _ = run("agree", *paths, *WORDS, "--confidence", "0.95", "--per-label", "--per-document")
    assert status == 0
    shown = re.findall(r"^(\S+) ", output.rpartition("document ")[2], re.MULTILINE)
    assert [name for name in shown if name in names] == names
    assert "?: fewer than 10 documents" in output
    for more in (["--disagreements"], ["--disagreements", "-o", tmp_path / "places.html"]):
        assert run("agree", *paths, *WORDS, *more)[0] == 0
    status, output, _ = run("agree", *paths, *WORDS, "--per-document", "--json")
    assert json.loads(output)["document_names"] == names
    assert run("consensus", *paths, "-o", tmp_path / "gold.jsonl")[0] == 0


def test_curator(run, inception):
    _, output, _ = run("agree", inception, "--layer", "Span")
    assert "The curator 'CURATION_USER' was left out; choose other annotators with --annotators" in output
    described = json.loads(run("agree", inception, "--layer", "Span", "--json")[1])
    assert described["annotators"] == ["ann", "ben"]
    named = ("--annotators", "ann,CURATION_USER")
    status, output, _ = run("agree", inception, "--layer", "Span", *named, "--json")
    assert (status, json.loads(output)["annotators"]) == (0, ["ann", "CURATION_USER"])
    # as a reference the curator is chosen
    status, output, _ = run("score", inception, inception, "--layer", "Span", "--measures", "span_f")
    assert status == 0 and "Only the spans of the curator 'CURATION_USER' were used" in output


@pytest.mark.parametrize(
    ("arguments", "place"),
    [(["--tokenizer", "words"], "token 42"), ([], "character 251"), (["--join-fragments"], "character 251")],
)
def test_errors_name_the_document_and_the_option(complaint, exports, arguments, place):
    folder = exports / "brat" / "medkit"
    said = complaint("agree", folder, folder, *arguments)
    assert f"annotator medkit (1), document '1_example', {place}: a span labelled 'vitamin' is discontinuous" in said
    assert "To join fragments with only white space between them, use --join-fragments" in said


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_spans_off_the_words_of_brat(run, tmp_path):
    (tmp_path / "ann").mkdir()
    for name in ("a", "b"):
        (tmp_path / "ann" / f"{name}.txt").write_text("In Freetown", encoding="utf-8")
        (tmp_path / "ann" / f"{name}.ann").write_text("T1\tLOC 3 7\tFree\n", encoding="utf-8")
    paths = tmp_path / "ann", tmp_path / "ann"
    assert run("agree", *paths, *WORDS)[0] == 0

"""PubTator and BioC."""

import json

import pytest

from spanometer.readers.formats import detect, read_as

LINES = "7|t|Breast cancer 💊.\n7|a|TNF is seen.\n"
LINES += "7\t0\t13\tBreast cancer\tDisease\tD1\n7\t17\t20\tTNF\tGene\n7\tCID\tD1\tD2\n"


def read(path, **options):
    return read_as("spans", path, options={"offset_unit": None, **options})


def spans(found):
    return [[(span["start"], span["end"], span["label"]) for span in row] for row in found.spans.to_dicts()]


def test_pubtator(file):
    path = file(f"{LINES}\n8|t|Nothing\n8|a|\n\n")
    assert detect(path).name == "pubtator"
    found = read(path)
    assert spans(found) == [[(0, 13, "Disease"), (17, 20, "Gene")], []]
    assert (found.documents.ids, found.documents.texts) == (("7", "8"), ("Breast cancer 💊. TNF is seen.", "Nothing "))


@pytest.mark.parametrize("start", [17, 18, 20])
def test_units_of_pubtator(file, start):
    """The pill before TNF is 1 code point, 2 UTF-16 units, 4 bytes."""
    found = read(file(LINES.replace("17\t20", f"{start}\t{start + 3}")))
    assert spans(found) == [[(0, 13, "Disease"), (17, 20, "Gene")]]


def annotation(text, *locations, kind="Disease"):
    return {
        "infons": {"type": kind},
        "text": text,
        "locations": [{"offset": offset, "length": length} for offset, length in locations],
    }


def collection(*annotations, **more):
    passages = [
        {"offset": 0, "text": "Breast cancer", "annotations": list(annotations), "relations": []},
        {"offset": 15, "text": "TNF", "annotations": []},
    ]
    return {"documents": [{"id": "7", "passages": passages, **more}]}


def test_bioc(file):
    one = annotation("Breast cancer", (0, 13))
    gap = annotation("Breast [...] TNF", (15, 3), (0, 6), kind="Odd")
    path = file(json.dumps(collection(one, gap)))
    assert detect(path).name == "bioc"
    found = read(path)
    assert found.spans.to_dicts() == [
        [{"label": "Disease", "fragments": [[0, 13]]}, {"label": "Odd", "fragments": [[0, 6], [15, 18]]}]
    ]
    assert found.documents.texts == ("Breast cancer  TNF",)
    assert spans(read(file(json.dumps({"PubTator3": collection(one)["documents"]})))) == [[(0, 13, "Disease")]]


def test_sentences_of_bioc(file):
    sentences = [
        {"offset": 0, "text": "One.", "annotations": [annotation("One", (0, 3))]},
        {"offset": 5, "text": "Two.", "annotations": [annotation("Two", (5, 3))]},
    ]
    document = {"id": "1", "passages": [{"offset": 0, "sentences": sentences}]}
    found = read(file(json.dumps({"documents": [document]})))
    assert found.documents.texts == ("One. Two.",)
    assert spans(found) == [[(0, 3, "Disease"), (5, 8, "Disease")]]

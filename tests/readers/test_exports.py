"""Real exports of annotation tools and outputs of systems, against facts counted without the project."""

import csv
from collections import Counter

import pytest

from spanometer.readers.formats import detect, formats_of, read_as

# folders of formats whose files have another name here, and the options that their files need
FOLDERS = {
    **{name: (name, {}) for name in ("brat", "label_studio", "prodigy", "pubtator", "conllu", "spacy")},
    **dict.fromkeys(("gliner_output", "langextract", "presidio_analyzer", "presidio_research"), ("system", {})),
    **dict.fromkeys(("bioc_json", "bioc_xml"), ("bioc", {})),
    "doccano": ("doccano", {"offset_unit": "utf-16"}),
    "label_studio_min": ("label_studio", {}),
    "gliner_training": ("gliner", {}),
}
# annotations without a label, which BioC's reader refuses
UNREADABLE = ("bioc_xml/dkpro-bioc-example-with-text-in-passage.xml",)
# tasks that were not accepted are counted there too: 4 tasks with 2 spans
# and a line of brat's whose type is three words, which is listed
REJECTED = {
    "brat/edsnlp/subfolder/doc-1.ann": (0, Counter({"test label 0": 1})),
    "prodigy/ner_tweets-test_annotated.jsonl": (4, Counter(PERSON=2)),
}


def options(**given):
    known = {name: value for format in formats_of("spans").values() for name, value in format.options.items()}
    return {**known, **given}


@pytest.mark.parametrize("folder", FOLDERS)
def test_counts(data, folder):
    name, given = FOLDERS[folder]
    exports = data / "exports"
    with open(exports / "expected.tsv", encoding="utf-8") as table:
        rows = [row for row in csv.DictReader(table, delimiter="\t") if row["file"].split("/")[0] == folder]
        rows = [row for row in rows if row["file"] not in UNREADABLE]
    assert rows
    if folder == "spacy":
        pytest.importorskip("spacy", reason="needs spaCy: pip install spanometer[spacy]")
    for row in rows:
        path = exports / row["file"]
        assert detect(path).name == ("spacy_json" if name == "spacy" and path.suffix == ".json" else name), row["file"]
        found = read_as("spans", path, options=options(**given))
        rejected, less = REJECTED.get(row["file"], (0, Counter()))
        expected = Counter({label: int(count) for label, _, count in map(_parted, row["by_label"].split("; "))})
        # what is one document there may be many sentences here
        assert folder == "conllu" or found.documents.size == int(row["documents"]) - rejected, row["file"]
        assert Counter(found.spans.labels[code] for code in found.spans.label) == expected - less, row["file"]
        assert len(found.left_out) >= rejected


def _parted(pair):
    return pair.rpartition("=")

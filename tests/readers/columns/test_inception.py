"""Projects of INCEpTION: a folder a document, a file an annotator; layers that only some have used."""

import os
import shutil

import pytest

import spanometer
from spanometer import InputError
from spanometer.readers.formats import detect

HEADER = "#FORMAT=WebAnno TSV 3.3\n#T_SP=de.tud.ner.type.NamedEntity|value\n\n\n"
PARTS = "#FORMAT=WebAnno TSV 3.3\n#T_SP=de.tud.pos.type.POS|PosValue\n\n\n"
NOTHING = "#FORMAT=WebAnno TSV 3.3\n\n\n"
WORDS = {"a.txt": ("Ada", "woke"), "b.txt": ("In", "Rome")}


def tsv(document, *tags, header=HEADER):
    """A file with a row for each word and its tag; without tags it has no column."""
    words = WORDS[document]
    rows, start = [f"#Text={' '.join(words)}"], 0
    for place, word in enumerate(words):
        cells = "".join(f"\t{tag}" for tag in tags[place : place + 1])
        rows.append(f"1-{place + 1}\t{start}-{start + len(word)}\t{word}{cells}\t")
        start += len(word) + 1
    return header + "\n".join(rows) + "\n"


FILES = {
    "annotation/a.txt/ann.tsv": tsv("a.txt", "PER", "_"),
    "annotation/a.txt/ben.tsv": tsv("a.txt", "PER", "PER"),
    "annotation/a.txt/INITIAL_CAS.tsv": tsv("a.txt", header=NOTHING),
    "annotation/b.txt/ann.tsv": tsv("b.txt", "_", "LOC"),
    # ben has annotated nothing here
    "annotation/b.txt/ben.tsv": tsv("b.txt", header=NOTHING),
    "annotation/b.txt/INITIAL_CAS.tsv": tsv("b.txt", header=NOTHING),
    "curation/a.txt/CURATION_USER.tsv": tsv("a.txt", "PER", "_"),
    "source/a.txt": "Ada woke",
    "exportedproject.json": "{}",
}


@pytest.fixture
def project(tmp_path):
    """Write the files of a project, with some changed (None leaves a file out), and give the folder."""

    def write(**changed):
        folder = tmp_path / "project"
        shutil.rmtree(folder, ignore_errors=True)
        for name, content in {**FILES, **changed}.items():
            if content is not None:
                path = folder / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(content, encoding="utf-8")
        return folder

    return write


def spans_of(file):
    return [[(span["start"], span["end"], span["label"]) for span in document] for document in file.spans.to_dicts()]


def test_annotators_and_documents(project):
    folder = project()
    for path in (folder, folder / "annotation", f"{folder}{os.sep}"):
        file = spanometer.read(path)
        assert file.documents.ids == ("a.txt", "a.txt", "b.txt", "b.txt")
        assert file.annotators == ("ann", "ben", "ann", "ben")
        assert spans_of(file) == [[(0, 3, "PER")], [(0, 3, "PER"), (4, 8, "PER")], [(3, 7, "LOC")], []]
        assert file.notes == ("2 files not read, because the documents are not annotated yet (INITIAL_CAS).",)
        assert file.left_out == ()
    assert spans_of(spanometer.read(folder, annotator="ben")) == [[(0, 3, "PER"), (4, 8, "PER")], []]
    curated = spanometer.read(folder / "curation")
    assert (curated.documents.ids, curated.annotators) == (("a.txt",), ("CURATION_USER",))


def test_documents_that_one_annotator_lacks(project, complaint, run):
    folder = project(**{"annotation/b.txt/ben.tsv": None})
    status, output, _ = run("agree", folder)
    assert status == 0
    assert "1 document left out: document 'b.txt'" in output


def test_layers(project):
    changed = {"annotation/a.txt/ben.tsv": tsv("a.txt", "N", "V", header=PARTS)}
    folder = project(**changed)
    # what an annotator has not used is no span
    file = spanometer.read(folder, layer="NamedEntity")
    assert spans_of(file) == [[(0, 3, "PER")], [], [(3, 7, "LOC")], []]
    parts = spanometer.read(folder, layer="POS")
    assert spans_of(parts) == [[], [(0, 3, "N"), (4, 8, "V")], [], []]
    untouched = {name: tsv(name.split("/")[1], header=NOTHING) for name in FILES if name.startswith("annotation")}
    assert spans_of(spanometer.read(project(**untouched))) == [[], [], [], []]


def test_what_is_no_project(project, file, tmp_path):
    # as files of a folder they are documents
    folder = project(**{"annotation/a.txt/ben.tsv": tsv("b.txt", "_", "LOC")}) / "annotation"
    assert spanometer.read(folder, format="webanno").annotators is None
    with pytest.raises(InputError, match=r"the folder has no annotator's file"):
        spanometer.read(tmp_path / "project" / "source", format="inception")
    other = spanometer.read(project(**{"annotation/a.txt/ben.zip": "<x/>"}))
    assert other.left_out == ("a.txt/ben.zip: this is neither WebAnno TSV nor UIMA CAS.",)


def test_other_folders_stay_what_they_were(tmp_path):
    for document in WORDS:
        (tmp_path / "files" / document).mkdir(parents=True)
        (tmp_path / "files" / document / "ann.tsv").write_text(tsv(document, "_", "LOC"), encoding="utf-8")
    assert detect(tmp_path / "files").name == "webanno"
    file = spanometer.read(tmp_path / "files")
    assert (file.documents.ids, file.annotators) == (("a.txt/ann", "b.txt/ann"), None)


def test_hidden_folders_are_read(project):
    hidden = {name.replace("/b.txt/", "/.b.txt/"): text for name, text in FILES.items() if "/b.txt/" in name}
    folder = project(**{**{name: None for name in FILES if "/b.txt/" in name}, **hidden})
    assert set(spanometer.read(folder, layer="NamedEntity").documents.ids) == {"a.txt", ".b.txt"}

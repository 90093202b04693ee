"""brat's standoff files, and EDS-NLP's markup."""

import pytest

import spanometer
from spanometer.exceptions import InputError
from spanometer.readers.formats import detect, read_as

TEXT = "Aspirin 💊 relieves back pain,\nor neck pain."
ANN = (
    "T1\tDrug 0 7\tAspirin\nT2\tSite 19 23;35 39\tback pain\nA1\tnegated T1\nA2\tunit R1\nA3\tdose T1 high\n"
    "R1\ttreats Arg1:T1 Arg2:T2\n#1\tAnnotatorNotes T1\tsee\n*\tEquiv T1 T2\nE1\tDrug:T1\n"
)


def spans(found):
    return found.spans.to_dicts()


@pytest.fixture
def pair_of_files(tmp_path):
    def write(name, annotation, text=TEXT):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(annotation, encoding="utf-8")
        if text is not None:
            path.with_suffix(".txt").write_text(text, encoding="utf-8", newline="")
        return path

    return write


def test_a_file(pair_of_files):
    path = pair_of_files("doc.ann", ANN.replace("19 23;35 39", "19 23;38 42"))
    assert detect(path).name == "brat"
    found = spanometer.read(path)
    assert spans(found) == [
        [{"label": "Drug", "fragments": [[0, 7]]}, {"label": "Site", "fragments": [[19, 23], [38, 42]]}]
    ]
    assert found.attribute_columns().to_dicts()[0] == [
        {"start": 0, "end": 7, "label": "Drug", "attributes": {"negated": True, "dose": "high"}},
        {"start": 19, "end": 42, "label": "Site", "attributes": {}},
    ]
    assert found.documents.texts == (TEXT,)


def test_units(pair_of_files):
    """Behind the pill, browsers counted one more."""
    assert TEXT[19:28] == "back pain"
    for start in (19, 20):
        path = pair_of_files("doc.ann", f"T1\tSite {start} {start + 9}\tback pain\n")
        assert spans(spanometer.read(path)) == [[{"start": 19, "end": 28, "label": "Site"}]]


def test_an_annotation_of_another_form_is_listed(pair_of_files):
    found = spanometer.read(pair_of_files("doc.ann", "T1\tDrug 0 7\tAspirin\nT2\ta drug 0 7\tAspirin\n"))
    assert found.left_out == ("line 2: an annotation without offsets, or with a type of several words.",)


def test_a_folder_without_annotations(tmp_path):
    (tmp_path / "a.txt").write_text("x")
    # a folder without an .ann file is one of files of other formats
    with pytest.raises(InputError, match=r"a\.txt, line 1: 'x' has no known prefix"):
        spanometer.read(tmp_path)


def test_markup(file):
    path = file("Un [fièvreux [hier](DATE)](SYMPTOM neg=true conf=0.5 note='a b') [sic].\nRien.\n")
    assert detect(path).name == "markup"
    found = read_as("spans", path, options={})
    assert found.documents.texts == ("Un fièvreux hier [sic].", "Rien.")
    assert spans(found) == [
        [{"start": 3, "end": 16, "label": "SYMPTOM"}, {"start": 12, "end": 16, "label": "DATE"}],
        [],
    ]
    assert [span["attributes"] for span in found.attribute_columns().to_dicts()[0]] == [
        {"neg": True, "conf": 0.5, "note": "a b"},
        {},
    ]


def test_a_text_that_nobody_has_annotated(tmp_path):
    (tmp_path / "a.ann").write_text("T1\tPER 0 3\tAda\n")
    for name in "ab":
        (tmp_path / f"{name}.txt").write_text("Ada wrote")
    found = spanometer.read(tmp_path)
    assert (found.documents.ids, found.left_out) == (("a",), ("b.txt: a text without an .ann file.",))

"""QUAERO's markup in files."""

from builders import entity
from entity_files import NESTED, entities_of, refused, trees


def test_a_line_of_markup_is_a_document():
    file = entities_of(NESTED)
    assert file.format == "quaero"
    assert trees(file) == [[entity(0, 1, "pers.ind", (0, 1, "name"))], [entity(1, 2, "loc.adm.town+org.adm")]]
    assert file.words == [["Ada", "slept"], ["in", "Rome"]]
    assert file.documents.ids is None
    assert file.document_lines.tolist() == [1, 3]
    assert file.line(1, 1) == 3


def test_documents_of_markup():
    text = "\n<loc> a\n\tb </loc>\n \n\nc\n<org>d</org>\n\n"
    blank = entities_of(text, documents="blank")
    assert trees(blank) == [[entity(0, 2, "loc")], [entity(1, 2, "org")]]
    assert blank.document_lines.tolist() == [2, 6]
    whole = entities_of(text, documents="file")
    assert trees(whole) == [[entity(0, 2, "loc"), entity(3, 4, "org")]]
    assert whole.document_lines.tolist() == [2]
    error = refused(text)
    assert error.place == "f, line 2, column 1"
    assert "documents='blank'" in str(error)


def test_entity_types():
    file = entities_of("<drug> <name> a </name> </drug>\n", entity_types=["drug"])
    assert trees(file) == [[entity(0, 1, "drug", (0, 1, "name"))]]
    assert "outside all entities" in refused("<drug> a </drug>\n").problem
    assert refused("<drug> a </drug>\n", entity_types="drug").place == "f"

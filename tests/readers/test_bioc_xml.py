"""BioC in XML; the counts of real files are in test_exports."""

import pytest

import spanometer
from spanometer.errors import InputError

XML = """<?xml version="1.0" encoding="latin-1"?>
<!DOCTYPE collection SYSTEM "BioC.dtd">
<collection><source/><document><id>7</id>
<passage><offset>0</offset><text>Ada 💃 wrote.</text>
<annotation id="1"><infon key="type">PER</infon><location offset="0" length="3"/><text>Ada</text></annotation>
<annotation id="2"><infon key="type">X</infon><location offset="0" length="3"/><location offset="6" length="5"/>
</annotation>
</passage><passage><offset>13</offset><sentence><offset>13</offset><text>É</text>
<annotation><infon key="type">Y</infon><location offset="13" length="1"/><text>É</text></annotation>
</sentence></passage></document></collection>
"""


def test_documents(file):
    found = spanometer.read(file(XML, "a.xml"))
    assert (found.documents.ids, found.documents.texts) == (("7",), ("Ada 💃 wrote. É",))
    spans = found.spans
    assert list(zip(spans.start.tolist(), spans.end.tolist(), strict=True)) == [(0, 3), (0, 11), (13, 14)]
    assert [spans.labels[code] for code in spans.label] == ["PER", "X", "Y"]
    assert spans.fragments is not None


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("</collection>", "", "line 11: this is not XML"),
        ('offset="0" length="3"/><text>', 'offset="x" length="3"/><text>', "has no type, or no locations"),
        ("<offset>13</offset><text>", "<offset>-1</offset><text>", "has no offset or no text"),
        ('"BioC.dtd">', '"BioC.dtd" [<!ENTITY a "b">]>', "declares entities of XML"),
    ],
)
def test_other_files(file, old, new, problem):
    with pytest.raises(InputError, match=problem):
        spanometer.read(file(XML.replace(old, new), "a.xml"))

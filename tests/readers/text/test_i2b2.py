"""XML of i2b2, MAE and MedTator."""

import pytest

from spanometer import InputError, read
from spanometer.readers import detect

XML = """<?xml version="1.0" encoding="UTF-8" ?>
<deIdi2b2>
<TEXT><![CDATA[Ada & Bo <met>.]]></TEXT>
<TAGS>
<NAME id="P0" start="0" end="3" text="Ada" TYPE="PATIENT" comment="" />
<EVENT id="E0" spans="4~5,6~8" text="&amp; ... Bo" />
<DOC id="D0" spans="-1~-1" /><TLINK id="T0" fromID="E0" toID="E0" />
</TAGS>
</deIdi2b2>
"""


def test_tags_with_offsets(file):
    path = file(XML)
    assert detect(path).name == "i2b2"
    found = read(path)
    assert found.documents.texts == ("Ada & Bo <met>.",)
    assert found.spans.to_dicts() == [
        [{"label": "NAME/PATIENT", "fragments": [[0, 3]]}, {"label": "EVENT", "fragments": [[4, 5], [6, 8]]}]
    ]


def test_line_ends_in_attributes(file, run):
    path = file(XML.replace("Ada & Bo", "A\na & Bo").replace('text="Ada"', 'text="A a"'))
    assert run("validate", path)[0] == 0


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('text="Ada"', 'text="Eve"', "1 of 1 stated texts of spans differ"),
        ("</TAGS>", "", "line 9: this is not XML"),
        ("TEXT>", "TEX>", "the document has no TEXT"),
        ("<deIdi2b2>", "<!DOCTYPE d [<!ENTITY a 'b'>]><deIdi2b2>", "declares XML entities"),
    ],
)
def test_other_xml(file, old, new, problem):
    with pytest.raises(InputError, match=problem):
        read(file(XML.replace(old, new)), format="i2b2")

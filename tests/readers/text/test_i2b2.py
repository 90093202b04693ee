"""XML of i2b2, MAE and MedTator."""

from spanometer import read
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

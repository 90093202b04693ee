"""BioC in XML; the counts of real files are in test_exports."""

import tracemalloc

import pytest

import spanometer
from spanometer.exceptions import InputError

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


def test_in_blocks(file, monkeypatch):
    """Every block but the first ends anywhere, within a declaration of entities too."""
    whole = spanometer.read(file(XML, "a.xml"))
    monkeypatch.setattr("spanometer.readers.source.BLOCK_SIZE", 200)
    found = spanometer.read(file(XML, "b.xml"))
    assert found.documents.texts == whole.documents.texts
    assert found.spans.start.tolist() == whole.spans.start.tolist()
    for blanks in range(120, 160):
        declared = XML.replace('"BioC.dtd">', f'"BioC.dtd" [{" " * blanks}<!ENTITY a "b">]>')
        with pytest.raises(InputError, match="declares XML entities"):
            spanometer.read(file(declared, "c.xml"))


def test_documents_are_let_go(file, monkeypatch):
    monkeypatch.setattr("spanometer.readers.source.BLOCK_SIZE", 1 << 14)
    monkeypatch.setattr("spanometer.documents.building._AT_ONCE", 100)
    start, document, end = (
        XML.partition("<document>")[0],
        XML[XML.index("<document>") : XML.index("</coll")],
        "</collection>",
    )
    # what is not kept of a document is most of it
    document = document.replace("</id>", f'</id><infon key="more">{"x " * 1500}</infon>')
    peaks = []
    for number in (10, 200, 600):
        path = file(start + "".join(document.replace(">7<", f">{n}<") for n in range(number)) + end, f"{number}.xml")
        tracemalloc.start()
        assert spanometer.read(path).documents.size == number
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[2] - peaks[1] < 400 * len(document) / 2

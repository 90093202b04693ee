"""GATE's XML: the sample, annotation sets as annotators, and what is refused."""

import spanometer

XML = (
    '<GateDocument version="3"><TextWithNodes><Node id="0"/>👻<Node id="2"/> Ada<Node id="6"/></TextWithNodes>'
    '<AnnotationSet Name="Key"><Annotation Id="1" Type="Person" StartNode="2" EndNode="6"></Annotation></AnnotationSet>'
    '<AnnotationSet Name="Original markups"><Annotation Id="2" Type="p" StartNode="0" EndNode="6"></Annotation>'
    "</AnnotationSet></GateDocument>"
)


def test_sample(data):
    found = spanometer.read(data / "exports" / "gate" / "testdoc1.xml")
    assert found.annotators == ("default", "Set2")
    labels = [[span["label"] for span in document] for document in found.spans.to_dicts()]
    assert labels == [["Type1", "Type1"], ["LONG", "SHORT"]]
    assert len(found.left_out) == 3


def test_offsets_are_those_of_nodes(file):
    found = spanometer.read(file(XML))
    assert found.spans.to_dicts() == [[{"start": 1, "end": 5, "label": "Person"}]]
    assert found.left_out == ("the annotation set 'Original markups'.",)

"""The examples of the Spaces' pages: constants, as a Space has no data files."""

from __future__ import annotations

from dataclasses import dataclass

_SENTENCES = """\
Alma B-PERSON B-PERSON B-PERSON B-PERSON
Kerr I-PERSON I-PERSON I-PERSON B-PERSON
, O O O O
who O O O O
chairs O O O O
the O O O O
allotment O O O O
committee O O O O
, O O O O
said O O O O
the O O O O
new O O O O
fence O O O O
had O O O O
already O O O O
been O O O O
cut O O O O
twice O O O O
. O O O O

Storm B-EVENT B-EVENT B-EVENT B-EVENT
Hedda I-EVENT I-EVENT I-EVENT B-WORK
tore O O O O
the O O O O
roof O O O O
off O O O O
two O O O O
boathouses O O O O
and O O O O
left O O O O
Skelling B-PLACE O B-PLACE B-PLACE
Point I-PLACE O I-PLACE I-PLACE
without O O O O
power O O O O
until O O O O
noon O O O O
. O O O O

Orr B-ORGANISATION B-ORGANISATION B-PLACE B-ORGANISATION
Valley I-ORGANISATION I-ORGANISATION I-PLACE I-ORGANISATION
Water I-ORGANISATION I-ORGANISATION I-PLACE I-ORGANISATION
apologised O O O O
for O O O O
brown O O O O
taps O O O O
in O O O O
Upper B-PLACE O B-PLACE B-PLACE
Maren I-PLACE O I-PLACE I-PLACE
and O O O O
offered O O O O
two O O O O
litres O O O O
of O O O O
bottled O O O O
water O O O O
a O O O O
head O O O O
. O O O O

The O O O O
ferry O O O O
to O O O O
Hallow B-PLACE B-PLACE B-PLACE B-PLACE
Reach I-PLACE I-PLACE I-PLACE B-PLACE
is O O I-PLACE O
cancelled O O I-PLACE O
. O O O O

In O O O B-PLACE
Ostrel B-PLACE B-PLACE B-ORGANISATION O
Station B-PLACE B-PLACE B-PLACE I-PLACE
Square I-PLACE I-PLACE I-PLACE I-PLACE
stays O O O O
shut O O O O
to O O O O
lorries O O O O
until O O O O
the O O O O
paving O O O O
stones O O O O
have O O O O
settled O O O O
. O O O O
"""
"""Sentences of the package's example corpus: token, reference, and what its careful, greedy and hasty systems found."""

_SYSTEMS = {
    "greedy system": 3,
    "careful system": 2,
    "illegal tags": 4,
}

_REFERENCE_TREES = """\
The <func.ind> <kind> mayor </kind> of <loc.adm.town> Tennick </loc.adm.town> </func.ind> , <pers.ind> <name.first> \
Alma </name.first> <name.last> Kerr </name.last> </pers.ind> , resigned .
<org.ent> <name> Orr Valley Water </name> </org.ent> apologised on <time.date.abs> <day> 3 </day> <month> March \
</month> </time.date.abs> .
The ferry to <loc.adm.town> <name> Hallow Reach </name> </loc.adm.town> is cancelled .
"""

_PREDICTED_TREES = {
    "labels and bounds": """\
The <func.ind> <kind> mayor </kind> of Tennick </func.ind> , <pers.ind> <name.last> Alma </name.last> <name.last> \
Kerr </name.last> </pers.ind> , resigned .
<org.adm> <name> Orr Valley </name> </org.adm> Water apologised on <time.date.abs> <day> 3 </day> <month> March \
</month> </time.date.abs> .
The ferry to <loc.adm.town> <name> Hallow Reach </name> </loc.adm.town> is cancelled .
""",
    "missed and invented": """\
The mayor of <loc.adm.town> Tennick </loc.adm.town> , <pers.ind> <name.first> Alma </name.first> <name.last> Kerr \
</name.last> </pers.ind> , resigned .
<org.ent> <name> Orr Valley Water </name> </org.ent> apologised on 3 March .
The <prod.object> ferry </prod.object> to <loc.phys.geo> <name> Hallow Reach </name> </loc.phys.geo> is cancelled .
""",
}


_PUBLISHED_REFERENCE = """\
[{"start": 4, "end": 5, "label": "SYMP", "attributes": {"neg": true}}, \
{"start": 8, "end": 9, "label": "DIS", "attributes": {"neg": false, "carrier": "FATHER"}}, \
{"start": 12, "end": 13, "label": "DIS", "attributes": {"neg": false, "carrier": "PATIENT"}}]
"""
_PUBLISHED_PREDICTION = """\
[{"start": 4, "end": 5, "label": "SYMP", "attributes": {"neg": true}}, \
{"start": 8, "end": 9, "label": "DIS", "attributes": {"neg": false, "carrier": "PATIENT"}}, \
{"start": 12, "end": 13, "label": "DIS", "attributes": {"neg": true, "carrier": "PATIENT"}}]
"""

_NOTES_REFERENCE = """\
{"tokens": ["No", "fever", ",", "cough", "for", "3", "days"], "spans": [\
{"start": 1, "end": 2, "label": "SYMPTOM", "attributes": {"negated": true}}, \
{"start": 3, "end": 4, "label": "SYMPTOM", "attributes": {"negated": false, "days": 3}}]}
{"tokens": ["Paracetamol", "oral", "or", "rectal"], "spans": [\
{"start": 0, "end": 1, "label": "DRUG", "attributes": {"route": ["oral", "rectal"]}}]}
{"tokens": ["Her", "father", "had", "heart", "failure", ",", "she", "does", "not"], "spans": [\
{"start": 3, "end": 5, "label": "DISEASE", "attributes": {"carrier": "father", "negated": false}}]}
"""
_NOTES_PREDICTION = """\
{"tokens": ["No", "fever", ",", "cough", "for", "3", "days"], "spans": [\
{"start": 1, "end": 2, "label": "SYMPTOM", "attributes": {"negated": true}, "scores": {"negated": 0.98}}, \
{"start": 3, "end": 4, "label": "SYMPTOM", "attributes": {"negated": true, "days": 3}, \
"scores": {"negated": 0.61, "days": 0.9}}]}
{"tokens": ["Paracetamol", "oral", "or", "rectal"], "spans": [\
{"start": 0, "end": 1, "label": "DRUG", "attributes": {"route": ["oral", "nasal"]}, "scores": {"route": [0.9, 0.4]}}]}
{"tokens": ["Her", "father", "had", "heart", "failure", ",", "she", "does", "not"], "spans": [\
{"start": 3, "end": 5, "label": "DISEASE", "attributes": {"carrier": "father", "negated": false}, \
"scores": {"carrier": 0.7, "negated": 0.8}}]}
"""


@dataclass(frozen=True)
class Example:
    """What a click on an example puts into the two boxes."""

    name: str
    reference: str
    prediction: str


def _columns(*numbers: int) -> str:
    rows = (line.split() for line in _SENTENCES.splitlines())
    return "\n".join(" ".join(row[number] for number in numbers) if row else "" for row in rows) + "\n"


TAG_EXAMPLES = (
    *(Example(name, _columns(0, 1), _columns(0, column)) for name, column in _SYSTEMS.items()),
    Example("one text with both", _columns(0, 1, 3), ""),
)
"""Tags of a reference and of systems; the last one has both in one text."""

ATTRIBUTE_EXAMPLES = (
    Example("published example", _PUBLISHED_REFERENCE, _PUBLISHED_PREDICTION),
    Example("scores and lists", _NOTES_REFERENCE, _NOTES_PREDICTION),
)
"""Spans with attributes: the published one of the metric's card, and notes with words, scores and lists of values."""

MARKUP_EXAMPLES = tuple(Example(name, _REFERENCE_TREES, text) for name, text in _PREDICTED_TREES.items())
"""Entity trees in QUAERO's markup."""


def examples_of(name: str) -> tuple[Example, ...]:
    """The examples of a page, by the name of its measure."""
    return {"eter": MARKUP_EXAMPLES, "span_attribute": ATTRIBUTE_EXAMPLES}.get(name, TAG_EXAMPLES)

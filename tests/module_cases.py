"""The metric modules with small corpora in every form of input, for tests."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import evaluate

from builders import entity
from spanometer.measures import MEASURES, Eter, MentionF, SpanAttribute

ROOT = Path(__file__).parents[1]

REFERENCES = [["B-PER", "I-PER", "O", "B-LOC"], ["O"], [], ["B-PER", "B-PER"]]
PREDICTIONS = [["B-PER", "O", "O", "B-LOC"], ["O"], [], ["B-PER", "I-PER"]]
SPAN_F = {"precision": 1 / 3, "recall": 1 / 4, "f1": 2 / 7}

REFERENCE_SPANS = [
    [{"start": 0, "end": 2, "label": "PER"}, {"start": 3, "end": 4, "label": "LOC"}],
    [],
    [],
    [{"start": 0, "end": 1, "label": "PER"}, {"start": 1, "end": 2, "label": "PER"}],
]
PREDICTED_SPANS = [
    [{"start": 0, "end": 1, "label": "PER"}, {"start": 3, "end": 4, "label": "LOC"}],
    [],
    [],
    [{"start": 0, "end": 2, "label": "PER"}],
]


REFERENCE_MARKUP = [
    "<pers.ind> <name.first> Ada </name.first> <name.last> Lovelace </name.last> </pers.ind> in "
    "<loc.adm.town> <name> London </name> </loc.adm.town>",
    "nobody",
    "",
    "<pers.ind> <name> Ben </name> </pers.ind> <pers.ind> <name> Cat </name> </pers.ind>",
]
PREDICTED_MARKUP = [
    "<pers.ind> <name.first> Ada </name.first> </pers.ind> Lovelace in "
    "<loc.adm.town> <name> London </name> </loc.adm.town>",
    "nobody",
    "",
    "<pers.ind+loc.adm.town> Ben </pers.ind+loc.adm.town> <loc.adm.town> Cat </loc.adm.town>",
]


REFERENCE_ENTITIES = [
    [entity(0, 2, "pers.ind", (0, 1, "name.first"), (1, 2, "name.last")), entity(3, 4, "loc.adm.town", (3, 4, "name"))],
    [],
    [],
    [entity(0, 1, "pers.ind", (0, 1, "name")), entity(1, 2, "pers.ind", (1, 2, "name"))],
]
PREDICTED_ENTITIES = [
    [entity(0, 1, "pers.ind", (0, 1, "name.first")), entity(3, 4, "loc.adm.town", (3, 4, "name"))],
    [],
    [],
    [entity(0, 1, "pers.ind loc.adm.town"), entity(1, 2, "loc.adm.town")],
]
# (bounds and a component of two) + nothing + (a type of two and the component) + (the type and the component)
ETER = (0.5 * (0.25 + 0.5) + 0.5 * (0.25 + 1) + 0.5 * (0.5 + 1)) / 4


def attributed(start, end, label, attributes, **scores):
    found = {"start": start, "end": end, "label": label, "attributes": attributes}
    return {**found, "scores": scores} if scores else found


# of "carrier" one item, of "negated" three; keys and types differ from span to span
REFERENCE_ATTRIBUTES = [
    [attributed(0, 2, "DIS", {"negated": True, "carrier": "FATHER"}), attributed(3, 4, "SYMP", {"negated": False})],
    [],
    [],
    [attributed(0, 1, "DIS", {"negated": 4, "carrier": None}), attributed(1, 2, "SYMP", {"negated": ["yes", None]})],
]
PREDICTED_ATTRIBUTES = [
    [
        attributed(0, 2, "DIS", {"negated": True, "carrier": "FATHER"}, negated=0.5),
        attributed(3, 4, "SYMP", {"negated": 2.5}, negated={2.5: 0.9}),
    ],
    [],
    [],
    [attributed(0, 1, "DIS", {}), attributed(1, 2, "SYMP", {"negated": "yes"})],
]

REFERENCE_MENTIONS = [[("PER", "Ada Lovelace"), ("LOC", "London")], [], [], [("PER", "Ben"), ("PER", "Ben")]]
PREDICTED_MENTIONS = [[("PER", "Ada"), ("LOC", "London")], [], [], [{"label": "PER", "text": "Ben"}]]

MODULES = {**MEASURES, "eter": Eter, "span_attribute": SpanAttribute, "mention_f": MentionF}

# what spans and fragments are scored by only where the documents' lengths are known
NEED_LENGTHS = ("chance_kappa_f1", "unitizing_alpha", "gamma")


def load(name, config_name=None, **options):
    """A fresh module, as `evaluate.load` makes it; the script is loaded once."""
    return _kind(name)(config_name=config_name, **options)


@cache
def _kind(name):
    return type(evaluate.load(str(ROOT / "metrics" / name)))


@dataclass(frozen=True)
class Case:
    """A module with a form of input, and four documents in it; one reference has the first label, three the second.

    Attributes:
        labels: their names.
        reading: the part of the signature that says how the input was read.
        bad: a document that cannot be stored in this form.
    """

    name: str
    configuration: str
    predictions: list
    references: list
    labels: tuple[str, str]
    reading: str
    bad: object

    @property
    def measure(self):
        return MODULES[self.name]

    @property
    def sides(self):
        return {"predictions": self.predictions, "references": self.references}

    @property
    def perfect(self):
        """The headline of the reference itself."""
        return 1.0 if self.measure.higher_is_better else 0.0

    @property
    def keys(self):
        """Of the result."""
        return ["micro", *self.labels] if self.name == "span_attribute" else list(self.measure.keys)

    @property
    def averages(self):
        return self.name != "span_attribute"

    def headline(self, result):
        return (result["micro"] if self.name == "span_attribute" else result)[self.measure.headline]

    def load(self, **options):
        return load(self.name, self.configuration, **options)

    def compute(self, **options):
        """What a fresh module gives."""
        return self.load().compute(**self.sides, **options)


def case_of(name, configuration=None):
    if name == "span_attribute":
        return Case(
            name,
            "spans",
            PREDICTED_ATTRIBUTES,
            REFERENCE_ATTRIBUTES,
            ("carrier", "negated"),
            "attributes:None|",
            [None],
        )
    if name == "mention_f":
        return Case(
            name, "mentions", PREDICTED_MENTIONS, REFERENCE_MENTIONS, ("LOC", "PER"), "fold:exact|", [("PER", None)]
        )
    if name != "eter":
        reading = "scheme:IOB2|repair:conlleval|"
        return Case(name, "tags", PREDICTIONS, REFERENCES, ("LOC", "PER"), reading, [None])
    labels = ("loc.adm.town", "pers.ind")
    if configuration == "markup":
        reading = "input:markup|entity_types:amount,event,func,loc,org,pers,prod,time|"
        return Case(name, "markup", PREDICTED_MARKUP, REFERENCE_MARKUP, labels, reading, None)
    return Case(name, "entities", PREDICTED_ENTITIES, REFERENCE_ENTITIES, labels, "input:entities|", [None])


CASES = {**{name: case_of(name) for name in MODULES}, "eter markup": case_of("eter", "markup")}


def fragments_of(documents):
    return [
        [{"label": span["label"], "fragments": [[span["start"], span["end"]]]} for span in document]
        for document in documents
    ]

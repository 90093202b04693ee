"""`eter` under the real `evaluate`: what the other modules do not have, and bad input of both its forms."""

import datasets
import numpy as np
import pytest

from module_cases import (
    PREDICTED_ENTITIES,
    PREDICTED_MARKUP,
    REFERENCE_ENTITIES,
    REFERENCE_MARKUP,
    entity,
    load,
)
from spanometer import InputError
from spanometer.measures import Eter
from spanometer.readers.text.markup import from_markup
from spanometer.spans.entities import Entities

ENTITIES = {"predictions": PREDICTED_ENTITIES, "references": REFERENCE_ENTITIES}
MARKUP = {"predictions": PREDICTED_MARKUP, "references": REFERENCE_MARKUP}
LENGTHS = [4, 1, 0, 2]


def without_signature(result):
    return {key: value for key, value in result.items() if key != "signature"}


def test_forms_agree():
    expected = load("eter", "markup").compute(**MARKUP, details=True)
    for options in ({}, {"lengths": LENGTHS}):
        result = load("eter").compute(**ENTITIES, **options, details=True)
        assert without_signature(result) == without_signature(expected)


def test_the_module_scores_as_the_measure():
    options = {"alpha": 0.25, "type_cost": 0.75, "subtype_cost": 0.125, "span_cost": 0.5}
    measure = Eter(**options)
    counts = measure.counts(Entities.from_dicts(REFERENCE_ENTITIES), Entities.from_dicts(PREDICTED_ENTITIES))
    result = load("eter").compute(**ENTITIES, **options, details=True)
    assert {key: result[key] for key in Eter.keys} == measure.score(counts)
    assert result["muc_err"] == measure.muc_error(counts)
    assert result["counts"] == counts.total()
    signature = (
        "|alpha:0.25|type_cost:0.75|subtype_cost:0.125|span_cost:0.5|ser_type_cost:0.5|ser_span_cost:0.5"
        "|type_level:fine|average:micro|zero_division:0|"
    )
    assert signature in result["signature"]
    zeros = load("eter").compute(**ENTITIES, alpha=-0.0, span_cost=-0.0, details=True)["signature"]
    assert zeros == load("eter").compute(**ENTITIES, alpha=0, span_cost=0, details=True)["signature"]
    assert "|alpha:0|type_cost:0.5|subtype_cost:0.25|span_cost:0|" in zeros


def test_values_by_hand():
    result = load("eter").compute(**ENTITIES, details=True)
    # Ada: bounds, one of two components; Ben: one of two types, no component; Cat: the type, no component
    assert (result["root_error"], result["component_error"]) == (0.25 + 0.25 + 0.5, 0.5 + 1 + 1)
    assert (result["insertions"], result["deletions"], result["references"]) == (0, 0, 4)
    assert result["eter"] == (1.0 + 2.5) / 2 / 4
    # slots: Ada's bounds, Ben's and Cat's types; of the components Ada's last name, Ben's and Cat's are missing
    assert (result["ser_types"], result["ser_components"], result["ser"]) == (1.5 / 4, 3 / 5, 4.5 / 9)
    assert result["muc_err"] == (3 + 3) / (1 + 2 + 3 + 3)
    table_4 = ("type_substitutions", "subtype_substitutions", "boundary_substitutions")
    assert [result["counts"][name] for name in table_4] == [2, 0, 1]
    assert [result["counts_per_label"]["pers.ind"][name] for name in table_4] == [2, 0, 1]
    assert [result["counts_per_label"]["loc.adm.town"][name] for name in table_4] == [0, 0, 0]


def test_averages_by_hand():
    """Types: a town that is right; three persons, of whom one is missing and one has another subtype; an insertion."""
    references = [[entity(0, 1, "loc"), *(entity(at, at + 1, "pers.ind") for at in (2, 4, 6))]]
    predictions = [[entity(0, 1, "loc"), entity(2, 3, "pers.ind"), entity(4, 5, "pers.coll"), entity(8, 9, "org")]]
    sides = {"predictions": predictions, "references": references}
    per_label = {"loc": 0.0, "pers.ind": (1 + 0.125) / 3, "org": 0.0}
    module = load("eter")
    result = module.compute(**sides, details=True)
    assert result["eter"] == (1 + 1 + 0.125) / 4
    assert {label: values["eter"] for label, values in result["per_label"].items() if label in per_label} == per_label
    assert module.compute(**sides, average="macro")["eter"] == sum(per_label.values()) / 3
    assert module.compute(**sides, average="weighted")["eter"] == pytest.approx(1.125 / 4, abs=1e-15)
    # a label that only the predictions have follows zero_division
    macro = module.compute(**sides, average="macro", zero_division=1.0)["eter"]
    assert macro == pytest.approx((0 + per_label["pers.ind"] + 1) / 3, abs=1e-15)
    macro = module.compute(**sides, average="macro", zero_division=float("nan"))["eter"]
    assert macro == pytest.approx(per_label["pers.ind"] / 2, abs=1e-15)


def test_alpha_at_its_ends():
    module = load("eter")
    assert module.compute(**ENTITIES, alpha=0)["eter"] == 1.0 / 4
    assert module.compute(**ENTITIES, alpha=1)["eter"] == 2.5 / 4


def test_other_rows():
    expected = load("eter").compute(**ENTITIES)
    dataset = datasets.Dataset.from_dict(ENTITIES)
    assert load("eter").compute(predictions=dataset["predictions"], references=dataset["references"]) == expected
    numbers = [
        tuple(
            {
                "text": "passed over",
                "components": tuple(
                    {"start": np.int64(part["start"]), "end": np.int32(part["end"]), "label": np.str_(part["label"])}
                    for part in item["components"]
                ),
                "types": tuple(map(np.str_, item["types"])),
                "end": np.int32(item["end"]),
                "start": np.int64(item["start"]),
            }
            for item in document
        )
        for document in PREDICTED_ENTITIES
    ]
    assert load("eter").compute(predictions=tuple(numbers), references=REFERENCE_ENTITIES) == expected
    dataset = datasets.Dataset.from_dict(MARKUP)
    for sides in ({"predictions": dataset["predictions"], "references": dataset["references"]}, as_numpy(MARKUP)):
        assert load("eter", "markup").compute(**sides) == expected


def as_numpy(sides):
    return {side: np.array(documents) for side, documents in sides.items()}


def test_components_may_be_left_out():
    bare = [[{"start": 0, "end": 1, "types": ["loc"]}]]
    filled = [[{**bare[0][0], "components": None}]]
    for predictions in (bare, filled):
        assert load("eter").compute(predictions=predictions, references=[[entity(0, 1, "loc")]])["eter"] == 0


def test_what_datasets_fills_in():
    """Where some entities of a dataset leave their components out, it has None there; pandas has arrays for lists."""
    documents = [[{"start": 0, "end": 1, "types": ["loc"]}, entity(2, 4, "loc", (2, 3, "name"))]]
    dataset = datasets.Dataset.from_dict({"entities": documents})
    assert dataset["entities"][0][0]["components"] is None
    expected = load("eter").compute(predictions=documents, references=REFERENCE_ENTITIES[:1])
    for rows in (dataset["entities"], list(dataset.to_pandas()["entities"])):
        assert load("eter").compute(predictions=rows, references=REFERENCE_ENTITIES[:1]) == expected
        assert load("eter").compute(predictions=rows, references=documents)["eter"] == 0


def test_more_than_a_thousand_documents():
    for form, sides in (("entities", ENTITIES), ("markup", MARKUP)):
        many = {side: documents * 600 for side, documents in sides.items()}
        result, once = load("eter", form).compute(**many), load("eter").compute(**ENTITIES)
        assert result["references"] == 600 * once["references"]
        assert result["eter"] == once["eter"]


def test_other_entity_types():
    reference, prediction = "<DRUG> <unit> mg </unit> </DRUG>", "<DRUG> mg </DRUG>"
    module = load("eter", "markup")
    with pytest.raises(InputError, match="the component <DRUG> stands outside all entities") as raised:
        module.compute(predictions=[prediction], references=[reference])
    assert "entity_types=..." in str(raised.value)
    result = module.compute(predictions=[prediction], references=[reference], entity_types=["DRUG"], details=True)
    assert (result["eter"], result["deletions"]) == (0.5, 0)
    assert result["signature"].startswith("eter|input:markup|entity_types:DRUG|alpha:0.5|")


# errors


def changed(**values):
    """An entity of two tokens with a component, and some of its values."""
    return {**entity(0, 2, "loc", (0, 1, "name")), **values}


def without(key):
    return {name: value for name, value in changed().items() if name != key}


def component(**values):
    return changed(components=[{"start": 0, "end": 1, "label": "name", **values}])


BAD_ENTITIES = {
    "end before start": (changed(start=3, end=2), r"the end 2 is not after the start 3"),
    "empty": (changed(start=1, end=1, components=[]), "the end 1 is not after the start 1"),
    "negative": (changed(start=-1), "the start -1 is negative"),
    "float offset": (changed(start=0.7), "the start 0.7 .of type float. is not an integer"),
    "bool offset": (changed(start=False), "the start False"),
    "text offset": (changed(end="2"), "the end '2'"),
    "None offset": (changed(end=None), "the end None"),
    "NaN offset": (changed(end=float("nan")), "the end nan"),
    "huge offset": (changed(end=2**70), "the end .* is out of range"),
    "large offset": (changed(end=2**40), "the end 1099511627776 is out of range"),
    "no start": (without("start"), "has no 'start'"),
    "no types": (without("types"), "has no 'types'"),
    "types in a string": (changed(types="loc"), "the types 'loc' .of type str. are not a list of strings"),
    "no type": (changed(types=[]), "an entity has no type"),
    "None for types": (changed(types=None), "the types None"),
    "None for a type": (changed(types=["loc", None]), "are not all strings"),
    "a number for a type": (changed(types=[3]), r"the types \[3\] are not all strings"),
    "an empty type": (changed(types=["loc", ""]), "the type is empty"),
    "a lone surrogate": (changed(types=["\ud800"]), "the types .* are not all strings"),
    "components in a dict": (changed(components={}), "the components {} .of type dict. are not a list"),
    "a tuple for a component": (changed(components=[(0, 1, "name")]), "is not a component"),
    "a component without end": (changed(components=[{"start": 0, "label": "name"}]), "component 0: .* has no 'end'"),
    "an empty component": (component(end=0), "the end 0 is not after the start 0"),
    "a component outside": (component(end=3), "a component from 0 to 3 does not lie within its entity, 0 to 2"),
    "a component of bytes": (component(label=b"name"), "component 0: the label b'name' .of type bytes."),
    "a component without label": (component(label=""), "label is empty"),
    "a component of floats": (component(start=0.0), "component 0: the start 0.0"),
    "no dict": ((0, 2, "loc"), "is not an entity"),
    "None": (None, "None is not an entity"),
    "a string": ("loc", "'loc' is not an entity"),
    "past the end": (changed(end=5), "an entity 'loc' ends at 5, but the document has 4 tokens"),
}


@pytest.mark.parametrize("wrong", BAD_ENTITIES)
@pytest.mark.parametrize("side", ["predictions", "references"])
def test_bad_entities(side, wrong):
    bad, message = BAD_ENTITIES[wrong]
    module = load("eter")
    good = [changed()]
    sides = {"predictions": [good, good], "references": [good, good], side: [good, [*good, bad]]}
    with pytest.raises(InputError, match=message) as raised:
        module.compute(**sides, lengths=[4, 4])
    error = raised.value
    assert (error.side, error.document) == (side, 1)
    assert error.position == 0 if wrong == "past the end" else error.span == 1
    assert error.remedy
    assert len(module) == 0
    assert module.compute(predictions=[good], references=[good], lengths=[4])["eter"] == 0


BAD_DOCUMENTS = {
    "an entity for a document": ([changed()], "document 0: .* is not a document"),
    "an entity for all": (changed(), "is not a list of documents"),
    "None for a document": ([None], "document 0: None is not a document"),
    "a string for a document": (["<loc> a </loc>"], "document 0: '<loc> a </loc>' is not a document"),
    "a number": (3, "3 is not a list of documents"),
}


@pytest.mark.parametrize("wrong", BAD_DOCUMENTS)
def test_bad_documents_of_entities(wrong):
    documents, message = BAD_DOCUMENTS[wrong]
    module = load("eter")
    with pytest.raises(InputError, match=f"predictions.*{message}"):
        module.compute(predictions=documents, references=[[]])
    assert module.compute(**ENTITIES) == load("eter").compute(**ENTITIES)


BAD_LENGTHS = {
    "too few": ([4], "1 length, 4 documents"),
    "negative": ([4, 1, 0, -2], "not a list of whole numbers"),
    "floats": ([4.0, 1.0, 0.0, 2.0], "not a list of whole numbers"),
    "a number": (4, "lengths=4 is not a list of numbers"),
    "too short": ([3, 1, 0, 2], "references, document 0, token 3: an entity 'loc.adm.town' ends at 4"),
}


@pytest.mark.parametrize("wrong", BAD_LENGTHS)
def test_bad_lengths(wrong):
    lengths, message = BAD_LENGTHS[wrong]
    module = load("eter")
    with pytest.raises(InputError, match=message):
        module.compute(**ENTITIES, lengths=lengths)
    assert module.compute(**ENTITIES, lengths=LENGTHS) == load("eter").compute(**ENTITIES)


GOOD = "<pers> Ada </pers> sings"
BAD_MARKUP = {
    "not closed": ("Ada\n sings <pers> now", (2, 8), "the tag <pers> is not closed"),
    "not open": ("Ada </pers> sings", (1, 5), "</pers> closes a tag that is not open"),
    "crossing": ("<pers> <loc> Ada </pers> sings </loc>", (1, 18), "</pers> crosses: <loc>"),
    "no words": ("<pers> </pers> Ada sings", (1, 1), "<pers> holds no words"),
    "no entity": ("<name> Ada </name> sings", (1, 1), "the component <name> stands outside all entities"),
    "no tag": ("<pers type='x'> Ada </pers> sings", (1, 1), "begins like a tag but is not one"),
    "too deep": ("<pers> " * 101 + "Ada" + " </pers>" * 101, (1, 701), "more than 100 tags are open"),
    "mixed types": ("<pers+name> Ada </pers+name> sings", (1, 1), "joins names that are not all types of entities"),
}


@pytest.mark.parametrize("wrong", BAD_MARKUP)
@pytest.mark.parametrize("side", ["predictions", "references"])
def test_bad_markup(side, wrong):
    text, (line, column), message = BAD_MARKUP[wrong]
    module = load("eter", "markup")
    sides = {"predictions": [GOOD, GOOD], "references": [GOOD, GOOD], side: [GOOD, text]}
    with pytest.raises(InputError) as raised:
        module.compute(**sides)
    error = raised.value
    assert message in error.problem
    assert (error.side, error.document, error.line, error.column) == (side, 1, line, column)
    assert error.remedy
    assert len(module) == 0
    assert module.compute(predictions=[GOOD], references=[GOOD])["eter"] == 0


BAD_TEXTS = {
    "None": ([GOOD, None], r"predictions, document 1: None \(of type NoneType\) is not a document with markup"),
    "a number": ([GOOD, 3], r"document 1: 3 \(of type int\) is not"),
    "bytes": ([GOOD, b"Ada sings"], r"document 1: b'Ada sings' \(of type bytes\) is not"),
    "words": ([GOOD, ["Ada", "sings"]], r"document 1: \['Ada', 'sings'\] \(of type list\) is not"),
    "NaN": ([GOOD, float("nan")], r"document 1: nan \(of type float\) is not"),
    "a lone surrogate": ([GOOD, "Ad\ud800 sings"], r"document 1: the character '\\ud800' cannot be stored as UTF-8"),
    "one string": (GOOD, "is not a list of documents"),
    "a dict": ({"text": GOOD}, "is not a list of documents"),
    "unequal counts": ([GOOD], "1 predicted document, 2 reference documents"),
}


@pytest.mark.parametrize("wrong", BAD_TEXTS)
def test_bad_documents_of_markup(wrong):
    documents, message = BAD_TEXTS[wrong]
    module = load("eter", "markup")
    with pytest.raises(InputError, match=message):
        module.compute(predictions=documents, references=[GOOD, GOOD])
    with pytest.raises(InputError, match=message):
        module.add_batch(predictions=documents, references=[GOOD, GOOD])
    assert len(module) == 0
    assert module.compute(predictions=[GOOD], references=[GOOD])["eter"] == 0


def test_words_must_be_the_same():
    module = load("eter", "markup")
    for prediction, position, message in (
        ("<pers> Ada </pers> sang", 1, "the word is 'sang' in the prediction and 'sings' in the reference"),
        ("<pers> ada </pers> sings", 0, "the word is 'ada' in the prediction and 'Ada' in the reference"),
        ("<pers> Ada </pers> sings well", None, "3 predicted words, 2 reference words"),
        ("", None, "0 predicted words, 2 reference words"),
    ):
        with pytest.raises(InputError) as raised:
            module.compute(predictions=[GOOD, prediction], references=[GOOD, GOOD])
        assert message in raised.value.problem
        assert (raised.value.document, raised.value.position) == (1, position)
        assert "same words" in raised.value.remedy
    # blanks between words are not words
    spread = "\n<pers>Ada</pers>\tsings  "
    assert module.compute(predictions=[spread], references=[GOOD])["eter"] == 0


def test_documents_of_errors_are_counted_over_batches():
    module = load("eter", "markup")
    for _ in range(3):
        module.add_batch(predictions=[GOOD] * 700, references=[GOOD] * 700)
    module.add(prediction="<pers> Ada sings", reference=GOOD)
    with pytest.raises(InputError, match="predictions, document 2100, line 1, column 1: the tag <pers> is not closed"):
        module.compute()


def test_control_characters_in_errors_stay_on_their_line():
    module = load("eter", "markup")
    with pytest.raises(InputError) as raised:
        module.compute(predictions=["\x1b[31mAda sings"], references=["Ada sings"])
    assert "\x1b" not in str(raised.value)


def test_large_documents_of_markup():
    words = 20_000
    document = " ".join(["<pers> <name> Ada </name> </pers>"] * words)
    result = load("eter", "markup").compute(predictions=[document], references=[document])
    assert (result["references"], result["eter"]) == (words, 0)
    assert len(from_markup(document).words) == words

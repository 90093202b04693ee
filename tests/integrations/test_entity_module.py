"""`eter` under the real `evaluate`: what the other modules do not have, and bad input of both its forms."""

import datasets
import numpy as np
import pytest

from module_cases import PREDICTED_ENTITIES, PREDICTED_MARKUP, REFERENCE_ENTITIES, REFERENCE_MARKUP, entity, load
from spanometer import InputError
from spanometer.measures import Eter
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
    options = {"alpha": 0.25, "type_cost": 0.75, "subtype_cost": 0.125, "span_cost": 0.5, "deletion_cost": 0.75}
    measure = Eter(**options)
    counts = measure.counts(Entities.from_dicts(REFERENCE_ENTITIES), Entities.from_dicts(PREDICTED_ENTITIES))
    result = load("eter").compute(**ENTITIES, **options, details=True)
    assert {key: result[key] for key in Eter.keys} == measure.score(counts)
    assert result["muc_err"] == measure.muc_error(counts)
    assert result["counts"] == counts.total()
    signature = (
        "|alpha:0.25|type_cost:0.75|subtype_cost:0.125|span_cost:0.5|insertion_cost:1"
        "|deletion_cost:0.75|ser_type_cost:0.5|ser_span_cost:0.5|type_level:fine|average:micro|zero_division:0|"
    )
    assert signature in result["signature"]
    zeros = load("eter").compute(**ENTITIES, alpha=-0.0, span_cost=-0.0, details=True)["signature"]
    assert zeros == load("eter").compute(**ENTITIES, alpha=0, span_cost=0, details=True)["signature"]
    assert "|alpha:0|type_cost:0.5|subtype_cost:0.25|span_cost:0|" in zeros


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
    result = module.compute(predictions=[prediction], references=[reference], entity_types=["DRUG"], details=True)
    assert (result["eter"], result["deletions"]) == (0.5, 0)
    assert result["signature"].startswith("eter|input:markup|entity_types:DRUG|alpha:0.5|")


# errors


GOOD = "<pers> Ada </pers> sings"


@pytest.mark.parametrize("call", ["compute", "add_batch"])
def test_documents_that_are_no_texts(call):
    module = load("eter", "markup")
    for text, message in ((None, "not a string with markup"), ("\ud800 sings", "cannot be stored as UTF-8")):
        with pytest.raises(InputError, match=f"predictions, document 1: .*{message}"):
            getattr(module, call)(predictions=[GOOD, text], references=[GOOD, GOOD])
    assert len(module) == 0


def test_blanks_between_words_are_not_words():
    spread = "\n<pers>Ada</pers>\tsings  "
    assert load("eter", "markup").compute(predictions=[spread], references=[GOOD])["eter"] == 0


def test_documents_of_errors_are_counted_over_batches():
    module = load("eter", "markup")
    for _ in range(3):
        module.add_batch(predictions=[GOOD] * 700, references=[GOOD] * 700)
    module.add(prediction="<pers> Ada sings", reference=GOOD)
    with pytest.raises(InputError, match="predictions, document 2100, line 1, column 1: the tag <pers> is not closed"):
        module.compute()

"""The module `mention_f`: mentions in, as pairs, dicts and Arrow columns."""

import evaluate
import pytest

import spanometer
from spanometer import InputError

ADA, LOWER, LONDON = ("PER", "Ada Lovelace"), ("PER", "ada lovelace"), ("LOC", "London")
REFERENCES = [[ADA, ADA, LONDON], []]
PREDICTIONS = [[ADA, LOWER, ("ORG", "London")], [ADA]]


@pytest.fixture(scope="module")
def mention_f():
    return evaluate.load(spanometer.path("mention_f"))


def test_answers_that_are_read_by_rules_of_projects(mention_f):
    from spanometer.grounding import ground_strings

    answer = '[["PER", "ada lovelace"], ["PER", "Byron"], ["ORG", "Ada Lovelace"]]'
    found = ground_strings(["Ada Lovelace lived."], [answer], policy="gollie", labels=["PER", "LOC"])
    given = {"predictions": found.mentions.to_pairs(), "references": [[ADA]]}
    # the other label and what is not in the text are dropped
    assert mention_f.compute(**given, **found.policy.compared)["f1"] == 1.0
    assert mention_f.compute(**given)["f1"] == 0.0


@pytest.mark.parametrize(
    ("documents", "said"),
    [
        ([[ADA], [("PER",)]], r"references, document 1, span 0: \('PER',\) is not a label and a text"),
        ([[ADA], [("PER", " ")]], "document 1, span 0: the text is empty"),
        ([[ADA], ["Ada"]], "'Ada' is not a label and a text"),
        ([[ADA]], "2 predicted documents, 1 reference document"),
        ([{"PER": ["Ada"]}, []], "references, document 0"),
    ],
)
def test_errors(mention_f, documents, said):
    with pytest.raises(InputError, match=said):
        mention_f.compute(predictions=PREDICTIONS, references=documents)
    assert mention_f.compute(predictions=REFERENCES, references=REFERENCES)["f1"] == 1.0


def test_options_of_other_inputs_are_refused():
    with pytest.raises(InputError, match="Use one of 'mentions'"):
        spanometer.load("mention_f", "tags")
    with pytest.raises(InputError, match="mention_f has no option 'scheme'"):
        spanometer.load("mention_f").compute(predictions=[[]], references=[[]], scheme="IOB2")

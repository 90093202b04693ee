"""The module `mention_f`: mentions in, as pairs, dicts and Arrow columns."""

import evaluate
import pytest

import spanometer

ADA, LOWER, LONDON = ("PER", "Ada Lovelace"), ("PER", "ada lovelace"), ("LOC", "London")


@pytest.fixture(scope="module")
def mention_f():
    return evaluate.load(spanometer.path("mention_f"))


def test_answers_that_are_read_by_rules_of_projects(mention_f):
    from spanometer.grounding import ground_strings

    answer = '[["PER", "ada lovelace"], ["PER", "Byron"], ["ORG", "Ada Lovelace"]]'
    found = ground_strings(["Ada Lovelace lived."], [answer], policy="gollie", asked_labels=["PER", "LOC"])
    given = {"predictions": found.mentions.to_dicts(), "references": [[ADA]]}
    # the other label and what is not in the text are dropped
    assert mention_f.compute(**given, **found.policy.compared)["f1"] == 1.0
    assert mention_f.compute(**given)["f1"] == 0.0

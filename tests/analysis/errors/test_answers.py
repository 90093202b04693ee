"""What only generation gets wrong: counted by hand, under policies that keep and that leave out."""

import pytest

from spanometer import Spans, errors
from spanometer.analysis.errors.kinds import ANSWER_KINDS, AnswerErrors
from spanometer.grounding import ground
from spanometer.tables.table import amount
from spanometer.web.error_report import error_report
from spanometer.web.passages import MOST_ANSWERS

TEXTS = ["Ann saw Ann in Rome.", "Oslo", "Bob"]
ANSWERS = [
    # the third Ann is one too many, Cid is nowhere, nobody asked for CITY, and the last is both
    [["PER", "Ann"], ["PER", "Ann"], ["PER", "Ann"], ["PER", "Cid"], ["CITY", "Rome"], ["CITY", "Paris"]],
    '[["LOC", "Oslo"], ["LOC", "Ri',
    '[["PER", "Bob"]]',
]
LABELS = ["PER", "LOC"]


def answer_errors(policy, **options):
    return AnswerErrors(ground(TEXTS, ANSWERS, policy=policy, **{"asked_labels": LABELS, **options}))


@pytest.mark.parametrize(
    ("policy", "numbers"),
    [
        ("strict", [(2, 2), (1, 1), (2, 2), (1, 0)]),
        # of the broken answer one item is complete, and has a place
        ("salvage,keep,exact,whole,prefer free,wrong,wrong,keep", [(2, 2), (1, 1), (2, 2), (1, 1)]),
        # Rome has a place and stays
        ("salvage,keep,exact,whole,prefer free,drop,drop,keep", [(2, 0), (1, 0), (2, 1), (1, 1)]),
        # what is outside is not looked for
        ("empty,drop,exact,whole,prefer free,wrong,wrong,keep", [(1, 1), (1, 1), (2, 0), (1, 0)]),
        # the first of three is both of them, and the other two are surplus
        ("empty,keep,exact,whole,all,wrong,wrong,keep", [(2, 2), (2, 2), (2, 2), (1, 0)]),
    ],
)
def test_kinds_by_hand(policy, numbers):
    found = answer_errors(policy)
    assert dict(found.kinds) == dict(zip(ANSWER_KINDS, numbers, strict=True))
    total = found.grounded.total
    if "drop,exact" not in policy:
        assert (total["absent"], total["surplus"], total["outside"]) == tuple(number for number, _ in numbers[:3])
    # the items that have no place are all there are
    absent, surplus = (found.kinds[kind].predicted for kind in ("absent", "surplus"))
    assert absent + surplus == len(found.grounded.unplaced)


def test_without_labels_none_is_outside():
    assert answer_errors("strict", asked_labels=None).kinds["outside"] == (0, 0)


def test_answers_with_errors():
    found = answer_errors("strict")
    assert [answer.document for answer in found.answers()] == [0, 1]
    assert found.table().rows[0] == [("absent", "cyan"), amount(2), amount(2)]
    assert found.to_dict()["kinds"]["broken"] == {"number": 1, "predicted": 0}


def test_the_report_has_text_and_answer_side_by_side():
    texts = ["Ann & Bob"] * (MOST_ANSWERS + 2)
    answers = ['[["PER", "Ann"], ["PER", "Ann"], ["X", "<b>Cid</b>"]]'] * len(texts)
    gold = Spans.from_dicts([[{"start": 0, "end": 3, "label": "PER"}]] * len(texts))

    def report(answers):
        return error_report(errors(gold, ground(texts, answers, asked_labels=LABELS), confidence=None))

    page = report(answers).partition("<script")[0]
    assert page.count('<p dir="auto">Ann &amp; Bob</p>') == MOST_ANSWERS
    assert "Not shown: 2 answers." in page
    assert "<b>Cid" not in page
    # the second copy is marked, not the first
    marked = '<mark class="sm-surplus">Ann<span class="sm-tag">surplus'
    assert f"&#34;Ann&#34;], [&#34;PER&#34;, &#34;{marked}" in page
    assert "absent, outside" in page
    page = report(["[]"] * len(texts))
    assert "Errors of answers" in page and "Answers beside their texts" not in page

"""Answers and texts of any kind: items or a counted broken answer, in bounded time and memory, never an exception."""

import json
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spanometer import InputError, Spans
from spanometer.grounding import FORMATS, NAMED, NAMED_STRINGS, GroundingPolicy, ground, ground_strings, read_answer
from spanometer.measures import SpanF

SIGNS = [*"[]{}:,\\'", '"']
JSON = ['["PER", "Ann"]', "\\ud800", "\\x", "nan", "-1e999", "null", "9" * 30]
MARKUP = ["<PER>", "</PER>", "<a/>", "<!--", "-->", "](", "[a](B)", "@@", "##", "<think>", "</think>", "&amp;", "&#0;"]
OTHERS = ["```", "\n", "\0", "(", "- PER: Ann, ", "Ann", "Ann saw e\u0301", "\u0301" * 40, "\ud800", "İ", "ﬁ"]
PIECES = st.sampled_from([*SIGNS, *JSON, *MARKUP, *OTHERS])
ANSWERS = st.one_of(
    st.binary(max_size=60),
    st.lists(PIECES, max_size=12).map("".join),
    st.text(st.characters(), max_size=40),
    st.none(),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=4),
        lambda inner: (
            st.lists(inner, max_size=4) | st.dictionaries(st.text(st.characters(), max_size=4), inner, max_size=4)
        ),
        max_leaves=8,
    ).map(json.dumps),
)
TEXTS = st.one_of(
    st.just("Ann saw Bob, Ann’s e\u0301le\u0300ve."),
    st.lists(st.sampled_from(["Ann", " ", "e", "\u0301", "\ud800", "\u200b", "İ", "\r\n", "ﬁ"]), max_size=12).map(
        "".join
    ),
    st.text(st.characters(), max_size=20),
)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(
    TEXTS,
    ANSWERS,
    st.sampled_from(sorted(FORMATS)),
    st.sampled_from([*NAMED, "salvage,keep,loose,expand,chain,wrong,fuzzy,later,check"]),
    st.sampled_from([None, ["PER"], ["PER", "LOC"]]),
)
def test_any_answer_to_any_text(text, answer, format, policy, labels):
    grounded = ground([text], [answer], policy=policy, asked_labels=labels, format=format)
    total = grounded.total
    assert total["broken"] in (0, 1)
    left_out = total["items"] - total["placed"] - total["surplus"] - total["absent"] - total["overlapping"]
    assert 0 <= left_out <= total["outside"]
    # what was found can be scored, written and read again
    sides = grounded.sides(Spans.from_dicts([[]]))
    assert SpanF().counts(*sides).total()["predicted"] == len(grounded.spans) + len(grounded.wrong_label)
    lengths = sides[1].lengths.tolist()
    assert Spans.from_dicts(sides[1].to_dicts(), lengths=lengths).to_dicts() == sides[1].to_dicts()
    for name in NAMED_STRINGS:
        found = ground_strings([text], [answer], policy=name, asked_labels=labels, format=format)
        assert len(found.mentions) <= found.total["items"]


HUGE = {
    "open elements": "<PER>" * 100_000,
    "nested elements": "<a>" * 50_000 + "x" * 100_000 + "</a>" * 50_000,
    "comments": "<!--" * 250_000,
    "blanks": " " * 1_000_000 + ":",
    "brackets": "[" * 100_000 + "]" * 100_000,
    "objects": '{"a":' * 100_000 + "1" + "}" * 100_000,
    "a number": '[["PER", "Ann", ' + "9" * 100_000 + ", 3]]",
    "a mention": json.dumps([["PER", "Ann saw Bob. " * 80_000]]),
    "marks": "@@a" * 300_000,
    "quotes": "['" * 300_000,
    "escapes": "['" + "\\x" * 300_000 + "']",
    "thoughts": "<think></think>" * 60_000,
}


@pytest.mark.parametrize("name", HUGE)
@pytest.mark.parametrize("format", ["auto", "json", "tags", "lines"])
def test_huge_answers_take_bounded_memory(name, format):
    tracemalloc.start()
    read = read_answer(HUGE[name], format=format, asked_labels=["PER", "LOC"])
    ground(["Ann saw Bob. " * 100], [read], asked_labels=["PER", "LOC"])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100_000_000
    assert sum(len(item.mention) for item in read.items) <= 51 * len(HUGE[name])


@pytest.mark.parametrize("overlap", ["keep", "longest", "earlier", "later"])
def test_many_items_that_are_all_of_many_occurrences(overlap):
    text, answer = "Ann " * 3000, [["PER", "Ann"], ["LOC", "Ann"]] * 1500
    grounded = ground([text], [answer], policy=GroundingPolicy(repeat="all", overlap=overlap))
    # of several items with the same occurrences one keeps them all
    assert len(grounded.spans) == (6000 if overlap == "keep" else 3000)
    assert grounded.total["placed"] == (2 if overlap == "keep" else 1)


@pytest.mark.parametrize("repeat", ["all", "chain"])
def test_too_many_occurrences_are_refused_with_their_document(repeat):
    answers = ["[]", [[str(number), "Ann"] for number in range(4200)]]
    with pytest.raises(InputError, match="document 1: the items of an answer occur more than"):
        ground(["", "Ann " * 4200], answers, policy=GroundingPolicy(repeat=repeat))


@pytest.mark.parametrize("fold", ["exact", "case", "loose", "squad"])
def test_texts_of_marks_and_surrogates(fold):
    text = "e" + "\u0301" * 100_000 + " " + "\ud800" * 100_000
    answer = [["X", text[:100_001]], ["X", text[100_002:]], ["X", "\udfff"]]
    assert ground_strings([text], [answer], policy=f"empty,keep,{fold},set,wrong,wrong").total["placed"] == 2
    if fold != "squad":
        assert ground([text], [answer], policy=GroundingPolicy(fold=fold, inside="allow")).total["placed"] == 2


def test_labels_are_names():
    answer = '[["  PER ", "Ann"], ["", "Bob"], ["\\ud800", "Cid"], ["A\\u0000B", "Dan"]]'
    read = read_answer(answer)
    assert [item.label for item in read.items] == ["PER", "\\ud800", "A\\x00B"]
    assert read.other_fields == 1
    assert read_answer('<rs type="">Ann</rs> <rs type=" LOC ">Oslo</rs>').other_fields == 1

"""Reading answers: every format, what breaks off, and anything at all."""

import json
import random

import pytest

from spanometer.grounding.answers import Item, read_answer

ANN, OSLO = ("PER", "Ann"), ("LOC", "Oslo")


def pairs(answer, **options):
    return [item[:2] for item in read_answer(answer, **options).items]


@pytest.mark.parametrize(
    "answer",
    [
        '[["PER", "Ann"], ["LOC", "Oslo"]]',
        "[('PER', 'Ann'), ('LOC', \"Oslo\"),]",
        '{"PER": ["Ann"], "LOC": ["Oslo"]}',
        '{"PER": "Ann", "LOC": {"l0": "Oslo"}}',
        '[{"PER": "Ann"}, {"LOC": "Oslo"}]',
        '{"entities": [{"text": "Ann", "type": "PER"}, {"text": "Oslo", "type": "LOC"}]}',
        '[{"entity": "Ann", "label": "PER"}, {"entity": "LOC", "word": "Oslo"}]',
        '{"entities": {"PER": ["Ann"], "LOC": [{"text": "Oslo"}]}}',
        '{"extractions": [{"PER": "Ann", "PER_attributes": {"role": "guest"}}, {"LOC": "Oslo"}]}',
        '<think>[["PER", "Bob"]]</think>Sure! ```json\n[["PER", "Ann"], ["LOC", "Oslo"]]\n``` Anything else?',
        'I found these: [["PER", "Ann"], ["LOC", "Oslo"]]. [I hope] that helps.',
        "<PER>Ann</PER> went to <LOC>Oslo</LOC>.",
        '<p>\n <rs type="PER">Ann</rs> went to <name type="LOC">\n Oslo</name>.<lb/></p>',
        "[Ann](PER) went to [Oslo](LOC).",
        "- PER: Ann\n- **LOC**: Oslo\nMISC: None",
        [["PER", "Ann"], ("LOC", "Oslo")],
        {"PER": ["Ann"], "LOC": ["Oslo"]},
    ],
)
def test_formats(answer):
    read = read_answer(answer)
    assert [item[:2] for item in read.items] == [ANN, OSLO]
    assert not read.broken


def test_inline_markup_has_offsets_in_its_own_text():
    read = read_answer("<LOC>New <PER>York</PER></LOC> &amp; [Oslo]", format="tags")
    assert read.text == "New York & [Oslo]"
    assert read.items == (Item("LOC", "New York", 0, 8), Item("PER", "York", 4, 8))
    marked = read_answer("@@Ann## met @@Bob##", labels=["PER"])
    assert marked.text == "Ann met Bob"
    assert marked.items == (Item("PER", "Ann", 0, 3), Item("PER", "Bob", 8, 11))


def test_offsets_of_json():
    assert read_answer('[["PER", "Ann", 0, 3]]').items == (Item("PER", "Ann", 0, 3),)
    assert read_answer('[{"text": "Ann", "label": "PER", "start": 0, "end": 3}]').items == (Item("PER", "Ann", 0, 3),)
    assert read_answer('[{"text": "Ann", "label": "PER", "start": "0", "end": 3}]').items == (Item("PER", "Ann"),)


def test_answers_for_one_label_need_not_name_it():
    assert pairs('["Ann", "Bob"]', labels=["PER"]) == [ANN, ("PER", "Bob")]
    assert pairs('["PER", "Ann"]', labels=["PER"]) == [ANN]
    assert pairs('{"entities": ["Ann", "Bob"]}', labels=["PER"]) == [ANN, ("PER", "Bob")]
    # a pair with a label that nobody asked for is one all the same
    assert pairs('[["PER", "Ann"], ["LOC", "Oslo"]]', labels=["PER"]) == [ANN, OSLO]
    assert read_answer('["Ann", "Bob", "Cid"]').unread == 3


def test_a_key_that_occurs_again_adds_its_mentions():
    assert pairs('{"PER": "Ann", "PER": "Bob"}') == [ANN, ("PER", "Bob")]


@pytest.mark.parametrize(
    ("answer", "items"),
    [
        ('[["PER", "Ann"], ["LOC", "Os', [ANN]),
        ('[["PER", "Ann"], ["LOC", "Oslo"', [ANN, OSLO]),
        ('{"PER": ["Ann", "Bo', [ANN]),
        ('{"PER": ["Ann"], "LOC', [ANN]),
        ('[{"label": "PER", "text": "Ann"}, {"label": "LOC", "te', [ANN]),
        ('[{"label": "PER", "text": "Ann"}, {"label": "LO', [ANN]),
        ("[['PER', 'Ann'], ['LOC', 'Ann's dog']]", [ANN, ("LOC", "Ann")]),
        ("<PER>Ann</PER> went to <LOC>Os", [ANN]),
        ('```json\n[["PER", "Ann"], ["LO', [ANN]),
        ("<think>I wonder", []),
        ("There is nobody.", []),
        ("", []),
        (None, []),
    ],
)
def test_broken_answers_keep_what_is_complete(answer, items):
    read = read_answer(answer)
    assert [item[:2] for item in read.items] == items
    assert read.broken


def test_blank_mentions_are_no_items():
    assert pairs('[["PER", " "], ["PER", ""], ["PER", null]]') == []


def test_any_answer_is_read():
    rng = random.Random(0)
    pieces = ['["PER", "Ann"]', "[", "]", "{", "}", '"', "'", ":", ",", "\\", "<PER>", "</PER>", "](", "[a](B)", "@@"]
    pieces += [
        "##",
        "<think>",
        "</think>",
        "```",
        "\n",
        "nan",
        "-1e999",
        "\ud800",
        "\0",
        "é",
        "<!--",
        "-->",
        "(",
        "null",
    ]
    for _ in range(3000):
        read_answer("".join(rng.choices(pieces, k=rng.randint(0, 12))))
        read_answer(rng.randbytes(rng.randint(0, 40)))


@pytest.mark.parametrize("opening", ["[", '{"a":', "[(", '["', "<a>", "@@", "[a](", "<think>", "```", "\\"])
def test_endless_answers_are_read(opening):
    assert read_answer(opening * 100_000).items == ()


def test_a_list_within_itself_is_broken():
    endless = [["PER", "Ann"]]
    endless += [endless, endless]
    assert read_answer(endless).broken
    assert pairs([["PER", "Ann"]] * 2) == [ANN, ANN]


def test_literals_of_python_and_json_agree():
    rng = random.Random(1)
    for _ in range(500):
        value = [[rng.choice(["PER", "LOC"]), "".join(rng.choices("a'\"\\\n é{}[],:", k=6)) + "x"] for _ in range(3)]
        expected = [tuple(pair) for pair in value]
        assert pairs(json.dumps(value)) == pairs(repr(value)) == pairs(value) == expected

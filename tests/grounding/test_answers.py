"""Reading answers: every format, what breaks off, and anything at all."""

import json
import random

import pytest

from spanometer.grounding import Item, ground, ground_strings, read_answer

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
    marked = read_answer("@@Ann## met @@Bob##", asked_labels=["PER"])
    assert marked.text == "Ann met Bob"
    assert marked.items == (Item("PER", "Ann", 0, 3), Item("PER", "Bob", 8, 11))


def test_offsets_of_json():
    assert read_answer('[["PER", "Ann", 0, 3]]').items == (Item("PER", "Ann", 0, 3),)
    assert read_answer('[{"text": "Ann", "label": "PER", "start": 0, "end": 3}]').items == (Item("PER", "Ann", 0, 3),)
    assert read_answer('[{"text": "Ann", "label": "PER", "start": "0", "end": 3}]').items == (Item("PER", "Ann", 0, 3),)


def test_answers_for_one_label_need_not_name_it():
    assert pairs('["Ann", "Bob"]', asked_labels=["PER"]) == [ANN, ("PER", "Bob")]
    assert pairs('["PER", "Ann"]', asked_labels=["PER"]) == [ANN]
    assert pairs('{"entities": ["Ann", "Bob"]}', asked_labels=["PER"]) == [ANN, ("PER", "Bob")]
    # a pair with a label that nobody asked for is one all the same
    assert pairs('[["PER", "Ann"], ["LOC", "Oslo"]]', asked_labels=["PER"]) == [ANN, OSLO]
    assert read_answer('["Ann", "Bob", "Cid"]').other_fields == 3


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
        ("[['PER', 'Ann'], ['LOC', 'Ann's]]", [ANN, ("LOC", "Ann")]),
        ("<PER>Ann</PER> went to <LOC>Os", [ANN]),
        ('```json\n[["PER", "Ann"], ["LO', [ANN]),
        ("<think>I wonder", []),
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


ASKED = ["PER", "LOC", "ORG"]
SENTENCE = "Ada Lovelace met Charles Babbage in London."
ENTITIES = [("PER", "Ada Lovelace"), ("PER", "Charles Babbage"), ("LOC", "London")]
KEYS = [
    ("Text", "Label"),
    ("entity_text", "entity_type"),
    ("content", "category"),
    ("name", "type"),
    ("entity", "class"),
]
SHAPES = {
    "pairs": json.dumps(ENTITIES),
    "pairs, mention first": json.dumps([pair[::-1] for pair in ENTITIES]),
    "labels by mention": json.dumps({mention: label for label, mention in ENTITIES}),
    "lines, mention first": "".join(f"- {mention}: {label}\n" for label, mention in ENTITIES),
    "lines": "**PER**: Ada Lovelace, Charles Babbage\n**LOC**: London",
    "one line": "PER: Ada Lovelace, Charles Babbage; LOC: London",
    "in brackets": "Ada Lovelace (PER), Charles Babbage (PER), London (LOC)",
    "numbered": "".join(f"{number}. {mention} ({label})\n" for number, (label, mention) in enumerate(ENTITIES)),
    "JSON lines": "\n".join(json.dumps({"text": mention, "label": label}) for label, mention in ENTITIES),
    "two values": '["PER", "Ada Lovelace"] and [["PER", "Charles Babbage"], ["LOC", "London"]]',
    "two blocks": '```json\n{"PER": ["Ada Lovelace", "Charles Babbage"]}\n```\nand\n```\n{"LOC": ["London"]}\n```',
    "within prose": f"Here they are [as asked]:\n{json.dumps(ENTITIES)} I hope [this] helps.",
    "other fields": json.dumps(
        {"reasoning": "London?", "PER": ["Ada Lovelace", "Charles Babbage"], "LOC": "London", "language": "en"}
    ),
    "relations": '{"PER": {"a": "Ada Lovelace", "b": "Charles Babbage"}, "LOC": {"c": "London"}, "met": {"a": ["b"]}}',
    "a list of labels": json.dumps([{"text": mention, "type": [label]} for label, mention in ENTITIES]),
    **{
        f"{first} and {second}": json.dumps([{first: mention, second: label} for label, mention in ENTITIES])
        for first, second in KEYS
    },
    "elements of one name": SENTENCE.replace("Ada Lovelace", '<entity type="PER">Ada Lovelace</entity>')
    .replace("Charles Babbage", '<entity label="PER">Charles Babbage</entity>')
    .replace("London", '<ner class="LOC">London</ner>'),
    "wrappers": "<thinking>Is <PER>he</PER>?</thinking><output><p><PER>Ada Lovelace</PER> met "
    "<PER>Charles Babbage</PER> in <LOC>London</LOC>.</p></output>",
    "comments": '[["PER", "Ada Lovelace"], // one\n["PER", "Charles Babbage"], /* two */ ["LOC", "London"],]',
    "curly quotes": "{“PER”: [“Ada Lovelace”, “Charles Babbage”], “LOC”: [“London”]}",
    "quotes within": '[{"text": "Ada Lovelace", "label": "PER", "why": "a "countess" here"}, '
    '["PER", "Charles Babbage"], ["LOC", "London"]]',
    "a table": "| Entity | Type |\n|---|---|\n" + "".join(f"| {mention} | {label} |\n" for label, mention in ENTITIES),
    "rows": "text,label\n" + "".join(f"{mention},{label}\n" for label, mention in ENTITIES),
    "YAML": "PER:\n  - Ada Lovelace\n  - Charles Babbage\nLOC:\n  - London",
    "YAML of items": "".join(f"- text: {mention}\n  label: {label}\n" for label, mention in ENTITIES),
    "headings": "### PER\n- Ada Lovelace\n- Charles Babbage\n### LOC\n- London",
    "calls": '[PER(span="Ada Lovelace"), PER("Charles Babbage"), LOC(span="London")]',
    "bounds alone": '[[0, 12, "PER"], [17, 32, "PER"], [36, 42, "LOC"]]',
}


@pytest.mark.parametrize("labels", [ASKED, ()], ids=["asked", "any"])
@pytest.mark.parametrize("answer", SHAPES.values(), ids=SHAPES)
def test_shapes(answer, labels):
    # without the labels nothing tells a relation from a label
    asked = ASKED if answer == SHAPES["relations"] else labels
    read = read_answer(answer, asked_labels=asked, text=SENTENCE)
    assert sorted(item[:2] for item in read.items) == sorted(ENTITIES)
    assert not read.broken


@pytest.mark.parametrize(
    ("answer", "count", "number"),
    [
        (SHAPES["other fields"], "other_fields", 2),
        (SHAPES["relations"], "other_fields", 1),
        (SHAPES["pairs, mention first"], "turned", 3),
        (SHAPES["comments"], "repaired", True),
        (SHAPES["curly quotes"], "repaired", True),
        (SHAPES["quotes within"], "repaired", True),
        ('[{"text": "London", "label": "LOC", "start": "here", "end": 3}]', "unread", 1),
        ('[["LOC", "London", 3, null]]', "unread", 1),
    ],
)
def test_what_is_counted(answer, count, number):
    assert getattr(read_answer(answer, asked_labels=ASKED, text=SENTENCE), count) == number


@pytest.mark.parametrize(
    "bounds",
    [
        {"start": 17, "end": 32},
        {"start": "17", "end": "31"},
        {"start_offset": 17.0, "end_offset": 32.0},
        {"startIndex": 17, "endIndex": 31},
        {"start_pos": 17, "end_pos": 32},
        {"span": [17, 32]},
        {"position": {"begin": 17, "end": 32}},
        {"char_interval": {"start_pos": 17, "end_pos": 32}},
        {"offset": 17, "length": 15},
    ],
    ids=str,
)
def test_forms_of_offsets(bounds):
    answer = [{"text": "Charles Babbage", "label": "PER", **bounds}]
    assert read_answer(answer, text=SENTENCE).items == (Item("PER", "Charles Babbage", 17, 32),)


def test_offsets_that_count_units_of_utf_16():
    answer = [{"text": "Ann", "label": "PER", "start": 3, "end": 6}]
    assert read_answer(answer, text="😀 Ann").items == (Item("PER", "Ann", 2, 5),)


NOTHING = ["", "None", "[]", "{}", "N/A", "No entities found.", "There are no named entities here.", '{"entities": []}']


@pytest.mark.parametrize("answer", [*NOTHING, SENTENCE])
def test_nothing_is_an_answer(answer):
    read = read_answer(answer, asked_labels=ASKED, text=SENTENCE)
    assert (read.items, read.broken, read.other_fields) == ((), False, 0)


def test_keys_of_items_can_be_named():
    answer = [{"text": "a sentence", "où": "London", "quoi": "LOC"}]
    keys = {"item_mention_key": "où", "item_label_key": "quoi"}
    assert read_answer(answer, **keys).items == (Item("LOC", "London"),)
    assert ground(["In London"], [answer], **keys).spans.to_dicts() == [[{"start": 3, "end": 9, "label": "LOC"}]]
    assert ground_strings(["In London"], [answer], **keys).mentions.to_dicts() == [[{"label": "LOC", "text": "London"}]]

"""Transformations: by hand, by what they promise on random corpora, and as maps of real datasets."""

import pickle
import random
from dataclasses import replace
from functools import cache
from itertools import chain

import numpy as np
import pytest
from datasets import ClassLabel, Dataset, Features, List, Value

from builders import spans
from random_corpora import LABELS, as_spans, flat_part, random_document
from slow import transformations as slow
from spanometer import InputError, Spans
from spanometer.analysis.transformations.mapping import PAIRS, TRANSFORMATIONS, IllegalTags, as_map, free, matched
from spanometer.analysis.transformations.transformations import (
    Drop,
    Extend,
    Invent,
    Relabel,
    Shift,
    SpanTransformation,
    Split,
    Truncate,
)
from spanometer.tags.decoding import illegal_pairs
from spanometer.tags.schemes import SCHEMES, get_scheme
from spanometer.tags.tags import Tags

ON_SPANS = {name: each for name, each in TRANSFORMATIONS.items() if isinstance(each, SpanTransformation)}


def shown(found):
    return " ".join(f"{span['start']}-{span['end']}:{span['label']}" for span in found.to_dicts()[0])


@pytest.mark.parametrize(
    ("transformation", "before", "after", "touched"),
    [
        (Split(), "0-1:A 1-3:A 3-8:B", "0-1:A 1-2:A 2-3:A 3-6:B 6-8:B", 2),
        (Split(longest=2), "0-1:A 1-3:A 3-8:B", "0-1:A 1-2:A 2-3:A 3-8:B", 1),
        (Split(first=1), "0-2:A 3-5:A", "0-1:A 1-2:A 3-5:A", 1),
        (Shift(tokens=1), "0-3:A 5-7:B", "1-4:A 6-8:B", 2),
        # a one-token span would leave its place; the third would leave the document; the second would meet it
        (Shift(tokens=1), "0-1:A 3-5:B 5-10:A", "0-1:A 3-5:B 5-10:A", 0),
        (Shift(tokens=1, overlap=True), "0-1:A 3-5:B 5-10:A", "0-1:A 4-6:B 5-10:A", 1),
        (Shift(tokens=None), "0-3:A 5-7:B", "2-5:A 6-8:B", 2),
        (Shift(tokens=None), "0-4:A 5-7:B", "0-4:A 6-8:B", 1),
        (Shift(tokens=2), "0-2:A 3-6:B", "0-2:A 5-8:B", 1),
        (Truncate(tokens=2), "0-2:A 2-5:A 6-10:B", "0-2:A 2-3:A 6-8:B", 2),
        (Truncate(tokens=2, side="start"), "0-2:A 2-5:A 6-10:B", "0-2:A 4-5:A 8-10:B", 2),
        (Truncate(shortest=4), "0-2:A 2-5:A 6-10:B", "0-2:A 2-5:A 6-9:B", 1),
        (Extend(), "0-2:A 2-5:A 6-10:B", "0-2:A 2-6:A 6-10:B", 1),
        (Extend(overlap=True), "0-2:A 2-5:A 6-10:B", "0-3:A 2-6:A 6-10:B", 2),
        (Extend(side="start"), "0-2:A 2-5:A 6-10:B", "0-2:A 2-5:A 5-10:B", 1),
        (Extend(room=2), "0-2:A 3-5:B 8-9:A", "0-2:A 3-6:B 8-9:A", 1),
        (Extend(tokens=2, room=3), "0-2:A 3-5:B 8-9:A", "0-2:A 3-7:B 8-9:A", 1),
        (Extend(alone=True), "0-2:A 3-5:B", "0-2:A 3-5:B", 0),
        (Extend(alone=True), "3-5:B", "3-6:B", 1),
        (Relabel(rate=1.0), "0-2:A 3-5:B", "0-2:B 3-5:A", 2),
        (Relabel(rate=1.0, labels=("C",)), "0-2:A 3-5:B", "0-2:C 3-5:C", 2),
        (Relabel(rate=1.0), "0-2:A 3-5:A", "0-2:A 3-5:A", 0),
        (Relabel(rate=1.0, labels=("A", "B"), shortest=3), "0-2:A 3-6:A", "0-2:A 3-6:B", 1),
        (Drop(rate=1.0), "0-2:A 3-6:A", "", 2),
        (Drop(rate=0.0), "0-2:A 3-6:A", "0-2:A 3-6:A", 0),
        (Drop(longest=2), "0-2:A 3-6:A", "3-6:A", 1),
        # a token's distance on either side: 0 and 9 are too near
        (Invent(rate=1.0, lengths=(1,), labels=("C",)), "1-5:A 8-9:B", "1-5:A 6-7:C 8-9:B", 1),
        (Invent(rate=1.0, lengths=(2,)), "", "", 0),
        (Invent(rate=1.0, lengths=(4,), labels=("C",)), "0-1:A", "0-1:A 2-6:C", 1),
        (Invent(rate=1.0, lengths=(9,), labels=("C",)), "0-1:A", "0-1:A", 0),
    ],
)
def test_by_hand(transformation, before, after, touched):
    given = spans(before, lengths=[10])
    columns = [column.copy() for column in (given.start, given.end, given.label)]
    found = transformation(given)
    assert shown(found.spans) == after
    assert (found.touched, found.per_document.tolist()) == (touched, [touched])
    # pure: what was given is what it was
    assert all(np.array_equal(*pair) for pair in zip(columns, (given.start, given.end, given.label), strict=True))


def test_large_parameters():
    given = spans("3-5:A", lengths=[10])
    largest = 2**31 - 1
    for move in (Shift(tokens=largest), Truncate(tokens=largest), Extend(tokens=largest), Extend(room=largest)):
        assert move(given).touched == 0
        assert replace(move, overlap=True)(given).touched == 0
    assert Extend(tokens=largest, side="start")(given).touched == 0


def random_corpus(seed):
    """Documents without overlap of any two spans, and their lengths."""
    generator = random.Random(seed)
    lengths = [generator.choice((0, 1, 2, 5, 9, 20, 40)) for _ in range(generator.choice((1, 4, 12)))]
    documents = []
    for length in lengths:
        drawn = random_document(generator, length, "nested") | random_document(generator, length, "nested")
        # of one label first, so that none at all overlap
        flat = flat_part({("", tokens) for _, tokens in drawn})
        documents.append({(generator.choice(LABELS), tokens) for _, tokens in flat})
    return documents, lengths


VARIANTS = {
    **ON_SPANS,
    "noisy": Relabel(rate=0.5),
    "dropping": Drop(rate=0.5, seed=3),
    "inventing": Invent(rate=0.5, seed=1),
    "shifting": Shift(rate=0.5),
    "from the start": Truncate(side="start"),
    "before the start": Extend(tokens=2, side="start", rate=0.7),
}


@pytest.mark.parametrize("name", VARIANTS)
@pytest.mark.parametrize("seed", range(6))
def test_promises_on_random_corpora(name, seed):
    documents, lengths = random_corpus(seed)
    given = as_spans(documents, lengths)
    found = VARIANTS[name](given)
    before = [{tuple(span.values()) for span in document} for document in given.to_dicts()]
    after = [{tuple(span.values()) for span in document} for document in found.spans.to_dicts()]
    assert sum(map(len, after)) == len(found.spans)
    for old, new, length, touched in zip(before, after, lengths, found.per_document, strict=True):
        gone, come = len(old - new), len(new - old)
        # counted: each touched span gives way to another, to two, to none, or to what was not there
        expected = {"sequence_split": (touched, 2 * touched)}
        if name in ("dropped_spans", "dropping"):
            expected[name] = (touched, 0)
        elif name in ("invented_spans", "inventing"):
            expected[name] = (0, touched)
        assert (gone, come) == expected.get(name, (touched, touched))
        covered = [token for start, end, _ in new for token in range(start, end)]
        assert len(covered) == len(set(covered))
        assert all(0 <= token < length for token in covered)
        assert all(start < end for start, end, _ in new)
    # IO cannot part spans that touch
    for scheme in SCHEMES.keys() - {"IO"}:
        tags = found.spans.encode(scheme)
        assert len(illegal_pairs(tags, get_scheme(scheme))) == 0
        assert Spans.from_tags(tags, scheme=scheme).to_dicts() == found.spans.to_dicts()


SLOW = [
    *((Split(**options), slow.split, options) for options in ({}, {"shortest": 3}, {"longest": 3}, {"alone": True})),
    *(
        (Shift(tokens=tokens, **options), slow.shift(tokens), options)
        for tokens in (1, 2, None)
        for options in ({}, {"overlap": True}, {"longest": 3})
    ),
    *(
        (Truncate(tokens=tokens, side=side, **options), slow.truncate(tokens, side), options)
        for tokens in (1, 3)
        for side in ("start", "end")
        for options in ({}, {"shortest": 4}, {"alone": True})
    ),
    *(
        (Extend(tokens=tokens, side=side, room=room, **options), slow.extend(tokens, side, room), options)
        for tokens, room in ((1, None), (1, 3), (3, None))
        for side in ("start", "end")
        for options in ({}, {"overlap": True}, {"longest": 2})
    ),
]


@pytest.mark.parametrize(("transformation", "rule", "options"), SLOW)
def test_against_slow(transformation, rule, options):
    for seed in range(6):
        generator = random.Random(seed)
        for kind in ("flat", "nested"):
            lengths = [generator.choice((1, 4, 9, 20)) for _ in range(6)]
            given = as_spans([random_document(generator, length, kind) for length in lengths], lengths)
            before = [{tuple(span.values()) for span in document} for document in given.to_dicts()]
            expected = [rule(*pair, options) for pair in zip(before, lengths, strict=True)]
            found = transformation(given)
            assert [{tuple(span.values()) for span in document} for document in found.spans.to_dicts()] == [
                document for document, _ in expected
            ]
            assert found.per_document.tolist() == [touched for _, touched in expected]


@pytest.mark.parametrize("seed", range(10))
def test_same_spans_are_touched(seed):
    documents, lengths = random_corpus(seed)
    given = as_spans(documents, lengths)
    for names in (("-1", "-2", "-3"), ("+1", "+2", "+3")):
        found = [matched(name, TRANSFORMATIONS[name], given)(given).per_document.tolist() for name in names]
        assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("names", PAIRS)
@pytest.mark.parametrize("change", [lambda known: known, free], ids=["tags", "free"])
def test_as_many_are_touched(names, change):
    numbers = set()
    for seed in range(8):
        documents, lengths = random_corpus(seed)
        given = as_spans(documents, lengths)
        known = {name: change(TRANSFORMATIONS[name]) for name in names}
        touched = {matched(name, known[name], given)(given).touched for name in names}
        assert len(touched) == 1
        # as many as the one that can touch the fewest; of extensions those with room for the most
        most = min(transformation(given).touched for transformation in known.values())
        assert touched == {most} if names[0] != "+1" else max(touched) <= most
        numbers |= touched
    assert len(numbers) > 1


def test_beyond_the_end_by_hand():
    given = Spans.from_tags([["B-A", "I-A"], ["B-A", "I-A", "O", "B-B"]])
    known = Shift(tokens=1)
    assert known(given).touched == 1
    found = replace(known, beyond=True)(given)
    assert found.touched == 2
    assert found.spans.lengths is None
    assert [span["end"] for document in found.spans.to_dicts() for span in document] == [3, 3, 4]
    assert Extend(beyond=True, longest=1)(given).spans.to_dicts()[1][1] == {"start": 3, "end": 5, "label": "B"}
    # where nothing passes an end the lengths stay
    assert Truncate(beyond=True)(given).spans.lengths is given.lengths


def test_otherwise_by_hand():
    tags = ["B-A", "O", "O", "O", "B-B", "O"]
    given = Spans.from_tags([tags])
    found = Extend(tokens=2, room=3, otherwise=1)(given)
    assert found.spans.to_tags("IOB2") == [["B-A", "I-A", "I-A", "O", "B-B", "I-B"]]
    assert found.touched == 2
    assert Extend(tokens=2, room=3)(given).touched == 1


@pytest.mark.parametrize("scheme", [name for name in SCHEMES if name != "IO"])
@pytest.mark.parametrize("seed", range(4))
def test_illegal_tags(scheme, seed):
    documents, lengths = random_corpus(seed)
    known = get_scheme(scheme)
    before = as_spans(documents, lengths).encode(scheme)
    found = IllegalTags(rate=0.3, seed=seed).on_tags(before, scheme=scheme)
    old, new = (np.array(tags.names, dtype=object)[tags.codes] for tags in (before, found.tags))
    changed = np.flatnonzero(old != new)
    assert len(changed) == found.touched
    document = np.searchsorted(before.offsets, changed, side="right") - 1
    assert np.bincount(document, minlength=len(lengths)).tolist() == found.per_document.tolist()
    # each is in an illegal pair, which is named by its second token, or by the last one before an end
    wrong = {tuple(pair) for pair in illegal_pairs(found.tags, known).tolist()}
    for token in changed.tolist():
        assert {(token, 0), (token + 1, 0), (token, 1)} & wrong
    if found.touched:
        assert {name.partition("-")[2] for name in new[changed]} <= {*LABELS, ""}


def test_bare_tags_stay_bare():
    tags = Tags.from_lists([["B", "I", "O", "O"]])
    found = TRANSFORMATIONS["minimum_overlap"].on_tags(tags, scheme="IOB2")
    assert [found.tags.names[code] for code in found.tags.codes] == ["O", "B", "I", "O"]
    found = IllegalTags(rate=1.0).on_tags(tags, scheme="IOB2")
    assert found.touched > 0
    assert set(found.tags.names) == {"O", "B", "I"}


def test_parts_are_as_the_whole():
    documents, lengths = random_corpus(4)
    given = as_spans(documents, lengths)
    for transformation in (
        Drop(rate=0.5),
        Relabel(rate=0.5, labels=LABELS),
        Invent(rate=0.3, lengths=(1, 2), labels=LABELS),
    ):
        whole = transformation(given).spans.to_dicts()
        for document in range(given.documents):
            part = transformation(given.take(np.array([document])), numbers=np.array([document]))
            assert part.spans.to_dicts() == [whole[document]]


def test_draws():
    # a plain reading of the published constants, in Python's integers
    def mixed(state):
        state = (state + 0x9E3779B97F4A7C15) % 2**64
        state = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        state = (state ^ (state >> 27)) * 0x94D049BB133111EB % 2**64
        return state ^ (state >> 31)

    # the first output of the published generator with state 0
    assert mixed(0) == 0xE220A8397B1DCDAF
    state = mixed(7)
    for key in (3, 11):
        state = mixed(state ^ mixed(key))
    assert Split(seed=7).uniform(np.array([3]), np.array([11]))[0] == (state >> 11) / 2**53
    draws = Split(seed=0).uniform(np.arange(100_000))
    assert draws.min() >= 0 and draws.max() < 1
    assert np.abs(np.histogram(draws, bins=10, range=(0, 1))[0] - 10_000).max() < 480


@pytest.mark.parametrize("transformation", ON_SPANS.values(), ids=ON_SPANS)
def test_empty_corpora(transformation):
    for tags in ([], [[]], [["O", "O"]]):
        found = transformation(Spans.from_tags(tags))
        assert found.touched == 0
        assert found.spans.to_dicts() == [[] for _ in tags]
    assert IllegalTags(rate=1.0).on_tags(Tags.from_lists([]), scheme="IOB2").touched == 0
    assert IllegalTags(rate=1.0).on_tags(Tags.from_lists([[], ["O"]]), scheme="IOB2").touched == 0


def test_bad_tags():
    illegal = Tags.from_lists([["O"], ["O", "I-A"]])
    assert Truncate().on_tags(illegal, scheme="IOB2", repair="conlleval").touched == 0


# maps

NAMES = ["O", *(f"{prefix}-{label}" for label in LABELS for prefix in "BI")]


@cache
def tag_lists():
    corpora = [random_corpus(seed) for seed in range(6)]
    documents, lengths = (list(chain.from_iterable(parts)) for parts in zip(*corpora, strict=True))
    return as_spans(documents, lengths).to_tags("IOB2")


def dataset(*, numbers):
    rows = tag_lists()
    if not numbers:
        return Dataset.from_dict({"ner_tags": rows, "id": list(range(len(rows)))})
    codes = [[NAMES.index(tag) for tag in row] for row in rows]
    features = Features({"ner_tags": List(ClassLabel(names=NAMES)), "id": Value("int64")})
    return Dataset.from_dict({"ner_tags": codes, "id": list(range(len(rows)))}, features=features)


def mappable(name):
    transformation = TRANSFORMATIONS[name]
    return replace(transformation, lengths=(1, 2)) if isinstance(transformation, Invent) else transformation


@pytest.mark.parametrize("name", TRANSFORMATIONS)
@pytest.mark.parametrize("numbers", [False, True], ids=["strings", "ClassLabel"])
def test_maps(name, numbers):
    corpus = dataset(numbers=numbers)
    function = as_map(mappable(name), id2label=NAMES, touched_column="touched")
    options = {"with_indices": True, "load_from_cache_file": False}
    whole = corpus.map(function, batched=True, batch_size=None, **options)
    small = corpus.map(function, batched=True, batch_size=3, **options)
    single = corpus.map(function, **options)
    assert whole.to_dict() == small.to_dict() == single.to_dict()
    assert whole.features["ner_tags"] == corpus.features["ner_tags"]
    assert whole["id"][:] == corpus["id"][:]
    lists = whole["ner_tags"][:]
    lists = [[NAMES[code] for code in row] for row in lists] if numbers else lists
    if name != "illegal_tags":
        assert lists == function.transformation(Spans.from_tags(tag_lists(), scheme="IOB2")).spans.to_tags("IOB2")
    differing = [old != new for old, new in zip(tag_lists(), lists, strict=True)]
    assert differing == [count > 0 for count in whole["touched"][:]]
    assert sum(differing) > 0
    if name != "illegal_tags":
        assert len(illegal_pairs(Tags.from_lists(lists), get_scheme("IOB2"))) == 0


def test_maps_of_several_processes_and_streams():
    corpus = dataset(numbers=True)
    function = as_map("dropped_spans", id2label=NAMES)
    assert pickle.loads(pickle.dumps(function)) == function
    expected = corpus.map(function, batched=True, with_indices=True)["ner_tags"][:]
    assert corpus.map(function, batched=True, with_indices=True, num_proc=2)["ner_tags"][:] == expected
    streamed = corpus.to_iterable_dataset().map(function, batched=True, batch_size=4, with_indices=True)
    assert [row["ner_tags"] for row in streamed] == expected


def test_map_without_names():
    function = as_map(Relabel(rate=1.0, labels=("A", "B")), column="tags", scheme="iob2".upper())
    assert function({"tags": [["B-A", "I-A"], []]}, [0, 1]) == {"tags": [["B-B", "I-B"], []]}
    assert function({"tags": ["B-A", "O"]}, 5) == {"tags": ["B-B", "O"]}


def test_maps_with_given_labels_do_not_see_the_batches():
    # which labels the documents have themselves differs from batch to batch
    tags = [["B-P", "O", "B-Q"], ["B-Q", "B-R", "O"], ["B-R", "B-R", "B-P"], ["B-Q"]] * 5
    corpus = Dataset.from_dict({"ner_tags": tags})
    function = as_map(Relabel(rate=1.0, labels=("Q", "X", "Y", "Z")), scheme="IOB2")
    first, second = (
        corpus.map(function, batched=True, batch_size=size, with_indices=True)["ner_tags"][:] for size in (1, 1000)
    )
    assert first == second


def test_map_repairs_where_it_is_asked_to():
    batch = {"ner_tags": [["O", "I-A", "I-A"]]}
    function = as_map("sequence_split", scheme="IOB2", repair="conlleval")
    assert function(batch, [0]) == {"ner_tags": [["O", "B-A", "B-A"]]}


@pytest.mark.parametrize(
    ("batch", "indices", "said"),
    [
        ({"ner_tags": [[0]]}, None, "map(..., with_indices=True)"),
        ({"tags": [[0]]}, [0], "there is no column 'ner_tags'."),
        (
            {"ner_tags": [[0], [1, 9]]},
            [0, 1],
            "document 1, token 1: `id2label` has no tag for the integer 9, only for 0 to 6.",
        ),
        ({"ner_tags": [[0], [1, -100]]}, [0, 1], "document 1, token 1: `id2label` has no tag for the integer -100"),
        ({"ner_tags": [[0, None]]}, [0], "document 0, token 1: the tag is None, not a string."),
        ({"ner_tags": [[True]]}, [0], "document 0, token 0: the tag is True (of type bool), not a string."),
        ({"ner_tags": [["O", "B-X"]]}, [0], "document 0, token 1: 'B-X' is not in id2label."),
        (
            {"ner_tags": [["O", 1]]},
            [0],
            "document 0, token 1: the tag is 1 (of type int), but other tags are strings.",
        ),
        ({"ner_tags": [None]}, [0], "document 0: None is not a document."),
    ],
)
def test_bad_batches(batch, indices, said):
    function = as_map("sequence_split", id2label=NAMES)
    with pytest.raises(InputError) as caught:
        function(batch, indices)
    assert said in str(caught.value)
    # and works afterwards
    assert function({"ner_tags": [[1, 2]]}, [0]) == {"ner_tags": [[1, 1]]}


def test_tags_that_the_names_lack():
    function = as_map("minimum_overlap", id2label=["O", "I-A", "E-A"], scheme="IOE1")
    assert function({"ner_tags": [[1, 1, 0]]}, [0]) == {"ner_tags": [[0, 1, 1]]}
    function = as_map("sequence_split", id2label=["O", "I-A"], scheme="IOB1")
    with pytest.raises(
        InputError, match="document 0, token 1: the result has the tag 'B-A' here, but id2label lacks it"
    ):
        function({"ner_tags": [[1, 1]]}, [0])

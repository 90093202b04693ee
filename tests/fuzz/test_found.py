"""What malformed inputs have found, one test for each class of defect."""

import io
import json
import multiprocessing

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import spanometer
import spanometer.seqeval
from malformed import KNOWN, ODD
from spanometer import InputError, Spans, grounding, readers
from spanometer.analysis.advice import advise
from spanometer.analysis.comparison.string_answers import compare_strings
from spanometer.analysis.errors import buckets
from spanometer.analysis.policies import groundings, repairs
from spanometer.analysis.scores import difficulty, streams
from spanometer.analysis.transformations import mapping
from spanometer.exceptions import setting, shown
from spanometer.integrations import scikit_learn
from spanometer.integrations.language_models import score_answers
from spanometer.integrations.trainer import TokenClassificationMetrics
from spanometer.measures import FairF, Gamma, SlIcm, SpanF, eter, read_counts
from spanometer.options import Option
from spanometer.spans.attributes import Attributes
from spanometer.spans.conversion import convert_tags, repair_tags
from spanometer.spans.entities import Entities
from spanometer.tags import viterbi
from spanometer.tags.tags import Tags

_, TAGS, _ = KNOWN["spans", "tags"]
_, SPANS, _ = KNOWN["spans", "spans"]

UNPRINTABLE = ("10**5000", "deep list", "failing repr")


@pytest.mark.parametrize("name", UNPRINTABLE)
def test_values_that_cannot_be_printed(name):
    """Python writes no integer of more than 4,300 digits and no list of more than a thousand brackets."""
    value = ODD[name]()
    assert shown(value) == f"an object of type {type(value).__name__}"
    assert "an object of type" in str(InputError(setting("cap", value)))
    with pytest.raises(InputError, match="an object of type"):
        Option(name="cap", help="", kind=bool).check(value)
    assert shown(np.zeros((2, 2))) == "array([[0., 0.],        [0., 0.]])"
    for make in (
        lambda: spanometer.path(value),
        lambda: SpanF(average=value),
        lambda: Spans.from_tags(TAGS, scheme=value),
        lambda: Spans.from_tags([[value]]),
        lambda: Spans.from_dicts([[{"start": value, "end": 1, "label": "A"}]]),
        lambda: Spans.from_dicts([[value]]),
        lambda: Attributes.from_dicts([[{"start": 0, "end": 1, "label": "A", "attributes": {"x": value}}]]),
        lambda: Entities.from_dicts([[{"start": 0, "end": 1, "types": value, "components": value}]]),
        lambda: readers.read(io.BytesIO(b"a B-A\n"), columns=[value]),
    ):
        with pytest.raises(InputError):
            make()


@pytest.mark.parametrize("name", ["failing iter", "list that fails", "failing generator"])
def test_objects_that_fail_when_they_are_read(name):
    """The error says where and what, and the object's own error is its cause."""
    value = ODD[name]
    with pytest.raises(InputError, match="cannot be read: RuntimeError") as caught:
        Tags.from_lists(value())
    assert isinstance(caught.value.__cause__, RuntimeError)
    with pytest.raises(InputError, match="cannot be read: RuntimeError") as caught:
        Tags.from_lists([["O"], value()])
    assert caught.value.document == 1
    module = spanometer.load("span_f", "spans")
    good = [[{"start": 0, "end": 1, "label": "A"}]]
    with pytest.raises(InputError) as caught:
        module.compute(predictions=[*good, value()], references=good * 2)
    assert caught.value.place == "predictions, document 1"
    with pytest.raises(InputError, match="lengths"):
        module.compute(predictions=good, references=good, lengths=value())
    assert module.compute(predictions=good, references=good)["f1"] == 1.0


def test_mappings_that_fail_when_they_are_read():
    class Failing(dict):
        def __getitem__(self, key):
            raise RuntimeError("of the caller")

    one = Failing(start=0, end=1, label="A")
    with pytest.raises(InputError, match=r"cannot be read: RuntimeError\('of the caller'\)") as caught:
        Spans.from_dicts([[], [{"start": 0, "end": 1, "label": "A"}, one]])
    assert (caught.value.document, caught.value.span) == (1, 1)


NO_COLUMN = (None, 3, [["O"]], np.array([1]), "B-A", pa.scalar(1), pa.table({"a": [1]}))


@pytest.mark.parametrize("read", [Tags.from_arrow, Spans.from_arrow, Entities.from_arrow, Attributes.from_arrow])
@pytest.mark.parametrize("column", NO_COLUMN, ids=lambda column: type(column).__name__)
def test_what_is_no_column(read, column):
    with pytest.raises(InputError, match="is not an Arrow column"):
        read(column)


@pytest.mark.parametrize("value", [None, 3, [0, 1], np.zeros((2, 2)), np.array(1)])
def test_constructors_take_arrays(value):
    spans = Spans.from_tags(TAGS)
    with pytest.raises(InputError, match=r"start is .*, and not an array of one dimension"):
        Spans(spans.document, value, spans.end, spans.label, spans.labels, spans.documents)


@pytest.mark.parametrize("scheme", [[], {}, set(), 3, b"IOB2", np.array("IOB2")])
def test_schemes_that_are_no_names(scheme):
    with pytest.raises(InputError, match="invalid value for scheme"):
        Spans.from_tags(TAGS, scheme=scheme)


SPANS_OF = Spans.from_tags(TAGS)
TREES = Entities.from_dicts([[]])
GOLD = {"text": "Ann left.", "spans": [{"start": 0, "end": 3, "label": "A"}]}


def document():
    return io.BytesIO(json.dumps(GOLD).encode() + b"\n")


DOCUMENT = document()
OF_ANOTHER_KIND = {
    "annotations": lambda: spanometer.agreement(3),
    "an annotator's name": lambda: spanometer.agreement([TAGS, TAGS], names=["a", []]),
    "names of annotators": lambda: spanometer.agreement([TAGS, TAGS], names=3),
    "prefix": lambda: spanometer.agreement([TAGS, TAGS], prefix=np.array([1, 2])),
    "measures": lambda: spanometer.compare(TAGS, {"a": TAGS, "b": TAGS}, measures=np.array("span_f")),
    "measures of a spread": lambda: repairs.policy_spread(TAGS, TAGS, measures=["span_f"]),
    "logits": lambda: repairs.policy_spread(TAGS, logits=3, labels=["O", "B-A", "I-A"]),
    "labels": lambda: viterbi.decode([np.zeros((1, 2))], True),
    "logits that fail": lambda: viterbi.decode([ODD["list that fails"]()], ["O", "B-A"]),
    "decoders": lambda: TokenClassificationMetrics(["O", "B-A"], decode=3),
    "no decoders": lambda: TokenClassificationMetrics(["O", "B-A"], decode=None),
    "a ragged mask": lambda: viterbi.decode(np.zeros((1, 2, 2)), ["O", "B-A"], mask=[[1, 2], [3]]),
    "ragged lengths": lambda: viterbi.decode(np.zeros((1, 2, 2)), ["O", "B-A"], lengths=[[1, 2], [3]]),
    "ragged transitions": lambda: viterbi.decode([np.zeros((1, 2))], ["O", "B-A"], transitions=[[1, 2], [3]]),
    "spans to transform": lambda: mapping.get_transformation("+1")(TAGS),
    "ragged numbers": lambda: mapping.get_transformation("+1")(SPANS_OF, numbers=[[1, 2], [3]]),
    "numbers in words": lambda: mapping.get_transformation("label_noise")(SPANS_OF, numbers=["a", "b"]),
    "large numbers": lambda: mapping.get_transformation("label_noise")(SPANS_OF, numbers=[0, 2**64]),
    "tags to transform": lambda: mapping.TRANSFORMATIONS["illegal_tags"].on_tags(TAGS, scheme="IOB2"),
    "labels to leave out": lambda: spanometer.load("span_f", ignore_labels=-1),
    "labels that fail": lambda: spanometer.load("span_f", ignore_labels=ODD["failing iter"]()),
    "a batch": lambda: mapping.as_map("+1", scheme="IOB2")([TAGS], [0, 1]),
    "indices": lambda: mapping.as_map("+1", scheme="IOB2")({"ner_tags": TAGS}, [0, None]),
    "names of tags": lambda: mapping.as_map("+1", names=3),
    "a column": lambda: mapping.as_map("+1", scheme="IOB2", column=np.array([1, 2]), touched_column="n"),
    "tags to repair": lambda: repair_tags(TAGS, repair="discard"),
    "tags to convert": lambda: convert_tags(TAGS, to="IOBES"),
    "a target": lambda: convert_tags(Tags.from_lists(TAGS), to=10**5000),
    "columns of a stream": lambda: streams.score_stream([], scheme="IOB2", references=np.array([1, 2])),
    "tables": lambda: streams.sum_counts(True),
    "measures of tables": lambda: streams.sum_counts([], measures=pa.scalar(1)),
    "per_document": lambda: streams.partial_counts({"references": [], "predictions": []}, per_document=np.zeros(2)),
    "a measure of counts": lambda: read_counts(SpanF().counts(SPANS_OF, SPANS_OF).to_bytes(), measure="span_f"),
    "alphas": lambda: eter.alpha_sweep(TREES, {"a": TREES}, alphas=0.5),
    "systems": lambda: eter.alpha_sweep(TREES, TREES, alphas=[0.5]),
    "spans to advise on": lambda: advise.advise(TAGS),
    "words": lambda: advise.advise(SPANS_OF, 3),
    "thresholds": lambda: advise.advise(SPANS_OF, thresholds=3),
    "files": lambda: readers.require_same_tokens(TAGS, TAGS),
    "a path": lambda: readers.read(["a"]),
    "a number as a path": lambda: readers.read(3),
    "columns": lambda: readers.read(io.BytesIO(b"a B-A\n"), columns=-1),
    "a column's number": lambda: readers.read(io.BytesIO(b"a B-A\n"), columns=[True]),
    "words to read": lambda: readers.read(io.BytesIO(b"a B-A\n"), words=b"1"),
    "what begins a document": lambda: readers.read(io.BytesIO(b"a B-A\n"), documents=3),
    "the key of spans": lambda: spanometer.read(io.BytesIO(b"[]\n"), spans_key=[]),
    "a name": lambda: readers.read(io.BytesIO(b"a B-A\n"), name=3),
    "words that fail": lambda: readers.write_entities(
        io.BytesIO(), [[]], format="jsonl", words=[ODD["list that fails"]()]
    ),
    "words without an order": lambda: readers.write_entities(io.BytesIO(), [[]], format="jsonl", words=[{"a", "b"}]),
    "where to write": lambda: readers.write_entities(3, [[]], format="jsonl"),
    "a path of documents": lambda: spanometer.read(np.timedelta64(1)),
    "a folder's name": lambda: spanometer.read(io.BytesIO(b"[]"), name=("a", "b")),
    "a tokenizer": lambda: spanometer.read(DOCUMENT, tokenizer=["words"]),
    "a tokenizer without a name": lambda: spanometer.read(DOCUMENT, tokenizer=""),
    "limits": lambda: spanometer.read(DOCUMENT, limits={"max_lines": 3}),
    "names of limits": lambda: spanometer.read(DOCUMENT, limits={0: 3}),
    "limits in a list": lambda: spanometer.read(DOCUMENT, limits=[3]),
    "an annotator": lambda: spanometer.read(DOCUMENT, annotator=np.zeros(2)),
    "a key of spans": lambda: spanometer.read(DOCUMENT, spans_key=np.zeros(2)),
    "where to write documents": lambda: spanometer.write(spanometer.read(document()), [], format="jsonl"),
    "a path with NUL": lambda: spanometer.write(spanometer.read(document()), "a\0b", format="jsonl"),
    "texts without an order": lambda: grounding.ground({"Ann", "Ben"}, ["A: Ann", "A: Ben"]),
    "texts of a mapping": lambda: grounding.ground_strings({"Ann": 1, "Ben": 2}, ["A: Ann", "A: Ben"]),
    "a text for texts": lambda: grounding.ground("ab", ["A: a", "A: b"]),
    "answers without an order": lambda: grounding.ground(["Ann", "Ben"], {"A: Ann", "A: Ben"}),
    "answers as strings without an order": lambda: grounding.ground_strings(["Ann", "Ben"], {"A: Ann", "A: Ben"}),
    "tokens without an order": lambda: grounding.ground(["Ann Ben"], ["A: Ann"], tokens=[{(0, 3), (4, 7)}]),
    "labels of strings": lambda: grounding.ground_strings(["Ann"], ["A: Ann"], labels=3),
    "labels of an answer": lambda: grounding.read_answer("A: Ann", labels=3),
    "aliases": lambda: grounding.ground(["Ann"], ["A: Ann"], aliases=np.zeros(2)),
    "texts of a spread": lambda: groundings.grounding_spread({"Ann", "Ben"}, ["A: Ann", None], [[], []]),
    "one name for two": lambda: groundings.grounding_spread(["Ann"], {1: [None], "1": [None]}, [[]]),
    "golds without an order": lambda: score_answers({"a", "b"}, ["A: Ann", None]),
    "tokens of some golds": lambda: score_answers([{**GOLD, "tokens": [[0, 3]]}, GOLD], ["A: Ann", "A: Ann"]),
    "systems as strings": lambda: compare_strings([[("A", "Ann")]], [1, 2]),
    "two measures of a score": lambda: scikit_learn.scorer(["span_f", "token_f"]),
    "the key of a score": lambda: scikit_learn.scorer(key=np.zeros(2)),
    "distances": lambda: Gamma(distances=ODD["dict that fails"]()),
    "a huge seed": lambda: spanometer.score(TAGS, TAGS, confidence=0.9, seed=10**5000),
    "values by label": lambda: spanometer.compare(TAGS, {"a": TAGS, "b": TAGS}, per_label=np.zeros(2)),
    "digits": lambda: spanometer.seqeval.classification_report(TAGS, TAGS, digits=-1),
    "values of buckets": lambda: buckets.buckets_of(SPANS_OF, SPANS_OF, by={"year": [[1, 2, 3, 4], 5]}),
    "a value of a bucket": lambda: buckets.buckets_of(SPANS_OF, SPANS_OF, by={"year": [1, 1j]}),
    "sides of buckets": lambda: buckets.buckets_of(TAGS, TAGS),
    "bounds of parts": lambda: difficulty.by_chance(SPANS_OF, SPANS_OF, ODD["list that fails"](), [SpanF()]),
    "measures of parts": lambda: difficulty.by_chance(SPANS_OF, SPANS_OF, [0.5], [3]),
    "types of entities": lambda: readers.read_entities(
        io.BytesIO(b"<a> b </a>\n"), format="quaero", entity_types=np.array("a")
    ),
}


@pytest.mark.parametrize("call", OF_ANOTHER_KIND.values(), ids=list(OF_ANOTHER_KIND))
def test_arguments_of_another_kind(call):
    with pytest.raises(InputError) as caught:
        call()
    assert caught.value.remedy


@pytest.mark.parametrize(
    "make",
    [
        lambda failing: SlIcm(tokens=[["a"]], token_probabilities=failing),
        lambda failing: FairF(weights=failing),
        lambda failing: FairF(weights={"BE": failing}),
    ],
)
def test_mappings_that_cannot_be_read(make):
    """An option that is a mapping whose items fail is refused by its name."""
    with pytest.raises(InputError, match="cannot be read") as caught:
        make(ODD["dict that fails"]())
    assert caught.value.option in ("weights", "token_probabilities")


@pytest.mark.parametrize(
    "name", ["agreement", "compare", "consensus", "disagreements", "errors", "score", "score_against"]
)
def test_more_by_position_than_a_function_takes(name):
    """Several systems or annotators are passed together; Python's own error would not say how."""
    with pytest.raises(InputError, match="1 argument too many") as caught:
        getattr(spanometer, name)(*[TAGS] * (2 if name in ("agreement", "consensus", "disagreements") else 3))
    assert ("one system" if name == "score" else "by their names") in caught.value.remedy


def _gamma(_):
    spans = Spans.from_tags(TAGS)
    measure = Gamma(samples=12, processes=2)
    return measure.score(measure.counts(spans, spans))


def test_processes_in_a_worker_of_a_pool():
    """A worker may have no processes of its own, which was an AssertionError of Python's; the result is the same."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        (found,) = pool.map(_gamma, [0])
    spans = Spans.from_tags(TAGS)
    assert found == Gamma(samples=12).score(Gamma().counts(spans, spans))


@pytest.mark.parametrize(
    "span",
    [
        {"start": 0, "end": 2**63, "label": "A"},
        {"fragments": [[0, 1], [2, 2**80]], "label": "A"},
        {"fragments": [["0", 1], [2, 3]], "label": "A"},
    ],
)
def test_bounds_that_no_array_holds(run, file, span):
    """`spanometer validate` refuses them as `spanometer score` does."""
    path = file("documents.jsonl", json.dumps({"text": "Ann won", "spans": [span]}) + "\n")
    status, output, complaint = run("validate", path)
    assert (status, output) == (2, "")
    assert "documents.jsonl, line 1, span 0: the " in complaint


def test_values_that_are_nan_are_of_their_own_document():
    """One NaN made the values of all documents after it NaN."""
    spans = Spans.from_dicts([[{"start": 0, "end": 1, "label": "A"}]] * 3, lengths=[2] * 3)
    (*_, found) = buckets.buckets_of(spans, spans, by={"year": [1999, float("nan"), 2001]})
    assert found.name == "year"
    assert sorted(map(str, found.names)) == ["1999", "2001", "nan"]


def test_parts_by_chance_of_bounds_in_a_text():
    """Bounds in a text passed the check, and were then read character by character."""
    one, other = (difficulty.by_chance(SPANS_OF, SPANS_OF, bounds, ["span_f"]) for bounds in ("0.1,0.5", [0.1, 0.5]))
    assert list(one) == list(other)


@pytest.mark.parametrize("as_batch", [False, True])
def test_tables_with_two_columns_of_one_name(as_batch):
    """Arrow's KeyError came through; a row of a file as an object had the last of the columns alone."""
    column = pa.array(TAGS)
    table = pa.table([column] * 3, names=["references", "predictions", "references"])
    with pytest.raises(InputError, match="two columns are called 'references'"):
        streams.partial_counts(table.to_batches()[0] if as_batch else table, scheme="IOB2")
    stored = streams.partial_counts({"references": TAGS, "predictions": TAGS}, scheme="IOB2")
    with pytest.raises(InputError, match="holds no counts"):
        streams.sum_counts(stored.append_column("counts", stored["counts"]))


def test_files_with_two_columns_of_one_name():
    names = ["document", "start", "end", "label", "start"]
    rows = [["a"], [0], [3], ["PER"], [1]]
    lines = io.BytesIO(f"{','.join(names)}\na,0,3,PER,1\n".encode())
    sink = io.BytesIO()
    pq.write_table(pa.table(list(map(pa.array, rows)), names=names), sink)
    for stream in (lines, io.BytesIO(sink.getvalue())):
        with pytest.raises(InputError, match="two columns are called 'start'"):
            spanometer.read(stream, format="span_table")

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
from spanometer import InputError, Spans, readers
from spanometer.analysis.policies import repairs
from spanometer.analysis.scores import score, streams
from spanometer.analysis.transformations import mapping
from spanometer.exceptions import setting, shown
from spanometer.measures import FairF, Gamma, SlIcm, SpanF
from spanometer.options import Option
from spanometer.spans.attributes import Attributes
from spanometer.spans.conversion import convert_tags
from spanometer.spans.entities import Entities
from spanometer.tags import viterbi
from spanometer.tags.tags import Tags

_, TAGS, _ = KNOWN["spans", "tags"]

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
    with pytest.raises(InputError, match=r"cannot be read as a (list|mapping): RuntimeError") as caught:
        Tags.from_lists(value())
    assert isinstance(caught.value.__cause__, RuntimeError)
    with pytest.raises(InputError, match=r"cannot be read as a (list|mapping): RuntimeError") as caught:
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
    with pytest.raises(InputError, match=r"cannot be read.*: RuntimeError\('of the caller'\)") as caught:
        Spans.from_dicts([[], [{"start": 0, "end": 1, "label": "A"}, one]])
    assert (caught.value.document, caught.value.span) == (1, 1)


NO_COLUMN = (None, 3, [["O"]], np.array([1]), "B-A", pa.scalar(1), pa.table({"a": [1]}))


@pytest.mark.parametrize("read", [Tags.from_arrow, Spans.from_arrow, Entities.from_arrow, Attributes.from_arrow])
@pytest.mark.parametrize("column", NO_COLUMN, ids=lambda column: type(column).__name__)
def test_what_is_no_column(read, column):
    with pytest.raises(InputError, match="is not an Arrow column"):
        read(column)


SPANS_OF = Spans.from_tags(TAGS)
GOLD = {"text": "Ann left.", "spans": [{"start": 0, "end": 3, "label": "A"}]}


def document():
    return io.BytesIO(json.dumps(GOLD).encode() + b"\n")


OF_ANOTHER_KIND = {
    "measures of a spread": lambda: repairs.policy_spread(TAGS, TAGS, measures=3),
    "logits": lambda: repairs.policy_spread(TAGS, logits=3, id2label=["O", "B-A", "I-A"]),
    "logits that fail": lambda: viterbi.decode([ODD["list that fails"]()], ["O", "B-A"]),
    "spans to transform": lambda: mapping.get_transformation("+1")(TAGS),
    "ragged numbers": lambda: mapping.get_transformation("+1")(SPANS_OF, numbers=[[1, 2], [3]]),
    "numbers in words": lambda: mapping.get_transformation("label_noise")(SPANS_OF, numbers=["a", "b"]),
    "large numbers": lambda: mapping.get_transformation("label_noise")(SPANS_OF, numbers=[0, 2**64]),
    "tags to transform": lambda: mapping.TRANSFORMATIONS["illegal_tags"].on_tags(TAGS, scheme="IOB2"),
    "labels that fail": lambda: spanometer.load("span_f", ignore_labels=ODD["failing iter"]()),
    "a batch": lambda: mapping.as_map("+1", scheme="IOB2")([TAGS], [0, 1]),
    "indices": lambda: mapping.as_map("+1", scheme="IOB2")({"ner_tags": TAGS}, [0, None]),
    "a target": lambda: convert_tags(Tags.from_lists(TAGS), to=10**5000),
    "measures of tables": lambda: streams.sum_counts([], measures=pa.scalar(1)),
    "a path of documents": lambda: spanometer.read(np.timedelta64(1)),
    "where to write documents": lambda: spanometer.write(spanometer.read(document()), [], format="jsonl"),
    "a path with NUL": lambda: spanometer.write(spanometer.read(document()), "a\0b", format="jsonl"),
    "distances": lambda: Gamma(distances=ODD["dict that fails"]()),
    "a huge seed": lambda: spanometer.score(TAGS, TAGS, confidence=0.9, seed=10**5000),
    "an array as a format": lambda: spanometer.read("a.conll", format=np.array([])),
    "a value of a bucket": lambda: spanometer.errors(TAGS, TAGS).only.buckets(by={"year": [1, 1j]}),
    "bounds of parts": lambda: score.by_chance(SPANS_OF, SPANS_OF, ODD["list that fails"](), [SpanF()]),
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
    with pytest.raises(InputError, match=r"cannot be read|invalid value for `weights`") as caught:
        make(ODD["dict that fails"]())
    assert caught.value.option in ("weights", "token_probabilities")


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


def test_values_that_are_nan_are_of_their_own_document():
    """One NaN made the values of all documents after it NaN."""
    spans = Spans.from_dicts([[{"start": 0, "end": 1, "label": "A"}]] * 3, lengths=[2] * 3)
    report = spanometer.errors(spans, spans, confidence=None).only.buckets(by={"year": [1999, float("nan"), 2001]})
    found = report.buckets[-1]
    assert found.name == "year"
    assert sorted(map(str, found.names)) == ["1999", "2001", "nan"]


def test_parts_by_chance_of_bounds_in_a_text():
    """Bounds in a text passed the check, and were then read character by character."""
    one, other = (score.by_chance(SPANS_OF, SPANS_OF, bounds, ["span_f"]) for bounds in ("0.1,0.5", [0.1, 0.5]))
    assert list(one) == list(other)


@pytest.mark.parametrize("as_batch", [False, True])
def test_tables_with_two_columns_of_one_name(as_batch):
    """Arrow's KeyError came through; a row of a file as an object had the last of the columns alone."""
    column = pa.array(TAGS)
    table = pa.table([column] * 3, names=["references", "predictions", "references"])
    with pytest.raises(InputError, match="two columns have the name 'references'"):
        streams.partial_counts(table.to_batches()[0] if as_batch else table, scheme="IOB2")
    stored = streams.partial_counts({"references": TAGS, "predictions": TAGS}, scheme="IOB2")
    with pytest.raises(InputError, match="the table does not contain counts"):
        streams.sum_counts(stored.append_column("counts", stored["counts"]))


def test_files_with_two_columns_of_one_name():
    names = ["document", "start", "end", "label", "start"]
    rows = [["a"], [0], [3], ["PER"], [1]]
    lines = io.BytesIO(f"{','.join(names)}\na,0,3,PER,1\n".encode())
    sink = io.BytesIO()
    pq.write_table(pa.table(list(map(pa.array, rows)), names=names), sink)
    for stream in (lines, io.BytesIO(sink.getvalue())):
        with pytest.raises(InputError, match="two columns have the name 'start'"):
            spanometer.read(stream, format="span_table")

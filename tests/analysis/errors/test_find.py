"""What is wrong with spans, what it costs, and how systems differ in it."""

import json

import numpy as np
import pytest

import spanometer
from random_corpora import as_spans, random_pair
from slow import errors as slow
from spanometer import InputError
from spanometer.alignment.matched_spans import KINDS
from spanometer.counts.statistics import Resampling
from spanometer.measures import FairF, IntersectionF, LinkF, SemevalF, SpanF, TokenF
from spanometer.readers import read


def spans(text):
    """Spans as dictionaries, written `0-2:A 3-4:B`."""
    found = []
    for part in text.split():
        bounds, label = part.split(":")
        start, end = map(int, bounds.split("-"))
        found.append({"start": start, "end": end, "label": label})
    return found


# right, wrong label, short, long with another label, missing, spurious, one split in two, two merged
GOLD = [spans("0-2:A 3-4:A 5-8:B 9-11:B 14-16:A 20-24:A 26-27:B 27-30:B")]
OUTPUT = [spans("0-2:A 3-4:B 5-7:B 9-12:A 18-19:B 20-21:A 21-24:A 26-30:B")]


def errors(references, predictions, **options):
    return spanometer.errors(references, predictions, **{"confidence": None, **options})


@pytest.mark.parametrize(
    ("gold", "output", "kind", "score"),
    [
        # 2 of 3 and 3 right: the corrected output has both copies of A
        ("0-1:A 0-1:A 2-3:B", "0-1:A 0-1:A 2-3:C", "wrong_label", 4 / 6),
        # 1 of 3 and 2 right: the span that takes its place has both copies
        ("0-1:A 2-4:B 2-4:B", "0-1:A 2-3:B", "wrong_boundary", 2 / 5),
    ],
)
def test_corrected_spans_keep_their_copies(gold, output, kind, score):
    costs = errors([spans(gold)], [spans(output)], measure=SpanF(duplicates="each")).only.costs
    assert costs.score == pytest.approx(score)
    assert next(cost for cost in costs.kinds if cost.kind == kind).fixed == 1


def test_by_hand():
    found = errors(GOLD, OUTPUT).only
    assert found.counts == dict(zip(KINDS, (1, 1, 3, 1, 2, 2), strict=True))
    assert found.errors == 9
    assert found.per_label == {
        "A": {"reference": 4, "predicted": 4, **dict(zip(KINDS, (1, 1, 1, 0, 1, 1), strict=True))},
        "B": {"reference": 4, "predicted": 4, **dict(zip(KINDS, (0, 0, 2, 1, 1, 1), strict=True))},
    }
    costs = {cost.kind: cost for cost in found.costs.kinds}
    # 1 of 8 and 8 is right
    assert found.costs.score == 2 / 16
    assert [(kind, cost.fixed) for kind, cost in costs.items()] == [
        ("wrong_boundary", 8 / 16),
        ("wrong_boundary_shorter", 6 / 16),
        ("wrong_boundary_longer", 4 / 16),
        ("wrong_boundary_shifted", 2 / 16),
        ("missing", 6 / 18),
        ("wrong_label", 4 / 16),
        ("wrong_label_and_boundary", 4 / 16),
        ("spurious", 2 / 14),
    ]
    assert all(cost.gain == cost.fixed - 2 / 16 for cost in costs.values())
    marks = {kind: (cost.split, cost.merged, cost.nested) for kind, cost in costs.items()}
    assert (marks["wrong_boundary"], marks["missing"], marks["spurious"]) == ((1, 1, 0), (0, 1, 0), (1, 0, 0))


def as_nervaluate(reference, prediction, **options):
    """COR, INC, MIS and SPU under the scheme `strict`."""
    counts = errors([spans(reference)], [spans(prediction)], **options).only.counts
    wrong = sum(counts[kind] for kind in ("wrong_label", "wrong_boundary", "wrong_label_and_boundary"))
    return counts["correct"], wrong, counts["missing"], counts["spurious"]


@pytest.mark.parametrize(
    "reference, prediction, min_overlap, expected",
    [
        # nervaluate 1.1.0, tests/test_strategies.py, and what is there under `strict`
        ("1-3:PER 6-8:ORG", "1-3:PER", 0.01, (1, 0, 1, 0)),
        ("1-3:PER 6-8:ORG", "1-3:PER 6-8:LOC", 0.01, (1, 1, 0, 0)),
        ("1-3:PER 6-8:ORG", "1-3:PER 6-7:LOC", 0.01, (1, 1, 0, 0)),
        ("1-3:PER 6-8:ORG", "1-3:PER 7-8:LOC", 0.01, (1, 1, 0, 0)),
        ("1-3:PER 6-8:ORG", "1-3:PER 4-5:PER 6-8:LOC", 0.01, (1, 1, 0, 1)),
        ("0-10:PER", "0-3:PER", 0.5, (0, 0, 1, 1)),
        ("0-10:PER", "0-7:ORG", 0.5, (0, 1, 0, 0)),
        # a test of 0.2.0 counts the prediction twice; one response cannot be two
        ("0-1:A 1-2:B", "0-2:A", 0.01, (0, 1, 1, 0)),
    ],
)
def test_examples_of_nervaluate(reference, prediction, min_overlap, expected):
    assert as_nervaluate(reference, prediction, min_overlap=min_overlap) == expected


@pytest.mark.parametrize("kind", ["flat", "nested", "discontinuous"])
def test_against_plain_sets(kind):
    for seed in range(60):
        references, predictions, lengths = random_pair(seed, kind)
        found = errors(as_spans(references, lengths), as_spans(predictions, lengths)).only
        rows = slow.all_rows(references, predictions)
        by_label = {f"{label} {kind}": row[kind] for label, row in found.per_label.items() for kind in KINDS}
        assert {name: count for name, count in by_label.items() if count} == slow.kinds_by_label(rows)
        # a label may be predicted in nothing but pairs of two labels
        for number, side in (("reference", references), ("predicted", predictions)):
            assert sum(row[number] for row in found.per_label.values()) == sum(map(len, side))
        for exact in (False, True):
            matrix = found.confusion("exact" if exact else "overlap")
            cells = {
                (row, column): matrix.counts[i, j]
                for i, row in enumerate(matrix.rows)
                for j, column in enumerate(matrix.columns)
            }
            expected = slow.confusion(rows, exact=exact)
            assert {place: count for place, count in cells.items() if count} == expected
        assert found.costs.score == pytest.approx(slow.micro_f1(references, predictions), abs=1e-12)
        for cost in found.costs.kinds:
            output = slow.fixed(rows, predictions, cost.kind)
            assert cost.fixed == pytest.approx(slow.micro_f1(references, output), abs=1e-12)
            assert cost.gain == pytest.approx(cost.fixed - found.costs.score, abs=1e-12)


MEASURES = [
    *(SpanF(average=average) for average in ("macro", "weighted", "documents")),
    SpanF(match_labels=False),
    SpanF(match_labels=False, average="documents", zero_division=1.0),
    TokenF(average="documents"),
    LinkF(),
    IntersectionF(cap=True),
    SemevalF(),
    FairF(),
]


@pytest.mark.parametrize("measure", MEASURES)
def test_costs_in_other_measures(measure):
    for seed in range(20):
        references, predictions, lengths = random_pair(seed, "flat")
        reference = as_spans(references, lengths)
        found = errors(reference, as_spans(predictions, lengths), measure=measure).only
        rows = slow.all_rows(references, predictions)
        for cost in found.costs.kinds:
            output = as_spans(slow.fixed(rows, predictions, cost.kind), lengths)
            expected = measure.score(measure.counts(reference, output))["f1"]
            # labels of no span are in no average
            assert cost.fixed == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("interval_method", ["percentile", "bca"])
def test_intervals_are_of_the_same_drawn_corpora(interval_method):
    references, predictions, lengths = ([], [], [])
    for seed in range(25):
        parts = random_pair(seed, "flat")
        for side, part in zip((references, predictions, lengths), parts, strict=True):
            side.extend(part)
    reference, output = as_spans(references, lengths), as_spans(predictions, lengths)
    options = {"confidence": 0.9, "n_resamples": 60, "seed": 3, "interval_method": interval_method}
    found = spanometer.errors(reference, output, **options).only.costs
    resampling = Resampling(**options)
    measure = SpanF()
    drawn = []
    for weights in resampling.weights(len(lengths)):
        drawn += [np.repeat(np.arange(len(lengths)), row.astype(int)) for row in weights]

    def scores(side):
        return np.array([measure.score(measure.counts(reference.take(d), side.take(d)))["f1"] for d in drawn])

    now, rows = scores(output), slow.all_rows(references, predictions)
    for cost in found.kinds:
        fixed = as_spans(slow.fixed(rows, predictions, cost.kind), lengths)
        then = scores(fixed)
        if interval_method == "percentile":
            for low_and_high, values in ((cost.fixed_interval, then), (cost.gain_interval, then - now)):
                assert low_and_high == pytest.approx(np.quantile(values, [0.05, 0.95]), abs=1e-12)
        elif cost.count:
            assert cost.fixed_interval == pytest.approx(
                measure.intervals(measure.counts(reference, fixed), resampling)["f1"], abs=1e-12
            )
    if interval_method == "bca":
        expected = measure.intervals(measure.counts(reference, output), resampling)["f1"]
        assert found.interval == pytest.approx(expected, abs=1e-12)


SYSTEMS = {"old": [spans("0-2:A 3-4:B 6-7:A")], "new": [spans("0-1:A 3-4:A 6-7:A")]}
REFERENCE = [spans("0-2:A 3-4:A 8-9:B")]


def test_several_systems_by_hand():
    found = errors(REFERENCE, SYSTEMS)
    columns = ["document", "start", "end", "label", "side", "made_by", "kind_old", "kind_new", "end_old", "label_new"]
    rows = [tuple(row.values()) for row in found.shared.to_arrow().select(columns).to_pylist()]
    assert rows == [
        (1, 0, 2, "A", "reference", 1, "correct", "wrong_boundary", 2, "A"),
        (1, 3, 4, "A", "reference", 1, "wrong_label", "correct", 4, "A"),
        (1, 6, 7, "A", "spurious", 2, "spurious", "spurious", 7, "A"),
        (1, 8, 9, "B", "reference", 2, "missing", "missing", None, None),
    ]
    assert found.shared.to_dict() == {
        "all_systems": {"reference_spans": 1, "spurious_spans": 1},
        "old_alone": {"reference_spans": 1, "spurious_spans": 0},
        "new_alone": {"reference_spans": 1, "spurious_spans": 0},
        "any_system": {"reference_spans": 3, "spurious_spans": 1},
    }
    difference = found.difference("old", "new")
    assert difference.to_arrow()["change"].to_pylist() == ["new", "fixed", "same", "same"]
    changes = difference.to_dict()["kinds"]["all_errors"]
    assert changes == {"before": 3, "fixed": -1, "to_another": 0, "from_another": 0, "new": 1, "after": 3}
    assert difference.to_frame()["kind_old"].tolist() == ["correct", "wrong_label", "spurious", "missing"]


@pytest.mark.parametrize("kind", ["flat", "nested", "discontinuous"])
def test_several_systems_against_plain_sets(kind):
    for seed in range(60):
        references, predictions, lengths = random_pair(seed, kind)
        systems = {"one": predictions, "two": references, "three": random_pair(seed + 1000, kind)[0]}
        systems["three"] = [
            {(label, tokens) for label, tokens in document if max(tokens) < length}
            for document, length in zip([*systems["three"], *[set()] * 9], lengths, strict=False)
        ]
        given = {name: as_spans(side, lengths) for name, side in systems.items()}
        found = errors(as_spans(references, lengths), given)
        expected = slow.errors_of_systems(references, systems)
        shown = {}
        listed = found.shared
        for row, dictionary in enumerate(listed.to_arrow().to_pylist()):
            tokens = tokens_of(listed.spans, row)
            key = dictionary["document"] - 1, (dictionary["label"], tokens), dictionary["side"]
            kinds = {name: dictionary[f"kind_{name}"] for name in systems}
            shown[key] = {name: kind for name, kind in kinds.items() if kind is not None}
        assert shown == expected
        for one, other in (("one", "two"), ("three", "one")):
            for kind_of_error, row in found.difference(one, other).to_dict()["kinds"].items():
                numbers = list(row.values())
                assert sum(numbers[:-1]) == numbers[-1]
                if kind_of_error == "all_errors":
                    assert (numbers[0], numbers[-1]) == (found.systems[one].errors, found.systems[other].errors)
                else:
                    before, after = (found.systems[name].counts[kind_of_error] for name in (one, other))
                    assert (numbers[0], numbers[-1]) == (before, after)


def tokens_of(listed, row):
    if listed.fragments is None:
        return frozenset(range(listed.start[row], listed.end[row]))
    pieces = slice(listed.fragments.offsets[row], listed.fragments.offsets[row + 1])
    bounds = zip(listed.fragments.start[pieces], listed.fragments.end[pieces], strict=True)
    return frozenset(token for start, end in bounds for token in range(start, end))


def test_names_that_tables_have_themselves():
    names = ("missing", "spurious", "reference", "pairs", "system", "all labels", "label")
    gold = [[{"start": at, "end": at + 1, "label": name} for at, name in enumerate(names)]]
    found = errors(gold, dict.fromkeys((*names, "document", "error", "kind", "before"), gold))
    frame = found.to_frame("confusion")
    assert len(frame) == 11 * 2 * (len(names) + 1)
    assert frame["'missing'"].sum() == 22 and frame["missing"].sum() == 0
    assert len(found.systems["label"].to_frame("kinds")) == len(names) + 1
    assert found.to_frame("beside").shape == (9, 12)
    assert found.shared.to_arrow().num_columns == 6 + 4 * 11


def test_no_spans_and_no_documents():
    for empty in ([], [[]], [["O", "O"]]):
        found = errors(empty, empty)
        assert found.only.errors == 0
        assert found.only.confusion().counts.tolist() == [[0]]
        assert str(found) and str(found.suspicious())
        json.dumps(found.to_dict())
    # lists without any span are spans where the other side's are
    assert errors([spans("0-1:A"), []], [[], []]).only.counts["missing"] == 1
    assert errors([[], []], [[], spans("0-1:A")]).only.counts["spurious"] == 1


def test_measures_that_cannot_tell_costs_say_so():
    # the spurious span stays where the missing one is put
    found = errors([spans("0-1:A 1-4:A")], [spans("0-4:A")], measure="link_f")
    assert found.only.costs.key == "f1"
    found = errors([spans("0-1:A 1-4:A")], [spans("0-4:A")], measure="intersection_f").only
    with pytest.raises(InputError, match="correcting the errors of one kind, a span labelled 'A' overlaps") as raised:
        _ = found.costs
    assert raised.value.option == "measure"
    tags = [["B-A", "O"]]
    for measure in ("unitizing_alpha", "chance_kappa_f1"):
        with pytest.raises(InputError, match=f"cannot be computed .*{measure}"):
            _ = errors(tags, tags, measure=measure).only.costs


def test_labels_that_are_left_out_and_mapped():
    found = errors(REFERENCE, SYSTEMS["old"], ignore_labels=["B"]).only
    assert found.counts == dict(zip(KINDS, (1, 0, 0, 0, 1, 1), strict=True))
    assert errors(REFERENCE, SYSTEMS["old"], label_map={"B": "A"}).only.counts["wrong_label"] == 0
    with pytest.raises(InputError, match="pairs"):
        found.confusion("all")


# seqscore 0.9.0, `seqscore score --labels BIO --reference ... --error-counts --score-format delim` on the file with
# numbered words (it lists false positives and negatives by label and text; the 790 lines are the same, span by span)
SEQSCORE = {"LOC": (103, 106), "MISC": (109, 113), "ORG": (126, 149), "PER": (40, 44)}


def test_conll_as_seqscore_counts_it(data):
    file = read(data / "conll03_test_tags.tsv", columns=[1, 2])
    found = errors(*file.tags).only
    lacking = {
        label: (row["reference"] - row["correct"], row["predicted"] - row["correct"])
        for label, row in found.per_label.items()
    }
    assert lacking == SEQSCORE
    assert found.counts == dict(zip(KINDS, (5270, 180, 56, 56, 86, 120), strict=True))
    assert found.costs.score == 2 * 5270 / (5648 + 5682)

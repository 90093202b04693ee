"""The functions of `spanometer.seqeval` against seqeval itself: equal to the last bit, but where it contradicts itself.

SPANOMETER_RANDOM_CORPORA says how many random corpora each function is tried on.
"""

import inspect
import os
import random
import subprocess
import sys
import warnings
from collections import Counter
from math import isnan, nan

import numpy as np
import pytest
import seqeval.metrics as theirs
import seqeval.metrics.sequence_labeling as their_labeling
import seqeval.scheme as their_schemes

import spanometer.seqeval as ours
from random_tags import random_tags

CORPORA = int(os.environ.get("SPANOMETER_RANDOM_CORPORA", "150"))
LABELS = ("A", "B", "C-D")
SCHEMES = ("IOB1", "IOB2", "IOE1", "IOE2", "IOBES", "BILOU")
SCORES = ("precision_score", "recall_score", "f1_score")
FUNCTIONS = (*SCORES, "classification_report", "accuracy_score", "performance_measure")

OURS_ALONE = ("sample_weight has no effect", "mode='strict' has no effect without a scheme")
"""What we warn of where seqeval says nothing."""


# the corpora


def clear(tags, scheme):
    """Whether the strict mode of seqeval reads a document as its scheme says, see the tests of its contradictions."""
    pairs = list(zip(["O", *tags], tags, strict=False))
    if scheme == "IOB1":  # an illegal B, one that does not divide two spans of a label
        return all(now[0] != "B" or (before != "O" and before[1:] == now[1:]) for before, now in pairs)
    if scheme == "IOE1":  # a span of one token that ends in E
        return all(now[0] != "E" or before == f"I{now[1:]}" for before, now in pairs)
    return True


def random_sides(generator, scheme, *, keep):
    """Tags of a few documents of both sides, legal and illegal ones; only documents that `keep` accepts."""
    bare = generator.random() < 0.1
    labels = generator.choice((("A",), LABELS[:2], LABELS))
    sides = [], []
    for _ in range(generator.choice((1, 1, 2, 4))):
        length = generator.choice((1, 2, 3, 5, 8))
        reference, predicted = (random_tags(generator, scheme, length, labels) for _ in range(2))
        if generator.random() < 0.6:
            predicted = [
                tag if generator.random() < 0.7 else other for tag, other in zip(reference, predicted, strict=True)
            ]
        if bare:
            reference, predicted = ([tag[0] for tag in tags] for tags in (reference, predicted))
        if keep(reference) and keep(predicted):
            for side, tags in zip(sides, (reference, predicted), strict=True):
                side.append(tags)
    if not sides[0] or generator.random() < 0.05:
        for side in sides:
            side.append([])
    return sides


def suffixed(tag):
    prefix, hyphen, label = tag.partition("-")
    return f"{label}-{prefix}" if hyphen else tag


def random_call(name, generator):
    """A corpus and options for a function, as positional and as keyword arguments."""
    scheme, mode = generator.choice(SCHEMES), generator.choice((None, "strict"))
    if name not in SCORES + FUNCTIONS[3:4]:
        return random_sides(generator, scheme, keep=bool), {}
    stated = generator.choice((None, scheme))
    if stated in ("IOB1", "IOE1") and mode:
        sides = random_sides(generator, scheme, keep=lambda tags: clear(tags, scheme))
    else:
        # without a scheme, and without the strict mode, no reading of BILOU is seqeval's own
        known = scheme if stated and mode else generator.choice(SCHEMES[:-1])
        sides = random_sides(generator, known, keep=bool)
    options = {"mode": mode, "zero_division": generator.choice(("warn", 0, 1))}
    if generator.random() < 0.3:
        sides = [[list(map(suffixed, tags)) for tags in side] for side in sides]
        options["suffix"] = True
    if generator.random() < 0.1:
        options["sample_weight"] = [1] * len(sides[0])
    if stated:
        options["scheme"] = getattr(their_schemes, stated)
    if name in SCORES:
        options["average"] = generator.choice(("micro", "macro", "weighted", None))
    else:
        options["output_dict"] = generator.random() < 0.5
        options["digits"] = generator.choice((1, 2, 4, 15))
    return sides, options


# what comes of them


def answer(module, name, sides, options):
    """The result of a function (or its error), and the warnings."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            result = getattr(module, name)(*sides, **options)
        except (ValueError, ZeroDivisionError) as error:
            result = error
    told = [(warning.category, str(warning.message)) for warning in said]
    if module is ours:
        told = [(kind, text) for kind, text in told if not text.startswith(OURS_ALONE)]
    return result, told


def equal(found, expected):
    if isinstance(expected, dict):
        keys = isinstance(found, dict) and list(found) == list(expected)
        return keys and all(equal(found[key], expected[key]) for key in expected)
    if isinstance(expected, np.ndarray):
        return isinstance(found, np.ndarray) and found.tolist() == expected.tolist()
    return not isinstance(expected, Exception) and found == expected


def explanation(options, found, expected):
    """Why a difference is right; None if there is no reason."""
    if isinstance(expected, ValueError) and "scheme is not supported" in str(expected):
        return "a scheme that seqeval does not detect"
    if isinstance(expected, ValueError) and "Invalid token is found" in str(expected):
        return "a scheme that the reference does not show" if "scheme" not in options else None
    if isinstance(expected, ValueError) and "max()" in str(expected):
        return "no spans" if found.count("\n") == 6 else None
    if options.get("average") == "macro":
        return "no spans" if isnan(expected) and found in (0, 1) else None
    if isinstance(expected, dict) and len(expected) == 3:
        mean, theirs_ = found["macro avg"], expected["macro avg"]
        pooled = found == {**expected, "macro avg": mean} and mean == found["micro avg"]
        return "no spans" if pooled and isnan(theirs_["f1-score"]) else None
    return None


@pytest.mark.parametrize("name", FUNCTIONS)
def test_random_corpora(name):
    generator = random.Random(name)
    same, reasons = 0, Counter()
    for _ in range(CORPORA):
        sides, options = random_call(name, generator)
        (found, warned), (expected, told) = (answer(module, name, sides, options) for module in (ours, theirs))
        if equal(found, expected) and warned == told:
            same += 1
            continue
        reason = explanation(options, found, expected)
        assert reason, (name, sides, options, found, expected, warned, told)
        reasons[reason] += 1
    print(f"{name}: {same} of {CORPORA} equal; {dict(reasons)}")
    assert same > 0.8 * CORPORA


def random_entities_call(generator):
    """Tags of a document or of several, legal and illegal ones, and `suffix`; without BILOU, which seqeval misreads."""
    scheme = generator.choice(SCHEMES[:-1])
    sides = random_sides(generator, scheme, keep=lambda tags: True)
    documents = sides[generator.randrange(2)]
    suffix = generator.random() < 0.4
    if suffix:
        documents = [list(map(suffixed, tags)) for tags in documents]
    return (documents if generator.random() < 0.6 else documents[0]), suffix


def test_random_entities():
    generator = random.Random("get_entities")
    found = 0
    for _ in range(4 * CORPORA):
        tags, suffix = random_entities_call(generator)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            expected = their_labeling.get_entities(tags, suffix)
            entities = ours.get_entities(tags, suffix)
        assert entities == expected, (tags, suffix)
        assert all(list(map(type, one)) == [str, int, int] for one in entities)
        found += len(expected)
    assert found > CORPORA


@pytest.mark.parametrize(
    ("tags", "options", "expected"),
    [
        ("B-PER I-PER O B-LOC", {}, [("PER", 0, 1), ("LOC", 3, 3)]),
        ("I-A B-A E-B E-A S-A", {}, [("A", 0, 0), ("A", 1, 1), ("B", 2, 2), ("A", 3, 3), ("A", 4, 4)]),
        ("PER-B PER-I O A-B-S", {"suffix": True}, [("PER", 0, 1), ("A-B", 3, 3)]),
        ("B I O I", {}, [("_", 0, 1), ("_", 3, 3)]),
        ("", {}, []),
    ],
)
def test_entities_by_hand(tags, options, expected):
    for module in (ours, their_labeling):
        assert module.get_entities(tags.split(), **options) == expected
        nested = [tags.split(), [], ["O"], tags.split()]
        # one number behind each document: two documents and the O stand between
        step = len(tags.split()) + 4
        shifted = [(label, start + step, end + step) for label, start, end in expected]
        assert module.get_entities(nested, **options) == expected + shifted


@pytest.mark.parametrize("name", [*FUNCTIONS, "get_entities"])
def test_signatures_are_those_of_seqeval(name):
    found, expected = (inspect.signature(getattr(module, name)).parameters for module in (ours, their_labeling))
    assert [(one.name, one.kind, one.default) for one in found.values()] == [
        (one.name, one.kind, one.default) for one in expected.values()
    ]


def test_schemes_are_named_as_in_seqeval():
    for name in SCHEMES:
        for scheme in (getattr(ours, name), getattr(their_schemes, name), name):
            assert ours.f1_score([["O"]], [["O"]], mode="strict", scheme=scheme, zero_division=1) == 1.0


# by hand

TRUE = [["B-PER", "I-PER", "O"], ["B-LOC", "O"], ["O"]]
PREDICTED = [["B-PER", "I-PER", "B-LOC"], ["B-LOC", "I-LOC"], ["O"]]


def test_counted_on_paper():
    """PER is right. LOC: two predicted, one in the reference, neither right. Four of six tags are equal."""
    assert ours.precision_score(TRUE, PREDICTED) == 1 / 3
    assert ours.recall_score(TRUE, PREDICTED) == 1 / 2
    assert ours.f1_score(TRUE, PREDICTED) == pytest.approx(2 / 5, abs=1e-15)
    assert ours.f1_score(TRUE, PREDICTED, average=None).tolist() == [0.0, 1.0]
    assert ours.f1_score(TRUE, PREDICTED, average="macro") == 0.5
    assert ours.recall_score(TRUE, PREDICTED, average="weighted") == 0.5
    assert ours.accuracy_score(TRUE, PREDICTED) == 4 / 6
    assert ours.performance_measure(TRUE, PREDICTED) == {"TP": 3, "FP": 2, "FN": 0, "TN": 1}


def test_report():
    assert ours.classification_report(TRUE, PREDICTED, digits=3).splitlines() == [
        "              precision    recall  f1-score   support",
        "",
        "         LOC      0.000     0.000     0.000         1",
        "         PER      1.000     1.000     1.000         1",
        "",
        "   micro avg      0.333     0.500     0.400         2",
        "   macro avg      0.500     0.500     0.500         2",
        "weighted avg      0.500     0.500     0.500         2",
    ]
    report = ours.classification_report(TRUE, PREDICTED, output_dict=True)
    assert report["PER"] == {"precision": 1.0, "recall": 1.0, "f1-score": 1.0, "support": 1}
    assert list(report) == ["LOC", "PER", "micro avg", "macro avg", "weighted avg"]


def test_accuracy_takes_one_list_of_any_strings():
    for module in (ours, theirs):
        assert module.accuracy_score(["NOUN", "VERB"], ["NOUN", "ADJ"]) == 0.5
        assert module.accuracy_score(np.array(["NOUN", "VERB"]), np.array(["NOUN", "ADJ"])) == 0.5
        assert module.performance_measure(["NOUN", "O"], ["O", "O"]) == {"TP": 0, "FP": 0, "FN": 1, "TN": 1}


# where seqeval contradicts itself: the shortest examples of the card, theirs and ours


def recall(module, tags, **options):
    """The recall of a document of tags against itself."""
    return module.recall_score([tags.split()], [tags.split()], zero_division=0, **options)


def support(module, tags, **options):
    report = module.classification_report([tags.split()], [tags.split()], output_dict=True, zero_division=0, **options)
    return report["micro avg"]["support"]


def strict(scheme):
    return {"mode": "strict", "scheme": getattr(their_schemes, scheme)}


@pytest.mark.parametrize(
    ("tags", "options", "expected", "found"),
    [
        # an illegal B is no span, but the I behind it opens one, though it continues the B
        ("B-A I-A", strict("IOB1"), 1, 0),
        # a span of one token in a B is lost before a B of another label, one of two tokens is not
        ("I-A B-A B-B", strict("IOB1"), 1, 2),
        ("I-A B-A I-A B-B", strict("IOB1"), 2, 2),
        # a span of one token in an E is lost, in legal tags, unless another such E stands before it
        ("E-A I-A", strict("IOE1"), 1, 2),
        ("E-A E-A I-A", strict("IOE1"), 2, 3),
    ],
)
def test_strict_mode(tags, options, expected, found):
    assert (support(theirs, tags, **options), support(ours, tags, **options)) == (expected, found)


def test_hyphens_at_the_end_of_labels():
    tags = [["B-A-", "B-A"]]
    labels = [set(module.classification_report(tags, tags, output_dict=True)) for module in (theirs, ours)]
    labels += [
        set(module.classification_report(tags, tags, output_dict=True, **strict("IOB2"))) for module in (theirs, ours)
    ]
    averages = {"micro avg", "macro avg", "weighted avg"}
    assert [found - averages for found in labels] == [{"A", "A-"}, {"A", "A-"}, {"A"}, {"A", "A-"}]


@pytest.mark.filterwarnings("ignore:.* seems not to be NE tag")
@pytest.mark.parametrize(
    ("tags", "expected", "found"),
    [
        # the first span is lost: L does not end one, and B drops what is open
        ("B-A L-A B-A L-A", 1, 2),
        ("U-A U-A", 1, 2),
        ("B-A M-A E-A", 1, 1),
    ],
)
def test_default_mode_knows_neither_l_nor_u(tags, expected, found):
    assert (support(theirs, tags), support(ours, tags)) == (expected, found)


def test_strict_without_a_scheme_is_strict_in_the_report_alone():
    sides = [["B-A", "O"]], [["I-A", "O"]]
    assert theirs.f1_score(*sides, mode="strict") == 1.0
    with pytest.warns(UserWarning, match="no effect without a scheme, here as in seqeval: name it"):
        assert ours.f1_score(*sides, mode="strict") == 1.0
    for module in (theirs, ours):
        assert (
            module.classification_report(*sides, mode="strict", output_dict=True, zero_division=0)["micro avg"][
                "f1-score"
            ]
            == 0.0
        )


def test_schemes_that_seqeval_does_not_detect():
    sides = [["I-A", "O"]], [["B-A", "O"]]
    with pytest.raises(ValueError, match="scheme is not supported"):
        theirs.classification_report(*sides, mode="strict")
    report = ours.classification_report(*sides, mode="strict", output_dict=True, zero_division=0)
    assert report["micro avg"] == {"precision": 0.0, "recall": 0.0, "f1-score": 0.0, "support": 0}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_mean_over_no_label_is_nan_in_seqeval():
    for zero_division in (0, 1):
        scores = [
            [
                module.f1_score([["O"]], [["O"]], average=average, zero_division=zero_division)
                for average in ("micro", "macro", "weighted")
            ]
            for module in (theirs, ours)
        ]
        assert str(scores[0]).count("nan") == 1
        assert scores[1] == [zero_division] * 3
    with pytest.raises(ValueError, match=r"max\(\)"):
        theirs.classification_report([["O"]], [["O"]])
    assert "weighted avg       1.00" in ours.classification_report([["O"]], [["O"]], zero_division=1)


def test_zero_division_nan_is_1_in_seqeval():
    sides = [["B-A", "B-B"]], [["B-A", "O"]]
    for average, expected, found in (("macro", 1.0, 1.0), (None, [1.0, 1.0], [1.0, nan])):
        scores = [module.precision_score(*sides, average=average, zero_division=nan) for module in (theirs, ours)]
        np.testing.assert_array_equal(scores, [expected, found])
    assert ours.f1_score(*sides, average=None, zero_division=nan).tolist() == [1.0, 0.0]
    assert isnan(ours.f1_score([["O"]], [["O"]], zero_division=nan))
    # any other value is 1 there too, and refused here
    assert theirs.precision_score(*sides, average=None, zero_division=0.5).tolist() == [1.0, 1.0]


def test_sample_weight_has_no_effect():
    sides = [["B-A"], ["B-A"]], [["B-A"], ["O"]]
    assert theirs.recall_score(*sides, sample_weight=[1, 0]) == 0.5
    with pytest.warns(UserWarning, match="sample_weight has no effect"):
        assert ours.recall_score(*sides, sample_weight=[1, 0]) == 0.5


@pytest.mark.filterwarnings("ignore:.* seems not to be NE tag", "ignore::RuntimeWarning")
@pytest.mark.parametrize(
    ("tag", "expected"), [("PER", 1), ("PER-B", 1), ("O-PER", 0), ("b-PER", 1), ("BPER", 1), ("", None)]
)
def test_what_is_no_tag_is_refused(tag, expected):
    if expected is not None:
        assert support(theirs, tag) == expected


# errors


def test_scikit_learn_is_not_needed():
    code = """
import sys
import warnings
from spanometer.seqeval import f1_score
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    f1_score([["O"]], [["O"]])
print([warning.category.__name__ for warning in said], {"sklearn", "evaluate", "datasets"} & sys.modules.keys())
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "['UserWarning'] set()\n"

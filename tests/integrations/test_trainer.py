"""The Trainer's metrics on NumPy arrays: against every sentence by itself, in batches, and with wrong input."""

import copy
import functools
import logging
import pickle
import subprocess
import sys

import numpy as np
import pytest

import spanometer
from spanometer import InputError, Spans
from spanometer.integrations.trainer import IGNORED, TokenClassificationMetrics
from spanometer.measures import MEASURES, SlIcm, SpanF, TokenF
from spanometer.tags.viterbi import decode as viterbi

# one way to decode, unless a test asks for several
Metrics = functools.partial(TokenClassificationMetrics, decode="viterbi")
LABELS = ["O", "B-PER", "I-PER", "B-ORG", "I-ORG"]
ID2LABEL = dict(enumerate(LABELS))
RENAMED = {
    ("sl_icm", "sl_icm"): "sl_icm",
    ("sl_icm", "sl_icm_norm"): "sl_icm_norm",
    ("chance_kappa_f1", "kappa_f1"): "chance_kappa_f1",
    ("unitizing_alpha", "alpha"): "unitizing_alpha",
    ("gamma", "gamma"): "gamma",
    ("gamma", "gamma_cat"): "gamma_cat",
}
"""Results that would say something twice."""


def random_batch(generator, rows=12, length=9, labels=LABELS):
    """Logits and labels with gaps, unlabelled ends and rows without any label."""
    logits = generator.normal(scale=2, size=(rows, length, len(labels))).astype(np.float32)
    label_ids = generator.integers(0, len(labels), (rows, length))
    label_ids[generator.random((rows, length)) < 0.3] = IGNORED
    label_ids[:, [0, -1]] = IGNORED
    label_ids[:: max(rows // 3, 2)] = IGNORED
    return logits, label_ids


def by_sentence(logits, label_ids, decode="viterbi", labels=LABELS, **options):
    """Tags of both sides, one sentence after the other."""
    references, predictions = [], []
    for scores, row in zip(logits, label_ids, strict=True):
        kept = [position for position, label in enumerate(row) if label != IGNORED]
        if decode == "viterbi":
            (path,) = viterbi([scores[kept]], labels, **options)
        else:
            path = [int(np.argmax(scores[position])) for position in kept]
        references.append([labels[row[position]] for position in kept])
        predictions.append([labels[index] for index in path])
    return references, predictions


def expected(references, predictions, measures, scheme="IOB2"):
    """Results by their names, each measure by itself."""
    results = {}
    for measure in measures:
        counts = measure.counts(*(Spans.from_tags(side, scheme=scheme) for side in (references, predictions)))
        for key, value in measure.score(counts).items():
            results[RENAMED.get((measure.name, key), f"{measure.name}_{key}")] = value
    return results


@pytest.mark.parametrize("decode", ["viterbi", "argmax"])
def test_every_sentence_by_itself(decode):
    logits, label_ids = random_batch(np.random.default_rng(1))
    measures = [measure() for measure in MEASURES.values()]
    metrics = Metrics(ID2LABEL, measures=list(MEASURES), decode=decode)
    found = metrics.compute_metrics((logits, label_ids))
    assert found == expected(*by_sentence(logits, label_ids, decode), measures)
    assert tuple(found) == metrics.keys
    assert {type(value) for value in found.values()} == {float}


def test_by_hand():
    label_ids = np.array([[IGNORED, 1, 2, IGNORED, 0, 3, IGNORED], [IGNORED] * 7, [IGNORED, 3, 4, 4, 0, 0, IGNORED]])
    predictions = np.array([[0, 1, 2, 1, 0, 1, 0], [1] * 7, [2, 3, 4, 4, 0, 0, 2]])
    found = Metrics(ID2LABEL).compute_metrics((predictions, label_ids))
    assert found == {"span_f_precision": 2 / 3, "span_f_recall": 2 / 3, "span_f_f1": 2 / 3}


def test_illegal_paths_are_not_taken():
    # I-PER is likeliest everywhere, but a sentence cannot begin with it, nor can it follow an I-ORG
    logits = np.array([[[0, 2, 5, 0, 0], [0, 0, 3, 0, 0]], [[0, 0, 5, 9, 0], [0, 0, 3, 0, 2]]], dtype=float)
    label_ids = np.array([[1, 2], [3, 4]])
    assert Metrics(LABELS).compute_metrics((logits, label_ids))["span_f_f1"] == 1
    argmax = Metrics(LABELS, decode="argmax")
    assert argmax.compute_metrics((logits, label_ids))["span_f_f1"] == 0.4
    # the repaired span of the first sentence is the same, those of the second are not whole
    discard = Metrics(LABELS, decode="argmax", repair="discard")
    assert discard.compute_metrics((logits, label_ids))["span_f_f1"] == 0


def test_transitions():
    generator = np.random.default_rng(2)
    logits, label_ids = random_batch(generator)
    transitions = generator.normal(scale=3, size=(5, 5))
    metrics = Metrics(LABELS, transitions=transitions)
    sides = by_sentence(logits, label_ids, transitions=transitions)
    assert metrics.compute_metrics((logits, label_ids)) == expected(*sides, [SpanF()])
    assert sides != by_sentence(logits, label_ids)


@pytest.mark.parametrize("size", [1, 5, 12])
def test_batches_are_one(size):
    logits, label_ids = random_batch(np.random.default_rng(3))
    lengths = (label_ids != IGNORED).sum(axis=1)
    words = [[f"w{row * position % 5}" for position in range(length)] for row, length in enumerate(lengths)]
    named = {name: name for name in MEASURES} | {
        "sl_icm_corpus": SlIcm(tokens=words),
        "sl_icm_optimal": SlIcm(matching="optimal"),
        "macro": SpanF(average="macro"),
    }
    metrics = Metrics(ID2LABEL, measures=named)
    whole = metrics.compute_metrics((logits, label_ids))
    parts = [(logits[start : start + size], label_ids[start : start + size]) for start in range(0, 12, size)]
    for _ in range(2):
        for part in parts[:-1]:
            assert metrics.compute_metrics(part, compute_result=False) == {}
        assert metrics.compute_metrics(parts[-1], compute_result=True) == whole
    as_lists = tuple(list(column) for column in zip(*parts, strict=True))
    assert metrics.compute_metrics(as_lists) == whole


def test_nothing_is_left_behind():
    logits, label_ids = random_batch(np.random.default_rng(4))
    metrics = Metrics(ID2LABEL)
    whole = metrics.compute_metrics((logits, label_ids))
    first, second = (logits[:6], label_ids[:6]), (logits[6:], label_ids[6:])

    def in_batches():
        metrics.compute_metrics(first, compute_result=False)
        return metrics.compute_metrics(second, compute_result=True)

    # a wrong batch, the first or the last
    for last in (False, True):
        metrics.compute_metrics(first, compute_result=False)
        with pytest.raises(InputError):
            metrics.compute_metrics((logits[6:], label_ids[6:] + 4), compute_result=last)
        assert in_batches() == whole
    # an evaluation that something else has broken off
    metrics.compute_metrics(first, compute_result=False)
    assert metrics.compute_metrics((logits, label_ids)) == whole
    metrics.compute_metrics(first, compute_result=False)
    metrics.reset()
    assert in_batches() == whole


def test_measures_that_fail_leave_nothing_behind():
    logits, label_ids = random_batch(np.random.default_rng(5))
    metrics = Metrics(ID2LABEL, measures=[SlIcm(tokens=[["a"]]), "span_f"])
    for _ in range(2):
        metrics.compute_metrics((logits[:6], label_ids[:6]), compute_result=False)
        with pytest.raises(InputError, match="tokens"):
            metrics.compute_metrics((logits[6:], label_ids[6:]), compute_result=True)
        assert metrics._batches == []


def test_names_of_results():
    assert Metrics(LABELS, measures="sl_icm").keys == ("sl_icm", "sl_icm_norm")
    named = {"optimal": SlIcm(matching="optimal"), "span_f": "span_f", "sl_icm_tokens": SlIcm(prior="tokens")}
    metrics = Metrics(LABELS, measures=named)
    of_spans = ("span_f_precision", "span_f_recall", "span_f_f1")
    assert metrics.keys == ("optimal", "optimal_norm", *of_spans, "sl_icm_tokens", "sl_icm_tokens_norm")
    assert list(metrics.measures) == list(metrics.signatures()) == list(named)


def test_signatures():
    metrics = Metrics(LABELS, measures=["span_f", TokenF(format="BIO", average="macro")])
    span_f, token_f = metrics.signatures().values()
    start = "|scheme:IOB2|repair:conlleval|decode:viterbi|"
    assert span_f.startswith(f"span_f{start}match_labels:yes|average:micro|zero_division:0|v:")
    assert token_f.startswith(f"token_f{start}format:BIO|match_labels:yes|average:macro|")
    argmax = Metrics(LABELS, decode="argmax", scheme="IOB1", repair="discard")
    assert "|scheme:IOB1|repair:discard|decode:argmax|" in argmax.signatures()["span_f"]
    scores = [np.zeros((5, 5)), np.eye(5), np.eye(5, dtype=int)]
    signatures = [Metrics(LABELS, transitions=table).signatures()["span_f"] for table in scores]
    assert len({span_f, *signatures}) == 3
    assert signatures[1] == signatures[2]


@pytest.mark.parametrize(
    ("tags", "scheme"),
    [
        (["I-A", "O"], "IO"),
        (["O", "B-A", "I-A"], "IOB2"),
        (["O", "I-A", "E-A"], "IOE2"),
        (["O", "B-A", "I-A", "E-A", "S-A"], "IOBES"),
        (["U-A", "L-A", "I-A", "B-A", "O"], "BILOU"),
        (["O", "B-A", "M-A", "E-A", "S-A"], "BMES"),
        (["O", "B", "I"], "IOB2"),
    ],
)
def test_scheme_is_told(tags, scheme):
    metrics = Metrics(tags, measures=list(MEASURES))
    assert metrics.scheme == scheme
    logits, label_ids = random_batch(np.random.default_rng(6), labels=tags)
    found = metrics.compute_metrics((logits, label_ids))
    sides = by_sentence(logits, label_ids, labels=tags)
    assert found == expected(*sides, [measure() for measure in MEASURES.values()], scheme)


def test_id2label_as_it_comes():
    for id2label in (LABELS, tuple(LABELS), {str(key): tag for key, tag in ID2LABEL.items()}):
        assert Metrics(id2label).labels == tuple(LABELS)
    shuffled = {np.int64(key): ID2LABEL[key] for key in (3, 0, 4, 1, 2)}
    assert Metrics(shuffled).labels == tuple(LABELS)


@pytest.mark.parametrize("decode", ["viterbi", "argmax"])
def test_labels_without_prefixes(decode):
    metrics = Metrics({0: "O", 1: "NOUN", 2: "VERB"}, prefix=False, decode=decode)
    assert (metrics.labels, metrics.scheme) == (("O", "NOUN", "VERB"), "IO")
    # the reference has NOUN at 0-2 and VERB at 3, of which only VERB is found
    logits = np.eye(3)[[[1, 0, 0, 2]]]
    results = metrics.compute_metrics((logits, np.array([[1, 1, 0, 2]])))
    assert (results["span_f_precision"], results["span_f_recall"]) == (0.5, 0.5)
    assert f"|scheme:IO|repair:conlleval|prefix:no|decode:{decode}|" in metrics.signatures()["span_f"]


LOGITS = np.zeros((2, 3, 5), dtype=np.float32)
IDS = np.array([[IGNORED, 1, 2], [0, 3, IGNORED]])


def test_copies_are_independent():
    # searches for hyperparameters copy and pickle what they are given
    metrics = Metrics(ID2LABEL, measures=list(MEASURES))
    for twin in (copy.deepcopy(metrics), pickle.loads(pickle.dumps(metrics))):
        twin.compute_metrics((IDS, IDS), compute_result=False)
        assert metrics._batches == []
        assert twin.compute_metrics((LOGITS, IDS)) == metrics.compute_metrics((LOGITS, IDS))


def test_neither_torch_nor_transformers_is_imported():
    code = "import sys, spanometer.integrations.trainer"
    code += "; print(sorted({'torch', 'transformers', 'evaluate'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


class TestViterbiBesideArgmax:
    LOGITS = np.array([[[0, 2, 5, 0, 0], [0, 0, 3, 0, 0]], [[0, 0, 5, 9, 0], [0, 0, 3, 0, 2]]], dtype=float)
    IDS = np.array([[1, 2], [3, 4]])

    def test_by_hand(self):
        # I-PER I-PER and B-ORG I-PER are not legal: Viterbi reads both spans right, argmax the first one
        found = TokenClassificationMetrics(LABELS).compute_metrics((self.LOGITS, self.IDS))
        assert (found["span_f_f1"], found["span_f_f1_viterbi"]) == (0.4, 1)
        assert list(found) == [
            *("span_f_precision", "span_f_recall", "span_f_f1"),
            *("span_f_precision_viterbi", "span_f_recall_viterbi", "span_f_f1_viterbi"),
        ]
        swapped = TokenClassificationMetrics(LABELS, decode=("viterbi", "argmax"))
        found = swapped.compute_metrics((self.LOGITS, self.IDS))
        assert (found["span_f_f1"], found["span_f_f1_argmax"]) == (1, 0.4)

    @pytest.mark.parametrize("in_batches", [False, True])
    def test_each_as_if_alone(self, in_batches):
        logits, label_ids = random_batch(np.random.default_rng(8))
        both = TokenClassificationMetrics(LABELS, measures=list(MEASURES))
        if in_batches:
            both.compute_metrics((logits[:5], label_ids[:5]), compute_result=False)
            found = both.compute_metrics((logits[5:], label_ids[5:]), compute_result=True)
        else:
            found = both.compute_metrics((logits, label_ids))
        alone = {
            ending: Metrics(LABELS, measures=list(MEASURES), decode=decode).compute_metrics((logits, label_ids))
            for ending, decode in (("", "argmax"), ("_viterbi", "viterbi"))
        }
        assert found == {f"{key}{ending}": value for ending, of in alone.items() for key, value in of.items()}
        assert tuple(found) == both.keys

    def test_label_numbers(self):
        metrics = TokenClassificationMetrics(LABELS)
        # what preprocess_logits_for_metrics gives, and somebody's own
        found = metrics.compute_metrics(((self.IDS, self.IDS * 0), self.IDS))
        assert (found["span_f_f1"], found["span_f_f1_viterbi"]) == (1, 0)
        assert set(metrics.compute_metrics((self.IDS, self.IDS))) == {f"span_f_{key}" for key in SpanF.keys}
        metrics.compute_metrics((self.IDS, self.IDS), compute_result=False)
        with pytest.raises(InputError, match="some batches have results of all decoders"):
            metrics.compute_metrics((self.LOGITS, self.IDS), compute_result=True)

    def test_signatures(self):
        metrics = TokenClassificationMetrics(LABELS, measures={"f": SpanF()}, transitions=np.eye(5))
        found = metrics.signatures()
        assert list(found) == ["f", "f_viterbi"]
        assert "|decode:argmax|" in found["f"]
        assert "|decode:viterbi-" in found["f_viterbi"]

    def test_the_log_says_how(self, caplog):
        # the level of the library's own logger counts where it is installed
        caplog.set_level(logging.INFO, logger="transformers.spanometer")
        metrics = TokenClassificationMetrics(LABELS, decode=("viterbi", "argmax"))
        for _ in range(2):
            metrics.compute_metrics((self.LOGITS, self.IDS))
        warned = [record.message for record in caplog.records if record.levelname == "WARNING"]
        assert warned == [
            "Results with plain names are for tags decoded by viterbi; results ending in _argmax are for argmax."
        ]
        told = [record.message for record in caplog.records if record.levelname == "INFO"]
        assert told == [f"{name}: {text}" for name, text in metrics.signatures().items()] * 2
        caplog.clear()
        TokenClassificationMetrics(LABELS, decode="argmax").compute_metrics((self.LOGITS, self.IDS))
        assert [record.levelname for record in caplog.records] == ["INFO"]

    def test_wrong_ways(self):
        for decode in ("greedy", ("viterbi", "greedy"), ()):
            with pytest.raises(InputError, match="invalid value for `decode`"):
                TokenClassificationMetrics(LABELS, decode=decode)
        with pytest.raises(InputError, match="two results have the name 'f_argmax_precision'"):
            measures = {"f": SpanF(), "f_argmax": SpanF()}
            TokenClassificationMetrics(["O", "B-argmax"], measures=measures, decode="viterbi", per_label=True)


@pytest.mark.parametrize("name", list(MEASURES))
def test_values_of_labels(name):
    # MISC is on neither side
    labels = [*LABELS, "B-MISC", "I-MISC"]
    logits, label_ids = random_batch(np.random.default_rng(9))
    logits = np.concatenate([logits, np.full((*logits.shape[:2], 2), -50)], axis=2)
    metrics = TokenClassificationMetrics(labels, measures=name, decode="viterbi", per_label=True)
    found = metrics.compute_metrics((logits, label_ids))
    assert tuple(found) == metrics.keys
    references, predictions = by_sentence(logits, label_ids, labels=labels)
    report = spanometer.score(references, predictions, measures=name, scheme="IOB2")
    wanted = report.flat(per_label=True)
    assert {key: found[key] for key in wanted} == pytest.approx(wanted, abs=1e-12, nan_ok=True)
    assert {key for key in set(found) - set(wanted) if "MISC" not in key} == set()
    assert found[f"{name}_MISC_support"] == 0

"""The cases of the benchmarks: functions without arguments, by name, for each process.

Every case returns the number that it has computed, so that it can be checked that all do the same work.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import inputs
import pyarrow as pa

Cases = dict[str, Callable[[], Any]]

LABELS = ["LOC", "MISC", "ORG", "PER"]
SIZES = (1_000_000, 2_000_000, 5_000_000, 10_000_000)


def evaluate_module(path: str | Path) -> Any:
    """Load a module by `evaluate.load` from a folder, without a network."""
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    os.environ.setdefault("HF_EVALUATE_OFFLINE", "1")
    import evaluate

    return evaluate.load(str(path))


def encode(columns: tuple[pa.ChunkedArray, pa.ChunkedArray]) -> int:
    """Dictionary-encode the tags of both columns, which is a lower bound of the time."""
    encoded = [pa.chunked_array([chunk.flatten() for chunk in column.chunks]).dictionary_encode() for column in columns]
    return sum(map(len, encoded))


def measures() -> dict[str, Callable[..., Any]]:
    """Return the six measures of the tag family with their default options."""
    from spanometer.measures import MEASURES

    return {name: MEASURES[name] for name in ("span_f", "token_f", "link_f", "bcubed", "intersection_f", "sl_icm")}


def headline(result: dict[str, float]) -> float:
    """Return F1, or the main score of a measure without F1."""
    return next(result[key] for key in ("f1", "overall_f1", "sl_icm_norm") if key in result)


def from_columns(measure: Any, columns: tuple[pa.ChunkedArray, pa.ChunkedArray]) -> float:
    from spanometer.spans.spans import pair_from_tags

    references, predictions, _ = pair_from_tags(*columns)
    return from_spans(measure, (references, predictions))


def from_spans(measure: Any, spans: tuple[Any, Any]) -> float:
    return headline(measure.score(measure.counts(*spans)))


def compute(module: Any, lists: tuple[inputs.Lists, inputs.Lists], **options: Any) -> float:
    """Call a module's `compute` as users do."""
    return headline(module.compute(references=lists[0], predictions=lists[1], **options))


def ours() -> Cases:
    """Return the cases of Spanometer: the lower bound, from Arrow columns, and with `evaluate`."""
    import spanometer

    lists, columns, batched = inputs.tag_lists(), inputs.tag_columns(), inputs.tag_columns(batch=1000)
    span_f = evaluate_module(spanometer.path("span_f"))
    cases: Cases = {
        "floor": partial(encode, columns),
        "floor batched": partial(encode, batched),
        "span_f batched": partial(from_columns, measures()["span_f"](), batched),
        "compute span_f": partial(compute, span_f, lists),
        "compute span_f details": partial(compute, span_f, lists, details=True),
        "compute seqeval": partial(compute, evaluate_module(spanometer.path("seqeval")), lists),
    }
    for name, measure in measures().items():
        cases[f"columns {name}"] = partial(from_columns, measure(), columns)
        if name != "span_f":
            cases[f"compute {name}"] = partial(compute, evaluate_module(spanometer.path(name)), lists)
    return cases


def seqeval() -> Cases:
    """Return the cases of seqeval, directly and with `evaluate`."""
    from seqeval.metrics import f1_score

    lists = inputs.tag_lists()
    module = evaluate_module(Path(__file__).parent / "seqeval_module")
    return {
        "f1_score": partial(f1_score, *lists),
        "compute": partial(compute, module, lists),
    }


def seqscore() -> Cases:
    """Return the case of seqscore: one function validates, repairs, decodes and scores, with accuracy."""
    from seqscore.scoring import score_label_sequences

    references, predictions = inputs.tag_lists()
    return {
        "score_label_sequences": lambda: score_label_sequences(predictions, references, "BIO", repair="conlleval")[0].f1
    }


def nervaluate() -> Cases:
    """Return the cases of nervaluate: reading the lists, its evaluation (four schemes), and only its strict scheme."""
    from nervaluate import Evaluator
    from nervaluate.strategies import StrictEvaluation

    lists = inputs.tag_lists()
    loaded = Evaluator(*lists, tags=LABELS, loader="list")

    def strict() -> float:
        scheme = StrictEvaluation()
        right = predicted = reference = 0
        for number, (true, guessed) in enumerate(zip(loaded.true, loaded.pred, strict=True)):
            result = scheme.evaluate(true, guessed, LABELS, number)[0]
            right, predicted, reference = right + result.correct, predicted + len(guessed), reference + len(true)
        return 2 * right / (predicted + reference)

    def evaluate() -> float:
        result = loaded.evaluate()["overall"]["strict"]
        return 2 * result.precision * result.recall / (result.precision + result.recall)

    return {
        "load": lambda: len(Evaluator(*lists, tags=LABELS, loader="list").true),
        "evaluate": evaluate,
        "strict alone": strict,
    }


def scale() -> Cases:
    """Return the cases of Spanometer on 1 to 10 million tokens: decoding, each measure, and `compute` from lists."""
    import spanometer
    from spanometer.spans.spans import pair_from_tags

    base = inputs.tag_lists(1)
    size = sum(map(len, base[0]))
    module = evaluate_module(spanometer.path("span_f"))
    cases: Cases = {}
    for tokens in SIZES:
        columns = inputs.tag_columns_of_size(tokens)
        spans = pair_from_tags(*columns)[:2]
        lists = tuple((side * (tokens // size + 1))[: len(columns[0])] for side in base)
        cases[f"floor {tokens}"] = partial(encode, columns)
        cases[f"columns span_f {tokens}"] = partial(from_columns, measures()["span_f"](), columns)
        cases[f"compute span_f {tokens}"] = partial(compute, module, lists)
        for name, measure in measures().items():
            cases[f"{name} {tokens}"] = partial(from_spans, measure(), spans)
    return cases


def documents() -> Cases:
    """Return the cases of each measure on 100,000 spans, in one document and in 10,000 documents."""
    cases: Cases = {}
    for kind in ("flat", "nested"):
        for where, spans in inputs.one_and_many(kind).items():
            for name, measure in measures().items():
                # a plain sum of coverage is not defined where spans of one label overlap
                options = {"cap": True} if (kind, name) == ("nested", "intersection_f") else {}
                cases[f"{name} {kind} {where}"] = partial(from_spans, measure(**options), spans)
    return cases


PROCESSES: dict[str, Callable[[], Cases]] = {
    "ours": ours,
    "seqeval": seqeval,
    "seqscore": seqscore,
    "nervaluate": nervaluate,
    "scale": scale,
    "documents": documents,
}
"""The cases that run in the same process."""

"""The simulations, Figure 1 and Table 10 of 'Estimating Agreement by Chance for Sequence Annotation'."""

import re
from collections.abc import Iterator, Mapping

import numpy as np

from spanometer.analysis.scores.score import chance_levels
from spanometer.exceptions import counted
from spanometer.measures.aligned import AlignedMeasure
from spanometer.measures.chance_kappa_f1 import ChanceKappaF1
from spanometer.measures.placement import Placement, place
from spanometer.measures.token_f import TokenF
from spanometer.measures.unitizing_alpha import UnitizingAlpha
from spanometer.spans.spans import Spans

from .inputs import Inputs, compared, decimals, published_rows
from .tables import Cell

SIMULATED: dict[AlignedMeasure, dict[str, str]] = {
    ChanceKappaF1(): {"obs_f1": "f1", "chance_f1": "chance_f1", "corr_f1": "kappa_f1"},
    UnitizingAlpha(variant="1995"): {
        "obs_d": "observed_disagreement",
        "exp_d": "expected_disagreement",
        "alpha": "alpha",
    },
    UnitizingAlpha(): {"obs_mu_d": "observed_disagreement", "exp_mu_d": "expected_disagreement", "mu_alpha": "alpha"},
}
"""The measures of the simulations, and their keys by column."""

FIGURE1 = (100, (1, 5, 10, 15))
"""The number of tokens of the document in Figure 1, and the lengths of its spans."""

PARTS = {"all": "all sentences", "subset1": "subset 1", "subset2": "subset 2"}
"""The three parts of Table 10."""

_THRESHOLD = 0.825


def simulations(inputs: Inputs) -> Iterator[Cell]:
    """Compute Tables 2 to 9, which simulate two annotators of one document."""
    for row in published_rows("chance_simulations"):
        first, second = (_runs(row[f"annotator{number}"]) for number in (1, 2))
        for measure, keys in SIMULATED.items():
            scores = measure.score(measure.counts(first, second))
            yield from compared(row, row["case"], {column: scores[key] for column, key in keys.items()}, digits=4)


def _runs(written: str) -> Spans:
    """Read a document whose spans are the runs of 1."""
    spans = [{"start": run.start(), "end": run.end(), "label": "X"} for run in re.finditer("1+", written)]
    return Spans.from_dicts([spans], lengths=[len(written)])


def figure1_placement() -> Placement:
    """Compute the start probabilities of the spans in Figure 1."""
    tokens, lengths = FIGURE1
    return place(tokens, list(lengths))


def figure1(inputs: Inputs) -> Iterator[Cell]:
    """Compute a few numbers that describe Figure 1: where spans of four lengths begin at random."""
    placed = figure1_placement()
    for length, starts in zip(placed.lengths, placed.starts, strict=True):
        middle = starts[len(starts) // 2]
        flat = np.flatnonzero(abs(starts - middle) <= 1e-9 * middle)
        row = counted(length, "token")
        yield Cell(row, "begins at token 1", None, float(starts[0]), digits=5)
        yield Cell(row, "in the middle", None, float(middle), digits=5)
        yield Cell(row, "the same from token", None, int(flat[0]) + 1)
        yield Cell(row, "to token", None, int(flat[-1]) + 1)


def table10(inputs: Inputs) -> Iterator[Cell | str]:
    """Compute the chance levels that follow from the printed rows, check the correction, and add Flair's output."""
    rows = published_rows("chance_table10")
    for row in rows:
        for part, name in PARTS.items():
            implied = _implied(*_printed(row, part))
            yield Cell(f"{row['model']}, implied chance", name, None, implied, digits=3)
    columns = {name: np.array([_printed(row, part) for row in rows], dtype=float).T for part, name in PARTS.items()}
    # the paper does not say so of subset 2, in which it finds slight changes
    for part in ("all", "subset1"):
        observed, corrected = columns[PARTS[part]]
        kept = np.diff(corrected[np.argsort(observed, kind="stable")]) >= 0
        yield Cell("order kept", PARTS[part], True, bool(kept.all()))
    for name, (observed, corrected) in columns.items():
        yield Cell("spread wider", name, True, bool(np.ptp(corrected) > np.ptp(observed)))
    parts = _parts(inputs)
    read_literally = int((chance_levels(parts["all"][0]) > _THRESHOLD).sum())
    yield from _flair(parts, {part: _implied_range(rows, part) for part in PARTS})
    yield (
        "According to the paper, subset 1 contains the sentences with a chance level above 0.825. Only "
        f"{read_literally} sentences have a chance level above 0.825. We use the sentences with a chance "
        "level below 0.175 as subset 1, because the scores of these sentences match the published scores. "
        "A published range goes from the lowest to the highest value of the eleven systems."
    )


def row_i(inputs: Inputs) -> Iterator[Cell]:
    """Compare Flair's F1 over BIO tags, corrected for the chance level of tokens, with row I."""
    parts = _parts(inputs)
    (row,) = (row for row in published_rows("chance_table10") if row["model"] == "I")
    measure, tags = ChanceKappaF1(), TokenF(format="BIO")
    for part, name in PARTS.items():
        observed = tags.score(tags.counts(*parts[part]))["f1"]
        chance = measure.score(measure.counts(*parts[part]))["chance_f1"]
        ours = observed, (observed - chance) / (1 - chance)
        for column, printed, value in zip(("F1", "corrected"), _printed(row, part), ours, strict=True):
            yield Cell(name, column, float(printed), value, digits=decimals(printed))


def _printed(row: Mapping[str, str], part: str) -> tuple[str, str]:
    """Return observed and corrected F1 of a row, over all sentences or one of the subsets."""
    suffix = "" if part == "all" else f"_{part}"
    return row[f"obs_f1{suffix}"], row[f"corr_f1{suffix}"]


def _implied(observed: str, corrected: str, rounding: int = 0) -> float:
    """Compute the chance level that follows from two printed values.

    With `rounding` -1 or 1, the lowest or highest possible.
    """
    first, second = (
        float(value) + sign * rounding * 0.5 * 10.0 ** -decimals(value)
        for value, sign in ((observed, 1), (corrected, -1))
    )
    return (first - second) / (1 - second)


def _implied_range(rows: list[dict[str, str]], part: str) -> tuple[float, float]:
    low, high = ([_implied(*_printed(row, part), rounding) for row in rows] for rounding in (-1, 1))
    return min(low), max(high)


def _parts(inputs: Inputs) -> dict[str, tuple[Spans, Spans]]:
    """Split both sides by the chance level of the reference's sentences."""
    reference, prediction = inputs.conll03
    # sentences without spans have no chance level and are in neither subset
    level = chance_levels(reference)
    low, high = (np.flatnonzero(flags) for flags in (level < 1 - _THRESHOLD, level >= 1 - _THRESHOLD))
    chosen = {"all": np.arange(len(level)), "subset1": low, "subset2": high}
    return {part: (reference.take(documents), prediction.take(documents)) for part, documents in chosen.items()}


def _flair(parts: Mapping[str, tuple[Spans, Spans]], ranges: Mapping[str, tuple[float, float]]) -> Iterator[Cell]:
    """Yield the cells of Flair's output."""
    measure = ChanceKappaF1()
    scores = {part: measure.score(measure.counts(*sides)) for part, sides in parts.items()}
    for part, name in PARTS.items():
        yield Cell("Flair, sentences", name, None, parts[part][0].documents)
    for row, key, published in (("F1", "f1", {}), ("corrected", "kappa_f1", {}), ("chance", "chance_f1", ranges)):
        for part, name in PARTS.items():
            yield Cell(f"Flair, {row}", name, published.get(part), scores[part][key], digits=3)

"""Simulate corpora for the page on uncertainty: how often intervals hold the true F1, and tests find a difference.

The site's build runs the simulation. A trial is a label of the counts, so a batch of trials shares its random draws.
"""

from __future__ import annotations

import functools
import itertools
from dataclasses import replace
from typing import Any

import numpy as np
from drawing import Drawing, place_of

from spanometer.analysis.comparison.significance import PairedResampling, bootstrap_test, randomisation_test
from spanometer.counts.counts import Column, Counts
from spanometer.measures import SpanF

PAGE, DATA = "uncertainty.md", "data/uncertainty.tsv"
SIZES = (10, 20, 50, 100, 200, 500)
SENTENCES, SPANS = 10, 1.4
"""Sentences of a document, and spans of a sentence, on average."""
RIGHT = {"usual": (4.0, 1.2), "high": (30.0, 0.9)}
"""How the share of right spans differs between documents: a beta distribution."""
GAINS = (0.0, 0.01, 0.02, 0.05)
"""How much more of the spans the second system gets right."""
TRUTH = 200_000
"""Documents from which the true values are computed."""
BATCHES, TRIALS = 5, 100
"""The number of batches, and the trials of each; each batch has random draws of its own."""
TESTS = {"randomisation": "randomisation", "bootstrap": "bootstrap", "apart": "intervals apart"}

Side = dict[str, np.ndarray]
"""The counts of a system, sentence by sentence, by name."""
Values = dict[tuple[str, str, int], tuple[float, float]]
"""The true value and the simulated one by what, case and documents."""

_COLORS = ("currentColor", "#c58a12", "#2a9d5c", "#5b7bd5")


def on_files(files: Any, config: Any) -> Any:
    """Add the table of all simulated values, which the page links."""
    from mkdocs.structure.files import File

    files.append(File.generated(config, DATA, content=table(values())))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Fill in the tables and the number of trials."""
    if page.file.src_uri != PAGE:
        return markdown
    parts = {"intervals": intervals(values()), "tests": tests(values()), "trials": precision(BATCHES * TRIALS)}
    for name, part in parts.items():
        markdown = markdown.replace(f"<!-- uncertainty: {name} -->", part)
    return markdown


def on_page_content(content: str, page: Any, config: Any, files: Any) -> str:
    """Put the picture in its place."""
    if page.file.src_uri != PAGE:
        return content
    return content.replace("<!-- uncertainty: picture -->", picture(values()))


@functools.cache
def values() -> Values:
    """Simulate once in a build."""
    return simulate(BATCHES, TRIALS)


def corpora(generator: np.random.Generator, documents: int, kind: str, gain: float = 0.0) -> list[Side]:
    """Draw the counts of each sentence for two systems: documents of one difficulty, and mistakes they partly share."""
    reference = generator.poisson(SPANS, documents * SENTENCES)
    sentence = np.repeat(np.arange(len(reference)), reference)
    right = np.repeat(generator.beta(*RIGHT[kind], documents), SENTENCES)[sentence]
    luck = generator.random(len(sentence))
    # the second system makes half of the mistakes of the first, and the other half elsewhere
    others = np.where(generator.random(len(luck)) < 0.5, luck, generator.random(len(luck)))
    sides = []
    for draw, share in ((luck, right), (others, np.minimum(right + gain, 1))):
        both = np.bincount(sentence[draw < share], minlength=len(reference))
        wrong = generator.binomial(reference - both, 0.6) + generator.poisson(0.05 * reference)
        sides.append({"both": both, "predicted": both + wrong, "reference": reference})
    return sides


def f1(side: Side) -> float:
    """Compute the F1 of all sentences."""
    return float(2 * side["both"].sum() / (side["predicted"].sum() + side["reference"].sum()))


def counts(side: Side, trials: int, sentences: int = SENTENCES) -> Counts:
    """Count the corpora of all trials, each as a label; as many sentences make a document."""
    size = len(side["both"]) // sentences // trials
    document = np.tile(np.arange(size, dtype=np.int32), trials)
    label = np.repeat(np.arange(trials, dtype=np.int32), size)
    sums = {name: value.reshape(-1, sentences).sum(axis=1) for name, value in side.items()}
    columns = {name: Column(document, label, value) for name, value in sums.items()}
    return Counts(columns, tuple(map(str, range(trials))), size)


def simulate(batches: int, trials: int) -> Values:
    """Compute the shares of all trials."""
    found: dict[tuple[str, str, int], list[np.ndarray]] = {}
    truths: dict[tuple[str, str, int], float] = {}

    def add(what: str, case: str, size: int, true: float, results: Any) -> None:
        truths[what, case, size] = true
        found.setdefault((what, case, size), []).append(np.asarray(results, dtype=float))

    for kind in RIGHT:
        true = f1(corpora(np.random.default_rng(1), TRUTH, kind)[0])
        for size in SIZES:
            generator = np.random.default_rng(size)
            for batch in range(batches):
                side = corpora(generator, size * trials, kind)[0]
                for name, sentences in (("articles", SENTENCES), ("sentences", 1)):
                    estimate = _estimates([counts(side, trials, sentences)], batch)[:, 0]
                    low, high = estimate.bounds(0.95)
                    add(f"coverage {name}", kind, size, true, (low <= true) & (true <= high))
                    if name == "articles":
                        add("half width", kind, size, true, (high - low) / 2)
                        low, high = replace(estimate, left_out=None).bounds(0.95)
                        add("coverage percentile", kind, size, true, (low <= true) & (true <= high))
    for gain in GAINS:
        first, second = (f1(side) for side in corpora(np.random.default_rng(1), TRUTH, "usual", gain))
        true, case = second - first if gain else 0.0, f"{gain:g}"
        for size in SIZES:
            generator = np.random.default_rng(size)
            for batch in range(batches):
                sides = [counts(side, trials) for side in corpora(generator, size * trials, "usual", gain)]
                both = _estimates(sides, batch)
                difference = both[:, 1] - both[:, 0]
                swapping = PairedResampling(seed=batch, n_permutations=1000)
                p_values, _ = randomisation_test(
                    SpanF(), *sides, {"f1": difference.point}, swapping, SpanF().label_scores
                )
                add("significant randomisation", case, size, true, p_values["f1"] < 0.05)
                p_bootstrap = map(bootstrap_test, difference.point, np.asarray(difference.drawn).T)
                add("significant bootstrap", case, size, true, np.array(list(p_bootstrap)) < 0.05)
                low, high = both.bounds(0.95)
                apart = (high[:, 0] < low[:, 1]) | (high[:, 1] < low[:, 0])
                add("significant apart", case, size, true, apart)
    return {key: (truths[key], float(np.concatenate(results).mean())) for key, results in found.items()}


def _estimates(sides: list[Counts], seed: int) -> Any:
    """Estimate the F1 of each trial, shape (trials, sides)."""
    return SpanF().joint_estimates(sides, PairedResampling(seed=seed), SpanF().label_scores)["f1"]


def table(values: Values) -> str:
    """Write all values as a table with tabs."""
    rows = (("what", "case", "documents", "truth", "value"),)
    rows += tuple((*key, f"{true:.4f}", f"{value:.4f}") for key, (true, value) in values.items())
    return "".join("\t".join(map(str, row)) + "\n" for row in rows)


def precision(trials: int) -> str:
    """Say how many trials there are, and how sure a share of them is."""
    usual, largest = (100 * (share * (1 - share) / trials) ** 0.5 for share in (0.95, 0.5))
    error = f"A share of 95 % has a standard error of {usual:.1f} percentage points, a share of 50 % of {largest:.1f}."
    return f"There are {trials:,} corpora of each size. {error}"


def _lines(head: list[str], rows: list[list[str]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, ["---:"] * len(head), *rows))


def intervals(values: Values) -> str:
    """Write how wide the intervals are, and how often they hold the true F1."""
    heads = ["documents", "spans"]
    for kind in RIGHT:
        true = values["half width", kind, SIZES[0]][0]
        heads += [f"F1 {true:.2f} ±", "articles", "sentences"]
    rows = []
    for size in SIZES:
        row = [f"{size:,}", f"{size * SENTENCES * SPANS:,.0f}"]
        for kind in RIGHT:
            row.append(f"{values['half width', kind, size][1]:.3f}")
            row += [f"{100 * values[f'coverage {name}', kind, size][1]:.0f} %" for name in ("articles", "sentences")]
        rows.append(row)
    return _lines(heads, rows)


def tests(values: Values) -> str:
    """Write how often each test finds a difference."""
    rows = []
    for name, title in TESTS.items():
        for gain in map("{:g}".format, (GAINS[0], GAINS[-1])):
            keys = [(f"significant {name}", gain, size) for size in SIZES]
            rows.append([title, f"{values[keys[0]][0]:.3f}", *(f"{100 * values[key][1]:.0f} %" for key in keys)])
    return _lines(["test", "true difference", *(f"{size:,}" for size in SIZES)], rows)


def picture(values: Values) -> str:
    """Draw how often randomisation finds each difference, by the number of documents."""
    drawing, cells, height = Drawing(), 5, 210
    drawing.text(0, 24, "comparisons with p < .05", anchor="start")
    top, step = 46, cells / len(SIZES)
    for share in (0, 25, 50, 75, 100):
        y = top + height * (1 - share / 100)
        drawing.rule(place_of(-0.4), y, place_of(step * (len(SIZES) - 1)), y)
        drawing.text(place_of(-0.5), y + 6, f"{share} %", anchor="end")
    lowest = 2.0 * height
    for gain, color in zip(GAINS, _COLORS, strict=True):
        points = [values["significant randomisation", f"{gain:g}", size] for size in SIZES]
        places = [(place_of(step * place), top + height * (1 - value)) for place, (_, value) in enumerate(points)]
        for (x, y), (other, end) in itertools.pairwise(places):
            drawing.line(x, y, other, end, color)
        # names stay apart
        lowest = min(places[-1][1] + 6, lowest - 21)
        name = f"difference {points[0][0]:.3f}" if gain else "no difference"
        drawing.text(places[-1][0] + 8, lowest, name, anchor="start", color=color)
    for place, size in enumerate(SIZES):
        drawing.text(place_of(step * place), top + height + 26, f"{size}")
    drawing.text(place_of(step * (len(SIZES) - 1) / 2), top + height + 52, "documents")
    drawing.height = top + height + 60
    caption = "How often paired randomisation has p below .05, by the number of documents and the true difference."
    return drawing.figure(caption, cells + 1.2)

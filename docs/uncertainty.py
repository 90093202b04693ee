"""Simulate corpora for `docs/uncertainty.md`: how often intervals hold the true F1, and tests find a difference.

python docs/uncertainty.py --trials 500    # simulates, and writes docs/data/uncertainty.tsv; some minutes
python docs/uncertainty.py                  # fills the tables of the page and draws its picture from that file
"""

from __future__ import annotations

import argparse
import csv
import re
from pathlib import Path

import numpy as np

from spanometer.analysis.comparison.significance import PairedResampling, bootstrap_test, randomisation_test
from spanometer.counts.counts import Column, Counts
from spanometer.measures import SpanF

DOCS = Path(__file__).parent
DATA = DOCS / "data" / "uncertainty.tsv"
PICTURE = DOCS / "images" / "uncertainty.svg"
SIZES = (10, 20, 50, 100, 200, 500)
SENTENCES, SPANS = 10, 1.4
"""Sentences of a document, and spans of a sentence, on average."""
RIGHT = {"usual": (4.0, 1.2), "high": (30.0, 0.9)}
"""How the share of right spans differs between documents: a beta distribution."""
GAINS = (0.0, 0.01, 0.02, 0.05)
"""How much more of the spans the second system gets right."""
TRUTH = 400_000
"""Documents from which the true values are computed."""

Side = dict[str, np.ndarray]
"""The counts of a system, sentence by sentence, by name."""

_BLOCK = re.compile(r"(<!-- uncertainty: (\w+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)
_COLORS = ("#8a8a8a", "#c58a12", "#2a9d5c", "#5b7bd5")


def corpora(
    generator: np.random.Generator, documents: int, kind: str, gain: float = 0.0
) -> list[dict[str, np.ndarray]]:
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


def counts(side: dict[str, np.ndarray], parts: int) -> Counts:
    """Sum the counts of as many sentences as make a document."""
    size = len(side["both"]) // parts
    place = np.arange(size, dtype=np.int32)
    sums = {name: value.reshape(size, parts).sum(axis=1) for name, value in side.items()}
    return Counts(
        {name: Column(place, np.zeros(size, dtype=np.int32), value) for name, value in sums.items()}, ("PER",), size
    )


def simulate(trials: int) -> None:
    """Write the shares of the trials."""
    measure, rows = SpanF(), []
    for kind in RIGHT:
        true = f1(corpora(np.random.default_rng(1), TRUTH, kind)[0])
        for size in SIZES:
            held: dict[str, list[bool]] = {}
            widths = []
            generator = np.random.default_rng(size)
            for trial in range(trials):
                side = corpora(generator, size, kind)[0]
                for name, parts, method in (
                    ("bca", SENTENCES, "bca"),
                    ("percentile", SENTENCES, "percentile"),
                    ("sentences", 1, "bca"),
                ):
                    if name == "sentences" and size > 200:
                        continue
                    resampling = PairedResampling(seed=trial, interval_method=method)
                    low, high = measure.intervals(counts(side, parts), resampling)["f1"]
                    held.setdefault(name, []).append(low <= true <= high)
                    if name == "bca":
                        widths.append((high - low) / 2)
            rows.append(("half width", kind, size, f"{true:.4f}", f"{np.mean(widths):.4f}"))
            rows += [
                (f"coverage {name}", kind, size, f"{true:.4f}", f"{np.mean(each):.4f}") for name, each in held.items()
            ]
    for gain in GAINS:
        first, second = (f1(side) for side in corpora(np.random.default_rng(1), TRUTH, "usual", gain))
        true = second - first if gain else 0.0
        for size in SIZES:
            marked: dict[str, list[bool]] = {"randomisation": [], "bootstrap": [], "apart": []}
            generator = np.random.default_rng(size)
            for trial in range(trials):
                sides = [counts(side, SENTENCES) for side in corpora(generator, size, "usual", gain)]
                resampling = PairedResampling(seed=trial, n_permutations=1000)
                values = measure.joint_estimates(sides, resampling, measure.score_totals)["f1"]
                old, new = values[0], values[1]
                difference = float(new.point - old.point)
                p_values, _ = randomisation_test(measure, *sides, {"f1": difference}, resampling)
                marked["randomisation"].append(p_values["f1"] < 0.05)
                marked["bootstrap"].append(bootstrap_test(difference, new.drawn - old.drawn) < 0.05)
                (low, high), (other_low, other_high) = (each.interval(0.95) for each in (old, new))
                marked["apart"].append(high < other_low or other_high < low)
            rows += [
                (f"significant {name}", f"{gain:g}", size, f"{true:.4f}", f"{np.mean(each):.4f}")
                for name, each in marked.items()
            ]
    head = f"# Written by `python docs/uncertainty.py --trials {trials}`.\n"
    lines = ["\t".join(map(str, row)) for row in (("what", "case", "documents", "truth", "value"), *rows)]
    DATA.write_text(head + "\n".join(lines) + "\n", encoding="utf-8")


def read() -> dict[tuple[str, str, int], tuple[float, float]]:
    """Read the true value and the simulated one by what, case and documents."""
    lines = (line for line in DATA.read_text(encoding="utf-8").splitlines() if not line.startswith("#"))
    return {
        (row["what"], row["case"], int(row["documents"])): (float(row["truth"]), float(row["value"]))
        for row in csv.DictReader(lines, delimiter="\t")
    }


def _lines(head: list[str], rows: list[list[str]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, ["---:"] * len(head), *rows))


def intervals() -> str:
    """Write how wide the intervals are, and how often they hold the true F1."""
    values = read()
    shares = ("bca", "sentences")
    heads = ["documents", "spans"]
    for kind in RIGHT:
        true = values["half width", kind, SIZES[0]][0]
        heads += [f"F1 {true:.2f} ±", "articles", "sentences"]
    rows = []
    for size in SIZES:
        row = [f"{size:,}", f"{size * SENTENCES * SPANS:,.0f}"]
        for kind in RIGHT:
            row.append(f"{values['half width', kind, size][1]:.3f}")
            for name in shares:
                share = values.get((f"coverage {name}", kind, size))
                row.append(f"{100 * share[1]:.0f} %" if share else "")
        rows.append(row)
    return _lines(heads, rows)


def tests() -> str:
    """Write how often each test finds a difference."""
    values = read()
    rows = []
    for name, title in (("randomisation", "randomisation"), ("bootstrap", "bootstrap"), ("apart", "intervals apart")):
        for gain in map("{:g}".format, (GAINS[0], GAINS[-1])):
            keys = [(f"significant {name}", gain, size) for size in SIZES]
            rows.append([title, f"{values[keys[0]][0]:.3f}", *(f"{100 * values[key][1]:.0f} %" for key in keys)])
    return _lines(["test", "true difference", *(f"{size:,}" for size in SIZES)], rows)


def picture() -> str:
    """Draw how often randomisation finds each difference, by the number of documents."""
    values = read()
    left, top, width, height = 62, 34, 520, 250
    step = width / (len(SIZES) - 1)
    parts = ['<rect width="760" height="340" fill="#ffffff"/>']
    for share in (0, 25, 50, 75, 100):
        y = top + height * (1 - share / 100)
        parts.append(f'<line x1="{left}" x2="{left + width}" y1="{y:g}" y2="{y:g}" stroke="#d8d8d8"/>')
        parts.append(f'<text x="{left - 8}" y="{y + 5:g}" text-anchor="end">{share} %</text>')
    for place, size in enumerate(SIZES):
        parts.append(f'<text x="{left + step * place:g}" y="{top + height + 24}" text-anchor="middle">{size}</text>')
    parts.append(f'<text x="{left + width / 2:g}" y="{top + height + 46}" text-anchor="middle">documents</text>')
    parts.append('<text x="10" y="18">comparisons with p &lt; .05</text>')
    lowest = float(height * 2)
    for gain, color in zip(GAINS, _COLORS, strict=True):
        points = [values["significant randomisation", f"{gain:g}", size] for size in SIZES]
        heights = [top + height * (1 - value) for _, value in points]
        path = " ".join(f"{left + step * place:g},{y:.1f}" for place, y in enumerate(heights))
        parts.append(f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="2.5"/>')
        true = points[0][0]
        name = f"difference {true:.3f}" if gain else "no difference"
        # names stay apart
        lowest = min(heights[-1] + 5, lowest - 17)
        parts.append(f'<text x="{left + width + 10}" y="{lowest:.1f}" fill="{color}">{name}</text>')
    title = "The share of comparisons in which paired randomisation has p below .05, by documents and true difference"
    head = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 340" font-family="sans-serif" font-size="15">'
    return "\n".join([head, f"<title>{title}</title>", *parts, "</svg>", ""])


def filled(page: str) -> str:
    """Fill the blocks of the page."""
    tables = {"intervals": intervals, "tests": tests}
    return _BLOCK.sub(lambda match: f"{match[1]}\n{tables[match[2]]()}\n\n{match[4]}", page)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--trials", type=int, help="simulate this many corpora of each size")
    if trials := parser.parse_args().trials:
        simulate(trials)
    page = DOCS / "uncertainty.md"
    page.write_text(filled(page.read_text(encoding="utf-8")), encoding="utf-8")
    PICTURE.write_text(picture(), encoding="utf-8")

"""Precision of the list of suspicious references, with artificial errors in a reference.

    python benchmarks/suspicious.py

Changes 5 % of the spans of MultiCoNER's Spanish development set (another label, one word less, no span). Prints the
proportion of places with an artificial error among the first of `errors.suspicious()`, averaged over ten runs: with the
output of XLM-R, and with this output and an artificial system. This system is the reference with the same kinds of
errors in 15 % of its spans. The page on errors has the table.
"""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
from inputs import data_file

import spanometer
from spanometer.analysis.errors.buckets import read_training
from spanometer.readers import read, tag_lists
from spanometer.readers.reading import read_documents

FIRST = (10, 20, 50)
SEEDS = 10
Tags = list[list[str]]


def plant(sentences: Tags, share: float, seed: int) -> tuple[Tags, set[tuple[int, int]]]:
    """Return tags with errors in a proportion of the spans, and the document and first token of each changed span."""
    generator = random.Random(seed)
    labels = sorted({tag[2:] for tags in sentences for tag in tags if tag != "O"})
    changed, planted = [], set()
    for document, original in enumerate(sentences):
        tags = list(original)
        for start, tag in enumerate(original):
            if not tag.startswith("B-") or generator.random() >= share:
                continue
            end = next((place for place in range(start + 1, len(tags)) if tags[place][0] != "I"), len(tags))
            kind = generator.choice(["label", "no span", *(["shorter"] if end - start > 1 else [])])
            if kind == "label":
                label = generator.choice([each for each in labels if each != tag[2:]])
                tags[start:end] = [f"{each[:2]}{label}" for each in tags[start:end]]
            else:
                tags[start if kind == "no span" else end - 1 : end] = ["O"] * (end - start if kind == "no span" else 1)
            planted.add((document, start))
        changed.append(tags)
    return changed, planted


def main() -> None:
    """Print a row for each choice of systems and training set."""
    folder = Path(data_file()).parent
    gold = read(folder / "multiconer_es_dev.conll", words=True)
    original = tag_lists(gold.tags[0])
    xlmr = tag_lists(read(folder / "multiconer_es_dev_system.conll").tags[0])
    train = read_training(read_documents(folder / "multiconer_es_train.conll"))
    figures: dict[tuple[str, str], list[list[float]]] = {}
    for seed in range(SEEDS):
        reference, planted = plant(original, 0.05, seed)
        both = {"xlmr": xlmr, "made up": plant(original, 0.15, SEEDS + seed)[0]}
        for name, systems in (("XLM-R", {"xlmr": xlmr}), ("both", both)):
            report = spanometer.errors(reference, systems, words=gold.words, confidence=None)
            for known, training in (("no", None), ("yes", train)):
                rows = report.suspicious(training).to_arrow().to_pylist()
                hits = [{(row["document"] - 1, at) for at in range(row["start"], row["end"])} & planted for row in rows]
                shares = [sum(map(bool, hits[:first])) / min(first, len(hits)) for first in (*FIRST, len(hits))]
                listed = len(set().union(*hits)) / len(planted)
                figures.setdefault((name, known), []).append([len(rows), *shares, listed])
    print("| systems | training set | places | first 10 | first 20 | first 50 | whole list | planted errors in it |")
    for (name, known), drawn in figures.items():
        places, *shares, listed = np.mean(drawn, axis=0).tolist()
        cells = [name, known, f"{places:.0f}", *(f"{share:.2f}" for share in shares), f"{listed:.0%}"]
        print(f"| {' | '.join(cells)} |")


if __name__ == "__main__":
    main()

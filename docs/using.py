"""Draw the pictures of the pages on installing, training and clusters, and of the tutorials."""

from __future__ import annotations

import configparser
import csv
import doctest
import functools
import itertools
import json
import operator
import re
from pathlib import Path
from typing import Any

from drawing import BOX, PART, PLAIN, RIGHT, WORDS, WRONG, Drawing, place_of

import spanometer
from spanometer import Spans
from spanometer.analysis.scores.streams import stream_counts
from spanometer.spans.texts import Tokens
from spanometer.spans.tokenisation import to_tokens

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"
TRAINING = Path(__file__).parent / "data" / "training.tsv"
"""The scores of each epoch, as `examples/train_ner.py` prints them."""


def install() -> str:
    """Draw the libraries that each extra adds, from the package's settings."""
    settings = configparser.ConfigParser()
    settings.read(ROOT / "setup.cfg")
    extras = settings["options.extras_require"]
    drawing = Drawing()
    for name in _EXTRAS:
        top, left = drawing.row(name, BOX + 8), 0.3
        for requirement in extras[name].split():
            library = re.split(r"[\[>]", requirement)[0]
            width = 0.3 + 0.12 * len(library)
            shared = sum(library in extras[other] for other in _EXTRAS) > 1
            drawing.box(top, left, left + width, PART if shared else PLAIN, library)
            left += width + 0.05
    return drawing.figure("The libraries that each extra adds. Two extras add the yellow ones.", 4.6)


_EXTRAS = ("plots", "text", "completion", "spacy", "edsnlp", "dask", "torch", "train", "space")
"""The extras of users."""


def training() -> str:
    """Draw two scores of a training by epoch, and the epoch whose model is kept."""
    rows = list(csv.DictReader(TRAINING.read_text(encoding="utf-8").splitlines()[1:], delimiter="\t"))
    drawing, height, step, most = Drawing(), 190, 0.42, 0.4
    drawing.text(0, 22, "score of the development sentences", anchor="start")
    top = 40
    for score in (0.0, 0.1, 0.2, 0.3, 0.4):
        y = top + height * (1 - score / most)
        drawing.rule(place_of(-0.6), y, place_of(step * (len(rows) - 1)), y)
        drawing.text(place_of(-0.7), y + 5, f"{score:.1f}", anchor="end")
    best = max(range(len(rows)), key=lambda epoch: float(rows[epoch]["span_f_f1"]))
    drawing.line(place_of(step * best), top, place_of(step * best), top + height, RIGHT)
    drawing.text(place_of(step * best) + 6, top + height - 10, "kept", anchor="start", color=RIGHT)
    for key, color in (("span_f_f1", PLAIN), ("link_f_f1", PART)):
        places = [
            (place_of(step * epoch), top + height * (1 - float(row[key]) / most)) for epoch, row in enumerate(rows)
        ]
        for (x, y), (other, end) in itertools.pairwise(places):
            drawing.line(x, y, other, end, color)
        drawing.text(places[-1][0] + 8, places[-1][1] + 5, key, anchor="start", color=color)
    for epoch, row in enumerate(rows):
        drawing.text(place_of(step * epoch), top + height + 20, row["epoch"])
    drawing.text(place_of(step * (len(rows) - 1) / 2), top + height + 42, "epoch")
    drawing.height = top + height + 48
    caption = (
        "Two scores after each epoch of examples/train_ner.py. load_best_model_at_end keeps the model with the best "
        "span_f_f1."
    )
    return drawing.figure(caption, step * (len(rows) - 1) + 1.1)


def clusters() -> str:
    """Draw batches, their counts, the sum of the counts, and the score of the sum."""
    gold, system = [["B-ORG", "I-ORG", "I-ORG", "O", "B-PER"]], [["B-ORG", "I-ORG", "O", "O", "B-PER"]]
    drawing, keys = Drawing(), ("both", "predicted", "reference")
    top = drawing.row("", 30)
    for place, name in enumerate(("batch", *keys)):
        drawing.text(place_of(0.5 + 1.1 * place), top + 18, name)
    parts = []
    for worker, batch in enumerate([(gold, system), (gold, gold)], 1):
        counts = stream_counts([batch], measures="span_f", scheme="IOB2")["span_f"]
        top = drawing.row(f"process {worker}")
        drawing.box(top, 0, 1, PLAIN, f"{worker}")
        for place, key in enumerate(keys, 1):
            drawing.box(top, 1.1 * place, 1.1 * place + 1, PART, f"{getattr(counts, key):g}")
        parts.append(counts)
    total = functools.reduce(operator.add, parts)
    drawing.line(place_of(1.1), drawing.height - 4, place_of(4.3), drawing.height - 4, "currentColor")
    drawing.height += 6
    top = drawing.row("sum")
    for place, key in enumerate(keys, 1):
        drawing.box(top, 1.1 * place, 1.1 * place + 1, PART, f"{getattr(total, key):g}")
    top = drawing.row("score")
    drawing.box(top, 1.1, 4.3, RIGHT, f"F1 = {total.score()['f1']:.2f}")
    return drawing.figure("Each process counts its own batch. Only the counts travel, and the sum has the score.", 4.4)


def hub() -> str:
    """Draw which files of a Space `evaluate` fetches."""
    drawing = Drawing()
    for name, boxes in {
        "evaluate": {"span_f.py": RIGHT, "the spanometer_*.py it needs": RIGHT},
        "web page": {"app.py": PART, "all other spanometer_*.py": PART},
        "": {"README.md": PLAIN, "requirements.txt": PLAIN},
    }.items():
        top = drawing.row(name)
        for (text, color), (start, end) in zip(boxes.items(), ((0, 1.5), (1.55, 4.4)), strict=True):
            drawing.box(top, start, end, color, text)
    caption = (
        'The files of the Space span_f. evaluate.load("spanometer/span_f") fetches only the green files. The web page '
        "uses the yellow files too."
    )
    return drawing.figure(caption, 4.5)


def coming_from() -> str:
    """Draw the ends of one span, inclusive and exclusive."""
    drawing, (start, end, label) = Drawing(), (5, 7, "PER")
    drawing.words()
    top = drawing.row("token", 30)
    for place in range(len(WORDS)):
        drawing.text(
            place_of(place + 0.5), top + 18, str(place), color=RIGHT if start <= place < end else "currentColor"
        )
    drawing.spans("span", [(start, end, label)])
    for name, last, meaning in (
        ("nervaluate", end - 1, "the last token of the span"),
        ("Spanometer", end, "the first token behind the span"),
    ):
        top = drawing.row(name, 34)
        drawing.box(top, 0.3, 3.4, PLAIN if last == end else PART, f'"start": {start}, "end": {last}')
        drawing.text(place_of(3.55), top + 18, f"{last} is {meaning}", anchor="start")
    text = " ".join(WORDS[start:end])
    return drawing.figure(f"The same span, {text}, with an inclusive and with an exclusive end.", len(WORDS))


def attributes() -> str:
    """Draw the attributes of findings as the example files have them, and whether the system's are right."""
    drawing = Drawing()
    gold, system = (
        [json.loads(line) for line in (EXAMPLES / "attributes" / name).read_text(encoding="utf-8").splitlines() if line]
        for name in ("gold.jsonl", "system.jsonl")
    )
    width, (first, second) = 2.3, (1.2, 3.55)
    top = drawing.row("finding", 30)
    for place, name in ((first, "negated"), (second, "carrier")):
        drawing.text(place_of(place + width / 2), top + 18, name)
    for reference, prediction in list(zip(gold, system, strict=True))[1:4]:
        for own, other in zip(reference["spans"], prediction["spans"], strict=True):
            top = drawing.row(" ".join(reference["tokens"][own["start"] : own["end"]]), BOX + 8)
            for place, name in ((first, "negated"), (second, "carrier")):
                values = [str(span["attributes"][name]).lower() for span in (own, other)]
                right = values[0] == values[1]
                text = values[0] if right else f"{values[1]}, not {values[0]}"
                drawing.box(top, place, place + width, RIGHT if right else WRONG, text)
    caption = "What the system predicts for findings of the example files. Wrong values are red."
    return drawing.figure(caption, 6)


def measure() -> str:
    """Draw the starts and the ends of the tutorial's spans, as its measure counts them."""
    page = (Path(__file__).parent / "tutorials" / "measure.md").read_text(encoding="utf-8")
    known: dict[str, Any] = {}
    for example in doctest.DocTestParser().get_examples(page):
        if example.source.startswith(
            ("import numpy", "from spanometer", "class EdgeF", "references =", "predictions =")
        ):
            exec(example.source, known)
    sides = [Spans.from_tags(known[name], scheme="IOB2") for name in ("references", "predictions")]
    drawing, width = Drawing(), 0.72
    edges = {
        edge: [set(zip(s.document, getattr(s, edge), map(s.labels.__getitem__, s.label), strict=True)) for s in sides]
        for edge in ("start", "end")
    }
    first = (0.0, 4.6 * width)
    top = drawing.row("", 30)
    for document, left in enumerate(first):
        drawing.text(place_of(left), top + 14, f"document {document + 1}", anchor="start")
    for number, spans in enumerate(sides):
        top = drawing.row(("reference", "system")[number], BOX + 22)
        for document, start, end, code in zip(spans.document, spans.start, spans.end, spans.label, strict=True):
            label, left = spans.labels[code], first[document] / width
            drawing.box(top, (left + start) * width, (left + end) * width, PLAIN, label, 0.1)
            for edge, place in (("start", start), ("end", end)):
                right = all((document, place, label) in side for side in edges[edge])
                x = place_of((left + place) * width) + (3 if edge == "start" else -3)
                drawing.line(x, top - 4, x, top + BOX + 4, RIGHT if right else WRONG)
    scores = []
    for edge in edges:
        edge_f = known["EdgeF"](edge=edge)
        scores.append(f"{edge}s: recall {edge_f.score(edge_f.counts(*sides))['recall']:.2f}")
    return drawing.figure(
        f"Two documents. An edge with the same place and label on both sides is green. {', '.join(scores)}.", 4.9
    )


def text() -> str:
    """Draw a span that lacks a word, in characters and in tokens."""
    words = "the Royal Society"
    tokens = [match.span() for match in re.finditer(r"\S+", words)]
    sides = [Spans.from_dicts([[{"start": start, "end": len(words), "label": "ORG"}]]) for start in (4, 0)]
    drawing, width = Drawing(), 0.26
    top = drawing.row("", 28)
    for place, sign in enumerate(words):
        drawing.text(place_of((place + 0.5) * width), top + 16, sign)
    for unit in ("characters", "tokens"):
        carried = sides
        if unit == "tokens":
            carried = [to_tokens(side, Tokens.from_lists([tokens]), policy="strict").spans for side in sides]
        f1 = spanometer.score(*carried, measures="intersection_f").flat()["intersection_f_f1"]
        for name, side in zip(("reference", "system"), carried, strict=True):
            top, (start, end) = drawing.row(name, BOX + 6), (int(side.start[0]), int(side.end[0]))
            size = f"{end - start} {unit}"
            if unit == "tokens":
                for a, b in tokens[start:end]:
                    drawing.box(top, a * width, b * width, PLAIN, words[a:b])
            else:
                drawing.box(top, start * width, end * width, PLAIN)
            drawing.text(place_of(len(words) * width + 0.15), top + 18, size, anchor="start")
        drawing.text(place_of(0), drawing.row("score", 40) + 18, f"intersection_f: F1 {f1:.3f}", anchor="start")
    return drawing.figure("The system's span has one word too many: four characters, or one token.", 6.4)


PICTURES = {
    "install": install,
    "training": training,
    "clusters": clusters,
    "hub": hub,
    "coming_from": coming_from,
    "tutorials/attributes": attributes,
    "tutorials/measure": measure,
    "tutorials/text": text,
}

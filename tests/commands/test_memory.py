"""What commands hold of files: less than three times what the larger one grows by."""

import json
import random
import tracemalloc
from functools import partial

import pytest

from spanometer.commands.main import main


def tags(generator, noise):
    rows = []
    for _ in range(generator.randrange(8, 30)):
        label = generator.choice(["O", "O", "O", "B-PER", "B-LOC"])
        rows.append(f"{generator.choice(['wrote', 'Ada', 'letters', 'Lovelace'])} {'O' if noise() else label}\n")
    return "".join(rows) + "\n"


def spans_of(generator, noise):
    words = [generator.choice(["wrote", "Ada", "letters", "Lovelace"]) for _ in range(generator.randrange(8, 30))]
    return words, [(n, n + 2) for n in range(0, len(words) - 3, 5) if not noise()]


def trees(generator, noise):
    words, spans = spans_of(generator, noise)
    parts = [{"start": n, "end": n + 1, "label": "name"} for n, _ in spans]
    entities = [
        {"start": start, "end": end, "types": ["pers"], "components": [part]}
        for (start, end), part in zip(spans, parts, strict=True)
    ]
    return json.dumps({"tokens": words, "entities": entities}) + "\n"


def documents(generator, noise):
    words, spans = spans_of(generator, noise)
    found = [{"start": start, "end": end, "label": "PER"} for start, end in spans]
    return json.dumps({"tokens": words, "unit": "token", "spans": found}) + "\n"


def markup(generator, noise):
    words, spans = spans_of(generator, noise)
    for start, end in spans:
        words[start] = f"<pers.ind> <name> {words[start]} </name>"
        words[end - 1] += " </pers.ind>"
    return " ".join(words) + "\n"


def attributes(generator, noise):
    words, _ = spans_of(generator, noise)
    values = [{"negated": noise(), "certainty": generator.choice(["low", "high"])} for _ in words[:-3:5]]
    found = [{"start": 5 * n, "end": 5 * n + 2, "label": "A", "attributes": each} for n, each in enumerate(values)]
    return json.dumps({"tokens": words, "unit": "token", "spans": found}) + "\n"


def tasks(generator, noise):
    words, _ = spans_of(generator, noise)
    value = {"start": 0, "end": len(words[0]), "text": words[0], "labels": ["PER"]}
    result = [{"from_name": "label", "to_name": "text", "type": "labels", "value": value}]
    return (
        json.dumps({"data": {"text": " ".join(words)}, "annotations": [{"result": [] if noise() else result}]}) + "\n"
    )


def _is_noise(generator, rate):
    return generator.random() < rate


@pytest.mark.parametrize(
    ("name", "line", "command"),
    [
        ("a.conll", tags, ("score", "--confidence", ".9", "--n-resamples", "9", "--measures", "span_f,token_f,link_f")),
        ("a.jsonl", trees, ("score",)),
        ("a.jsonl", documents, ("score", "--measures", "span_f")),
        ("a.txt", markup, ("score",)),
        ("a.jsonl", attributes, ("score", "--measures", "span_attribute")),
        ("a.json", tasks, ("score", "--measures", "span_f")),
    ],
)
def test_memory_by_size(tmp_path, monkeypatch, capsys, name, line, command):
    for place, size in {
        "readers.source.BLOCK_SIZE": 1 << 14,
        "readers.source._TEXT_SIZE": 1 << 12,
        "readers.json.values._CHARACTERS": 1 << 12,
        "spans.entities._AT_ONCE": 20,
        "documents.building._AT_ONCE": 20,
        "analysis.scores.measure_result._BLOCK": 500,
        "counts.statistics._BLOCK": 1 << 10,
    }.items():
        monkeypatch.setattr(f"spanometer.{place}", size)
    sizes, peaks = [], []
    for documents in (5, 100, 500):
        paths = []
        for side in ("gold", "system"):
            generator = random.Random(1)
            paths.append(tmp_path / f"{side}-{documents}-{name}")
            noise = partial(_is_noise, random.Random(2), 0.1 if side == "system" else 0)
            text = [line(generator, noise) for _ in range(documents)]
            # one JSON text
            paths[-1].write_text(f"[{','.join(text)}]" if name == "a.json" else "".join(text))
        if documents > 5:
            # what is imported at first is no part of it
            tracemalloc.start()
        assert main([command[0], *map(str, paths), *command[1:]]) == 0
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        sizes.append(max(path.stat().st_size for path in paths))
    # a file that is one JSON text is held
    held = 1 if name == "a.json" else 0
    assert peaks[2] - peaks[1] < (3 + held) * (sizes[2] - sizes[1])

"""Calls of every public function and module on small corpora, whose results are kept."""

import json
import random
import tempfile
from pathlib import Path

import module_cases
import spanometer

TAGS = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC", "I-ORG"]


def tags(seed, documents=12):
    """Random tags, illegal ones among them; one seed gives documents of the same lengths as another."""
    lengths, chosen = random.Random(7), random.Random(seed)
    return [chosen.choices(TAGS, k=lengths.randrange(9)) for _ in range(documents)]


GOLD, ONE, TWO = tags(1), tags(2), tags(3)
TEXT = "Ada Lovelace wrote in Rome"


def read_and_written():
    """A file of documents, read and written in another format."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "in.jsonl"
        path.write_text(
            json.dumps({"id": "d", "text": TEXT, "spans": [{"start": 0, "end": 12, "label": "PER"}]}) + "\n"
        )
        documents = spanometer.read(path)
        spanometer.write(documents, Path(folder) / "out.jsonl", format="doccano")
        return (Path(folder) / "out.jsonl").read_text()


def computed(name):
    """What a module gives with its details, in order of the keys."""
    return dict(sorted(module_cases.CASES[name].compute(details=True).items()))


CALLS = {
    "score": lambda: spanometer.score(GOLD, ONE).to_dict(per_label=True, per_document=True),
    "score numbers": lambda: spanometer.score([[1, 2, 0, -100]], [[1, 0, 0, 1]], id2label=TAGS).to_dict(),
    "score options": lambda: spanometer.score(
        GOLD, ONE, measures=["span_f", "link_f"], repair="discard", average="macro", confidence=0.9, n_resamples=100
    ).to_dict(per_label=True),
    "compare": lambda: spanometer.compare(
        GOLD, {"one": ONE, "two": TWO}, n_resamples=100, n_permutations=100
    ).to_dict(),
    "agreement": lambda: spanometer.agreement([GOLD, ONE, TWO], confidence=0.9, n_resamples=100).to_dict(),
    "disagreements": lambda: spanometer.disagreements([GOLD, ONE, TWO]).to_dict(),
    "consensus": lambda: spanometer.consensus([GOLD, ONE, TWO]).to_dict(),
    "errors": lambda: spanometer.errors(GOLD, {"one": ONE, "two": TWO}, n_resamples=100).to_dict(),
    "score_against": lambda: spanometer.score_against([GOLD, TWO], ONE, confidence=0.9, n_resamples=100).to_dict(),
    "read and write": read_and_written,
    "path": lambda: Path(spanometer.path("link_f")).name,
    "dir": lambda: dir(spanometer),
    **{f"module {name}": (lambda name=name: computed(name)) for name in module_cases.CASES},
}


def result_of(name):
    """The result of a call as JSON."""
    return json.dumps(CALLS[name](), indent=1, ensure_ascii=False, default=str) + "\n"

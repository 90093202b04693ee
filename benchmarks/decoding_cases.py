"""The cases of the decoding benchmark: Viterbi by three implementations on the same logits, and `policy_spread`.

A case that decodes stores its paths. The case `check ...` after it, whose time does not count, returns their total
score. Every path must be legal, so no path can score above the best one; if the totals are equal, all paths are best
paths, even if there are several.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import product
from typing import Any

import inputs
import numpy as np
from cases import measures

Cases = dict[str, Callable[[], Any]]

TOKENS = 1_000_000
BATCH, SMALL_BATCH = 128, 32
"""The numbers of sentences that padded cases decode at a time.

The first is the best number for pytorch-crf between 32 and 4,000, the second a common number in training.
"""

SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4000)
"""The batch sizes that are compared, in sentences."""

FEWER_TOKENS = 60_000
"""The number of tokens in this comparison, which is small because one sentence at a time takes long."""

FORBIDDEN = -10_000.0
"""The score of an illegal transition if a decoder has no other way to forbid it (the value in AllenNLP)."""

ILLEGAL_PAIRS = 100

LABELS = {
    9: ("IOB2", ("O", *(f"{prefix}-{label}" for prefix, label in product("BI", ("LOC", "MISC", "ORG", "PER"))))),
    33: ("IOBES", ("O", *(f"{prefix}-{label}" for prefix, label in product("BIES", "ABCDEFGH")))),
}
"""The schemes and labels: those of CoNLL-2003, and eight labels in IOBES."""


class Logits:
    """Random logits (with a seed), float32, for sentences as long as in the CoNLL-2003 test set.

    Attributes:
        flat: the logits of all sentences concatenated, shape (tokens, labels).
        lengths, offsets: the lengths and offsets of the sentences.
        scheme, labels: the tags.
        transitions: the score of each transition from one label to the next, if there are any.
        paths: the label indices of the tokens, from the last case that decoded them.
    """

    def __init__(self, labels: int, tokens: int = TOKENS) -> None:
        self.scheme, self.labels = LABELS[labels]
        once = np.array([len(tags) for tags in inputs.tag_lists(1)[0]])
        lengths = np.tile(once, tokens // once.sum() + 1)
        self.lengths = lengths[np.cumsum(lengths) <= tokens]
        self.offsets = np.concatenate(([0], np.cumsum(self.lengths)))
        generator = np.random.default_rng(labels)
        self.flat = generator.standard_normal((self.offsets[-1], labels), dtype=np.float32)
        self.transitions: np.ndarray | None = None
        self.paths: Any = None

    @property
    def sentences(self) -> list[np.ndarray]:
        """The logits of each sentence."""
        return np.split(self.flat, self.offsets[1:-1])

    def batches(self, order: np.ndarray, size: int = BATCH) -> list[tuple[np.ndarray, np.ndarray]]:
        """Return the sentences in this order in batches: shape (sentences, tokens, labels), and their lengths."""
        batches = []
        for first in range(0, len(order), size):
            sentences = order[first : first + size]
            lengths = self.lengths[sentences]
            batch = np.zeros((len(sentences), lengths.max(), len(self.labels)), dtype=np.float32)
            for row, sentence in zip(batch, sentences, strict=True):
                row[: self.lengths[sentence]] = self.flat[self.offsets[sentence] : self.offsets[sentence + 1]]
            batches.append((batch, lengths))
        return batches

    def constraints(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return which labels may begin and end a sentence, and which may follow each other."""
        from spanometer.tags.viterbi import Legality

        legality = Legality.of(self.labels, self.scheme)
        return legality.begins, legality.ends, legality.follows

    def keep(self, paths: Any) -> int:
        """Store the paths of a case for its check."""
        self.paths = paths
        return len(self.lengths)

    def check(self) -> dict[str, float]:
        """Return the total score of the stored paths, in float64; raise a `ValueError` if a path is illegal."""
        path = np.concatenate([np.asarray(part, dtype=np.int64) for part in self.paths])
        begins, ends, follows = self.constraints()
        inside = np.ones(len(path), dtype=bool)
        inside[self.offsets[:-1]] = False
        legal = (
            begins[path[self.offsets[:-1]]].all()
            and ends[path[self.offsets[1:] - 1]].all()
            and follows[path[:-1], path[1:]][inside[1:]].all()
        )
        if not legal:
            raise ValueError("a path is not legal")
        score = float(self.flat[np.arange(len(path)), path].sum(dtype=np.float64))
        if self.transitions is not None:
            score += float(self.transitions[path[:-1], path[1:]][inside[1:]].sum(dtype=np.float64))
        return {"score": score, "tokens": len(path), "sentences": len(self.lengths)}


def _checked(name: str, logits: Logits, case: Callable[[], Any]) -> Cases:
    return {name: lambda: logits.keep(case()), f"check {name}": logits.check}


def _decode_batches(logits: Logits, batches: Sequence[tuple[np.ndarray, np.ndarray]]) -> list[np.ndarray]:
    from spanometer.tags import viterbi

    paths: list[np.ndarray] = []
    for batch, lengths in batches:
        decoded = viterbi.decode(
            batch, logits.labels, scheme=logits.scheme, lengths=lengths, transitions=logits.transitions
        )
        paths.append(decoded[decoded != viterbi.PAD])
    return paths


def viterbi() -> Cases:
    """Return the cases of `spanometer.tags.viterbi.decode`: all sentences as one list, and padded in batches."""
    from spanometer.tags import viterbi

    cases: Cases = {}
    for labels in LABELS:
        logits = Logits(labels)
        sentences = logits.sentences
        decode = partial(viterbi.decode, sentences, logits.labels, scheme=logits.scheme)
        cases |= _checked(f"list {labels}", logits, decode)
        for name, size in (("padded", BATCH), ("small", SMALL_BATCH)):
            batches = logits.batches(np.arange(len(sentences)), size)
            cases |= _checked(f"{name} {labels}", logits, partial(_decode_batches, logits, batches))
    return cases


def _logits_by_size() -> Iterator[tuple[str, int, Logits]]:
    """Yield a name, a batch size and logits, without and with random transition scores."""
    for labels in LABELS:
        plain, scored = (Logits(labels, FEWER_TOKENS) for _ in range(2))
        scored.transitions = np.random.default_rng(0).standard_normal((labels, labels), dtype=np.float32)
        for kind, logits in (("plain", plain), ("scored", scored)):
            for size in SIZES:
                yield f"{kind} {size} {labels}", size, logits


def sizes() -> Cases:
    """Return the cases of `spanometer.tags.viterbi.decode` on padded batches of many sizes."""
    cases: Cases = {}
    for name, size, logits in _logits_by_size():
        batches = logits.batches(np.arange(len(logits.lengths)), size)
        cases |= _checked(name, logits, partial(_decode_batches, logits, batches))
    return cases


def plain() -> Cases:
    """Return the cases of simple NumPy code: one sentence at a time, one step for each token."""

    def decode(scores: np.ndarray, begin: np.ndarray, end: np.ndarray, transitions: np.ndarray) -> np.ndarray:
        number = np.arange(scores.shape[1])
        back = np.empty(scores.shape, dtype=np.int64)
        best = scores[0] + begin
        for token in range(1, len(scores)):
            reached = best[:, None] + transitions
            back[token] = reached.argmax(axis=0)
            best = reached[back[token], number] + scores[token]
        path = np.empty(len(scores), dtype=np.int64)
        path[-1] = (best + end).argmax()
        for token in range(len(scores) - 1, 0, -1):
            path[token - 1] = back[token, path[token]]
        return path

    cases: Cases = {}
    for labels in LABELS:
        logits = Logits(labels)
        sentences = logits.sentences
        begin, end, transitions = (np.where(allowed, 0.0, -np.inf) for allowed in logits.constraints())

        def run(
            sentences: list[np.ndarray] = sentences,
            begin: np.ndarray = begin,
            end: np.ndarray = end,
            transitions: np.ndarray = transitions,
        ) -> list[np.ndarray]:
            return [decode(scores, begin, end, transitions) for scores in sentences]

        cases |= _checked(f"list {labels}", logits, run)
    return cases


def _crf(logits: Logits) -> Any:
    """Return pytorch-crf's layer with the constraints and transition scores of these logits."""
    import torch
    from torchcrf import CRF

    # its tensors are small: two threads gain a tenth at best, and lose much where the machine has other work
    torch.set_num_threads(1)
    crf = CRF(len(logits.labels), batch_first=True)
    scores = 0.0 if logits.transitions is None else logits.transitions
    parameters = (crf.start_transitions, crf.end_transitions, crf.transitions)
    with torch.no_grad():
        for parameter, allowed, score in zip(parameters, logits.constraints(), (0.0, 0.0, scores), strict=True):
            parameter.copy_(torch.from_numpy(np.where(allowed, score, FORBIDDEN).astype(np.float32)))
    return crf


def _tensors(batches: Sequence[tuple[np.ndarray, np.ndarray]]) -> list[tuple[Any, Any]]:
    import torch

    return [
        (torch.from_numpy(batch), torch.from_numpy(np.arange(batch.shape[1]) < lengths[:, None]))
        for batch, lengths in batches
    ]


def _decode_tensors(crf: Any, batches: Sequence[tuple[Any, Any]]) -> list[list[int]]:
    import torch

    with torch.inference_mode():
        return [path for emissions, mask in batches for path in crf.decode(emissions, mask=mask)]


def torchcrf_sizes() -> Cases:
    """Return the cases of pytorch-crf on the same batches as `sizes`."""
    cases: Cases = {}
    for name, size, logits in _logits_by_size():
        batches = _tensors(logits.batches(np.arange(len(logits.lengths)), size))
        cases |= _checked(name, logits, partial(_decode_tensors, _crf(logits), batches))
    return cases


def torchcrf() -> Cases:
    """Return the cases of pytorch-crf's `CRF.decode`, in float32, with illegal transitions at -10,000.

    Sentences are padded beforehand, both in their order and sorted by length, which is fastest for pytorch-crf.
    """

    def decode(crf: Any, batches: Sequence[tuple[Any, Any]], order: np.ndarray) -> list[list[int]]:
        paths = _decode_tensors(crf, batches)
        in_order: list[list[int]] = [[]] * len(paths)
        for sentence, path in zip(order.tolist(), paths, strict=True):
            in_order[sentence] = path
        return in_order

    cases: Cases = {}
    for labels in LABELS:
        logits = Logits(labels)
        crf = _crf(logits)
        orders = {
            "sorted": (np.argsort(-logits.lengths, kind="stable"), BATCH),
            "padded": (np.arange(len(logits.lengths)), BATCH),
            "small": (np.arange(len(logits.lengths)), SMALL_BATCH),
        }
        for name, (order, size) in orders.items():
            batches = _tensors(logits.batches(order, size))
            cases |= _checked(f"{name} {labels}", logits, partial(decode, crf, batches, order))
    return cases


def spread() -> Cases:
    """Return the case of `policy_spread` over the whole grid, on CoNLL-2003 tags in IOBES with some illegal tags."""
    from spanometer.analysis.policies.repairs import policy_spread
    from spanometer.measures import SpanF
    from spanometer.spans.spans import Spans, pair_from_tags
    from spanometer.tags.tags import Tags

    references, predictions = (side.to_tags("IOBES") for side in pair_from_tags(*inputs.tag_lists(1))[:2])
    predictions, affected = with_illegal_pairs(predictions)
    encoded = Tags.from_lists(references), Tags.from_lists(predictions)
    everything = [measure() for measure in measures().values()]
    span_f = SpanF()
    generator = np.random.default_rng(0)
    labels = sorted({tag for tags in references for tag in tags})
    logits = [generator.standard_normal((len(tags), len(labels)), dtype=np.float32) for tags in predictions]
    for scores, tags in zip(logits, predictions, strict=True):
        scores[np.arange(len(tags)), [labels.index(tag) for tag in tags]] += 10

    def once() -> float:
        sides = (Spans.from_tags(side, scheme="IOBES") for side in encoded)
        return span_f.score(span_f.counts(*sides))["f1"]

    def scored(*sides: Any, **options: Any) -> dict[str, float]:
        found = policy_spread(*sides, scheme="IOBES", **options)
        if (found.illegal, len(found.affected)) != (ILLEGAL_PAIRS, affected):
            raise ValueError(f"{found.illegal} illegal pairs in {len(found.affected)} sentences")
        first = found.measures["span_f"]
        return {
            "worst": first.worst,
            "best": first.best,
            "conlleval": first.named["conlleval"],
            "policies": len(found.grid),
            "affected": affected,
        }

    return {
        "once": once,
        "lists": partial(scored, references, predictions),
        "tags": partial(scored, *encoded),
        "all measures": partial(scored, *encoded, measures=everything),
        "with logits": partial(scored, *encoded, logits=logits, id2label=labels),
    }


def with_illegal_pairs(documents: list[list[str]]) -> tuple[list[list[str]], int]:
    """Replace random tags until `ILLEGAL_PAIRS` pairs are illegal; also returns the number of affected documents."""
    from spanometer.tags.decoding import illegal_pairs
    from spanometer.tags.schemes import SCHEMES
    from spanometer.tags.tags import Tags

    def pairs(tags: list[str]) -> int:
        return len(illegal_pairs(Tags.from_lists([tags]), SCHEMES["IOBES"]))

    generator = np.random.default_rng(0)
    documents = [list(tags) for tags in documents]
    names = sorted({tag for tags in documents for tag in tags})
    found: dict[int, int] = {}
    while sum(found.values()) < ILLEGAL_PAIRS:
        number = int(generator.integers(len(documents)))
        if not documents[number]:
            continue
        changed = list(documents[number])
        changed[int(generator.integers(len(changed)))] = str(generator.choice(names))
        now = pairs(changed)
        if found.get(number, 0) < now <= ILLEGAL_PAIRS - sum(found.values()) + found.get(number, 0):
            documents[number], found[number] = changed, now
    return documents, len(found)


PROCESSES: dict[str, Callable[[], Cases]] = {
    "viterbi": viterbi,
    "plain": plain,
    "torchcrf": torchcrf,
    "sizes": sizes,
    "torchcrf_sizes": torchcrf_sizes,
    "spread": spread,
}
"""The cases that run in the same process."""

"""The effect of decoding: all repairs of a tagger's best tags, compared with the best legal path through its logits.

A small linear tagger is trained. Its logits for held-out text are decoded in every way that the package has: each
token's best tag under all repair policies, including the named ones; left to right with legal tags only; by score; and
by Viterbi. The result is compared with '7776 ways to compute F1 for an NER task' (Kroutikov 2019).

The tagger is a multinomial logistic regression on hashed words and character n-grams of a window. It is much weaker
than a neural tagger. It is useful here because it learns in a minute on one processor. Like most taggers that are
fine-tuned today, it scores the tags of each token independently of the neighbouring tags, so its best tags can form
illegal pairs.
"""

import json
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from spanometer.alignment.overlaps import Alignment
from spanometer.analysis.policies.repairs import PolicySpread, policy_spread, score_table
from spanometer.arrays import plain
from spanometer.counts.statistics import Estimate, Resampling
from spanometer.documents.document_file import DocumentFile
from spanometer.exceptions import InputError, counted
from spanometer.measures import registry
from spanometer.measures.aligned import AlignedMeasure
from spanometer.readers.reading import read
from spanometer.spans.spans import Spans
from spanometer.tags import viterbi
from spanometer.tags.tags import Tags

from .inputs import DATA, MULTICONER_DEV, MULTICONER_TRAIN, Inputs, MissingCorpus, published_rows
from .tables import Cell

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

NAME = "decoding"
"""The table that is computed again if it is named."""

SCHEME = "IOBES"
"""The scheme that the tagger learns, regardless of the files' scheme."""

DEFAULT = "conlleval"
"""The policy with which Viterbi is compared beyond the table: seqeval's, which most papers report."""

MEASURES: tuple[AlignedMeasure, ...] = tuple(
    registry.MEASURES[name]() for name in ("span_f", "token_f", "link_f", "bcubed", "intersection_f", "sl_icm")
)
"""The measures in the table: those that need only tags, and whose counts of parts can be added."""

_LOGIT_WAYS = {
    "greedy": "greedy, left to right",
    "greedy_from_starts": "greedy, from predicted starts",
    "by_score": "by score",
    "viterbi": "Viterbi",
}

_STORED = (
    "The values come from a stored run, because training takes half a minute. "
    "To run the experiment again, type: python -m experiments decoding"
)

_STATEMENTS = {
    "Viterbi is above every repair policy": ("Viterbi", "best policy"),
    "the best policy is above ignoring the tags I and O": ("best policy", "policy that ignores the tags I and O"),
    "ignoring the tags I and O is above the worst policy": ("policy that ignores the tags I and O", "worst policy"),
}


@dataclass(frozen=True, kw_only=True)
class TaggerSettings:
    """The settings of a tagger and its training.

    Attributes:
        window: the number of words on either side that are features.
        ngrams: the maximum length of character n-grams of the word itself.
        buckets: the number of features into which each position of the window is hashed.
        epochs: the number of passes over the training data. It is small, so the result is only near the optimum.
        penalty: the weight of half the squared norm of the coefficients, against the summed log loss (1/C of
            scikit-learn).
        seed: the seed for the order of training examples, and for resampling.
    """

    window: int = 2
    ngrams: int = 5
    buckets: int = 1 << 17
    epochs: int = 20
    penalty: float = 0.1
    seed: int = 0


def policies(inputs: Inputs) -> Iterator[Cell | str]:
    """Compare repair policies and Viterbi with the printed values."""
    run, note, missing = _run(inputs)
    printed = {row["quantity"]: float(row["printed"]) for row in published_rows("decoding_policies")}
    scores = {row["way"]: 100 * row["scores"]["span_f"] for row in run["rows"]}
    size = f"of {run['policies']:,} repair policies"
    # by our name: the name of the printed value, and the name of ours
    values = {
        "worst policy": (printed["worst"], scores[f"argmax, worst {size}"]),
        "policy that ignores the tags I and O": (printed["bes"], scores["argmax, bes"]),
        "best policy": (printed["best"], scores[f"argmax, best {size}"]),
        "Viterbi": (printed["viterbi"], scores["Viterbi"]),
    }
    yield Cell("policies", "number", int(printed["policies"]), run["policies"])
    yield Cell("illegal pairs", "number", int(printed["illegal_pairs"]), run["illegal_pairs"])
    yield from (Cell(name, "F1", *pair, digits=2) for name, pair in values.items())
    for statement, (higher, lower) in _STATEMENTS.items():
        yield Cell(statement, "true", *(high > low for high, low in zip(values[higher], values[lower], strict=True)))
    yield note
    yield f"We trained a linear tagger on {run['trained_on']}, and scored {run['corpus']} with span_f."
    yield "docs/illegal_tags.md describes the experiment."
    if missing:
        raise MissingCorpus(missing)


def ways(inputs: Inputs) -> Iterator[Cell | str]:
    """Yield the scores of all ways of decoding, with the signatures of the first measure."""
    for row in _run(inputs)[0]["rows"]:
        yield from (Cell(row["way"], name, None, score, digits=3) for name, score in row["scores"].items())
        if row["signature"]:
            yield f"{row['way']}: {row['signature']}"


def differences(inputs: Inputs) -> Iterator[Cell]:
    """Yield the differences between Viterbi and the default policy, with their intervals."""
    for name, difference in _run(inputs)[0]["differences"].items():
        yield from (Cell(name, key, None, value, digits=3) for key, value in difference.items())


@cache
def _run(inputs: Inputs) -> tuple[dict[str, Any], str, str]:
    """Run the experiment if the table is named, otherwise read the stored run.

    Also returns a note on the run, and what is missing for it.
    """
    missing = ""
    if NAME in inputs.named:
        try:
            return decode_in_every_way(inputs.path(MULTICONER_TRAIN), inputs.path(MULTICONER_DEV)), "Made now.", missing
        except MissingCorpus as error:
            missing = f"A run made now. {error}"
    return json.loads(DATA.joinpath("decoding.json").read_text(encoding="utf-8")), _STORED, missing


def decode_in_every_way(
    train: Path,
    dev: Path,
    settings: TaggerSettings | None = None,
    measures: Sequence[AlignedMeasure] = MEASURES,
    resamples: int = 1000,
) -> dict[str, Any]:
    """Train the tagger, decode its logits in all ways, and score each; returns built-in types, ready for JSON.

    Args:
        train, dev: tag files with words.
        settings: the settings of the tagger.
        measures: the measures to score with; signatures are those of the first.
        resamples: the number of resampled corpora for the intervals.

    Raises:
        InputError: if files cannot be read or have no words, if a corpus has no spans, or if scikit-learn is missing.
    """
    settings = settings or TaggerSettings()
    files = [read(path, words=True, name=path.name) for path in (train, dev)]
    learned, tags = (Tags.from_lists(file.decoded().spans.to_tags(SCHEME)) for file in files)
    words, held_out = map(_words, files)
    flat = tag_logits(words, learned, held_out, settings)
    logits, labels, best = np.split(flat, tags.offsets[1:-1]), learned.names, flat.argmax(axis=1)
    spread = policy_spread(tags, logits=logits, id2label=labels, scheme=SCHEME, measures=measures)
    paths = np.concatenate(viterbi.decode(logits, labels, scheme=SCHEME)), best
    decoded = (Spans.from_tags(Tags(path, labels, tags.offsets), scheme=SCHEME, repair=DEFAULT) for path in paths)
    sides = [Spans.from_tags(tags, scheme=SCHEME), *decoded]
    common = tuple(sorted({label for spans in sides for label in spans.labels}))
    references, *outputs = (spans.with_labels(common) for spans in sides)
    pair = [Alignment(references, spans) for spans in outputs]
    tokens = counted(len(learned.codes), "token")
    run = {
        "corpus": files[1].source,
        "trained_on": f"{files[0].source} ({counted(len(learned.lengths), 'sentence')}, {tokens})",
        "policies": len(spread.grid),
        "illegal_pairs": spread.illegal,
        "affected_sentences": len(spread.affected),
        "rows": _rows(spread, measures[0]),
        "differences": {measure.name: _difference(measure, pair, resamples, settings.seed) for measure in measures},
    }
    return dict(plain(run))


def _rows(spread: PolicySpread, measure: AlignedMeasure) -> list[dict[str, Any]]:
    """Return the ways of decoding with their scores: policies, the grid's best, worst and mean, decodings of logits.

    The signature is that of the first measure, which also determines the best and the worst policy. The mean has none.
    """
    grid, first = spread.grid, spread.measures[measure.name]
    best, worst = (",".join(grid.describe(int(find(first.scores))).values()) for find in (np.nanargmax, np.nanargmin))
    size = f"of {len(grid):,} repair policies"
    ways: list[tuple[str, str, str, str | None]] = [
        *((f"argmax, {policy}", policy, "argmax", policy) for policy in first.named),
        (f"argmax, best {size}", "best", "argmax", best),
        (f"argmax, worst {size}", "worst", "argmax", worst),
        (f"argmax, mean {size}", "mean", "argmax", None),
        *((text, way, way, DEFAULT) for way, text in _LOGIT_WAYS.items()),
    ]
    records = (record.values() for record in score_table(spread.measures).records())
    scores = {name: dict(zip(spread.measures, values, strict=True)) for name, *values in records}
    return [
        {
            "way": text,
            "scores": scores[row],
            "signature": repair and measure.signature({"scheme": SCHEME, "repair": repair, "decode": decode}),
        }
        for text, row, decode, repair in ways
    ]


def _difference(measure: AlignedMeasure, pair: Sequence[Alignment], resamples: int, seed: int) -> dict[str, float]:
    """Compute the score of Viterbi minus the score of the default policy, and its interval from resampled documents."""
    counts = [measure.count(alignment) for alignment in pair]
    resampling = Resampling(n_resamples=resamples, seed=seed)
    weights = np.vstack([np.ones((1, counts[0].documents)), *resampling.weights(counts[0].documents)])
    scores = [measure.score_totals(side.weighted(weights))[measure.headline] for side in counts]
    differences = scores[0] - scores[1]
    low, high = Estimate(differences[0], differences[1:]).interval(0.95)
    return {"difference": float(differences[0]), "from": low, "to": high}


def _words(corpus: DocumentFile) -> Tags:
    if corpus.words is None:
        remedy = "The tagger needs words: one token a line, word and tag."
        raise InputError("the file has no words.", remedy, source=corpus.source)
    return corpus.words


_EDGE = "\n"
"""Stands for the positions before and after a document; it never occurs as a word."""

_AFFIX = 3
"""The length of the prefixes and suffixes of neighbouring words."""


def tag_logits(words: Tags, tags: Tags, held_out: Tags, settings: TaggerSettings) -> np.ndarray:
    """Train the tagger, and compute the logits of each held-out token's tags, shape (tokens, tags).

    The tagger is scikit-learn's `LogisticRegression` with stochastic average gradient.

    Args:
        words, tags: the training data; each of the tags occurs.
        held_out: the words to tag.
        settings: the settings of the tagger.

    Raises:
        InputError: if all tokens have the same tag, or if scikit-learn is missing.
    """
    try:
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.linear_model import LogisticRegression

        train, test = (window_features(each, settings) for each in (words, held_out))
    except ImportError:
        raise InputError(
            "the experiments need scikit-learn, which is not installed.",
            "Install it: pip install 'spanometer[experiments]'.",
        ) from None
    if len(tags.names) < 2:
        raise InputError("all tokens to train on have the same tag.", "Train on a corpus with spans.")
    model = LogisticRegression(
        solver="saga", C=1.0 / settings.penalty, max_iter=settings.epochs, tol=0.0, random_state=settings.seed
    )
    with warnings.catch_warnings():
        # it does not converge in so few epochs, see TaggerSettings
        warnings.simplefilter("ignore", category=ConvergenceWarning)
        model.fit(train, tags.codes)
    logits = np.asarray(model.decision_function(test))
    # with two classes scikit-learn gives the logit of the second against the first
    return logits if logits.ndim == 2 else np.stack([np.zeros_like(logits), logits], axis=1)


def window_features(words: Tags, settings: TaggerSettings) -> "csr_matrix":
    """Hash features of each token: its word's shape and character n-grams, and its neighbours' words and affixes.

    Features are computed once for each distinct word, then combined for the positions of the window.

    Returns:
        Shape (tokens, positions * buckets).
    """
    from scipy.sparse import hstack
    from sklearn.feature_extraction import FeatureHasher

    hasher = FeatureHasher(settings.buckets, input_type="string")
    places = []
    for offset in range(-settings.window, settings.window + 1):
        features = [_features(name, 0 if offset else settings.ngrams) for name in (*words.names, _EDGE)]
        places.append(hasher.transform(features)[_neighbours(words, offset)])
    return hstack(places, format="csr")


def _neighbours(words: Tags, offset: int) -> np.ndarray:
    """Return the index of the word at this offset from each token; outside the document, a special index."""
    token = np.arange(len(words.codes))
    document = np.repeat(np.arange(len(words.lengths)), words.lengths)
    place = token + offset
    inside = (place >= words.offsets[document]) & (place < words.offsets[document + 1])
    return np.where(inside, words.codes[np.where(inside, place, token)], len(words.names))


def _features(word: str, ngrams: int) -> list[str]:
    """Return the word, its shape, and its character n-grams up to this length; without n-grams, its affixes."""
    marked = f"<{word.lower()}>"
    parts = [marked[start : start + size] for size in range(1, ngrams + 1) for start in range(len(marked) - size + 1)]
    return [f"word {word.lower()}", f"shape {_shape(word)}", *(parts or [marked[: _AFFIX + 1], marked[-_AFFIX - 1 :]])]


def _shape(word: str) -> str:
    """Return the shape of a word, with repeated signs written once: `McKay-2024` becomes `XxXx-9`."""
    kinds = ("X" if char.isupper() else "x" if char.islower() else "9" if char.isdigit() else char for char in word)
    return "".join(kind for kind, _ in groupby(kinds))

"""The worth of decoding: every repair of a tagger's best tags, against the best legal path through its logits.

    python -m experiments.decoding [--train FILE --dev FILE] [--plot FILE.png] [--json]

A small linear tagger (`tagger`) is trained, and its logits over held-out text are decoded in every way that the package
knows: each token's best tag under all repair policies, the named ones among them, left to right under the constraint,
by score, and by Viterbi. Nothing is assumed about the outcome: the sentence at the end is written from the numbers.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from importlib import resources
from typing import Any

import numpy as np

from spanometer.alignment.overlaps import Alignment
from spanometer.analysis.policies.repairs import PolicySpread, policy_spread
from spanometer.analysis.policies.scores import MeasureSpread
from spanometer.arrays import plain
from spanometer.counts.statistics import Estimate
from spanometer.documents.document_file import DocumentFile
from spanometer.documents.tag_columns import Column
from spanometer.exceptions import InputError, counted, printable
from spanometer.measures import registry
from spanometer.measures.aligned import AlignedMeasure
from spanometer.plots.figure import require_format
from spanometer.readers.columns.reading import read
from spanometer.spans.spans import Spans
from spanometer.tags import viterbi
from spanometer.tags.tags import Tags

from .tables import markdown_table
from .tagger import LinearTagger, TaggerSettings, document_folds, window_features

SCHEME = "IOBES"
"""The scheme that the tagger learns, whatever the files have."""

DEFAULT = "conlleval"
"""The policy that Viterbi is compared with beyond the table: seqeval's, and what nearly everybody reports."""

MEASURES: tuple[AlignedMeasure, ...] = tuple(
    registry.MEASURES[name]() for name in ("span_f", "token_f", "link_f", "bcubed", "intersection_f", "sl_icm")
)
"""The tag measures of the table: those that need nothing but tags, and whose counts of parts add up."""

_LEVEL = 0.95

_LOGIT_WAYS = {
    "greedy": "greedy, left to right",
    "greedy_from_starts": "greedy, from guessed starts",
    "by_score": "by score",
    "viterbi": "Viterbi",
}
_BEST = "the best policy of the grid"

_BAD_INPUT = 2


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Text that a tagger has not seen, and the logits that it gives there.

    Attributes:
        corpus: what the text is, in words.
        trained_on: what the tagger was trained on, in words.
        references: the tags, in `SCHEME`.
        logits: shape (tokens, tags), the documents laid end to end.
        labels: the tags that the logits' last axis stands for.
    """

    corpus: str
    trained_on: str
    references: Tags
    logits: np.ndarray
    labels: tuple[str, ...]


@dataclass(frozen=True)
class Difference:
    """Viterbi's score less that of each token's best tag under `DEFAULT`, on the same documents.

    Attributes:
        value: the difference.
        low, high: its interval over documents drawn with replacement (percentiles).
        resamples: how often they were drawn.
    """

    value: float
    low: float
    high: float
    resamples: int

    @property
    def is_sure(self) -> bool:
        """Return whether the interval excludes 0."""
        return self.low > 0 or self.high < 0


@dataclass(frozen=True)
class Row:
    """One way of decoding.

    Attributes:
        way: its name.
        scores: the score by each measure, by the measure's name.
        signature: of the score by the first measure; the best and the worst policies are those by it. None for the
            mean, which is no one reading.
    """

    way: str
    scores: Mapping[str, float]
    signature: str | None


@dataclass(frozen=True, eq=False)
class DecodingResult:
    """The outcome of the experiment.

    Attributes:
        held_out: the text and the tagger's logits.
        settings: of the tagger.
        accuracy: share of the tokens whose best tag is the reference's.
        measures: the measures, the one that matters first.
        spread: their scores under every policy and from the logits.
        differences: Viterbi against conlleval, by the measure's name.
    """

    held_out: HeldOut
    settings: TaggerSettings
    accuracy: float
    measures: tuple[AlignedMeasure, ...]
    spread: PolicySpread
    differences: Mapping[str, Difference]

    @property
    def rows(self) -> list[Row]:
        """Make the table: named policies, the grid's best, worst and mean, then what reads the logits."""
        spreads, grid = self.spread.measures, self.spread.grid
        first = spreads[self.measures[0].name]
        size = f"of {len(grid):,} policies"
        extremes = (int(find(first.scores)) for find in (np.nanargmax, np.nanargmin))
        best, worst = (",".join(grid.describe(policy).values()) for policy in extremes)
        ways: list[tuple[str, str, str | None]] = [
            *((f"argmax, {policy}", "argmax", policy) for policy in first.named),
            (f"argmax, best {size}", "argmax", best),
            (f"argmax, worst {size}", "argmax", worst),
            (f"argmax, mean {size}", "argmax", None),
            *((text, way, DEFAULT) for way, text in _LOGIT_WAYS.items()),
        ]
        columns = [
            [*found.named.values(), found.best, found.worst, found.mean, *map(found.from_logits.get, _LOGIT_WAYS)]
            for found in spreads.values()
        ]
        rows = []
        for (way, decode, repair), *scores in zip(ways, *columns, strict=True):
            reading = {"scheme": SCHEME, "repair": repair, "decode": decode}
            written = None if repair is None else self.measures[0].signature(reading)
            rows.append(Row(way, dict(zip(spreads, scores, strict=True)), written))
        return rows

    @property
    def statement(self) -> str:
        """Say whether Viterbi wins, by the first measure in full, by the others in a word; written from the numbers."""
        if self.spread.illegal == 0:
            return "The best tags make no illegal pair: there is nothing to repair, and Viterbi finds the same path."
        name, *others = [measure.name for measure in self.measures]
        sentences = [*_verdict(name, self.spread.measures[name], self.differences[name])]
        won = [other for other in others if not rivals_of(self.spread.measures[other])]
        lost = [other for other in others if other not in won]
        if won:
            also = "" if rivals_of(self.spread.measures[name]) else "also "
            sentences.append(f"Viterbi wins {also}by {', '.join(won)}.")
        if lost:
            sentences.append(f"Something does as well or better by {', '.join(lost)}.")
        unsure = [other for other in others if not self.differences[other].is_sure]
        if unsure:
            sentences.append(f"By {', '.join(unsure)} the interval of the difference to {DEFAULT} includes 0.")
        return " ".join(sentences)

    def to_markdown(self) -> str:
        """Write the whole result as Markdown."""
        tags, illegal, affected = self.held_out.references, self.spread.illegal, len(self.spread.affected)
        names = [measure.name for measure in self.measures]
        lines = [
            f"Held-out text: {self.held_out.corpus}; {_size(tags)}, {len(self.held_out.labels)} tags ({SCHEME}).",
            f"Tagger: linear, trained on {self.held_out.trained_on}; seed {self.settings.seed}; "
            f"{self.accuracy:.2%} of its best tags are right.",
            f"Illegal pairs: {illegal:,} in {counted(affected, 'sentence')} "
            f"({affected / max(len(tags.lengths), 1):.1%}).",
            "",
            *markdown_table(
                ("", *(f"{measure.name} {measure.headline}" for measure in self.measures)),
                [(row.way, *(f"{row.scores[name]:.4f}" for name in names)) for row in self.rows],
            ),
            "",
            f"Viterbi less {DEFAULT}, with the {_LEVEL:.0%} interval over resampled sentences:",
            "",
            *markdown_table(
                ("", "difference", "from", "to"),
                [
                    (name, *(f"{value:+.4f}" for value in (found.value, found.low, found.high)))
                    for name, found in self.differences.items()
                ],
            ),
            "",
            self.statement,
            "",
            f"Signatures of {names[0]}:",
            "",
            *(f"- `{row.signature}`" for row in self.rows if row.signature is not None),
        ]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Convert to built-in types, ready for JSON; NaN, which JSON lacks, becomes None."""
        tags = self.held_out.references
        entry = {
            "corpus": self.held_out.corpus,
            "trained_on": self.held_out.trained_on,
            "tagger": asdict(self.settings),
            "scheme": SCHEME,
            "sentences": len(tags.lengths),
            "tokens": len(tags.codes),
            "tags": len(self.held_out.labels),
            "accuracy": self.accuracy,
            "policies": len(self.spread.grid),
            "illegal_pairs": self.spread.illegal,
            "affected_sentences": len(self.spread.affected),
            "rows": [asdict(row) for row in self.rows],
            "differences": {name: asdict(found) for name, found in self.differences.items()},
            "viterbi_wins": {name: not rivals_of(found) for name, found in self.spread.measures.items()},
            "statement": self.statement,
        }
        return dict(plain(entry))


def run(
    train: str | os.PathLike[str] | None = None,
    dev: str | os.PathLike[str] | None = None,
    *,
    column: Column = None,
    folds: int = 5,
    settings: TaggerSettings | None = None,
    measures: Sequence[AlignedMeasure] = MEASURES,
    resamples: int = 1000,
) -> DecodingResult:
    """Run the experiment.

    Args:
        train, dev: tag files with words. Without both, the package's example corpus; without `dev`, every document of
            `train` is held out once, in cross-validation.
        column: the column of the tags, see `readers.read`.
        folds: of the cross-validation.
        settings: of the tagger.
        measures: the measures to score with; by default all whose counts add up over documents.
        resamples: how often documents are drawn for the intervals.

    Raises:
        InputError: for files that cannot be read or have no words, for corpora without spans, and if scikit-learn is
            missing.
    """
    settings = settings or TaggerSettings()
    if dev is None:
        held_out = cross_validated(_read_example() if train is None else _read(train, column), folds, settings)
    elif train is None:
        raise InputError("there is a dev file and no train file.", "Give the tagger a file to learn from.")
    else:
        held_out = trained(_read(train, column), _read(dev, column), settings)
    return decode_in_every_way(held_out, settings, tuple(measures), resamples)


def cross_validated(corpus: DocumentFile, folds: int, settings: TaggerSettings) -> HeldOut:
    """Compute the logits of each fold of documents by a tagger that was trained on the others."""
    words, tags = _words(corpus), _in_scheme(corpus)
    fold = np.repeat(document_folds(len(tags.lengths), folds, settings.seed), tags.lengths)
    features = window_features(words, settings)
    logits = np.empty((len(tags.codes), len(tags.names)))
    for number in range(folds):
        held_out = fold == number
        tagger = LinearTagger(settings, len(tags.names)).fit(features[~held_out], tags.codes[~held_out])
        logits[held_out] = tagger.logits(features[held_out])
    trained_on = f"the other sentences ({folds}-fold cross-validation)"
    return HeldOut(corpus.source, trained_on, tags, logits, tags.names)


def trained(train: DocumentFile, dev: DocumentFile, settings: TaggerSettings) -> HeldOut:
    """Compute the logits of one file by a tagger that was trained on another."""
    tags, references = _in_scheme(train), _in_scheme(dev)
    tagger = LinearTagger(settings, len(tags.names)).fit(window_features(_words(train), settings), tags.codes)
    logits = tagger.logits(window_features(_words(dev), settings))
    return HeldOut(dev.source, f"{train.source} ({_size(tags)})", references, logits, tags.names)


def decode_in_every_way(
    held_out: HeldOut, settings: TaggerSettings, measures: tuple[AlignedMeasure, ...], resamples: int
) -> DecodingResult:
    """Score all ways of decoding the logits."""
    tags, best = held_out.references, held_out.logits.argmax(axis=1)
    logits = np.split(held_out.logits, tags.offsets[1:-1])
    spread = policy_spread(tags, logits=logits, labels=held_out.labels, scheme=SCHEME, measures=measures)
    sides = [
        Spans.from_tags(tags, scheme=SCHEME),
        *(
            Spans.from_tags(Tags(path, held_out.labels, tags.offsets), scheme=SCHEME, repair=DEFAULT)
            for path in (np.concatenate(viterbi.decode(logits, held_out.labels, scheme=SCHEME)), best)
        ),
    ]
    labels = tuple(sorted({label for spans in sides for label in spans.labels}))
    references, *decoded = (spans.with_labels(labels) for spans in sides)
    pair = [Alignment(references, spans) for spans in decoded]
    right = np.array(held_out.labels, dtype=object)[best] == np.array(tags.names, dtype=object)[tags.codes]
    return DecodingResult(
        held_out,
        settings,
        float(right.mean()) if len(right) else math.nan,
        measures,
        spread,
        {measure.name: _difference(measure, pair, resamples, settings.seed) for measure in measures},
    )


def rivals_of(found: MeasureSpread) -> dict[str, float]:
    """Return the ways that score no less than Viterbi, with their scores: it wins if there are none."""
    ways = {
        _BEST: found.best,
        **{f"argmax with {policy}": score for policy, score in found.named.items()},
        **{_LOGIT_WAYS[way]: score for way, score in found.from_logits.items() if way != "viterbi"},
    }
    return {way: score for way, score in ways.items() if score >= found.from_logits["viterbi"]}


def _verdict(name: str, found: MeasureSpread, difference: Difference) -> Iterator[str]:
    """Say what the numbers of one measure show."""
    score, rivals = found.from_logits["viterbi"], rivals_of(found)
    below = f"{int((found.scores < score).sum()):,} of {len(found.scores):,}"
    what = f"{name} {found.key} {score:.4f}"
    if not rivals:
        yield (
            f"Viterbi wins: {what} is above all {len(found.scores):,} repair policies (best {found.best:.4f}), "
            f"greedy ({found.from_logits['greedy']:.4f}, from guessed starts "
            f"{found.from_logits['greedy_from_starts']:.4f}) and by score ({found.from_logits['by_score']:.4f})."
        )
    elif list(rivals) == [_BEST]:
        yield (
            f"Viterbi wins against every way that has a name, not against the grid's best: {what} is above {below} "
            f"repair policies; the best ({found.best:.4f}) can only be picked with the reference in hand."
        )
    else:
        listed = ", ".join(f"{way} ({value:.4f})" for way, value in rivals.items())
        yield f"Viterbi does not win: {what} is not above {listed}; it is above {below} repair policies."
    yield (
        f"Against {DEFAULT} that is {100 * difference.value:+.2f} points, {_LEVEL:.0%} interval "
        f"{100 * difference.low:+.2f} to {100 * difference.high:+.2f}: "
        + ("more than chance among sentences." if difference.is_sure else "too few sentences to tell the two apart.")
    )
    yield (
        f"The repair policy alone moves the score by {100 * (found.best - found.worst):.2f} points "
        f"({found.worst:.4f} to {found.best:.4f})."
    )


def _difference(measure: AlignedMeasure, pair: Sequence[Alignment], resamples: int, seed: int) -> Difference:
    """Subtract the default policy from Viterbi, both scored on the same documents, drawn with replacement."""
    counts = [measure.count(alignment) for alignment in pair]
    documents, generator = counts[0].documents, np.random.default_rng(seed)
    weights = [np.ones(documents, dtype=np.int64)] + [
        np.bincount(generator.integers(documents, size=documents), minlength=documents) for _ in range(resamples)
    ]
    scores = [measure.score_totals(side.weighted(np.array(weights)))[measure.headline] for side in counts]
    differences = scores[0] - scores[1]
    return Difference(float(differences[0]), *Estimate(differences[0], differences[1:]).interval(_LEVEL), resamples)


def _in_scheme(corpus: DocumentFile) -> Tags:
    """Return the tags of a file in `SCHEME`; an `InputError` names file and line if they cannot be read."""
    return Tags.from_lists(corpus.decoded().spans.to_tags(SCHEME))


def _words(corpus: DocumentFile) -> Tags:
    if corpus.words is None:
        remedy = "The tagger needs words: one token a line, word and tag."
        raise InputError("the file has no words.", remedy, source=corpus.source)
    return corpus.words


def _read(path: str | os.PathLike[str], column: Column) -> DocumentFile:
    return read(path, columns=[column], words=True, name=os.path.basename(path))


def _read_example() -> DocumentFile:
    with resources.as_file(resources.files("spanometer") / "data" / "example.conll") as path:
        return read(path, columns=["reference"], words=True, name="the example corpus")


def _size(tags: Tags) -> str:
    return f"{counted(len(tags.lengths), 'sentence')}, {counted(len(tags.codes), 'token')}"


def main(argv: Sequence[str] | None = None) -> int:
    """Run the experiment from the command line; see the module."""
    options = _parser().parse_args(argv)
    try:
        if options.plot is not None:
            # complain before the training, not after it
            require_format(options.plot)
        result = run(
            options.train,
            options.dev,
            column=options.column,
            folds=options.folds,
            settings=TaggerSettings(seed=options.seed, epochs=options.epochs),
        )
        if options.plot is not None:
            plot(result, options.plot)
    except InputError as error:
        print(f"spanometer: {printable(' '.join(str(error).split()))}", file=sys.stderr)
        return _BAD_INPUT
    print(json.dumps(result.to_dict(), indent=2, allow_nan=False) if options.json else result.to_markdown())
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m experiments.decoding",
        description="Train a linear tagger, decode its logits over held-out text in every way, and score each.",
        epilog="Without --train: five-fold cross-validation on the example corpus. Needs scikit-learn, the extra "
        "'experiments'.",
        allow_abbrev=False,
    )
    defaults = TaggerSettings()
    parser.add_argument("--train", metavar="FILE", help="tag file with words to train on; alone: cross-validated")
    parser.add_argument("--dev", metavar="FILE", help="tag file to decode")
    parser.add_argument("--column", metavar="COLUMN", help="tag column, number or name; the last by default")
    parser.add_argument("--folds", metavar="N", type=int, default=5, help="of the cross-validation (default: 5)")
    parser.add_argument("--seed", metavar="N", type=int, default=defaults.seed, help="(default: %(default)s)")
    parser.add_argument(
        "--epochs", metavar="N", type=int, default=defaults.epochs, help="passes of training (default: %(default)s)"
    )
    parser.add_argument("--plot", metavar="FILE.png", help="also draw the scores of all policies")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of the tables")
    return parser


def plot(result: DecodingResult, path: str) -> None:
    """Draw the distribution of the first measure's scores over the grid, the named ways marked; see `plots`."""
    from spanometer.plots import plot_spread

    name = result.measures[0].name
    plot_spread(replace(result.spread, measures={name: result.spread.measures[name]}), path)


if __name__ == "__main__":
    raise SystemExit(main())

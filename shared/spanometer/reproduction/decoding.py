"""What is decoding worth? Every repair of a tagger's best tags, against the best legal path through its logits.

    python -m spanometer.reproduction.decoding [--train FILE --dev FILE] [--plot FILE.png] [--json]

A small linear tagger (`tagger`) is trained, its logits over held-out text are decoded in every way that the package
knows: each token's best tag under all repair policies, the named ones among them, left to right under the constraint,
by score, and by Viterbi. Nothing is assumed about what comes out of it: the sentence at the end is written from the
numbers.
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

from ..alignment.overlaps import Alignment
from ..analysis.spread import MeasureSpread, PolicySpread, policy_spread
from ..counts.counts import Counts
from ..errors import InputError, printable
from ..measures import AlignedMeasure, Bcubed, IntersectionF, LinkF, SlIcm, SpanF, TokenF
from ..measures.signature import signature
from ..readers import Column, TagFile, read
from ..spans.spans import Spans
from ..tags import viterbi
from ..tags.tags import Tags
from .tagger import LinearTagger, TaggerSettings, document_folds, split_by_document, window_features

SCHEME = "IOBES"
"""The scheme that the tagger learns, whatever that of the files."""

DEFAULT = "conlleval"
"""The policy that Viterbi is compared with beyond the table: seqeval's, and what nearly everybody reports."""

MEASURES: tuple[AlignedMeasure, ...] = (SpanF(), TokenF(), LinkF(), Bcubed(), IntersectionF(), SlIcm())
"""The tag measures of the table: those that need nothing but tags, and whose counts of parts add up."""

_LEVEL = 0.95

_LOGIT_WAYS = {"greedy": "greedy, left to right", "by_score": "by score", "viterbi": "Viterbi"}
_BEST = "the best policy of the grid"

_BAD_INPUT = 2


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Text that a tagger has not seen, and what it makes of it.

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
        """Whether the interval excludes 0."""
        return self.low > 0 or self.high < 0


@dataclass(frozen=True)
class Row:
    """One way of decoding.

    Attributes:
        way: what it is called.
        scores: the score by each measure, by the measure's name.
        reading: what a signature says of it; None for the mean, which is no one reading.
    """

    way: str
    scores: Mapping[str, float]
    reading: Mapping[str, str] | None


@dataclass(frozen=True, eq=False)
class DecodingResult:
    """What the experiment found.

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
        """The table: named policies, the grid's best, worst and mean, then what reads the logits."""
        spreads = self.spread.measures
        first = next(iter(spreads.values()))
        policies = [f"argmax, {policy}" for policy in first.named]
        rows = [
            Row(way, {name: found.named[policy] for name, found in spreads.items()}, _reading("argmax", policy))
            for way, policy in zip(policies, first.named, strict=True)
        ]
        size = f"of {len(self.spread.grid):,} policies"
        best, worst = int(np.nanargmax(first.scores)), int(np.nanargmin(first.scores))
        rows.append(Row(f"argmax, best {size}", _each(spreads, "best"), self._policy(best)))
        rows.append(Row(f"argmax, worst {size}", _each(spreads, "worst"), self._policy(worst)))
        rows.append(Row(f"argmax, mean {size}", _each(spreads, "mean"), None))
        return [
            *rows,
            *(
                Row(text, {name: found.from_logits[way] for name, found in spreads.items()}, _reading(way))
                for way, text in _LOGIT_WAYS.items()
            ),
        ]

    @property
    def statement(self) -> str:
        """Whether Viterbi wins, by the first measure in full, by the others in a word; written from the numbers."""
        if self.spread.illegal == 0:
            return "The best tags make no illegal pair: there is nothing to repair, and Viterbi finds the same path."
        name = self.measures[0].name
        sentences = [*_verdict(name, self.spread.measures[name], self.differences[name])]
        others = [measure.name for measure in self.measures[1:]]
        won = [other for other in others if not rivals_of(self.spread.measures[other])]
        lost = [other for other in others if other not in won]
        if won:
            sentences.append(
                f"Viterbi wins {'' if rivals_of(self.spread.measures[name]) else 'also '}by {', '.join(won)}."
            )
        if lost:
            sentences.append(f"Something does as well or better by {', '.join(lost)}.")
        unsure = [other for other in others if not self.differences[other].is_sure]
        if unsure:
            sentences.append(f"By {', '.join(unsure)} the interval of the difference to {DEFAULT} includes 0.")
        return " ".join(sentences)

    def to_markdown(self) -> str:
        """The whole result as Markdown."""
        tags = self.held_out.references
        names = [measure.name for measure in self.measures]
        lines = [
            f"Held-out text: {self.held_out.corpus}; {_count(len(tags.lengths), 'sentence')}, "
            f"{_count(len(tags.codes), 'token')}, {len(self.held_out.labels)} tags ({SCHEME}).",
            f"Tagger: linear, trained on {self.held_out.trained_on}; seed {self.settings.seed}; "
            f"{self.accuracy:.2%} of its best tags are right.",
            f"Illegal pairs: {self.spread.illegal:,} in {_count(len(self.spread.affected), 'sentence')} "
            f"({len(self.spread.affected) / max(len(tags.lengths), 1):.1%}).",
            "",
            *_table(
                ("", *(f"{measure.name} {measure.headline}" for measure in self.measures)),
                [(row.way, *(f"{row.scores[name]:.4f}" for name in names)) for row in self.rows],
            ),
            "",
            f"Viterbi less {DEFAULT}, with the {_LEVEL:.0%} interval over resampled sentences:",
            "",
            *_table(
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
            *(f"- `{self.signature(row)}`" for row in self.rows if row.reading is not None),
        ]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Built-in types only, ready for JSON; NaN, which JSON lacks, becomes None."""
        tags = self.held_out.references
        return {
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
            "rows": [
                {
                    "way": row.way,
                    "scores": {name: _plain(value) for name, value in row.scores.items()},
                    "signature": None if row.reading is None else self.signature(row),
                }
                for row in self.rows
            ],
            "differences": {
                name: {key: _plain(value) for key, value in asdict(found).items()}
                for name, found in self.differences.items()
            },
            "viterbi_wins": {name: not rivals_of(found) for name, found in self.spread.measures.items()},
            "statement": self.statement,
        }

    def signature(self, row: Row) -> str:
        """The signature of a row's score by the first measure; the best and the worst policies are those by it."""
        return signature(self.measures[0], row.reading or {})

    def _policy(self, policy: int) -> dict[str, str]:
        return _reading("argmax", ",".join(self.spread.grid.describe(policy).values()))


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
    """The experiment.

    Args:
        train, dev: tag files with words. Without both, the package's example corpus; without `dev`, every document of
            `train` is held out once, in cross-validation.
        column: the column of the tags, see `readers.read`.
        folds: of the cross-validation.
        settings: of the tagger.
        measures: the measures to score with; by default all whose counts add up over documents.
        resamples: how often documents are drawn for the intervals.

    Raises:
        InputError: for files that cannot be read or have no words, for corpora without spans, and where scikit-learn is
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


def cross_validated(corpus: TagFile, folds: int, settings: TaggerSettings) -> HeldOut:
    """The logits of each fold of documents from a tagger that was trained on the others."""
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


def trained(train: TagFile, dev: TagFile, settings: TaggerSettings) -> HeldOut:
    """The logits of one file from a tagger that was trained on another."""
    tags, references = _in_scheme(train), _in_scheme(dev)
    features = window_features(_words(train), settings)
    tagger = LinearTagger(settings, len(tags.names)).fit(features, tags.codes)
    logits = tagger.logits(window_features(_words(dev), settings))
    size = f"{_count(len(tags.lengths), 'sentence')}, {_count(len(tags.codes), 'token')}"
    return HeldOut(dev.source, f"{train.source} ({size})", references, logits, tags.names)


def decode_in_every_way(
    held_out: HeldOut, settings: TaggerSettings, measures: tuple[AlignedMeasure, ...], resamples: int
) -> DecodingResult:
    """Score all ways of decoding the logits."""
    tags = held_out.references
    logits = split_by_document(held_out.logits, tags.offsets)
    spread = policy_spread(tags, logits=logits, labels=held_out.labels, scheme=SCHEME, measures=measures)
    paths = viterbi.decode(list(logits), held_out.labels, scheme=SCHEME)
    sides = {
        "references": Spans.from_tags(tags, scheme=SCHEME),
        DEFAULT: _spans(held_out, held_out.logits.argmax(axis=1)),
        "viterbi": _spans(held_out, np.concatenate([*paths, np.zeros(0, dtype=np.int64)])),
    }
    labels = tuple(sorted({label for spans in sides.values() for label in spans.labels}))
    aligned = {
        name: Alignment(sides["references"].with_labels(labels), sides[name].with_labels(labels))
        for name in (DEFAULT, "viterbi")
    }
    best = np.array(held_out.labels, dtype=object)[held_out.logits.argmax(axis=1)]
    right = best == np.array(tags.names, dtype=object)[tags.codes]
    return DecodingResult(
        held_out,
        settings,
        float(right.mean()) if len(right) else math.nan,
        measures,
        spread,
        {measure.name: _difference(measure, aligned, resamples, settings.seed) for measure in measures},
    )


def rivals_of(found: MeasureSpread) -> dict[str, float]:
    """The ways that score no less than Viterbi, with their scores: it wins where there are none."""
    ways = {
        _BEST: found.best,
        **{f"argmax with {policy}": score for policy, score in found.named.items()},
        **{_LOGIT_WAYS[way]: score for way, score in found.from_logits.items() if way != "viterbi"},
    }
    return {way: score for way, score in ways.items() if score >= found.from_logits["viterbi"]}


def _verdict(name: str, found: MeasureSpread, difference: Difference) -> Iterator[str]:
    """What the numbers of one measure say."""
    score, rivals = found.from_logits["viterbi"], rivals_of(found)
    below = f"{int((found.scores < score).sum()):,} of {len(found.scores):,}"
    what = f"{name} {found.key} {score:.4f}"
    if not rivals:
        yield (
            f"Viterbi wins: {what} is above all {len(found.scores):,} repair policies (best {found.best:.4f}), "
            f"greedy ({found.from_logits['greedy']:.4f}) and by score ({found.from_logits['by_score']:.4f})."
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


def _difference(measure: AlignedMeasure, aligned: Mapping[str, Alignment], resamples: int, seed: int) -> Difference:
    """Viterbi less the default policy, both scored on the same documents, drawn with replacement."""
    sides = [_per_document(measure.count(aligned[name])) for name in ("viterbi", DEFAULT)]
    documents = aligned[DEFAULT].documents

    def difference(weights: np.ndarray) -> float:
        totals = [{name: weights @ counts for name, counts in side.items()} for side in sides]
        viterbi_score, default_score = (measure.score_totals(total)[measure.headline] for total in totals)
        return float(viterbi_score - default_score)

    generator = np.random.default_rng(seed)
    drawn = (np.bincount(generator.integers(documents, size=documents), minlength=documents) for _ in range(resamples))
    differences = [difference(weights) for weights in drawn]
    tail = (1 - _LEVEL) / 2
    low, high = np.quantile(differences, [tail, 1 - tail]).tolist() if differences else (math.nan, math.nan)
    return Difference(difference(np.ones(documents, dtype=np.int64)), low, high, resamples)


def _per_document(counts: Counts) -> dict[str, np.ndarray]:
    """The counts by document and label, shape (documents, labels)."""
    if not isinstance(counts, Counts):
        raise InputError(
            "a measure whose counts of parts do not add up cannot be resampled.", "Ask for other measures."
        )
    return {name: column.per_document(counts.documents, len(counts.labels)) for name, column in counts.columns.items()}


def _spans(held_out: HeldOut, path: np.ndarray) -> Spans:
    """The spans of one tag for each token, read as `DEFAULT` does."""
    return Spans.from_tags(Tags(path, held_out.labels, held_out.references.offsets), scheme=SCHEME, repair=DEFAULT)


def _in_scheme(corpus: TagFile) -> Tags:
    """The tags of a file in `SCHEME`; an `InputError` that names file and line where they cannot be read."""
    try:
        return Tags.from_lists(Spans.from_tags(corpus.tags[0]).to_tags(SCHEME))
    except InputError as error:
        raise corpus.locate(error) from None


def _words(corpus: TagFile) -> Tags:
    if corpus.words is None:
        raise InputError("the file has no words.", "The tagger needs words: one token a line, word and tag.").at(
            corpus.source
        )
    return corpus.words


def _read(path: str | os.PathLike[str], column: Column) -> TagFile:
    return read(path, columns=[column], words=True, name=os.path.basename(path))


def _read_example() -> TagFile:
    with resources.as_file(resources.files("spanometer") / "data" / "example.conll") as path:
        return read(path, columns=["reference"], words=True, name="the example corpus")


def _reading(decode: str, repair: str = DEFAULT) -> dict[str, str]:
    """What a signature says of how the logits became spans."""
    return {"scheme": SCHEME, "repair": repair, "decode": decode}


def _each(spreads: Mapping[str, MeasureSpread], key: str) -> dict[str, float]:
    return {name: getattr(found, key) for name, found in spreads.items()}


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A Markdown table that is also easy to read as it stands; all columns but the first are numbers."""
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]

    def line(cells: Sequence[str]) -> str:
        padded = [cells[0].ljust(widths[0]), *map(str.rjust, cells[1:], widths[1:])]
        return f"| {' | '.join(padded)} |"

    rule = f"|{'-' * (widths[0] + 2)}|{''.join('-' * (width + 1) + ':|' for width in widths[1:])}"
    return [line(header), rule, *map(line, rows)]


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _plain(value: float) -> float | None:
    return None if isinstance(value, float) and math.isnan(value) else value


def main(argv: Sequence[str] | None = None) -> int:
    """Run the experiment from the command line; see the module."""
    options = _parser().parse_args(argv)
    try:
        if options.plot is not None:
            _require_plot(options.plot)
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
        prog="python -m spanometer.reproduction.decoding",
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
    parser.add_argument("--json", action="store_true", help="one JSON object in place of the tables")
    return parser


def _require_plot(path: str) -> None:
    """Complain before the training, not behind it, where no picture can be written."""
    from ..plots.charts import require_format

    require_format(path)


def plot(result: DecodingResult, path: str) -> None:
    """Draw the distribution of the first measure's scores over the grid, the named ways marked; see `plots`."""
    from ..plots.charts import plot_spread

    name = result.measures[0].name
    plot_spread(replace(result.spread, measures={name: result.spread.measures[name]}), path)


if __name__ == "__main__":
    raise SystemExit(main())

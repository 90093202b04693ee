"""Increasing monotonicity on any corpus: the costs of each further lost token, and of each further wrong one.

    python -m experiments.monotonicity FILE [FILE ...] [--column COLUMN] [--outside TAG] [--json]

The SL-ICM paper calls these overlap and noise *increasing monotonicity*: of two outputs that lose as many tokens of the
reference, the one that loses them evenly, two here and two there, is better than one that loses one here and three
there; of two that add as many tokens, the one that adds them unevenly is better. Here the reference itself is
transformed (`transformations`): all spans of four and more tokens lose their last token, two, three; all spans with
three free tokens after them get one, two, three.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from spanometer.analysis.transformations.transformations import Extend, Truncate
from spanometer.exceptions import InputError, counted, printable
from spanometer.measures import Bcubed, IntersectionF, LinkF, SlIcm, SpanF, TokenF
from spanometer.measures.aligned import AlignedMeasure
from spanometer.readers.columns.reading import read
from spanometer.spans.spans import Spans, in_order

MEASURES: dict[str, AlignedMeasure] = {
    "span_f": SpanF(),
    "token_f_IO": TokenF(),
    "token_f_BIOE": TokenF(format="BIOE"),
    "link_f": LinkF(),
    "bcubed": Bcubed(),
    "intersection_f": IntersectionF(cap=True),
    "sl_icm_norm": SlIcm(),
}
"""The columns of Table 4."""

STEPS = (1, 2, 3)
"""How many tokens are lost or added."""

_EPSILON = 1e-9
"""Scores that differ by no more are equal."""

_BAD_INPUT = 2


@dataclass(frozen=True)
class Costs:
    """Costs of a growing error by one measure.

    Attributes:
        measure: its name in `MEASURES`.
        first, second, third: how much the first, second and third token (of each touched span) take from the score.
        even: the score if each of an even number of the spans errs by two tokens.
        uneven: the score if they err by one and three in turn; counts of both turns are added up, so that nothing
            depends on which spans err by three.
    """

    measure: str
    first: float
    second: float
    third: float
    even: float
    uneven: float

    @property
    def trend(self) -> str:
        """Tell whether each further token costs more or less: `rising`, `falling`, `level` or `mixed`."""
        signs = {_sign(self.second - self.first), _sign(self.third - self.second)}
        return "mixed" if len(signs) > 1 else {1: "rising", -1: "falling", 0: "level"}[signs.pop()]

    @property
    def better(self) -> str:
        """Tell what scores better at the same number of tokens: `even`, `uneven` or `neither`."""
        return {1: "even", -1: "uneven", 0: "neither"}[_sign(self.even - self.uneven)]


def _sign(difference: float) -> int:
    return (difference > _EPSILON) - (difference < -_EPSILON)


@dataclass(frozen=True)
class Monotonicity:
    """Increasing monotonicity on one corpus.

    Attributes:
        corpus: what the corpus is called.
        documents, spans: its size.
        truncated, extended: how many spans lose or get tokens.
        truncation, extension: the costs by each measure. It has overlap increasing monotonicity if even truncation is
            better than uneven, and noise increasing monotonicity if uneven extension is better.
    """

    corpus: str
    documents: int
    spans: int
    truncated: int
    extended: int
    truncation: tuple[Costs, ...]
    extension: tuple[Costs, ...]

    def to_dict(self) -> dict[str, Any]:
        """Convert to built-in types, ready for JSON."""
        entry = asdict(self)
        for name in ("truncation", "extension"):
            entry[name] = [{**asdict(costs), "better": costs.better} for costs in getattr(self, name)]
        return entry

    def to_markdown(self) -> str:
        """Write two tables; costs in points of 100."""
        lines = [f"{self.corpus}: {counted(self.spans, 'span')} in {counted(self.documents, 'document')}."]
        for name, touched, series, wanted in (
            ("lost", self.truncated, self.truncation, "even"),
            ("added", self.extended, self.extension, "uneven"),
        ):
            head = f"token {name} ({counted(touched, 'span')}) | first | second | third | even | uneven"
            lines += ["", f"| {head} | {wanted} is better |", "|---|---:|---:|---:|---:|---:|---|"]
            for costs in series:
                values = (costs.first, costs.second, costs.third, costs.even, costs.uneven)
                verdict = {wanted: "yes", "neither": "equal"}.get(costs.better, "**no**")
                lines.append(
                    f"| {costs.measure} | {' | '.join(f'{100 * value:.3f}' for value in values)} | {verdict} |"
                )
        return "\n".join(lines)


def run(spans: Spans, corpus: str, measures: Mapping[str, AlignedMeasure] = MEASURES) -> Monotonicity:
    """Transform a reference and score the results.

    Args:
        spans: the reference; no two of its spans overlap, as they come from tags.
        corpus: what it is called.
        measures: the measures by name.

    Raises:
        InputError: if the documents' lengths are not known, and for discontinuous spans.
    """
    shortened = Truncate(tokens=max(STEPS), shortest=max(STEPS) + 1)(spans).spans.end != spans.end
    lengthened = Extend(tokens=max(STEPS))(spans).spans.end != spans.end
    truncation = tuple(costs(spans, shortened, -1, name, measure) for name, measure in measures.items())
    extension = tuple(costs(spans, lengthened, 1, name, measure) for name, measure in measures.items())
    sizes = (spans.documents, len(spans), int(shortened.sum()), int(lengthened.sum()))
    return Monotonicity(corpus, *sizes, truncation, extension)


def costs(spans: Spans, chosen: np.ndarray, direction: int, name: str, measure: AlignedMeasure) -> Costs:
    """Compute what it costs if the ends of chosen spans move by one, two, three tokens, evenly and unevenly.

    Args:
        spans: the reference.
        chosen: flags of the spans that move.
        direction: -1 truncates, 1 extends.
        name: what the measure is called.
        measure: the measure.
    """

    def totals(by: np.ndarray) -> Mapping[str, np.ndarray]:
        return measure.counts(spans, ends_moved(spans, by)).per_label()

    def score(*parts: Mapping[str, np.ndarray]) -> float:
        added = {key: np.sum([part[key] for part in parts], axis=0) for key in parts[0]}
        return float(measure.score_totals(added)[measure.headline])

    by = direction * chosen.astype(np.int32)
    first, second, third = (
        before - after for before, after in pairwise(score(totals(by * step)) for step in (0, *STEPS))
    )
    rank = np.cumsum(chosen)
    paired = by * (rank <= rank.max(initial=0) // 2 * 2)
    turns = (totals(paired * np.where(rank % 2 == turn, 3, 1)) for turn in (0, 1))
    return Costs(name, first, second, third, score(totals(2 * paired)), score(*turns))


def ends_moved(spans: Spans, by: np.ndarray) -> Spans:
    """Move the ends of spans, wherever that is."""
    return in_order(replace(spans, end=(spans.end + by).astype(np.int32)))


def main(argv: Sequence[str] | None = None) -> int:
    """Run the experiment from the command line; see the module."""
    options = _parser().parse_args(argv)
    try:
        found = [_of_file(path, options) for path in options.files]
    except InputError as error:
        print(f"spanometer: {printable(' '.join(str(error).split()))}", file=sys.stderr)
        return _BAD_INPUT
    if options.json:
        print(json.dumps([result.to_dict() for result in found], indent=2, allow_nan=False))
    else:
        print("\n\n".join(result.to_markdown() for result in found))
    return 0


def _of_file(path: str, options: argparse.Namespace) -> Monotonicity:
    file = read(path, columns=[options.column], documents=options.documents, outside=options.outside)
    return run(file.decoded(scheme=options.scheme).spans, os.path.basename(path))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m experiments.monotonicity",
        description="Let the spans of a reference lose and get one, two, three tokens, and score the results.",
        allow_abbrev=False,
    )
    parser.add_argument("files", metavar="FILE", nargs="+", help="tag file")
    parser.add_argument("--column", metavar="COLUMN", help="tag column, number or name; the last by default")
    parser.add_argument("--documents", metavar="KEY", help="the comment '# KEY = ...' that begins a document")
    parser.add_argument("--outside", metavar="TAG", help="read TAG as O")
    parser.add_argument("--scheme", metavar="SCHEME", type=str.upper, help="inferred from the prefixes by default")
    parser.add_argument("--json", action="store_true", help="JSON instead of the tables")
    return parser


if __name__ == "__main__":
    raise SystemExit(main())

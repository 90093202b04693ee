"""F1 corrected for chance agreement."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..alignment.overlaps import Alignment, SideSpans, coverage, token_codes
from ..arrays import ordered_codes, ranked, run_bounds
from ..counts.counts import Column, Counts
from ..counts.statistics import MOST_DRAWS, divide, precision_recall_f1, require_bounded
from ..exceptions import InputError, setting
from ..options import option
from .aligned import AlignedMeasure
from .base import Key, zero_division_option
from .placement import Cases, Placement, place, require_placeable, sample
from .start_probabilities import work

_DRAWN_AT_ONCE = 1 << 22
"""The approximate maximum number of values in memory during a simulation."""

MOST_TOKENS_DRAWN = 2_000_000_000
"""The maximum number of tokens in all simulations, which take about ten minutes."""

_MOST_SIMULATED = 1 << 27
"""The maximum number of simulated values (simulations times labels), which take 1 GiB."""


@dataclass(frozen=True, eq=False)
class ChanceCounts(Counts):
    """The counts of `ChanceKappaF1`, with simulated values that are not written to tables or bytes.

    Attributes:
        simulated: the agreement of random annotations, float64, shape (simulations, labels); None without simulations.
    """

    simulated: np.ndarray | None = None


class ChanceKappaF1(AlignedMeasure):
    """Compute F1, F1 expected by chance, and F1 corrected for chance (Li et al. 2024).

    Chance places the spans of each annotator and label at random in their document, keeping their number and lengths,
    see `placement`. Let `both` be the agreement, and `predicted` and `reference` the sizes of the two sides, summed
    over documents and labels:

        f1 = 2 both / (predicted + reference)
        chance_f1 = 2 E[both] / (predicted + reference)
        kappa_f1 = (f1 - chance_f1) / (1 - chance_f1)

    The size of a side is its agreement with itself: the tokens (or the number) of its spans, plus the tokens shared by
    overlapping spans of a label.

    f1 is in [0, 1], higher is better. kappa_f1 is at most 1: 1 means identical annotations, 0 the level of chance. With
    `disjoint` chance_f1 is the exact expectation of F1, in [0, 1]. With other placements, and with the method
    `uniform`, random spans may overlap more than observed ones, so chance_f1 can exceed 1. Then `notes` warns, and
    kappa_f1 is 1 for identical annotations and `zero_division` for all others. If there are no spans, all
    scores are `zero_division`. Documents without spans do not change any score.

    Each of the `n_simulations` is a pair of random annotations of the corpus. `chance_f1_std` is the standard deviation
    of their F1, and the one-sided `p_value` is (1 + number of draws with at least the observed F1) / (1 + number of
    draws).

    Attributes:
        level: `token`: agreement is the number of tokens that spans of a label share. `span`: agreement is the number
            of equal spans. Sizes have the same unit.
        placement: `disjoint`: spans of a label never overlap, and all arrangements are equally likely. `independent`:
            each span can be anywhere; tokens shared by two spans count once for each pair of spans. `layers`: for
            nested spans; each nesting depth is placed separately as `disjoint`, and tokens count as with `independent`.
        method: `exact`; `uniform`: all positions of a span have the same probability, the approximation of the paper's
            appendix; `auto`: uniform if (n - a + k) / (n - a_i + 1) exceeds `uniform_threshold`, otherwise exact. n is
            the number of tokens in the document, k the number of spans, a their total length and a_i the length of the
            span.
        uniform_threshold: with method=auto, use the approximation only if its accuracy exceeds this value.
        n_simulations: number of random annotations for computing chance_f1_std (standard deviation of F1 by chance) and
            p_value. With 0, these two scores are left out.
        seed: the seed of the simulations.
        zero_division: value of undefined scores.

    Counts: `both`, `expected`, `predicted`, `reference` (tokens or spans, see `level`), `reference_spans`.

    Raises:
        InputError: if document lengths are unknown, if spans are discontinuous, or if spans do not fit the placement:
            overlapping spans with `disjoint`, crossing spans with `layers`, spans longer than their document.
    """

    level: str = option(
        "token", help="unit of agreement", choices={"token": "", "span": "only equal spans agree"}, label="Level"
    )
    placement: str = option(
        "disjoint",
        help="how random spans of a label are placed",
        choices={
            "disjoint": "without overlap",
            "independent": "anywhere",
            "layers": "nested; spans of the same depth do not overlap",
        },
        label="Random placement",
    )
    method: str = option(
        "exact",
        help="how to compute the expected F1",
        choices={
            "exact": "without approximation",
            "uniform": "an approximation, in which all positions have the same probability",
            "auto": "uniform where its error is small, otherwise exact",
        },
        label="Method",
    )
    uniform_threshold: float = option(0.99, low=0, high=1, only_with={"method": ("auto",)})
    n_simulations: int = option(0, low=0, high=MOST_DRAWS, label="Simulated annotations", span=(0, 1000))
    seed: int = option(0, help="seed for simulations and confidence intervals", low=0)

    zero_division: float = zero_division_option()

    name = "chance_kappa_f1"
    detail_keys = (*AlignedMeasure.detail_keys, "notes", "per_document")
    place = 70
    results: ClassVar[Mapping[str, Key]] = {
        "f1": Key("F1", "observed F1"),
        "chance_f1": Key("F1 by chance", "expected F1 of randomly placed spans", "[0, ∞)", ""),
        "kappa_f1": Key("F1 beyond chance", "F1 corrected for chance (chance level: 0)", "(-∞, 1]"),
    }
    headline = "kappa_f1"
    counts_type = ChanceCounts

    def options(self) -> dict[str, Any]:
        """Return the options for the signature; the seed is included only if it has an effect."""
        options = super().options()
        if not self.n_simulations:
            del options["n_simulations"], options["seed"]
        return options

    def require_additive(self) -> None:
        """Raise an `InputError` if there are simulations, because simulations of parts are not independent."""
        if self.n_simulations:
            problem = "simulations cannot be summed over several parts of a corpus."
            raise InputError(problem, f"Set {setting('n_simulations', 0)}.")

    @property
    def needs(self) -> frozenset[str]:
        """The conditions on spans, see `Measure.needs`."""
        return frozenset(("lengths", "contiguous", *(("disjoint",) if self.placement == "disjoint" else ())))

    def _count(self, alignment: Alignment) -> ChanceCounts:
        """Count observed and expected agreement for each document and label."""
        references, predictions = alignment.references, alignment.predictions
        cases = self.cases(alignment)
        _, example, of_place = np.unique(ordered_codes(*cases.of_both.T), return_index=True, return_inverse=True)
        pairs, of_place = cases.of_both[example], of_place.ravel()
        if self.level == "span":
            both = references.column(alignment.equal[0])
        else:
            both = references.column(alignment.pairs.reference, alignment.pairs.shared)
        columns = {
            "both": both,
            "expected": Column(cases.document, cases.label, self._expected(cases, pairs)[of_place]),
            "predicted": self._size(predictions),
            "reference": self._size(references),
            "reference_spans": references.column(),
        }
        simulated = self._simulate(cases, pairs, of_place, len(alignment.labels)) if self.n_simulations else None
        return ChanceCounts(columns, alignment.labels, alignment.documents, simulated=simulated)

    def work(self, alignment: Alignment) -> float:
        """Estimate the number of operations for exact chance, see `start_probabilities.work`; 0 for other methods.

        Raises:
            InputError: if the spans do not fit the placement.
        """
        cases = self.cases(self.compared(alignment))
        if self.method == "uniform" or self.placement == "independent":
            return 0.0
        layers = (
            (tokens, np.unique(layer, return_counts=True))
            for tokens, layers in map(cases.describe, np.unique(cases.of_both).tolist())
            for layer in layers
            if len(layer) > 1
        )
        return sum(work(tokens, *lengths) for tokens, lengths in layers)

    def cases(self, alignment: Alignment) -> Cases:
        """Group (document, label) pairs with spans on both sides into equal cases, see `Cases`.

        Raises:
            InputError: if the spans do not fit the placement.
        """
        for name, side in alignment.sides.items():
            require_placeable(alignment, name, side, self.placement)
        return Cases(alignment, self.placement)

    def formula(self, quantities: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Compute `f1`, `chance_f1` and `kappa_f1`."""
        sizes = quantities["predicted"], quantities["reference"]
        f1, chance = (
            precision_recall_f1(agreement, sizes[0], agreement, sizes[1], self.zero_division)["f1"]
            for agreement in (quantities["both"], quantities["expected"])
        )
        return {"f1": f1, "chance_f1": chance, "kappa_f1": self.corrected(f1, chance)}

    def corrected(self, f1: np.ndarray, chance: np.ndarray) -> np.ndarray:
        """Correct F1 for chance: (f1 - chance) / (1 - chance)."""
        f1, chance = np.asarray(f1), np.asarray(chance)
        certain = chance >= 1.0 - 1e-12
        # above 1 there is no scale: only perfect agreement keeps its value
        undefined = certain & ((f1 < 1.0) | (chance <= 1.0 + 1e-12))
        return divide(f1 - chance, np.where(undefined, 0.0, 1.0 - chance), self.zero_division)

    def notes(self, counts: Counts) -> list[str]:
        """List a warning if `chance_f1` is 1 or more, because `kappa_f1` then has no scale."""
        chance = float(self.score_totals(self.totals(counts))["chance_f1"])
        # NaN never reaches the observed value
        if not chance >= 1.0 - 1e-12:
            return []
        if chance <= 1.0 + 1e-12:
            return [
                "chance_f1 is 1: randomly placed spans always agree fully, so kappa_f1 has the value of zero_division."
            ]
        return [
            f"chance_f1 is {chance:.4g}, above 1: with this placement, random spans of a label can overlap, and each "
            "overlap counts. kappa_f1 is 1 for equal annotations; otherwise it has the value of zero_division. To "
            "avoid this, use the placement 'disjoint' with the method 'exact'."
        ]

    def details(self, counts: Counts) -> dict[str, Any]:
        """Compute the values that `details` adds to a result, with the scores of each document (None without spans)."""
        counted = counts.flagged().tolist()
        documents = {
            key: [value if spans else None for value, spans in zip(values.tolist(), counted, strict=True)]
            for key, values in self.score_per_document(counts).items()
        }
        return {**super().details(counts), "notes": self.notes(counts), "per_document": documents}

    def score(self, counts: Counts) -> dict[str, float]:
        """Compute the scores; with simulations also `chance_f1_std` and `p_value`."""
        result = super().score(counts)
        if isinstance(counts, ChanceCounts) and counts.simulated is not None:
            drawn = self.score_totals({**counts.per_label(), "both": counts.simulated})["f1"]
            # equal drawn and observed values may differ in the last bit
            reached = int((drawn >= result["f1"] - 1e-12).sum())
            result["chance_f1_std"] = float(drawn.std())
            result["p_value"] = (1 + reached) / (1 + len(drawn))
        return result

    def _size(self, side: SideSpans) -> Column:
        """Count the agreement of a side with itself."""
        if self.level == "span":
            return side.column()
        return side.column(value=side.size if side.flat else coverage(side, side))

    def _expected(self, cases: Cases, pairs: np.ndarray) -> np.ndarray:
        """Compute the expected agreement of pairs of cases. A placement is cached until its last pair."""
        agreement = Placement.shared_tokens if self.level == "token" else Placement.same_spans
        values, placed = np.empty(len(pairs)), dict[int, Placement]()
        of_few = (self.level, self.of_layer, self.method) == ("token", "disjoint", "exact")
        together = cases.few[pairs].all(axis=1) & of_few
        values[together] = cases.expected_of_few(pairs[together])
        singles = dict(zip(np.flatnonzero(~together).tolist(), pairs[~together].tolist(), strict=True))
        last = {case: number for number, pair in singles.items() for case in pair}
        for number, pair in singles.items():
            placed |= {case: self._place(cases, case) for case in pair if case not in placed}
            values[number] = agreement(*(placed[case] for case in pair))
            for case in {case for case in pair if last[case] == number}:
                del placed[case]
        return values

    def _place(self, cases: Cases, case: int) -> Placement:
        """Compute the random placement of one side's spans in one case."""
        tokens, layers = cases.describe(case)
        options: Any = {"placement": self.of_layer, "method": self.method, "uniform_threshold": self.uniform_threshold}
        first, *layers_below = (place(tokens, lengths, **options) for lengths in layers)
        return sum(layers_below, first)

    @property
    def of_layer(self) -> str:
        """The placement of spans with the same nesting depth."""
        return "independent" if self.placement == "independent" else "disjoint"

    def _simulate(self, cases: Cases, pairs: np.ndarray, of_place: np.ndarray, labels: int) -> np.ndarray:
        """Draw the agreement of random annotations of the whole corpus, shape (simulations, labels)."""
        if self.n_simulations * labels > _MOST_SIMULATED:
            most = setting("n_simulations", _MOST_SIMULATED // labels)
            problem = f"{self.n_simulations:,} simulations of {labels:,} labels need too much memory."
            raise InputError(problem, f"Set {most} or less.", option="n_simulations")
        # a document's spans are drawn for each label on both sides
        tokens = int(cases.tokens[cases.of_both[:, 0]].sum())
        require_bounded("n_simulations", self.n_simulations, tokens, "token", MOST_TOKENS_DRAWN)
        generator = np.random.default_rng(self.seed)
        simulated = np.zeros((self.n_simulations, labels))
        order = np.argsort(of_place, kind="stable")
        for begin, end in zip(*run_bounds(of_place[order]), strict=True):
            members = order[begin:end]
            draws = self.n_simulations * len(members)
            (tokens, first_layers), (_, second_layers) = map(cases.describe, pairs[of_place[members[0]]].tolist())
            layers = first_layers, second_layers
            meetings = math.prod(sum(map(len, side)) for side in layers)
            held = meetings if self.level == "span" else min(meetings, 2 * tokens)
            step = max(1, _DRAWN_AT_ONCE // max(held, tokens))
            for first in range(0, draws, step):
                drawn = np.arange(first, min(first + step, draws))
                sides = [self._drawn(tokens, side, len(drawn), generator) for side in layers]
                shared = shared_of_spans(self.level, *sides)
                agreement = np.bincount(sides[0].document, weights=shared, minlength=len(drawn))
                member, simulation = np.divmod(drawn, self.n_simulations)
                np.add.at(simulated, (simulation, cases.label[members[member]]), agreement)
        return simulated

    def _drawn(self, tokens: int, layers: list[list[int]], draws: int, generator: np.random.Generator) -> SideSpans:
        """Draw random annotations of one side of a case, one drawn document after the other."""
        starts = [sample(tokens, layer, draws, placement=self.of_layer, generator=generator) for layer in layers]
        length = np.tile(np.concatenate(layers), draws)
        draw = np.repeat(np.arange(draws), len(length) // draws)
        first = np.concatenate(starts, axis=1).ravel() + draw * tokens
        return SideSpans(draw, np.zeros_like(draw), first, first + length)


def shared_of_spans(level: str, first: SideSpans, second: SideSpans) -> np.ndarray:
    """Count the tokens of each span that the other side covers, or the equal spans on the other side."""
    if level == "token":
        return coverage(first, second)
    code, distinct = ranked(token_codes(first, second))
    return np.asarray(np.bincount(code[len(first) :], minlength=distinct)[code[: len(first)]])

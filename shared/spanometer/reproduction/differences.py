"""Why some of our values are not the published ones: all that is known, in one place."""

from __future__ import annotations

from dataclasses import dataclass, replace

from .tables import NEAR, Cell, Table


@dataclass(frozen=True)
class KnownDifference:
    """Why a cell is not as published.

    Attributes:
        reason: in words.
        ours: the value of ours that this explains, at the printed precision; None for any.
        near_only: whether it explains only a difference of one unit of the last printed digit.
    """

    reason: str
    ours: float | bool | None = None
    near_only: bool = False

    def explains(self, cell: Cell) -> bool:
        """Return whether it is about such a value."""
        if self.near_only and cell.mark != NEAR:
            return False
        if self.ours is None:
            return True
        if isinstance(self.ours, bool) or isinstance(cell.ours, bool):
            return self.ours is cell.ours
        return abs(cell.ours - self.ours) <= 0.5 * 10.0**-cell.digits + 1e-9


_TRUNCATED = "Printed with four decimals, the rest cut off instead of rounded."
_TWO_GAPS = (
    "The printed value comes out only if the ten appended zeros are a gap of their own beside the gap before them. "
    "By the 1995 formula they are one gap."
)
_ETER_TOTALS = "The printed total does not follow from the counts printed beside it; ours does."
_OTHER_TAGGER = (
    "Another tagger on another corpus: the published output is not public. What can be compared is the order: the "
    "rows of yes and no."
)
_RANKS = (
    "A token's information is divided by its rank, in the order of the text, within the span or intersection: a part "
    "in which a rare word moves up can carry more than the whole. The tick holds for tokens of equal information."
)
_WEIGHTS = (
    "The property counts tokens, SL-ICM weighs them: what is lacking of the longer span, or lies around it, may be the "
    "rarer word. The tick holds for tokens of equal information."
)

KNOWN: dict[tuple[str, str | None, str | None], KnownDifference] = {
    ("sl_icm_table1", "token_f_BIO", "overlap"): KnownDifference(
        "Printed is one row for BIO and BIOE. A part of a span has as many right BIO tags as tokens, or one less where "
        "it begins later, so a smaller part within it never has a higher share; only BIOE lacks the property, whose "
        "tag E ends every part of two tokens or more.",
        ours=True,
    ),
    **{
        ("sl_icm_table1", "sl_icm_words", name): KnownDifference(_RANKS, ours=False)
        for name in ("overlap", "noise", "homogeneity", "completeness")
    },
    **{
        ("sl_icm_table1", "sl_icm_words", name): KnownDifference(_WEIGHTS, ours=False)
        for name in ("length vs captured", "length vs noisy", "overlap increasing", "noise increasing")
    },
    ("sl_icm_table1_any_score", None, None): KnownDifference(
        "An F score that is 0 cannot fall. The tick holds where scores start above 0.", ours=False
    ),
    ("sl_icm_table4", "minimum_overlap", "link_f"): KnownDifference(
        "The rows were found by refitting, see docs/monotonicity.md. Why this one value does not come out is not "
        "known.",
        ours=0.763,
    ),
    ("sl_icm_table4", None, None): KnownDifference(
        "One unit of the last printed digit. The rows were found by refitting, see docs/monotonicity.md; what is left "
        "is not explained.",
        near_only=True,
    ),
    ("sl_icm_table4_lengths", None, None): KnownDifference(
        "Spans have their own lengths here; the paper's code counted each one token too long."
    ),
    (
        "sl_icm_table4_conclusions",
        "Each further lost token costs something (rows -1 to -3)",
        "token_f_BIOE",
    ): KnownDifference(
        "With three of four tokens lost the span is one token, a B without an E, and scores better than with two lost. "
        "Spans that are one token too long never get there.",
        ours=False,
    ),
    (
        "sl_icm_table4_conclusions",
        "Each further token too many costs less (rows +1 to +3)",
        "link_f",
    ): KnownDifference(
        "Row +1 moves other spans than +2 and +3. On the same spans link_f does not have it under either counting.",
        ours=True,
    ),
    ("chance_simulations", "1B", "exp_d"): KnownDifference(_TWO_GAPS, ours=0.0411),
    ("chance_simulations", "1B", "alpha"): KnownDifference(_TWO_GAPS, ours=0.9189),
    ("chance_simulations", "4-annotator2", "obs_f1"): KnownDifference(_TRUNCATED, near_only=True),
    ("chance_simulations", "4-annotator2", "corr_f1"): KnownDifference(_TRUNCATED, near_only=True),
    ("chance_table10", "order kept", "subset 2"): KnownDifference(
        "So it is in the printed figures: A and H, which are 0.0001 apart, change places.", ours=False
    ),
    ("chance_table10", "Flair, chance", "subset 2"): KnownDifference(
        "Another system than the eleven, whose outputs are not public. A chance level hangs on how many spans the "
        "system finds and how long they are, and on where exactly the subsets were cut.",
        ours=0.357,
    ),
    ("eter_table3", "NER-4, both", "SER in %"): KnownDifference(_ETER_TOTALS, ours=36.06),
    ("eter_table3", "NER-5, both", "SER in %"): KnownDifference(_ETER_TOTALS, ours=36.86),
    ("decoding", "policies", "value"): KnownDifference(
        "Our grid has more policies that differ in what they do.", ours=7744
    ),
    **{
        ("decoding", row, "value"): KnownDifference(_OTHER_TAGGER)
        for row in ("illegal pairs", "worst policy", "I and O ignored", "best policy", "Viterbi")
    },
}
"""By table, row and column; None stands for any row or column. The most specific one that explains a value is taken."""


def explained(table: Table) -> Table:
    """Return the table, each cell that is not equal and has no reason yet with the one that is known."""
    cells = (
        replace(cell, reason=_reason(table.name, cell)) if cell.equal is False and cell.reason is None else cell
        for cell in table.cells
    )
    return replace(table, cells=tuple(cells))


def _reason(table: str, cell: Cell) -> str | None:
    places = ((cell.row, cell.column), (cell.row, None), (None, cell.column), (None, None))
    known = (KNOWN.get((table, row, column)) for row, column in places)
    return next((found.reason for found in known if found is not None and found.explains(cell)), None)

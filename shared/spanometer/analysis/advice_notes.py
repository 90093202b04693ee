"""What else to know of a corpus, beside the measure that is advised: sentences for `advice`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import counted

if TYPE_CHECKING:
    from .advice import Statistics, Thresholds

_LISTED = 5
"""At most so many labels are named."""


def above_chance(found: Statistics, thresholds: Thresholds) -> list[str]:
    """Return the labels whose chance level should be corrected for, the highest first."""
    above = [label for label, chance in found.chance_per_label.items() if chance >= thresholds.chance]
    return sorted(above, key=lambda label: -found.chance_per_label[label])


def notes(measure: str, found: Statistics, needed: set[str], thresholds: Thresholds) -> list[str]:
    """Say what else there is to know."""
    said = []
    if found.overlapping:
        said.append(
            "Spans share tokens, which tags cannot write: use the configuration 'spans' (or 'fragments'). token_f is "
            "left out, as it sees tokens and not which span they belong to."
        )
    if found.discontinuous:
        said.append(f"{found.discontinuous:,} spans have gaps: use the configuration 'fragments'.")
    if measure == "sl_icm" and found.overlapping_within_label:
        said.append("If spans of one label cross, see sl_icm's option matching='optimal'.")
    if found.label_evenness < thresholds.label_evenness:
        also = " sl_icm gives them more weight by itself, in its micro average too." if measure == "sl_icm" else ""
        said.append(
            f"Labels are uneven ({found.rarest_label} has {found.rarest_label_share:.1%} of the spans): report "
            f"average='macro' as well, in which rare labels count as much as frequent ones.{also}"
        )
    if "token_informativeness" in needed:
        said.append(
            "With words that tell more and less, SL-ICM no longer has every other property in every case: a part in "
            "which a rare word comes first can tell more than the whole (see analysis.properties)."
        )
    if found.chance is not None:
        said.append(_note_on_chance(found, thresholds))
    if found.one_token_share <= 1 - thresholds.several_tokens and found.one_token_share < 1:
        said.append(
            "If a span with nearly the right bounds should count as right, and one that is cut in two as one, report "
            "matched_f beside it: spans matched one to one, from an intersection over union of 0.5 on."
        )
        said.append(
            "For the kinds of errors report fair_f, in which a wrong label or wrong bounds are one error and not two, "
            "or semeval_f, in which wrong bounds count half. Neither tells a near miss from a far one."
        )
    else:
        said.append(
            "Hardly a span has a part that could be found by itself: semeval_f and matched_f tell little more than "
            "span_f here. fair_f still counts a wrong label as one error and not as two."
        )
    if measure != "span_f":
        said.append("To compare with published scores, report span_f beside it.")
    return said


def _note_on_chance(found: Statistics, thresholds: Thresholds) -> str:
    """Say for which labels chance should be corrected for, and for which it can be ignored."""
    above = above_chance(found, thresholds)
    if not above:
        return (
            f"Chance can be ignored: spans of the same lengths would score {max(found.chance_per_label.values()):.2f} "
            "at most, as documents are long beside their spans."
        )
    listed = ", ".join(f"{label} ({found.chance_per_label[label]:.2f})" for label in above[:_LISTED])
    more = f" and {len(above) - _LISTED} more" if len(above) > _LISTED else ""
    below = len(found.chance_per_label) - len(above)
    rest = f" In {counted(below, 'other label')} it can be ignored." if below else ""
    return (
        f"Spans of the same lengths, placed at random, would score {found.chance:.2f}: report chance_kappa_f1 as well, "
        f"which corrects for it, above all for {listed}{more}.{rest}"
    )

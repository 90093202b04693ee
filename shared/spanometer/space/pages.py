"""What the pages of the Spaces differ in: texts, papers and options."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..counts.resampling import Resampling
from ..errors import InputError
from ..measures.base import Measure
from ..measures.bcubed import Bcubed
from ..measures.chance_kappa_f1 import ChanceKappaF1
from ..measures.eter import Eter
from ..measures.intersection_f import IntersectionF
from ..measures.link_f import LinkF
from ..measures.sl_icm import SlIcm
from ..measures.span_attribute import SpanAttribute
from ..measures.span_f import SpanF
from ..measures.token_f import TokenF
from ..measures.unitizing_alpha import UnitizingAlpha
from ..spans.markup import ENTITY_TYPES
from ..tags.decoding import REPAIRS
from ..tags.schemes import SCHEMES
from .html import shortened

MEASURES: dict[str, type[Measure]] = {
    measure.name: measure
    for measure in (SpanF, TokenF, LinkF, Bcubed, IntersectionF, SlIcm, ChanceKappaF1, UnitizingAlpha, Eter)
}
"""The measures that are compared on every page."""

TITLES = {
    "span_f": "Span F1",
    "token_f": "Token F1",
    "link_f": "Link F1",
    "bcubed": "B-cubed",
    "intersection_f": "Intersection F1",
    "sl_icm": "SL-ICM",
    "chance_kappa_f1": "Chance-corrected F1",
    "unitizing_alpha": "Unitizing alpha",
    "eter": "ETER",
    "span_attribute": "Span attributes",
}

KEYS = {
    "precision": "precision",
    "recall": "recall",
    "f1": "F1",
    "sl_icm": "SL-ICM",
    "sl_icm_norm": "SL-ICM, normalised",
    "chance_f1": "F1 by chance",
    "kappa_f1": "F1 beyond chance",
    "chance_f1_std": "F1 by chance, deviation",
    "p_value": "p-value",
    "alpha": "alpha",
    "observed_disagreement": "observed disagreement",
    "expected_disagreement": "expected disagreement",
    "eter": "entity tree error rate",
    "insertions": "inserted entities",
    "deletions": "deleted entities",
    "substitution_cost": "cost of the pairs",
    "references": "reference entities",
    "root_error": "errors in types and bounds",
    "component_error": "errors in components",
    "ser": "slot error rate",
    "ser_types": "slot error rate, entities",
    "ser_components": "slot error rate, components",
}
"""What the keys of results are called."""

WHOLE_KEYS = frozenset({"insertions", "deletions", "references"})
"""Those of them that count."""


@dataclass(frozen=True)
class Option:
    """An option as the page asks for it.

    Attributes:
        name: the keyword.
        label: what the page calls it.
        default: its first value.
        choices: pairs of a text and a value, where it is a choice.
        info: a line below the label.
        bounds: least and greatest value, where it is a number.
        whole: whether it is a whole number.
    """

    name: str
    label: str
    default: Any
    choices: tuple[tuple[str, str], ...] = ()
    info: str = ""
    bounds: tuple[float, float] | None = None
    whole: bool = False


def _named(*names: str) -> tuple[tuple[str, str], ...]:
    return tuple((name, name) for name in names)


_SCHEME = Option(
    "scheme", "Tag scheme", "auto", (("told from the tags", "auto"), *_named(*SCHEMES)), "How the tags write spans."
)
_REPAIR = Option("repair", "Illegal tags", "conlleval", _named(*REPAIRS), "What becomes of them.")
_AVERAGE = Option("average", "Average", "micro", _named("micro", "macro", "weighted"), "Over the labels.")
_ZERO_DIVISION = Option("zero_division", "Zero division", "0", _named("0", "1", "nan"), "Value where nothing counts.")
_CONFIDENCE = Option(
    "confidence",
    "Confidence interval",
    "none",
    (("none", "none"), ("90 %", "0.9"), ("95 %", "0.95"), ("99 %", "0.99")),
    "By resampling sentences.",
)
_OF_ATTRIBUTES = (
    Option("attributes", "Attributes", "", info="All if empty. With labels: negated, carrier=DISEASE+SYMPTOM"),
    Option("default_values", "Default values", "", info='No items, in JSON: {"negated": false}'),
    Option("include_falsy", "Count false, 0 and empty text", False),
    Option("micro_key", "Name of all together", "micro"),
    Option(
        "average_precision",
        "Average precision",
        "ties",
        _named("ties", "edsnlp", "edsnlp-0.20"),
        "What ranks equal scores.",
    ),
    Option("on_mismatch", "Spans on one side only", "error", _named("error", "count")),
    _ZERO_DIVISION,
    replace(_CONFIDENCE, info="By resampling documents."),
)
_SHARED = (_AVERAGE, _ZERO_DIVISION, _CONFIDENCE)

_SIMULATIONS = 200

OWN_OPTIONS: dict[str, tuple[Option, ...]] = {
    "token_f": (Option("format", "Format", "IO", _named("IO", "BIO", "BIOE", "BIOES", "IO*"), "What a unit is."),),
    "intersection_f": (Option("cap", "Cap coverage at 1", False),),
    "sl_icm": (
        Option(
            "token_probabilities",
            "Information of the words",
            "unit",
            (("one unit each", "unit"), ("from the words of the text", "corpus")),
        ),
        Option("prior", "Label frequencies in", "spans", _named("spans", "tokens")),
        Option("matching", "Matching", "mutual", _named("mutual", "optimal")),
        Option("log_base", "Base of the logarithms", 2, bounds=(1.1, 100)),
    ),
    "chance_kappa_f1": (
        Option("level", "Level", "token", _named("token", "span"), "What must agree."),
        Option("placement", "Random placement", "disjoint", _named("disjoint", "independent", "layers")),
        Option("method", "Method", "exact", _named("exact", "uniform", "auto")),
        Option(
            "n_simulations", "Simulated annotations", _SIMULATIONS, info="For the plot.", bounds=(0, 1000), whole=True
        ),
    ),
    "unitizing_alpha": (Option("variant", "Variant", "2016", _named("1995", "2016"), "Year of the definition."),),
    "eter": (
        Option("alpha", "Weight of the components", 0.5, info="0 to 1.", bounds=(0, 1)),
        Option("type_cost", "Cost of another type", 0.5, bounds=(0, 2)),
        Option("subtype_cost", "Cost of another subtype", 0.25, bounds=(0, 2)),
        Option("span_cost", "Cost of other bounds", 0.25, bounds=(0, 2)),
        Option("entity_types", "Entity types", " ".join(ENTITY_TYPES), info="All other tags are components."),
    ),
}


@dataclass(frozen=True)
class Page:
    """The page of one measure.

    Attributes:
        name: of the measure.
        intro: what the measure counts, one or two sentences.
        paper: how the source is cited, and where it is.
    """

    name: str
    intro: str
    paper: tuple[str, str]

    @property
    def title(self) -> str:
        """The page's heading."""
        return TITLES[self.name]

    @property
    def markup(self) -> bool:
        """Whether the input is entity trees in markup."""
        return self.name == "eter"

    @property
    def attributes(self) -> bool:
        """Whether the input is spans with attributes."""
        return self.name == "span_attribute"

    @property
    def options(self) -> tuple[Option, ...]:
        """The options, the measure's own ones first."""
        if self.attributes:
            return _OF_ATTRIBUTES
        own = OWN_OPTIONS.get(self.name, ())
        return (*own, *_SHARED) if self.markup else (*own, _SCHEME, _REPAIR, *_SHARED)

    def measure(self, values: Mapping[str, Any], words: Any = None) -> Measure:
        """The measure with the options of the page.

        Raises:
            InputError: for a value that is none.
        """
        own = {option.name: _value(option, values[option.name]) for option in OWN_OPTIONS.get(self.name, ())}
        own.pop("entity_types", None)
        if own.pop("token_probabilities", None) == "corpus":
            own["tokens"] = words
        return MEASURES[self.name](**shared_options(values), **own)

    def attribute_measure(self, values: Mapping[str, Any]) -> SpanAttribute:
        """The measure of attributes with the options of its page.

        Raises:
            InputError: for a value that is none.
        """
        return SpanAttribute(
            attributes=_asked(values["attributes"]),
            default_values=_default_values(values["default_values"]),
            include_falsy=bool(values["include_falsy"]),
            micro_key=values["micro_key"].strip(),
            average_precision=values["average_precision"],
            on_mismatch=values["on_mismatch"],
            zero_division=float(values["zero_division"]),
        )


def shared_options(values: Mapping[str, Any]) -> dict[str, Any]:
    """The options that all measures take."""
    return {"average": values["average"], "zero_division": float(values["zero_division"])}


def resampling(values: Mapping[str, Any]) -> Resampling | None:
    """How intervals are made; None where none are asked for."""
    level = values["confidence"]
    return None if level == "none" else Resampling(confidence=float(level))


def _value(option: Option, value: Any) -> Any:
    if option.bounds is None:
        return value
    low, high = option.bounds
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not low <= value <= high:
        raise InputError(
            f"{option.label}: {value!r} is not a number from {low:g} to {high:g}.", "Change it under Options."
        )
    if option.whole and value != int(value):
        raise InputError(f"{option.label}: {value!r} is not a whole number.", "Change it under Options.")
    return int(value) if option.whole else value


def _asked(text: str) -> dict[str, bool | list[str]] | None:
    """`negated, carrier=DISEASE+SYMPTOM`, as signatures write it, as the measure takes it."""
    if not text.strip():
        return None
    remedy = "Change it under Options, for example: negated, carrier=DISEASE+SYMPTOM."
    asked: dict[str, bool | list[str]] = {}
    for part in text.split(","):
        name, separator, listed = part.partition("=")
        name, labels = name.strip(), [label.strip() for label in listed.split("+")]
        if not name or (separator and not all(labels)):
            raise InputError(f"Attributes: {part.strip()!r} names no attribute or an empty label.", remedy)
        if name in asked:
            raise InputError(f"Attributes: {name!r} is there twice.", remedy)
        asked[name] = labels if separator else True
    return asked


def _default_values(text: str) -> dict[str, Any]:
    """An object in JSON; the measure checks its values."""
    if not text.strip():
        return {}
    remedy = 'Change it under Options, for example: {"negated": false}.'
    try:
        given = json.loads(text)
    except (ValueError, RecursionError):
        raise InputError(f"Default values: {shortened(text)!r} is not JSON.", remedy) from None
    if not isinstance(given, dict):
        raise InputError("Default values: this is no JSON object of attributes and values.", remedy)
    return given


PAGES: dict[str, Page] = {
    page.name: page
    for page in (
        Page(
            "span_f",
            "A predicted span is right if the reference has one with the same label and the same tokens. "
            "These are seqeval's numbers.",
            ("Tjong Kim Sang and De Meulder 2003", "https://aclanthology.org/W03-0419/"),
        ),
        Page(
            "token_f",
            "Counts the tokens that are inside spans of each label. A span that is cut in two goes unnoticed in the "
            "format IO.",
            ("Esuli and Sebastiani 2010", "https://doi.org/10.1007/978-3-642-15998-5_12"),
        ),
        Page(
            "link_f",
            "Counts the pairs of tokens that one span holds together. A span that is too short loses some of them, one "
            "that is cut in two those across the cut.",
            ("Vilain et al. 1995", "https://aclanthology.org/M95-1005/"),
        ),
        Page(
            "bcubed",
            "For each token: how far the predicted span over it and the reference span over it hold the same tokens.",
            ("Amigó et al. 2009", "https://doi.org/10.1007/s10791-008-9066-8"),
        ),
        Page(
            "intersection_f",
            "Every span earns the share of its tokens that spans of its label on the other side cover.",
            ("Da San Martino et al. 2019", "https://aclanthology.org/D19-1565/"),
        ),
        Page(
            "sl_icm",
            "The information that reference and prediction have in common against the information in each. Rare labels "
            "and long spans tell more than frequent and short ones.",
            ("Amigó et al. 2025", "https://aclanthology.org/2025.acl-long.1351/"),
        ),
        Page(
            "chance_kappa_f1",
            "F1 beyond what spans of the same number and lengths would give if they lay at random in each sentence.",
            ("Li et al. 2024", "https://arxiv.org/abs/2407.11371"),
        ),
        Page(
            "unitizing_alpha",
            "Krippendorff's alpha for unitizing: the agreement of two annotators on spans beyond chance. 1 is perfect, "
            "0 is chance.",
            ("Krippendorff et al. 2016", "https://doi.org/10.1007/s11135-015-0266-1"),
        ),
        Page(
            "eter",
            "The entity tree error rate: entities with types and components, aligned one to one so that the errors "
            "cost least. Lower is better, and 0 is best.",
            ("Ben Jannet et al. 2014", "https://hal.science/hal-01134713"),
        ),
        Page(
            "span_attribute",
            "What is said of given spans: negated, hypothetical, whose disease, how many days. A value of an attribute "
            "is right if the reference has it for the same span.",
            ("Wajsburt et al., EDS-NLP", "https://doi.org/10.5281/zenodo.6424993"),
        ),
    )
}
"""The pages by the names of their measures."""

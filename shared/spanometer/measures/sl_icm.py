"""SL-ICM, the information contrast model for sequence labelling."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np

from ..alignment.matching import best_matching, occurrences
from ..alignment.overlaps import Alignment, Pairs, SideSpans
from ..arrays import begins_run, each_item, is_ordered, place_of, ranges
from ..counts.counts import Counts
from ..counts.statistics import divide
from ..exceptions import InputError, mention, setting, shown
from ..options import option, options_of
from .aligned import TOKENS_REMEDY, AlignedMeasure, require_fit, tokens_option, words_of
from .base import Key, zero_division_option
from .information import TokenInformation, TokenProbabilities, mapping_digest, require_probability

Probabilities = Mapping[str, float] | Sequence[Sequence[float | None]] | TokenProbabilities | float | str | None

CORPUS = "corpus"
"""The value of `token_probabilities` that stands for the relative frequencies of the tokens."""

_MAPPING, _TOKENS, _NUMBER = "mapping", "tokens", "number"


class SlIcm(AlignedMeasure):
    """Compute SL-ICM, an information contrast model for spans, and its normalised form (Amigó et al.).

    Let s be a set of tokens w_1 w_2 ... with the label t: a span, or the intersection of two spans. Its information is

        I(s, t) = -log(N_t / N) + Σ_i (1 / i) (-log P(w_i)),

    where i is the rank of the token within the set, and N_t of the N reference spans have the label t. With the
    reference spans S, the predicted spans Ŝ and the intersections M of matched pairs,

        sl_icm = 3 Σ_M I - Σ_Ŝ I - Σ_S I,        sl_icm_norm = (sl_icm + Σ_S I) / (2 Σ_S I).

    Higher is better. The reference itself scores sl_icm = Σ_S I and sl_icm_norm = 1; an empty output scores sl_icm_norm
    = 0. Scores are not clipped: sl_icm_norm is negative if the output has more noise than information. With unequal
    token probabilities sl_icm_norm can exceed 1, because a token can have a better rank in a part of a span than in the
    whole span.

    This is the information contrast model with the weights beta = 2 and alpha1 = alpha2 = 1. In general:

        sl_icm = (1 + beta) Σ_M I - alpha1 Σ_Ŝ I - alpha2 Σ_S I,
        sl_icm_norm = (sl_icm + alpha2 Σ_S I) / ((1 + beta - alpha1) Σ_S I).

    With any weights, sl_icm_norm is 1 for the reference itself and 0 for an empty output. Other papers write the model
    as a1 I(Ŝ) + a2 I(S) - b I(Ŝ ∪ S), with I(Ŝ ∪ S) = I(Ŝ) + I(S) - I(M) (Amigó and Delgado 2022; PyEvALL uses a1 = a2
    = 2, b = 3). Then beta = b - 1, alpha1 = b - a1 and alpha2 = b - a2.

    The model requires a1, a2 < b < a1 + a2, that is alpha1 > 0, alpha2 > 0 and alpha1 + alpha2 < 1 + beta. Otherwise
    noise costs nothing, or the reference itself scores 0 or less. The formal properties hold for all weights within
    these limits. alpha2 adds the same amount to the sl_icm of all outputs and does not change the norm. If alpha1 =
    alpha2, swapping the sides changes sl_icm only because N_t / N is taken from the reference.

    Attributes:
        tokens: the words of each document. P(w) is their relative frequency in these documents, unless
            `token_probabilities` is a mapping. Counts of parts of a corpus can be added only with fixed probabilities.
            Scores of documents and resampled corpora keep the frequencies in the whole corpus.
        token_probabilities: P(w). A mapping from words to probabilities (needs `tokens`; see
            `information.word_probabilities`). Or a list of floats for each document, one for each token, from a
            language model. Or one float for all tokens (the paper's constant). None without `tokens` gives each token
            one unit of information (1 bit with the default base), for any `log_base`. `"corpus"` uses the frequencies
            of tokens that come with the data, as on the command line. Only tokens in spans need a probability: the
            mapping may lack other words, and lists may have None, NaN or 0 for other tokens.
        unknown: which probability to use for words missing from the dict token_probabilities. If None, such a word in
            a span raises an error.
        prior: what N_t and N count in the reference: `spans`, or `tokens` in spans. The paper's text and appendix
            differ; its Table 4 uses spans. For a label that is missing in the reference, N_t is 1.
        log_base: base of the logarithms.
        matching: `mutual`, as in the paper: each span picks a span of the same label on the other side, first an
            identical span, else the one with the most informative intersection (ties: smaller union, earlier start,
            earlier end); spans that pick each other match. `optimal`: the one-to-one matching with the most token
            information in its intersections, then the most pairs; the paper leaves the matching open.
        alpha1: weight of the predictions' information.
        alpha2: weight of the reference's information.
        beta: sets the weight of the shared information to 1 + beta.
        zero_division: `sl_icm_norm` if Σ_S I is 0.

    Counts: `matched`, `predicted` and `reference`, in spans; `matched_information`, `predicted_information` and
    `reference_information`, the sums of token information; `reference_tokens`.

    Raises:
        InputError: if weights are out of range, if `tokens` or lists of probabilities do not fit the documents, or if a
            token in a span has no probability.
    """

    tokens: Sequence[Sequence[str]] | None = tokens_option(
        "the words of each document. Without token_probabilities, a word's probability is its relative frequency"
    )
    token_probabilities: Probabilities = option(
        None,
        help='word probabilities: a dict such as {"the": 0.05}, a list of numbers for each document, one number for '
        'all tokens, or "corpus" for frequencies in the scored documents. With a dict, also pass the words (option '
        '"tokens"). Without token_probabilities and tokens, each token carries 1 unit of information',
        type="float, str, dict or list of lists of float",
        convert=lambda given: TokenProbabilities.read(given) if is_ordered(given) else given,
        parse=lambda text: _probabilities_in(text),
    )
    unknown: float | None = option(None, type="float, optional")
    prior: str = option(
        "spans", help="unit of the label frequencies", choices=("spans", "tokens"), label="Label frequencies in"
    )
    log_base: float = option(2, kind=float, low=1, exclusive=True, label="Base of the logarithms", span=(1.1, 100))
    matching: str = option(
        "mutual",
        help="which spans are matched",
        choices={
            "mutual": "spans that are each other's best match",
            "optimal": "one-to-one pairs that together share the most information",
        },
        label="Matching",
    )
    alpha1: float = option(1.0, low=0, exclusive=True, label="Alpha 1", span=(0.1, 10))
    alpha2: float = option(1.0, low=0, exclusive=True, label="Alpha 2", span=(0.1, 10))
    beta: float = option(2.0, low=-1, exclusive=True, label="Beta", span=(0, 20))

    zero_division: float = zero_division_option("value of sl_icm_norm if the reference is empty or has no information")

    name = "sl_icm"
    place = 60
    results: ClassVar[Mapping[str, Key]] = {
        "sl_icm": Key("SL-ICM", "SL-ICM score, in bits by default", "(-∞, ∞)", share=False),
        "sl_icm_norm": Key(
            "SL-ICM, normalised",
            "sl_icm, scaled to 1 for a perfect output and to 0 for an empty output",
            "(-∞, 1], or (-∞, ∞) with unequal token probabilities",
        ),
    }
    headline = "sl_icm_norm"
    support = "reference"

    def __post_init__(self) -> None:
        """Check the options."""
        super().__post_init__()
        if self.alpha1 + self.alpha2 >= 1 + self.beta:
            weights = f"{setting('alpha1', self.alpha1)}, {setting('alpha2', self.alpha2)}"
            raise InputError(
                f"alpha1 + alpha2 must be less than 1 + beta, got {weights}, {setting('beta', self.beta)}.",
                "Use other weights. With these weights, a perfect prediction scores 0 or less.",
                option="beta",
            )
        probabilities: Any = self.token_probabilities
        if self.unknown is not None:
            require_probability(self.unknown, "unknown")
            if self._source != _MAPPING:
                raise InputError(
                    f"{mention('unknown')} has no effect, because {mention('token_probabilities')} is not a mapping.",
                    f"Remove {mention('unknown')}, or set {mention('token_probabilities')} to a mapping of words to "
                    "probabilities. On the command line, use token_probabilities=@FILE.",
                    option="unknown",
                )
        if self._source == _MAPPING:
            _require_probabilities(probabilities)
        elif self._source == _NUMBER:
            require_probability(probabilities, "token_probabilities")
        if self.tokens is not None and self._source in (_NUMBER, _TOKENS):
            clause = "already has one number for each token" if self._source == _TOKENS else "is one number"
            problem = f"{mention('token_probabilities')} {clause}, so {mention('tokens')} has no effect."
            raise InputError(problem, f"Remove {mention('tokens')}.")

    @property
    def _source(self) -> str:
        """Where P(w) comes from: a mapping of words, lists for the tokens, one number, `corpus`, or `unit` for none."""
        probabilities = self.token_probabilities
        if probabilities is None:
            return "unit" if self.tokens is None else CORPUS
        if isinstance(probabilities, str) and probabilities == CORPUS:
            return CORPUS
        kinds = {Mapping: _MAPPING, TokenProbabilities: _TOKENS}
        return next((source for kind, source in kinds.items() if isinstance(probabilities, kind)), _NUMBER)

    def options(self) -> dict[str, Any]:
        """Return the options for the signature, including where the probabilities come from."""
        options = super().options()
        if self._source == _MAPPING:
            options["token_probabilities"] = f"mapping-{mapping_digest(options['token_probabilities'])}"
        elif self._source != _NUMBER:
            options["token_probabilities"] = self._source
        return {name: value for name, value in options.items() if name != "unknown" or value is not None}

    @classmethod
    def from_options(cls, options: Mapping[str, Any]) -> Self:
        """Create the measure from its `options()`."""
        source = options["token_probabilities"]
        return cls(**{**options, "token_probabilities": None if source == "unit" else source})

    @property
    def needs_tokens(self) -> bool:
        """Whether the measure needs words that it does not have."""
        return self._source in (CORPUS, _MAPPING) and self.tokens is None

    def require_additive(self) -> None:
        """Raise an `InputError` if probabilities are estimated from the scored documents."""
        if self._source == CORPUS and self.tokens is not None:
            problem = "sl_icm estimates token probabilities from all documents, so it needs the whole corpus at once."
            raise InputError(problem, f"Pass {setting('token_probabilities')}, or leave out {mention('tokens')}.")

    def require_parts(self) -> None:
        """Raise an `InputError` if the measure has data of a whole corpus, or if counts of parts cannot be added."""
        super().require_parts()
        name = "token_probabilities" if self._source == _TOKENS else "tokens"
        if self.tokens is not None or self._source == _TOKENS:
            raise InputError(
                f"{mention(name)} cannot be used to score parts of a corpus.", f"Leave out {setting(name)}."
            )

    def _count(self, alignment: Alignment) -> Counts:
        """Match the spans, and sum the information of spans and of matched intersections."""
        references, predictions, pairs = alignment.references, alignment.predictions, alignment.pairs
        information = self.information(np.diff(alignment.offsets), exact=alignment.lengths is not None)
        self._require_known(alignment, information)

        def of_side(side: SideSpans) -> np.ndarray:
            return information.of_sets(side.size, lambda: side.pieces_by_span, alignment.token)

        common = information.of_sets(pairs.shared, lambda: alignment.intersections, alignment.token)
        chosen = self._match(references, predictions, pairs, common)
        matched = pairs.reference[chosen]
        columns = {
            "matched": references.column(matched),
            "matched_information": references.column(matched, common[chosen]),
            "predicted": predictions.column(),
            "predicted_information": predictions.column(value=of_side(predictions)),
            "reference": references.column(),
            "reference_information": references.column(value=of_side(references)),
            "reference_tokens": references.column(value=references.size),
        }
        return Counts(columns, alignment.labels, alignment.documents)

    def information(self, lengths: np.ndarray, *, exact: bool) -> TokenInformation:
        """Compute the information of the tokens, -log P(w).

        Args:
            lengths: the number of tokens of each document.
            exact: True if these lengths are exact, False if documents may have more words.
        """
        probabilities: Any = self.token_probabilities
        if self._source == _NUMBER:
            return TokenInformation(unit=-math.log(probabilities) / math.log(self.log_base) + 0.0)
        if self._source == _TOKENS:
            offsets, share = probabilities.offsets, probabilities.values
            require_fit(np.diff(offsets), lengths, exact, "token_probabilities", "probabilities")
            token = ranges(offsets[:-1], lengths)
        elif self.tokens is None:
            return TokenInformation()
        else:
            words, token = words_of(self.tokens, lengths, exact=exact)
            if self._source == _MAPPING:
                default = math.nan if self.unknown is None else self.unknown
                share = np.array([probabilities.get(word, default) for word in words.names], dtype=float)
            else:
                # names without tokens belong to words that were left out
                counts = np.bincount(words.codes, minlength=len(words.names)).clip(1)
                share = counts / max(len(words.codes), 1)
        # + 0.0 so that a word with probability 1 has 0, not -0
        return TokenInformation(token=(-np.log(share) / math.log(self.log_base) + 0.0)[token])

    def _require_known(self, alignment: Alignment, information: TokenInformation) -> None:
        """Raise an `InputError` if a token in a span has no probability."""
        sides = alignment.references, alignment.predictions
        start = np.concatenate([alignment.token(side.intervals.start) for side in sides])
        size = np.concatenate([side.intervals.end - side.intervals.start for side in sides])
        token = information.unknown_in(start, start + size)
        if token is None:
            return
        document, position = place_of(alignment.offsets, token)
        if self.tokens is None:
            problem = "the token is in a span, but has no probability (or the probability 0)."
            remedy, side = "Give a probability for every token in a span.", "token_probabilities"
        else:
            problem = f"the word {self.tokens[document][position]!r} is in a span, but has no probability."
            remedy = f"Give a probability for every word in a span, or set {setting('unknown', 1e-7)} for the others."
            side = "tokens"
        raise InputError(problem, remedy, side=side, document=document, position=position)

    def quantities(self, totals: Mapping[str, np.ndarray]) -> Mapping[str, np.ndarray]:
        """Compute the information of matched intersections and of both sides, by label."""
        of_label = totals["reference" if self.prior == "spans" else "reference_tokens"]
        share = np.maximum(of_label, 1) / np.maximum(of_label.sum(axis=-1, keepdims=True), 1)
        label_information = -np.log(share) / math.log(self.log_base)
        return {
            name: totals[name] * label_information + totals[f"{name}_information"]
            for name in ("matched", "predicted", "reference")
        }

    def formula(self, quantities: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Compute `sl_icm` and `sl_icm_norm`."""
        matched, predicted, reference = (quantities[name] for name in ("matched", "predicted", "reference"))
        # in this order equal amounts cancel to the last bit
        noise, missed = self.alpha1 * (matched - predicted), self.alpha2 * (matched - reference)
        most = 1 + self.beta - self.alpha1
        return {
            "sl_icm": (most - self.alpha2) * matched + noise + missed,
            "sl_icm_norm": divide(most * matched + noise, most * reference, self.zero_division),
        }

    def _match(self, references: SideSpans, predictions: SideSpans, pairs: Pairs, common: np.ndarray) -> np.ndarray:
        """Flag the pairs of overlapping spans that match."""
        # sums of the same information in another order differ in their last bits
        worth = np.round(common, 10)
        if self.matching == "optimal":
            return best_matching(pairs.reference, pairs.prediction, worth)
        chosen = np.ones(len(worth), dtype=bool)
        for picking, picked, side in (
            (pairs.reference, pairs.prediction, predictions),
            (pairs.prediction, pairs.reference, references),
        ):
            contested = np.flatnonzero(occurrences(picking) > 1)
            total = references.size[pairs.reference[contested]] + predictions.size[pairs.prediction[contested]]
            candidate, shared = picked[contested], pairs.shared[contested]
            union = total - shared
            bounds = side.end[candidate], side.start[candidate]
            keys = (candidate, *bounds, union, -worth[contested], union != shared, picking[contested])
            order = np.lexsort(keys)
            chosen[contested[order[~begins_run(picking[contested][order])]]] = False
        return chosen


def _require_probabilities(probabilities: Mapping[Any, Any]) -> None:
    """Raise an `InputError` unless the mapping maps words to probabilities."""
    for word, value in each_item(probabilities, TOKENS_REMEDY, option="token_probabilities"):
        if not isinstance(word, str):
            problem = f"{mention('token_probabilities')}: {shown(word)} is not a word."
            raise InputError(problem, "Pass a mapping of strings to probabilities.", option="token_probabilities")
        require_probability(value, f"token_probabilities[{shown(word)}]")


def _probabilities_in(text: str) -> float | str | None:
    """Read `token_probabilities` from text: a number, `corpus`, or `unit` for None."""
    try:
        return {CORPUS: CORPUS, "unit": None}[text] if text in (CORPUS, "unit") else float(text)
    except ValueError:
        remedy = (
            "Use a number, 'unit', 'corpus' (word frequencies) or '@FILE' (a file of words and their probabilities)."
        )
        raise options_of(SlIcm)["token_probabilities"].refusal(text, remedy) from None

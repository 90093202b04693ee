"""Span measures by brute force: plain loops over sets, one definition per function, nothing fast.

A side is a list of documents, a document is a list of spans, and a span is ``(label, tokens)`` with ``tokens`` a
frozenset of token positions. A discontinuous span is simply a set with holes. Duplicates in one document collapse.

Every measure takes two sides and an ``average``:

- ``"micro"``: all labels pooled;
- ``"macro"``: the unweighted mean of each value over the labels of both sides;
- ``"weighted"``: the mean weighted by the number of reference spans of each label;
- ``None``: no average, a dict from each label to its own values (see `per_label`).
"""

import math
from collections import Counter
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product

RELATIVE_TOLERANCE = 1e-12  # two amounts of information this close count as equal


# Sides and labels


def _as_sets(references, predictions):
    """Both sides as lists of sets of spans, so that duplicates collapse."""
    if len(references) != len(predictions):
        raise ValueError(f"{len(references)} reference documents, {len(predictions)} predicted documents")
    sides = []
    for side in (references, predictions):
        documents = [{(label, frozenset(tokens)) for label, tokens in document} for document in side]
        if any(not tokens for document in documents for label, tokens in document):
            raise ValueError("a span without tokens")
        sides.append(documents)
    return sides


def _labels(*sides):
    """The sorted labels of the given sides."""
    return sorted({label for side in sides for document in side for label, tokens in document})


def _only(side, labels):
    """The side without the spans whose label is not among `labels`."""
    return [{(label, tokens) for label, tokens in document if label in labels} for document in side]


def _span_count(side):
    """The number of spans of a side."""
    return sum(len(document) for document in side)


def _of_label(document, label):
    """The token sets of the spans of one label in one document."""
    return [tokens for other_label, tokens in document if other_label == label]


# Averages


def _averaged(score, references, predictions, average, zero_division):
    """Apply `score`, a function of two sides to a dict of values, to the pooled labels or to one label at a time."""
    labels = _labels(references, predictions)
    if average == "micro":
        return score(references, predictions)
    if average not in ("macro", "weighted", None):
        raise ValueError(f"unknown average {average!r}")

    by_label = {label: score(_only(references, {label}), _only(predictions, {label})) for label in labels}
    if average is None:
        return by_label
    if not labels:
        return score(references, predictions)
    if average == "macro":
        weights = dict.fromkeys(labels, 1)
    else:
        weights = {label: _span_count(_only(references, {label})) for label in labels}
        if not any(weights.values()):
            return score(references, predictions)

    keys = score([], []).keys()
    return {key: _mean([(by_label[label][key], weights[label]) for label in labels], zero_division) for key in keys}


def _mean(values_and_weights, zero_division):
    """The weighted mean of the values that are not NaN.

    NaN where every value is NaN, `zero_division` where the weights are all zero.
    """
    if values_and_weights and all(math.isnan(value) for value, weight in values_and_weights):
        return math.nan
    kept = [(value, weight) for value, weight in values_and_weights if not math.isnan(value)]
    total_weight = sum(weight for value, weight in kept)
    if total_weight == 0:
        return zero_division
    return math.fsum(value * weight for value, weight in kept) / total_weight


def per_label(measure, references, predictions, **options):
    """The values of one measure for each label of both sides: a dict from label to a dict of floats."""
    return measure(references, predictions, average=None, **options)


# Precision, recall and F1


def _precision_recall_f1(precision_sum, predicted, recall_sum, reference, zero_division):
    """Precision, recall and F1 from two sums and the two sides' sizes.

    precision = precision_sum / predicted, or `zero_division` where nothing is predicted;
    recall = recall_sum / reference, or `zero_division` where there is no reference;
    F1 is `zero_division` where both sides are empty, 0 where one is empty or precision + recall is 0, and otherwise
    the harmonic mean 2 * precision * recall / (precision + recall).
    """
    precision = precision_sum / predicted if predicted else zero_division
    recall = recall_sum / reference if reference else zero_division
    if not predicted and not reference:
        f1 = zero_division
    elif not predicted or not reference or precision + recall == 0:
        f1 = 0.0
    else:
        f1 = 2 * precision * recall / (precision + recall)
    return {"precision": float(precision), "recall": float(recall), "f1": float(f1)}


def _sums_by_label(sums, references, predictions, **options):
    """The raw sums of a measure for each label of both sides."""
    references, predictions = _as_sets(references, predictions)
    return {
        label: sums(_only(references, {label}), _only(predictions, {label}), **options)
        for label in _labels(references, predictions)
    }


def _unit_sums(references, predictions, units):
    """How many units are in both sides, in the predictions and in the references."""
    reference_units, predicted_units = units(references), units(predictions)
    return {
        "both": len(reference_units & predicted_units),
        "predicted": len(predicted_units),
        "reference": len(reference_units),
    }


def _unit_f(references, predictions, units, average, zero_division):
    """Precision, recall and F1 over two sets of units."""

    def score(references, predictions):
        counts = _unit_sums(references, predictions, units)
        both = Fraction(counts["both"])
        return _precision_recall_f1(both, counts["predicted"], both, counts["reference"], zero_division)

    return _averaged(score, *_as_sets(references, predictions), average, zero_division)


# span_f


def _span_units(side):
    """Each span with its document."""
    return {(index, label, tokens) for index, document in enumerate(side) for label, tokens in document}


def span_f(references, predictions, average="micro", zero_division=0.0):
    """Precision, recall and F1 over spans: equal are two spans of one document with the same label and tokens."""
    return _unit_f(references, predictions, _span_units, average, zero_division)


def span_f_counts(references, predictions):
    """For each label, the integers ``both``, ``predicted`` and ``reference`` in spans."""
    return _sums_by_label(_unit_sums, references, predictions, units=_span_units)


# token_f


def _prefixes(size, token_format):
    """The prefixes of a span of `size` tokens, in order of position.

    IO writes I everywhere. BIO writes B first. BIOE also writes E last; a span of one token is B. BIOES is as BIOE,
    but a span of one token is S.
    """
    if token_format == "IO":
        return ["I"] * size
    if token_format == "BIO":
        return ["B"] + ["I"] * (size - 1)
    if token_format in ("BIOE", "BIOES"):
        if size == 1:
            return ["B"] if token_format == "BIOE" else ["S"]
        return ["B"] + ["I"] * (size - 2) + ["E"]
    raise ValueError(f"unknown format {token_format!r}")


def _token_units(token_format):
    """The function from a side to its tagged tokens: (document, token, label, prefix).

    IO* has two kinds of unit instead: (document, token, label), and the gap (document, token, token + 1, label)
    between two adjacent tokens of one span.
    """

    def prefixed(side):
        units = set()
        for index, document in enumerate(side):
            for label, tokens in document:
                for token, prefix in zip(sorted(tokens), _prefixes(len(tokens), token_format), strict=True):
                    units.add((index, token, label, prefix))
        return units

    def tokens_and_gaps(side):
        units = set()
        for index, document in enumerate(side):
            for label, tokens in document:
                for token in tokens:
                    units.add(("token", index, token, label))
                    if token + 1 in tokens:
                        units.add(("gap", index, token, token + 1, label))
        return units

    if token_format == "IO*":
        return tokens_and_gaps
    if token_format not in ("IO", "BIO", "BIOE", "BIOES"):
        raise ValueError(f"unknown format {token_format!r}")
    return prefixed


def token_f(references, predictions, average="micro", zero_division=0.0, format="IO"):
    """Precision, recall and F1 over tagged tokens, in one of the formats IO, BIO, BIOE, BIOES and IO*."""
    return _unit_f(references, predictions, _token_units(format), average, zero_division)


def token_f_counts(references, predictions, format="IO"):
    """For each label, the integers ``both``, ``predicted`` and ``reference`` in tagged tokens."""
    return _sums_by_label(_unit_sums, references, predictions, units=_token_units(format))


# link_f


def _link_units(side):
    """The unordered pairs of tokens, a token with itself included, that share a span: (document, label, i, j)."""
    links = set()
    for index, document in enumerate(side):
        for label, tokens in document:
            for first, second in combinations_with_replacement(sorted(tokens), 2):
                links.add((index, label, first, second))
    return links


def link_f(references, predictions, average="micro", zero_division=0.0):
    """Precision, recall and F1 over links: unordered token pairs i <= j that share a span of the label."""
    return _unit_f(references, predictions, _link_units, average, zero_division)


def link_f_counts(references, predictions):
    """For each label, the integers ``both``, ``predicted`` and ``reference`` in links."""
    return _sums_by_label(_unit_sums, references, predictions, units=_link_units)


# bcubed


def _bcubed_one_side(own, other):
    """The sum over the own side's (token, label) pairs of their agreement with the other side, and their number.

    The agreement of a token t of a label is the mean, over the tokens u (t itself included) that share at least one
    own span of the label with t, of min(c, l) / c, where c own spans of the label hold both t and u, and l of the
    other side's do.
    """
    total, size = Fraction(0), 0
    for own_document, other_document in zip(own, other, strict=True):
        for label in _labels([own_document]):
            own_spans, other_spans = _of_label(own_document, label), _of_label(other_document, label)
            for token in frozenset().union(*own_spans):
                partners = frozenset().union(*(span for span in own_spans if token in span))
                agreement = Fraction(0)
                for partner in partners:
                    in_own = sum(1 for span in own_spans if token in span and partner in span)
                    in_other = sum(1 for span in other_spans if token in span and partner in span)
                    agreement += Fraction(min(in_own, in_other), in_own)
                total += agreement / len(partners)
                size += 1
    return total, size


def _bcubed_sums(references, predictions):
    """The exact sums of B-cubed on both sides, with the sides' numbers of (token, label) pairs."""
    precision_sum, predicted = _bcubed_one_side(predictions, references)
    recall_sum, reference = _bcubed_one_side(references, predictions)
    return {"precision_sum": precision_sum, "predicted": predicted, "recall_sum": recall_sum, "reference": reference}


def bcubed(references, predictions, average="micro", zero_division=0.0):
    """Extended B-cubed precision, recall and F1, in the multiplicity form of Amigó et al. 2009.

    Precision averages the agreement over the predictions' (token, label) pairs, recall over the references'.
    """

    def score(references, predictions):
        return _precision_recall_f1(**_bcubed_sums(references, predictions), zero_division=zero_division)

    return _averaged(score, *_as_sets(references, predictions), average, zero_division)


# intersection_f


def _refuse_overlap(documents):
    """Raise ValueError where two spans of one label in one document share a token."""
    for document in documents:
        for (label, tokens), (other_label, other_tokens) in combinations(document, 2):
            if label == other_label and tokens & other_tokens:
                raise ValueError(
                    f"overlapping spans of label {label!r} in {sorted(tokens & other_tokens)}; use cap=True"
                )


def _coverage(own, other, cap):
    """The sum over the own side's spans of the share of each that the other side's spans of its label cover."""
    total = Fraction(0)
    for own_document, other_document in zip(own, other, strict=True):
        for label, tokens in own_document:
            covered = sum(
                Fraction(len(tokens & other_tokens), len(tokens)) for other_tokens in _of_label(other_document, label)
            )
            total += min(covered, 1) if cap else covered
    return total


def _intersection_sums(references, predictions, cap):
    """The exact summed coverage of both sides, with the sides' numbers of spans."""
    return {
        "precision_sum": _coverage(predictions, references, cap),
        "predicted": _span_count(predictions),
        "recall_sum": _coverage(references, predictions, cap),
        "reference": _span_count(references),
    }


def intersection_f(references, predictions, average="micro", zero_division=0.0, cap=False):
    """Precision, recall and F1 of the share of each span that the other side covers.

    P = (1 / number of predicted spans) * sum over all pairs of a predicted and a reference span of one label and
    document of |intersection| / |predicted span|; R likewise by the reference span. With `cap`, the summed coverage
    of one span is at most 1. Without it, overlapping spans of one label in one side raise ValueError.
    """
    references, predictions = _as_sets(references, predictions)
    if not cap:
        for side in (references, predictions):
            _refuse_overlap(side)

    def score(references, predictions):
        return _precision_recall_f1(**_intersection_sums(references, predictions, cap), zero_division=zero_division)

    return _averaged(score, references, predictions, average, zero_division)


# sl_icm


def _one_bit(document, token):
    """The information of a token about which nothing is known."""
    return 1.0


def _token_information(document, tokens, information):
    """The sum over the tokens, in order of position, of information(token) / rank, the first token's rank being 1."""
    return math.fsum(information(document, token) / rank for rank, token in enumerate(sorted(tokens), start=1))


def _label_information(references, prior, log_base):
    """The function from a label to -log(N_t / N).

    N_t counts the reference spans of the label in all documents (``prior="tokens"``: the tokens of these spans), N is
    the sum over labels. A label that the reference lacks has N_t = 1; N is 1 where the reference is empty.
    """
    counts = Counter()
    for document in references:
        for label, tokens in document:
            if prior == "spans":
                counts[label] += 1
            elif prior == "tokens":
                counts[label] += len(tokens)
            else:
                raise ValueError(f"unknown prior {prior!r}")
    total = sum(counts.values()) or 1
    return lambda label: -math.log((counts[label] or 1) / total, log_base)


def _mutual_matches(own_spans, other_spans, token_information):
    """The pairs of spans that pick each other.

    A span picks, among the other side's spans that share a token with it, an identical one where there is one, else the
    one with the most informative intersection; ties go to the smaller union, then to the earlier start, then to the
    earlier end.
    """

    def pick(span, candidates):
        candidates = [candidate for candidate in candidates if candidate & span]
        if not candidates:
            return None
        if span in candidates:
            return span
        most = max(token_information(candidate & span) for candidate in candidates)
        best = [
            candidate
            for candidate in candidates
            if math.isclose(token_information(candidate & span), most, rel_tol=RELATIVE_TOLERANCE)
        ]
        return min(
            best, key=lambda candidate: (len(candidate | span), min(candidate), max(candidate), sorted(candidate))
        )

    return [
        (own, other)
        for own, other in product(own_spans, other_spans)
        if pick(own, other_spans) == other and pick(other, own_spans) == own
    ]


def _all_matchings(own_spans, other_spans):
    """Every one-to-one matching of overlapping spans, the empty one included."""
    if not own_spans:
        yield []
        return
    first, rest = own_spans[0], own_spans[1:]
    yield from _all_matchings(rest, other_spans)
    for other in other_spans:
        if first & other:
            remaining = [span for span in other_spans if span != other]
            for matching in _all_matchings(rest, remaining):
                yield [(first, other), *matching]


def _optimal_matches(own_spans, other_spans, token_information):
    """The one-to-one matching with the most token information in its intersections; more pairs where that is equal."""

    def total(matching):
        return math.fsum(token_information(own & other) for own, other in matching)

    totals_and_matchings = [(total(matching), matching) for matching in _all_matchings(own_spans, other_spans)]
    most = max(value for value, matching in totals_and_matchings)
    best = [
        (value, matching)
        for value, matching in totals_and_matchings
        if math.isclose(value, most, rel_tol=RELATIVE_TOLERANCE)
    ]
    return max(best, key=lambda pair: (len(pair[1]), pair[0]))[1]


def sl_icm(
    references,
    predictions,
    average="micro",
    zero_division=0.0,
    information=None,
    prior="spans",
    log_base=2.0,
    matching="mutual",
    alpha1=1,
    alpha2=1,
    beta=2,
):
    """SL-ICM = 3 * sum of I(matched intersections) - sum of I(predicted spans) - sum of I(reference spans).

    With weights: (1 + beta) times the first, alpha1 times the second, alpha2 times the third sum. The normalised value
    is how far the value is from that of an empty output to that of the reference itself.

    I of a set of tokens of a label = -log(N_t / N) + sum over its tokens, in order of position, of
    information(document, token) / rank. Without `information` every token carries exactly 1. Spans are matched within
    one document and label. The normalised value is (SL-ICM + I(S)) / (2 * I(S)) at the default weights, with I(S) the
    sum over the reference spans, and `zero_division` where I(S) is 0. N_t and N always come from the whole reference,
    for one label too.
    """
    references, predictions = _as_sets(references, predictions)
    information = information or _one_bit
    label_information = _label_information(references, prior, log_base)
    matchers = {"mutual": _mutual_matches, "optimal": _optimal_matches}
    if matching not in matchers:
        raise ValueError(f"unknown matching {matching!r}")

    def information_of(document, label, tokens):
        return label_information(label) + _token_information(document, tokens, information)

    def information_of_side(side):
        return math.fsum(
            information_of(index, label, tokens) for index, document in enumerate(side) for label, tokens in document
        )

    def information_of_matches(references, predictions):
        amounts = []
        for index, (reference, predicted) in enumerate(zip(references, predictions, strict=True)):
            for label in _labels([reference], [predicted]):
                matches = matchers[matching](
                    _of_label(reference, label),
                    _of_label(predicted, label),
                    lambda tokens, index=index: _token_information(index, tokens, information),
                )
                amounts += [information_of(index, label, own & other) for own, other in matches]
        return math.fsum(amounts)

    def score(references, predictions):
        of_references = information_of_side(references)
        common, of_predictions = information_of_matches(references, predictions), information_of_side(predictions)
        value = (1 + beta) * common - alpha1 * of_predictions - alpha2 * of_references
        of_nothing, of_itself = -alpha2 * of_references, (1 + beta - alpha1 - alpha2) * of_references
        normalised = (value - of_nothing) / (of_itself - of_nothing) if of_references != 0 else zero_division
        return {"sl_icm": float(value), "sl_icm_norm": float(normalised)}

    return _averaged(score, references, predictions, average, zero_division)

"""The start probabilities of spans that are placed at random without overlap, computed in two ways.

**Sums.** A random arrangement is a random order of m items: k spans and the tokens outside them. A span starts at token
s if the items before it have s tokens in all. An item of length l has an *excess* of l - 1 tokens. Let X_j be the total
excess of j items drawn at random. The probability is Σ_x P(X_(s - x) = x) / m. Let E_i = a - a_i - (k - 1) be the total
excess of the other spans. The probability is constant for E_i <= s <= n - a_i - E_i (Proposition 3), and the two ends
are mirror images. All terms are positive, so even tiny probabilities are accurate to the last digits. Time is
spans x draws x E for each length; draws less likely than 1e-30 are left out. This is fast in sparse documents.

**Integral.** Give each item an independent uniform key and order the items by their keys. The items before span i are
the items with smaller keys, so

    P(start_i = s) = ∫ [z^s] (1 - u + u z)^o Π_(j≠i) (1 - u + u z^(l_j)) du    over u in [0, 1],

where o is the number of tokens outside all spans. The integrand is a polynomial in u. Gauss-Legendre nodes give the
integral, and one inverse Fourier transform for each length gives the coefficients of z. At the angle θ a node
contributes at most exp(-u (1 - u) Σ c_l (1 - cos lθ)), with c_l items of length l; terms below e^-40 are left out.
Nodes u and 1 - u give mirror images, so half of them are enough. The absolute error is below 1e-14, and below 1e-9 of
the largest probability. Time is nodes x remaining frequencies x distinct lengths, for any density of spans.
"""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import numpy as np

from ..exceptions import InputError, counted, setting

VALUES_LIMIT = 1 << 26
"""The maximum number of probabilities for one side, label and document; they take 512 MB."""

WORK_LIMIT = 6_000_000_000
"""The maximum number of factors of the integrand; they take about two minutes."""

_NEGLIGIBLE = 1e-30

_DAMPED = 40.0
"""Contributions below exp(-_DAMPED) are left out."""

_CHEAP = 2_000_000
"""If sums need fewer terms than this, they are always used."""

_TABLE_LIMIT = 1 << 25
"""The maximum number of values in a table of the sums."""

_KEPT_LIMIT = 1 << 24
"""The maximum estimated number of cached probabilities; they take 128 MB."""

_kept: ContextVar[dict[tuple[int, bytes, bytes], list[np.ndarray]] | None] = ContextVar("kept", default=None)

_TERMS_A_FACTOR = 8
"""The number of terms of the sums that take as much time as one factor of the integrand."""


def start_probabilities(tokens: int, lengths: np.ndarray, counts: np.ndarray) -> list[np.ndarray]:
    """Compute the start probabilities of a span of each length, by the method that is estimated to be faster.

    Args:
        tokens: the document's length n.
        lengths: the distinct lengths of the spans, ascending.
        counts: the number of spans of each length.

    Returns:
        An array for each length, of shape (n - length + 1) and sum 1.

    Raises:
        InputError: if the document is too large.
    """
    kept = _kept.get()
    key = (tokens, lengths.tobytes(), counts.tobytes())
    if kept is not None and key in kept:
        return kept[key]
    require_feasible(tokens, lengths, counts)
    sums = _sums_work(tokens, lengths, counts)
    few = sums <= _CHEAP or (sums < math.inf and sums <= _TERMS_A_FACTOR * _Quadrature(tokens, lengths, counts).work)
    probabilities = (by_sums if few else by_integral)(tokens, lengths, counts)
    if kept is not None and (1 + len(kept)) * sum(map(len, probabilities)) <= _KEPT_LIMIT:
        kept[key] = probabilities
    return probabilities


@contextmanager
def kept_probabilities() -> Iterator[None]:
    """Cache probabilities within this context, while annotators are compared in pairs."""
    kept = _kept.get()
    token = _kept.set({} if kept is None else kept)
    try:
        yield
    finally:
        _kept.reset(token)


def work(tokens: int, lengths: np.ndarray, counts: np.ndarray) -> float:
    """Estimate the time of `start_probabilities`, in factors of the integrand (about ten nanoseconds each)."""
    sums = _sums_work(tokens, lengths, counts) / _TERMS_A_FACTOR
    return sums if sums <= _CHEAP else min(sums, _Quadrature(tokens, lengths, counts).work)


def require_feasible(tokens: int, lengths: np.ndarray, counts: np.ndarray) -> None:
    """Raise an `InputError` if the exact probabilities for a document need too much memory or time."""
    needed = ""
    if (values := tokens * max(len(lengths), 1)) > VALUES_LIMIT:
        needed = f"{values:,} probabilities; the limit is {VALUES_LIMIT:,}"
    elif tokens > 100_000 and (steps := work(tokens, lengths, counts)) > WORK_LIMIT:
        needed = f"about {steps:,.0f} steps; the limit is {WORK_LIMIT:,}"
    if needed:
        spans = f"{counted(int(counts.sum()), 'span')} of {counted(len(lengths), 'length')}"
        remedy = f"Set {setting('method', 'uniform')} or {setting('method', 'auto')}, or split the document."
        raise InputError(f"exact chance of {spans} in {tokens:,} tokens needs {needed}.", remedy)


def by_sums(tokens: int, lengths: np.ndarray, counts: np.ndarray) -> list[np.ndarray]:
    """Compute `start_probabilities` by sums of positive terms."""
    return [
        _start_probabilities(tokens - length, np.repeat(lengths, counts - (lengths == length)))
        for length in lengths.tolist()
    ]


def _sums_work(tokens: int, lengths: np.ndarray, counts: np.ndarray) -> float:
    """Estimate the number of terms of `by_sums`; infinity if its tables are too large."""
    annotated, spans = int((lengths * counts).sum()), int(counts.sum())
    terms = 0.0
    for length in lengths.tolist():
        room, long = tokens - length, int(counts[lengths > 1].sum()) - (length > 1)
        edge = min(annotated - length - (spans - 1), room // 2) + 1
        mean = edge * long / max(tokens - annotated + spans - 1, 1)
        most = min(long, edge - 1, mean + 12 * math.sqrt(mean) + 30)
        if edge * (most + 1) > _TABLE_LIMIT:
            return math.inf
        terms += (long + 1) * (most + 1) * edge
    return terms


def by_integral(tokens: int, lengths: np.ndarray, counts: np.ndarray) -> list[np.ndarray]:
    """Compute `start_probabilities` by integration over the items' keys."""
    quadrature = _Quadrature(tokens, lengths, counts)
    size, order, numbers = quadrature.size, quadrature.order, [quadrature.outside, *counts.tolist()]
    # int32 is enough for the roots of unity, because `VALUES_LIMIT` bounds documents
    roots = [(order * length % size).astype(np.int32) for length in (1, *lengths.tolist())]
    # with few frequencies factors are computed directly, with many they are looked up
    limit = size // len(numbers)
    sines = [_sines(of_length[:limit], size) for of_length in roots]
    # ordered by damping, so a node needs the first frequencies
    spectra = [np.zeros(len(order), dtype=complex) for _ in lengths]
    for node, weight, live in zip(quadrature.nodes, quadrature.weights, quadrature.live, strict=True):
        near = [_factors(node, square[:live], product[:live]) for square, product in sines] if live <= limit else []
        everywhere = None if near else _factors(node, *_sines(np.arange(size), size))
        exponent = np.zeros(live, dtype=complex)
        for place, number in enumerate(numbers):
            exponent += number * (near[place][1] if everywhere is None else everywhere[1][roots[place][:live]])
        exponent = weight * np.exp(exponent)
        for place, row in enumerate(spectra, 1):
            row[:live] += exponent / (near[place][0] if everywhere is None else everywhere[0][roots[place][:live]])
    starts = []
    for length in lengths.tolist():
        spectrum = np.empty(len(order), dtype=complex)
        # each is freed as soon as it is transformed
        spectrum[order] = spectra.pop(0)
        half = np.fft.irfft(spectrum, size)[: tokens - length + 1]
        # rounding may make a probability of 0 negative
        starts.append(np.maximum(half + half[::-1], 0.0))
    return starts


class _Quadrature:
    """The nodes and frequencies at which the integrand is evaluated.

    Attributes:
        outside: the number of tokens outside all spans.
        size: the number of roots of unity.
        nodes, weights: the Gauss-Legendre nodes in [0, 1/2] and their weights.
        order: the lower half of the frequencies, ordered by their damping, Σ c_l (1 - cos lθ).
        live: the number of frequencies to evaluate at each node.
        work: the number of factors to compute.
    """

    def __init__(self, tokens: int, lengths: np.ndarray, counts: np.ndarray) -> None:
        self.outside = tokens - int((lengths * counts).sum())
        items = self.outside + int(counts.sum())
        # imported late, because only the quadrature needs it
        from scipy.fft import next_fast_len

        self.size = size = next_fast_len(tokens + 1, real=True)
        frequency = np.arange(size // 2 + 1)
        damping = np.zeros(len(frequency))
        for length, count in zip([1, *lengths.tolist()], [self.outside, *counts.tolist()], strict=True):
            damping += 2 * count * np.sin(np.pi / size * (frequency * length % size)) ** 2
        self.order = np.argsort(damping, kind="stable")
        self.nodes, self.weights = _gauss_legendre(2 * math.ceil(2 * math.sqrt(items) + 15))
        self.live = np.searchsorted(damping[self.order], _DAMPED / (self.nodes * (1 - self.nodes)), side="right")
        self.work = int(self.live.sum()) * (len(lengths) + 1)


def _sines(index: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Compute sin² and sin·cos of half the angle of the roots of unity z = exp(-2πi index / size)."""
    sine, cosine = np.sin(np.pi / size * index), np.cos(np.pi / size * index)
    return sine**2, sine * cosine


def _factors(node: float, square: np.ndarray, product: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Compute 1 - u + u z and its logarithm, given `_sines` of z."""
    factor = np.empty(len(square), dtype=complex)
    factor.real = 1 - 2 * node * square
    factor.imag = -2 * node * product
    logarithm = np.empty(len(square), dtype=complex)
    logarithm.real = 0.5 * np.log1p(-4 * node * (1 - node) * square)
    logarithm.imag = np.arctan2(factor.imag, factor.real)
    return factor, logarithm


def _gauss_legendre(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Compute the lower half of an even number of Gauss-Legendre nodes in [0, 1], and their weights.

    Uses Newton's method from asymptotic values, because `numpy.polynomial.legendre.leggauss` is slow for thousands of
    nodes.
    """
    number = np.arange(1, count // 2 + 1)
    root = np.cos(np.pi * (4 * number - 1) / (4 * count + 2)) * (1 - (count - 1) / (8 * count**3))
    slope = root
    for _ in range(4):
        before, value = np.ones_like(root), root
        for degree in range(2, count + 1):
            before, value = value, ((2 * degree - 1) * root * value - (degree - 1) * before) / degree
        slope = count * (root * value - before) / (root**2 - 1)
        root = root - value / slope
    return (1 - root) / 2, 1 / ((1 - root**2) * slope**2)


def _start_probabilities(room: int, others: np.ndarray) -> np.ndarray:
    """Compute the probabilities of the starts 0 to `room` of one span.

    Args:
        room: the number of tokens outside the span.
        others: the lengths of the other spans, ascending.
    """
    items = room - int(others.sum()) + len(others)
    long = others[others > 1] - 1
    # after the edge the distribution is flat or mirrored
    edge = min(int(long.sum()), room // 2) + 1
    drawn = _long_among_drawn(edge, items, len(long)).T
    # the probability that the first items of a random order have exactly s tokens
    filled = np.zeros(edge)
    for excess, share in zip(_excess_of_drawn(edge, long, len(drawn) - 1), drawn, strict=True):
        filled += _convolve(excess, share, edge)
    filled /= items + 1
    probability = np.full(room + 1, filled[-1])
    probability[:edge] = filled
    probability[room + 1 - edge :] = filled[::-1]
    return probability


def _convolve(first: np.ndarray, second: np.ndarray, size: int) -> np.ndarray:
    """Compute the first `size` terms of the convolution of two arrays of that size."""
    result, used = np.zeros(size), np.flatnonzero(first)
    if len(used):
        result[used[0] :] = np.convolve(first[used[0] : used[-1] + 1], second)[: size - used[0]]
    return result


def _long_among_drawn(draws: int, items: int, long: int) -> np.ndarray:
    """Compute the hypergeometric P(l of j drawn items are long), shape (draws j, numbers l that are not negligible)."""
    most = min(long, draws - 1)
    table = np.zeros((draws, most + 1))
    table[0, 0] = 1.0
    number = np.arange(most + 1)
    reached = 0
    for drawn in range(1, min(draws, items + 1)):
        remaining = items - drawn + 1
        reached = min(most, reached + 1)
        width = reached + 1
        before = table[drawn - 1, :width]
        row = before * ((remaining - long + number[:width]) / remaining)
        row[1:] += before[:-1] * ((long - number[: width - 1]) / remaining)
        table[drawn, :width] = np.maximum(row, 0.0)
        while reached > 1 and table[drawn, reached] < _NEGLIGIBLE and table[drawn, reached - 1] < _NEGLIGIBLE:
            reached -= 1
    return table[:, : np.flatnonzero(table.max(axis=0) > 0)[-1] + 1]


def _excess_of_drawn(size: int, excess: np.ndarray, most: int) -> np.ndarray:
    """Compute P(l random long items have a total excess of x), shape (l up to `most`, x below `size`)."""
    table = np.zeros((most + 1, size))
    table[0, 0] = 1.0
    number = np.arange(most + 1)[:, None]
    for items, own in enumerate(excess.tolist(), start=1):
        chosen = np.minimum(number / items, 1.0)
        width = min(items, most) + 1
        with_it = np.zeros((width, size))
        if own < size:
            with_it[1:, own:] = table[: width - 1, : size - own]
        table[:width] = (1.0 - chosen[:width]) * table[:width] + chosen[:width] * with_it
    return table

"""What would take more memory than a machine has is refused with the figure, before any of it is taken."""

import subprocess
import sys

import numpy as np
import pytest

from spanometer import InputError, Spans
from spanometer.analysis.comparison.significance import PairedResampling
from spanometer.counts.statistics import Resampling
from spanometer.measures import SpanF, chance_kappa_f1
from spanometer.measures.chance_kappa_f1 import ChanceKappaF1

BILLION = 10**9
SPANS = [[{"start": 0, "end": 2, "label": "A"}, {"start": 5, "end": 9, "label": "B"}]]


def test_the_work_of_all_draws_is_bounded(monkeypatch):
    spans = Spans.from_dicts(SPANS * 3, lengths=[12, 12, 12])
    # 12 tokens in 3 documents for 2 labels each
    monkeypatch.setattr(chance_kappa_f1, "MOST_TOKENS_DRAWN", 720)
    ChanceKappaF1(n_simulations=10).counts(spans, spans)
    with pytest.raises(InputError, match=r"11 simulations of 72 tokens take too long\. The maximum is 720") as caught:
        ChanceKappaF1(n_simulations=11).counts(spans, spans)
    assert "n_simulations=10 or less" in str(caught.value)
    monkeypatch.setattr("spanometer.counts.statistics.MOST_DOCUMENTS_DRAWN", 300)
    counts = SpanF().counts(spans, spans)
    SpanF().intervals(counts, Resampling(n_resamples=100))
    with pytest.raises(InputError, match="n_resamples=100 or less"):
        SpanF().intervals(counts, Resampling(n_resamples=101))
    monkeypatch.setattr("spanometer.analysis.comparison.significance.MOST_DOCUMENTS_DRAWN", 300)
    assert len(list(PairedResampling(n_permutations=101).swaps(3))) == 1  # all eight
    assert len(list(PairedResampling(n_permutations=4).swaps(75))) == 1
    with pytest.raises(InputError, match="n_permutations=4 or less"):
        list(PairedResampling(n_permutations=5).swaps(75))


def test_simulations_of_many_labels(monkeypatch):
    spans = Spans.from_dicts(SPANS, lengths=[12])
    monkeypatch.setattr(chance_kappa_f1, "_MOST_SIMULATED", 200)
    ChanceKappaF1(n_simulations=100).counts(spans, spans)
    with pytest.raises(InputError, match="n_simulations=100 or less"):
        ChanceKappaF1(n_simulations=101).counts(spans, spans)


def test_simulations_of_many_documents_are_drawn_block_by_block(monkeypatch):
    """All documents are alike, and drawn together: what is held does not grow with them."""
    documents, simulations = 60, 50
    spans = Spans.from_dicts(SPANS * documents, lengths=[12] * documents)
    measure = ChanceKappaF1(n_simulations=simulations, seed=3)
    whole = measure.counts(spans, spans).simulated
    assert whole.shape == (simulations, 2)
    blocks = []
    shared = chance_kappa_f1.shared_of_spans
    monkeypatch.setattr(chance_kappa_f1, "_DRAWN_AT_ONCE", 1200)
    monkeypatch.setattr(
        chance_kappa_f1,
        "shared_of_spans",
        lambda level, *sides: blocks.append(int(sides[0].document.max()) + 1) or shared(level, *sides),
    )
    parted = measure.counts(spans, spans).simulated
    assert max(blocks) <= 100 < simulations * documents
    assert sum(blocks) == 2 * simulations * documents
    # every simulation is of all documents
    assert np.abs(parted.mean(axis=0) / whole.mean(axis=0) - 1).max() < 0.2


def test_a_document_of_a_billion_tokens():
    """In a process that may not take more than 1 GiB beside what its modules take."""
    script = f"""
import resource, spanometer
from spanometer import InputError, Spans
from spanometer.measures import MEASURES
import scipy.sparse
# the allocator's first block is large
spans = Spans.from_dicts({SPANS!r}, lengths=[{BILLION}])
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 2**30, used + 2**30))
placed = [dict(method=method, placement=placement) for method in ("exact", "uniform", "auto")
          for placement in ("disjoint", "independent", "layers")]
for name, measure in MEASURES.items():
    for options in placed if name == "chance_kappa_f1" else [dict()]:
        try:
            measure(**options).counts(spans, spans).score()
        except InputError as error:
            assert name == "chance_kappa_f1" and "1,000,000,000 tokens" in str(error), error
        else:
            assert name != "chance_kappa_f1"
try:
    spans.to_tags("IOB2")
except InputError as error:
    assert "1,000,000,000 tokens" in str(error)
else:
    raise AssertionError
"""
    subprocess.run([sys.executable, "-c", script], check=True, timeout=300)

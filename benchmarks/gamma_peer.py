"""The process of the benchmark that runs pygamma-agreement: reads units from standard input, writes time and values."""

import json
import sys
import time
import warnings

import numpy as np
from pyannote.core import Segment
from pygamma_agreement import CombinedCategoricalDissimilarity, Continuum


def main() -> None:
    warnings.simplefilter("ignore")
    asked = json.load(sys.stdin)
    dissimilarity = CombinedCategoricalDissimilarity(alpha=3, beta=1, delta_empty=1.0)
    if not asked["samples"]:
        print(json.dumps({"aligned": aligned(continuum_of(asked["units"]).get_best_alignment(dissimilarity))}))
        return
    # compiled before the clock starts
    early = continuum_of([unit for unit in asked["units"] if unit[1] < 200])
    early.compute_gamma(dissimilarity, n_samples=2)
    continuum = continuum_of(asked["units"])
    np.random.seed(0)
    start = time.perf_counter()
    # with its default sampler
    found = continuum.compute_gamma(dissimilarity, n_samples=asked["samples"])
    seconds = time.perf_counter() - start
    print(json.dumps({"seconds": seconds, "gamma": float(found.gamma), "aligned": aligned(found.best_alignment)}))


def continuum_of(units):
    continuum = Continuum()
    for annotator, start, end, label in units:
        continuum.add(str(annotator), Segment(start, end), label)
    return continuum


def aligned(best):
    """Return the boundaries and label of each annotator's unit, or None, in each unitary alignment."""
    return [
        [unit and [unit.segment.start, unit.segment.end, unit.annotation] for _, unit in unitary.n_tuple]
        for unitary in best.unitary_alignments
    ]


if __name__ == "__main__":
    main()

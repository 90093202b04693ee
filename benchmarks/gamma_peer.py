"""pygamma-agreement as a process of the benchmark: units from standard input, time and values to standard output."""

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
    # compiled before the clock starts
    gamma([unit for unit in asked["units"] if unit[1] < 200], dissimilarity, 2)
    np.random.seed(0)
    start = time.perf_counter()
    found = gamma(asked["units"], dissimilarity, asked["samples"])
    seconds = time.perf_counter() - start
    values = {"gamma": float(found.gamma), "disorder": float(found.observed_disorder)}
    print(json.dumps({"seconds": seconds, **values}))


def gamma(units, dissimilarity, samples):
    """Gamma with pygamma-agreement's default sampler."""
    continuum = Continuum()
    for annotator, start, end, label in units:
        continuum.add(str(annotator), Segment(start, end), label)
    return continuum.compute_gamma(dissimilarity, n_samples=samples)


if __name__ == "__main__":
    main()

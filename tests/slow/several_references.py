"""F1 of whole spans against several references, over sets of (label, tokens), and its percentile intervals."""

import numpy as np


def sums(reference, prediction):
    """Right, predicted and reference spans of each document."""
    pairs = zip(reference, prediction, strict=True)
    return np.array([(len(there & here), len(here), len(there)) for there, here in pairs])


def scores(counts):
    right, predicted, reference = counts.sum(axis=0)
    return {
        "precision": right / predicted if predicted else 0.0,
        "recall": right / reference if reference else 0.0,
        "f1": 2 * right / (predicted + reference) if predicted + reference else 0.0,
    }


def together(references, prediction, documents):
    """Both values of some documents (which may occur several times)."""
    counts = [sums(reference, prediction) for reference in references]
    against = [scores(each[documents]) for each in counts]
    return {
        "mean": {key: sum(each[key] for each in against) / len(against) for key in against[0]},
        "best": max(against, key=lambda each: each["f1"]),
    }


def comparison(people, system, documents):
    """The ceiling, the system on the same terms, and the difference, by way and key."""

    def mean(values):
        return {
            way: {key: sum(v[way][key] for v in values) / len(values) for key in values[0][way]} for way in values[0]
        }

    def others(out):
        return [person for place, person in enumerate(people) if place != out]

    ceiling = mean([together(others(out), person, documents) for out, person in enumerate(people)])
    terms = mean([together(others(out), system, documents) for out in range(len(people))])
    difference = {way: {key: terms[way][key] - ceiling[way][key] for key in terms[way]} for way in terms}
    return {"ceiling": ceiling, "same_terms": terms, "differences": difference}


def drawn_documents(size, n_resamples, seed):
    """The documents of each drawn corpus, as the library draws them."""
    generator = np.random.default_rng(seed)
    return [generator.integers(size, size=size, dtype=np.int32) for _ in range(n_resamples)]

"""The scorer for scikit-learn, in its own model selection; also with a model of sklearn-crfsuite."""

import random

import pytest

_WHY = "needs scikit-learn: pip install scikit-learn"
sklearn = pytest.importorskip("sklearn", reason=_WHY)

from sklearn.base import BaseEstimator  # noqa: E402
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score, cross_validate  # noqa: E402

import spanometer  # noqa: E402
from spanometer.integrations.scikit_learn import scorer  # noqa: E402
from spanometer.measures import LinkF  # noqa: E402


class Lookup(BaseEstimator):
    """Gives each word the tag that it had in training, except that it forgets some."""

    def __init__(self, forget=0):
        self.forget = forget

    def fit(self, sentences, tags):
        known = [pair for row in zip(sentences, tags, strict=True) for pair in zip(*row, strict=True)]
        self.known_ = dict(known[self.forget :])
        return self

    def predict(self, sentences):
        return [[self.known_.get(word, "O") for word in sentence] for sentence in sentences]


def corpus(seed=1, sentences=30):
    generator = random.Random(seed)
    words, tags = [], []
    for _ in range(sentences):
        row = [generator.choice("abcdefgh") for _ in range(generator.randrange(3, 7))]
        # a is a person, b begins an organisation that c continues; sometimes they are nothing
        named = {"a": "B-PER", "b": "B-ORG", "c": "I-ORG"}
        tags.append([named.get(word, "O") if generator.random() < 0.8 else "O" for word in row])
        words.append(row)
    return words, tags


def by_hand(measure, key, model, words, tags, **options):
    """The same folds in a plain loop."""
    found = []
    for train, test in KFold(3).split(words):
        model.fit([words[row] for row in train], [tags[row] for row in train])
        predictions = model.predict([words[row] for row in test])
        report = spanometer.score([tags[row] for row in test], predictions, measures=measure, **options)
        found.append(report.results[0].scores[key])
    return found


def test_one_value():
    found = scorer("span_f", key="precision")(Lookup().fit([["a", "b"]], [["B-X", "O"]]), [["a", "a"]], [["B-X", "O"]])
    assert found == 0.5


@pytest.mark.parametrize(
    ("measure", "key", "options"),
    [("span_f", "f1", {}), ("span_f", "recall", {"average": "macro"}), (LinkF(), "f1", {"repair": "discard"})],
    ids=["headline", "another key", "a measure"],
)
def test_cross_validation(measure, key, options):
    words, tags = corpus()
    options = {**options, "scheme": "IOB2"}
    found = cross_val_score(Lookup(), words, tags, cv=KFold(3), scoring=scorer(measure, key=key, **options))
    assert found.tolist() == by_hand(measure, key, Lookup(), words, tags, **options)
    assert len(set(found)) > 1


def test_several_scores_and_a_search():
    words, tags = corpus()
    scoring = {name: scorer(name, scheme="IOB2") for name in ("span_f", "sl_icm")}
    found = cross_validate(Lookup(), words, tags, cv=KFold(3), scoring=scoring)
    assert found["test_sl_icm"].tolist() == by_hand("sl_icm", "sl_icm_norm", Lookup(), words, tags, scheme="IOB2")
    search = GridSearchCV(Lookup(), {"forget": [90, 0]}, scoring=scoring["span_f"], cv=KFold(3)).fit(words, tags)
    assert search.best_params_ == {"forget": 0}


def test_errors_have_a_negative_sign():
    class Entities(Lookup):
        def predict(self, documents):
            return [[] for _ in documents]

    entities = [[{"start": 0, "end": 1, "types": ["pers"]}]]
    # one entity of one is deleted
    assert scorer("eter")(Entities(), [["a"]], entities) == -1


def test_models_of_sklearn_crfsuite():
    crfsuite = pytest.importorskip("sklearn_crfsuite", reason="sklearn-crfsuite is not installed")
    words, tags = corpus()
    features = [
        [{"word": word, "previous": row[place - 1] if place else ""} for place, word in enumerate(row)] for row in words
    ]
    model = crfsuite.CRF(max_iterations=10)
    found = cross_val_score(model, features, tags, cv=KFold(3), scoring=scorer("span_f", scheme="IOB2"))
    assert found.tolist() == by_hand("span_f", "f1", model, features, tags, scheme="IOB2")
    assert found.min() > 0.5

"""The decoding experiment: a tagger's logits, decoded in every way."""

import json
import sys
from dataclasses import replace

import numpy as np
import pytest

from experiments import decoding, tagger
from experiments.decoding import MEASURES, Difference, rivals_of
from experiments.tagger import TaggerSettings, document_folds, window_features
from spanometer import InputError, Spans, plots
from spanometer.analysis.policies.scores import MeasureSpread
from spanometer.measures import Bcubed, SpanF
from spanometer.readers import read, tag_lists
from spanometer.tags.tags import Tags

pytest.importorskip("sklearn", reason="the experiment needs scikit-learn")

QUICK = TaggerSettings(epochs=3, ngrams=3, buckets=1 << 12)


@pytest.fixture(scope="module")
def result():
    return decoding.run(settings=QUICK, folds=3, resamples=50)


def test_table_is_complete(result):
    ways = [row.way for row in result.rows]
    assert ways == [
        *(f"argmax, {policy}" for policy in ("conlleval", "discard", "bes", "convert")),
        *(f"argmax, {which} of 7,744 policies" for which in ("best", "worst", "mean")),
        *("greedy, left to right", "greedy, from guessed starts", "by score", "Viterbi"),
    ]
    for row in result.rows:
        assert set(row.scores) == {measure.name for measure in MEASURES}
        assert np.isfinite(list(row.scores.values())).all()
    assert set(result.differences) == {measure.name for measure in MEASURES}
    assert result.spread.illegal > len(result.spread.affected) > 0


def test_numbers_are_those_of_the_decoded_tags(result):
    held_out = result.held_out
    best = np.array(held_out.labels, dtype=object)[held_out.logits.argmax(axis=1)]
    tags = [part.tolist() for part in np.split(best, held_out.references.offsets[1:-1])]
    references = Spans.from_tags(held_out.references, scheme="IOBES")
    rows = {row.way: row for row in result.rows}
    for policy in ("conlleval", "discard", "bes", "convert"):
        read_tags = Spans.from_tags(tags, scheme="IOBES", repair=policy)
        for measure in MEASURES:
            expected = measure.score(measure.counts(references, read_tags))[measure.headline]
            assert rows[f"argmax, {policy}"].scores[measure.name] == pytest.approx(expected, abs=1e-12)
    for name, found in result.differences.items():
        expected = rows["Viterbi"].scores[name] - rows["argmax, conlleval"].scores[name]
        assert found.value == pytest.approx(expected, abs=1e-12)
        assert found.low < found.high


def test_references_are_those_of_the_corpus(result):
    corpus = decoding._read_example()
    expected = Spans.from_tags(corpus.tags[0])
    found = Spans.from_tags(result.held_out.references, scheme="IOBES", repair="raise")
    assert found.to_dicts() == expected.to_dicts()


def test_same_seed_same_result(result):
    again = decoding.run(settings=QUICK, folds=3, resamples=50, measures=[SpanF()])
    assert np.array_equal(again.held_out.logits, result.held_out.logits)
    assert again.differences == {"span_f": result.differences["span_f"]}
    assert [(row.way, row.scores["span_f"], row.signature) for row in again.rows] == [
        (row.way, row.scores["span_f"], row.signature) for row in result.rows
    ]
    other = decoding.cross_validated(decoding._read_example(), 3, replace(QUICK, seed=1))
    assert not np.array_equal(other.logits, result.held_out.logits)


def test_no_fold_sees_its_own_sentences(monkeypatch):
    seen = []

    class Spy:
        def __init__(self, settings, tags):
            self.tags = tags

        def fit(self, features, tag):
            self.trained = set(features[:, 0].toarray().ravel())
            return self

        def logits(self, features):
            held_out = set(features[:, 0].toarray().ravel())
            assert not held_out & self.trained
            seen.extend(held_out)
            return np.zeros((features.shape[0], self.tags))

    def number_tokens(words, settings):
        from scipy.sparse import csr_matrix

        return csr_matrix(np.arange(1.0, len(words.codes) + 1)[:, None])

    monkeypatch.setattr(decoding, "LinearTagger", Spy)
    monkeypatch.setattr(decoding, "window_features", number_tokens)
    corpus = decoding._read_example()
    decoding.cross_validated(corpus, 4, QUICK)
    assert sorted(seen) == list(range(1, len(corpus.words.codes) + 1))


def spread_of(viterbi, best, *, conlleval=0.5, greedy=0.4, by_score=0.45):
    return MeasureSpread(
        "f1",
        np.array([0.3, conlleval, best]),
        {"conlleval": conlleval, "convert": 0.35},
        {"viterbi": viterbi, "greedy": greedy, "greedy_from_starts": 0.3, "by_score": by_score},
    )


@pytest.mark.parametrize(
    ("found", "rivals", "sentence"),
    [
        (spread_of(0.7, 0.6), [], "Viterbi wins: span_f f1 0.7000 is above all 3 repair policies (best 0.6000)"),
        (spread_of(0.7, 0.7), [decoding._BEST], "Viterbi wins against every way that has a name, not against the"),
        (spread_of(0.45, 0.6), None, "Viterbi does not win: span_f f1 0.4500 is not above the best policy of the"),
        (spread_of(0.55, 0.52, greedy=0.56), ["greedy, left to right"], "not above greedy, left to right (0.5600)"),
    ],
)
def test_statement_follows_from_the_numbers(found, rivals, sentence):
    difference = Difference(found.from_logits["viterbi"] - found.named["conlleval"], -0.01, 0.2, 10)
    text = " ".join(decoding._verdict("span_f", found, difference))
    assert sentence in text
    assert rivals is None or list(rivals_of(found)) == rivals
    assert f"{100 * difference.value:+.2f} points" in text
    assert "too few sentences to tell the two apart" in text
    sure = " ".join(decoding._verdict("span_f", found, replace(difference, low=0.01)))
    assert "more than chance" in sure


def test_statement_names_the_measures_won_and_lost(result):
    measures = (SpanF(), Bcubed())
    spreads = {"span_f": spread_of(0.7, 0.6), "bcubed": spread_of(0.5, 0.6)}
    differences = {"span_f": Difference(0.2, 0.1, 0.3, 10), "bcubed": Difference(0.0, -0.1, 0.3, 10)}
    changed = replace(
        result, measures=measures, differences=differences, spread=replace(result.spread, measures=spreads)
    )
    assert changed.statement.startswith("Viterbi wins")
    assert changed.statement.endswith(
        "Something does as well or better by bcubed. By bcubed the interval of the difference to conlleval includes 0."
    )
    wins = {measure.name: measure.name in result.statement for measure in result.measures}
    assert all(wins.values())
    nothing = replace(result, spread=replace(result.spread, illegal=0))
    assert "nothing to repair" in nothing.statement


def test_markdown_and_json(result):
    text = result.to_markdown()
    assert all(row.way in text for row in result.rows)
    assert result.statement in text
    assert "`span_f|scheme:IOBES|repair:conlleval|decode:argmax|" in text
    entry = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert len(entry["rows"]) == len(result.rows)
    assert entry["viterbi_wins"]["span_f"] == (not rivals_of(result.spread.measures["span_f"]))


def test_train_and_dev_files(tmp_path, capsys):
    corpus = decoding._read_example()
    lines = ["\n".join(f"{word} {tag}" for word, tag in zip(*document, strict=True)) for document in documents(corpus)]
    train, dev = tmp_path / "train.conll", tmp_path / "dev.conll"
    train.write_text("\n\n".join(lines[:150]) + "\n", encoding="utf-8")
    dev.write_text("\n\n".join(lines[150:175]) + "\n", encoding="utf-8")
    assert decoding.main(["--train", str(train), "--dev", str(dev), "--epochs", "2", "--json"]) == 0
    entry = json.loads(capsys.readouterr().out)
    assert entry["sentences"] == 25
    assert entry["corpus"] == "dev.conll"
    assert entry["trained_on"].startswith("train.conll (150 sentences")
    # the same tags in another scheme and another column
    in_bilou = Spans.from_tags(read(train).tags[0]).to_tags("BILOU")
    again = tmp_path / "again.conll"
    rows = [zip(*pair, strict=True) for pair in zip(in_bilou, tag_lists(corpus.words)[:150], strict=True)]
    again.write_text("\n\n".join("\n".join(f"{tag} {word}" for tag, word in row) for row in rows), encoding="utf-8")
    assert decoding._in_scheme(read(again, columns=[1])).names == decoding._in_scheme(read(train)).names


def documents(corpus):
    return zip(tag_lists(corpus.words), tag_lists(corpus.tags[0]), strict=True)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("B-A\n\nO\n", "file.conll: the file has no words."),
        ("a O\nb O\n\nc O\n", "all tokens to train on have the same tag."),
        ("a B-A\nb X-A\n\nc O\n", "file.conll, line 2: 'X-A' has no prefix"),
        ("a B-A\nb O\n", "5 folds of 1 documents."),
    ],
)
def test_bad_files(tmp_path, capsys, text, message):
    file = tmp_path / "file.conll"
    file.write_text(text, encoding="utf-8")
    folds = [] if "folds" in message else ["--folds", "2"]
    assert decoding.main(["--train", str(file), *folds]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_dev_without_train(capsys):
    assert decoding.main(["--dev", "somewhere"]) == 2
    assert "no train file" in capsys.readouterr().err


def test_says_what_to_install(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "sklearn.feature_extraction", None)
    assert decoding.main([]) == 2
    assert "pip install 'spanometer[experiments]'" in capsys.readouterr().err


def test_features_of_the_window():
    words = Tags.from_lists([["a", "b", "a"], ["a"], [], ["b", "a"]])
    settings = TaggerSettings(window=1, buckets=1 << 10)
    features = window_features(words, settings).toarray()
    assert features.shape == (6, 3 * (1 << 10))
    before, own, behind = np.split(features, 3, axis=1)
    alike = lambda side, first, second: np.array_equal(side[first], side[second])  # noqa: E731
    # tokens: a b a | a | b a
    assert alike(own, 0, 2) and alike(own, 1, 4) and not alike(own, 0, 1)
    assert alike(before, 0, 3) and alike(before, 0, 4) and not alike(before, 0, 1)
    assert alike(behind, 2, 3) and alike(behind, 3, 5) and not alike(behind, 0, 3)
    assert alike(features, 2, 5)


def test_logits_of_two_tags_and_of_tags_never_seen():
    from scipy.sparse import csr_matrix

    features = csr_matrix(np.array([[1.0, 0.0], [0.0, 1.0]] * 20))
    scores = tagger.LinearTagger(QUICK, 4).fit(features, np.array([0, 2] * 20)).logits(features)
    assert scores.shape == (40, 4)
    assert np.isneginf(scores[:, [1, 3]]).all()
    assert scores.argmax(axis=1).tolist() == [0, 2] * 20


def test_folds():
    fold = document_folds(11, 3, 0)
    assert sorted(np.bincount(fold)) == [3, 4, 4]
    for folds in (1, 12):
        with pytest.raises(InputError, match="folds of 11 documents"):
            document_folds(11, folds, 0)


def test_plot_is_handed_over(result, monkeypatch):
    drawn = []
    monkeypatch.setattr(plots, "plot_spread", lambda *arguments: drawn.append(arguments))
    decoding.plot(result, "somewhere.png")
    [(spread, path)] = drawn
    assert path == "somewhere.png"
    assert list(spread.measures) == ["span_f"]
    assert spread.illegal == result.spread.illegal


def test_no_picture(capsys):
    # refused before anything is trained
    assert decoding.main(["--plot", "spread.txt"]) == 2
    assert "'spread.txt' is not the name of a picture" in capsys.readouterr().err


def test_multiconer(data, tmp_path):
    train, dev = (data / f"multiconer_es_{part}.conll" for part in ("train", "dev"))
    if not (train.is_file() and dev.is_file()):
        pytest.skip("MultiCoNER is not there")
    part = tmp_path / "train.conll"
    part.write_text("\n\n".join(train.read_text(encoding="utf-8").split("\n\n")[:3000]), encoding="utf-8")
    settings = TaggerSettings(epochs=1, window=1, ngrams=3)
    result = decoding.run(part, dev, settings=settings, measures=[SpanF()], resamples=20)
    assert len(result.held_out.references.lengths) == 800
    assert result.accuracy > 0.8
    scores = {row.way: row.scores["span_f"] for row in result.rows}
    assert scores["Viterbi"] > 0.3

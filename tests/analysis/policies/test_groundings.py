"""The spread over groundings: by hand, policy by policy, against the slow implementation, and on real answers."""

import json
import random

import pytest

from spanometer import Spans
from spanometer.analysis.policies.groundings import grounding_spread
from spanometer.grounding import StringPolicy, ground, ground_strings
from spanometer.measures import LinkF, SpanF
from spanometer.measures.mention_f import MentionF
from spanometer.spans.mentions import Mentions

TEXT = "Paris loves Paris"
GOLD = [{"start": 0, "end": 5, "label": "LOC"}, {"start": 12, "end": 17, "label": "LOC"}]


def test_by_hand():
    # one item: `all` makes both spans of it, every other action at `repeat` one
    spread = grounding_spread([TEXT], ['[["LOC", "Paris"]]'], [GOLD])
    (answers,) = spread.systems.values()
    measure = answers.measures["span_f"]
    assert len(measure.scores) == 9216
    assert (measure.best, measure.worst, measure.mean) == (1.0, 2 / 3, pytest.approx((1 + 7 * 2 / 3) / 8))
    assert answers.different == 2
    assert measure.named["strict"] == 2 / 3
    assert measure.named["spacy-llm-v2"] == 1.0
    effects = spread.effects("answers", "span_f")
    assert {action: score for action, score in effects["repeat"].items() if score == 1} == {"all": 1.0}
    assert set(effects["overlap"].values()) == {2 / 3}
    assert "offsets" not in effects


def test_several_systems():
    # the second system names Paris twice: it is first unless `all` or `first` make the second item surplus
    answers = {"one": [[["LOC", "Paris"]]], "two": [[["LOC", "Paris"], ["LOC", "Paris"]]]}
    spread = grounding_spread([TEXT], answers, [GOLD])
    places = spread.ranks("span_f")
    # equal under `all` and `first` if a surplus item is dropped
    assert (places[:, 1] == 1).mean() == pytest.approx(7 / 8)
    assert (places[:, 0] == 1).mean() == pytest.approx(1 / 4)
    report = spread.to_dict()
    json.dumps(report, allow_nan=False)
    assert report["ranks"]["span_f"]["one"]["rank_shares"] == [0.25, 0.75]
    assert report["ranks"]["span_f"]["two"]["named"] == dict.fromkeys(spread.grid.named, 1)
    assert spread.to_frame("ranks")["first_named"].tolist() == [5, 12]


def test_strings_by_hand():
    # of two mentions one is right under any policy, in lower case the other too; the third is not in the text
    said = '[["LOC", "Paris"], ["LOC", "paris"], ["LOC", "Rome"]]'
    spread = grounding_spread([TEXT], [said], [GOLD], strings=MentionF())
    strings = spread.strings.systems["answers"].measures["mention_f"]
    assert (len(strings.scores), spread.strings.systems["answers"].strict.total["absent"]) == (128, 2)
    assert strings.named["strict-strings"] == pytest.approx(2 / 5)
    assert strings.named["gollie"] == 1.0
    # sets: Paris of Paris and Rome
    assert strings.named["universalner"] == pytest.approx(2 / 3)
    assert (strings.worst, strings.best) == (pytest.approx(0.4), 1.0)
    effects = spread.strings.effects("answers", "mention_f")
    # with each alone: 1 right of 1 and 2; 2 of 3 and 2; 1 of 3 and 1
    assert effects["absent"] == {"drop": pytest.approx(2 / 3), "wrong": pytest.approx(0.4)}
    assert effects["fold"]["case"] == pytest.approx(0.8)
    assert effects["copies"]["set"] == pytest.approx(0.5)
    assert spread.to_frame("string_scores").shape == (10, 2)
    assert "policies for strings  128 (" in str(spread)
    assert grounding_spread([TEXT], [said], [GOLD], strings=None).strings is None


PIECES = ["ab", "cd", "Ab", "ef", "abc", "-", " ", " ", " "]


def random_corpus(rng, documents, parts):
    texts, answers, gold = [], [], []
    for _ in range(documents):
        text = "".join(rng.choices(PIECES, k=rng.randint(1, 14))) + "x"
        items = []
        for _ in range(rng.randint(0, 5)):
            start = rng.randrange(len(text))
            mention = text[start : start + rng.randint(1, 4)]
            items.append([rng.choice(["A", "B", "ODD"]), mention if rng.random() < 0.8 else mention + " cd ef"])
        items = [item for item in items if item[1].strip()]
        texts.append(text)
        said = json.dumps(items)
        answers.append(said if rng.random() < 0.7 else said[: rng.randrange(len(said))])
        places = sorted(rng.sample(range(len(text)), rng.randint(0, min(parts, len(text)))))
        gold.append([{"start": at, "end": at + 1, "label": rng.choice(["A", "B"])} for at in places])
    return texts, answers, gold


@pytest.mark.parametrize("seed", range(3))
def test_policy_by_policy(seed):
    rng = random.Random(seed)
    texts, answers, gold = random_corpus(rng, 12, 4)
    measures = {
        "span_f": SpanF(),
        "macro": SpanF(average="macro"),
        "link_f": LinkF(),
        "documents": SpanF(average="documents"),
    }
    spread = grounding_spread(texts, {"a": answers}, gold, measures=measures, asked_labels=["A", "B"])
    found = spread.systems["a"].measures
    references = Spans.from_dicts(gold)
    for policy in rng.sample(range(len(spread.grid)), 60):
        grounded = ground(texts, answers, policy=spread.grid.policies[policy], asked_labels=["A", "B"])
        sides = grounded.sides(references)
        for name, measure in measures.items():
            expected = measure.score(measure.counts(*sides))["f1"]
            assert found[name].scores[policy] == pytest.approx(expected, abs=1e-12, nan_ok=True)
    named = {
        name: ground(texts, answers, policy=name, asked_labels=["A", "B"]).sides(references)
        for name in spread.grid.named
    }
    assert found["span_f"].named == {name: SpanF().score(SpanF().counts(*sides))["f1"] for name, sides in named.items()}


@pytest.mark.parametrize("measure", [MentionF(), MentionF(average="macro", match_labels=False)], ids=str)
def test_strings_policy_by_policy(measure):
    texts, answers, gold = random_corpus(random.Random(4), 12, 4)
    spread = grounding_spread(texts, {"a": answers, "b": answers[::-1]}, gold, asked_labels=["A", "B"], strings=measure)
    mentions = [
        [(span["label"], text[span["start"] : span["end"]]) for span in spans if text[span["start"]].strip()]
        for text, spans in zip(texts, gold, strict=True)
    ]
    options = {"average": measure.average, "match_labels": measure.match_labels}
    for number, policy in enumerate(StringPolicy.grid()):
        for name, said in (("a", answers), ("b", answers[::-1])):
            grounded = ground_strings(texts, said, policy=policy, asked_labels=["A", "B"])
            compared = MentionF(**policy.compared, **options)
            counts = compared.counts(Mentions.from_pairs(mentions), grounded.mentions)
            expected = compared.score(counts)["f1"]
            assert spread.strings.systems[name].measures["mention_f"].scores[number] == pytest.approx(expected, abs=0)
    places = spread.strings.ranks("mention_f")
    shares = spread.to_dict()["strings"]["ranks"]["mention_f"]["b"]["rank_shares"]
    assert shares[0] == (places[:, 1] == 1).mean()


def test_offsets_are_a_place_where_answers_give_them():
    spread = grounding_spread([TEXT], [[["LOC", "Paris", 12, 17], ["LOC", "Paris", 13, 18]]], [GOLD[1:]])
    assert spread.effects("answers", "span_f")["offsets"] == {
        "ignore": 2 / 3,
        "check": 2 / 3,
        "trust": 2 / 3,
        "nearest": 1.0,
    }
    spread = grounding_spread([TEXT], [[["LOC", "Paris", 12, 17]]], [GOLD[1:]])
    assert spread.effects("answers", "span_f")["offsets"] == {"ignore": 0.0, "check": 1.0, "trust": 1.0, "nearest": 1.0}


def test_documents_are_grounded_some_at_a_time(monkeypatch):
    texts, answers, gold = random_corpus(random.Random(3), 5, 4)
    whole = grounding_spread(texts, answers, gold).systems["answers"]
    monkeypatch.setattr("spanometer.arrays._ROWS", 2)
    found = grounding_spread(texts, answers, gold).systems["answers"]
    assert (found.measures["span_f"].scores == whole.measures["span_f"].scores).all()
    assert found.different == whole.different


def test_without_answers():
    spread = grounding_spread([], [], [], measures=SpanF(zero_division=float("nan")))
    assert spread.to_dict()["systems"]["answers"]["measures"]["span_f"]["best"] is None
    assert "policies   9,216 (1 different here)" in str(spread)


def rows_of(data, name):
    rows = [json.loads(line) for line in (data / "generated" / f"{name}.jsonl").read_text("utf-8").splitlines()]
    return rows, [[{key: span[key] for key in ("start", "end", "label")} for span in row["gold"]] for row in rows]


def test_museum_records(data):
    rows, gold = rows_of(data, "museo_egizio_gpt4omini")
    spread = grounding_spread(
        [row["text"] for row in rows],
        [row["answers"]["gpt-4o-mini"] for row in rows],
        gold,
        asked_labels=["PERSON", "LOCATION"],
        aliases={"PLACE": "LOCATION"},
        tokens=[row["tokens"] for row in rows],
    )
    measure = spread.systems["answers"].measures["span_f"]
    assert (round(min(measure.named.values()), 3), round(max(measure.named.values()), 3)) == (0.702, 0.736)
    strings = spread.strings.systems["answers"].measures["mention_f"]
    assert (round(strings.worst, 3), round(strings.mean, 3), round(strings.best, 3)) == (0.713, 0.725, 0.739)
    # published, of the rules of projects
    assert (round(min(strings.named.values()), 3), round(max(strings.named.values()), 3)) == (0.713, 0.734)
    # published
    assert (round(measure.worst, 3), round(measure.best, 3)) == (0.660, 0.740)
    assert {action: round(score, 3) for action, score in spread.effects("answers", "span_f")["offsets"].items()} == {
        "ignore": 0.713,
        "check": 0.713,
        "trust": 0.51,
        "nearest": 0.713,
    }

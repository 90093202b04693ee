"""Time of grounding answers: many short ones, a long one, and real ones under all policies.

    python benchmarks/grounding.py [--runs 5]

Writes results/grounding.md beside this file, prints it, and says whether each goal is met; the exit status is always 0.
Processor time of one process is measured. Texts and answers consist of random words, with a seed; the memoirs
are the file dses_french_claude_1.jsonl in the folder `generated` of the data.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator
from itertools import islice
from string import ascii_lowercase
from typing import Any

from inputs import data_file

from spanometer.analysis.policies.groundings import grounding_spread
from spanometer.grounding import GroundingPolicy, ground
from spanometer.measures import SpanF
from spanometer.spans.spans import Spans
from tags import Cases, Goal, Timings, shown, table, times, write_processor_times

PACKAGES = ("spanometer", "pyarrow", "numpy")
ANSWERS, ITEMS, CHARACTERS = 10_000, 10, 1_000
LONG, LONG_ITEMS = 1_000_000, 10_000
ONE_IN = 96
"""One in this many policies is run separately."""

LABELS = {"persName": "PER", "placeName": "LOC"}


def made_texts(number: int, size: int, chance: random.Random) -> list[str]:
    """Create texts of words of three to nine letters, from a vocabulary of 3,000.

    An eighth of the words are capitalised.
    """
    words = ["".join(chance.choices(ascii_lowercase, k=chance.randint(3, 9))) for _ in range(3_000)]
    return [
        " ".join(word.capitalize() if chance.random() < 0.125 else word for word in chance.choices(words, k=size // 4))[
            :size
        ]
        for _ in range(number)
    ]


def made_answer(text: str, items: int, chance: random.Random) -> str:
    """Create an answer in JSON: mentions of one or two words of a text; one in twenty has a word that is not in it."""
    words = text.split()
    rows = []
    for _ in range(items):
        first = chance.randrange(len(words) - 1)
        mention = " ".join(words[first : first + chance.choice((1, 1, 1, 2))])
        rows.append([chance.choice(("PER", "LOC")), mention + " Nobody" if chance.random() < 0.05 else mention])
    return json.dumps(rows)


def plainly(texts: list[str], answers: list[str]) -> float:
    """Do the minimum of grounding: parse the answers, and search each mention once."""
    return float(
        sum(
            text.find(mention) >= 0
            for text, said in zip(texts, answers, strict=True)
            for _, mention in json.loads(said)
        )
    )


def placed(texts: list[str], answers: list[str]) -> float:
    """Return the number of items that have a place under `strict`."""
    return float(ground(texts, answers).total["placed"])


def of_made_answers() -> Cases:
    chance = random.Random(0)
    texts = made_texts(ANSWERS, CHARACTERS, chance)
    answers = [made_answer(text, ITEMS, chance) for text in texts]
    long_text = made_texts(1, LONG, chance)
    long_answer = [made_answer(long_text[0], LONG_ITEMS, chance)]
    return {
        "many plainly": lambda: plainly(texts, answers),
        "many": lambda: placed(texts, answers),
        "long plainly": lambda: plainly(long_text, long_answer),
        "long": lambda: placed(long_text, long_answer),
    }


def of_memoirs() -> Cases:
    file = data_file().parent / "generated" / "dses_french_claude_1.jsonl"
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    texts, answers = [row["text"] for row in rows], [row["answers"]["claude"] for row in rows]
    gold = Spans.from_dicts(
        [[{key: span[key] for key in ("start", "end", "label")} for span in row["gold"]] for row in rows]
    )
    options: dict[str, Any] = {"asked_labels": ["PER", "LOC"], "aliases": LABELS}

    def one_by_one() -> float:
        policies = islice(GroundingPolicy.grid(), 0, None, ONE_IN)
        sides = (ground(texts, answers, policy=policy, **options).sides(gold) for policy in policies)
        return max(SpanF().score(SpanF().counts(*both))["f1"] for both in sides)

    return {
        "grid": lambda: grounding_spread(texts, answers, gold, **options).systems["answers"].measures["span_f"].best,
        "one by one": one_by_one,
    }


def report(timings: Timings, goals: list[Goal]) -> Iterator[str]:
    rows: list[Iterable[object]] = []
    for text, name, limit in (
        (f"{ANSWERS:,} answers with {ANSWERS * ITEMS:,} items, texts of {CHARACTERS:,} characters", "many", 3),
        (f"one answer with {LONG_ITEMS:,} items, a text of {LONG:,} characters", "long", 10),
    ):
        plain = f"{name} plainly"
        rows.append((text, shown(timings[plain]), shown(timings[name]), times(timings.ratio(name, plain))))
        goals.append(Goal(f"{text}, seconds", timings[name], limit))
    yield from (
        "## Under `strict`",
        "",
        "The second column uses only `json.loads` and `str.find`. It ignores tokens, repeated mentions "
        "and other formats of answers.",
        "",
    )
    yield from table(("", "json.loads and find", "ground", "ratio"), rows)
    alone = timings["one by one"] * ONE_IN
    yield from ("## Under all 9,216 policies", "", "25 paragraphs of memoirs, 289 items, grounded and scored.", "")
    yield from table(
        ("", "time"),
        [
            ("`grounding_spread`", shown(timings["grid"])),
            (f"policy by policy, from one in {ONE_IN}", shown(alone)),
        ],
    )
    goals.append(Goal("all policies on the memoirs, seconds", timings["grid"], 10))
    goals.append(Goal("policy by policy to all at once", alone / timings["grid"], 10, at_least=True))


def main() -> None:
    write_processor_times(
        "grounding", "Grounding answers", __doc__, PACKAGES, lambda: {**of_made_answers(), **of_memoirs()}, report
    )


if __name__ == "__main__":
    main()

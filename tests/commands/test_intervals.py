"""Confidence intervals on the command line."""

import json
import math

from spanometer import Spans
from spanometer.measures import SpanF

REFERENCES = [["B-A", "I-A", "O"], ["B-B", "O", "B-A"], ["O", "B-A", "I-A"], ["B-A", "O", "O"]]


def written(file, name, rows):
    return file(name, "\n".join("\n".join([*row, ""]) for row in rows))


def test_a_value_that_is_no_number(run, file):
    empty = written(file, "empty.txt", [["O"], ["O"]])
    options = ("--measures", "span_f", "--zero-division", "nan", "--confidence", "0.95", "--json")
    found = json.loads(run("score", empty, empty, *options)[1])["measures"]["span_f"]
    assert found["scores"]["f1"] is None
    assert found["intervals"]["f1"] == [None, None]
    assert math.isnan(SpanF(zero_division=math.nan).score(SpanF().counts(*[Spans.from_tags([["O"]])] * 2))["f1"])


def test_no_interval_of_a_count(run, file):
    paths = [file(name, "<pers> Ada </pers> x\n<loc> Rom </loc>\n") for name in ("gold.ne", "one.ne", "two.ne")]
    compared = json.loads(run("compare", *paths, "--json")[1])["measures"]["eter"]["systems"]["one"]["intervals"]
    scored = json.loads(run("score", *paths[:2], "--confidence", "0.9", "--json")[1])["measures"]["eter"]["intervals"]
    assert set(compared) == set(scored)
    assert {"eter", "ser"} <= set(scored)
    assert {"insertions", "deletions", "references"}.isdisjoint(scored)


def test_intervals_that_are_no_numbers_say_why(run, file):
    single = written(file, "single.txt", REFERENCES[:1])
    empty = written(file, "empty.txt", [["O"], ["O"]])
    shown = run("score", single, single, "--measures", "span_f,link_f", "--confidence", "0.95")[1]
    assert shown.count("Intervals need at least two documents, and there is 1 document.") == 1
    options = ("--measures", "span_f", "--zero-division", "nan", "--confidence", "0.95")
    assert "span_f: an undefined value has no interval" in run("score", empty, empty, *options)[1]
    assert json.loads(run("score", single, single, *options, "--json")[1])["notes"]
    assert "notes" not in json.loads(run("score", empty, empty, "--json")[1])


def test_a_seed_without_draws(run, file):
    """What changes nothing is refused; what draws has the seed, the intervals without each annotator too."""
    rows = [f"w{n} {tag}\n" + "\n" * (n % 3 == 2) for n, tag in enumerate(["B-A", "O", "B-B", "I-B", "O", "B-A"] * 6)]
    paths = [file(f"{n}.conll", "".join(rows[:n]) + "".join(rows[n:]).replace("B-A", "O", n)) for n in (1, 3, 5)]
    for command, *more in (
        ("agree", "--confidence", "0.9"),
        ("agree", "--measures", "chance_kappa_f1(n_simulations=5)"),
        ("agree", "--measures", "gamma"),
        ("score", "--confidence", "0.9"),
        ("agree", "--leave-one-out"),
    ):
        made = [run(command, *paths, *more, "--seed", seed) for seed in ("3", "3", "4")]
        assert [status for status, *_ in made] == [0, 0, 0]
        assert made[0] == made[1] != made[2]


def test_intervals_of_nothing_say_why(run, file):
    nothing, one = file("nothing.conll", "x O\n\ny O\n"), file("one.conll", "x B-A\n")
    output = run("compare", *[nothing] * 3, "--zero-division", "nan", "--measures", "span_f")[1]
    assert "[nan, nan]: an undefined value has no interval." in output
    output = run("compare", one, file("other.conll", "x O\n"), one, "--measures", "span_f")[1]
    assert "Intervals need at least two documents, and there is 1 document." in output
    # before, 1.0000 [1.0000, 1.0000], and p = .001 of the bootstrap
    assert output.count("1.0000 [nan, nan]") == 3 and "***" not in output.replace("*** p", "")
    assert "[nan, nan]" not in run("compare", *[file("two.conll", "x B-A\n\ny B-A\n")] * 3, "--measures", "span_f")[1]


def test_chance_that_is_no_number_is_not_above_1(run, file):
    nothing = file("nothing.conll", "x O\n\ny O\n")
    output = run("score", nothing, nothing, "--zero-division", "nan", "--measures", "chance_kappa_f1")[1]
    assert "nan" in output and "above 1" not in output


def test_sentences_are_not_called_documents(run, file, tmp_path):
    path = file("a.conll", "x B-A\n\ny B-A\n")
    for command in (["consensus", *[path] * 3, "-o", tmp_path / "b.conll"], ["agree", path, path, "--disagreements"]):
        output = "".join(run(*command)[1:])
        assert "2 sentences" in output and "2 documents" not in output

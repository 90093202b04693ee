"""`spanometer advise`, and the lists of spans that it reads."""

import json
import shlex

import pytest

SPANS = (
    '{"spans": [{"start": 0, "end": 2, "label": "A"}, {"start": 1, "end": 3, "label": "B"}], '
    '"tokens": ["a", "b", "c"]}\n'
    '\n{"tokens": ["d"], "spans": []}\n'
)


@pytest.mark.parametrize(
    ("tags", "suggested", "options"), [("BIBI", "token_f", {"format": "IO*"}), ("BBII", "sl_icm", {})]
)
def test_the_command_can_be_run(run, scores, file, tags, suggested, options):
    # spans that touch; a name that needs quotes, a column and a scheme of its own
    path = file("a b.tsv", "".join(f"x {tag}-X O\n" for tag in tags))
    found = scores("advise", path, "--column", "2", "--scheme", "iob2")
    assert (found["measure"], found["options"]) == (suggested, options)
    program, *arguments = shlex.split(found["command"])
    assert program == "spanometer"
    status, output, _ = run(*(path if word == "SYSTEM" else word for word in arguments), "--json")
    assert status == 0
    assert list(json.loads(output)["measures"]) == [suggested]


def test_the_flow_of_the_paper(run, scores, file):
    path = file("a.conll", "".join(f"{tag}-X\n" for tag in "BIIBIIBII"))
    flow = scores("advise", path, "--flow", "paper")
    assert (flow["flow"]["measure"], flow["flow"]["options"]) == ("token_f", {"format": "BIO"})
    assert flow["command"].endswith("--measures 'token_f(format=BIO)'")
    long = scores("advise", path, "--flow", "paper", "--very-long-span", 3)
    assert long["flow"]["measure"] == "sl_icm"
    assert [step["answer"] for step in long["flow"]["steps"]] == [False, True, False, True, None]
    assert scores("advise", path)["flow"] is None
    _, output, _ = run("advise", path, "--flow", "paper")
    assert "the paper's flow  token_f(format='BIO')" in output
    assert "our advice  token_f(format='IO*')" in output
    assert "token_f(format='BIO') lacks overlap in Table 1" in output


def test_words_make_a_difference(scores, file):
    path = file("a.conll", "".join(f"{word} {tag}\n" for word, tag in zip("abaaaa", "BIOBIO", strict=True)))
    found = scores("advise", path)
    assert found["options"] == {"tokens": "words"}
    assert found["command"].endswith("--measures 'sl_icm(token_probabilities=corpus)'")
    assert scores("advise", path, "--information-variation", 2)["measure"] == "token_f"
    assert scores("advise", file("b.conll", "B\nI\nO\n"))["statistics"]["mean_information"] is None
    # the words stand elsewhere
    path = file("c.conll", "".join(f"x {word} {tag}\n" for word, tag in zip("abaaaa", "BIOBIO", strict=True)))
    assert scores("advise", path)["measure"] == "token_f"
    found = scores("advise", path, "--words-column", 2)
    assert "--words-column 2 --measures 'sl_icm(" in found["command"]


def test_lists_of_spans(run, scores, file):
    path = file("a.jsonl", SPANS)
    found = scores("advise", path, "--spans-key", "spans", "--format", "jsonl")
    assert found["statistics"]["overlapping"] == 2
    assert found["statistics"]["tokens"] == 4
    assert found["measure"] == "bcubed"
    assert found["command"] is None
    assert "spanometer score" not in run("advise", path, "--spans-key", "spans", "--format", "jsonl")[1]
    bare = file("b.jsonl", '[{"start": 0, "end": 2, "label": "A"}]\n')
    assert scores("advise", bare, "--spans-key", "spans", "--format", "jsonl")["statistics"]["tokens"] is None

"""How tags were decoded is in the signature too where they are taken as spans, beside a side without tags."""

import json

import pytest

import spanometer
from spanometer.commands.main import main

GOLD = [["B-A", "I-A", "O", "B-B"], ["O", "B-A"]]
# under `discard` the first and the last span go
OUTPUT = [["I-A", "I-A", "O", "B-B"], ["O", "I-A"]]
DOCUMENTS = (
    '{"tokens": ["a", "b", "c", "d"], "spans": [{"start": 0, "end": 2, "label": "A"}, '
    '{"start": 3, "end": 4, "label": "B"}]}\n'
    '{"tokens": ["e", "f"], "spans": [{"start": 1, "end": 2, "label": "A"}]}\n'
)
WORDS = [["a", "b", "c", "d"], ["e", "f"]]


def columns(rows):
    return "\n".join(
        "".join(f"{word} {tag}\n" for word, tag in zip(*pair, strict=True)) for pair in zip(WORDS, rows, strict=True)
    )


@pytest.fixture
def files(tmp_path):
    written = {"gold.jsonl": DOCUMENTS, "gold.conll": columns(GOLD), "system.conll": columns(OUTPUT)}
    for name, text in written.items():
        (tmp_path / name).write_text(text)
    return {name: str(tmp_path / name) for name in written}


@pytest.mark.parametrize(("repair", "f1"), [("conlleval", 1.0), ("discard", 0.5)])
def test_one_side_of_tags(files, repair, f1):
    """By hand: all three spans are right under `conlleval`, one of three is found under `discard`."""
    gold, system = spanometer.read(files["gold.jsonl"]), spanometer.read(files["system.conll"], repair=repair)
    read = f"span_f|input:spans|scheme:IOB2|repair:{repair}|unit:token|match_labels:yes|"
    found = spanometer.score(gold, system).measures["span_f"]
    assert found.scores["f1"] == f1
    assert found.signature.startswith(read)
    of_tags = spanometer.score(GOLD, OUTPUT, scheme="IOB2", repair=repair).measures["span_f"]
    assert of_tags.scores["f1"] == f1
    assert f"|scheme:IOB2|repair:{repair}|" in of_tags.signature
    assert spanometer.errors(gold, system).signature.startswith(read.removesuffix("match_labels:yes|"))
    compared = spanometer.compare(gold, {"one": system, "two": gold}, n_resamples=10, n_permutations=10)
    assert all(f"|scheme:IOB2|repair:{repair}|" in each.signature for each in compared.measures.values())
    agreed = spanometer.agreement({"ann": gold, "ben": system})
    assert all(f"|scheme:IOB2|repair:{repair}|" in signature for signature in agreed.signatures.values())
    against = spanometer.score_against({"ann": gold, "ben": gold}, {"one": system})
    assert f"|scheme:IOB2|repair:{repair}|" in str(against.to_dict())


def test_both_sides_of_tags(files):
    gold = spanometer.read(files["gold.conll"])
    same = spanometer.score(gold, spanometer.read(files["system.conll"])).measures["span_f"].signature
    assert same.startswith("span_f|input:spans|scheme:IOB2|repair:conlleval|unit:token|")
    other = (
        spanometer.score(gold, spanometer.read(files["system.conll"], repair="discard")).measures["span_f"].signature
    )
    assert other.startswith(
        "span_f|input:spans|scheme:IOB2|repair:references=conlleval,predictions=discard|unit:token|"
    )
    systems = {name: spanometer.read(files["system.conll"], repair=name) for name in ("conlleval", "discard")}
    signatures = {
        each.signature
        for each in spanometer.compare(gold, systems, n_resamples=10, n_permutations=10).measures.values()
    }
    expected = "repair:the reference=conlleval,system conlleval=conlleval,system discard=discard|unit:token|"
    assert all(expected in signature for signature in signatures)


def test_no_side_of_tags(files):
    gold = spanometer.read(files["gold.jsonl"])
    signature = spanometer.score(gold, gold).measures["span_f"].signature
    assert signature.startswith("span_f|input:spans|unit:token|match_labels:yes|")


def test_tags_without_prefixes(files, tmp_path):
    (tmp_path / "bare.conll").write_text("a A\nb A\nc O\nd B\n\ne O\nf A\n")
    bare = spanometer.read(tmp_path / "bare.conll", prefix=False)
    start = "span_f|input:spans|scheme:IO|repair:conlleval|prefix:no|unit:token|"
    alone = spanometer.score(spanometer.read(files["gold.jsonl"]), bare).measures["span_f"]
    assert alone.signature.startswith(start)
    beside = spanometer.score(spanometer.read(files["gold.conll"]), bare).measures["span_f"]
    assert "|scheme:references=IOB2,predictions=IO|repair:conlleval|prefix:references=yes,predictions=no|" in (
        beside.signature
    )
    assert alone.scores == beside.scores == {"precision": 1.0, "recall": 1.0, "f1": 1.0}


def test_a_folder_of_files_with_schemes_of_their_own(tmp_path):
    folder = tmp_path / "system"
    folder.mkdir()
    (folder / "1.conll").write_text("a B-A\nb I-A\nc O\nd B-B\n")
    (folder / "2.conll").write_text("e O\nf S-A\n")
    (tmp_path / "gold.jsonl").write_text(DOCUMENTS)
    found = spanometer.score(spanometer.read(tmp_path / "gold.jsonl"), spanometer.read(folder))
    assert "|scheme:IOB2+IOBES|repair:conlleval|" in found.measures["span_f"].signature


def test_tags_of_other_formats(tmp_path):
    """Entities of CoNLL-U that are tags; its brackets are none."""
    rows = "".join(
        f"{place}\t{word}" + "\t_" * 7 + f"\t{misc}\n"
        for place, (word, misc) in enumerate(zip("abcd", ("NE=I-A", "NE=I-A", "_", "NE=B-B"), strict=True), 1)
    )
    (tmp_path / "system.conllu").write_text(rows + "\n")
    file = spanometer.read(tmp_path / "system.conllu", repair="discard")
    assert file.decoding == {"scheme": "IOB2", "repair": "discard"}
    tokens = [{"orth": word, "ner": tag} for word, tag in zip("abc", ("B-A", "L-A", "U-B"), strict=True)]
    paragraphs = [{"sentences": [{"tokens": tokens}]}]
    (tmp_path / "system.json").write_text(json.dumps([{"id": 0, "paragraphs": paragraphs}]))
    file = spanometer.read(tmp_path / "system.json")
    assert file.decoding == {"scheme": "BILOU", "repair": "conlleval"}


@pytest.mark.parametrize("command", ["score", "errors", "agree"])
def test_on_the_command_line(files, capsys, command):
    lines = {}
    for repair in ("conlleval", "discard"):
        assert main([command, files["gold.jsonl"], files["system.conll"], "--repair", repair]) == 0
        lines[repair] = [line for line in capsys.readouterr().out.split("\n") if "|v:" in line]
    assert lines["discard"]
    assert all("|input:spans|scheme:IOB2|repair:discard|unit:token|" in line for line in lines["discard"])
    assert lines["conlleval"] == [line.replace("repair:discard", "repair:conlleval") for line in lines["discard"]]


def test_spans_of_tags_beside_answers_as_strings(tmp_path, files, capsys):
    answers = tmp_path / "answers.jsonl"
    answers.write_text('{"answer": "[{\\"label\\": \\"A\\", \\"text\\": \\"a b\\"}]"}\n{"answer": "[]"}\n')
    command = ["score", files["system.conll"], str(answers), "--grounding", "strict-strings", "--repair", "discard"]
    assert main(command) == 0
    assert "mention_f|scheme:IOB2|repair:discard|grounding:" in capsys.readouterr().out

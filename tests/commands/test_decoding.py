"""The commands about illegal tags: validate, repair, convert, spread."""

import gzip
import io
import json
import math
import os
import stat
import subprocess
import sys

import numpy as np
import pytest

from spanometer.analysis.spread import policy_spread
from spanometer.commands.main import main
from spanometer.commands.spread import ANY, choices_of
from spanometer.measures import SpanF
from spanometer.readers import Rewriter, read, tag_lists

ILLEGAL = "Ada B-PER\nLovelace I-PER\nslept O\n\nin O\nRome I-LOC\n# a longer comment\ntoday I-PER\n"
MENDED = "Ada B-PER\nLovelace I-PER\nslept O\n\nin O\nRome B-LOC\n# a longer comment\ntoday B-PER\n"
LEGAL = "Ada B-PER\nLovelace I-PER\nslept O\n\nin O\nRome B-LOC\n"
IOBES = "Ada B-PER\nLovelace E-PER\nslept O\n\nin O\nRome S-LOC\n"


@pytest.fixture
def written(capsysbinary):
    """What a run that goes well writes to standard output, as bytes."""

    def call(*arguments):
        status = main([str(argument) for argument in arguments])
        captured = capsysbinary.readouterr()
        assert (status, captured.err) == (0, b"")
        return captured.out

    return call


@pytest.fixture
def standard_input(monkeypatch):
    """Put bytes into standard input."""

    def put(content):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))

    return put


# validate


def test_validate(run, file):
    path = file("a.conll", ILLEGAL)
    status, output, complaint = run("validate", path)
    assert (status, complaint) == (1, "")
    assert output.splitlines() == [
        f"{path}:6: I-LOC after O (conlleval, convert: LOC 6; discard: nothing)",
        f"{path}:8: I-PER after I-LOC (conlleval, convert: LOC 6 and PER 8; discard: nothing)",
        f"{path}, column 2: 2 illegal pairs in 1 of 2 documents (IOB2, inferred from the prefixes). "
        "Spans: conlleval 3, discard 1, convert 3.",
    ]


def test_validate_names_both_ends_of_a_document(run, file):
    path = file("a", "I-A\nO\nB-A\n\nO\n")
    _, output, _ = run("validate", path, "--scheme", "bilou")
    assert output.splitlines()[:-1] == [
        f"{path}:1: I-A at the beginning (conlleval, convert: A 1; discard, bes: nothing)",
        f"{path}:2: O after I-A (conlleval, convert: A 1; discard, bes: nothing)",
        f"{path}:3: B-A at the end (conlleval, bes, convert: A 3; discard: nothing)",
    ]
    assert output.splitlines()[-1].endswith("(BILOU). Spans: conlleval 2, discard 0, bes 1, convert 2.")


def test_validate_legal(run, file):
    path = file("a.conll", LEGAL)
    assert run("validate", path) == (
        0,
        f"{path}, column 2: no illegal pairs in 2 documents (IOB2, inferred from the prefixes).\n",
        "",
    )
    status, output, _ = run("validate", path, "--json")
    assert status == 0
    assert json.loads(output)["columns"][0]["illegal_pairs"] == []


def test_validate_columns(run, file):
    path = file("a.conll", "x B-A I-A\ny I-A I-A\n")
    status, output, _ = run("validate", path, "--column", 2, "--column", 3, "--scheme", "IOB2")
    assert status == 1
    assert output.splitlines() == [
        f"{path}:1: column 3: I-A at the beginning (conlleval, convert: A 1-2; discard: nothing)",
        f"{path}, column 2: no illegal pairs in 1 document (IOB2).",
        f"{path}, column 3: 1 illegal pair in 1 of 1 document (IOB2). Spans: conlleval 1, discard 0, convert 1.",
    ]


def test_validate_json_lines(run, file):
    path = file("a.jsonl", '["O"]\n\n{"tags": ["O", "I-A", "I-A"]}\n["B-A"]\n')
    status, output, _ = run("validate", path, "--scheme", "iob2")
    assert status == 1
    assert output.splitlines()[0] == (f"{path}:3: token 1: I-A after O (conlleval, convert: A 1-2; discard: nothing)")


def test_validate_as_json(run, file):
    path = file("a.conll", ILLEGAL)
    status, output, _ = run("validate", path, "--json")
    assert status == 1
    report = json.loads(output)
    assert report["file"] == path
    (column,) = report["columns"]
    pairs = column.pop("illegal_pairs")
    assert column == {
        "column": "column 2",
        "scheme": "IOB2",
        "documents": 2,
        "tokens": 6,
        "affected_documents": 1,
        "spans": {"conlleval": 3, "discard": 1, "convert": 3},
    }
    location = {"label": "LOC", "start": 1, "end": 2}
    assert pairs[0] == {
        "line": 6,
        "document": 1,
        "token": 1,
        "previous": "O",
        "tag": "I-LOC",
        "policies": {"conlleval": [location], "discard": [], "convert": [location]},
    }
    ends = json.loads(run("validate", file("b", "I-A\nB-A\n"), "--scheme", "IOBES", "--json")[1])
    found = [(pair["previous"], pair["tag"]) for pair in ends["columns"][0]["illegal_pairs"]]
    assert found == [(None, "I-A"), ("I-A", "B-A"), ("B-A", None)]


def test_validate_standard_input(run, standard_input):
    standard_input(ILLEGAL.encode())
    status, output, _ = run("validate", "-")
    assert status == 1
    assert output.startswith("standard input:6: I-LOC after O")


def test_validate_gzip(run, file):
    path = file("a.gz", gzip.compress(ILLEGAL.encode()))
    assert run("validate", path)[1].startswith(f"{path}:6: ")


@pytest.mark.parametrize(
    ("content", "arguments", "said"),
    [
        (b"", [], "the file is empty."),
        (b"\xff\xff\n", [], "line 1: the byte 0xff is not UTF-8."),
        (b"O\nX-A\n", [], "line 2: 'X-A' has no prefix of any known scheme"),
        (
            b"O\nL-A\n",
            ["--scheme", "IOB2"],
            "line 2: 'L-A' has no prefix of IOB2 (I, B and O); L is a prefix of BILOU.",
        ),
        (
            b"O\nS-B\n",
            ["--scheme", "IOB2"],
            "line 2: 'S-B' has no prefix of IOB2 (I, B and O); S is a prefix of IOBES,",
        ),
        (b"a O\n", ["--column", "7"], "column 7 does not exist"),
        (b"a O\n", ["--column", "2", "--column", "-1"], "one column is named twice."),
        (b'{"a": ["O"]}\n', ["--column", "a", "--column", "a"], "one column is named twice."),
        (b"O\n", ["--scheme", "IOB9"], "invalid value for --scheme: 'IOB9'"),
    ],
)
def test_validate_complaints(complaint, file, content, arguments, said):
    assert said in complaint("validate", file("bad", content), *arguments)


def test_validate_is_quick(file):
    # a file of this size takes longer where every token costs a step of Python
    pytest.importorskip("resource")
    sentence = "w\tB-PER\n" + "w\tI-PER\n" * 2 + "w\tO\n" * 17 + "\n"
    path = file("a", sentence * 10_000 + "w\tI-LOC\n")
    code = (
        "import resource, sys; from spanometer.commands.main import main\n"
        f"main(['validate', {file('b', LEGAL)!r}])\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_utime\n"
        f"main(['validate', {path!r}])\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_utime - before)"
    )
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "1 illegal pair in 1 of 10,001 documents" in output
    assert float(output.splitlines()[-1]) < 1.0


# repair


def test_repair(written, file):
    path = file("a.conll", ILLEGAL)
    assert written("repair", path, "--policy", "conlleval") == MENDED.encode()
    discarded = ILLEGAL.replace("I-LOC", "O").replace("today I-PER", "today O")
    assert written("repair", path, "--policy", "discard") == discarded.encode()
    assert written("repair", path, "--policy", "discard", "--to", "iobes") == (
        discarded.replace("Lovelace I-PER", "Lovelace E-PER").encode()
    )
    assert read(path).tags[0].names == ("B-PER", "I-PER", "O", "I-LOC")


def test_repair_under_the_scheme_that_is_named(written, file):
    path = file("a.conll", ILLEGAL)
    assert written("repair", path, "--policy", "conlleval", "--scheme", "IOB1") == (
        ILLEGAL.replace("B-PER", "I-PER").encode()
    )


@pytest.mark.parametrize("policy", ["conlleval", "discard", "bes", "convert"])
def test_repaired_files_are_legal(run, file, policy, tmp_path):
    path = file("a", "I-A\nE-A\nO\nB-A\nS-B\n\nI-B\nE-A\n\nB-A\nO\nE-B\n")
    assert run("validate", path)[0] == 1
    assert run("repair", path, "--policy", policy, "--to", "IOBES", "-o", tmp_path / "b")[0] == 0
    assert run("validate", tmp_path / "b", "--scheme", "IOBES")[0] == 0


def test_everything_else_stays(written, file):
    content = b"\xef\xbb\xbfform\tner\tx\r\n# a\r\nA\t I-X \t\xc2\xa0\r\n\r\n\r\n\tO\tI-X\r\n \t\r\nB\tI-X\t "
    expected = content.replace(b" I-X ", b" B-X ").replace(b"B\tI-X", b"B\tB-X")
    path = file("a", content)
    assert written("repair", path, "--policy", "conlleval", "--column", "ner", "--scheme", "IOB2") == expected
    packed = file("a.gz", gzip.compress(content))
    output = written("repair", packed, "--policy", "conlleval", "--column", 2, "--scheme", "IOB2")
    assert output[:2] == b"\x1f\x8b"
    assert gzip.decompress(output) == expected


def test_repair_standard_input(written, standard_input):
    for content in (ILLEGAL.encode(), gzip.compress(ILLEGAL.encode())):
        standard_input(content)
        output = written("repair", "-", "--policy", "conlleval")
        assert (gzip.decompress(output) if output[:2] == b"\x1f\x8b" else output) == MENDED.encode()


def test_in_place(run, file):
    path = file("a.conll", ILLEGAL)
    os.chmod(path, 0o604)
    assert run("repair", path, "--policy", "conlleval", "--in-place") == (
        0,
        f"{path}: 2 of 6 tags changed (conlleval).\n",
        "",
    )
    with open(path, "rb") as stream:
        assert stream.read() == MENDED.encode()
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o604
    before = os.stat(path)
    assert run("repair", path, "--policy", "conlleval", "--in-place")[1] == (
        f"{path}: 0 of 6 tags changed (conlleval).\n"
    )
    assert os.stat(path) == before


def test_in_place_gzip_and_link(run, file, tmp_path):
    path = file("a.gz", gzip.compress(LEGAL.encode()))
    os.symlink("a.gz", tmp_path / "link")
    assert run("convert", tmp_path / "link", "--to", "IOBES", "--in-place")[1] == (
        f"{tmp_path / 'link'}: 2 of 5 tags changed (to IOBES).\n"
    )
    assert os.path.islink(tmp_path / "link")
    with open(path, "rb") as stream:
        assert gzip.decompress(stream.read()) == IOBES.encode()
    assert sorted(os.listdir(tmp_path)) == ["a.gz", "link"]


def test_an_error_midway_leaves_the_file(complaint, file, monkeypatch, tmp_path):
    path = file("a.conll", ILLEGAL * 3)
    whole = Rewriter.blocks

    def blocks(self, source):
        yield next(whole(self, source))[:10]
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Rewriter, "blocks", blocks)
    for arguments in (["--in-place"], ["-o", path, "--force"], ["-o", tmp_path / "b"]):
        assert complaint("repair", path, "--policy", "conlleval", *arguments).endswith("no space left on device.")
        assert os.listdir(tmp_path) == ["a.conll"]
        with open(path) as stream:
            assert stream.read() == ILLEGAL * 3


def test_output(run, complaint, file, tmp_path):
    path, out = file("a.conll", ILLEGAL), tmp_path / "b.conll"
    command = ["repair", path, "--policy", "conlleval", "-o", out]
    assert run(*command) == (0, f"{out}: 2 of 6 tags changed (conlleval).\n", "")
    assert out.read_text() == MENDED
    out.write_text("precious")
    out.chmod(0o600)
    assert complaint(*command) == (f"spanometer: {out}: the file exists already. Choose another name, or add --force.")
    assert out.read_text() == "precious"
    assert run(*command, "--force")[0] == 0
    assert out.read_text() == MENDED
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    assert "exists already" in complaint("repair", path, "--policy", "conlleval", "-o", path)
    packed = tmp_path / "b.gz"
    assert run(*command[:-1], packed, "--force")[0] == 0
    assert gzip.decompress(packed.read_bytes()) == MENDED.encode()


def test_output_to_standard_output(written, file):
    assert written("convert", file("a", "B-A\n"), "--to", "IOBES", "-o", "-") == b"S-A\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["repair", "FILE"], "the following arguments are required: --policy"),
        (["repair", "FILE", "--policy", "raise"], "invalid value for --policy: 'raise'. Use one of 'conlleval', "),
        (["repair", "FILE", "--policy", "bes"], "--policy bes needs a scheme with tags for B, E, S; IOB2 has none"),
        (["repair", "FILE", "--policy", "bes", "--scheme", "IOE2"], "needs a scheme with tags for B, E, S"),
        (["repair", "FILE", "--policy", "discard", "--to", "X"], "invalid value for --to: 'X'."),
        (["convert", "FILE"], "the following arguments are required: --to"),
        (["convert", "FILE", "--to", "BIO"], "invalid value for --to: 'BIO'. Use one of 'IO', "),
        (["convert", "FILE", "--to", "IO", "--from", "X"], "invalid value for --from: 'X'."),
        (["convert", "FILE", "--to", "IO", "-o", "x", "--in-place"], "--in-place and -o exclude each other."),
        (["convert", "-", "--to", "IO", "--in-place"], "standard input cannot be replaced."),
        (["convert", "FILE", "--to", "IO", "--force"], "there is no -o."),
        (["convert", "FILE", "--to", "IO", "-o", "-", "--force"], "there is no -o."),
        (["convert", "FILE", "--to", "IO", "-o", "/"], "/: this is a folder."),
        (["convert", "FILE", "--to", "IO", "-o", "/no/such/folder"], "/no/such/folder: no such file or directory."),
        (["convert", "none", "--to", "IO"], "none: cannot be read: no such file or directory."),
        (["convert", "/", "--to", "IO"], "/: cannot be read: is a directory."),
        (["convert", "FILE", "--to", "IO", "--column", "2", "--column", "2"], "one column is named twice."),
    ],
)
def test_rewriting_complaints(complaint, file, arguments, said):
    path = file("a.conll", LEGAL)
    found = complaint(*(path if argument == "FILE" else argument for argument in arguments))
    assert said in found
    assert read(path).tags[0].names == ("B-PER", "I-PER", "O", "B-LOC")


# convert


def test_convert(written, file):
    assert written("convert", file("a", LEGAL), "--to", "IOBES") == IOBES.encode()
    assert written("convert", file("b", IOBES), "--to", "IOB2") == LEGAL.encode()
    lines = file("a.jsonl", b'{"id": 1.0, "tags": ["B-A","I-A"]}\r\n')
    assert written("convert", lines, "--to", "BMES") == b'{"id": 1.0, "tags": ["B-A","E-A"]}\r\n'
    assert written("convert", file("c", "x B O\ny I O\n"), "--to", "IOBES", "--column", 2) == b"x B O\ny E O\n"


def test_convert_outside(written, file):
    content = b"a\t_\nb\tB-A\n"
    assert written("convert", file("a", content), "--to", "IOBES", "--outside", "_") == b"a\t_\nb\tS-A\n"


def test_illegal_files_are_not_converted(complaint, file):
    path = file("a.conll", ILLEGAL)
    assert complaint("convert", path, "--to", "IOBES") == (
        f"spanometer: {path}, line 6: 'I-LOC' cannot follow 'O' in IOB2 (inferred from the prefixes), so the spans are "
        "not certain. Choose how to handle illegal tags with spanometer repair --policy ... --to IOBES, or name the "
        "scheme with --from"
    )
    lines = file("a.jsonl", '["O"]\n["O", "I-A"]\n')
    assert f"{lines}, line 2, token 1: 'I-A' cannot follow" in complaint(
        "convert", lines, "--to", "IO", "--from", "IOB2"
    )


def test_io_cannot_part_spans(complaint, file):
    path = file("a", "O\n\nB-A\nB-A\n")
    assert complaint("convert", path, "--to", "IO") == (
        f"spanometer: {path}, line 4: a span of 'A' would melt into the one before it in IO tags. Choose another "
        "scheme, or pass spans in place of tags."
    )
    assert "line 4" in complaint("repair", path, "--policy", "conlleval", "--to", "IO")


def test_round_trip_of_a_corpus(written, file, data):
    with open(data / "conll03_test_tags.tsv", "rb") as stream:
        content = stream.read()
    both = ["--column", "1", "--column", "2"]
    for scheme in ("IOB1", "IOE1", "IOE2", "IOBES", "BILOU", "BMES"):
        there = file("there", written("convert", file("here", content), *both, "--to", scheme, "--from", "IOB2"))
        assert written("convert", there, *both, "--to", "IOB2", "--from", scheme) == content


def test_processes_with_pipes(file):
    command = [sys.executable, "-m", "spanometer"]
    done = subprocess.run(
        [*command, "convert", "-", "--to", "IOBES"], input=LEGAL.encode(), capture_output=True, check=True
    )
    assert done.stdout == IOBES.encode()
    if os.name == "posix":
        done = subprocess.run(
            [*command, "convert", "/dev/stdin", "--to", "IOBES", "-o", "/dev/stdout"],
            input=LEGAL.encode(),
            capture_output=True,
            check=True,
        )
        assert done.stdout.startswith(IOBES.encode())


# spread

GOLD = "B-A\nE-A\nO\n\nS-B\nO\nB-A\nE-A\n"
SYSTEM = "B-A\nI-A\nO\n\nS-B\nO\nB-A\nE-B\n"


@pytest.fixture
def sides(file):
    return file("gold.conll", GOLD), file("system.conll", SYSTEM)


@pytest.fixture
def logits(tmp_path):
    """Logits whose highest labels are those of SYSTEM."""
    labels = ["O", *(f"{prefix}-{label}" for label in "AB" for prefix in "BIES")]
    generator = np.random.default_rng(0)
    arrays = []
    for document in SYSTEM.split("\n\n"):
        tags = document.split()
        array = generator.normal(size=(len(tags), len(labels)))
        array[np.arange(len(tags)), [labels.index(tag) for tag in tags]] += 6
        arrays.append(array)
    path = tmp_path / "logits.npz"
    np.savez(path, *arrays, labels=np.array(labels))
    return path


def expected_spread(sides, **options):
    references, predictions = (tag_lists(read(path).tags[0]) for path in sides)
    return policy_spread(references, predictions, scheme="IOBES", **options)


def test_spread(run, sides):
    status, output, complaint = run("spread", *sides)
    assert (status, complaint) == (0, "")
    lines = output.splitlines()
    assert lines[:4] == [
        f"reference   {sides[0]}, column 1",
        f"prediction  {sides[1]}, column 1",
        "illegal     2 pairs in 2 of 2 documents",
        "policies    7,744 (IOBES)",
    ]
    found = {line.split()[0]: line.split()[1] for line in lines[5:] if len(line.split()) == 2}
    spread = expected_spread(sides).measures["span_f"]
    assert found.pop("span_f", None) is None
    shown = {"best": spread.best, "mean": spread.mean, "worst": spread.worst, **spread.named}
    assert {name: found[name] for name in shown} == {name: f"{score:.4f}" for name, score in shown.items()}
    (choices,) = (line.split("  ") for line in lines if line.startswith("an O while a span is open"))
    assert [choice.strip() for choice in choices if choice.strip()][1:] == ["close", "absorb"]
    assert any(line.startswith("a B while a span is open") and line.count(ANY) == 2 for line in lines)


def test_spread_as_json(run, sides):
    status, output, _ = run("spread", *sides, "--measure", "span_f,link_f", "--json")
    assert status == 0
    report = json.loads(output)
    assert report["reference"] == {"file": sides[0], "column": "column 1"}
    assert [report[key] for key in ("scheme", "policies", "documents", "illegal_pairs", "affected_documents")] == [
        "IOBES",
        7744,
        2,
        2,
        2,
    ]
    spread = expected_spread(sides)
    measure = report["measures"]["span_f"]
    assert measure["key"] == "f1"
    assert measure["named"] == spread.measures["span_f"].named
    assert (measure["best"], measure["worst"]) == (spread.measures["span_f"].best, spread.measures["span_f"].worst)
    assert measure["from_logits"] == {}
    assert list(report["measures"]) == ["span_f", "link_f"]
    assert measure["best_choices"] == choices_of(spread.measures["span_f"], spread, measure["best"])


def test_choices_make_the_score():
    spread = policy_spread([["B-A", "E-A", "O"]], [["B-A", "I-A", "O"]], scheme="IOBES")
    measure = spread.measures["span_f"]
    for score in (measure.best, measure.worst):
        choices = choices_of(measure, spread, score)
        assert {place for place, action in choices.items() if action != ANY} == {"O"}
        for index in range(len(spread.grid)):
            policy = spread.grid.describe(index)
            if all(action in (ANY, policy[place]) for place, action in choices.items()):
                assert measure.scores[index] == score
    assert choices_of(measure, spread, measure.best)["O"] == "close"


def test_spread_of_legal_tags(run, file):
    path = file("a", GOLD)
    status, output, _ = run("spread", path, path)
    assert status == 0
    assert output.endswith("\nThere is nothing to repair: all policies read these tags alike.\n")


def test_spread_without_spans(run, file):
    path = file("a", "O\n")
    status, output, _ = run("spread", path, path, "--scheme", "IOB2", "--zero-division", "nan", "--json")
    assert status == 0
    measure = json.loads(output)["measures"]["span_f"]
    assert measure["best"] is measure["best_choices"] is measure["named"]["discard"] is None
    assert run("spread", path, path, "--scheme", "IOB2", "--zero-division", "nan")[0] == 0
    assert math.isnan(
        policy_spread([["O"]], [["O"]], scheme="IOB2", measures=[SpanF(zero_division=math.nan)]).measures["span_f"].mean
    )


def test_spread_of_columns(run, file):
    path = file("a", "x B-A I-A\ny I-A I-A\n")
    status, output, _ = run("spread", path, "--reference-column", 2, "--prediction-column", 3, "--scheme", "IOB2")
    assert status == 0
    assert "12 (IOB2)" in output


def test_spread_with_logits(run, sides, logits):
    with_both = json.loads(run("spread", *sides, "--logits", logits, "--json")[1])
    alone = json.loads(run("spread", sides[0], "--logits", logits, "--json")[1])
    assert alone["measures"] == with_both["measures"]
    assert alone["prediction"] is None
    assert list(alone["measures"]["span_f"]["from_logits"]) == ["viterbi", "greedy", "by_score"]
    status, output, _ = run("spread", sides[0], "--logits", logits)
    assert status == 0
    assert "prediction  highest logits\n" in output
    assert f"logits      {logits}\n" in output
    assert "viterbi" in output


def test_spread_options(run, sides):
    macro = json.loads(run("spread", *sides, "--average", "macro", "--json")[1])["measures"]["span_f"]
    assert macro["best"] == expected_spread(sides, measures=[SpanF(average="macro")]).measures["span_f"].best


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["GOLD"], "with one file, both of its columns must be named."),
        (["GOLD", "SYSTEM", "--scheme", "IOB2"], "GOLD, line 2: 'E-A' has no prefix of IOB2"),
        (["ONE", "ONE", "--scheme", "IOB1"], "no grid of repair policies for IOB1."),
        (["GOLD", "SYSTEM", "--measure", "x"], "unknown measure 'x'."),
        (["GOLD", "SYSTEM", "--prior", "tokens"], "--prior is an option of sl_icm, which is not computed."),
        (["GOLD", "SHORT"], "has 3 tokens, the predicted one"),
        (["GOLD", "BAD"], "BAD, line 2: 'X-A' has no prefix"),
        (["GOLD", "BAD", "--scheme", "IOBES"], "BAD, line 2: 'X-A' has no prefix"),
        (["GOLD", "SYSTEM", "--logits", "none"], "none: cannot be read: no such file or directory."),
        (["SHORT", "--logits", "LOGITS"], "LOGITS: logits of 2 documents, 1 reference documents."),
        (["LONG", "--logits", "LOGITS"], "LOGITS, document 1: logits of 4 tokens, but the reference has 5 (LONG, "),
        (["ONE", "SHORT", "--logits", "LOGITS"], "1 token"),
        (
            ["GOLD", "SYSTEM", "--plot", "gold.conll"],
            "'gold.conll' is not the name of a picture. End it in .png, .svg, .pdf.",
        ),
    ],
)
def test_spread_complaints(complaint, file, sides, logits, arguments, said):
    paths = {
        "GOLD": sides[0],
        "SYSTEM": sides[1],
        "SHORT": file("short", "O\nO\n"),
        "LONG": file("long", GOLD + "O\n"),
        "ONE": file("one", "I-A\n"),
        "BAD": file("bad", SYSTEM.replace("I-A", "X-A")),
        "LOGITS": str(logits),
    }
    found = complaint("spread", *(paths.get(argument, argument) for argument in arguments))
    for name, path in paths.items():
        found = found.replace(path, name)
    assert said in found


# pictures


@pytest.fixture
def matplotlib():
    """Skip where there is no matplotlib; an old one may warn."""
    return pytest.importorskip("matplotlib")


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_plot(run, sides, logits, tmp_path, matplotlib):
    path = tmp_path / "spread.png"
    status, _, complaint = run("spread", *sides, "--logits", logits, "--measure", "span_f,sl_icm", "--plot", path)
    assert (status, complaint) == (0, "")
    assert path.read_bytes().startswith(b"\x89PNG")


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_without_matplotlib(complaint, sides, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    assert complaint("spread", *sides, "--plot", tmp_path / "a.png") == (
        "spanometer: pictures need matplotlib, which is not installed. "
        "Install it: pip install 'matplotlib>=3.8' (the extra plots)."
    )
    assert not (tmp_path / "a.png").exists()


def test_what_is_not_needed_is_not_imported(sides):
    code = (
        "import sys; from spanometer.commands.main import main\n"
        f"main(['validate', {sides[1]!r}]); main(['convert', {sides[0]!r}, '--to', 'BMES'])\n"
        f"main(['spread', {sides[0]!r}, {sides[1]!r}])\n"
        "print([name for name in ('evaluate', 'datasets', 'pandas', 'matplotlib') if name in sys.modules])"
    )
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert output.splitlines()[-1] == "[]"


@pytest.mark.parametrize("command", ["validate", "repair", "convert", "spread"])
def test_help(run, command):
    status, output, _ = run(command, "--help")
    assert status == 0
    assert f"spanometer {command}" in output
    assert max(map(len, output.splitlines())) <= 80

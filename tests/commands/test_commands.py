"""The command line: what it prints, and how it leaves."""

import gzip
import io
import json
import math
import os
import re
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import spanometer
from spanometer.analysis.results import Report
from spanometer.commands import demo
from spanometer.commands.screen import page, show
from spanometer.commands.tables import Copyable, label_tables, score_tables
from spanometer.measures import MEASURES, SlIcm, SpanF
from spanometer.readers import read, tag_lists
from spanometer.spans.spans import Spans, pair_from_tags

REFERENCE = "Ada B-PER\nLovelace I-PER\nslept O\n\nin O\nRome B-LOC\n"
PREDICTION = "Ada B-PER\nLovelace O\nslept O\n\nin B-LOC\nRome I-LOC\n"
OFFLINE = {"HF_HUB_OFFLINE": "1", "HF_EVALUATE_OFFLINE": "1"}


@pytest.fixture
def pair(file):
    return file("gold.conll", REFERENCE), file("system.conll", PREDICTION)


@pytest.fixture
def scores(run):
    """The JSON object of a run that goes well."""

    def call(*arguments):
        status, output, complaint = run("score", *arguments, "--json")
        assert (status, complaint) == (0, "")
        return json.loads(output)

    return call


def columns(*rows):
    """A file's text from rows such as `word tag tag`, None between documents."""
    return "".join("\n" if row is None else row + "\n" for row in rows)


# tables


def test_table(run, pair):
    status, output, complaint = run("score", *pair)
    assert (status, complaint) == (0, "")
    lines = output.splitlines()
    assert lines[0] == f"reference   {pair[0]}, column 2"
    assert lines[1] == f"prediction  {pair[1]}, column 2"
    assert lines[2] == "size        2 documents, 5 tokens, 2 reference spans, 2 predicted spans"
    found = {line.split()[0]: line.split()[1:] for line in lines if line and line.split()[0] in MEASURES}
    assert found["span_f"] == ["0.0000", "0.0000", "0.0000"]
    assert found["token_f"] == ["0.6667", "0.6667", "0.6667"]
    assert found["link_f"] == ["0.5000", "0.5000", "0.5000"]
    assert found["intersection_f"] == ["0.7500", "0.7500", "0.7500"]
    assert len(found["sl_icm"]) == 2
    assert found["chance_kappa_f1"] == ["0.6667", "0.5556", "0.2500"]
    assert len(found["unitizing_alpha"]) == 3
    signatures = [line for line in lines if "|v:" in line]
    assert [line.partition("|")[0] for line in signatures] == list(MEASURES)
    assert all("|scheme:IOB2|repair:conlleval|" in line for line in signatures)


def test_per_label(run, pair):
    _, output, _ = run("score", *pair, "--measure", "link_f", "--per-label")
    table = output[output.rindex("link_f ") :].splitlines()
    assert table[0].split() == ["link_f", "precision", "recall", "f1", "support"]
    assert [line.split() for line in table[2:4]] == [
        ["LOC", "0.3333", "1.0000", "0.5000", "1"],
        ["PER", "1.0000", "0.3333", "0.5000", "1"],
    ]


def test_nothing_is_cut_where_there_is_no_terminal(run, file, monkeypatch):
    monkeypatch.setenv("COLUMNS", "30")
    label = "urn:label:[bold]" + "x" * 300
    path = file("a.conll", f"a B-{label}\n")
    _, output, _ = run("score", path, path, "--per-label")
    rows = [line.split() for line in output.splitlines() if line.startswith(label)]
    assert rows[:6] == [[label, "1.0000", "1.0000", "1.0000", "1"]] * 5 + [[label, "1.0000", "1.0000", "1"]]
    # all of the text is one span: there is no other way to annotate it
    assert rows[6:] == [[label, "1.0000", "1.0000", "0.0000", "1"], [label, "0.0000", "0.0000", "0.0000", "1"]]
    assert "…" not in output
    assert "\x1b" not in output


@pytest.mark.parametrize("width", [20, 44, 80, 120])
def test_numbers_are_whole_on_narrow_terminals(width, monkeypatch):
    label = "label-" * 20
    spans = Spans.from_tags([[f"B-{label}", "O", "B-X"]])
    report = Report.of(spans, spans, [kind() for kind in MEASURES.values()], {"scheme": "IOB2"})
    console = page()
    console.file = io.StringIO()
    console.width = width
    signatures = (Copyable(result.signature) for result in report.results)
    show(console, *score_tables(report), *label_tables(report), *signatures)
    output = console.file.getvalue()
    assert "…" not in output
    assert output.count("1.0000") >= 5 * 3 * 3
    assert output.count(label) == 0 or width > 120
    folded = re.sub(r"\s|─", "", "".join(line[: max(12, width - 50)] for line in output.splitlines()))
    assert "label-label-" in folded
    assert max(map(len, (line for line in output.splitlines() if "|" not in line))) <= max(width, 64)


def test_no_color(pair, monkeypatch):
    environment = {**os.environ, **OFFLINE, "FORCE_COLOR": "1", "TERM": "xterm-256color"}
    environment.pop("NO_COLOR", None)
    command = [sys.executable, "-m", "spanometer", "score", *pair]
    colored = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    plain = subprocess.run([*command, "--no-color"], env=environment, capture_output=True, text=True, check=True).stdout
    assert "\x1b[" in colored
    assert "\x1b[" not in plain


# JSON


def test_json(scores, pair):
    found = scores(*pair)
    assert found["spanometer"] == spanometer.__version__
    assert found["reference"] == {"file": pair[0], "column": "column 2"}
    assert found["prediction"] == {"file": pair[1], "column": "column 2"}
    assert (found["documents"], found["tokens"]) == (2, 5)
    assert (found["reference_spans"], found["predicted_spans"]) == (2, 2)
    assert list(found["measures"]) == list(MEASURES)
    link_f = found["measures"]["link_f"]
    assert link_f["scores"] == {"precision": 0.5, "recall": 0.5, "f1": 0.5}
    assert link_f["counts"] == {"both": 2, "predicted": 4, "reference": 4, "reference_spans": 2}
    assert link_f["signature"].startswith("link_f|scheme:IOB2|repair:conlleval|")
    assert set(link_f) == {"scores", "counts", "signature"}


def test_json_per_label(scores, pair):
    found = scores(*pair, "--per-label")["measures"]["link_f"]["per_label"]
    assert found["PER"] == {"precision": 1.0, "recall": pytest.approx(1 / 3), "f1": 0.5, "support": 1}


def test_json_has_no_nan(scores, file):
    path = file("a.conll", "O\nO\n")
    found = scores(path, path, "--zero-division", "nan")["measures"]
    assert found["span_f"]["scores"] == {"precision": None, "recall": None, "f1": None}


def test_json_is_what_the_measures_say(scores, pair):
    found = scores(*pair)
    spans = pair_from_tags(*(tag_lists(read(path).tags[0]) for path in pair))[:2]
    for name, kind in MEASURES.items():
        measure = kind()
        assert found["measures"][name]["scores"] == measure.score(measure.counts(*spans))


# options


def test_measures(scores, pair):
    assert list(scores(*pair, "--measure", "sl_icm, span_f", "--measure", "link_f,span_f")["measures"]) == [
        "sl_icm",
        "span_f",
        "link_f",
    ]


def test_options_beyond_chance(scores, complaint, pair):
    options = ["--measure", "chance_kappa_f1,unitizing_alpha", "--simulations", "20", "--seed", "3"]
    found = scores(*pair, *options, "--level", "span", "--method", "auto", "--variant", "1995")["measures"]
    assert list(found["chance_kappa_f1"]["scores"]) == ["f1", "chance_f1", "kappa_f1", "chance_f1_std", "p_value"]
    signature = found["chance_kappa_f1"]["signature"]
    assert "|level:span|placement:disjoint|method:auto|uniform_threshold:0.99|n_simulations:20|seed:3|" in signature
    assert "|variant:1995|" in found["unitizing_alpha"]["signature"]
    assert "invalid value for --level: 'word'" in complaint("score", *pair, "--level", "word")
    assert "invalid value for --simulations: -1" in complaint("score", *pair, "--simulations", "-1")
    problem = complaint("score", *pair, "--variant", "1995", "--measure", "span_f")
    assert "--variant is an option of unitizing_alpha, which is not computed" in problem


def test_columns(scores, file):
    path = file("both.tsv", "# columns: token gold system\nAda\tB-PER\tB-PER\n\nRome\tB-LOC\tO\n")
    for gold, system in (("2", "3"), ("gold", "system"), ("-2", "-1")):
        found = scores(path, "--reference-column", gold, "--prediction-column", system)
        assert found["measures"]["span_f"]["scores"]["recall"] == 0.5
        assert found["reference"] == {"file": path, "column": "gold"}
        assert found["prediction"] == {"file": path, "column": "system"}
    assert scores(path, path, "--column", "gold")["measures"]["span_f"]["scores"]["f1"] == 1.0
    assert scores(path, path, "--column", "gold", "--prediction-column", "3")["measures"]["span_f"]["scores"]["f1"] < 1


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_forms_of_files_can_be_mixed(scores, file, pack):
    gold = file("gold", pack(REFERENCE.encode()))
    tags_only = file("tags", pack(re.sub(r"(?m)^\S+ ", "", PREDICTION).encode()))
    lines = file("lines", pack(b'["B-PER", "O", "O"]\n{"tags": ["B-LOC", "I-LOC"]}\n'))
    expected = scores(gold, file("system", PREDICTION))["measures"]
    assert scores(gold, tags_only)["measures"] == expected
    assert scores(gold, lines)["measures"] == expected


def test_json_lines_with_both_sides(scores, file):
    path = file("both.jsonl", '{"gold": ["B-X", "O"], "system": ["B-X", "B-X"]}\n')
    found = scores(path, "--reference-column", "gold", "--prediction-column", "system")
    assert found["measures"]["span_f"]["counts"]["both"] == 1


def test_format(complaint, pair):
    assert "this is not JSON" in complaint("score", *pair, "--format", "jsonl")
    assert "invalid value for --format: 'xml'. Use one of" in complaint("score", *pair, "--format", "xml")


def test_standard_input(scores, pair, monkeypatch):
    class Stdin:
        buffer = io.BytesIO(gzip.compress(PREDICTION.encode()))

    monkeypatch.setattr(sys, "stdin", Stdin)
    found = scores(pair[0], "-")
    assert found["prediction"]["file"] == "standard input"
    assert found["measures"]["link_f"]["scores"]["f1"] == 0.5


def test_scheme_and_repair(scores, file):
    gold, system = file("g", "B-X\nI-X\nI-Y\n"), file("s", "I-X\nI-X\nO\n")
    assert scores(gold, system)["measures"]["span_f"]["counts"] == {"both": 1, "predicted": 1, "reference": 2}
    assert scores(gold, system, "--repair", "discard")["measures"]["span_f"]["counts"]["predicted"] == 0
    found = scores(gold, system, "--scheme", "iob1")["measures"]["span_f"]["signature"]
    assert found.startswith("span_f|scheme:IOB1|repair:conlleval|")


def test_average_and_zero_division(scores, file):
    gold, system = file("g", "B-X\nB-X\nB-Y\n"), file("s", "B-X\nB-X\nO\n")
    recall = {
        average: scores(gold, system, "--average", average)["measures"]["span_f"]["scores"]["recall"]
        for average in ("micro", "macro", "weighted")
    }
    assert recall == {"micro": pytest.approx(2 / 3), "macro": 0.5, "weighted": pytest.approx(2 / 3)}
    found = scores(file("o", "O\n"), file("p", "O\n"), "--zero-division", "1")["measures"]["span_f"]
    assert found["scores"]["f1"] == 1.0
    assert "|zero_division:1|" in found["signature"]


@pytest.mark.parametrize(
    ("arguments", "written"),
    [
        (["--token-format", "BIOES"], "format:BIOES"),
        (["--token-format", "IO*"], "format:IO*"),
        (["--cap"], "cap:yes"),
        (["--prior", "tokens"], "prior:tokens"),
        (["--log-base", "10"], "log_base:10"),
        (["--matching", "optimal"], "matching:optimal"),
        (["--token-probability", "0.25"], "token_probabilities:0.25"),
        (["--corpus-probabilities"], "token_probabilities:corpus"),
    ],
)
def test_own_options(scores, pair, arguments, written):
    signatures = [measure["signature"] for measure in scores(*pair, *arguments)["measures"].values()]
    assert sum(f"|{written}|" in signature for signature in signatures) == 1


def test_corpus_probabilities(scores, file):
    text = columns("Ada X B-PER", "Ada Y I-PER", "slept Z O", None, "Rome X B-LOC")
    path = file("g", text)
    spans = Spans.from_tags([["B-PER", "I-PER", "O"], ["B-LOC"]])
    for arguments, words in (
        ([], [["Ada", "Ada", "slept"], ["Rome"]]),
        (["--words-column", "2"], [["X", "Y", "Z"], ["X"]]),
    ):
        measure = SlIcm(tokens=words)
        found = scores(path, path, "--corpus-probabilities", *arguments)["measures"]["sl_icm"]
        assert found["scores"] == measure.score(measure.counts(spans, spans))


def test_documents_and_outside(scores, file):
    path = file("h", "# document_id = 1\nx\t_\n\ny\tB-X\n# document_id = 2\nz\t_\n")
    assert scores(path, path, "--documents", "document_id", "--outside", "_")["documents"] == 2


# complaints


def test_lines_are_named(complaint, pair, file):
    bad = file("bad.conll", PREDICTION.replace("I-LOC", "LOC-I"))
    assert complaint("score", pair[0], bad) == (
        f"spanometer: {bad}, line 6: 'LOC-I' has its prefix after its label; any known scheme reads prefix-label "
        "(B, E, I, L, M, S, U and O). Write it as 'I-LOC'."
    )
    assert f"{bad}, line 6: 'LOC-I'" in complaint("score", bad, pair[1])
    lines = file("bad.jsonl", '["B-PER", "O", "O"]\n\n["O", "LOC"]\n')
    assert f"{lines}, line 3, token 1: 'LOC' has no prefix" in complaint("score", pair[0], lines)


def test_illegal_tags_under_raise(complaint, file):
    path = file("a", "O\nI-X\nB-X\n")
    assert f"{path}, line 2:" in complaint("score", path, path, "--repair", "raise", "--scheme", "IOB2")


def test_options_are_written_as_on_the_command_line(complaint, file, pair):
    path = file("a", "L-X\nM-X\n")
    assert "Name the scheme with --scheme, and" in complaint("score", path, path)
    assert "invalid value for --log-base: 1.0" in complaint("score", *pair, "--log-base", "1")
    assert "invalid value for --token-format: 'IOX'" in complaint("score", *pair, "--token-format", "IOX")
    assert "invalid probability --token-probability: 2.0." in complaint("score", *pair, "--token-probability", "2")


def test_different_lengths(complaint, pair, file):
    short = file("short.conll", PREDICTION.replace("in B-LOC\n", ""))
    assert complaint("score", pair[0], short) == (
        f"spanometer: {pair[0]}, line 5: the reference document that begins here has 2 tokens, the predicted one "
        f"({short}, line 5) has 1 token. Both sides must annotate the same tokens; was the text tokenised twice?"
    )
    joined = file("joined.conll", PREDICTION.replace("\n\n", "\n"))
    assert "do the documents end at the same places?" in complaint("score", pair[0], joined)
    long = file("long.conll", PREDICTION + "\nmore O\n")
    assert f"{long}, line 8: 3 predicted documents, 2 reference documents" in complaint("score", pair[0], long)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["score"], "required: REFERENCE"),
        (["score", "{0}"], "Give --reference-column and --prediction-column, or a second file."),
        (["score", "{0}", "--column", "2"], "Give --reference-column and --prediction-column"),
        (["score", "{0}", "--reference-column", "2", "--prediction-column", "-1"], "the same column (column 2)"),
        (["score", "-", "-"], "two files are standard input."),
        (["score", "{0}", "{1}", "--column", "3"], "{0}, line 1: column 3 does not exist"),
        (["score", "{0}", "{1}", "--column", "ner"], "{0}: unknown column 'ner'"),
        (["score", "{0}", "{1}", "--column", "1"], "{0}, line 1: 'Ada' has no prefix"),
        (["score", "{0}", "{1}", "--measure", "span"], "unknown measure 'span'. The measures are span_f,"),
        (["score", "{0}", "{1}", "--scheme", "BIO"], "invalid value for --scheme: 'BIO'"),
        (["score", "{0}", "{1}", "--repair", "none"], "invalid value for --repair: 'none'"),
        (["score", "{0}", "{1}", "--repair", "bes"], "--repair bes needs a scheme"),
        (["score", "{0}", "{1}", "--average", "none"], "invalid value for --average: 'none'"),
        (["score", "{0}", "{1}", "--zero-division", "2"], "invalid value for --zero-division: '2'"),
        (["score", "{0}", "{1}", "--zero-division", "x"], "invalid value for --zero-division: 'x'"),
        (["score", "{0}", "{1}", "--prior", "none"], "invalid value for --prior: 'none'"),
        (["score", "{0}", "{1}", "--cap", "--measure", "span_f"], "--cap is an option of intersection_f"),
        (["score", "{0}", "{1}", "--log-base", "3", "--measure", "span_f"], "Add sl_icm to --measure."),
        (["score", "{0}", "{1}", "--token-probability", "1", "--corpus-probabilities"], "Leave out one of the two."),
        (["score", "{0}", "{1}", "--corpus-probabilities", "--measure", "span_f"], "is an option of sl_icm, which"),
        (["score", "{0}", "{1}", "--documents", "id"], "the file has no '# id = ...'"),
        (["score", "{0}", "{1}", "--bogus"], "unrecognized arguments: --bogus"),
        (["score", "{0}", "{1}", "--meas", "span_f"], "unrecognized arguments: --meas"),
        (["score", "{0}", "{1}", "{1}"], "unrecognized arguments"),
        (["scores"], "invalid choice: 'scores'"),
        ([], "required: COMMAND"),
    ],
)
def test_complaints(complaint, pair, arguments, said):
    assert said.format(*pair) in complaint(*(argument.format(*pair) for argument in arguments))


def test_corpus_probabilities_need_words(complaint, file):
    path = file("tags", "O\nB-X\n")
    assert f"{path}: --corpus-probabilities needs words" in complaint("score", path, path, "--corpus-probabilities")


def test_files_that_cannot_be_opened(complaint, pair, tmp_path):
    assert f"{tmp_path / 'none'}: cannot be read: no such file" in complaint("score", tmp_path / "none", pair[1])
    assert f"{tmp_path}: cannot be read: is a directory" in complaint("score", pair[0], tmp_path)
    assert "cannot be read" in complaint("score", pair[0], "a\0b")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_files_that_may_not_be_read(complaint, pair):
    os.chmod(pair[1], 0)
    assert f"{pair[1]}: cannot be read: permission denied" in complaint("score", *pair)


def test_permission_errors_are_told(complaint, pair, monkeypatch):
    def refuse(path, mode):
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr("builtins.open", refuse)
    assert f"{pair[0]}: cannot be read: permission denied." in complaint("score", *pair)


def test_a_complaint_is_one_line_whatever_the_file_is_called(complaint, file):
    path = file("a\nb\x1b[31m", "")
    assert "a\\nb\\x1b[31m: the file is empty." in complaint("score", path, path)


@pytest.mark.parametrize(
    ("content", "said"),
    [(b"", "empty"), (b"O\n\0\n", "line 2: a NUL"), (b"O\n\nO\xff\n", "line 3: the byte"), (b"O\nO O\n", "line 2: 2")],
)
def test_bad_files(complaint, pair, file, content, said):
    assert said in complaint("score", pair[0], file("bad", content))


# the process


def process(*arguments, **options):
    environment = {**os.environ, **OFFLINE, "PYTHONIOENCODING": "utf-8"}
    return subprocess.run(
        [sys.executable, "-m", "spanometer", *arguments],
        env=environment,
        capture_output=True,
        encoding="utf-8",
        check=False,
        **options,
    )


def test_process(pair):
    good = process("score", *pair, "--json")
    assert (good.returncode, good.stderr) == (0, "")
    assert json.loads(good.stdout)["documents"] == 2
    bad = process("score", pair[0], "none")
    assert (bad.returncode, bad.stdout) == (2, "")
    assert bad.stderr == "spanometer: none: cannot be read: no such file or directory.\n"


def test_process_with_standard_input(pair):
    assert json.loads(process("score", pair[0], "-", "--json", input=PREDICTION).stdout)["tokens"] == 5


def test_version_and_help(run):
    assert run("--version")[:2] == (0, f"spanometer {spanometer.__version__}\n")
    status, output, _ = run("--help")
    assert status == 0
    assert "score" in output
    assert "demo" in output
    status, output, _ = run("score", "--help")
    assert status == 0
    assert all(re.search(rf"\b{name}\b", output) for name in MEASURES)


def test_what_is_not_needed_is_not_imported(pair):
    code = (
        "import sys; from spanometer.commands.main import main\n"
        f"main(['score', {pair[0]!r}, {pair[1]!r}])\n"
        "print([name for name in ('evaluate', 'datasets', 'pandas') if name in sys.modules])"
    )
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert output.splitlines()[-1] == "[]"
    code = "import sys; from spanometer.commands import main; main._parser()"
    code += "; print('scipy' in sys.modules, 'rich' in sys.modules)"
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert output == "False False\n"


@pytest.mark.skipif(os.name == "nt", reason="needs pipes of POSIX")
@pytest.mark.parametrize("form", [[], ["--json"]])
def test_a_closed_pipe_is_no_error(pair, form):
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "spanometer", "score", *pair, *form], stdout=writing, stderr=subprocess.PIPE, check=False
    )
    os.close(writing)
    assert done.stderr == b""
    assert done.returncode == 141


def test_ascii_output(file):
    path = file("a", "B-ж\n")
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    command = [sys.executable, "-m", "spanometer", "score", path, path, "--per-label"]
    done = subprocess.run(command, env=environment, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"\\u0436" in done.stdout


# the demo


def test_demo(run):
    status, output, complaint = run("demo")
    assert (status, complaint) == (0, "")
    for system in demo.SYSTEMS:
        assert re.search(rf"^{system}( +\d\.\d{{4}}){{6}}$", output, re.MULTILINE)
        assert re.search(rf"^{system}( +\d\.\d{{4}}){{4}}$", output, re.MULTILINE)
    for repair in ("conlleval", "discard"):
        assert re.search(rf"^{repair}( +\d\.\d{{4}}){{6}}$", output, re.MULTILINE)
    assert len(re.findall(r"^\w+\|scheme:IOB2\|repair:conlleval\|.*v:", output, re.MULTILINE)) == 8
    assert "spanometer score REFERENCE PREDICTION" in output
    assert max(len(line) for line in output.splitlines() if re.match("─", line)) <= 80


def test_demo_and_score_agree(run, scores):
    with demo.resources.as_file(demo.resources.files("spanometer") / "data" / "example.conll") as path:
        _, output, _ = run("demo")
        for system in demo.SYSTEMS:
            found = scores(path, "--reference-column", "reference", "--prediction-column", system)
            rows = [line.split()[1:] for line in output.splitlines() if re.match(rf"{system} +\d", line)]
            values = {name: result["scores"] for name, result in found["measures"].items()}
            assert rows[0] == [f"{values[name][MEASURES[name].headline]:.4f}" for name in demo.MODULES]
            beyond = [*values["chance_kappa_f1"].values(), values["unitizing_alpha"]["alpha"]]
            assert rows[1] == [f"{value:.4f}" for value in beyond]


def test_demo_shows_every_measure():
    assert {*demo.MODULES, *demo.CHANCE_MODULES} == set(MEASURES)


# report


def test_report_counts_over_one_alignment(monkeypatch):
    spans = Spans.from_tags([["B-X", "O"]])
    built = []
    original = spanometer.measures.aligned.Alignment

    def alignment(*sides):
        built.append(sides)
        return original(*sides)

    monkeypatch.setattr(spanometer.measures.aligned, "Alignment", alignment)
    report = Report.of(spans, spans, [SpanF(), SlIcm()], {"scheme": "IOB2", "repair": "discard"})
    assert len(built) == 1
    assert report.size == "1 document, 2 tokens, 1 reference span, 1 predicted span"
    assert report.results[0].signature.startswith("span_f|scheme:IOB2|repair:discard|")
    assert math.isclose(report.results[1].scores["sl_icm_norm"], 1.0)


def test_report_without_lengths():
    spans = Spans.from_dicts([[{"start": 0, "end": 2, "label": "X"}]])
    report = Report.of(spans, spans, [SpanF()], {"input": "spans"})
    assert report.tokens is None
    assert report.size == "1 document, 1 reference span, 1 predicted span"
    json.dumps(report.to_dict(per_label=True), allow_nan=False)


# the corpora


def test_corpora(scores, data):
    found = scores(data / "multiconer_es_dev.conll", data / "multiconer_es_dev_system.conll")
    assert (found["documents"], found["tokens"], found["reference_spans"]) == (800, 13_931, 1_176)
    found = scores(data / "conll03_test_tags.tsv", "--reference-column", "1", "--prediction-column", "2")
    assert (found["reference_spans"], found["predicted_spans"]) == (5_648, 5_682)


def test_hipe(scores, data):
    found = scores(
        data / "hipe2020_test_fr.tsv",
        data / "hipe2020_team1_bundle3_fr_1.tsv",
        "--column=NE-COARSE-LIT",
        "--documents=document_id",
        "--outside=_",
    )
    counts = found["measures"]["span_f"]["counts"]
    assert (counts["both"], counts["predicted"], counts["reference"]) == (1217, 1217 + 397, 1217 + 383)


def test_a_cluster_needs_dask(complaint, monkeypatch, tmp_path):
    # None in place of a module is one that cannot be imported
    monkeypatch.setitem(sys.modules, "distributed", None)
    pq.write_table(pa.table({"references": [["B-A"]], "predictions": [["B-A"]]}), tmp_path / "a.parquet")
    line = complaint("score", tmp_path, "--cluster", "local", "--scheme", "IOB2")
    assert line == 'spanometer: Dask is not installed. Install it: pip install "spanometer[dask]".'

"""`spanometer score`: tables, JSON, options and complaints."""

import gzip
import io
import json
import os
import re
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import spanometer
from spanometer.measures import MEASURES, FMeasure, SlIcm
from spanometer.readers import read, tag_lists
from spanometer.spans.spans import Spans, pair_from_tags

REFERENCE = "Ada B-PER\nLovelace I-PER\nslept O\n\nin O\nRome B-LOC\n"
PREDICTION = "Ada B-PER\nLovelace O\nslept O\n\nin B-LOC\nRome I-LOC\n"

BY_DEFAULT = [name for name, measure in MEASURES.items() if measure.by_default]


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


def test_table(run, pair):
    status, output, complaint = run("score", *pair)
    assert (status, complaint) == (0, "")
    lines = output.splitlines()
    assert lines[0] == f"reference   {pair[0]}, column 2"
    assert lines[1] == f"prediction  {pair[1]}, column 2"
    assert (
        lines[2]
        == "size        2 sentences (no document boundaries found), 5 tokens, 2 reference spans, 2 predicted spans"
    )
    found = {line.split()[0]: line.split()[1:] for line in lines if line and line.split()[0] in MEASURES}
    assert found["span_f"] == ["0.0000", "0.0000", "0.0000"]
    assert found["token_f"] == ["0.6667", "0.6667", "0.6667"]
    assert found["link_f"] == ["0.5000", "0.5000", "0.5000"]
    assert found["intersection_f"] == ["0.7500", "0.7500", "0.7500"]
    assert len(found["sl_icm"]) == 2
    assert found["chance_kappa_f1"] == ["0.6667", "0.5556", "0.2500"]
    assert len(found["unitizing_alpha"]) == 3
    signatures = [line for line in lines if "|v:" in line]
    assert [line.partition("|")[0] for line in signatures] == BY_DEFAULT
    assert all("|scheme:IOB2|repair:conlleval|" in line for line in signatures)


def test_per_label(run, pair):
    _, output, _ = run("score", *pair, "--measure", "link_f", "--per-label")
    table = output[output.rindex("link_f ") :].splitlines()
    assert table[0].split() == ["link_f", "precision", "recall", "f1", "tp", "predicted", "reference", "support"]
    # Rome has one link, of which three are predicted; Ada Lovelace has three, of which one is
    assert [line.split() for line in table[2:]] == [
        ["LOC", "0.3333", "1.0000", "0.5000", "1", "3", "1", "1"],
        ["PER", "1.0000", "0.3333", "0.5000", "1", "1", "3", "1"],
        [],
        ["micro", "avg", "0.5000", "0.5000", "0.5000", "2", "4", "4", "2"],
        ["macro", "avg", "0.6667", "0.6667", "0.5000", "2", "4", "4", "2"],
        ["weighted", "avg", "0.6667", "0.6667", "0.5000", "2", "4", "4", "2"],
    ]
    assert run("score", *pair, "--measure", "link_f", "--average", "none") == (0, output, "")


def test_intervals_of_labels(scores, pair):
    found = scores(*pair, "--measure", "span_f,sl_icm", "--per-label", "--confidence", "0.9")["measures"]
    for name in ("span_f", "sl_icm"):
        result, headline = found[name], {"span_f": "f1", "sl_icm": "sl_icm_norm"}[name]
        assert set(result["per_label"]) == {"LOC", "PER"}
        for values in result["per_label"].values():
            low, high = values["intervals"][headline]
            assert low <= values[headline] <= high
        assert list(result["averages"]) == ["micro", "macro", "weighted"]
        assert result["averages"]["micro"] == {"scores": result["scores"], "intervals": result["intervals"]}


def test_nothing_is_cut_where_there_is_no_terminal(run, file, monkeypatch):
    monkeypatch.setenv("COLUMNS", "30")
    label = "urn:label:[bold]" + "x" * 300
    path = file("a.conll", f"a B-{label}\n")
    _, output, _ = run("score", path, path, "--per-label")
    rows = [line.split() for line in output.splitlines() if line.startswith(label)]
    f_measures = sum(issubclass(measure, FMeasure) for measure in MEASURES.values())
    assert [row[:4] for row in rows[:f_measures]] == [[label, "1.0000", "1.0000", "1.0000"]] * f_measures
    assert all(set(map(float, row[4:])) == {1} for row in rows[:f_measures])
    assert rows[f_measures] == [label, "1.0000", "1.0000", "1"]
    # all of the text is one span: there is no other way to annotate it
    assert rows[f_measures + 1 :] == [
        [label, "1.0000", "1.0000", "0.0000", "1"],
        [label, "0.0000", "0.0000", "0.0000", "1"],
    ]
    assert "…" not in output
    assert "\x1b" not in output


def test_json(scores, pair):
    found = scores(*pair)
    assert found["spanometer"] == spanometer.__version__
    assert found["reference"] == {"file": pair[0], "column": "column 2"}
    assert found["prediction"] == {"file": pair[1], "column": "column 2"}
    assert (found["documents"], found["tokens"]) == (2, 5)
    assert (found["reference_spans"], found["predicted_spans"]) == (2, 2)
    assert list(found["measures"]) == BY_DEFAULT
    link_f = found["measures"]["link_f"]
    assert link_f["scores"] == {"precision": 0.5, "recall": 0.5, "f1": 0.5}
    assert link_f["counts"] == {"both": 2, "predicted": 4, "reference": 4, "reference_spans": 2}
    assert link_f["signature"].startswith("link_f|scheme:IOB2|repair:conlleval|")
    assert set(link_f) == {"scores", "counts", "signature"}


def test_json_per_label(scores, pair):
    found = scores(*pair, "--per-label")["measures"]["link_f"]["per_label"]
    counts = {"both": 1, "predicted": 1, "reference": 3, "reference_spans": 1}
    assert found["PER"] == {"precision": 1.0, "recall": pytest.approx(1 / 3), "f1": 0.5, "support": 1, "counts": counts}


def test_json_has_no_nan(scores, file):
    path = file("a.conll", "O\nO\n")
    found = scores(path, path, "--zero-division", "nan")["measures"]
    assert found["span_f"]["scores"] == {"precision": None, "recall": None, "f1": None}


def test_json_is_what_the_measures_say(scores, pair):
    found = scores(*pair)
    spans = pair_from_tags(*(tag_lists(read(path).tags[0]) for path in pair))[:2]
    for name in BY_DEFAULT:
        measure = MEASURES[name]()
        assert found["measures"][name]["scores"] == measure.score(measure.counts(*spans))


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
    assert "Write all tags in one scheme" in complaint("score", path, path)
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
        (["score", "{0}", "{1}", "--scheme", "BIOO"], "invalid value for --scheme: 'BIOO'"),
        (["score", "{0}", "{1}", "--repair", "none"], "invalid value for --repair: 'none'"),
        (["score", "{0}", "{1}", "--repair", "bes"], "--repair bes needs a scheme"),
        (["score", "{0}", "{1}", "--average", "all"], "invalid value for --average: 'all'"),
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
        (["score", "{0}", "{1}", "{1}", "--names", "one"], "1 name, 2 systems"),
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
    (tmp_path / "empty").mkdir()
    assert f"{tmp_path / 'empty'}: this folder has no files" in complaint("score", pair[0], tmp_path / "empty")
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
        # the system's file has quotation marks as a spreadsheet doubles them
        "--ignore-words",
    )
    counts = found["measures"]["span_f"]["counts"]
    assert (counts["both"], counts["predicted"], counts["reference"]) == (1217, 1217 + 397, 1217 + 383)


def test_a_cluster_needs_dask(complaint, monkeypatch, tmp_path):
    # None in place of a module is one that cannot be imported
    monkeypatch.setitem(sys.modules, "distributed", None)
    pq.write_table(pa.table({"references": [["B-A"]], "predictions": [["B-A"]]}), tmp_path / "a.parquet")
    line = complaint("score", tmp_path, "--cluster", "local", "--scheme", "IOB2")
    assert line == 'spanometer: Dask is not installed. Install it: pip install "spanometer[dask]".'


def test_labels_ignored(run, scores, file):
    pair = file("gold.conll", "Ada B-PER\nin O\nRome B-LOC\n"), file("system.conll", "Ada B-LOC\nin O\nRome B-LOC\n")
    # Ada is found, with another label
    assert scores(*pair)["measures"]["span_f"]["scores"]["f1"] == 0.5
    found = scores(*pair, "--labels", "ignore", "--per-label")["measures"]
    assert found["span_f"]["scores"]["f1"] == found["link_f"]["scores"]["f1"] == 1.0
    assert list(found["span_f"]["per_label"]) == ["_"]
    assert all("|labels:ignore|" in one["signature"] for one in found.values())
    status, output, _ = run("agree", *pair, "--labels", "ignore", "--json")
    assert (status, json.loads(output)["mean_f1"]) == (0, 1.0)


@pytest.fixture
def informed(file):
    """Both sides of a corpus of words of different weight, with a column of probabilities; and the Python of them."""
    rows = ["the 0.5 B-LOC", "Nile 0.125 I-LOC", "is _ O", None, "it _ O"]
    gold, system = file("gold.conll", columns(*rows)), file("system.conll", columns(*rows).replace("B-LOC", "O"))
    sides = [Spans.from_tags(tags) for tags in ([["B-LOC", "I-LOC", "O"], ["O"]], [["O", "I-LOC", "O"], ["O"]])]
    return gold, system, sides


def test_word_probabilities(scores, complaint, file, informed):
    gold, system, sides = informed
    words = [["the", "Nile", "is"], ["it"]]

    def expected(probabilities, **options):
        return SlIcm(tokens=words, token_probabilities=probabilities, **options).counts(*sides).score()

    def found(*arguments):
        return scores(gold, system, "--measure", "sl_icm", *arguments)["measures"]["sl_icm"]

    listed = file("list.tsv", "word\tprobability\nthe\t0.5\nNile\t0.125\n")
    result = found("--word-probabilities", listed)
    assert result["scores"] == expected({"the": 0.5, "Nile": 0.125}) == {"sl_icm": 3.5, "sl_icm_norm": 1.2}
    assert "|token_probabilities:mapping-" in result["signature"]
    # counts, gzipped, separated by blanks; Nile is not among them
    packed = file("counts.gz", gzip.compress(b"the 60\nof 40\n"))
    result = found("--word-probabilities", packed, "--unknown-probability", "1e-3")
    assert result["scores"] == expected({"the": 0.6, "of": 0.4}, unknown=1e-3)
    assert "|unknown:0.001|" in result["signature"]
    said = complaint("score", gold, system, "--measure", "sl_icm", "--word-probabilities", packed)
    assert f"{gold}, line 2: the word 'Nile' is in a span, and has no probability." in said
    assert "--unknown-probability 1e-07" in said


def test_a_column_of_probabilities(run, scores, complaint, file, informed):
    gold, system, _ = informed
    result = scores(gold, system, "--token-probability-column", "2")["measures"]
    assert result["sl_icm"]["scores"] == {"sl_icm": 3.5, "sl_icm_norm": 1.2}
    assert "|token_probabilities:tokens|" in result["sl_icm"]["signature"]
    assert result["span_f"]["scores"]["f1"] == 0.0
    # one file with both sides, and a name
    both = file("both.tsv", "form\tp\tgold\tsystem\nthe\t0.5\tB-LOC\tO\nNile\t0.125\tI-LOC\tB-LOC\n\nit\tnan\tO\tO\n")
    options = ["--reference-column", "gold", "--prediction-column", "system", "--token-probability-column", "p"]
    assert scores(both, *options)["measures"]["sl_icm"]["scores"] == {"sl_icm": 3.5, "sl_icm_norm": 1.2}
    # JSON lines have numbers
    lines = [
        {"tags": ["B-LOC", "I-LOC", "O"], "p": [0.5, 0.125, None]},
        {"tags": ["O"], "p": [1]},
    ]
    path = file("gold.jsonl", "\n".join(map(json.dumps, lines)))
    other = file("system.jsonl", '["O", "B-LOC", "O"]\n["O"]\n')
    result = scores(path, other, "--token-probability-column", "p")["measures"]["sl_icm"]
    assert result["scores"] == {"sl_icm": 3.5, "sl_icm_norm": 1.2}
    # what is no number, no probability, and none at all in a span
    asked = ["--measure", "sl_icm", "--token-probability-column"]
    assert f"{gold}, line 1: column 1: 'the' is not a number." in complaint("score", gold, system, *asked, "1")
    logs = file("logs.conll", "the -0.7 B-LOC\nNile -2.1 I-LOC\nis -1 O\n\nit -1 O\n")
    assert f"{logs}, line 1: -0.7 is no probability." in complaint("score", logs, system, *asked, "2")
    gaps = file("gaps.conll", "the _ B-LOC\nNile 0.1 I-LOC\nis _ O\n\nit _ O\n")
    assert f"{gaps}, line 1: the token is in a span, and has no prob" in complaint("score", gaps, system, *asked, "2")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--corpus-probabilities", "--token-probability-column", "2"], "are two sources of probabilities."),
        (
            ["--word-probabilities", "x", "--corpus-probabilities"],
            "--corpus-probabilities and --word-prob",
        ),
        (
            ["--word-probabilities", "x", "--token-probability", "0.5"],
            "--token-probability and --word-prob",
        ),
        (["--word-probabilities", "x", "--measure", "span_f"], "--word-probabilities is an option of sl_icm"),
        (["--unknown-probability", "0.5"], "Give --word-probabilities"),
        (["--unknown-probability", "x"], "invalid value for --unknown-probability: 'x'"),
        (["--word-probabilities", "/none/list"], "/none/list: cannot be read"),
        (["--token-probability-column", "9"], "column"),
    ],
)
def test_wrong_sources_of_probabilities(complaint, informed, arguments, said):
    assert said in complaint("score", *informed[:2], *arguments)

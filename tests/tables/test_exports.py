"""Tables as CSV, Markdown, LaTeX, HTML and data frames."""

import csv
import io
import math
import shutil
import subprocess

import numpy as np
import pytest

import spanometer
from spanometer.analysis.policies.groundings import grounding_spread
from spanometer.analysis.policies.repairs import policy_spread
from spanometer.tables.result import latex, to_csv, to_html, to_latex, to_markdown
from spanometer.tables.screen import text_of
from spanometer.tables.table import Copyable, Number, Precision, Table, TableColumn, amount, mark_best

GOLD = [["B-PER", "I-PER", "O"], ["O", "B-LOC", "O"]]
ONE = [["B-PER", "O", "O"], ["O", "B-LOC", "O"]]
TWO = [["B-PER", "I-PER", "O"], ["B-LOC", "B-LOC", "O"]]

ODD = r"""a_b & 50% of #1 {x} ~ ^ \ < > | " $5 *bold* [x]`c`"""


def table(**options):
    rows = [
        [("x", "cyan"), Number(0.5, interval=(0.25, 0.625)), amount(1234), "·"],
        None,
        [ODD, Number(-0.12345, best=True), amount(1.5), Number(0.00001, "p")],
        ["[y]", Number(math.nan), amount(0), Number(0.25, "share")],
    ]
    return Table("name", ("f1", "number\nof", "p"), rows, keys=("f1", "number", "p"), **options)


def test_text():
    lines = text_of([table()]).splitlines()
    assert lines[3].split() == ["x", "0.5000", "[0.2500,", "0.6250]", "1,234", "·"]
    assert lines[5].split()[-3:] == ["-0.1235", "1.5000", "<0.0001"]
    assert lines[6].split() == ["[y]", "nan", "0", "25.0%"]
    below = text_of([table(confidence=0.9)], Precision(percent=True)).splitlines()
    assert below[3].split() == ["x", "50.00", "1,234", "·"]
    assert below[4].split() == ["90", "%", "25.00–62.50"]


@pytest.mark.parametrize(
    ("texts", "lines"),
    [
        (["a|x:1|v:2"], ["a|x:1|v:2"]),
        (["a|x:1|v:2", "b|x:1|y:3|v:2", "c|x:1|v:2"], ["Each signature ends in |x:1|v:2", "a, c", "b|y:3"]),
        (["a|x:1|v:2", "a|x:2|v:2"], ["Each signature ends in |v:2", "a|x:1", "a|x:2"]),
        (["spanometer score A B", "spanometer score --help"], ["spanometer score A B", "spanometer score --help"]),
    ],
)
def test_what_signatures_share_stands_once(texts, lines):
    assert text_of([Copyable(*texts, texts[0])]).splitlines() == lines
    # exports have each whole
    assert to_latex([Copyable(*texts)], Precision()).splitlines() == [f"% {text}" for text in texts]


def test_csv():
    text = to_csv([table()], Precision())
    assert list(csv.reader(io.StringIO(text))) == [
        ["name", "f1", "f1_low", "f1_high", "number", "p"],
        ["x", "0.5", "0.25", "0.625", "1234", ""],
        [ODD, "-0.12345", "", "", "1.5", "1e-05"],
        ["[y]", "nan", "", "", "0", "0.25"],
    ]
    rounded = list(csv.reader(io.StringIO(to_csv([table()], Precision(digits=1, percent=True)))))
    assert rounded[1] == ["x", "50.0", "25.0", "62.5", "1234", ""]
    # no digits that only the factor has made
    assert "0.07" not in to_csv([table()], Precision(percent=True))
    assert to_csv([Table("a", ("b",), [["c", Number(0.0007)]])], Precision(percent=True)) == "a,b\nc,0.07\n"


def test_tables_of_one_kind_are_one():
    first = Table("m", ("f1",), [["a", Number(0.5)]], kind="scores", names="system", about={"measure": "x"})
    second = Table("n", ("ap",), [["a", Number(1.0)]], kind="scores", names="system", about={"measure": "y"})
    assert to_csv([first, second], Precision()) == "measure,system,f1,ap\nx,a,0.5,\ny,a,,1.0\n"


def test_markdown():
    lines = to_markdown(["", "*note*", [("size ", "bold"), "3"], table(), Copyable("a|b`c")], Precision()).splitlines()
    assert lines[0] == r"\*note\*"
    assert lines[2:4] == ["| name | f1 | number of | p |", "| --- | ---: | ---: | ---: |"]
    assert lines[4] == r"| x | 0.5000 \[0.2500, 0.6250\] | 1,234 | · |"
    assert lines[5].endswith("| **-0.1235** | 1.5000 | \\<0.0001 |")
    assert lines[5].startswith(r"| a_b \& 50% of \#1 {x} \~ ^ \\ \< \> \| " + '"')
    assert lines[-1] == "``a|b`c``"


def test_latex():
    lines = to_latex([table(), "", Copyable("sig|x:1")], Precision()).splitlines()
    assert lines[:4] == [r"\begin{tabular}{lrrr}", r"\toprule", r"name & f1 & number of & p \\", r"\midrule"]
    assert lines[4] == r"x & 0.5000 [0.2500, 0.6250] & 1,234 & \textperiodcentered{} \\"
    assert lines[5] == r"\midrule"
    assert lines[6].endswith(r"& \textbf{$-$0.1235} & 1.5000 & \textless{}0.0001 \\")
    # a bracket at the beginning of a row would be an argument
    assert lines[7] == r"{}[y] & nan & 0 & 25.0\% \\"
    assert lines[8:10] == [r"\bottomrule", r"\end{tabular}"]
    assert lines[-1] == "% sig|x:1"
    half = to_latex([table()], Precision(digits=3), intervals="plus-minus").splitlines()
    assert half[4].startswith(r"x & 0.500 $\pm$ 0.188 &")
    assert latex("a\nb") == r"a\textbackslash{}nb"


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="TeX is not installed")
def test_latex_compiles(tmp_path):
    report = spanometer.score(GOLD, ONE, measures=("span_f", "sl_icm"), confidence=0.9, n_resamples=20)
    found = spanometer.compare(GOLD, {ODD: ONE, "[two]": TWO}, n_resamples=20)
    parts = [to_latex([table()], Precision()), report.to_latex(), report.to_latex("labels", intervals="plus-minus")]
    body = "\n\n".join([*parts, found.to_latex(percent=True)])
    source = "\n".join(
        [r"\documentclass{article}", r"\usepackage[T1]{fontenc}\usepackage{textcomp,booktabs}", r"\begin{document}"]
    )
    (tmp_path / "a.tex").write_text(f"{source}\n{body}\n\\end{{document}}\n")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "a.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout[-2000:]
    assert "Missing character" not in done.stdout + (tmp_path / "a.log").read_text()


def test_html():
    html = to_html([("head<", "bold"), table(), Copyable("a|<b>")], Precision())
    assert html.startswith("<div><div><b>head&lt;</b></div><table>")
    assert html.count("text-align: left") == 4
    assert html.count("text-align: right") == 3 * 4
    assert "0.5000 <small>[0.2500, 0.6250]</small>" in html
    assert "<b>-0.1235</b>" in html
    assert "<code>a|&lt;b&gt;</code>" in html
    assert "&lt; &gt; |" in html
    assert ">number<br>of</th>" in html


def test_notebooks(monkeypatch):
    """In a notebook text is a string too, and nothing is shown on the side."""
    monkeypatch.setattr("rich.console._is_jupyter", lambda: True)
    assert "name  " in text_of([Table("name", ("f1",), [["x", Number(0.5)]])])


def test_best():
    cells = [Number(0.5), Number(0.7), Number(math.nan), "·"]
    assert [getattr(cell, "best", None) for cell in mark_best(cells, higher=True)] == [False, True, False, None]
    assert [getattr(cell, "best", None) for cell in mark_best(cells, higher=False)] == [True, False, False, None]
    # where all are equal none is best
    assert mark_best([Number(0.5), Number(0.5)], higher=True) == [Number(0.5), Number(0.5)]


def test_declared_columns():
    columns = [TableColumn("f1", higher=True), TableColumn("p_value", "p", "p"), TableColumn("spans", kind="amount")]
    rows = [("a", (0.5, (0.25, 0.75)), 0.01, np.int64(3)), None, (("b", "cyan"), 0.75, math.nan, "none")]
    made = Table.of("system", columns, rows, kind="scores")
    assert (made.heads, made.keys, made.rows[1]) == (["f1", "p", "spans"], ["f1", "p_value", "spans"], None)
    assert made.rows[0] == ["a", Number(0.5, interval=(0.25, 0.75)), Number(0.01, "p"), Number(3, "amount")]
    assert made.rows[2][:2] == [("b", "cyan"), Number(0.75, best=True)]
    assert made.records() == [
        {"system": "a", "f1": 0.5, "p_value": 0.01, "spans": 3},
        {"system": "b", "f1": 0.75, "p_value": None, "spans": "none"},
    ]
    assert columns[0].cell(None) == "·"
    with pytest.raises(ValueError, match="shorter"):
        Table.of("system", columns, [("a", 0.5)])


def test_results():
    """Every result prints, and leaves in every form."""
    report = spanometer.score(GOLD, ONE, measures="span_f", confidence=0.9, n_resamples=20)
    compared = spanometer.compare(GOLD, {"one": ONE, "two": TWO}, n_resamples=20, per_label=True)
    agreed = spanometer.agreement({"ann": GOLD, "ben": ONE})
    spread = policy_spread(GOLD, [["I-PER", "O", "O"], ["O", "B-LOC", "I-PER"]])
    answers = {"one": ['[["PER", "Ann"]]'], "two": ["[]"]}
    grounded = grounding_spread(["Ann and Ann"], answers, [[{"start": 0, "end": 3, "label": "PER"}]])
    kinds = [
        (grounded, ("scores", "effects", "ranks")),
        (report, ("scores", "labels")),
        (compared, ("systems", "pairs", "labels", "label_pairs")),
        (agreed, ("matrix", "pairs", "labels")),
        (spread, ("scores",)),
    ]
    for result, names in kinds:
        assert repr(result) == str(result)
        assert "───" in str(result)
        assert result._repr_html_().count("<table>") == str(result).count("\n──") >= 1
        assert isinstance(result.to_dict(), dict)
        for name in names:
            frame = result.to_frame(name)
            rows = list(csv.reader(io.StringIO(result.to_csv(name))))
            assert list(frame.columns) == rows[0]
            assert len(frame) == len(rows) - 1
            assert r"\bottomrule" in result.to_latex(name)
            assert "| --- |" in result.to_markdown(name)
    assert report.to_frame().loc[0, "f1"] == report.measures["span_f"].scores["f1"]
    assert report.to_frame("labels")["label"].tolist() == ["LOC", "PER", "micro avg", "macro avg", "weighted avg"]
    assert agreed.to_frame().set_index("annotator").loc["ann", "ben"] == agreed.kappa_f1[0, 1]
    # of the two systems the second is the better one
    rows = [line for line in compared.to_latex("systems").splitlines() if line.startswith(("one", "two"))]
    assert [r"\textbf{" in row for row in rows] == [False, True]

"""`spanometer compare`."""

import json
import re

import pytest

import spanometer
from spanometer.readers import read, tag_lists

GOLD = "Ada B-PER\nLovelace I-PER\nslept O\n\nin O\nRome B-LOC\n\nin O\nParis B-LOC\n"
OLD = "Ada B-PER\nLovelace O\nslept O\n\nin O\nRome B-LOC\n\nin O\nParis O\n"
NEW = GOLD.replace("in O\nRome", "in B-LOC\nRome")
ALL = "\n".join(
    f"{one} {two.split()[1]} {three.split()[1]}" if one else ""
    for one, two, three in zip(GOLD.split("\n"), OLD.split("\n"), NEW.split("\n"), strict=True)
)
HEAD = (
    "TOKEN\tNE-COARSE-LIT\tNE-COARSE-METO\tNE-FINE-LIT\tNE-FINE-METO\tNE-FINE-COMP\tNE-NESTED\tNEL-LIT\tNEL-METO\tMISC"
)

# of older matplotlib with newer pyparsing
old_matplotlib = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@pytest.fixture
def files(file):
    return [file(f"{name}.conll", content) for name, content in (("gold", GOLD), ("old", OLD), ("new", NEW))]


def expected(files, **options):
    gold, old, new = (tag_lists(read(path).tags[0]) for path in files)
    return spanometer.compare(gold, {"old": old, "new": new}, **options)


def test_tables(run, files):
    status, output, complaint = run("compare", *files)
    assert (status, complaint) == (0, "")
    lines = output.splitlines()
    assert lines[0] == f"reference  {files[0]}, column 2"
    assert lines[2] == f"new        {files[2]}, column 2"
    assert lines[3] == "size       3 sentences (no document boundaries found), 7 tokens"
    result = expected(files).measures["span_f"]
    for name, system in result.systems.items():
        cells = [
            f"{system.scores[key]:.4f} [{system.intervals[key][0]:.4f}, {system.intervals[key][1]:.4f}]"
            for key in ("precision", "recall", "f1")
        ]
        cells += [str(system.rank), f"{100 * system.rank_shares[system.rank - 1]:.1f}%"]
        assert re.search(rf"^{name} +{' +'.join(map(re.escape, cells))}$", output, re.MULTILINE)
    (pair,) = result.pairs
    numbers = [pair.p_randomisation, pair.p_randomisation_holm, pair.p_bootstrap, pair.p_bootstrap_holm]
    cells = [f"{pair.difference:+.4f} [{pair.interval[0]:+.4f}, {pair.interval[1]:+.4f}]"]
    cells += [f"{value:.4f}" for value in numbers]
    assert re.search(rf"^old - new +{' +'.join(map(re.escape, cells))}$", output, re.MULTILINE)
    assert "95 % confidence intervals. Ranks are by f1, higher is better." in output
    assert "* p < .05, ** p < .01, *** p < .001: p of paired approximate randomisation" in output
    assert lines[-1] == result.signature
    assert "\x1b" not in output


def test_marks_and_small_p_values(run, file):
    gold, lost = "a B-X\n\n" * 40, "a O\n\n" * 20 + "a B-X\n\n" * 20
    paths = [file("gold", gold), file("right", gold), file("lost", lost)]
    _, output, _ = run("compare", *paths, "--permutations", "200000")
    assert re.search(r"^right - lost .* <0\.0001 +<0\.0001 +\*\*\* +0\.0010 +0\.0010$", output, re.MULTILINE)


def test_json(scores, files):
    found = scores("compare", *files, "--measure", "span_f,link_f")
    sides = [{"file": path, "column": "column 2"} for path in files]
    assert found == {
        "spanometer": spanometer.__version__,
        "reference": sides[0],
        **expected(files, measures=("span_f", "link_f")).to_dict(),
        "systems": {"old": sides[1], "new": sides[2]},
    }


def test_options_reach_the_comparison(scores, files):
    options = ["--confidence", "0.9", "--resamples", "50", "--permutations", "3", "--seed", "7"]
    options += ["--interval-method", "percentile", "--repair", "discard", "--average", "macro"]
    found = scores("compare", *files, *options, "--measure", "token_f", "--token-format", "BIO")
    measure = spanometer.measures.TokenF(format="BIO", average="macro")
    draws = {"confidence": 0.9, "n_resamples": 50, "n_permutations": 3, "seed": 7, "interval_method": "percentile"}
    values = expected(files, measures=measure, repair="discard", **draws)
    assert found["measures"] == values.to_dict()["measures"]
    assert found["seed"] == 7


def test_columns_of_one_file(scores, file, files):
    path = file("all.conll", ALL)
    found = scores("compare", path, "--columns", "2,3,4", "--names", "old, new")
    assert found["measures"] == scores("compare", *files)["measures"]
    assert list(scores("compare", path, "--columns", "2,3,4")["systems"]) == ["column 3", "column 4"]


def test_a_system_may_be_called_reference(run, files):
    status, output, _ = run("compare", *files, "--names", "reference,size")
    assert status == 0
    assert f"reference  {files[0]}" in output
    assert f"reference  {files[1]}" in output


def test_entity_trees(scores, run, file):
    def text(*types):
        rows = [f"w\tO\tO\t{tag}\tO\tO\tO\t_\t_\t_" for tag in types]
        return "\n".join([HEAD, "# hipe2020:document_id = one", *rows[:2], "# hipe2020:document_id = two", *rows[2:]])

    gold = file("gold.tsv", text("B-loc.adm", "O", "B-pers.ind"))
    worse = file("worse.tsv", text("B-loc.adm", "O", "B-org.ent") + "\n")
    found = scores("compare", gold, gold, worse, "--names", "right,worse")
    result = found["measures"]["eter"]
    assert result["systems"]["worse"]["scores"]["eter"] == 0.125
    assert [system["rank"] for system in result["systems"].values()] == [1, 2]
    assert result["signature"].startswith("eter|input:hipe|level:fine|scheme:IOB2|")
    _, output, _ = run("compare", gold, gold, worse, "--names", "right,worse", "--format", "hipe")
    assert "Ranks are by eter, lower is better; ser, lower is better." in output
    assert [result["headline"] for result in found["measures"].values()] == ["eter", "ser"]
    assert found["systems"]["worse"]["file"] == worse
    # a column of theirs is tags
    options = ["--names", "a,b", "--column", "NE-FINE-LIT", "--outside", "_"]
    assert list(scores("compare", gold, gold, worse, *options)["measures"]) == ["span_f"]


def test_complaints(complaint, file, files):
    assert "the columns of the reference and the systems must be named" in complaint("compare", files[0])
    assert "1 system: a comparison takes two" in complaint("compare", *files[:2])
    assert "1 system: a comparison takes two" in complaint("compare", file("all", ALL), "--columns", "2,3")
    assert "--columns takes apart one file" in complaint("compare", *files, "--columns", "1,2")
    assert "3 names, 2 systems" in complaint("compare", *files, "--names", "a,b,c")
    assert "two systems have one name" in complaint("compare", *files, "--names", "a,a")
    short = file("short.conll", GOLD.replace("slept O\n", ""))
    assert f"{files[0]}, line 1: the reference document that begins here has 3 tokens, the predicted one ({short}" in (
        complaint("compare", *files, short)
    )
    fewer = file("fewer.conll", GOLD.partition("\n\n")[0])
    assert f"{fewer} ends before the document that begins here" in complaint("compare", *files, fewer)
    illegal = file("illegal.conll", GOLD.replace("Rome B-LOC", "Rome I-LOC"))
    assert f"{illegal}, line 6: 'I-LOC' cannot" in complaint("compare", *files, illegal, "--repair", "raise")
    assert f"{illegal}, line 6: 'I-LOC' cannot" in complaint("compare", illegal, *files, "--repair", "raise")
    assert "two files are standard input" in complaint("compare", files[0], "-", "-")
    assert "no such file" in complaint("compare", *files, "nothing.conll")
    assert "unknown measure 'span'" in complaint("compare", *files, "--measure", "span")
    assert "eter scores entity trees" in complaint("compare", *files, "--measure", "eter")
    assert "not the name of a picture" in complaint("compare", *files, "--plot", "scores.txt")
    trees = ["--format", "quaero"]
    assert "span_f scores spans" in complaint("compare", *files, *trees, "--measure", "span_f")
    assert "--column is for tags, not for entity trees" in complaint("compare", *files, *trees, "--column", "2")


@pytest.mark.parametrize(
    ("option", "value", "problem"),
    [
        ("--confidence", "95", "invalid value for --confidence: 95.0"),
        ("--resamples", "0", "invalid value for --resamples: 0"),
        ("--permutations", "-1", "invalid value for --permutations: -1"),
        ("--permutations", "many", "invalid value for --permutations: 'many'. Use a whole number"),
        ("--seed", "-1", "invalid value for --seed: -1"),
        ("--interval-method", "basic", "invalid value for --interval-method: 'basic'"),
    ],
)
def test_wrong_options(complaint, files, option, value, problem):
    assert problem in complaint("compare", *files, option, value)


@old_matplotlib
def test_plot(run, files, tmp_path):
    pytest.importorskip("matplotlib")
    path = tmp_path / "scores.png"
    status, _, complaint = run("compare", *files, "--measure", "span_f,sl_icm", "--plot", path)
    assert (status, complaint) == (0, "")
    assert path.read_bytes().startswith(b"\x89PNG")


def test_real_data(scores, data, file):
    """Flair on the CoNLL-2003 test set, and the same without one label."""
    text = (data / "conll03_test_tags.tsv").read_text(encoding="utf-8")
    blocks = [[line.split("\t") for line in block.splitlines() if line[0] != "#"] for block in text.split("\n\n")]

    def column(number, lost="-"):
        rows = [["O" if row[number].endswith(lost) else row[number] for row in block] for block in blocks if block]
        return "\n\n".join("\n".join(row) for row in rows) + "\n"

    paths = [file("gold", column(0)), file("flair", column(1)), file("less", column(1, "MISC"))]
    found = scores("compare", *paths, "--resamples", "200", "--permutations", "2000")["measures"]["span_f"]
    assert round(found["systems"]["flair"]["scores"]["f1"], 4) == 0.9303
    assert found["systems"]["flair"]["rank_shares"] == [1.0, 0.0]
    (pair,) = found["pairs"]
    assert pair["interval"][0] > 0
    assert pair["p_randomisation"] == 1 / 2001
    assert pair["exact"] is False


def test_per_label(run, files):
    """The values in each label are those of the label; each interval holds its value."""
    status, output, _ = run("compare", *files, "--per-label", "--json", "--resamples", "50")
    assert status == 0
    found = json.loads(output)["measures"]["span_f"]
    assert run("compare", *files, "--average", "none", "--json", "--resamples", "50")[1] == output
    for name, path in zip(found["systems"], files[1:], strict=True):
        alone = json.loads(run("score", files[0], path, "--measure", "span_f", "--per-label", "--json")[1])
        expected = alone["measures"]["span_f"]["per_label"]
        for label, compared in found["per_label"].items():
            of_system = compared["systems"][name]["scores"]
            assert of_system == {key: expected[label][key] for key in ("precision", "recall", "f1")}
            low, high = compared["systems"][name]["intervals"]["f1"]
            assert low <= of_system["f1"] <= high
    text = run("compare", *files, "--per-label", "--resamples", "50")[1]
    for label in found["per_label"]:
        assert len([line for line in text.splitlines() if line.startswith(f"{label} ")]) == 2


def test_word_probabilities(run, complaint, file):
    rows = [
        ("Ada", "B-PER", "B-PER", "O"),
        ("won", "O", "O", "O"),
        ("Rome", "B-LOC", "O", "B-LOC"),
        ("won", "O", "O", "O"),
    ]
    paths = [
        file(f"{name}.conll", "\n\n".join(f"{row[0]} {row[place]}" for row in rows))
        for place, name in enumerate(("gold", "a", "b"), 1)
    ]
    words = file("words.tsv", "Ada\t0.5\nwon\t0.25\nRome\t0.125\n")
    options = ["--measure", "sl_icm", "--json", "--word-probabilities", words]
    found = json.loads(run("compare", *paths, *options, "--resamples", "20")[1])["measures"]["sl_icm"]
    assert "|token_probabilities:" in found["signature"]
    for name, path in zip("ab", paths[1:], strict=True):
        alone = json.loads(run("score", paths[0], path, *options)[1])["measures"]["sl_icm"]
        assert found["systems"][name]["scores"] == alone["scores"]
        plain = json.loads(run("score", paths[0], path, "--measure", "sl_icm", "--json")[1])["measures"]["sl_icm"]
        assert alone["scores"] != plain["scores"]
    one = json.loads(run("compare", *paths, "--measure", "sl_icm", "--corpus-probabilities", "--json")[1])
    assert one["measures"]["sl_icm"]["signature"] != found["signature"]
    assert "is an option of sl_icm" in complaint("compare", *paths, "--word-probabilities", words)
    both = ["--word-probabilities", words, "--corpus-probabilities"]
    assert "two sources of probabilities" in complaint("compare", *paths, "--measure", "sl_icm", *both)


def test_attributes(run, complaint, file):
    def lines(*values):
        documents = [[{"start": 0, "end": 1, "label": "S", "attributes": {"negated": value}}] for value in values]
        return "".join(json.dumps(document) + "\n" for document in documents)

    paths = [
        file("gold.jsonl", lines(True, True)),
        file("a.jsonl", lines(True, True)),
        file("b.jsonl", lines(True, False)),
    ]
    status, output, _ = run("compare", *paths, "--json", "--resamples", "20", "--permutations", "4")
    found = json.loads(output)["measures"]["span_attribute"]
    assert (status, found["systems"]["a"]["scores"]["f"], found["systems"]["b"]["scores"]["r"]) == (0, 1.0, 0.5)
    assert found["per_label"]["negated"]["systems"]["b"]["scores"]["f"] == pytest.approx(2 / 3)
    assert "span_f scores spans, not spans with attributes" in complaint("compare", *paths, "--measure", "span_f")

"""`spanometer eter`, and entity trees in `spanometer score`."""

import gzip
import io
import json
import random
import re
import sys

import pytest

import spanometer
from entity_corpora import random_entity_documents
from spanometer.measures import MEASURES, Eter
from spanometer.measures.eter import ALPHAS
from spanometer.readers import detect, read_entities, write_entities
from spanometer.spans.entities import Entities

# example 2 of the paper: two entities are missing, and two components are called as these are
GOLD = (
    "<func.ind> <kind> ambassadeur </kind> de la <loc.adm.nat> <name> Turquie </name> </loc.adm.nat> "
    "en <loc.adm.nat> <name> France </name> </loc.adm.nat> </func.ind>\n"
)
SYSTEM = "<func.ind> <kind> ambassadeur </kind> de la <name> Turquie </name> en <name> France </name> </func.ind>\n"
MARKUP = "input:markup|entity_types:amount,event,func,loc,org,pers,prod,time"
EMPTY = "ambassadeur de la Turquie en France\n"
# two types, a component, a nested entity, and a component that no entity encloses
HIPE = """TOKEN\tNE-COARSE-LIT\tNE-FINE-LIT\tNE-FINE-METO\tNE-FINE-COMP\tNE-NESTED
# document_id = one
Herr\tB-pers\tB-pers.ind\tO\tB-comp.title\tO
Ada\tI-pers\tI-pers.ind\tO\tB-comp.name\tO
sah\tO\tO\tO\tB-comp.name\tO
# document_id = two
Bern\tB-loc\tB-loc.adm.town\tB-org.adm\tO\tO
"""
HIPE_SYSTEM = (
    HIPE.replace("B-comp.title", "O").replace("B-org.adm", "O").replace("sah\tO\tO\tO\tB-comp.name", "sah\tO\tO\tO\tO")
)


# of older matplotlib with newer pyparsing
old_matplotlib = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@pytest.fixture
def pair(file):
    return file("gold.txt", GOLD), file("system.txt", SYSTEM)


@pytest.fixture
def hipe(file):
    return file("gold.tsv", HIPE), file("system.tsv", HIPE_SYSTEM)


@pytest.fixture
def corpus(data):
    return data / "hipe2020_test_fr.tsv", data / "hipe2020_team1_bundle3_fr_1.tsv"


def cells(output, name):
    """The rows of that name in all tables, without the name."""
    return [
        line[len(name) :].split() for line in output.splitlines() if re.match(rf"{re.escape(name)}  +[\d.,]+  ", line)
    ]


def entities_of(path, **options):
    return read_entities(path, **options).to_entities()


def scores_of(references, predictions, **options):
    measure = Eter(**options)
    counts = measure.counts(references, predictions)
    return {**measure.score(counts), "muc_error": measure.muc_error(counts)}


def test_tables(run, pair):
    status, output, complaint = run("eter", *pair)
    assert (status, complaint) == (0, "")
    lines = output.splitlines()
    assert lines[:3] == [
        f"reference  {pair[0]}, quaero, 3 entities, 5 components, 0 metonymic",
        f"system     {pair[1]}, quaero, 1 entity, 3 components, 0 metonymic",
        "size       1 document, 6 tokens",
    ]
    assert cells(output, "system") == [
        # ETER, insertions, deletions, costs of substitutions, root error, component error
        ["0.7222", "0", "2", "0.1667", "0.0000", "0.3333"],
        # type, subtype, boundary; components inserted, deleted, of another label, of other bounds
        ["0", "0", "0", "0", "0", "2", "0"],
        # slots, deleted, inserted, substituted, SER: types, components, both (with MUC's ERR)
        ["3", "2", "0", "0", "0.6667"],
        ["3", "0", "0", "0", "0.0000"],
        ["6", "2", "0", "0", "0.3333", "0.3333"],
    ]
    (signature,) = [line for line in lines if "|v:" in line]
    assert signature.startswith(f"eter|{MARKUP}|documents:lines|alpha:0.5|type_cost:0.5|subtype_cost:0.25|span_cost")
    assert "left out" not in output
    assert "\x1b" not in output


def test_per_label(run, pair):
    _, output, _ = run("eter", *pair, "--per-label")
    assert cells(output, "func.ind") == [
        ["0.1667", "0", "0", "0.1667", "0.0000", "0.3333", "0.0000", "1"],
        ["0", "0", "0", "0", "0", "2", "0"],
    ]
    assert cells(output, "loc.adm.nat") == [
        ["1.0000", "0", "2", "0.0000", "0.0000", "0.0000", "0.5000", "2"],
        ["0", "0", "0", "0", "0", "0", "0"],
    ]


def test_several_systems(run, pair, file):
    empty = file("empty.txt.gz", gzip.compress(EMPTY.encode()))
    _, output, _ = run("eter", *pair, empty, pair[0], "--format", "quaero")
    found = [cells(output, name) for name in ("system", "empty", "gold")]
    assert [value for rows in found for value in (rows[0][0], rows[4][4])] == [
        *("0.7222", "0.3333"),
        *("1.0000", "1.0000"),
        *("0.0000", "0.0000"),
    ]
    assert output.count("|v:") == 1


def test_names(scores, run, complaint, pair, file, tmp_path):
    (tmp_path / "b").mkdir()
    again = file("b/system.txt", SYSTEM)
    other = file("system.tsv", SYSTEM)
    assert list(scores("eter", *pair, other)["systems"]) == ["system.txt", "system.tsv"]
    assert list(scores("eter", *pair, again)["systems"]) == [pair[1], again]
    assert list(scores("eter", *pair, pair[1])["systems"]) == ["system.txt (1)", "system.txt (2)"]
    assert list(scores("eter", *pair, again, "--names", "one, two")["systems"]) == ["one", "two"]
    assert "1 name, 2 systems. Give each system one name." in complaint("eter", *pair, again, "--names", "one")
    for names in ("one,", ""):
        systems = pair[1:] * (names.count(",") + 1)
        assert "a name is empty." in complaint("eter", pair[0], *systems, "--names", names)
    assert "two systems have one name." in complaint("eter", *pair, again, "--names", "one,one")
    _, output, _ = run("eter", *pair, "--names", "x\x1b[31m" + "long" * 30, "--sweep")
    assert "\x1b" not in output
    assert "x\\x1b[31mlonglong" in output


def test_no_color(run, pair):
    assert run("eter", *pair, "--no-color")[:2] == run("eter", *pair)[:2]


def test_hipe(scores, run, hipe):
    found = scores("eter", *hipe)
    assert (found["documents"], found["tokens"]) == (2, 4)
    left_out = {"line": 5, "problem": "no literal entity encloses the component 'name'."}
    assert found["reference"] == {
        "file": hipe[0],
        "format": "hipe",
        "entities": 2,
        "components": 2,
        "metonymic": 1,
        "left_out": [left_out],
    }
    system = found["systems"]["system"]
    assert (system["entities"], system["components"], system["metonymic"], system["left_out"]) == (2, 1, 0, [])
    # one of two components is missing, and one of two types
    assert system["scores"]["component_error"] == 0.5
    assert system["scores"]["root_error"] == 0.25
    assert system["signature"].startswith("eter|input:hipe|level:fine|scheme:IOB2|repair:conlleval|alpha:0.5|")
    for command in ("eter", "score"):
        _, output, _ = run(command, *hipe)
        (line,) = [line for line in output.splitlines() if line.startswith("left out")]
        assert line.split(maxsplit=2)[2] == "1 of reference: line 5: no literal entity encloses the component 'name'"


def test_much_that_is_left_out(run, file):
    path = file("a.tsv", HIPE + "x\tO\tO\tO\tB-comp.name\tO\n" * 5)
    _, output, _ = run("eter", path, path)
    assert output.count("and 3 more (--json has all)") == 2


def test_level(scores, hipe):
    found = scores("eter", *hipe, "--level", "coarse")
    assert found["reference"]["components"] == 0
    assert list(scores("eter", *hipe, "--level", "coarse", "--per-label")["systems"]["system"]["per_label"]) == [
        "loc",
        "pers",
    ]
    assert "|level:coarse|" in found["systems"]["system"]["signature"]


def test_repair_and_scheme(scores, complaint, file):
    header = "TOKEN\tNE-FINE-LIT\n# document_id = a\n"
    gold, system = file("g.tsv", f"{header}x\tB-a\ny\tI-a\n"), file("s.tsv", f"{header}x\tI-a\ny\tI-a\n")
    assert scores("eter", gold, system)["systems"]["s"]["scores"]["eter"] == 0.0
    assert scores("eter", gold, system, "--repair", "discard")["systems"]["s"]["scores"]["eter"] == 1.0
    assert scores("score", gold, system, "--repair", "discard")["measures"]["eter"]["scores"]["eter"] == 1.0
    assert f"{system}, line 3: in NE-FINE-LIT:" in complaint("eter", gold, system, "--repair", "raise")
    assert scores("eter", system, system, "--scheme", "iob1", "--repair", "raise")["reference"]["entities"] == 1


def test_documents(scores, complaint, file):
    gold = file("g.txt", GOLD.replace("de la", "de\nla"))
    assert "Each line is a document; with --documents blank blank lines separate them." in complaint("eter", gold, gold)
    for command in ("eter", "score"):
        assert scores(command, gold, gold, "--documents", "blank")["tokens"] == 6


@pytest.mark.parametrize("command", ["eter", "score"])
def test_entity_types(scores, run, complaint, pair, hipe, file, command):
    texts = "<drug> <unit> mg </unit> </drug> <pers.x> of </pers.x> it\n", "<drug> mg </drug> of it\n"
    gold, system = (file(name, text) for name, text in zip(("drugs.txt", "found.txt"), texts, strict=True))
    wanted = (
        "Types of entities begin with amount, event, func, loc, org, pers, prod, time; name others with --entity-types"
    )
    assert wanted in complaint(command, gold, system, "--format", "quaero")
    found = scores(command, gold, system, "--entity-types", "pers, drug")
    result = found["systems"]["found"] if command == "eter" else found["measures"]["eter"]
    # a missing entity, and a component missing in the other
    assert (result["scores"]["eter"], result["scores"]["references"]) == ((1 + 0.5) / 2, 2)
    sides = {"references": texts[:1], "predictions": texts[1:]}
    expected = spanometer.load("eter", "markup").compute(**sides, entity_types=["drug", "pers"], details=True)
    # the module's, but for what is a document of a file
    assert result["signature"].replace("documents:lines|", "") == expected["signature"]
    assert "--entity-types ('pers.ind',) is not a list of the first parts" in complaint(
        command, *pair, "--entity-types", "pers.ind"
    )
    assert "--entity-types is for the format quaero; this is hipe." in complaint(
        command, *hipe, "--entity-types", "pers"
    )


def test_entity_types_are_not_for_tags(complaint, file):
    tags = file("tags.conll", "Ada\tB-PER\n")
    for more in (["--format", "columns"], ["--column", "2"]):
        assert "--entity-types is for entity trees, not for tags." in complaint(
            "score", tags, tags, "--entity-types", "pers", *more
        )


def test_json_lines_have_the_signature_of_the_module(scores, file):
    path = file("a.jsonl", '[{"start": 0, "end": 1, "types": ["a"]}]\n')
    rows = [[{"start": 0, "end": 1, "types": ["a"]}]]
    expected = spanometer.load("eter").compute(predictions=rows, references=rows, details=True)["signature"]
    assert scores("eter", path, path)["systems"]["a"]["signature"] == expected


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_forms_of_files_can_be_mixed(scores, pair, file, pack):
    expected = scores("eter", *pair)["systems"]["system"]
    read = [read_entities(path) for path in pair]
    sides = []
    for name, side in zip(("gold", "system"), read, strict=True):
        content = io.BytesIO()
        write_entities(content, side.entities, format="jsonl")
        sides.append(file(f"{name}.jsonl", pack(content.getvalue())))
    for paths in ((pair[0], sides[1]), (sides[0], pair[1]), sides):
        found = scores("eter", *paths)
        assert found["systems"]["system"]["scores"] == expected["scores"]
        assert found["tokens"] == (6 if paths[0] == pair[0] else None)
    signature = scores("eter", pair[0], sides[1], pair[1])["systems"]["system.jsonl"]["signature"]
    assert signature.startswith(f"eter|{MARKUP.replace('|', '+entities|')}|documents:lines|")
    assert scores("eter", pair[0], pair[1], sides[1])["systems"]["system.txt"]["signature"] == expected["signature"]


def test_standard_input(scores, pair, monkeypatch):
    class Stdin:
        buffer = io.BytesIO(gzip.compress(SYSTEM.encode()))

    for command in (["eter"], ["score"]):
        Stdin.buffer.seek(0)
        monkeypatch.setattr(sys, "stdin", Stdin)
        found = scores(*command, pair[0], "-")
        assert "standard input" in (found.get("systems") or {found["prediction"]["file"]: None})


def test_json(scores, pair):
    found = scores("eter", *pair)
    assert found["spanometer"] == spanometer.__version__
    system = found["systems"]["system"]
    assert system["scores"] == scores_of(*map(entities_of, pair))
    assert system["counts"]["component_label_substitutions"] == 2
    assert set(system) == {
        *("file", "format", "entities", "components", "metonymic", "left_out"),
        *("scores", "counts", "signature"),
    }
    labels = scores("eter", *pair, "--per-label")["systems"]["system"]["per_label"]
    assert labels["loc.adm.nat"]["eter"] == 1.0
    assert labels["loc.adm.nat"]["support"] == 2
    assert labels["loc.adm.nat"]["counts"]["deletions"] == 2
    assert labels["func.ind"]["counts"]["component_label_substitutions"] == 2


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        (["--alpha", "0"], {"alpha": 0.0}),
        (["--alpha", "1"], {"alpha": 1.0}),
        (["--type-cost", "1", "--subtype-cost", "0.75"], {"type_cost": 1.0, "subtype_cost": 0.75}),
        (["--span-cost", "0"], {"span_cost": 0.0}),
        (["--average", "macro"], {"average": "macro"}),
        (["--average", "weighted", "--zero-division", "1"], {"average": "weighted", "zero_division": 1.0}),
    ],
)
def test_options(scores, file, arguments, options):
    references, predictions = random_entity_documents(random.Random(5))
    paths = [
        file(name, "".join(json.dumps(document) + "\n" for document in side))
        for name, side in (("g.jsonl", references), ("s.jsonl", predictions))
    ]
    sides = [Entities.from_dicts(side) for side in (references, predictions)]
    found = scores("eter", *paths, *arguments)["systems"]["s"]
    assert found["scores"] == scores_of(*sides, **options)
    assert found["scores"] != scores_of(*sides)
    for name, value in options.items():
        assert f"|{name}:{value if isinstance(value, str) else format(value, 'g')}|" in found["signature"]


def test_no_entities(scores, run, file):
    path = file("a.jsonl", "[]\n")
    found = scores("eter", path, path, "--zero-division", "nan", "--sweep")
    assert found["systems"]["a"]["scores"]["eter"] is None
    assert found["systems"]["a"]["scores"]["muc_error"] is None
    assert found["sweep"]["a"]["0.5"] is None
    _, output, _ = run("eter", path, path, "--zero-division", "nan", "--sweep")
    assert cells(output, "0.5") == []
    assert re.search(r"^0\.5 +nan$", output, re.MULTILINE)


def test_sweep_is_separate_runs(scores, run, pair):
    found = scores("eter", *pair, pair[0], "--sweep", "--span-cost", "0.1")
    for alpha in ALPHAS:
        alone = scores("eter", *pair, pair[0], "--alpha", str(alpha), "--span-cost", "0.1")["systems"]
        for name, values in found["sweep"].items():
            assert values[f"{alpha:.1f}"] == alone[name]["scores"]["eter"]
    _, output, _ = run("eter", *pair, pair[0], "--sweep")
    # one third of an entity's components, weighed by alpha, and two entities of three
    assert cells(output, "0.0") == [["0.6667", "0.0000"]]
    assert cells(output, "0.5") == [["0.7222", "0.0000"]]
    assert cells(output, "1.0") == [["0.7778", "0.0000"]]


@old_matplotlib
def test_plot(run, pair, tmp_path):
    pytest.importorskip("matplotlib")
    path = tmp_path / "picture.png"
    status, _, complaint = run("eter", *pair, pair[0], "--sweep", "--plot", path)
    assert (status, complaint) == (0, "")
    assert path.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("arguments", [[], ["--format", "quaero"], ["--measure", "eter"], ["--documents", "lines"]])
def test_score_markup(scores, pair, arguments):
    found = scores("score", *pair, *arguments)
    assert list(found["measures"]) == ["eter"]
    expected = scores("eter", *pair)
    system = expected["systems"]["system"]
    result = found["measures"]["eter"]
    assert result["signature"] == system["signature"]
    assert {**result["scores"], "muc_error": system["scores"]["muc_error"]} == system["scores"]
    assert (found["documents"], found["tokens"]) == (1, 6)
    assert (found["reference_entities"], found["predicted_entities"]) == (3, 1)
    assert found["reference"] == expected["reference"]


def test_score_hipe(scores, run, hipe):
    found = scores("score", *hipe, "--level", "coarse", "--alpha", "0.2", "--span-cost", "0.1", "--per-label")
    result = found["measures"]["eter"]
    assert result["scores"] == {
        key: value
        for key, value in scores_of(
            *(entities_of(path, level="coarse") for path in hipe), alpha=0.2, span_cost=0.1
        ).items()
        if key != "muc_error"
    }
    assert list(result["per_label"]) == ["loc", "pers"]
    _, output, _ = run("score", *hipe, "--format", "hipe", "--per-label")
    lines = output.splitlines()
    assert lines[0] == f"reference   {hipe[0]}, hipe, 2 entities, 2 components, 1 metonymic"
    assert lines[2] == "size        2 documents, 4 tokens, 2 reference entities, 2 predicted entities"
    # 0.125 and 0.25 over two entities
    assert cells(output, "eter")[0][:4] == ["0.1875", "0", "0", "0.3750"]


def test_tags_are_not_taken_for_trees(scores, file):
    # markup as words of a column, a column called like one of HIPE's, and a named column of HIPE's
    words = file("words", "<pers> B-X\nAda I-X\n</pers> I-X\n<b>x</b> O\n")
    assert detect(words) is None
    assert list(scores("score", words, words)["measures"]) == [
        name for name, measure in MEASURES.items() if measure.by_default
    ]
    path = file("a.tsv", HIPE)
    for column in ("NE-FINE-LIT", "NE-COARSE-LIT"):
        found = scores("score", path, path, f"--column={column}", "--documents=document_id", "--outside=_")
        assert found["reference"] == {"file": path, "column": column}
        assert found["reference_spans"] == 2
    one = scores("score", path, "--reference-column=NE-FINE-LIT", "--prediction-column=NE-COARSE-LIT")
    assert one["predicted_spans"] == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["eter", "{0}"], "required: PREDICTION"),
        (["eter", "{0}", "{1}", "--alpha", "1.5"], "invalid value for --alpha: 1.5. Use a number from 0 to 1."),
        (["eter", "{0}", "{1}", "--alpha", "nan"], "invalid value for --alpha: nan"),
        (["eter", "{0}", "{1}", "--alpha", "x"], "invalid value for --alpha: 'x'. Use a number from 0 to 1."),
        (["eter", "{0}", "{1}", "--type-cost", "-1"], "invalid value for --type-cost: -1.0"),
        (["eter", "{0}", "{1}", "--subtype-cost", "0.75"], "--subtype-cost 0.75 is more than --type-cost 0.5."),
        (["eter", "{0}", "{1}", "--span-cost", "inf"], "invalid value for --span-cost: inf"),
        (["eter", "{0}", "{1}", "--average", "none"], "invalid value for --average: 'none'"),
        (["eter", "{0}", "{1}", "--zero-division", "2"], "invalid value for --zero-division: '2'"),
        (["eter", "{0}", "{1}", "--plot", "a.png"], "--plot draws the sweep. Add --sweep, or leave out --plot."),
        (["eter", "{0}", "{1}", "--sweep", "--plot", "a.txt"], "'a.txt' is not the name of a picture."),
        (["eter", "{0}", "{1}", "--format", "xml"], "invalid value for --format: 'xml'. Use one of"),
        (["eter", "{0}", "{1}", "--format", "hipe"], "{0}, line 1: the header has no column TOKEN"),
        (["eter", "{0}", "{1}", "--format", "jsonl"], "{0}, line 1: "),
        (["eter", "{0}", "{1}", "--level", "coarse"], "{0}: --level is for the format hipe; this is quaero."),
        (["eter", "{0}", "{1}", "--repair", "bes"], "{0}: --repair is for the format hipe; this is quaero."),
        (["eter", "{0}", "{1}", "--documents", "pages"], "invalid value for --documents: 'pages'"),
        (["eter", "-", "-"], "two files are standard input."),
        (["score", "-", "-", "--format", "quaero"], "two files are standard input."),
        (["score", "{0}", "--format", "quaero"], "there is no file with the system's entities. Give PREDICTION."),
        (
            ["score", "{0}", "{1}", "--measure", "span_f"],
            "span_f scores spans, not entity trees.",
        ),
        (["score", "{0}", "{1}", "--measure", "span_f"], "(and --documents document_id --outside _)."),
        (
            ["score", "{0}", "{1}", "--measure", "eter,link_f"],
            "link_f scores spans, not entity trees.",
        ),
        (["score", "{0}", "{1}", "--measure", "tree"], "unknown measure 'tree'. The measures are span_f,"),
        (["score", "{0}", "{1}", "--column", "2", "--format", "hipe"], "--column is for tags, not for entity trees"),
        (["score", "{0}", "{1}", "--outside", "_", "--format", "quaero"], "--outside is not for entity trees"),
        (["score", "{0}", "{1}", "--prior", "tokens"], "--prior is an option of sl_icm, which is not computed."),
        (["score", "{0}", "{1}", "--level", "span"], "invalid value for --level: 'span'. Use one of 'fine'"),
        (["score", "{2}", "{2}", "--measure", "eter"], "eter scores entity trees, not tags."),
        (["score", "{2}", "{2}", "--measure", "eter"], "JSON lines of trees go into spanometer eter."),
        (["score", "{2}", "{2}", "--alpha", "0.3"], "--alpha is an option of eter, which is not computed."),
        (["score", "{2}", "{2}", "--format", "hipe"], "{2}, line 1: the header has no column TOKEN"),
        (["spread", "{2}", "{2}", "--measure", "eter"], "unknown measure 'eter'."),
        (["eter", "{0}", "{3}"], "{3}, line 1: neither a header with NE-FINE-LIT or NE-COARSE-LIT, nor JSON lines"),
        (["eter", "{0}", "{3}"], "Name the format with --format: hipe, jsonl or quaero."),
    ],
)
def test_complaints(complaint, pair, file, arguments, said):
    paths = (*pair, file("tags.conll", "Ada\tB-PER\n"), file("empty.txt", EMPTY))
    assert said.format(*paths) in complaint(*(argument.format(*paths) for argument in arguments))


@pytest.mark.parametrize("command", ["eter", "score"])
def test_lines_are_named(complaint, pair, hipe, file, command):
    bad = file("bad.txt", "\n" + SYSTEM.replace("</func.ind>", "</func>"))
    assert f"{bad}, line 2, column " in complaint(command, pair[0], bad)
    bad = file("bad.tsv", HIPE_SYSTEM.replace("B-loc.adm.town", "loc.adm.town"))
    assert f"{bad}, line 7: in NE-FINE-LIT: 'loc.adm.town'" in complaint(command, hipe[0], bad)
    bad = file("header.tsv", HIPE.replace("TOKEN", "WORT"))
    assert f"{bad}, line 1: the header has no column TOKEN" in complaint(command, hipe[0], bad)
    bad = file("bad.jsonl", '[]\n[{"start": 2, "end": 1, "types": ["a"]}]\n')
    assert f"{bad}, line 2" in complaint(command, pair[0], bad)


@pytest.mark.parametrize("command", ["eter", "score"])
def test_sides_that_do_not_fit(complaint, pair, hipe, file, command):
    short = file("short.txt", SYSTEM.replace("de la ", "de "))
    assert complaint(command, pair[0], short).startswith(
        f"spanometer: {pair[0]}, line 1: the reference document that begins here has 6 tokens, the predicted one "
        f"({short}, line 1) has 5 tokens."
    )
    more = file("more.txt", SYSTEM + "\n" + SYSTEM)
    assert f"{more}, line 3: 2 predicted documents, 1 reference document" in complaint(command, pair[0], more)
    other = file("other.tsv", HIPE_SYSTEM.replace("= two", "= three"))
    assert (
        f"{hipe[0]}, line 7: the reference document that begins here is 'two', the predicted one ({other}, line 7) is "
        "'three'."
    ) in complaint(command, hipe[0], other)


def test_lengths_of_one_side(complaint, pair, file):
    beyond = file("beyond.jsonl", '[{"start": 5, "end": 7, "types": ["loc"]}]\n')
    for sides in ((pair[0], beyond), (beyond, pair[0]), (pair[0], pair[1], beyond)):
        problem = complaint("eter", *sides)
        assert f"{beyond}, line 1" in problem
        assert "'loc' ends at 7, but the document has 6 tokens" in problem
    two = file("two.jsonl", "[]\n[]\n")
    assert f"{two}, line 2: 2 predicted documents, 1 reference document" in complaint("eter", pair[0], two)


@pytest.mark.parametrize(
    ("content", "said"), [(b"", "empty"), (b"<loc>\n\0\n</loc>", "a NUL"), (GOLD.encode() + b"\xff\n", "the byte 0xff")]
)
def test_bad_files(complaint, pair, file, tmp_path, content, said):
    bad = file("bad", content)
    problem = complaint("eter", pair[0], bad, "--format", "quaero")
    assert said in problem
    assert bad in problem
    assert f"{tmp_path / 'none'}: cannot be read: no such file" in complaint("eter", pair[0], tmp_path / "none")
    (tmp_path / "empty").mkdir()
    assert f"{tmp_path / 'empty'}: this folder has no files" in complaint("eter", tmp_path / "empty", pair[0])


def test_corpus(scores, run, corpus):
    found = scores("eter", *corpus, "--sweep", "--names", "team1", "--ignore-words")
    assert (found["documents"], found["tokens"]) == (43, 40_854)
    # 1,600 literal and 82 nested entities
    assert [found["reference"][name] for name in ("entities", "components", "metonymic")] == [1_682, 788, 112]
    system = found["systems"]["team1"]
    # 1,560 literal and 58 nested ones, and three metonymic ones of other bounds
    assert [system[name] for name in ("entities", "components", "metonymic")] == [1_621, 670, 90]
    assert [len(side["left_out"]) for side in (found["reference"], system)] == [4, 11]
    sides = [entities_of(path) for path in corpus]
    assert system["scores"] == scores_of(*sides)
    for alpha in (0.0, 0.5, 1.0):
        assert found["sweep"]["team1"][f"{alpha:.1f}"] == scores_of(*sides, alpha=alpha)["eter"]
    _, output, _ = run("eter", *corpus, "--sweep", "--names", "team1", "--ignore-words")
    assert [
        cells(output, alpha) or re.findall(rf"^{alpha} +(\S+)$", output, re.MULTILINE) for alpha in ("0.0", "1.0")
    ] == [
        ["0.2538"],
        ["0.2826"],
    ]
    rates, _, *slots = cells(output, "team1")
    assert rates[0] == "0.2722"
    assert [row[4] for row in slots] == ["0.3106", "0.4547", "0.3532"]
    # 788 components, but for 82 that are nested entities
    assert [row[0] for row in slots] == ["1,682", "706", "2,388"]


@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_documents_makes_no_difference(corpus, seed):
    documents = [read_entities(path).entities for path in corpus]
    order = random.Random(seed).sample(range(len(documents[0])), len(documents[0]))
    before, after = (
        [Entities.from_dicts([side[document] for document in chosen]) for side in documents]
        for chosen in (range(len(order)), order)
    )
    for alpha in (0.0, 0.5, 1.0):
        assert scores_of(*after, alpha=alpha) == pytest.approx(scores_of(*before, alpha=alpha), rel=1e-12)

"""`spanometer eter`, and entity trees in `spanometer score`."""

import gzip
import io
import re

import pytest

import spanometer
from spanometer.measures import MEASURES
from spanometer.measures.eter import ALPHAS
from spanometer.readers import detect, read_entities, write_entities

# example 2 of the paper: two entities are missing, and two components are called as these are
GOLD = (
    "<func.ind> <kind> ambassadeur </kind> de la <loc.adm.nat> <name> Turquie </name> </loc.adm.nat> "
    "en <loc.adm.nat> <name> France </name> </loc.adm.nat> </func.ind>\n"
)
SYSTEM = "<func.ind> <kind> ambassadeur </kind> de la <name> Turquie </name> en <name> France </name> </func.ind>\n"
MARKUP = "input:markup|entity_types:amount,event,func,loc,org,pers,prod,time"
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


def cells(output, name):
    """The rows of that name in all tables, without the name."""
    return [
        line[len(name) :].split() for line in output.splitlines() if re.match(rf"{re.escape(name)}  +[\d.,]+  ", line)
    ]


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


def test_hipe(scores, run, hipe):
    found = scores("eter", *hipe)
    assert (found["documents"], found["tokens"]) == (2, 4)
    left_out = "line 5: no literal entity encloses the component 'name'."
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


def test_repair_and_scheme(scores, complaint, file):
    header = "TOKEN\tNE-FINE-LIT\n# document_id = a\n"
    gold, system = file("g.tsv", f"{header}x\tB-a\ny\tI-a\n"), file("s.tsv", f"{header}x\tI-a\ny\tI-a\n")
    assert scores("eter", gold, system)["systems"]["s"]["scores"]["eter"] == 0.0
    assert scores("eter", gold, system, "--repair", "discard")["systems"]["s"]["scores"]["eter"] == 1.0
    assert scores("score", gold, system, "--repair", "discard")["measures"]["eter"]["scores"]["eter"] == 1.0
    assert f"{system}, line 3: in NE-FINE-LIT:" in complaint("eter", gold, system, "--repair", "raise")
    assert scores("eter", system, system, "--scheme", "iob1", "--repair", "raise")["reference"]["entities"] == 1


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


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_forms_of_files_can_be_mixed(scores, pair, file, pack):
    expected = scores("eter", *pair)["systems"]["system"]
    read = [read_entities(path) for path in pair]
    sides = []
    for name, side in zip(("gold", "system"), read, strict=True):
        content = io.BytesIO()
        write_entities(content, side.trees.to_dicts(), format="jsonl")
        sides.append(file(f"{name}.jsonl", pack(content.getvalue())))
    for paths in ((pair[0], sides[1]), (sides[0], pair[1]), sides):
        found = scores("eter", *paths)
        assert found["systems"]["system"]["scores"] == expected["scores"]
        assert found["tokens"] == (6 if paths[0] == pair[0] else None)
    signature = scores("eter", pair[0], sides[1], pair[1])["systems"]["system.jsonl"]["signature"]
    assert signature.startswith(f"eter|{MARKUP.replace('|', '+entities|')}|documents:lines|")
    assert scores("eter", pair[0], pair[1], sides[1])["systems"]["system.txt"]["signature"] == expected["signature"]


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

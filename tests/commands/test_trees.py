"""Entity trees in `spanometer score`."""

import gzip
import io

import pytest

import spanometer
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


@pytest.fixture
def pair(file):
    return file("gold.txt", GOLD), file("system.txt", SYSTEM)


@pytest.fixture
def hipe(file):
    return file("gold.tsv", HIPE), file("system.tsv", HIPE_SYSTEM)


@pytest.fixture
def eter(scores):
    """Score, and return the scores and the signature of eter."""
    return lambda *arguments: scores("score", *arguments)["measures"]["eter"]


def test_names(scores, complaint, pair, file, tmp_path):
    (tmp_path / "b").mkdir()
    again = file("b/system.txt", SYSTEM)
    other = file("system.tsv", SYSTEM)
    assert list(scores("score", *pair, other)["systems"]) == ["system.txt", "system.tsv"]
    assert list(scores("score", *pair, again)["systems"]) == [pair[1], again]
    assert list(scores("score", *pair, pair[1])["systems"]) == ["system.txt (1)", "system.txt (2)"]
    assert list(scores("score", *pair, again, "--names", "one, two")["systems"]) == ["one", "two"]
    for names in ("one,", ""):
        systems = pair[1:] * (names.count(",") + 1)
        assert "a name is empty." in complaint("score", pair[0], *systems, "--names", names)


def test_hipe(scores, run, hipe):
    found = scores("score", *hipe)
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
    system, result = found["prediction"], found["measures"]["eter"]
    assert (system["entities"], system["components"], system["metonymic"], system["left_out"]) == (2, 1, 0, [])
    # one of two components is missing, and one of two types
    assert result["scores"]["component_error"] == 0.5
    assert result["scores"]["root_error"] == 0.25
    assert result["signature"].startswith("eter|input:hipe|level:fine|scheme:IOB2|repair:conlleval|alpha:0.5|")
    _, output, _ = run("score", *hipe)
    (line,) = [line for line in output.splitlines() if line.startswith("left out")]
    assert line.split(maxsplit=2)[2] == "1 of reference: line 5: no literal entity encloses the component 'name'"


def test_much_that_is_left_out(run, file):
    path = file("a.tsv", HIPE + "x\tO\tO\tO\tB-comp.name\tO\n" * 5)
    _, output, _ = run("score", path, path)
    assert output.count("and 3 more (--json has all)") == 2


def test_repair_and_scheme(scores, eter, file):
    header = "TOKEN\tNE-FINE-LIT\n# document_id = a\n"
    gold, system = file("g.tsv", f"{header}x\tB-a\ny\tI-a\n"), file("s.tsv", f"{header}x\tI-a\ny\tI-a\n")
    assert eter(gold, system)["scores"]["eter"] == 0.0
    assert eter(gold, system, "--repair", "discard")["scores"]["eter"] == 1.0
    assert scores("score", system, system, "--scheme", "iob1", "--repair", "raise")["reference"]["entities"] == 1


def test_entity_types(eter, file):
    texts = "<drug> <unit> mg </unit> </drug> <pers.x> of </pers.x> it\n", "<drug> mg </drug> of it\n"
    gold, system = (file(name, text) for name, text in zip(("drugs.txt", "found.txt"), texts, strict=True))
    result = eter(gold, system, "--entity-types", "pers, drug")
    # a missing entity, and a component missing in the other
    assert (result["scores"]["eter"], result["scores"]["references"]) == ((1 + 0.5) / 2, 2)
    sides = {"references": texts[:1], "predictions": texts[1:]}
    expected = spanometer.load("eter", "markup").compute(**sides, entity_types=["drug", "pers"], details=True)
    # the module's, except the part that says what a document of a file is
    assert result["signature"].replace("documents:lines|", "") == expected["signature"]


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_forms_of_files_can_be_mixed(scores, eter, pair, file, pack):
    expected = eter(*pair)
    read = [read_entities(path) for path in pair]
    sides = []
    for name, side in zip(("gold", "system"), read, strict=True):
        content = io.BytesIO()
        write_entities(content, side.trees.to_dicts(), format="jsonl")
        sides.append(file(f"{name}.jsonl", pack(content.getvalue())))
    for paths in ((pair[0], sides[1]), (sides[0], pair[1]), sides):
        found = scores("score", *paths)
        assert found["measures"]["eter"]["scores"] == expected["scores"]
        assert found["tokens"] == (None if paths == sides else 6)
    signature = scores("score", pair[0], sides[1], pair[1])["systems"]["system.jsonl"]["measures"]["eter"]["signature"]
    assert signature.startswith(f"eter|{MARKUP.replace('|', '+entities|')}|documents:lines|")


def test_no_entities(eter, file):
    path = file("a.jsonl", "[]\n")
    assert eter(path, path, "--measures", "eter", "--zero-division", "nan")["scores"]["eter"] is None


def test_a_label_that_the_reference_lacks_has_no_rate(scores, run, file):
    """An invented entity is an error of the corpus, and of a label that has no rate of its own."""
    gold, system = (
        file("gold.txt", "<pers> Ada </pers> in Bern\n"),
        file("a.txt", "<pers> Ada </pers> in <loc> Bern </loc>\n"),
    )
    result = scores("score", gold, system, "--per-label")["measures"]["eter"]
    assert result["scores"]["eter"] == 1.0
    rates = {label: (values["eter"], values["ser"]) for label, values in result["per_label"].items()}
    assert rates == {"loc": (None, None), "pers": (0.0, 0.0)}
    assert result["averages"]["macro"]["scores"]["eter"] == 0.0
    assert result["per_label"]["loc"]["counts"]["insertions"] == 1
    _, output, _ = run("score", gold, system, "--per-label")
    (line,) = [line.split() for line in output.splitlines() if line.startswith("loc ")]
    assert line[:3] == ["loc", "nan", "1"]


@pytest.mark.parametrize("arguments", [[], ["--format", "quaero"], ["--measures", "eter"], ["--documents", "lines"]])
def test_score_markup(scores, pair, arguments):
    found = scores("score", *pair, *arguments)
    assert list(found["measures"]) == ["eter"]
    assert (found["documents"], found["tokens"]) == (1, 6)
    assert (found["reference_entities"], found["predicted_entities"]) == (3, 1)


def test_tags_are_not_taken_for_trees(scores, file):
    # markup as words of a column, a column called like one of HIPE's, and a named column of HIPE's
    words = file("words", "<pers> B-X\nAda I-X\n</pers> I-X\n<b>x</b> O\n")
    assert detect(words) is None
    assert list(scores("score", words, words)["measures"]) == ["span_f", "link_f", "bcubed"]
    path = file("a.tsv", HIPE)
    for column in ("NE-FINE-LIT", "NE-COARSE-LIT"):
        found = scores("score", path, path, f"--column={column}", "--documents=document_id", "--outside=_")
        assert found["reference"] == {"file": path, "column": column}
        assert found["reference_spans"] == 2
    one = scores("score", path, "--reference-column=NE-FINE-LIT", "--prediction-column=NE-COARSE-LIT")
    assert one["predicted_spans"] == 2

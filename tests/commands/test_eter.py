"""`spanometer eter`, and entity trees in `spanometer score`."""

import gzip
import io
import random
import re
import sys

import pytest

import spanometer
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
    return read_entities(path, **options).trees


def scores_of(references, predictions, **options):
    measure = Eter(**options)
    counts = measure.counts(references, predictions)
    return {**measure.score(counts), "muc_error": measure.muc_error(counts)}


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
        write_entities(content, side.trees.to_dicts(), format="jsonl")
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
    documents = [read_entities(path).trees.to_dicts() for path in corpus]
    order = random.Random(seed).sample(range(len(documents[0])), len(documents[0]))
    before, after = (
        [Entities.from_dicts([side[document] for document in chosen]) for side in documents]
        for chosen in (range(len(order)), order)
    )
    for alpha in (0.0, 0.5, 1.0):
        assert scores_of(*after, alpha=alpha) == pytest.approx(scores_of(*before, alpha=alpha), rel=1e-12)

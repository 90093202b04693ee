"""Entity trees in `spanometer score`."""

import gzip
import json

import pytest

import spanometer
from spanometer.readers import read_entities

# example 2 of the paper: two entities are missing, and two components are called as these are
GOLD = (
    "<func.ind> <kind> ambassadeur </kind> de la <loc.adm.nat> <name> Turquie </name> </loc.adm.nat> "
    "en <loc.adm.nat> <name> France </name> </loc.adm.nat> </func.ind>\n"
)
SYSTEM = "<func.ind> <kind> ambassadeur </kind> de la <name> Turquie </name> en <name> France </name> </func.ind>\n"
MARKUP = "input:markup|entity_types:amount,event,func,loc,org,pers,prod,time"


@pytest.fixture
def pair(file):
    return file("gold.txt", GOLD), file("system.txt", SYSTEM)


@pytest.fixture
def eter(scores):
    """Score, and return the scores and the signature of eter."""
    return lambda *arguments: scores("score", *arguments)["measures"]["eter"]


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
def test_forms_of_files_can_be_mixed(scores, run, eter, pair, file, pack):
    expected = eter(*pair)
    read = [read_entities(path) for path in pair]
    sides = []
    for name, side in zip(("gold", "system"), read, strict=True):
        content = "".join(f"{json.dumps(entities)}\n" for entities in side.trees.to_dicts())
        sides.append(file(f"{name}.jsonl", pack(content.encode())))
    for paths in ((pair[0], sides[1]), (sides[0], pair[1]), sides):
        found = scores("score", *paths)
        assert found["measures"]["eter"]["scores"] == expected["scores"]
        assert found["tokens"] == (None if paths == sides else 6)
    for arguments in (("agree", *sides), ("errors", *sides), ("convert", sides[0], "--to", "IOB2")):
        assert f"{sides[0]}: this is a file of entity trees" in run(*arguments)[2]
    signature = scores("score", pair[0], sides[1], pair[1])["systems"]["system.jsonl"]["measures"]["eter"]["signature"]
    assert signature.startswith(f"eter|{MARKUP.replace('|', '+entities|')}|documents:lines|")

"""Files of entity trees for the tests, and what the package reads in them."""

import io

import pytest

from spanometer.exceptions import InputError
from spanometer.readers import read_entities

NAMES = ["TOKEN", "NE-FINE-LIT", "NE-FINE-METO", "NE-FINE-COMP", "NE-NESTED"]


def hipe(*rows, names=NAMES, head="# document_id = d1\n"):
    lines = ["\t".join(names), *("\t".join(row.split()) for row in rows)]
    return lines[0] + "\n" + head + "".join(f"{line}\n" for line in lines[1:])


def entities_of(content, **options):
    return read_entities(io.BytesIO(content.encode() if isinstance(content, str) else content), name="f", **options)


def trees(file):
    """The entities of each document, of those that begin together the longest first."""
    documents = file.trees.to_dicts()
    for entities in documents:
        entities.sort(key=lambda each: (each["start"], -each["end"]))
    return documents


def refused(content, **options):
    with pytest.raises(InputError) as caught:
        entities_of(content, **options)
    assert caught.value.source == "f"
    assert caught.value.problem
    return caught.value


def keys(documents):
    return sorted(
        (
            number,
            each["start"],
            each["end"],
            tuple(each["types"]),
            tuple((part["start"], part["end"], part["label"]) for part in each["components"]),
        )
        for number, document in enumerate(documents)
        for each in document
    )


PRESIDENT = hipe(
    "Le            O          O     O               O",
    "président     B-pers.ind O     B-comp.function O",
    "de            I-pers.ind O     I-comp.function O",
    "la            I-pers.ind O     I-comp.function O",
    "France        I-pers.ind O     I-comp.function B-loc.adm.nat",
    "Poincaré      I-pers.ind O     B-comp.name     O",
    "quitte        O          _     O               O",
    "Paris         B-loc.adm.town B-org.adm O       O",
)

NESTED = "<pers.ind> <name> Ada </name> </pers.ind> slept\n\nin <loc.adm.town+org.adm> Rome </loc.adm.town+org.adm>\n"

LINES = '[{"start": 0, "end": 1, "types": ["loc"]}]\n\n{"id": 7, "entities": []}\n'

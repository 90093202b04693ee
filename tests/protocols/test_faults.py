"""Faults of official scorers: what each tiny example gives here, where the scorer gives something else."""

import json

import pytest

from spanometer.protocols.protocol import Protocol

SPANS = ("1000001\tA\t0\t5\n1000001\tB\t9\t12\n", "1000002\tA\t3\t8\n1000002\tB\t3\t8\n")
NEXT = "2\tNu\tI-PER\tO\tI-PER\tO\n3\tx\tO\tO\tO\tO\n"
NAME = "1\tKeli\tB-PER\tO\tB-PER\tO\n"
FINE = "# hipe2022:document_id = x\n"
EXAMPLES = {
    "perfect, in another order of articles": (
        *("propaganda-tc", "0.222222", {"gold.tsv": "".join(SPANS), "system.tsv": "".join(reversed(SPANS))}),
        {"F1": "1.000000"},
    ),
    "a name that ends the file": ("germeval2014", "50.00", {"one.tsv": f"{NAME}\n{NAME}"}, {"strict:FB1": "100.00"}),
    "a name over two sentences": (
        *("germeval2014", "one predicted name of two", {"one.tsv": f"{NAME}\n{NEXT}"}, {"strict:Recall": "100.00"}),
    ),
    "a label with a hyphen": (
        *("hipe2022", "0 of 0", {f"{side}.tsv": f"TOKEN\tNE-COARSE-LIT\n{FINE}a\tB-art-work\n" for side in "ab"}),
        {"NE-COARSE-LIT-micro-strict:ALL:TP": "1"},
    ),
    "the label 0": ("conlleval", "`B-0` becomes `B-`", {"one.conll": "a B-0 B-0\nb B-X B-X\n"}, {"0:found": "1"}),
    "cut off": ("conll2012-mentions", "44.82", {}, {}),
}


@pytest.mark.parametrize("example", EXAMPLES)
def test_fault(example, run, file):
    name, fault, files, expected = EXAMPLES[example]
    protocol = Protocol.named(name)
    assert any(fault in text for text in protocol.faults)
    if not files:
        # 26 of 58 mentions
        assert protocol.written(26 / 58, share=True) == fault
        return
    paths = [file(*each) for each in files.items()]
    keys = json.loads(run("score", *paths, "--protocol", name, "--json")[1])["official"]["keys"]
    assert {key: keys[key]["printed"] for key in expected} == expected

"""Official scores by name: every declaration, and the files whose official scores are on record."""

import json
import re
import runpy
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import spanometer
import spanometer.protocols
from experiments.official import _declared, rows_of
from spanometer.exceptions import InputError
from spanometer.protocols.protocol import Protocol, names

FILES = Path(spanometer.protocols.__file__).parent
FEW = 2
"""How many systems of each protocol are scored here; python -m experiments.official scores all."""

TAGS = "a B-PER B-PER\nb I-PER O\nc O O\n\nd B-LOC B-LOC\ne I-LOC I-LOC\nf B-PER B-LOC\n"


@pytest.mark.parametrize("name", names())
def test_declarations(name, run):
    text = (FILES / f"{name}.toml").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 25
    protocol = Protocol.named(name)
    owned = {key: place.partition(".") for key, place in protocol.keys.items()}
    for key, (owner, dot, _) in owned.items():
        assert not dot or owner in protocol.own_measures, key
    for measure in protocol.own_measures.values():
        assert protocol.owner_of(measure.signature(protocol.reading)) is not None
    status, page, _ = run("help", name)
    assert status == 0 and page.startswith(f"{name}: ") and f"--protocol {name}\n" in page
    assert f"  {name} " in run("help", "protocols")[1]


@pytest.mark.parametrize("name", _declared())
def test_official_scores(name, data):
    if name.startswith("spacy"):
        pytest.importorskip("spacy", reason="needs spaCy: pip install spanometer[spacy]")
    if name.partition("@")[0].endswith("-tokens"):
        pytest.importorskip("regex", reason="needs regex: pip install spanometer[text]")
    rows = rows_of(name, data, first=FEW)
    assert rows
    assert [row for row in rows if not row.equal and row.reason is None] == []


def test_keys_and_signature(run, file):
    path = file("system.conll", TAGS)
    status, shown, _ = run("score", path, "--protocol", "conlleval", "--per-label")
    assert status == 0
    assert re.search(r"^FB1 +33\.33$", shown, re.M) and re.search(r"^PER:recall +0\.00$", shown, re.M)
    reading = "scheme:IOB2|repair:conlleval.pl|boundary:-X-|match_labels:yes"
    signature = f"span_f|{reading}|average:micro|zero_division:0|protocol:conlleval|"
    assert signature in shown
    (line,) = (line for line in shown.splitlines() if line.startswith("span_f|"))
    report = json.loads(run("score", path, "--measures", line, "--column", "2,3", "--json")[1])
    assert report["official"]["keys"]["LOC:recall"] == {"printed": "100.00", "value": 1.0}
    assert "|protocol:conlleval|" in run("compare", path, path, path, "--protocol", "conlleval")[1]
    assert "|protocol:conlleval|" in run("errors", path, "--protocol", "conlleval")[1]
    assert run("spread", path, "--column", "2,3", "--measures", line)[0] == 0


@pytest.mark.parametrize("option", ["--repair discard", "--labels PER", "--average macro", "--f-beta 2"])
def test_changed_options(run, file, option):
    path = file("system.conll", TAGS)
    name, value = option.removeprefix("--").replace("-", "_").split()
    for command in ("score", "errors"):
        shown = run(command, path, "--protocol", "conlleval", *option.split())[1]
        assert f"not the official scores of conlleval: you changed {name}:{value}" in shown
        assert "protocol:conlleval" not in shown


def test_reading_of_files_is_in_the_signature(run, file):
    """What a protocol sets is in the signature, and is read back; another value is a change."""
    path = file("tags.conll", "a O\nb B-A\nc B-B\n")
    shown = json.loads(run("score", path, path, "--protocol", "stanza-tokens", "--json")[1])
    signature = next(iter(shown["measures"].values()))["signature"]
    assert "|outside:nothing|" in signature and "|protocol:stanza-tokens|" in signature
    again = json.loads(run("score", path, path, "--measures", signature, "--json")[1])
    assert again["measures"] == {"token_f": shown["measures"]["token_f"]} and again["official"] == shown["official"]
    assert "outside:O" in spanometer.score(*[spanometer.read(path)] * 2, protocol="poseval-bio").official.changes
    changed = run("score", path, path, "--protocol", "flair", "--outside", "_")[1]
    assert "not the official scores of flair: you changed outside:_" in changed
    whole = [spanometer.read(file("whole.conll", "# doc = 1\na I-A\n\nb I-A\n"), documents="doc")] * 2
    changes = [spanometer.score(*whole, protocol=name).official.changes for name in ("seqeval", "crfsuite-flat-all")]
    assert (changes[0], changes[1][-1]) == ((), "documents:doc")


def test_labels_that_a_task_ships(run, file):
    """Of two predictions one has a label that the reference lacks; a tag set makes it count."""
    gold, system = (
        file(f"{side}.tsv", f"TOKEN\tNE-COARSE-LIT\n# hipe2022:document_id = x\na\tB-pers\nb\t{tag}\n")
        for side, tag in (("gold", "O"), ("system", "B-prod"))
    )
    precision = "NE-COARSE-LIT-micro-strict:ALL:P"
    for options, value in ([], "1.0"), (["--labels", "PERS,PROD"], "0.5"):
        keys = json.loads(run("score", gold, system, "--protocol", "hipe2022", *options, "--json")[1])["official"][
            "keys"
        ]
        assert keys[precision]["printed"] == value


def test_several_systems(run, file):
    rows = [line.split() for line in TAGS.splitlines()]
    gold, system = (
        file(f"{side}.conll", "".join(f"{row[0]} {row[side]}\n" if row else "\n" for row in rows)) for side in (1, 2)
    )
    shown = run("score", gold, system, gold, "--protocol", "conlleval")[1]
    assert re.search(r"^FB1 +33\.33 +100\.00$", shown, re.M)


def test_advice_names_the_protocol_of_a_task(run, file):
    labels = Protocol.named("wnut17").known_labels
    known = file("gold.conll", "".join(f"w B-{label}\nw O\n" for label in labels))
    line = "The labels match WNUT-17, novel and emerging entities: --protocol wnut17 computes its official scores."
    assert run("advise", known)[1].endswith(f"{line}\n")
    assert json.loads(run("advise", known, "--json")[1])["protocols"] == ["wnut17"]
    assert "official" not in run("advise", file("other.conll", "a B-person\nb O\n"))[1]


def test_pages():
    docs = FILES.parents[2] / "docs"
    made = runpy.run_path(str(docs / "official.py"))
    for name in names():
        protocol = Protocol.named(name)
        page = made["page"](protocol)
        assert protocol.description in page and all(f"| `{key}` |" in page for key in protocol.keys)
        assert all(fault in page and fault in made["faults"]() for fault in protocol.faults)
        assert f"[`{name}`]({name}.md)" in made["protocol_table"]()


def test_refusals(complaint, file):
    tags = file("system.conll", TAGS)
    spans = file("spans.jsonl", '{"text": "a b", "spans": [{"start": 0, "end": 1, "label": "X"}]}\n')
    line = complaint("score", spans, spans, "--protocol", "conlleval")
    assert "conlleval: --repair has no effect for documents with spans. Its files are: one" in line
    assert "--protocol has no effect for several references" in complaint(
        "score", tags, tags, tags, "--references", "2", "--protocol", "conlleval"
    )
    assert "Did you mean wnut17?" in complaint("score", tags, "--protocol", "wnut-17")


def test_in_python():
    gold, system = [["B-PER", "I-PER", "O"], ["B-LOC"]], [["B-PER", "I-PER", "O"], ["O"]]
    report = spanometer.score(gold, system, protocol="conlleval")
    assert report.official.values["precision"] == ("100.00", 1.0)
    assert report.official.of_labels["LOC:recall"] == ("0.00", 0.0)
    assert "|protocol:conlleval|" in report["span_f"].signature
    again = spanometer.score(gold, system, measures=report["span_f"].signature)
    assert again.official == report.official
    assert ["FB1", "66.67"] in report.tables()[-1].rows
    changed = spanometer.score(gold, system, protocol="conlleval", repair="discard")
    assert (changed.official.values, changed.official.changes) == ({}, ("repair:discard",))
    with pytest.raises(InputError, match="Did you mean conlleval"):
        spanometer.score(gold, system, protocol="conleval")


def test_slots_of_muc():
    """Six slots on each side: three right, one wrong, two missing and two spurious."""
    reference = [{"start": 2 * place, "end": 2 * place + 1, "label": label} for place, label in enumerate("ABC")]
    predicted = [reference[0], {**reference[1], "label": "X"}, {"start": 6, "end": 7, "label": "Z"}]
    values = spanometer.score([reference], [predicted], protocol="muc").official.values
    expected = {"COR": "3", "INC": "1", "MIS": "2", "SPU": "2", "POS": "6", "ACT": "6"}
    expected |= {"REC": "50.00", "UND": "33.33", "OVG": "33.33", "SUB": "25.00", "ERR": "62.50"}
    assert {key: values[key][0] for key in expected} == expected


def test_labels_that_neither_side_has(run, file):
    """Of NAME/PATIENT and NAME/DOCTOR the first is right; categories without a span have zeros."""
    first = {"start": 0, "end": 3, "label": "NAME/PATIENT"}
    sides = []
    for kind in ("DOCTOR", "PATIENT"):
        spans = [first, {"start": 4, "end": 7, "label": f"NAME/{kind}"}]
        sides.append(file(f"{kind}.jsonl", json.dumps({"id": "1", "text": "Ada Lee", "spans": spans}) + "\n"))
    keys = json.loads(run("score", *sides, "--protocol", "i2b2-2014", "--json")[1])["official"]["keys"]
    assert [keys[f"{name} Strict/micro f1"]["printed"] for name in ("NAME", "AGE")] == ["0.5", "0.0"]


TAGGED = [name for name in names() if {"scheme", "repair", "prefix"} & Protocol.named(name).reading.keys()]


@pytest.mark.filterwarnings("ignore:(label_map|ignore_labels)")
@pytest.mark.parametrize("name", TAGGED)
def test_same_numbers_in_python(name, run, file):
    """Random tags have the numbers of their files as lists, Arrow columns, integers and files that Python reads."""
    how = Protocol.named(name).reading
    prefixes = [""] if "prefix" in how else ["B-", "I-", "E-", "S-"][: 4 if how.get("scheme") == "IOBES" else 2]
    names_of = ["O", *(prefix + label for prefix in prefixes for label in "xy")]
    tags = {"o": [tag.lower() for tag in names_of], "_": ["_", *names_of[1:]]}.get(how.get("outside", ""), names_of)
    draw = np.random.default_rng(4).integers
    numbers = [[draw(len(tags), size=size).tolist() for size in (9, 1, 15)] for _ in range(2)]
    lists = [[[tags[number] for number in row] for row in side] for side in numbers]
    head = "TOKEN\tNE-COARSE-LIT\n" if how.get("column", "").startswith("NE") else ""
    begin = f"# {how['documents']} = {{}}\n" if "documents" in how else ""
    paths = []
    for place, side in enumerate(lists):
        rows = ["".join(f"w\t{tag}\n" for tag in row) for row in side]
        text = "".join(f"{begin.format(document)}{row}\n" for document, row in enumerate(rows))
        paths.append(file(f"{place}.tsv", head + text))
    words = {"tokens": [["w"] * len(row) for row in lists[0]]} if name == "wnut17" else {}
    options = {key: how[key] for key in ("scheme", "repair", "outside", "boundary", "documents") if key in how}
    files = [spanometer.read(path, prefix="prefix" not in how, **options) for path in paths]
    ignored = [[[*row, number] for row in side] for side, number in zip(numbers, (-100, 0), strict=True)]
    reports = [spanometer.score(*sides, protocol=name, **words) for sides in (lists, map(pa.array, lists))]
    reports.append(spanometer.score(*ignored, protocol=name, id2label=names_of, **words))
    reports.append(spanometer.score(*files, protocol=name))
    if "layer_columns" in how:
        assert {report.official.changes for report in reports} == {("layers:none",)}
        return
    official = json.loads(run("score", *paths, "--protocol", name, "--json")[1])["official"]
    assert "changes" not in official
    assert {json.dumps(report.official.to_dict()) for report in reports} == {json.dumps(official)}


def test_ignored_tokens(run, file):
    """Of three tokens, -100 leaves out the second; one of the others is right."""
    paths = [file(f"{tags[1]}.jsonl", json.dumps({"tags": tags}) + "\n") for tags in ([1, -100, 0], [1, 2, 2])]
    for name in ("seqeval", "poseval-bio"):
        options = ("--protocol", name, "--id2label", file("names.txt", "O\nB-X\nI-X\n"), "--json")
        assert json.loads(run("score", *paths, *options)[1])["official"]["keys"]["accuracy"]["value"] == 0.5

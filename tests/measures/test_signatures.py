"""Signatures as measures: what a signature says is set again, in Python and on the command line."""

import json
import random
import warnings

import pytest

import spanometer
from spanometer import InputError
from spanometer.commands.main import main
from spanometer.measures.registry import ALL_MEASURES
from spanometer.options import escaped, options_of, unescaped

GOLD = [["B-PER", "I-PER", "O", "B-LOC"], ["O", "B-LOC"], ["B-ORG", "I-ORG", "I-ORG"]]
SYSTEM = [["B-PER", "O", "O", "B-ORG"], ["O", "B-LOC"], ["B-ORG", "I-ORG", "O"]]
TREES = [
    [{"start": 0, "end": 2, "types": ["pers.ind"], "components": []}],
    [{"start": 1, "end": 2, "types": ["loc"], "components": []}],
]
ITEMS = [[{"start": 0, "end": 1, "label": "A", "attributes": {"neg": True, "who": "x,y"}}], []]
SIDES = {"spans": (GOLD, SYSTEM), "entities": (TREES, [*TREES[:1], []]), "attributes": (ITEMS, ITEMS)}
VALUES = {
    "weights": ["weighted", "BE=1/0/0,LE=0/0.5/0.5"],
    "distances": [None, {"PER": {"LOC": 0.5}, "a|b": {"c": 0.25}}],
    "token_probabilities": [None, 0.25],
    "attributes": [None, ["neg"], {"neg": True, "who": ["A"]}],
    "default_values": [{}, {"neg": False, "who": 'x"y'}],
    "filter": [None, "neg == true"],
    "precision": [None, 0.9],
}
READINGS = {
    "scheme": ["IOB2", "IOB1", "IOBES"],
    "repair": ["conlleval", "discard", "convert"],
    "label_map": [{"PER": "a|b"}, {"LOC": "x,y=z:%2C", "ORG": "token_f"}],
    "labels": [["PER", "LOC", "gamma"], ["ORG", "a|b"]],
    "ignore_labels": [["gamma2"], ["ORG", "span_f,|%7C"]],
}
DRAWS = {"confidence": [0.5, 0.95], "n_resamples": [5, 9], "interval_method": ["bca", "percentile"], "seed": [0, 7]}


def random_options(kind, chooses):
    options = {}
    for name, option in options_of(kind).items():
        if name in VALUES:
            options[name] = chooses.choice(VALUES[name])
        elif option.choices:
            options[name] = chooses.choice(list(option.choices))
        elif option.kind is bool:
            options[name] = chooses.random() < 0.5
        elif option.kind in (int, float) and name not in ("processes", "seed"):
            low, high = option.low or 0, min(option.high or 3, 3)
            options[name] = chooses.randint(1, 4) if option.kind is int else round(chooses.uniform(low, high), 4)
        elif name == "seed":
            options[name] = chooses.randint(0, 9)
    return options


def random_measure(name, chooses):
    for _ in range(50):
        try:
            return ALL_MEASURES[name](**random_options(ALL_MEASURES[name], chooses))
        except InputError:
            continue
    raise AssertionError("no options fit each other")


@pytest.mark.filterwarnings("ignore:.*(does|do) not occur", "ignore:nothing was scored")
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", ALL_MEASURES)
def test_signatures_of_all_measures(name, seed, tmp_path, capsys):
    chooses = random.Random(f"{name} {seed}")
    measure = random_measure(name, chooses)
    reading = {}
    for options, share in ((READINGS if measure.input == "spans" else {}, 0.5), (DRAWS, 0.5 * (seed % 2))):
        reading |= {key: chooses.choice(values) for key, values in options.items() if chooses.random() < share}
    sides = SIDES[measure.input]
    lengths = {} if measure.input != "entities" else {"lengths": [4, 4]}
    try:
        signature = spanometer.score(*sides, measures=measure, **lengths, **reading).results[0].signature
    except InputError:
        pytest.skip("the measure is not defined for this corpus")
    for text in (signature, f"'{signature.replace('|', ' | ')}'", [signature]):
        assert spanometer.score(*sides, measures=text, **lengths).results[0].signature == signature
    if measure.input == "spans":
        paths = []
        for place, side in enumerate(sides):
            rows = "\n\n".join("\n".join(f"w {tag}" for tag in row) for row in side)
            paths.append(str(tmp_path / f"{place}.conll"))
            (tmp_path / f"{place}.conll").write_text(rows + "\n")
        assert main(["score", *paths, "--measures", signature, "--json"]) == 0
        (result,) = json.loads(capsys.readouterr().out)["measures"].values()
        assert result["signature"] == signature


def scores_of(arguments, capsys):
    assert main([*arguments, "--json"]) == 0
    (result,) = json.loads(capsys.readouterr().out)["measures"].values()
    return result


@pytest.mark.parametrize(
    ("name", "value", "part"),
    [
        ("outside", "_", "outside:_"),
        ("outside", "a|b", "outside:a%7Cb"),
        ("outside", "nothing", "outside:nothing"),
        ("boundary", "-X-", "boundary:-X-"),
    ],
)
def test_how_files_are_read(name, value, part, tmp_path, capsys):
    """The signature alone gives the same numbers: for tags, for folders, and for tags beside documents with spans."""
    tag = "O" if value in ("nothing", "-X-") else value
    option = f"--{name}={value}"
    options = ["--to", "jsonl", "--repair", "conlleval", option]
    gold, system = tmp_path / "gold", tmp_path / "system"
    for side, first, second in ((gold, "B-PER", tag), (system, "I-PER", "B-PER")):
        side.mkdir()
        for file in ("1.conll", "2.conll"):
            (side / file).write_text(f"w {first}\nw {second}\n-X- {tag}\nw I-PER\n")
    documents = tmp_path / "system.jsonl"
    assert main(["convert", str(system / "1.conll"), *options, "-o", str(documents)]) == 0
    capsys.readouterr()
    for paths in ((gold / "1.conll", system / "1.conll"), (gold, system), (gold / "1.conll", documents)):
        arguments = ["score", *map(str, paths), "--measures"]
        result = scores_of([*arguments, "span_f", option], capsys)
        assert f"|{part}|" in result["signature"]
        assert scores_of([*arguments, result["signature"]], capsys) == result
    sides = [spanometer.read(side / "1.conll", **{name: value}) for side in (gold, system)]
    assert f"|{part}|" in spanometer.score(*sides, measures="span_f").results[0].signature


def test_files_that_are_read_differently(tmp_path, capsys):
    """The signature has both values, which the command line refuses: there is one option for both sides."""
    paths = [str(tmp_path / name) for name in ("gold", "system")]
    for path, tag in zip(paths, "_O", strict=True):
        (tmp_path / path).write_text(f"w {tag}\nw B-PER\n")
    sides = [spanometer.read(path, **options) for path, options in zip(paths, [{"outside": "_"}, {}], strict=True)]
    signature = spanometer.score(*sides, measures="span_f").results[0].signature
    assert "|outside:references=_,predictions=O|" in signature
    assert main(["score", *paths, "--measures", signature]) == 2
    complaint = capsys.readouterr().err
    assert "the signature has a different --outside for each side: references=_,predictions=O." in complaint


@pytest.mark.parametrize("text", ["a,b=c|d", "%2C", "%252C,", "%7C|%257C", "100 %", "|,=", ""])
def test_escapes(text):
    for signs in ("|", ",="):
        written = escaped(text, signs)
        assert not set(signs) & set(written)
        assert unescaped(written, signs) == text


def signed(measures, **options):
    return [result.signature for result in spanometer.score(GOLD, SYSTEM, measures=measures, **options).results]


WHOLE = "span_f|scheme:IOB2|repair:conlleval|match_labels:yes|average:micro|zero_division:0|v:0.1.0"
LINKS = WHOLE.replace("span_f", "link_f")


@pytest.mark.filterwarnings("ignore:ignore_labels")
def test_signatures_beside_measures():
    assert signed(f"{WHOLE},link_f,token_f(format=BIO)")[:2] == [WHOLE, LINKS]
    assert signed(f"link_f,{WHOLE}, {LINKS.replace('micro', 'macro')}")[:2] == [LINKS.replace("IOB2", "IOB2"), WHOLE]
    assert signed("span_f | average : macro") == [WHOLE.replace("micro", "macro")]
    assert signed("span_f|ignore_labels:PER,link_f|scheme:IOB2")[0].count("ignore_labels:PER,link_f") == 1
    intervals = signed(WHOLE, confidence=0.9, n_resamples=5)[0]
    assert "|confidence:0.9|" in intervals and signed(intervals) == [intervals]


def test_another_version():
    with pytest.warns(UserWarning, match=r"signature of span_f is from version 0.0.9; this is"):
        assert signed(WHOLE.replace("v:0.1.0", "v:0.0.9")) == [WHOLE]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert signed(WHOLE) == [WHOLE]


def test_functions_that_read_in_their_own_way():
    assert list(spanometer.compare(GOLD, {"a": GOLD, "b": SYSTEM}, measures="span_f|average:macro").measures) == [
        "span_f"
    ]

"""Labels that are scored as others, and labels that are left out."""

import evaluate
import numpy as np
import pytest

import spanometer
from module_cases import fragments_of
from spanometer.analysis.policies.repairs import policy_spread
from spanometer.analysis.scores.streams import score_stream
from spanometer.exceptions import InputError
from spanometer.integrations.trainer import TokenClassificationMetrics
from spanometer.readers.option_files import read_label_map
from spanometer.spans.spans import Spans
from spanometer.tags.schemes import LabelChoice

REFERENCES = [["B-PER", "I-PER", "O", "B-geo"], ["B-MISC", "O", "B-gpe", "I-gpe"]]
PREDICTIONS = [["B-per", "I-per", "O", "B-gpe"], ["O", "B-MISC", "B-geo", "I-geo"]]

PLACES = {"geo": "LOC", "gpe": "LOC", "per": "PER"}


def test_by_hand():
    def f1(**options):
        return spanometer.score(REFERENCES, PREDICTIONS, **options).measures["span_f"]

    assert f1().scores["f1"] == 0.0
    # the person and both places are right, the two of MISC are wrong
    mapped = f1(label_map=PLACES)
    assert (mapped.counts["both"], mapped.counts["predicted"], mapped.counts["reference"]) == (3, 4, 4)
    assert list(mapped.per_label) == ["LOC", "MISC", "PER"]
    assert "|label_map:geo=LOC,gpe=LOC,per=PER|match_labels:yes|" in mapped.signature
    both = f1(label_map=PLACES, ignore_labels=["MISC"])
    assert (both.scores["f1"], list(both.per_label)) == (1.0, ["LOC", "PER"])
    assert "|label_map:geo=LOC,gpe=LOC,per=PER|ignore_labels:MISC|" in both.signature
    # of mapped labels, the new name is left out
    assert list(f1(label_map=PLACES, ignore_labels=["LOC"]).per_label) == ["MISC", "PER"]
    only = f1(label_map=PLACES, labels=["PER", "LOC"])
    assert (only.scores["f1"], list(only.per_label)) == (1.0, ["LOC", "PER"])
    assert "|label_map:geo=LOC,gpe=LOC,per=PER|labels:LOC,PER|match_labels:yes|" in only.signature


def test_all_at_once():
    spans = Spans.from_tags([["B-A", "B-B", "O"]])
    (swapped,) = LabelChoice(label_map={"A": "B", "B": "A"}).of(spans)
    assert [(span["start"], span["label"]) for span in swapped.to_dicts()[0]] == [(0, "B"), (1, "A")]


def test_spans_that_become_one():
    nested = Spans.from_dicts([[{"start": 0, "end": 2, "label": label} for label in ("A", "B", "C")]])
    (mapped,) = LabelChoice(label_map={"A": "X", "B": "X"}).of(nested)
    assert mapped.to_dicts() == [[{"start": 0, "end": 2, "label": "C"}, {"start": 0, "end": 2, "label": "X"}]]
    parted = Spans.from_dicts([[{"label": label, "fragments": [[0, 1], [2, 3]]} for label in ("A", "B")]])
    (left,) = LabelChoice(ignore_labels=["A"]).of(parted)
    assert left.to_dicts() == [[{"label": "B", "fragments": [[0, 1], [2, 3]]}]]


def test_against_tags_rewritten_by_hand():
    """On random legal tags, to map spans is to map the labels in the tags."""
    rng = np.random.default_rng(1)
    names = np.array(["A", "B", "C", "D"])
    new = {"A": "X", "B": "X", "C": "A", "D": None}

    def document():
        # a token between spans: neighbours that become of one label must stay two
        tags = []
        for label, size in zip(names[rng.integers(4, size=6)], rng.integers(1, 4, size=6), strict=True):
            tags += [f"B-{label}", *[f"I-{label}"] * (size - 1), *["O"] * rng.integers(1, 3)]
        return tags

    def rewritten(tags):
        parts = [tag.partition("-") for tag in tags]
        return ["O" if prefix == "O" or new[label] is None else f"{prefix}-{new[label]}" for prefix, _, label in parts]

    documents = [document() for _ in range(50)]
    choice = LabelChoice(label_map={"A": "X", "B": "X", "C": "A"}, ignore_labels=["D"])
    (mapped,) = choice.of(Spans.from_tags(documents))
    assert mapped.to_dicts() == Spans.from_tags(list(map(rewritten, documents))).to_dicts()


def test_tags_for_labels():
    spans = Spans.from_tags([["B-geo", "I-geo", "B-per"]])
    for written in ({"B-geo": "LOC"}, {"B-geo": "B-LOC"}, {"B-geo": "LOC", "I-geo": "LOC"}, {"geo": "LOC"}):
        (mapped,) = LabelChoice(label_map=written).of(spans)
        assert mapped.labels == ("LOC", "per")
    # a label that looks like a tag is one
    odd = Spans.from_dicts([[{"start": 0, "end": 1, "label": "B-geo"}, {"start": 1, "end": 2, "label": "geo"}]])
    assert LabelChoice(label_map={"B-geo": "LOC"}).of(odd)[0].labels == ("LOC", "geo")
    for name in ("label_map", "reference_label_map"):
        with pytest.raises(InputError, match=r"(?s)'O' is not a label.*`ignore_labels`"):
            LabelChoice(**{name: {"B-geo": "O", "I-geo": "O"}})


def test_warnings():
    spans = Spans.from_tags([["B-PER", "B-LOC"]])
    with pytest.warns(UserWarning, match="label_map: PRE does not occur; the labels are LOC, PER"):
        LabelChoice(label_map={"PRE": "PERSON", "LOC": "PLACE"}).of(spans)
    with pytest.warns(UserWarning, match="ignore_labels: LOC, MISC do not occur; the labels are PER, PL"):
        LabelChoice(label_map={"LOC": "PLACE"}, ignore_labels=["LOC", "MISC", "PER"]).of(spans)
    with pytest.warns(UserWarning, match="labels: ORG does not occur; the labels are LOC, PER"):
        LabelChoice(labels=["PER", "ORG"]).of(spans)
    with pytest.warns(UserWarning, match="reference_label_map: ORG does not occur; the labels are LOC, PER"):
        LabelChoice(reference_label_map={"ORG": "X", "PER": ""}).of(spans, Spans.from_tags([["B-ORG", "O"]]))


def test_labels_are_matched_by_measures():
    with pytest.raises(TypeError, match=r"span_f\(match_labels=no\)"):
        spanometer.compare(REFERENCES, {"a": PREDICTIONS, "b": PREDICTIONS}, match_labels=False)


def test_long_maps_are_named_by_their_hash():
    choice = LabelChoice(label_map={f"label-{number}": "X" for number in range(60)})
    text = str(choice.signed()["label_map"])
    assert text.startswith("60-") and len(text) == 11
    other = LabelChoice(label_map={f"label-{number}": "Y" for number in range(60)})
    assert other.signed() != choice.signed()


@pytest.mark.parametrize(
    ("configuration", "convert"),
    [
        ("tags", lambda tags: tags),
        ("spans", lambda tags: Spans.from_tags(tags).to_dicts()),
        ("fragments", lambda tags: fragments_of(Spans.from_tags(tags).to_dicts())),
    ],
)
def test_modules(configuration, convert):
    module = evaluate.load(spanometer.path("span_f"), configuration)
    sides = {"references": convert(REFERENCES), "predictions": convert(PREDICTIONS)}
    result = module.compute(**sides, label_map=PLACES, ignore_labels=["MISC"], details=True)
    assert result["f1"] == 1.0
    assert "|label_map:geo=LOC,gpe=LOC,per=PER|ignore_labels:MISC|match_labels:yes|" in result["signature"]
    assert module.compute(**sides)["f1"] == 0.0


@pytest.mark.parametrize("choice", [{"ignore_labels": ["MISC"]}, {"labels": ["PER", "LOC"]}])
def test_everywhere_the_same(choice):
    options = {"label_map": PLACES, **choice}
    found = spanometer.compare(REFERENCES, {"a": PREDICTIONS, "b": REFERENCES}, **options)
    assert found.measures["span_f"].systems["a"].scores["f1"] == 1.0
    written = "labels:LOC,PER" if "labels" in choice else "ignore_labels:MISC"
    assert f"|label_map:geo=LOC,gpe=LOC,per=PER|{written}|" in found.measures["span_f"].signature
    agreed = spanometer.agreement([REFERENCES, PREDICTIONS], **options)
    assert (agreed.mean_f1, list(agreed.per_label)) == (1.0, ["LOC", "PER"])
    # a batch without some of the labels, and no warning
    batches = [(REFERENCES[:1], PREDICTIONS[:1]), (REFERENCES[1:], PREDICTIONS[1:])]
    assert score_stream(batches, scheme="IOB2", **options)["span_f"]["f1"] == 1.0
    spread = policy_spread(REFERENCES, PREDICTIONS, **options).measures["span_f"]
    assert (spread.best, spread.worst, spread.named["convert"]) == (1.0, 1.0, 1.0)
    # tags with illegal pairs: the label of the reading is mapped, whatever the policy
    bad = policy_spread([["B-geo", "I-geo"]], [["I-gpe", "I-geo"]], label_map={"gpe": "geo"}).measures["span_f"]
    alone = policy_spread([["B-geo", "I-geo"]], [["I-gpe", "I-geo"]]).measures["span_f"]
    assert bad.best > alone.worst


@pytest.mark.parametrize("choice", [{"label_map": {"B": "A"}}, {"reference_label_map": {"A": ""}}])
def test_spread_maps_every_reading(choice):
    """The best and the worst of the grid, each policy decoded by itself; only the first document has illegal tags."""
    references = [["B-A", "I-A", "O"], ["B-B", "O", "O"], ["B-A", "O", "B-B"]]
    predictions = [["I-A", "I-B", "O"], ["B-B", "O", "O"], ["B-B", "O", "B-B"]]
    spread = policy_spread(references, predictions, **choice).measures["span_f"]
    for policy in ("conlleval", "discard"):
        options = {"measures": "span_f", "scheme": "IOB2", "repair": policy, **choice}
        assert spread.named[policy] == spanometer.score(references, predictions, **options).f1


def test_trainer():
    labels = ["O", "B-geo", "B-gpe"]
    metrics = TokenClassificationMetrics(labels, measures=["span_f"], label_map={"gpe": "geo"}, labels=["geo"])
    logits = np.eye(3)[np.array([[1, 0, 2]])]
    assert metrics.compute_metrics((logits, np.array([[2, 0, 1]])))["span_f_f1"] == 1.0
    assert "|label_map:gpe=geo|labels:geo|decode:argmax|" in metrics.signatures()["span_f"]


def test_maps_in_files(file):
    assert read_label_map(file("map.json", '{"PER": "PERSON"}')) == {"PER": "PERSON"}
    # a tab parts before an equals sign, and that before a blank
    assert read_label_map(file("map.txt", "a b\r\nc d = e f \ng=h\ti\n")) == {"a": "b", "c d": "e f", "g=h": "i"}


def test_labels_of_the_reference_alone():
    """X is renamed in the reference; Y is left out there with what is predicted on its tokens, and counts elsewhere."""
    labels = [{"start": 2 * place, "end": 2 * place + 1, "label": label} for place, label in enumerate("XXYA")]
    gold = Spans.from_dicts([labels])
    system = gold.relabelled({"X": "X", "Y": "A", "A": "Y"})
    choice = LabelChoice(reference_label_map={"X": "Z", "Y": ""})
    sides = [[(span["start"], span["label"]) for span in side.to_dicts()[0]] for side in choice.of(gold, system)]
    assert sides == [[(0, "Z"), (2, "Z"), (6, "A")], [(0, "X"), (2, "X"), (6, "Y")]]
    result = spanometer.score(gold, system, measures="span_f", reference_label_map={"Y": ""})
    assert "|reference_label_map:Y=|" in result.signature and result.f1 == 2 / 3
    assert spanometer.score(gold, system, measures=result.signature).f1 == 2 / 3
    # other fragments with the same ends stay
    parted = [[{"label": "Y", "fragments": [[0, 1], [3, 4]]}, {"label": "A", "fragments": [[0, 1], [2, 4]]}]]
    assert spanometer.score(parted, [parted[0][1:]], measures="span_f", reference_label_map={"Y": ""}).f1 == 1.0


@pytest.mark.parametrize("old", ["PER", "B-PER"])
@pytest.mark.parametrize("choice", [{"labels": ["PERSON"]}, {"ignore_labels": ["LOC"]}, {"ignore_labels": ["PERSON"]}])
def test_new_names_of_the_reference_are_selected(old, choice):
    sides = [["B-PER", "O", "B-LOC"]], [["B-PERSON", "O", "B-LOC"]]
    counts = spanometer.score(*sides, reference_label_map={old: "PERSON"}, **choice).measures["span_f"].counts
    assert counts == {"both": 1, "predicted": 1, "reference": 1}


def test_the_case_of_labels_and_labels_that_the_reference_lacks():
    choice = LabelChoice(label_case="upper", label_map={"GPE": "LOC"}, reference_labels=True)
    gold, system = (
        Spans.from_dicts([[{"start": place, "end": place + 1, "label": label} for place, label in enumerate(labels)]])
        for labels in (["per", "gpe"], ["PER", "loc", "misc"])
    )
    sides = [[span["label"] for span in side.to_dicts()[0]] for side in choice.of(gold, system)]
    assert sides == [["PER", "LOC"], ["PER", "LOC"]]
    result = spanometer.score(gold, system, measures="span_f", label_case="upper", reference_labels=True)
    assert result.signature.startswith("span_f|input:spans|label_case:upper|reference_labels:yes|")
    assert result.precision == 1.0

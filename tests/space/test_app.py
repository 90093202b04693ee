"""The Spaces' pages without a browser: what they read, what they show, and that nothing of the input is markup."""

import ast
import gzip
import importlib.util
import json
import re
import subprocess
import sys
from html import unescape
from pathlib import Path

import pytest

from page_answers import Reader, answer, answer_to, examples, examples_on, headline, respond_to, text_of
from spanometer import InputError, Spans
from spanometer.measures import ALL_MEASURES, MEASURES, register, unregister
from spanometer.measures.registry import PAGE_MEASURES
from spanometer.options import option, options_of
from spanometer.space.corpus import read_tags, read_upload
from spanometer.space.forms import page_of
from spanometer.space.limits import MAX_BYTES, MAX_CHANCE_WORK, MAX_DOCUMENTS, MAX_SPANS
from spanometer.space.texts import SHOWN_ROWS, error_message, render
from spanometer.tags.decoding import LabelDecoding
from spanometer.web.templates import number

METRICS = Path(__file__).parents[2] / "metrics"
TAG_EXAMPLES, MARKUP_EXAMPLES, ATTRIBUTE_EXAMPLES = map(examples, ("spans", "entities", "attributes"))
HOSTILE = [
    "<script>window.hurt=1</script>",
    "<img/src=x/onerror=window.hurt=1>",
    '"onmouseover="window.hurt=1',
    "{{value}}",
    "${window.hurt=1}",
    "&lt;b&gt;",
    "'",
    "`${1}`",
]


REFERENCE = "Ada B-PER\nLovelace I-PER\nsaw O\nParis B-LOC\n\nnothing O\nhere O\n"
PREDICTION = "Ada B-PER\nLovelace O\nsaw B-LOC\nParis B-LOC\n\nnothing O\nhere B-ORG\n"


def report_data(html):
    """The data of the report in the frame."""
    (frame,) = re.findall(r'<iframe[^>]* srcdoc="([^"]*)"', html)
    return json.loads(re.search(r'id="data">(.*?)</script>', unescape(frame), re.DOTALL)[1])


def test_the_report_in_the_frame_has_the_errors():
    data = report_data(answer("link_f", "a O\nb B-X\nc I-X\nd B-Y\n", "a B-Y\nb B-X\nc O\nd B-Z\n"))
    kinds = [data["kinds"][ord(code) - ord("0")]["name"] for code in data["systems"][0]["kind"]]
    assert sorted(kinds) == ["spurious", "wrong_boundary", "wrong_label"]
    assert data["passages"]["text"] == ["a b c d"]
    nested = report_data(answer("eter", *[MARKUP_EXAMPLES[1].reference] * 2))
    assert not nested["systems"][0]["kind"]
    assert "<iframe" not in answer("span_attribute", *[ATTRIBUTE_EXAMPLES[0].reference] * 2)


@pytest.mark.parametrize("name", PAGE_MEASURES)
def test_every_example_is_scored(name):
    for example in examples_on(name):
        html = answer_to(name, example)
        reader = Reader(html)
        assert not reader.unbalanced and not reader.open
        assert "alert" not in html and "sm-headline" in html


@pytest.mark.parametrize("name", MEASURES)
def test_the_headline_is_the_measures_own(name):
    references, predictions = ([line.split() for line in text.split("\n\n")] for text in (REFERENCE, PREDICTION))
    tags = [[cells[1::2] for cells in side] for side in (references, predictions)]
    measure = MEASURES[name]()
    expected = measure.score(measure.counts(*(Spans.from_tags(side) for side in tags)))[measure.headline]
    html = answer(name, REFERENCE, PREDICTION)
    assert headline(html) == number(expected)
    assert name in text_of(html) and "repair:conlleval" in text_of(html)


def test_all_measures_are_compared():
    html = answer("span_f", REFERENCE, PREDICTION)
    tables = re.findall(r"<table>(.*?)</table>", html[html.index(">All measures<") : html.index("By label")])
    rows = {}
    for table in tables:
        heads, *values = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in table.split("</tr>")[:-1]]
        rows |= {row[0]: dict(zip(map(text_of, heads), row, strict=True)) for row in values}
    # each page says the same about every measure, gamma's alone about gamma
    quick = [name for name, measure in MEASURES.items() if measure.quick]
    assert rows.keys() == {*quick, "eter"}
    for name in quick:
        shown = headline(answer(name, REFERENCE, PREDICTION)).replace("−", "-")
        assert text_of(rows[name][MEASURES[name].headline]) == shown
    assert "eter is left out: no spans found" in answer("span_f", "a O\n", "a O\n")


def test_options_change_the_score():
    assert headline(answer("span_f", REFERENCE, PREDICTION, average="macro")) == "0.2222"
    assert headline(answer("token_f", REFERENCE, PREDICTION, format="BIO")) != headline(
        answer("token_f", REFERENCE, PREDICTION, format="IO*")
    )
    assert "undefined" in answer("span_f", "a O\n", "a O\n", zero_division="nan")
    assert headline(answer("span_f", "a O\n", "a O\n", zero_division="1")) == "1.0000"
    illegal = "a O\nb I-X\n"
    assert headline(answer("span_f", "a O\nb B-X\n", illegal)) == "1.0000"
    assert headline(answer("span_f", "a O\nb B-X\n", illegal, repair="discard")) == "0.0000"
    assert "Prediction, line 2" in answer("span_f", "a O\nb B-X\n", illegal, repair="raise")


@pytest.mark.parametrize("name", PAGE_MEASURES)
def test_every_choice_is_scored_or_told(name):
    page = page_of(name)
    example = examples_on(name)[0]
    for one in page.options.values():
        for _, value in page.choices(one) or ([("", True)] if one.default is False else []):
            html = answer_to(name, example, **{one.name: value})
            assert ('role="alert"' in html) != ("sm-headline" in html)


@pytest.mark.parametrize("name", PAGE_MEASURES)
def test_controls_are_made_of_the_declared_options(name):
    declared = options_of(PAGE_MEASURES[name])
    page = page_of(name)
    assert {name for name, one in declared.items() if one.label} <= page.options.keys()
    for one in page.options.values():
        if one.name in declared and declared[one.name].choices:
            choices = page.choices(one)
            silent = [choice for choice in declared[one.name].choices if choice != "warn"]
            assert len(choices) == len(silent) + declared[one.name].optional
            assert page.initial[one.name] in [value for _, value in choices]


@pytest.fixture
def part_f():
    """A measure of one's own, without texts for its page."""

    @register
    class PartF(ALL_MEASURES["span_f"]):
        """Count what a part of a span is worth.

        No more than a test.
        """

        part: float = option(0.5, help="worth of a part", kind=float, low=0, high=1, label="Part")
        strict: bool = option(False, help="count nothing else", kind=bool, label="Strict")

        name = "part_f"

    yield PartF
    unregister(PartF.name)


def test_labels_are_ignored_on_all_of_a_page():
    reference, prediction = "Ada B-PER\nsaw O\nRome B-LOC\n", "Ada B-LOC\nsaw O\nRome B-LOC\n"
    assert headline(answer("span_f", reference, prediction)) == "0.5000"
    html = answer("span_f", reference, prediction, match_labels=False)
    assert headline(html) == "1.0000" and "match_labels:no" in html
    # the legend's numbers, and the other measures
    found = text_of(html)
    assert "PER" not in found.partition("Python")[0]
    assert text_of(answer("chance_kappa_f1", reference, prediction, match_labels=False)).count("1.0000") > 5


def test_a_measure_without_texts_has_a_page(part_f):
    page = page_of("part_f")
    assert (page.title, page.intro) == ("Part f", "Count what a part of a span is worth.")
    assert list(page.options)[:2] == ["part", "strict"]
    html = answer("part_f", REFERENCE, PREDICTION, strict=True, part=0.25)
    assert headline(html) == "0.3333" and "part_f|" in html and "part:0.25|strict:yes" in html
    assert "invalid value for “Part”: 2. Use a number from 0 to 1." in text_of(
        answer("part_f", REFERENCE, PREDICTION, part=2)
    )
    assert "The metric's card" in render("heading.html", page=page, home="")


def test_intervals():
    html = answer("span_f", REFERENCE * 3, PREDICTION * 3, confidence="0.95")
    assert re.search(r"from [\d.]+ to [\d.]+", html) and "confidence:0.95" in html
    assert "confidence" not in answer("span_f", REFERENCE, PREDICTION)


def test_numbers_out_of_bounds_are_errors():
    for name, changed in (
        ("eter", {"alpha": 1.5}),
        ("eter", {"alpha": None}),
        ("chance_kappa_f1", {"n_simulations": 5000}),
        ("sl_icm", {"log_base": 0}),
    ):
        example = (MARKUP_EXAMPLES if name == "eter" else TAG_EXAMPLES)[0]
        assert 'role="alert"' in answer(name, example.reference, example.prediction, **changed)


def test_chance_has_its_charts():
    example = TAG_EXAMPLES[0]
    found = respond_to("chance_kappa_f1", example.reference, example.prediction)
    assert "Histogram of F1 of 200 random annotations" in found.html and "p-value" in found.html
    # the words are next to the charts, which lie above the results
    assert found.html.index("Histogram of F1") < found.html.index("Sentence 3") < found.html.index("sm-headline")
    histogram, coverage = found.charts
    # both sides' lines, and where their spans are
    assert len(histogram.axes) == 1 and [len(axes.lines) for axes in coverage.axes] == [2]
    assert "Sentence 3, label PLACE" in found.html and "“Orr Valley Water apologised" in found.html
    without = respond_to("chance_kappa_f1", example.reference, example.prediction, n_simulations=0)
    assert [chart is None for chart in without.charts] == [True, False]
    assert "Set a number of simulated annotations" in without.html


def test_nothing_to_draw():
    found = respond_to("chance_kappa_f1", "a B-X\nb O\n", "a O\nb B-Y\n", n_simulations=0)
    assert list(found.charts) == [None, None]
    assert respond_to("chance_kappa_f1", "", "").charts == ()


def test_trees_show_their_alignment():
    example = MARKUP_EXAMPLES[1]
    shown = text_of(answer("eter", example.reference, example.prediction))
    assert "1 Tennick [loc.adm.town] Tennick [loc.adm.town] 0 0 0" in shown
    assert "1 mayor of Tennick [func.ind] missing 1" in shown and "3 spurious ferry [prod.object] 1" in shown
    perfect = answer("eter", example.reference, example.reference)
    assert headline(perfect) == "0.0000" and "missing" not in text_of(perfect.partition("<iframe")[0])


@pytest.mark.parametrize("token", HOSTILE)
@pytest.mark.parametrize("name", ["span_f", "chance_kappa_f1"])
def test_tokens_are_text(name, token):
    reference = f"{token} B-X\nb O\nc B-X\n"
    harmless = Reader(answer(name, "a B-X\nb O\nc B-X\n", "a B-X\nb B-X\nc O\n"))
    html = answer(name, reference, f"{token} B-X\nb B-X\nc O\n")
    reader = Reader(html)
    assert (reader.tags, reader.attributes) == (harmless.tags, harmless.attributes)
    assert report_data(html)["passages"]["text"][0].startswith(token)
    assert not re.search(r"[{}`$]", html)


@pytest.mark.parametrize("label", HOSTILE)
def test_labels_are_text(label):
    html = answer("span_f", f"a\tB-{label}\n", f"a\tB-{label}\n")
    reader = Reader(html)
    assert "script" not in reader.tags and "img" not in reader.tags
    assert not {name for name in reader.attributes if name.startswith("on")}
    assert label in "".join(reader.text)


@pytest.mark.parametrize("word", [word for word in HOSTILE if not word.startswith("<")] + ["<1onerror=x>"])
def test_words_of_trees_are_text(word):
    text = f"<pers.ind> {word} </pers.ind> {word}"
    reader = Reader(answer("eter", text, text))
    assert word in "".join(reader.text) and not reader.unbalanced


def test_errors_are_text():
    for hostile in HOSTILE:
        html = answer("span_f", f"a\t{hostile}\n", "a\tO\n")
        reader = Reader(html)
        assert reader.tags <= {"div", "p", "strong"}, html
    error = InputError("<b>bad</b>", "<i>do</i>", source="<u>file</u>", line=3)
    assert Reader(error_message(error)).tags == {"div", "p", "strong"}


@pytest.mark.parametrize(
    ("reference", "prediction", "said"),
    [
        ("", "a O\n", "the reference is empty"),
        ("a O\n", "", "no third column"),
        ("a O\n\nb O\n", "a O\n", "documents"),
        ("a O\n", "a PER-B\n", "Prediction, line 1"),
        ("a O\nb \0O\n", "a O\nb O\n", "NUL"),
    ],
)
def test_wrong_tags_are_told_in_words(reference, prediction, said):
    html = answer("span_f", reference, prediction)
    assert 'role="alert"' in html and said in text_of(html), html
    assert "Traceback" not in html and "<svg" not in html


@pytest.mark.parametrize(
    ("reference", "prediction", "said"),
    [
        ("", "a", "the reference is empty"),
        ("a\n\n<pers.ind> a </pers.ind>", "a\n<pers.ind> a </pers>", "Prediction, line 2"),
        ("a b", "a c", "the word here is"),
    ],
)
def test_wrong_markup_is_told_in_words(reference, prediction, said):
    html = answer("eter", reference, prediction)
    assert 'role="alert"' in html and said in text_of(html), html


def test_different_words_are_refused():
    said = text_of(answer("span_f", "a B-X\n", "b B-X\n"))
    assert "the word here is 'a', but it is 'b' in line 1 of 'prediction'" in said and "ignore_words" not in said
    assert headline(answer("span_f", "a B-X\n", "B-X\n")) == "1.0000"
    assert "shown by their numbers" in answer("span_f", "B-X\n", "B-X\n")


def test_limits():
    many = "a O\n\n" * (MAX_DOCUMENTS + 1)
    assert "more than 5,000" in answer("span_f", many, many)
    long = "a O\n" * 200_001
    assert "more than 200,000" in answer("span_f", long, long)
    big = "a" * MAX_BYTES + " O\n"
    assert "too much for this page" in answer("span_f", big, "a O\n")
    assert "too much for this page" in answer("eter", "a " * 600_000, "a")
    # spans of many lengths in one sentence of 100,000 tokens
    line = "".join("a B-X\n" + "b I-X\n" * (number % 300) for number in range(660)) + "c O\n"
    said = text_of(answer("chance_kappa_f1", line, line))
    assert (
        "times the work that this page allows; the longest sentence has" in said and "set “Method” to 'uniform'" in said
    )
    assert headline(answer("chance_kappa_f1", line, line, method="uniform", n_simulations=0)) != "0.0000"
    units = "a B-X\n" * 6000
    said = text_of(answer("gamma", units, units))
    assert "30 random annotations of 12,000 units are too many" in said and "Set “Random annotations” to 25" in said


def test_chance_is_bounded_by_its_work_and_not_by_tokens():
    # 2,000 tokens in one sentence, every second one a span, in spans of 1 to 3
    dense = "".join("a B-X\n" + "b I-X\n" * (number % 3) + "c O\n" for number in range(700))
    sparse = "a B-X\n" + "b O\n" * 50_000
    found = {}
    for name, text in (("dense", dense), ("sparse", sparse)):
        corpus = read_tags(text, text, LabelDecoding())
        found[name] = ALL_MEASURES["chance_kappa_f1"]().work(corpus.alignment)
        assert headline(answer("chance_kappa_f1", text, text, n_simulations=0)) == "1.0000"
    assert found["dense"] < MAX_CHANCE_WORK / 5 and found["sparse"] < MAX_CHANCE_WORK / 100


def test_notes_of_a_measure_are_shown():
    # random spans may lie over each other: chance passes 1
    line = "".join(f"{tag}\n" for tag in ("B-X", "I-X", "B-X", "I-X", "I-X", "I-X", "I-X", "B-X", "I-X"))
    html = answer("chance_kappa_f1", line, line, placement="independent", n_simulations=0)
    assert "chance_f1 is 1.119, above 1" in text_of(html)
    assert "chance_f1 is" not in answer("chance_kappa_f1", REFERENCE, PREDICTION)


def test_uploads(tmp_path):
    file = tmp_path / "tags.conll"
    file.write_bytes("\ufeffé B-X\n".encode())
    assert read_upload(file) == "é B-X\n"
    file.write_bytes(gzip.compress("é B-X".encode()))
    assert read_upload(file) == "é B-X"
    for data, said in (
        (b"a\xff O\n", "line 1: the byte 0xff"),
        (b"a\0", "NUL"),
        (b"\x1f\x8bdamaged", "damaged"),
        (b"a" * (MAX_BYTES + 1), "too much"),
        (gzip.compress(b"a" * (MAX_BYTES + 1)), "larger than 5 MB"),
    ):
        file.write_bytes(data)
        with pytest.raises(InputError, match=said):
            read_upload(file)


def spans(*attributes, **more):
    """A line of spans with these attributes."""
    listed = [
        {"start": at, "end": at + 1, "label": "SYMPTOM", "attributes": each} for at, each in enumerate(attributes)
    ]
    return json.dumps({"spans": listed, **more} if more else listed) + "\n"


def attribute_rows(html):
    """The rows of both tables, each a list of texts, by the first cell's table."""
    tables = [re.findall(r"<tr[^>]*>(.*?)</tr>", part, re.DOTALL) for part in html.split("</table>")[:-1]]
    return [[[text_of(cell).strip() for cell in re.split(r"</t[hd]>", row)[:-1]] for row in rows] for rows in tables]


def test_the_published_example_of_attributes():
    example = ATTRIBUTE_EXAMPLES[0]
    html = answer("span_attribute", example.reference, example.prediction)
    scores, values = attribute_rows(html)
    # as EDS-NLP's documentation prints it; average precision with ties as one step, as the card says
    assert scores == [
        ["span_attribute", "f", "p", "r", "tp", "support", "positives", "ap"],
        ["micro", "0.5714", "0.5000", "0.6667", "2", "3", "4", "0.3333"],
        ["carrier", "0.5000", "0.5000", "0.5000", "1", "2", "2", "0.2500"],
        ["neg", "0.6667", "0.5000", "1.0000", "1", "1", "2", "0.5000"],
    ]
    assert values == [
        ["document", "span", "tokens", "attribute", "value", "outcome"],
        ["1", "", "4 to 5", "neg", "true", "✓ correct"],
        ["1", "", "8 to 9", "carrier", '"FATHER"', "✗ missing"],
        ["1", "", "8 to 9", "carrier", '"PATIENT"', "+ spurious"],
        ["1", "", "12 to 13", "carrier", '"PATIENT"', "✓ correct"],
        ["1", "", "12 to 13", "neg", "true", "+ spurious"],
    ]
    assert headline(html) == "0.5714" and "1 document, 3 reference spans, 3 predicted spans" in html
    assert "span_attribute|attributes:None" in html


def test_attributes_that_do_not_occur():
    for changed, said in (
        (
            {"attributes": "negted"},
            "no span has the attribute 'negted', which you set in “Attributes”. The only attribute is 'a'.",
        ),
        (
            {"attributes": "a=X"},
            "no span has the label 'X', which you set in “Attributes”. The only label is 'SYMPTOM'.",
        ),
        (
            {"default_values": "negted=1"},
            "no span has the attribute 'negted', which you set in “Default values”.",
        ),
    ):
        html = answer("span_attribute", spans({"a": 1}), spans({"a": 1}), **changed)
        assert 'role="alert"' in html and said in text_of(html)
    assert "No span on either side has attributes" in answer("span_attribute", spans({}), spans({}))


def test_only_the_first_values_are_shown():
    text = "[]\n" * SHOWN_ROWS + spans({"a": 1}) * SHOWN_ROWS
    html = answer("span_attribute", text, text)
    assert len(attribute_rows(html)[1]) == SHOWN_ROWS + 1 and "Shown:" not in html
    more = answer("span_attribute", text + spans({"a": 1}), text + spans({"a": 1}))
    assert len(attribute_rows(more)[1]) == SHOWN_ROWS + 1 and f"the first {SHOWN_ROWS} of {SHOWN_ROWS + 1} rows" in more


@pytest.mark.parametrize(
    ("reference", "prediction", "changed", "said"),
    [
        ("", "[]", {}, "the reference is empty"),
        ("[]", " \n", {}, "the prediction is empty"),
        ("[]\n{", "[]\n[]", {}, "Reference, line 2: this is not valid JSON"),
        ("[]", '[{"start": 2, "end": 1, "label": "X", "attributes": {}}]', {}, "Prediction, line 1"),
        ("[]\n[]", "[]", {}, "2 reference documents"),
        ("[]", "[]", {"attributes": "a\n=b"}, "has a part without a name"),
        ("[]", "[]", {"micro_key": " "}, "“Name of all together”"),
        ("[]", "[]", {"default_values": "a=no"}, "is not JSON"),
        ("[]", "[]", {"default_values": "a={}"}, "'a'"),
    ],
)
def test_wrong_attributes_are_told_in_words(reference, prediction, changed, said):
    html = answer("span_attribute", reference, prediction, **changed)
    assert 'role="alert"' in html and said in text_of(html), html
    assert "Traceback" not in html


def test_tags_without_prefixes():
    text = "Ada PROPN\nLovelace PROPN\nwrites VERB\n"
    refused = text_of(answer("span_f", text, text))
    assert "set “Tags have prefixes” to False" in refused
    shown = answer("span_f", text, "Ada PROPN\nLovelace NOUN\nwrites VERB\n", prefix=False)
    # VERB is found, PROPN is too short, NOUN is invented
    assert headline(shown) == "0.4000"
    assert "|scheme:IO|repair:conlleval|prefix:no|" in shown and "prefix=False" in shown
    assert "Illegal tags" not in shown


@pytest.mark.parametrize("hostile", HOSTILE)
def test_attributes_are_text(hostile):
    def line(text):
        span = {"start": 0, "end": 1, "label": text, "attributes": {text: [text, "b"]}}
        return json.dumps({"tokens": [text], "spans": [span]})

    harmless, html = (answer("span_attribute", line(text), line(text)) for text in ("a", hostile))
    reader, expected = Reader(html), Reader(harmless)
    assert (reader.tags, reader.attributes) == (expected.tags, expected.attributes)
    assert "".join(reader.text).count(hostile) >= 4 or '"' in hostile
    assert not re.search(r"[{}`$]", html)
    asked = answer("span_attribute", line("a"), line("a"), attributes=hostile, micro_key=hostile)
    assert Reader(asked).tags <= expected.tags | {"strong"} and not re.search(r"[{}`$]", asked)


def test_limits_of_attributes():
    assert "more than 5,000" in answer("span_attribute", "[]\n" * (MAX_DOCUMENTS + 1), "[]")
    assert "more than 20,000" in answer("span_attribute", spans(*[{}] * (MAX_SPANS + 1)), "[]")
    assert "too much for this page" in answer("span_attribute", " " * MAX_BYTES + "[]", "[]")


@pytest.mark.parametrize("name", PAGE_MEASURES)
def test_apps_are_thin(name):
    tree = ast.parse((METRICS / name / "app.py").read_text(encoding="utf-8"))
    assert len(tree.body) == 3
    assert ast.unparse(tree.body[2]) == f"launch({name!r})"
    assert "gradio" not in (METRICS / name / "requirements.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", PAGE_MEASURES)
def test_the_card_names_a_gradio(name):
    front = (METRICS / name / "README.md").read_text(encoding="utf-8").split("---\n", 2)[1]
    assert re.search(r"^sdk_version: 6\.\d+\.\d+$", front, re.MULTILINE)


_BUILD = """
import json
from spanometer.space.measure_page import form
from spanometer.space.serving import build
from spanometer.measures.registry import PAGE_MEASURES
found = {}
for name in PAGE_MEASURES:
    blocks = build(form(name))
    config = blocks.get_config_file()
    labels = [part["props"].get("label") for part in config["components"]]
    found[name] = {"labels": labels, "title": config["title"], "analytics": blocks.analytics_enabled}
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def built():
    """What Gradio makes of the pages, in a process of its own: it leaves event loops open."""
    if importlib.util.find_spec("gradio") is None:
        pytest.skip("the pages are made with Gradio (the extra space)")
    made = subprocess.run([sys.executable, "-c", _BUILD], capture_output=True, text=True, check=True)
    return json.loads(made.stdout.splitlines()[-1])


@pytest.mark.parametrize("name", PAGE_MEASURES)
def test_apps_build(name, built):
    page = built[name]
    labels = {one.label for one in page_of(name).options.values()}
    assert {"Reference", *(box["label"] for box in page_of(name).input["boxes"]), *labels} <= set(page["labels"])
    assert page["title"] == f"{page_of(name).title}: Spanometer"
    assert not page["analytics"]

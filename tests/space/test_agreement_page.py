"""The page `agreement`: files of annotators in, their agreement and where they differ out."""

import csv
import io
import json
import re
import zipfile
from pathlib import Path

import pytest

import spanometer
from headless import require_fit, served, space_app, started, wait
from page_answers import Reader, headline, text_of
from spanometer.space import agreement_page
from spanometer.space.agreement_page import FIELDS, MAX_FILES, form
from spanometer.space.documents import named, read_file
from spanometer.space.limits import MAX_DOCUMENTS
from spanometer.space.texts import examples_of

ROOT = Path(__file__).parents[2]
DOCCANO = [str(ROOT / "examples" / "doccano" / f"{name}.jsonl") for name in ("ann", "ben", "cat")]
HOSTILE = "<img/src=x/onerror=window.hurt=1>"
ANN = "Ada B-PER\nslept O\n\nin O\nRome B-LOC\n"
BEN = "Ada B-PER\nslept O\n\nin O\nRome B-ORG\n"


def page(paths, **changed):
    return form().response({"files": list(map(str, paths)), **FIELDS.initial, **changed})


@pytest.fixture
def files(tmp_path):
    def write(**texts):
        for name, text in texts.items():
            (tmp_path / name).write_text(text, encoding="utf-8")
        return [tmp_path / name for name in texts]

    return write


def packed(path, folder):
    """A folder of the data as a zip archive."""
    with zipfile.ZipFile(path, "w") as archive:
        for file in sorted(folder.rglob("*")):
            if file.is_file():
                archive.write(file, file.relative_to(folder))
    return path


def data_of(found):
    """What the script of the report shows."""
    data = re.search(r'<script type="application/json" id="data">(.*?)</script>', found.files["report.html"], re.DOTALL)
    return json.loads(data[1])


def report_text(found):
    return text_of(found.files["report.html"].partition("<body")[2].partition("<script")[0])


def test_by_hand(files):
    found = page(files(ann=ANN, ben=BEN))
    shown = text_of(found.html)
    # one token of two each is common: F1 = 2 * 1 / (2 + 2)
    assert "Mean F1 0.5000" in shown and "2 documents, 4 tokens; 1 place where 2 annotators differ" in shown
    data = data_of(found)
    place = {name: column[0] for name, column in data["passages"].items() if column}
    assert place == {"document": 2, "line": 4, "cut": 0, "cost": 0.5, "text": "in Rome"}
    (other,) = data["systems"]
    labels = [data["labels"][other[side][0]] for side in ("reference", "predicted")]
    assert (data["reference"], other["name"], labels) == ("ann", "ben", ["LOC", "ORG"])
    # the second document first
    assert re.search(r"cost 2 0\.0000 \S+ \S+ 1 0\.5000 1 1\.0000 \S+ \S+ 0 0\.0000", report_text(found))
    reader = Reader(found.html)
    assert not reader.unbalanced and not reader.open


def test_numbers_are_those_of_the_library():
    options = {"offset_unit": "utf-16", "tokenizer": "words", "confidence": "0.95"}
    found = page(DOCCANO, **options)
    sides = {name: spanometer.read(path, offset_unit="utf-16") for name, path in named(DOCCANO).items()}
    expected = spanometer.agreement(sides, tokenizer="words", confidence=0.95)
    # as docs/annotation_leads.md has them
    assert headline(found.html) == "0.8230" and "from 0.7550 to 0.8979" in text_of(found.html)
    told = json.loads(found.files["agreement.json"])
    assert told["agreement"]["kappa_f1"] == expected.to_dict()["kappa_f1"]
    assert told["agreement"]["intervals"] == expected.to_dict()["intervals"]
    assert len(told["agreement"]["per_document"]["mean_f1"]) == 12 == len(told["agreement"]["per_document"]["name"])
    places = found.files["disagreements.jsonl"].splitlines()
    assert len(places) == len(told["disagreements"]["places"]) == 10
    assert len(list(csv.DictReader(io.StringIO(found.files["disagreements.csv"])))) == 10
    # in the text, and who would be missed
    report = found.files["report.html"]
    assert "Châtelet" in report and "Without each annotator" in report


def test_offsets_that_nothing_tells():
    error = text_of(page(DOCCANO).html)
    assert "ann.jsonl, line 3" in error and "“Unit of offsets”" in error
    # a format without that option is read all the same
    assert "alert" not in page(DOCCANO, offset_unit="utf-16").html


def test_one_file_of_several_annotators(files):
    rows = [
        {"text": "Ada slept", "_input_hash": 1, "_annotator_id": name, "answer": "accept", "spans": spans}
        for name, spans in (("news-ann", [{"start": 0, "end": 3, "label": "PER"}]), ("news-ben", []))
    ]
    path = files(**{"both.jsonl": "".join(f"{json.dumps(row)}\n" for row in rows)})
    found = page(path)
    assert "news-ann" in found.html and "1 place where 2 annotators differ" in text_of(found.html)
    assert "Upload only this file" in text_of(page([*path, *path]).html)


def test_nested_spans(files):
    outer, inner = {"start": 0, "end": 12, "label": "A"}, {"start": 0, "end": 5, "label": "A"}
    texts = [json.dumps({"text": "Paris Hilton", "spans": spans}) for spans in ([outer, inner], [outer])]
    paths = files(**dict(zip(("ann.jsonl", "ben.jsonl"), texts, strict=True)))
    assert "“Random placement” to" in text_of(page(paths).html)
    assert "“Unitizing alpha” to" in text_of(page(paths, placement="layers").html)
    found = page(paths, placement="layers", variant="")
    assert "alert" not in found.html and "Alpha, all jointly" not in found.html
    assert "1 place where" in text_of(found.html)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([], "there is no file"),
        (["ann"], "the file has only one annotator"),
        (["ann"] * (MAX_FILES + 1), f"{MAX_FILES + 1} files, more than {MAX_FILES}"),
        (["ann", "other"], "line 2 of 'other'"),
        (["ann", "short"], "short"),
        (["ann", "many"], f"{MAX_DOCUMENTS + 1:,} sentences, more than"),
        (["ann", "large"], "more than 5 MB"),
        (["ann", "broken.zip"], "cannot be unpacked"),
        (["ann", "empty.zip"], "the archive is empty"),
        (["ann", "bomb.zip"], "too much for this page"),
        (["long", "long"], "“Computation of chance” to 'uniform'"),
    ],
)
def test_what_cannot_be_done(files, tmp_path, given, said):
    files(
        ann=ANN,
        other=ANN.replace("slept", "ate"),
        short="Ada B-PER\n",
        many="a O\n\n" * (MAX_DOCUMENTS + 1),
        large="a O\n" * 1_300_000,
        long="".join(f"a {tag}\n" for size in range(200) for tag in ("B-X", *["I-X"] * size, "O")) + "a O\n" * 150_000,
    )
    with zipfile.ZipFile(tmp_path / "broken.zip", "w") as archive:
        archive.writestr("one.conll", ANN)
    whole = (tmp_path / "broken.zip").read_bytes()
    (tmp_path / "broken.zip").write_bytes(whole.replace(b"Rome", b"Oslo"))
    with zipfile.ZipFile(tmp_path / "empty.zip", "w"):
        pass
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("zeros.conll", bytes(6_000_000))
    found = page([tmp_path / name for name in given])
    assert "alert" in found.html and said in text_of(found.html), text_of(found.html)
    assert not found.files and str(tmp_path) not in found.html


def test_spans_are_bounded(files, monkeypatch):
    monkeypatch.setattr(agreement_page, "MAX_ANNOTATED", 3)
    assert "4 spans, more than 3" in text_of(page(files(ann=ANN, ben=BEN)).html)


def test_intervals_are_bounded(files):
    many = "".join(f"a B-L{number % 40}\n\n" for number in range(2000))
    paths = files(ann=many, ben=many)
    assert "“Confidence” to none" in text_of(page(paths, confidence="0.95").html).replace("'", "")
    assert "alert" not in page(paths).html


def test_an_archive_is_a_folder_and_says_nothing_of_this_machine(files, tmp_path):
    ann, bad = tmp_path / "ann.zip", tmp_path / "bad.zip"
    for path, last in ((ann, "Rome"), (bad, "Oslo")):
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("one.txt", f"Ada in {last}")
            archive.writestr("one.ann", "T1\tLOC 7 11\tRome\n")
    assert read_file(str(ann)).source == "ann.zip"
    found = page([ann, bad])
    assert "bad.zip" in found.html.lower() and "archive/" not in found.html and "/tmp" not in found.html


def test_a_project_of_inception(tmp_path):
    head = "#FORMAT=WebAnno TSV 3.3\n#T_SP=custom.Span|value\n\n\n#Text=Ada in Rome\n1-1\t0-3\tAda\tPER\t\n"
    with zipfile.ZipFile(tmp_path / "project.zip", "w") as archive:
        for name, label in (("ann", "LOC"), ("ben", "ORG")):
            archive.writestr(f"annotation/d.txt/{name}.tsv", f"{head}1-2\t4-6\tin\t_\t\n1-3\t7-11\tRome\t{label}\t\n")
        archive.writestr("exportedproject.json", "{}")
    # characters: 2 * 3 / (7 + 7)
    assert "F1 0.4286" in text_of(page([tmp_path / "project.zip"]).html)


@pytest.mark.parametrize("token", [HOSTILE, "{{value}}", "${window.hurt=1}"])
def test_nothing_of_the_input_is_markup(files, token):
    texts = [ANN.replace("Rome", token).replace("LOC", token), BEN.replace("Rome", token)]
    found = page(files(**dict(zip((f"a{token.replace('/', '')}", "b"), texts, strict=True))))
    assert token not in found.html and "alert" not in found.html
    assert not {"img", "script"} & Reader(found.html).tags
    assert token.startswith(("$", "{")) or token not in found.files["report.html"]
    assert found.files["report.html"].count("<script") == 2


def test_examples(files):
    for texts in examples_of("teams").values():
        found = page(files(**texts))
        assert "alert" not in found.html and not Reader(found.html).unbalanced


@pytest.mark.parametrize(
    "path",
    [
        "brat/ncbi-disease",
        "doccano/facebook-es.jsonl",
        "label_studio/ner_saude-bruno.json",
        "prodigy/ner_tweets-test_annotated.jsonl",
        "webanno_tsv/GUM_news_worship.tsv",
        "conllu/GUM_news_worship.conllu",
        "bioc_json/tutorial-example.json",
        "pubtator/tutorial-example.txt",
    ],
)
def test_real_exports_agree_with_themselves(data, path, tmp_path):
    given = data / "exports" / path
    given = packed(tmp_path / "given.zip", given) if given.is_dir() else given
    options = {"placement": "independent", "variant": "", "offset_unit": "codepoint"}
    if path.startswith("webanno"):
        options |= {"layer": "Referent", "feature": "entity"}
    found = page([given, given], **options)
    assert headline(found.html) == "1.0000", text_of(found.html)[:500]
    assert not data_of(found)["passages"]["text"]


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    pytest.importorskip("gradio", reason="gradio is not installed (the extra space)")
    yield from started(tmp_path_factory.mktemp("chromium"))


@pytest.fixture(scope="module")
def address(browser, tmp_path_factory):
    yield from served(space_app("agreement", tmp_path_factory), tmp_path_factory)


def in_page(browser, address, paths):
    """Open the page and upload files; returns what finds parts of the results."""

    def found(selector):
        return browser.find_elements("css selector", f"#results {selector}")

    browser.get(address)
    wait(browser, lambda: found(".sm-headline"))
    browser.find_element("css selector", "#files input[type=file]").send_keys("\n".join(map(str, paths)))
    return found


def in_report(browser, found):
    """What the report in the frame says."""
    browser.switch_to.frame(wait(browser, lambda: found("iframe"))[0])
    try:
        return browser.execute_script("return document.body ? document.body.textContent : ''")
    finally:
        browser.switch_to.default_content()


def test_in_a_browser(browser, address, files):
    texts = {"one.conll": ANN.replace("Rome", HOSTILE), "two.conll": BEN.replace("Rome", HOSTILE)}
    found = in_page(browser, address, files(**texts))
    wait(browser, lambda: "one.conll" in in_report(browser, found))
    assert HOSTILE in in_report(browser, found)
    assert browser.execute_script("return window.hurt") is None
    links = [link.get_attribute("href") for link in browser.find_elements("css selector", "nav a")]
    for other in ("span_f", "gamma", "errors", "grounding"):
        assert f"https://huggingface.co/spaces/spanometer/{other}" in links
    listed = browser.find_element("id", "taken").text
    assert all(name in listed for name in ("report", "agree", "disag"))
    for control in browser.find_elements("css selector", "input, textarea, select, button, a"):
        if control.is_displayed():
            assert control.accessible_name.strip(), control.get_attribute("outerHTML")[:300]
    for width, scheme in ((390, "dark"), (1280, "light")):
        require_fit(browser, "agreement", width, scheme, lambda: found(".sm-headline"))


def test_a_file_is_taken_away(browser, address, files):
    texts = {"one.conll": ANN, "two.conll": BEN, "three.conll": ANN}
    found = in_page(browser, address, files(**texts))
    wait(browser, lambda: "three" in in_report(browser, found))
    removes = browser.find_elements("css selector", "#files button[aria-label='Remove this file']")
    assert len(removes) == 3
    removes[-1].click()
    wait(browser, lambda: "three" not in in_report(browser, found) and "two" in in_report(browser, found))


def test_what_a_reader_must_know(tmp_path):
    """Identical annotations that fill their text have no kappa, and the page says so."""
    row = {"text": "Ann", "spans": [{"start": 0, "end": 3, "label": "PER"}]}
    paths = []
    for name in ("ann.jsonl", "ben.jsonl"):
        (tmp_path / name).write_text(json.dumps(row) + "\n")
        paths.append(str(tmp_path / name))
    assert "ann - ben: chance_f1 is 1: randomly placed spans always agree fully" in text_of(page(paths).html)

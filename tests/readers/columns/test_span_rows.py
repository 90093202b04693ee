"""Rows of spans without a header, by hand; CoNLL-2012's brackets."""

import pytest

from spanometer import InputError, read, score
from spanometer.readers import detect


def spans(found):
    return {
        name: [(span["start"], span["end"], span["label"]) for span in row]
        for name, row in zip(found.documents.ids, found.spans.to_dicts(), strict=True)
    }


FORMS = {
    "spans": ("70001\t3\t8\n70002\t0\t2\n70001\t0\t1\n", {"70001": [(0, 1, "_"), (3, 8, "_")], "70002": [(0, 2, "_")]}),
    "techniques": ("70001\tDoubt,Fear\t3\t8\n", {"70001": [(3, 8, "Doubt,Fear")]}),
    "neleval": ("d1\t3\t3\tNIL1\t1.0\tPER\nd1\t5\t9\tE2\t0.5\tORG\t_\n", {"d1": [(3, 4, "PER"), (5, 10, "ORG")]}),
    "offsets": ("0\t[7, 3, 4,3]\r\n1\t[]\r\n", {"0": [(3, 5, "_"), (7, 8, "_")], "1": []}),
}


@pytest.mark.parametrize("form", FORMS)
def test_rows_are_detected_and_read(file, form):
    content, expected = FORMS[form]
    path = file(content)
    assert detect(path).name == "span_rows"
    assert spans(read(path)) == expected


def test_fragments_of_pipes(file):
    path = file("a.txt||Disorder||C01||7||9||12||15\na.txt||Disorder||CUI-less||1||2\n")
    assert detect(path).name == "span_rows"
    assert read(path).spans.to_dicts() == [
        [{"label": "Disorder", "fragments": [[1, 2]]}, {"label": "Disorder", "fragments": [[7, 9], [12, 15]]}]
    ]


@pytest.mark.parametrize(
    "content",
    [
        "token\t3\t4\nother\t0\t1\n",  # label numbers of two sides
        "1\t3\t4\n2\t0\t1\n",
        "70001\t4\t4\n70001\t8\t3\n",  # no bounds
        "70001\tO\t3\t4\n\n70001\tO\t0\t1\n",  # a blank line
        "Ada\t0\t3\tada\t0.9\tB-PER\nsings\t4\t9\tsing\t0.8\tO\n",  # tokens with their offsets
        "70001\t0\t1\n70001\t3\t5\tx\n",
        "a||b\n",
    ],
)
def test_columns_of_tokens_are_no_rows_of_spans(file, content):
    assert detect(file(content)) is None


def test_a_folder_with_empty_files(tmp_path):
    (tmp_path / "article70001.task1-SI.labels").write_text("70001\t3\t8\n")
    (tmp_path / "article70002.task1-SI.labels").write_text("")
    assert spans(read(tmp_path)) == {"70001": [(3, 8, "_")], "70002": []}
    (tmp_path / "article70003.task1-SI.labels").write_text("70003\t3\tx\n")
    with pytest.raises(InputError, match=r"article70003.*line 1: this row is not a span\.\nWrite one of these rows"):
        read(tmp_path)


CONLL = """#begin document (a/b); part 000
a/b 0 0 The DT (0|(1
a/b 0 1 cat NN 0)

a/b 0 0 purrs VB (2)|1)|(0
a/b 0 1 . . 0)
#end document
"""


def test_mentions_of_conll2012(file):
    path = file(CONLL)
    assert detect(path).name == "conll2012"
    found = read(path)
    assert spans(found) == {"(a/b); part 000": [(0, 2, "_"), (0, 3, "_"), (2, 3, "_"), (2, 4, "_")]}
    assert [list(row) for row in found.words] == [["The", "cat", "purrs", "."]]
    chains = read(path, chains=True)
    assert spans(chains)["(a/b); part 000"] == [(0, 2, "0"), (0, 3, "1"), (2, 3, "2"), (2, 4, "0")]


def test_tags_of_conll2012_are_tags(file):
    assert detect(file(CONLL.replace("(0|(1", "B-X").replace("0)", "O"))) is None


def test_an_empty_file_has_no_spans(tmp_path):
    for name, text in (("gold.tsv", "11111\t0\t5\n22222\t4\t6\n"), ("system.tsv", "")):
        (tmp_path / name).write_text(text)
    gold = read(tmp_path / "gold.tsv", format="span_rows")
    system = read(tmp_path / "system.tsv", format="span_rows")
    with pytest.warns(UserWarning, match="2 documents"):
        report = score(gold, system, measures="span_f", scored_documents="reference")
    assert report.counts == {"both": 0, "predicted": 0, "reference": 2}

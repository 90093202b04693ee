"""Documents and spans as readers of characters give them."""

import numpy as np
import pytest

from spanometer.documents.document_file import documents_of
from spanometer.documents.layers import Record
from spanometer.exceptions import InputError
from spanometer.readers.formats import IN_BROWSERS
from spanometer.readers.source import Source

# a dancer is 1 code point, 2 UTF-16 units, 4 bytes
TEXT = "💃 Ada wrote"


def made(file, *records, **options):
    with Source.open(file("{}\n", "spans.jsonl")) as source:
        return documents_of(source, records, **options)


def bounds(found):
    return list(zip(found.spans.start.tolist(), found.spans.end.tolist(), strict=True))


BOTH = ("codepoint", "utf-16")


@pytest.mark.parametrize(("start", "end"), [(2, 5), (3, 6)])
def test_stated_texts_decide_the_unit(file, start, end):
    record = Record(text=TEXT, spans=[(start, end, "PER")], stated=["Ada"])
    assert bounds(made(file, record, units=BOTH)) == [(2, 5)]


def test_the_unit_that_most_stated_texts_fit(file):
    spans = [(3, 6, "PER"), (7, 12, "ACT"), (0, 2, "X")]
    found = made(file, Record(text=TEXT, spans=spans, stated=["Ada", "wrote", "dancer"]), units=BOTH)
    assert bounds(found) == [(0, 1), (2, 5), (6, 11)]
    assert found.notes == (
        "1 of 3 span texts differ from the text at their offsets. The first (line 1) is 'dancer', but its "
        "offsets point to '💃'.",
    )


def test_most_stated_texts_differ(file):
    with pytest.raises(InputError, match=r"2 of 2 span texts differ") as caught:
        made(file, Record(text="Ada wrote", spans=[(0, 3, "A"), (4, 9, "B")], stated=["Bob", "said"]))
    assert "Check that the offsets belong to this text" in caught.value.remedy


def test_nothing_tells_the_unit(file):
    with pytest.raises(InputError) as caught:
        made(file, Record(text=TEXT, spans=[(2, 5, "A")], line=4), units=BOTH)
    assert "spans.jsonl, line 4: the text before a span has emoji or similar characters. Tools" in str(caught.value)
    assert "offset_unit=... to 'codepoint' (characters as in Python) or 'utf-16'" in str(caught.value)
    assert bounds(made(file, Record(text=TEXT, spans=[(3, 6, "A")]), units=("utf-16",))) == [(2, 5)]
    # before the emoji both are the same
    assert bounds(made(file, Record(text="Ada 💃", spans=[(0, 3, "A")]), units=BOTH)) == [(0, 3)]
    # an offset inside a character rules one out
    assert bounds(made(file, Record(text=TEXT, spans=[(1, 5, "A")]), units=BOTH)) == [(1, 5)]


@pytest.mark.parametrize(
    ("span", "problem"),
    [
        ((0, 12, "A"), r"from 0 to 12 does not fit the text \(9 characters\)[^!]*they must count characters as in"),
        ((-1, 2, "A"), "the span from -1 to 2 does not fit the text"),
        ((3, 2, "A"), "the end 2 is not after the start 3"),
        ((0, 1.0, "A"), r"the end is 1.0 \(of type float\), not an integer"),
        ((0, True, "A"), r"the end is True \(of type bool\), not an integer"),
        ((0, 2, None), "the label is None"),
        ((0, 2, ""), "the label is empty"),
        ((0, 2), r"\(0, 2\) is not a span"),
        (None, "None is not a span"),
    ],
)
def test_spans_that_are_refused(file, span, problem):
    with pytest.raises(InputError, match=problem) as caught:
        made(file, Record(text="", spans=[], line=2), Record(text="Ada wrote", spans=[(0, 1, "X"), span], line=7))
    assert caught.value.place.endswith("spans.jsonl, line 7") or caught.value.place.endswith("line 7, span 1")


def test_empty_and_doubled_spans_are_listed(file):
    records = [
        Record(text="abc", spans=[(1, 1, "A"), (0, 1, "B"), (0, 1, "B")], line=3),
        Record(text="", spans=[]),
        Record(text="abc", spans=[(2, 2, "A")], place="task 9"),
        Record(text="abc", spans=[(0, 3, "A")]),
    ]
    found = made(file, *records)
    assert found.spans.to_dicts() == [
        [{"start": 0, "end": 1, "label": "B"}],
        [],
        [],
        [{"start": 0, "end": 3, "label": "A"}],
    ]
    assert found.left_out == ("line 3: an empty span labelled 'A' at 1.", "task 9: an empty span labelled 'A' at 2.")
    assert found.notes == ("Repeated spans in the file (measures usually count them once): 1.",)
    assert found.lengths.tolist() == [3, 0, 3, 3]


def test_fragments(file):
    spans = [(0, 9, "A"), (2, 5, "B")]
    found = made(file, Record(text=TEXT, spans=spans, fragments={0: [(0, 1), (6, 9)]}, stated=["💃 wro", "Ada"]))
    assert found.spans.to_dicts() == [
        [{"label": "A", "fragments": [[0, 1], [6, 9]]}, {"label": "B", "fragments": [[2, 5]]}]
    ]


def test_annotators(file):
    records = [
        Record(text="abc", spans=[(0, 1, "A")], annotator="x", id="1"),
        Record(text="abc", spans=[(0, 2, "A")], annotator="y", id="1", place="task 1"),
        Record(text="def", spans=[], annotator="x", id="2"),
    ]
    found = made(file, *records)
    assert found.names == ("x", "y")
    mine = found.of("x")
    assert (mine.documents.ids, mine.documents.texts, len(mine.spans)) == (("1", "2"), ("abc", "def"), 1)
    assert found.of("y").locate(InputError("wrong.", document=0)).place.endswith("spans.jsonl, task 1, line 1")
    with pytest.raises(InputError, match="unknown annotator 'z'"):
        found.of("z")
    assert found.take(np.array([2])).document_lines.tolist() == [1]


def test_records_beyond_those_that_are_checked_together(file):
    plain = [Record(text="Ada", spans=[(0, 3, "A")], line=line) for line in range(1, 1501)]
    broken = Record(text=TEXT, spans=[(0, 1, "A"), (6, 9, "B")], fragments={1: [(6, 7), (8, 9)]}, stated=["💃", None])
    found = made(file, *plain, broken, *plain)
    assert found.spans.to_dicts()[1500][1] == {"label": "B", "fragments": [[6, 7], [8, 9]]}
    assert (len(found.spans), found.spans.to_dicts()[-1]) == (3002, [{"fragments": [[0, 3]], "label": "A"}])
    with pytest.raises(InputError, match="line 1502, span 1: the end is 'x'"):
        made(file, *plain, broken, Record(text="", spans=[(0, 1, "A"), (0, "x", "A")], line=1502))


LINES = "Ada\r\nwrote\r\n💃 it"


@pytest.mark.parametrize("bounds_given", [(5, 10), (4, 9)], ids=["two", "one"])
def test_stated_texts_decide_what_a_line_end_counts(file, bounds_given):
    record = Record(text=LINES, spans=[(*bounds_given, "A")], stated=["wrote"])
    assert bounds(made(file, record, units=IN_BROWSERS)) == [(5, 10)]


@pytest.mark.parametrize(
    ("unit", "start"), [("codepoint", 14), ("utf-16", 15), ("codepoint-lf", 12), ("utf-16-lf", 13)]
)
def test_units_of_line_ends(file, unit, start):
    record = Record(text=LINES, spans=[(start, start + 2, "A")])
    assert bounds(made(file, record, units=(unit,))) == [(14, 16)]


def test_nothing_tells_what_a_line_end_counts(file):
    with pytest.raises(InputError) as caught:
        made(file, Record(text="Ada\r\nwrote it", spans=[(5, 10, "A")]), units=IN_BROWSERS)
    assert "has a carriage return with a newline. Tools count" in str(caught.value)
    assert "'codepoint' (characters as in Python) or 'codepoint-lf' (code points" in caught.value.remedy
    assert "utf-16" not in caught.value.remedy
    with pytest.raises(InputError, match="emoji or similar characters and a carriage return with a newline"):
        made(file, Record(text=LINES + " and more", spans=[(14, 16, "A")]), units=IN_BROWSERS)
    # before the line end all are the same
    assert bounds(made(file, Record(text=LINES, spans=[(0, 3, "A")]), units=IN_BROWSERS)) == [(0, 3)]
    # an end past the text rules a unit out
    assert bounds(made(file, Record(text="a\r\nbc", spans=[(3, 5, "A")]), units=("codepoint", "codepoint-lf"))) == [
        (3, 5)
    ]


@pytest.mark.parametrize("stated", ["Ada  wrote", "Ada wrote", "Ada\\nwrote", "Ada\nwrote"])
def test_stated_texts_with_other_blanks(file, stated):
    found = made(
        file, Record(text="💃 Ada  wrote", spans=[(3, 13, "A")], stated=[stated]), units=("codepoint", "utf-16")
    )
    assert (bounds(found), found.notes) == ([(2, 12)], ())


def test_a_span_past_an_empty_text(file):
    with pytest.raises(InputError, match=r"does not fit the text \(0 characters\)"):
        made(file, Record(text="", spans=[(0, 1, "A")]))

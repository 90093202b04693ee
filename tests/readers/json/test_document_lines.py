"""JSON lines of documents: lists of spans, and objects that have one."""

import gzip

import pytest

import spanometer
from spanometer import InputError

SPANS = (
    '{"spans": [{"start": 0, "end": 2, "label": "A"}, {"start": 1, "end": 3, "label": "B"}], '
    '"tokens": ["a", "b", "c"]}\n'
    '\n{"tokens": ["d"], "spans": []}\n'
)


def test_spans_of_tokens(file):
    found = spanometer.read(file(gzip.compress(SPANS.encode()), "a.jsonl.gz"))
    assert found.words == [["a", "b", "c"], ["d"]]
    assert found.document_lines.tolist() == [1, 3]
    assert found.spans.lengths.tolist() == [3, 1]
    assert [len(document) for document in found.spans.to_dicts()] == [2, 0]


def test_lists_of_spans_have_no_text(file):
    path = file('[{"label": "A", "fragments": [[0, 1], [2, 3]]}]\n[]\n')
    found = spanometer.read(path, spans_key="entities")
    assert found.spans.fragments is not None
    assert (found.in_tokens, found.documents.size) == (True, 2)


@pytest.mark.parametrize("boundary", ['"1"', "1.0", "true", "null"])
def test_a_malformed_fragment_is_found_by_its_line(file, boundary):
    whole = '{"text": "abcde", "spans": []}'
    broken = f'{{"text": "abcde", "spans": [{{"label": "A", "fragments": [[0, 1], [2, {boundary}], [4, 5]]}}]}}'
    path = file(f"{whole}\n{broken}\n")
    with pytest.raises(InputError, match="a boundary of a fragment is not an integer") as caught:
        spanometer.read(path)
    assert caught.value.line == 2

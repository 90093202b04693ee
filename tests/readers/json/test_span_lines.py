"""JSON lines of spans."""

import gzip
import io

import pytest

from spanometer.exceptions import InputError
from spanometer.readers import read_spans

SPANS = (
    '{"spans": [{"start": 0, "end": 2, "label": "A"}, {"start": 1, "end": 3, "label": "B"}], '
    '"tokens": ["a", "b", "c"]}\n'
    '\n{"tokens": ["d"], "spans": []}\n'
)


def test_read_spans(file):
    path = file(gzip.compress(SPANS.encode()), "a.jsonl.gz")
    found = read_spans(path)
    assert found.words == [["a", "b", "c"], ["d"]]
    assert found.document_lines.tolist() == [1, 3]
    assert found.spans.lengths.tolist() == [3, 1]
    assert [len(document) for document in found.spans.to_dicts()] == [2, 0]
    fragments = file('{"entities": [{"label": "A", "fragments": [[0, 1], [2, 3]]}]}\n')
    assert read_spans(fragments, key="entities").spans.fragments is not None
    # words only if every document has them
    some = read_spans(io.BytesIO(b'{"spans": [], "words": ["a"]}\n{"spans": []}\n'), name="some")
    assert (some.source, some.words, some.spans.lengths) == ("some", None, None)
    with pytest.raises(InputError, match=r"^some, line 1, span 0: "):
        read_spans(io.BytesIO(b'[{"start": "0", "end": 1, "label": "A"}]\n'), name="some")

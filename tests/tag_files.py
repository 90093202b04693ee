"""Files of tags for the tests, and what the package reads in them."""

import json

import pytest

from spanometer.exceptions import InputError
from spanometer.readers import read, tag_lists

TWO = [["B-PER", "I-PER", "O"], ["O", "B-LOC"]]

TWO_COLUMNS = "Ada B-PER\nLovelace I-PER\nslept O\n\nin O\nRome B-LOC\n"


def tags(path, column=None, **options):
    return tag_lists(read(path, columns=[column], **options).tags[0])


def refused(path, **options):
    with pytest.raises(InputError) as caught:
        read(path, **options)
    assert caught.value.source == options.get("name", str(path))
    return caught.value


def json_lines(*rows):
    return "".join(json.dumps(row) + "\n" for row in rows)

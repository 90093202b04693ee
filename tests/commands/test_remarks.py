"""Remarks of `score` about sides that share no spans or labels."""

import pytest

import spanometer
from spanometer.commands.main import main


@pytest.fixture
def scored(tmp_path, capsys):
    def score(*sides, options=()):
        paths = []
        for number, tags in enumerate(sides):
            path = tmp_path / f"{number}.conll"
            path.write_text("".join(f"{word} {tag}\n" for word, tag in zip("abcdefgh", tags, strict=False)))
            paths.append(str(path))
        assert main(["score", *paths, "--measures", "span_f", *options]) == 0
        return capsys.readouterr().out.replace(str(tmp_path) + "/", "")

    return score


def test_a_document_without_spans_scores():
    with pytest.warns(UserWarning, match="nothing was scored"):
        assert spanometer.score([[]], [[]]).measures["span_f"].scores["f1"] == 0
    with pytest.warns(UserWarning, match="nothing was scored"):
        assert spanometer.score([["O", "O"]], [["O", "O"]], zero_division=1, measures="span_f").documents == 1

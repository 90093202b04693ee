"""`spanometer validate` of several files."""

import json

import pytest

LEGAL = "Ada B-PER\nwoke O\n"
ILLEGAL = "Ada O\nwoke I-PER\nB B-PER\n"
SPAN = '{"text": "Ada", "spans": [{"start": 0, "end": 9, "label": "A"}]}\n'


@pytest.mark.parametrize(
    ("names", "status", "total"),
    [
        (("legal", "legal"), 0, "2 files: 2 without problems."),
        (("legal", "illegal", "span"), 1, "3 files: 1 without problems, 2 with problems."),
        (("missing", "illegal"), 2, "2 files: 1 with problems, 1 that cannot be read."),
    ],
)
def test_several_files(run, file, tmp_path, names, status, total):
    paths = {"legal": file("legal", LEGAL), "illegal": file("illegal", ILLEGAL), "span": file("span.jsonl", SPAN)}
    paths["missing"] = tmp_path / "missing"
    arguments = [paths[name] for name in names]
    found, output, error = run("validate", *arguments)
    lines = output.splitlines()
    assert (found, lines[-1]) == (status, total)
    readable = [path for path in arguments if path != paths["missing"]]
    summaries = lines[-1 - len(readable) : -1]
    assert all(line.startswith(str(path)) for line, path in zip(summaries, readable, strict=True))
    assert ("missing: cannot be read" in error) == ("missing" in names)
    found, output, _ = run("validate", *arguments, "--json")
    described = json.loads(output)["files"]
    assert (found, [each["file"] for each in described]) == (status, list(map(str, arguments)))
    assert [bool(each.get("error")) for each in described] == [name == "missing" for name in names]

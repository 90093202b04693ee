"""`spanometer validate` of documents with spans."""

import json


def test_samples(run, data):
    """What the table of expected counts calls empty and untrimmed; counted without the project."""
    exports = data / "exports"
    with open(exports / "expected.tsv", encoding="utf-8") as table:
        head, *rows = [line.rstrip("\n").split("\t") for line in table]
    for row in (dict(zip(head, row, strict=False)) for row in rows):
        folder = row["file"].split("/")[0]
        if folder not in ("brat", "label_studio", "label_studio_min", "webanno_tsv") or "tsv2" in row["file"]:
            continue
        status, output, error = run("validate", exports / row["file"], "--json")
        if status == 2:
            # nothing says which of several layers or features is meant
            assert "Set --" in error
            continue
        counts = json.loads(output)["counts"]
        assert counts.get("empty", 0) == int(row["empty"]), row["file"]
        assert counts.get("padded", 0) == int(row["untrimmed"]), row["file"]
        assert counts.get("stated text", 0) == int(row["text_differs"]), row["file"]

"""HIPE: its rows by hand, a real file, and malformed ones."""

from corpus_releases import HIPE, exhaust, packed, refused
from spanometer.corpora import load_hipe


def test_hipe(file):
    path = file("HIPE-data-v1.3-test-fr.tsv", HIPE)
    loaded = load_hipe(path)
    assert list(loaded) == ["test"]
    component = {"start": 1, "end": 2, "label": "title"}
    assert list(loaded["test"]) == [
        {
            "id": "one",
            "tokens": ["le", "Dr", "Main"],
            "entities": [{"start": 1, "end": 3, "types": ["pers.ind"], "components": [component]}],
            "language": "fr",
            "newspaper": "EXP",
            "date": "1798-01-04",
        },
        {"id": "two", "tokens": ["ici"], "entities": [], "language": "de", "newspaper": None, "date": "1800-01-01"},
    ]
    assert exhaust(load_hipe, path, "fr", "test") == list(loaded["test"])
    assert load_hipe(path, split="test", level="coarse")[0]["entities"][0]["types"] == ["pers"]


def test_hipe_folders(tmp_path):
    for name in ("fr/HIPE-data-v1.3-dev-fr", "fr/HIPE-data-v1.3-test-masked-fr", "de/HIPE-data-v1.3-dev-de"):
        (tmp_path / "data" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "data" / f"{name}.tsv").write_text(HIPE)
    assert list(load_hipe(tmp_path / "data")) == ["validation"]
    assert load_hipe(packed(tmp_path / "data", "gz", tmp_path / "a"), "de", "dev").num_rows == 2
    assert "'it'" in refused(load_hipe, tmp_path / "data", "it").problem


def test_hidden_twins_of_files(tmp_path):
    # as macOS packs them
    for name in ("HIPE-data-v1.3-test-fr.tsv", "__MACOSX/._HIPE-data-v1.3-test-fr.tsv"):
        (tmp_path / "data" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "data" / name).write_text(HIPE if "._" not in name else "no corpus")
    assert load_hipe(tmp_path / "data", split="test").num_rows == 2
    assert load_hipe(packed(tmp_path / "data", "gz", tmp_path / "a"), split="test").num_rows == 2


def test_real_hipe(data):
    dataset = load_hipe(data / "hipe2020_test_fr.tsv", split="test")
    assert dataset.num_rows == 43
    assert dataset[0]["id"] == "EXP-1798-01-04-a-i0005"
    assert (dataset[0]["newspaper"], dataset[0]["date"]) == ("EXP", "1798-01-04")
    assert set(dataset["language"]) == {"fr"}
    # the task's own counts of the columns; a metonymic span is a second type or an entity of its own
    literal, metonymic, nested = 1600, 112, 82
    entities = [entity for row in dataset["entities"] for entity in row]
    assert sum(len(entity["types"]) == 2 for entity in entities) + len(entities) == literal + metonymic + nested

"""Parquet files on a Dask cluster: worker processes, one of which is killed, against one process."""

import os
import random
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from counts_of_parts import require_same_counts, tagged, whole
from entity_corpora import random_entity_documents
from slow_span_f import PATIENCE, SlowSpanF
from spanometer import InputError
from spanometer.analysis.scores.streams import Reading
from spanometer.measures import MEASURES, Eter, SpanF, UnitizingAlpha
from spanometer.spans.entities import Entities
from spanometer.spans.spans import pair_from_tags

distributed = pytest.importorskip("distributed", reason="Dask is not installed (the extra dask)")

from spanometer.integrations.dask import FAN_IN, count_part, plan, score, tally  # noqa: E402 (Dask comes first)

MEASURED = {name: measure() for name, measure in MEASURES.items()} | {"alpha": UnitizingAlpha(variant="1995")}
WORKERS = 2

# Dask's processes leave their sockets and threads to be collected
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")


@pytest.fixture(scope="module")
def client():
    """A cluster of several worker processes, on the loopback interface alone."""
    with (
        distributed.LocalCluster(
            n_workers=WORKERS, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address="127.0.0.1:0"
        ) as cluster,
        distributed.Client(cluster) as found,
    ):
        yield found


@pytest.fixture
def folder(tmp_path):
    """A folder with three files of small row groups, and the documents in them."""
    references, predictions = tagged(5, 120)
    for number, kind in enumerate((pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string()))):
        part = slice(40 * number, 40 * number + 40)
        column = pa.list_(kind)
        table = pa.table({"references": pa.array(references[part], column), "n": range(40)})
        table = table.append_column("predictions", pa.array(predictions[part], column))
        pq.write_table(table, tmp_path / f"part-{number}.parquet", row_group_size=7)
    return tmp_path, references, predictions


@pytest.fixture
def small_parts(monkeypatch):
    """Each row group is a part of its own."""
    monkeypatch.setattr("spanometer.integrations.dask.PART", 1)


def reading(measures=None, scheme="IOB2", lengths=None):
    return Reading.of(measures or MEASURED, lengths=lengths, scheme=scheme)


def test_by_hand(client, tmp_path):
    pq.write_table(pa.table({"gold": [["B-A", "O"]], "system": [["B-A", "B-A"]]}), tmp_path / "a.parquet")
    found = score(
        tmp_path / "a.parquet", scheme="IOB2", references="gold", predictions="system", client=client, progress=False
    )
    assert found == {"span_f": {"precision": 0.5, "recall": 1.0, "f1": pytest.approx(2 / 3)}}


@pytest.mark.usefixtures("small_parts")
def test_every_measure_as_in_one_process(client, folder):
    path, references, predictions = folder
    parts = plan(f"{path}/*.parquet", reading())
    # six row groups a file: more than can be summed at once
    assert len(parts) == 18 > FAN_IN
    found = tally(f"{path}/*.parquet", reading(), client=client, progress=False)
    require_same_counts(found.counts, whole(MEASURED, references, predictions))
    assert {name: counts.measure for name, counts in found.counts.items()} == MEASURED
    assert (found.sizes["documents"], found.sizes["tokens"]) == (120, sum(map(len, references)))


def test_row_groups_go_together_up_to_a_size(folder, monkeypatch):
    path, references, predictions = folder
    (part,) = plan(path / "part-0.parquet", reading())
    assert part.groups == (0, 1, 2, 3, 4, 5)
    # an empty document has one value in Parquet: a null
    values = [
        sum(max(len(row), 1) for side in (references, predictions) for row in side[:40][first : first + 7])
        for first in range(0, 40, 7)
    ]
    assert part.values == sum(values)
    monkeypatch.setattr("spanometer.integrations.dask.PART", values[0] + values[1])
    parts = plan(path / "part-0.parquet", reading())
    assert [number for part in parts for number in part.groups] == list(range(6))
    assert parts[0].groups == (0, 1)
    assert [part.values for part in parts] == [sum(values[number] for number in part.groups) for part in parts]
    assert all(part.values <= values[0] + values[1] or len(part.groups) == 1 for part in parts)


def test_a_name_with_brackets(client, tmp_path):
    path = tmp_path / "all[1].parquet"
    pq.write_table(pa.table({"references": [["B-A"]], "predictions": [["B-A"]]}), path)
    assert score(path, scheme="IOB2", client=client, progress=False)["span_f"]["f1"] == 1


def test_spans_with_lengths(client, tmp_path):
    references, predictions = tagged(6)
    pair = pair_from_tags(references, predictions, scheme="IOB2")[:2]
    columns = {"references": pair[0].to_arrow(), "predictions": pair[1].to_arrow(), "tokens": pair[0].lengths}
    pq.write_table(pa.table(columns), tmp_path / "spans.parquet", row_group_size=6)
    found = tally(tmp_path, reading(scheme=None, lengths="tokens"), client=client, progress=False)
    require_same_counts(found.counts, whole(MEASURED, references, predictions))


def test_entities(client, tmp_path):
    sides = random_entity_documents(random.Random(3))
    columns = [Entities.from_dicts(side).to_arrow() for side in sides]
    pq.write_table(pa.table(columns, ["references", "predictions"]), tmp_path / "trees.parquet", row_group_size=4)
    found = tally(tmp_path, reading("eter", None), client=client, progress=False)
    require_same_counts(found.counts, {"eter": Eter().counts(*map(Entities.from_dicts, sides))})


@pytest.mark.usefixtures("small_parts")
def test_one_worker_is_killed(client, folder, tmp_path_factory):
    path, references, predictions = folder
    notes = tmp_path_factory.mktemp("notes")
    measures = {"slow": SlowSpanF(folder=str(notes)), **MEASURED}
    before = set(client.run(os.getpid).values())
    with ThreadPoolExecutor(1) as thread:
        running = thread.submit(tally, path, reading(measures), client=client, progress=False)
        try:
            # every worker has counted a part, whose counts it holds, and is at work on another one
            end = time.monotonic() + PATIENCE
            while len(waiting := list(notes.glob("waits-*"))) < WORKERS:
                assert not running.done(), running.result()
                assert time.monotonic() < end
                time.sleep(0.02)
            killed = int(waiting[0].name.removeprefix("waits-"))
            assert killed in before
            os.kill(killed, signal.SIGKILL)
        finally:
            (notes / "go").touch()
        found = running.result(timeout=PATIENCE)
    client.wait_for_workers(WORKERS, timeout=PATIENCE)
    assert killed not in client.run(os.getpid).values()
    expected = whole(MEASURED, references, predictions)
    require_same_counts({name: found.counts[name] for name in MEASURED}, expected)
    assert found.counts["slow"].total() == expected["span_f"].total()
    assert found.sizes["documents"] == 120


def test_a_cluster_of_ones_own(folder):
    path, references, predictions = folder
    found = score(path, scheme="IOB2", progress=False)
    assert found == {"span_f": whole({"span_f": SpanF()}, references, predictions)["span_f"].score()}


def test_errors_say_where_they_are(client, folder):
    path, references, predictions = folder
    references[25] = [*references[25], "Q-A"]
    predictions[25] = [*predictions[25], "O"]
    place = len(references[25]) - 1
    table = pa.table({"references": references[:40], "predictions": predictions[:40]})
    pq.write_table(table, path / "part-1.parquet", row_group_size=10)
    with pytest.raises(InputError) as caught:
        score(path, scheme="IOB2", client=client, progress=False)
    message = f"{path}/part-1.parquet, row group 2, row 5, references, token {place}: 'Q-A' has no IOB2 prefix"
    assert str(caught.value).startswith(message)
    # nothing stays behind
    assert score(path / "part-0.parquet", scheme="IOB2", client=client, progress=False)


def test_a_null_and_other_lengths(client, tmp_path):
    for references, predictions, message in (
        ([["O"], None], [["O"], ["O"]], "row group 0, row 1, references: this document is None"),
        ([["O"]], [["O", "O"]], "row group 0, row 0: got 2 predicted tags, but 1 reference tag"),
        ([["O"], ["B-A"], ["B"]], [["O"]] * 3, "references, token 0: 'B' has no label, but other tags have a label"),
    ):
        pq.write_table(pa.table({"references": references, "predictions": predictions}), tmp_path / "a.parquet")
        with pytest.raises(InputError, match=message):
            score(tmp_path, scheme="IOB2", client=client, progress=False)


def write(path, **columns):
    pq.write_table(pa.table(columns), path / "a.parquet")


GOOD = {"references": [["B-A"]], "predictions": [["B-A"]]}


@pytest.mark.parametrize(
    ("columns", "options", "message"),
    [
        ({"gold": [["O"]]}, {}, r"a\.parquet: there is no column 'references'\. The only column is 'gold'"),
        ({"references": [["O"]]}, {}, r"there is no column 'predictions'\. The only column is 'references'"),
        (GOOD, {"references": "gold"}, r"a\.parquet: there is no column 'gold'"),
        (GOOD, {"lengths": "n"}, r"a\.parquet: there is no column 'n'"),
        (
            {**GOOD, "references": [[1]]},
            {},
            r"a\.parquet, row group 0, row 0, references, token 0: "
            r"the tag is the integer 1, but the names of the tags are missing",
        ),
        ({**GOOD, "predictions": ["O"]}, {}, r"a\.parquet, predictions: expected lists of .* a column of type string"),
        (GOOD, {"scheme": None}, r"a\.parquet: the scheme is missing"),
        (GOOD, {"measures": "eter"}, r"a\.parquet: `eter` scores entity trees"),
        (
            {"references": pa.array([], pa.list_(pa.string())), "predictions": pa.array([], pa.list_(pa.string()))},
            {},
            "^the files have no documents to score",
        ),
        (GOOD, {"client": 3}, "^client=3 is not a Dask client"),
        (GOOD, {"client": "nowhere"}, "^no scheduler answers at 'nowhere'"),
    ],
)
def test_wrong_input(client, tmp_path, columns, options, message):
    write(tmp_path, **columns)
    with pytest.raises(InputError, match=message):
        score(tmp_path, **{"scheme": "IOB2", "client": client, "progress": False, **options})


def test_no_files_and_others(client, tmp_path):
    for name in ("none.parquet", "*.parquet", "."):
        with pytest.raises(InputError, match=r"^no Parquet file found at "):
            score(tmp_path / name, scheme="IOB2", client=client)
    (tmp_path / "a.parquet").write_text("B-A B-A\n")
    with pytest.raises(InputError, match=r"a\.parquet: this cannot be read as Parquet: "):
        score(tmp_path, scheme="IOB2", client=client)


def test_another_version(folder):
    part = plan(folder[0], reading())[0]
    with pytest.raises(InputError, match=r"a worker has spanometer .*, but the client has 0\.0\.1"):
        count_part(part, reading(), "0.0.1")


# the command line


@pytest.mark.parametrize("at", ["local", "address"])
def test_command(run, client, folder, monkeypatch, at):
    path, references, predictions = folder
    # a cluster of this machine's own is started by another test
    monkeypatch.setattr(distributed, "LocalCluster", lambda **_: nullcontext(client.cluster))
    cluster = "local" if at == "local" else client.scheduler.address
    options = ("--cluster", cluster, "--scheme", "iob2", "--no-color", "--measures", "span_f,sl_icm")
    status, output, complaint = run("score", f"{path}/*.parquet", *options)
    assert (status, complaint) == (0, "")
    lines = output.splitlines()
    assert lines[0] == f"reference   {path}/*.parquet, references"
    tokens = sum(map(len, references))
    assert lines[2].startswith(f"size        120 documents, {tokens:,} tokens, ")
    expected = whole(MEASURED, references, predictions)
    for name in ("span_f", "sl_icm"):
        row = next(line.split()[1:] for line in lines if line.split()[:1] == [name])
        assert row == [f"{value:.4f}" for value in expected[name].score().values()]
    assert "Each signature ends in |scheme:IOB2|repair:conlleval|" in output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("{0}/b.parquet",), "{0}/b.parquet: there is no column 'references'. The only column is 'x'. Set"),
        (("{0}/no*.parquet",), "no Parquet file found at {0}/no*.parquet."),
        (
            ("{0}/part-0.parquet", "{0}/part-1.parquet"),
            "--cluster needs one name, or one quoted pattern, of Parquet files",
        ),
        (("{0}", "--column", "2"), "--column has no effect for Parquet files. Remove --column."),
        (("{0}", "--format", "jsonl"), "--format has no effect for Parquet files. Remove --format."),
        (("{0}", "--prediction-column", "references"), "the references and the predictions are the same column"),
    ],
)
def test_wrong_commands(complaint, client, folder, arguments, message):
    path = folder[0]
    pq.write_table(pa.table({"x": [1]}), path / "b.parquet")
    named = [argument.format(path) for argument in arguments]
    line = complaint("score", *named, "--cluster", client.scheduler.address, "--scheme=IOB2")
    assert line.startswith(f"spanometer: {message.format(path)}")


def test_columns_of_parquet_are_named_as_other_columns_are(run, complaint, client, folder):
    path, *_ = folder
    table = pq.read_table(path / "part-0.parquet").rename_columns({"references": "gold", "predictions": "system"})
    pq.write_table(table, path / "named.parquet")
    columns = ("--reference-column", "gold", "--prediction-column", "system", "--measures", "span_f")
    arguments = ("score", f"{path}/named.parquet", "--cluster", client.scheduler.address, *columns)
    status, output, _ = run(*arguments, "--scheme", "IOB2", "--json")
    assert status == 0
    assert '"column": "gold"' in output
    assert complaint(*arguments).endswith("Set the scheme of the tags, such as --scheme IOB2.")
    assert complaint("score", path / "named.parquet", "--lengths-column", "n").startswith(
        "spanometer: --lengths-column has no effect for tags."
    )

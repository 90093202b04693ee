"""Evaluation by several processes: counts summed by torch.distributed (gloo), predictions gathered by Accelerate.

And why `evaluate`'s own `num_process` is not enough in a loop: without a barrier it mixes rounds.
"""

import functools
import multiprocessing
import os
import socket
import time
from pathlib import Path

import numpy as np
import pytest

import spanometer
from counts_of_parts import TAGS, arrow, require_same_counts, tagged, whole
from spanometer.analysis.scores.streams import partial_counts, stream_counts, sum_counts
from spanometer.counts.counts import Counts
from spanometer.integrations.trainer import TokenClassificationMetrics
from spanometer.measures import MEASURES, SlIcm, SpanF, read_counts
from spanometer.spans.spans import pair_from_tags

PATIENCE = 600
PROCESSES = 2
MEASURED = {name: measure() for name, measure in MEASURES.items()} | {"macro": SlIcm(average="macro")}

needs_torch = pytest.mark.usefixtures("torch")


@pytest.fixture(scope="module")
def torch():
    return pytest.importorskip("torch", reason="torch is not installed (the extra train)")


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def in_processes(function, *arguments):
    """What a function of (rank, *arguments) returns in each of two processes that are started afresh."""
    context = multiprocessing.get_context("spawn")
    answers = context.Queue()
    port = free_port()
    running = [
        context.Process(target=_answer, args=(answers, port, function, rank, *arguments)) for rank in range(PROCESSES)
    ]
    for process in running:
        process.start()
    try:
        found = dict(answers.get(timeout=PATIENCE) for _ in running)
    finally:
        for process in running:
            process.join(5)
            if process.is_alive():
                process.kill()
                process.join()
    for answer in found.values():
        if isinstance(answer, Exception):
            raise answer
    return [found[rank] for rank in range(PROCESSES)]


def _answer(answers, port, function, rank, *arguments):
    os.environ.update(
        MASTER_ADDR="127.0.0.1",
        MASTER_PORT=str(port),
        RANK=str(rank),
        LOCAL_RANK=str(rank),
        WORLD_SIZE=str(PROCESSES),
        GLOO_SOCKET_IFNAME="lo",
        ACCELERATE_USE_CPU="1",
        HF_HUB_OFFLINE="1",
    )
    try:
        answers.put((rank, function(rank, *arguments)))
    except Exception as error:
        answers.put((rank, RuntimeError(f"{type(error).__name__}: {error}")))


def shard(rank, *columns):
    """The documents of a process: the first has more, and some labels stand in its part alone."""
    return tuple(column[:30] if rank == 0 else column[30:] for column in columns)


def corpus():
    references, predictions = tagged(8, 45)
    references[0], predictions[0] = ["B-RARE", "I-RARE"], ["B-RARE", "O"]
    return references, predictions


def sum_in_three_ways(rank):
    """Counts of the whole corpus in every process: gathered as bytes, as tables, and reduced as numbers."""
    import torch.distributed as dist

    dist.init_process_group("gloo")
    references, predictions = shard(rank, *corpus())
    found = gathered(dist, references, predictions), gathered_tables(dist, references, predictions)
    reduced_scores = reduced(dist, references, predictions)
    dist.destroy_process_group()
    return [{name: counts.to_bytes() for name, counts in way.items()} for way in found], reduced_scores


def gathered(dist, references, predictions):
    """Any counts: as bytes."""
    batches = (
        (references[first : first + 4], predictions[first : first + 4]) for first in range(0, len(references), 4)
    )
    counts = stream_counts(batches, measures=MEASURED, scheme="IOB2")
    parts = [None] * dist.get_world_size()
    dist.all_gather_object(parts, {name: part.to_bytes() for name, part in counts.items()})
    return {name: functools.reduce(Counts.__add__, [read_counts(part[name]) for part in parts]) for name in counts}


def gathered_tables(dist, references, predictions):
    """The same with the tables that other engines map."""
    parts = [None] * dist.get_world_size()
    dist.all_gather_object(parts, partial_counts(arrow(references, predictions), measures=MEASURED, scheme="IOB2"))
    return sum_counts(parts)


def reduced(dist, references, predictions):
    """Three numbers of each label, where all processes know the labels."""
    import torch

    counts = stream_counts([(references, predictions)], scheme="IOB2")["span_f"]
    labels = ("A", "B", "RARE")
    totals = torch.zeros(3, len(labels), dtype=torch.int64)
    for row, values in enumerate(counts.per_label().values()):
        for label, value in zip(counts.labels, values.tolist(), strict=True):
            totals[row, labels.index(label)] = value
    dist.all_reduce(totals)
    summed = dict(zip(("both", "predicted", "reference"), totals.numpy(), strict=True))
    return {key: float(value) for key, value in SpanF().score_totals(summed).items()}


@needs_torch
def test_counts_of_two_processes_are_summed():
    everywhere = in_processes(sum_in_three_ways)
    expected = whole(MEASURED, *corpus())
    for ways, scores in everywhere:
        for way in ways:
            found = {name: read_counts(counts) for name, counts in way.items()}
            require_same_counts(found, expected)
            assert "RARE" in found["span_f"].labels
        assert scores == expected["span_f"].score()
    assert everywhere[0] == everywhere[1]


ID2LABEL = dict(enumerate(dict.fromkeys(TAGS)))


def label_ids(rows, length):
    """Label numbers, padded."""
    number = {tag: code for code, tag in ID2LABEL.items()}
    return [[number[tag] for tag in row] + [-100] * (length - len(row)) for row in rows]


def gather_predictions(rank, references, predictions):
    """An evaluation loop: each process has every second batch, and those of one step are gathered."""
    import torch
    from accelerate import Accelerator

    accelerator = Accelerator(cpu=True)
    assert accelerator.num_processes == PROCESSES
    dataset = torch.utils.data.TensorDataset(torch.tensor(references), torch.tensor(predictions))
    loader = accelerator.prepare(torch.utils.data.DataLoader(dataset, batch_size=4))
    metrics = TokenClassificationMetrics(ID2LABEL, measures=("span_f", "sl_icm"))
    labels, found = [], []
    for batch in loader:
        # what was added to make the last batches even is left out again
        reference, predicted = accelerator.gather_for_metrics(batch)
        labels.append(reference.numpy())
        found.append(predicted.numpy())
    scores = metrics.compute_metrics((np.concatenate(found), np.concatenate(labels)))
    accelerator.end_training()
    return scores, len(np.concatenate(labels))


@needs_torch
def test_predictions_are_gathered_by_accelerate():
    pytest.importorskip("accelerate", reason="accelerate is not installed (the extra train)")
    # 45 documents are no even number of batches for two processes
    references, predictions = tagged(9, 45)
    length = max(map(len, references))
    everywhere = in_processes(gather_predictions, label_ids(references, length), label_ids(predictions, length))
    pair = pair_from_tags(references, predictions, scheme="IOB2")[:2]
    expected = {f"span_f_{key}": value for key, value in SpanF().counts(*pair).score().items()}
    expected |= SlIcm().counts(*pair).score()
    for scores, documents in everywhere:
        assert documents == 45
        assert scores == pytest.approx(expected, rel=1e-12)


# evaluate's own way


def wait_for(*paths):
    """Wait until files are there."""
    end = time.monotonic() + PATIENCE
    while not all(path.exists() for path in paths):
        if time.monotonic() > end:
            raise TimeoutError(f"{paths} did not come")
        time.sleep(0.02)


def rounds(rank, folder, barrier):
    """Two rounds of a metric with `num_process`: in the first all is right, in the second nothing.

    With a barrier every round begins when all processes are done with the one before; without it the second process is
    through both rounds before the first one scores the first.
    """
    metric = spanometer.load(
        "span_f",
        num_process=PROCESSES,
        process_id=rank,
        experiment_id="rounds",
        cache_dir=str(folder),
        timeout=PATIENCE,
    )
    scores = []
    for number in range(2 if barrier or rank == 1 else 1):
        if barrier:
            (folder / f"ready-{rank}-{number}").touch()
            wait_for(*(folder / f"ready-{other}-{number}" for other in range(PROCESSES)))
        metric.add_batch(references=[["B-A", "O"]], predictions=[["O" if number else "B-A", "O"]])
        if not barrier and rank == 0:
            wait_for(folder / "through")
        scores.append(metric.compute(scheme="IOB2"))
    if rank == 1:
        (folder / "through").touch()
    return scores


def both_rounds(rank, folder):
    """Rounds without and with a barrier."""
    return [rounds(rank, Path(folder) / name, name == "barrier") for name in ("free", "barrier")]


def test_rounds_of_num_process_mix_only_without_a_barrier(tmp_path):
    for name in ("free", "barrier"):
        (tmp_path / name).mkdir()
    (free, even), (other_free, other_even) = in_processes(both_rounds, str(tmp_path))
    # the first round's score is of one document of the first round and one of the second
    assert free == [{"precision": 1.0, "recall": 0.5, "f1": pytest.approx(2 / 3)}]
    assert [scores["f1"] for scores in even] == [1.0, 0.0]
    assert other_free == other_even == [None, None]


def metric_of_a_process(rank, name, label_ids, predictions):
    """What the metric of each process computes: the states are summed over both."""
    import torch
    import torch.distributed as dist

    from spanometer.integrations.torchmetrics import SpanMetric

    dist.init_process_group("gloo")
    metric = SpanMetric(ID2LABEL, name)
    for row in range(rank, len(label_ids), PROCESSES):
        metric.update(torch.from_numpy(predictions[row : row + 1]), torch.from_numpy(label_ids[row : row + 1]))
    found = {key: value.item() for key, value in metric.compute().items()}
    dist.destroy_process_group()
    return found


@pytest.mark.parametrize("name", ["span_f", "sl_icm"])
@needs_torch
def test_torchmetrics_over_processes(name):
    pytest.importorskip("torchmetrics", reason="torchmetrics is not installed (the extra torch)")
    generator = np.random.default_rng(4)
    label_ids = generator.integers(0, len(ID2LABEL), (9, 8))
    label_ids[generator.random(label_ids.shape) < 0.2] = -100
    predictions = generator.integers(0, len(ID2LABEL), (9, 8))
    expected = spanometer.score(label_ids, predictions, measures=name, id2label=ID2LABEL).flat()
    for found in in_processes(metric_of_a_process, name, label_ids, predictions):
        assert found == pytest.approx(expected, abs=1e-12)

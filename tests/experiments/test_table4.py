"""Table 4 of 'Evaluating Sequence Labeling on the basis of Information Theory', and monotonicity on other corpora."""

import re
from pathlib import Path

import pytest

import spanometer
from experiments import sl_icm
from experiments.inputs import Inputs, published_rows
from experiments.report import TABLES, make
from experiments.sl_icm import CORRECT, Table4
from random_corpora import as_spans, random_pair
from spanometer import InputError, Spans
from spanometer.commands.main import main
from spanometer.readers import read

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def references(data):
    return Spans.from_tags(read(data / "multiconer_es_dev.conll").tags[0])


@pytest.fixture(scope="module")
def result(references):
    return Table4(references)


def values(cells):
    return {(cell.row, cell.column): cell.ours for cell in cells}


@pytest.fixture
def command_line():
    """Outputs are made by the package."""
    return main


@pytest.mark.parametrize("name", [row["output"] for row in published_rows("sl_icm_table4")])
def test_the_command_makes_the_outputs_by_name(result, data, name, run, tmp_path):
    options = () if name == "gold" else ("--apply", name)
    options += ("--matched",) if name in ("short_truncation", "short_extension") else ()
    status, _, said = run(
        *("transform", data / "multiconer_es_dev.conll", "--as-spans", "-o", tmp_path / "out.jsonl"), *options
    )
    assert status == 0
    expected = result.outputs[name]
    assert said == ("" if name == "gold" else f"{name}: {expected.touched} spans changed.\n")
    assert spanometer.read(tmp_path / "out.jsonl").spans.to_dicts() == expected.spans.to_dicts()


def test_correct_lengths(result, references):
    found = values(result.cells(CORRECT))
    # 1,176 spans of 2,251 tokens; the 46 of four tokens lose one each, and keep all their precision
    tokens = int((references.end - references.start).sum())
    assert found["-1", "token_f_IO"] == pytest.approx(2 * (tokens - 46) / (2 * tokens - 46), abs=1e-12)
    shares = (1176 - 46 / 4) / 1176
    assert found["-1", "intersection_f"] == pytest.approx(2 * shares / (1 + shares), abs=1e-12)
    assert found["+1", "span_f"] == pytest.approx((1176 - 532) / 1176, abs=1e-12)
    assert found["sequence_split", "span_f"] == pytest.approx(2 * 548 / (1176 + 1804), abs=1e-12)


def test_other_corpora_are_refused():
    with pytest.raises(InputError, match="this corpus has 1 span in 1 document"):
        Table4(Spans.from_tags([["B-A"]]))


def slow_pooled_bcubed(references, predictions):
    """With sets of links, token by token."""
    sides = []
    for documents in (references, predictions):
        links = {}
        for number, document in enumerate(documents):
            for label, tokens in document:
                for token in tokens:
                    links.setdefault((number, token), set()).update((label, other) for other in tokens)
        sides.append(links)
    shares = [
        [len(links & other.get(place, set())) / len(links) for place, links in side.items()]
        for side, other in (sides, sides[::-1])
    ]
    if not any(shares[0]):
        return 0
    recall, precision = (sum(share) / len(share) for share in shares)
    return 2 * precision * recall / (precision + recall)


@pytest.mark.parametrize("seed", range(30))
def test_pooled_bcubed_against_sets(seed):
    references, predictions, lengths = random_pair(seed, "nested")
    sides = [as_spans(side, lengths) for side in (references, predictions)]
    labels = tuple(sorted({*sides[0].labels, *sides[1].labels}))
    found = sl_icm.pooled_bcubed(*(side.with_labels(labels) for side in sides))
    assert found == pytest.approx(slow_pooled_bcubed(references, predictions), abs=1e-12)


# increasing monotonicity


def test_monotonicity_by_hand():
    # two spans of four tokens in a sentence, three free tokens behind each
    spans = Spans.from_tags([["B-A", "I-A", "I-A", "I-A", "O", "O", "O"] * 2])
    lost, added = (values(list(sl_icm.monotonicity_of(spans, change))[:-1]) for change in ("lost", "added"))
    # 8, 6, 4, 2 of 8 tokens: F1 is 1, 6/7, 2/3, 2/5
    token = {column: lost["token_f_IO", column] for column in ("first", "second", "third", "even")}
    expected = {"first": 1 - 6 / 7, "second": 6 / 7 - 2 / 3, "third": 2 / 3 - 2 / 5, "even": 2 / 3}
    assert token == pytest.approx({column: 100 * value for column, value in expected.items()})
    # links 3 + 3 of 20, against 6 + 1
    assert lost["link_f", "even"] == pytest.approx(100 * 2 * 6 / 26)
    assert lost["link_f", "uneven"] == pytest.approx(100 * 2 * 7 / 27)
    # precision 4/6 twice, against 4/5 and 4/7; recall 1
    assert added["intersection_f", "even"] == pytest.approx(100 * 2 * (2 / 3) / (1 + 2 / 3))
    mean = (4 / 5 + 4 / 7) / 2
    assert added["intersection_f", "uneven"] == pytest.approx(100 * 2 * mean / (1 + mean))
    assert added["span_f", "first"] == 100


def test_the_conclusion_holds_on_other_corpora(data):
    page = (DOCS / "monotonicity.md").read_text(encoding="utf-8")
    tables = [make(name, Inputs(data)) for name in TABLES["monotonicity"]]
    touched = [re.match(r"[\d,]+", table.notes[0])[0] for table in tables]
    assert touched == ["82", "575", "62", "2,738", "278", "1,290"]
    for table, better in zip(tables, [{"sl_icm_norm"}, {"bcubed", "intersection_f", "sl_icm_norm"}] * 3, strict=True):
        assert {cell.row for cell in table.compared if cell.ours} == better
        assert all(cell.equal for cell in table.compared)
    values = [{(cell.row, cell.column): cell.ours for cell in table.cells} for table in tables]
    for row in {row for row, _ in values[0]}:
        # lost on three corpora, then added
        gains = [each[row, "even"] - each[row, "uneven"] for each in values]
        cells = [f"{round(gain, 3) + 0.0:.3f}" for gain in [*gains[::2], *(-gain for gain in gains[1::2])]]
        assert f"| {' | '.join([row, *cells])} |" in page

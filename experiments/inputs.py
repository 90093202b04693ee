"""The inputs of the tables: the published figures, one file for each table, and corpora.

Corpora are read from a folder, because the package does not have them.
"""

import csv
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np

from spanometer.counts.counts import Column, Counts
from spanometer.exceptions import InputError
from spanometer.readers.reading import read
from spanometer.spans.spans import Spans, pair_from_tags

from .tables import Cell

DATA = Path(__file__).with_name("data")

MULTICONER_DEV, MULTICONER_TRAIN = "multiconer_es_dev.conll", "multiconer_es_train.conll"
CONLL03, HIPE = "conll03_test_tags.tsv", "hipe2020_test_fr.tsv"
"""The names of corpus files; `data/corpora.toml` describes them and lists their other possible names."""


class MissingCorpus(Exception):
    """Raised if a corpus is missing; the message says how to provide it."""


@dataclass(frozen=True)
class Inputs:
    """The folder of the corpora, and the requested tables.

    Attributes:
        folder: the folder of the corpora, or None.
        named: the tables that were requested by name; empty if all are made.
    """

    folder: Path | None = None
    named: tuple[str, ...] = ()

    @cached_property
    def multiconer(self) -> Spans:
        """The spans of MultiCoNER's Spanish development set."""
        return read(self.path(MULTICONER_DEV)).decoded().spans

    @cached_property
    def conll03(self) -> tuple[Spans, Spans]:
        """The spans of the reference and of Flair's output for the CoNLL-2003 English test set."""
        path = self.path(CONLL03)
        file = read(path, columns=["1", "2"])
        try:
            return pair_from_tags(*file.tags)[:2]
        except InputError as error:
            raise file.locate(error) from None

    def path(self, file: str) -> Path:
        """Return the path of a corpus file in the folder, under our name or another possible name.

        Raises:
            MissingCorpus: if the folder does not have it.
        """
        corpus = _corpora()[file]
        for name in (file, *corpus["others"]):
            if self.folder is not None and (self.folder / name).is_file():
                return self.folder / str(name)
        where = "No folder of corpora is given" if self.folder is None else f"The folder has no {file}"
        put = f"Put {file} ({corpus['contents']}) into a folder and name it with --data DIR or SPANOMETER_DATA."
        raise MissingCorpus(f"{where}. {put}")


@cache
def _corpora() -> dict[str, dict[str, Any]]:
    """Read the descriptions of the files."""
    return tomllib.loads(DATA.joinpath("corpora.toml").read_text(encoding="utf-8"))


def published_rows(name: str) -> list[dict[str, str]]:
    """Read the rows of `data/NAME.tsv`, as printed; comments in the file explain them."""
    with DATA.joinpath(f"{name}.tsv").open(encoding="utf-8") as lines:
        return list(csv.DictReader((line for line in lines if not line.startswith("#")), delimiter="\t"))


def decimals(printed: str) -> int:
    """Return the number of decimals of a printed number."""
    return len(printed.partition(".")[2])


def compared(
    row: Mapping[str, str], name: str, values: Mapping[str, float], *, digits: int | None = None
) -> Iterator[Cell]:
    """Yield a cell for each of our values, with the column of the same name in a published row.

    Args:
        row: the row as printed; `!` marks a number that is in doubt.
        name: the name of the row.
        values: our values, by column.
        digits: the number of printed decimals, if it is the same for all.
    """
    for column, ours in values.items():
        printed = row[column].rstrip("!")
        published = float(printed) if digits or decimals(printed) else int(printed)
        yield Cell(name, column, published, ours, decimals(printed) if digits is None else digits)


def spans_of(written: str, *, inclusive: bool = False) -> Spans:
    """Read documents of spans, separated by ` | `, such as `0-2:A 3-4`.

    The default label is X, and `-` means no spans.
    """
    documents = []
    for document in written.split(" | "):
        parts = (re.split("[-:]", span) for span in document.split() if span != "-")
        documents.append(
            [
                {"start": int(start), "end": int(end) + inclusive, "label": label[0] if label else "X"}
                for start, end, *label in parts
            ]
        )
    return Spans.from_dicts(documents)


def counts_of(numbers: Mapping[str, float]) -> Counts:
    """Create counts of one document and label from printed numbers."""
    one = np.zeros(1, dtype=np.int64)
    return Counts({name: Column(one, one, np.array([number])) for name, number in numbers.items()}, ("X",), 1)

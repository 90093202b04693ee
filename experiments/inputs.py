"""Corpora that the published tables need, read from a folder because the package does not have them."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from spanometer.exceptions import InputError
from spanometer.readers.reading import read
from spanometer.spans.spans import Spans, pair_from_tags

from .published import DATA

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

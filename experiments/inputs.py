"""Corpora that the published tables need and the package does not have, from a folder or from the Hub."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from spanometer.exceptions import InputError
from spanometer.readers.columns.reading import read
from spanometer.spans.spans import Spans, pair_from_tags

MULTICONER_DEV = ("multiconer_es_dev.conll", "es_dev.conll", os.path.join("ES-Spanish", "es_dev.conll"))
MULTICONER_TRAIN = ("multiconer_es_train.conll", "es_train.conll", os.path.join("ES-Spanish", "es_train.conll"))
CONLL03 = ("conll03_test_tags.tsv",)
HIPE = ("hipe2020_test_fr.tsv",)
"""Names that the files of the corpora may have in the folder; the first is ours."""

FAIREVAL = {
    (corpus, side): (os.path.join("faireval", side, f"{corpus}.csv"), os.path.join("data", side, f"{corpus}.csv"))
    for corpus in ("ner_spans", "chunk_spans")
    for side in ("target", "system")
}
"""The files of FairEval, by corpus and side, in our folder or in its own."""

CONTENTS = {
    MULTICONER_DEV[0]: "MultiCoNER version 1, Spanish development set",
    MULTICONER_TRAIN[0]: "MultiCoNER version 1, Spanish training set",
    CONLL03[0]: "CoNLL-2003 English test set, tags of the reference and of Flair, a tab between",
    HIPE[0]: "CLEF-HIPE-2020 French test set",
    **{
        names[0]: f"FairEval's {corpus}, {'reference' if side == 'target' else 'output of a system'}"
        for (corpus, side), names in FAIREVAL.items()
    },
}
"""Descriptions of the files, by their first name."""


class MissingCorpus(Exception):
    """A corpus is not there; the message says how to give it."""


@dataclass(frozen=True)
class Inputs:
    """The folder of the corpora, and the tables that are asked for.

    Attributes:
        folder: the folder of the corpora, or None.
        hub: whether MultiCoNER may be fetched from the Hub if the folder does not have it.
        named: the tables that are asked for by name; none if all are.
    """

    folder: Path | None = None
    hub: bool = False
    named: tuple[str, ...] = ()

    @cached_property
    def multiconer(self) -> Spans:
        """Read the spans of MultiCoNER's Spanish development set."""
        try:
            return read(self.path(MULTICONER_DEV)).decoded().spans
        except MissingCorpus as missing:
            if not self.hub:
                raise MissingCorpus(f"{missing} Or let it be fetched: --hub.") from None
        return self._fetched()

    @cached_property
    def conll03(self) -> tuple[Spans, Spans]:
        """Read the spans of the reference and of Flair's output for the CoNLL-2003 English test set."""
        path = self.path(CONLL03)
        file = read(path, columns=["1", "2"])
        try:
            return pair_from_tags(*file.tags)[:2]
        except InputError as error:
            raise file.locate(error) from None

    def path(self, names: tuple[str, ...]) -> Path:
        """Find the file of the folder that has one of the names.

        Raises:
            MissingCorpus: if there is none.
        """
        found = [] if self.folder is None else [self.folder / name for name in names if (self.folder / name).is_file()]
        if not found:
            where = "No folder of corpora is given" if self.folder is None else f"The folder has no {names[0]}"
            raise MissingCorpus(
                f"{where}. Put {names[0]} ({CONTENTS[names[0]]}) into a folder and name it with --data DIR or "
                "SPANOMETER_DATA."
            )
        return found[0]

    def _fetched(self) -> Spans:
        from spanometer.corpora import load_multiconer

        try:
            dataset = load_multiconer(None, "es", "validation")
        except InputError as error:
            raise MissingCorpus(f"MultiCoNER could not be fetched: {' '.join(str(error).split())}") from None
        names = dataset.features["ner_tags"].feature.names
        return Spans.from_tags([[names[number] for number in numbers] for numbers in dataset["ner_tags"]])

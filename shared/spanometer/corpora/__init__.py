"""Corpora as `datasets`: MultiCoNER, CoNLL-2003, HIPE and plain columns, from files, folders, archives or the Hub.

    from spanometer.corpora import load_multiconer
    validation = load_multiconer("multiconer2022.zip", "es", "validation")  # a datasets.Dataset
    validation.features["ner_tags"].feature.names  # "O", "B-CORP", "I-CORP", ...

Every loader returns a `datasets.DatasetDict`, or a `Dataset` for a single split, with `id` (string), `tokens` (list of
strings), `ner_tags` (list of `ClassLabel`; HIPE has `entities`) and further columns. With `streaming=True` it returns
an `IterableDatasetDict` or an `IterableDataset`, and memory does not grow with the corpus (HIPE reads whole files).

`load_spans` loads the documents and spans of any file that `spanometer.read` reads, in memory.

Corpora are cached as memory-mapped Arrow by the hash of their files, so a second load does not parse them again.
"""

from .corpus import HubRepository
from .own_files import load_conll, load_spans
from .releases import CONLL03_HUB, MULTICONER_HUB, load_conll03, load_hipe, load_multiconer

__all__ = [
    "CONLL03_HUB",
    "MULTICONER_HUB",
    "HubRepository",
    "load_conll",
    "load_conll03",
    "load_hipe",
    "load_multiconer",
    "load_spans",
]

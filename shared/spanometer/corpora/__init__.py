"""Corpora as `datasets`: MultiCoNER, CoNLL-2003, HIPE and plain columns, from files, folders, archives or the Hub.

    from spanometer.corpora import load_multiconer
    validation = load_multiconer("multiconer2022.zip", "es", "validation")  # a datasets.Dataset
    validation.features["ner_tags"].feature.names  # "O", "B-CORP", "I-CORP", ...

Every loader returns a `datasets.DatasetDict`, or a `Dataset` where one split is named, with `id` (string), `tokens`
(list of strings) and `ner_tags` (list of `ClassLabel`; HIPE has `entities`) beside what else the corpus says. With
`streaming=True` these are an `IterableDatasetDict` and an `IterableDataset`, and memory does not grow with the corpus
(but for HIPE, which is read a file at a time).

What was read once is kept as memory-mapped Arrow under the hash of the file's content, so that a second load does not
parse again, wherever the file stands by then.
"""

from .conll03 import CONLL03_HUB, load_conll03
from .hipe import load_hipe
from .hub import HubRepository
from .multiconer import MULTICONER_HUB, load_multiconer
from .plain_columns import load_conll

__all__ = [
    "CONLL03_HUB",
    "MULTICONER_HUB",
    "HubRepository",
    "load_conll",
    "load_conll03",
    "load_hipe",
    "load_multiconer",
]

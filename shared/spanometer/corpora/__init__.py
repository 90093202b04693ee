"""Corpora as `datasets`: MultiCoNER, CoNLL-2003, HIPE and plain columns, from files, folders, archives or the Hub.

    from spanometer.corpora import load_multiconer
    validation = load_multiconer("multiconer2022.zip", "es", "validation")  # a datasets.Dataset
    validation.features["ner_tags"].feature.names  # "O", "B-CORP", "I-CORP", ...

Every loader returns a `datasets.DatasetDict`, or a `Dataset` for a single split. The columns are `id` (string),
`tokens` (list of strings), `ner_tags` (list of `ClassLabel`; HIPE has `entities`) and others. With `streaming=True` a
loader returns an `IterableDatasetDict` or an `IterableDataset`, and memory does not grow with the corpus (HIPE reads
whole files).

`load_spans` loads the documents and spans of any file that `spanometer.read` reads; they are in memory.

Corpora are cached as memory-mapped Arrow files, by the hash of their source files, so they are parsed only once.
"""

from .corpus import HubRepository
from .loaders import CONLL03_HUB, MULTICONER_HUB, load_conll, load_conll03, load_hipe, load_multiconer, load_spans

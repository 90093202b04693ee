"""The maximum size of the input of pages."""

import os
from collections.abc import Iterable

import numpy as np

from ..alignment.overlaps import Alignment
from ..documents.document_file import DocumentFile
from ..exceptions import InputError, counted, printable, setting
from ..measures.chance_kappa_f1 import ChanceKappaF1

MAX_BYTES = 5_000_000
MAX_DOCUMENTS = 5_000
MAX_TOKENS = 200_000
MAX_MARKUP_BYTES = 1_000_000
"""The maximum size of markup, because trees take more time than tags."""

MAX_SPANS = 20_000
"""The maximum number of spans with attributes on a side; each resampled corpus ranks all items again."""

_REMEDY = "Run it on your own machine without limits: pip install spanometer."


def encoded(text: str, name: str, limit: int) -> bytes:
    """Encode a text in UTF-8.

    Raises:
        InputError: if it is too long, or if it cannot be encoded.
    """
    try:
        data = text.encode()
    except UnicodeEncodeError:
        raise InputError("the text has half of a surrogate pair.", "Copy it again.", source=name) from None
    if len(data) > limit:
        raise too_much(name, f"{len(data) / 1e6:.2f} MB, more than {megabytes(limit)}")
    return data


def megabytes(size: int) -> str:
    """Write a size in Gradio's unit for files: 1 MB is 1,000,000 bytes."""
    return f"{size / 1e6:g} MB"


def too_much(name: str, size: str) -> InputError:
    """Create the error about an input that is too large for a page."""
    return InputError(f"{size}: too much for this page.", _REMEDY, source=name)


def require_at_most(most: int, count: int, nouns: str, name: str) -> None:
    """Raise an `InputError` if an input has more of something than a page takes."""
    if count > most:
        raise too_much(name, f"{count:,} {nouns}, more than {most:,}")


def require_size(file: DocumentFile, name: str) -> None:
    """Raise an `InputError` if a file has too many documents or tokens."""
    require_at_most(MAX_DOCUMENTS, file.documents.size, "sentences" if file.sentences else "documents", name)
    if file.in_tokens and file.lengths is not None:
        require_at_most(MAX_TOKENS, int(file.lengths.sum()), "tokens", name)


def upload_name(path: str | os.PathLike[str]) -> str:
    """Return the name of an uploaded file; raise an `InputError` if it is too large."""
    name = printable(os.path.basename(os.fspath(path)))
    if os.path.getsize(path) > MAX_BYTES:
        raise too_much(name, f"more than {megabytes(MAX_BYTES)}")
    return name


MAX_CHANCE_WORK = 30_000_000
"""The maximum work for exact chance, see `ChanceKappaF1.work`: about two seconds, and as much again for a chart."""

_MAX_SIMULATED = 20_000_000
"""The maximum number of simulated tokens (tokens times simulations)."""


def require_little_work(measure: ChanceKappaF1, alignments: Iterable[Alignment]) -> None:
    """Raise an `InputError` if the computation of chance, for all pairs of sides together, would take too long."""
    needed = 0.0
    for alignment in alignments:
        tokens = int(alignment.offsets[-1])
        needed += measure.work(alignment)
        if needed > MAX_CHANCE_WORK:
            longest = int(np.diff(alignment.offsets).max())
            raise InputError(
                f"exact chance would take {needed / MAX_CHANCE_WORK:,.1f} times the work that this page allows; the "
                f"longest sentence has {counted(longest, 'token')}.",
                f"Put blank lines between sentences, set {setting('method', 'uniform')}, or run it on your own "
                "machine.",
            )
        if tokens * measure.n_simulations > _MAX_SIMULATED:
            problem = f"{counted(measure.n_simulations, 'simulation')} of {tokens:,} tokens are too many for this page."
            raise InputError(problem, f"Set {setting('n_simulations', _MAX_SIMULATED // tokens)} or less.")

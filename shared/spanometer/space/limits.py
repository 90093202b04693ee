"""How much pages take."""

from __future__ import annotations

from ..exceptions import InputError

MAX_BYTES = 5_000_000
MAX_DOCUMENTS = 5_000
MAX_TOKENS = 200_000
MAX_MARKUP_BYTES = 1_000_000
"""How much markup a page takes: trees cost more than tags."""

MAX_SPANS = 20_000
"""How many spans of a side with attributes a page takes; intervals rank all their items anew for each draw."""

_REMEDY = "Score it on your own machine, which has no limits: pip install spanometer."


def encoded(text: str, name: str, limit: int) -> bytes:
    """Encode a text in UTF-8.

    Raises:
        InputError: if it is too long, or cannot be encoded.
    """
    try:
        data = text.encode()
    except UnicodeEncodeError:
        raise InputError("the text holds half a character.", "Copy it again.", source=name) from None
    if len(data) > limit:
        raise too_much(name, f"{len(data) / 1e6:.2f} MB, more than {megabytes(limit)}")
    return data


def megabytes(size: int) -> str:
    """Write a limit in Gradio's unit for files: 1 MB is 1,000,000 bytes."""
    return f"{size / 1e6:g} MB"


def too_much(name: str, size: str) -> InputError:
    """Make the error for an input that is larger than the limit of a page."""
    return InputError(f"{size}: too much for this page.", _REMEDY, source=name)

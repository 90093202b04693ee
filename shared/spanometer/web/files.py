"""The files that lie beside this module: templates, styles and scripts."""

from __future__ import annotations

from pathlib import Path


def read_file(name: str) -> str:
    """Return the text of a file that lies beside this module."""
    return Path(__file__).with_name(name).read_text(encoding="utf-8")

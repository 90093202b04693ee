"""How a command shows its result: tables, JSON, pictures."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ..plots.figure import require_format
from ..tables.table import Part
from ..version import __version__
from .options import switch, text


@dataclass(frozen=True, kw_only=True)
class Output:
    """How a result is shown."""

    json: bool = switch("one JSON object instead of tables")
    no_color: bool = switch("plain text (so does NO_COLOR in the environment)")

    def write(self, described: Callable[[], Mapping[str, Any]], parts: Callable[[], Iterable[Part]]) -> None:
        """Print a result.

        Args:
            described: returns it as built-in types, for JSON.
            parts: returns lines and tables, for the screen.
        """
        if self.json:
            print(json.dumps({"spanometer": __version__, **described()}, indent=2, allow_nan=False))
            return
        from ..tables.screen import page, show

        show(page(color=not self.no_color), *parts())


@dataclass(frozen=True, kw_only=True)
class PlotOutput(Output):
    """How a result is shown that can be drawn too."""

    plot: str | None = text("PNG", "write a picture (.png, .svg or .pdf); needs matplotlib")

    def __post_init__(self) -> None:
        """Refuse a picture that cannot be drawn, before anything is read."""
        if self.plot is not None:
            require_format(self.plot)

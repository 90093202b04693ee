"""The form of a page: its fields and the function that responds; `serving` shows it with Gradio."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .controls import Control

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Response:
    """The results of a page as HTML, its charts, and files to take along, by name."""

    html: str
    charts: Sequence[Figure | None] = ()
    files: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Box:
    """A box for a text.

    Attributes:
        name: of its value.
        label: its name on the page.
        info: a line below the label.
        read: reads an uploaded file for it; None if it takes no files.
    """

    name: str
    label: str
    info: str = ""
    read: Callable[[str], str] | None = None


@dataclass(frozen=True)
class Upload:
    """A field for a file, or for several."""

    name: str
    label: str
    several: bool = False


@dataclass(frozen=True, kw_only=True)
class Form:
    """The form of a page.

    Attributes:
        title: of the page.
        heading: HTML above the form.
        button: the text of the button that asks for an answer.
        respond: gives the answer to the values of all fields, by name.
        limits: how much the page takes, in words.
        kept: what happens to the input.
        uploads, boxes, controls: the fields.
        hint: a line above the examples.
        examples: by name the values of some fields; the first one is there at the beginning.
        charts: the titles of charts.
        below: HTML below the results.
    """

    title: str
    heading: str
    button: str
    respond: Callable[[Mapping[str, Any]], Response]
    limits: str
    kept: str = "The texts are scored on this Space's server and not kept."
    uploads: Sequence[Upload] = ()
    boxes: Sequence[Box] = ()
    controls: Sequence[Control] = ()
    hint: str = "Examples to click:"
    examples: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    charts: Sequence[str] = ()
    below: str = ""

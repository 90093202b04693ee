"""The page of a measure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .attributes import MAX_SPANS
from .chance import TITLES
from .controls import Control
from .corpus import MAX_MARKUP_BYTES, read_upload
from .examples import examples_of
from .forms import Answer, Box, Form
from .limits import MAX_BYTES, MAX_DOCUMENTS, MAX_TOKENS, megabytes
from .pages import Page, page_of
from .results import respond
from .serving import build as build_form
from .serving import launch as launch_form
from .templates import render
from .texts import HOME

if TYPE_CHECKING:
    from gradio import Blocks

_HINTS = {
    "spans": (
        "A token and its tag a line; a blank line between sentences.",
        "The same tokens. Empty if the first text has both: token, reference, prediction.",
    ),
    "entities": ("One document a line, with QUAERO's markup.", "The same words with the prediction's markup."),
    "attributes": (
        "A document a line: a JSON list of spans, or an object with spans and tokens.",
        "The same spans with the prediction's attributes, and scores if there are any.",
    ),
}
"""The hints of the boxes of both sides, by the kind of the input."""


def launch(name: str) -> None:
    """Serve the page of a measure, see `serving.launch`."""
    launch_form(form_of(page_of(name)))


def build(name: str) -> Blocks:
    """Make the page of a measure.

    Args:
        name: of the measure, such as `"link_f"`.

    Raises:
        InputError: for an unknown measure.
    """
    return build_form(form_of(page_of(name)))


def form_of(page: Page) -> Form:
    """Make the form of a page: two texts, the options, and whether only differences are shown."""
    noun = "values" if page.input == "attributes" else "sentences"
    differing = [Control("only_differing", f"Show only {noun} that differ", False)] * (page.input != "entities")

    def answer(given: Mapping[str, Any]) -> Answer:
        sides = given["reference"] or "", given["prediction"] or ""
        return respond(page, *sides, given, only_differing=bool(given.get("only_differing")))

    hints = zip(("reference", "prediction"), _HINTS[page.input], strict=True)
    return Form(
        title=page.title,
        heading=render("heading.html", page=page, home=HOME),
        button="Score",
        respond=answer,
        limits=_limits(page),
        boxes=[Box(side, side.capitalize(), hint, read_upload) for side, hint in hints],
        controls=[*page.controls, *differing],
        examples={
            example.name: {"reference": example.reference, "prediction": example.prediction}
            for example in examples_of(page.input)
        },
        charts=TITLES if page.charts else (),
    )


def _limits(page: Page) -> str:
    documents = f"{MAX_DOCUMENTS:,} {'sentences' if page.input == 'spans' else 'documents'}"
    size = f"{MAX_SPANS:,} spans" if page.input == "attributes" else f"{MAX_TOKENS:,} tokens"
    return f"{documents}, {size}, {megabytes(MAX_MARKUP_BYTES if page.input == 'entities' else MAX_BYTES)}"

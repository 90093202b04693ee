"""The page of a measure: two texts, the options, and the results."""

from __future__ import annotations

from .corpus import read_upload
from .forms import Box, Form
from .limits import MAX_BYTES, MAX_DOCUMENTS, MAX_MARKUP_BYTES, MAX_SPANS, MAX_TOKENS, megabytes
from .pages import page_of
from .results import TITLES, respond
from .texts import HOME, examples_of, render

_HINTS = {
    "spans": (
        "A token and its tag on each line; blank lines between sentences.",
        "The same tokens with predicted tags. Leave it empty if the first text has both sides' tags as columns.",
    ),
    "entities": ("A document on each line, with QUAERO markup.", "The same words with predicted markup."),
    "attributes": (
        "A document on each line: a JSON list of spans, or an object with spans and tokens.",
        "The same spans with predicted attributes; scores are optional.",
    ),
}
"""The hints of the boxes of both sides, by the kind of the input."""

_LIMITS = {
    "spans": f"{MAX_DOCUMENTS:,} sentences, {MAX_TOKENS:,} tokens, {megabytes(MAX_BYTES)}",
    "entities": f"{MAX_DOCUMENTS:,} documents, {MAX_TOKENS:,} tokens, {megabytes(MAX_MARKUP_BYTES)}",
    "attributes": f"{MAX_DOCUMENTS:,} documents, {MAX_SPANS:,} spans, {megabytes(MAX_BYTES)}",
}


def form(name: str) -> Form:
    """Make the form of a measure's page; an `InputError` for an unknown measure."""
    page = page_of(name)
    hints = zip(("reference", "prediction"), _HINTS[page.input], strict=True)
    return Form(
        title=page.title,
        heading=render("heading.html", page=page, home=HOME),
        button="Score",
        respond=lambda values: respond(page, values["reference"] or "", values["prediction"] or "", values),
        limits=_LIMITS[page.input],
        boxes=[Box(side, side.capitalize(), hint, read_upload) for side, hint in hints],
        controls=page.controls,
        examples=examples_of(page.input),
        charts=TITLES if page.charts else (),
    )

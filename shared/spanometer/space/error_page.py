"""The page `errors`: takes the files of a reference and of systems, and shows the report of errors."""

from collections.abc import Mapping, Sequence
from typing import Any

from ..analysis.errors.examples import context_of_documents
from ..analysis.errors.find import errors
from ..data import EXAMPLE
from ..documents.sides import require_one_annotator
from ..exceptions import InputError
from ..readers.reading import read
from ..web.error_report import error_report
from .documents import named, read_file
from .forms import Form, Response
from .limits import MAX_BYTES, MAX_DOCUMENTS, MAX_TOKENS, megabytes, require_at_most
from .texts import render

_MOST_SYSTEMS = 5

_EXAMPLE = ("hasty", "greedy")
"""The systems of the example corpus that the example compares."""


def form() -> Form:
    """Create the form: the files of both sides, and of a training set."""
    size = f"{MAX_DOCUMENTS:,} sentences or documents, {MAX_TOKENS:,} tokens, {_MOST_SYSTEMS} systems"
    return Form.of_app(
        "errors",
        respond=respond,
        limits=f"{size}; {megabytes(MAX_BYTES)} for each file",
        examples={"Two systems on invented news": {"example": True}},
    )


def respond(values: Mapping[str, Any]) -> Response:
    """Show the report in a frame and as a file; if the example was clicked, show its report."""
    report = example_report() if "example" in values else report_of(**values)
    return Response(render("report_frame.html", report=report), files={"report.html": report})


def example_report() -> str:
    """Return the report on two systems of the example corpus."""
    corpus = read(EXAMPLE, columns=["reference", *_EXAMPLE], words=True)
    reference, *systems = corpus.tags
    report = errors(reference, dict(zip(_EXAMPLE, systems, strict=True)), repair="conlleval")
    context = context_of_documents(corpus, {"unit": "token"})
    title = f"Errors of {' and '.join(_EXAMPLE)} on Spanometer's example corpus"
    return error_report(report.with_context(context), title=title, heading=[("size", report.size)])


def report_of(reference: str | None, systems: Sequence[str] | None, train: str | None = None) -> str:
    """Return the report of errors as HTML.

    Args:
        reference: the path of the reference's file.
        systems: the paths of the systems' files.
        train: the path of a training set's file.

    Raises:
        InputError: if files cannot be read or compared, are missing, too many or too large.
    """
    if not reference or not systems:
        missing = "the reference" if not reference else "a system's predictions"
        raise InputError(f"there is no file with {missing}.", "Upload a reference and at least one system.")
    require_at_most(_MOST_SYSTEMS, len(systems), "systems", "the predictions")
    gold = require_one_annotator(read_file(reference))
    report = errors(gold, {name: require_one_annotator(read_file(path)) for name, path in named(systems).items()})
    training = None if not train else require_one_annotator(read_file(train, scored=False))
    title = f"Errors of {', '.join(report.systems)} against {gold.source}"
    heading = [("size", report.size), *([] if training is None else [("training", training.source)])]
    return error_report(report, title=title, heading=heading, train=training)

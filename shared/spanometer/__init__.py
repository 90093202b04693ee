"""Spanometer: metrics for span annotations, over one decoding of the tags."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .errors import InputError
from .version import __version__

# the function `errors` has the name of the module, which stays importable
del errors  # noqa: F821

if TYPE_CHECKING:
    from evaluate import EvaluationModule

    from .analysis.agreement import agreement
    from .analysis.comparison import compare
    from .analysis.consensus import consensus
    from .analysis.disagreements import disagreements
    from .analysis.error_analysis import errors
    from .analysis.scoring import score
    from .analysis.several_references import score_against
    from .corpora.span_files import load_spans
    from .readers.reading import read_documents as read
    from .readers.writing import write_documents as write
    from .spans.spans import Spans

__all__ = [
    "InputError",
    "Spans",
    "__version__",
    "agreement",
    "compare",
    "consensus",
    "disagreements",
    "errors",
    "load",
    "load_spans",
    "path",
    "read",
    "score",
    "score_against",
    "write",
]


def __getattr__(name: str) -> Any:
    """Import what is asked for."""
    if name == "Spans":
        from .spans.spans import Spans

        return Spans
    if name == "agreement":
        from .analysis.agreement import agreement

        return agreement
    if name == "compare":
        from .analysis.comparison import compare

        return compare
    if name == "consensus":
        from .analysis.consensus import consensus

        return consensus
    if name == "disagreements":
        from .analysis.disagreements import disagreements

        return disagreements
    if name == "errors":
        from .analysis.error_analysis import errors

        return errors
    if name == "score":
        from .analysis.scoring import score

        return score
    if name == "score_against":
        from .analysis.several_references import score_against

        return score_against
    if name == "load_spans":
        from .corpora.span_files import load_spans

        return load_spans
    if name == "read":
        from .readers.reading import read_documents

        return read_documents
    if name == "write":
        from .readers.writing import write_documents

        return write_documents
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """List what is public."""
    return sorted(__all__)


def path(name: str) -> str:
    """Return the folder of a metric module, for `evaluate.load(spanometer.path("link_f"))`.

    Raises:
        InputError: for an unknown module.
    """
    from .integrations import module_folders

    return module_folders.path(name)


def load(name: str, config_name: str | None = None, **options: Any) -> EvaluationModule:
    """Load a metric module of this package with `evaluate.load`.

    Args:
        name: the module's name, such as `"link_f"`.
        config_name: the form of the input: `"tags"` (default), `"spans"`, `"fragments"` or `"text"`; of
            `eter` `"entities"` (default) or `"markup"`, of `mention_f` `"mentions"`.
        options: passed on to `evaluate.load`, for example `num_process`, `process_id`, `experiment_id`.

    Raises:
        InputError: for an unknown module, form or option, if `evaluate` cannot be imported or its cache in HF_HOME
            cannot be written, and for wrong values of options, `cache_dir`, `num_process` and `process_id`. Errors
            about other settings are the framework's own.
    """
    try:
        import evaluate
    except ImportError as error:
        raise InputError(
            f"evaluate cannot be imported ({error}).",
            "Install it: pip install evaluate; spanometer.score does without.",
        ) from None

    from .integrations.module import require_settings

    require_settings(options)
    try:
        return evaluate.load(path(name), config_name, **options)
    except OSError as error:
        if error.errno is None:
            raise
        remedy = "Set the environment variable HF_HOME to a folder that can be written; spanometer.score does without."
        raise InputError(f"evaluate cannot write into its cache ({error}).", remedy) from None

"""Metrics for span annotations. All metrics decode tags in the same way."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .exceptions import InputError
from .version import __version__

if TYPE_CHECKING:
    from evaluate import EvaluationModule

    from .analysis.agreement.against import score_against
    from .analysis.agreement.agree import agreement
    from .analysis.agreement.consensus import consensus
    from .analysis.agreement.disagreements import disagreements
    from .analysis.comparison.compare import compare
    from .analysis.errors.find import errors
    from .analysis.scores.score import score
    from .corpora.loaders import load_spans
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


_PLACES = {
    "Spans": "spans.spans:Spans",
    "agreement": "analysis.agreement.agree:agreement",
    "compare": "analysis.comparison.compare:compare",
    "consensus": "analysis.agreement.consensus:consensus",
    "disagreements": "analysis.agreement.disagreements:disagreements",
    "errors": "analysis.errors.find:errors",
    "load_spans": "corpora.loaders:load_spans",
    "read": "readers.reading:read_documents",
    "score": "analysis.scores.score:score",
    "score_against": "analysis.agreement.against:score_against",
    "write": "readers.writing:write_documents",
}
"""Maps each public name to its module, which is imported when the name is first used, and to its name there."""


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, _, own_name = _PLACES[name].partition(":")
    return getattr(import_module(f"{__name__}.{module}"), own_name)


def __dir__() -> list[str]:
    """List the public names."""
    return sorted(__all__)


def path(name: str) -> str:
    """Return the folder of a metric module, for `evaluate.load(spanometer.path("link_f"))`.

    Raises:
        InputError: if there is no such module.
    """
    from .integrations import module_folders

    return module_folders.path(name)


def load(name: str, config_name: str | None = None, **options: Any) -> EvaluationModule:
    """Load a metric module of this package with `evaluate.load`.

    Args:
        name: the module's name, such as `"link_f"`.
        config_name: the form of the input: `"tags"` (default), `"spans"`, `"fragments"` or `"text"`. For `eter`:
            `"entities"` (default) or `"markup"`. For `mention_f`: `"mentions"`.
        options: passed on to `evaluate.load`, for example `num_process`, `process_id`, `experiment_id`.

    Raises:
        InputError: if the module, form or an option is unknown, if an option, `cache_dir`, `num_process` or
            `process_id` has a wrong value, if `evaluate` cannot be imported, or if its cache in HF_HOME cannot be
            written. `evaluate` raises its own errors about other settings.
    """
    try:
        import evaluate
    except ImportError as error:
        remedy = "Install evaluate (pip install evaluate), or use spanometer.score."
        raise InputError(f"evaluate cannot be imported ({error}).", remedy) from None

    from .integrations.module import require_settings

    require_settings(options)
    try:
        return evaluate.load(path(name), config_name, **options)
    except OSError as error:
        if error.errno is None:
            raise
        remedy = "Set the environment variable HF_HOME to a writable folder, or use spanometer.score."
        raise InputError(f"evaluate cannot write into its cache ({error}).", remedy) from None

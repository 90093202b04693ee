"""Metrics for the `Trainer` of `transformers`.

    from spanometer.integrations.trainer import TokenClassificationMetrics

    metrics = TokenClassificationMetrics(model.config.id2label, measures=("span_f", "sl_icm"))
    trainer = Trainer(
        model=model,
        args=TrainingArguments(..., metric_for_best_model="span_f_f1"),
        compute_metrics=metrics.compute_metrics,
        preprocess_logits_for_metrics=metrics.preprocess_logits_for_metrics,
        ...,
    )

This module does not import `torch` or `transformers`.
"""

import hashlib
import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from ..alignment.overlaps import Alignment
from ..analysis.scores.measure_result import label_key, result_key
from ..analysis.scores.report import require_distinct
from ..arrays import as_array, first_flagged, offsets_of, ordered
from ..exceptions import InputError, require_choice
from ..measures.aligned import AlignedMeasure
from ..measures.registry import MEASURES, read_measures
from ..spans.spans import as_tags, pair_from_tags
from ..tags.decoding import LabelDecoding, get_repair, labels_of, read_prefix, scheme_of
from ..tags.schemes import LabelChoice, get_scheme
from ..tags.tags import Tags, check_names, read_id2label
from ..tags.viterbi import Legality, Scores, best_paths, read_transitions

IGNORED = -100
"""The integer label of positions that are not scored: special tokens, padding, all but the first subword of a word."""

DECODERS = ("argmax", "viterbi")

# a child of the Trainer's logger, so that its level and handlers apply
_LOG = logging.getLogger("transformers.spanometer")


class TokenClassificationMetrics:
    """Score a token classifier. Pass two methods of this object to the `Trainer`, see the module's example.

    Each row of a batch is a document. Positions with the label -100 (special tokens, padding, all but the first subword
    of a word) are not scored.

    Tags are decoded and aligned once for all measures. Results are built-in floats. Their names are `<measure>_<key>`
    without repeated words: `span_f_precision`, `span_f_f1`, `sl_icm`, `sl_icm_norm`, `unitizing_alpha`. `keys` lists
    them; each can be the `metric_for_best_model`.

    By default there are two decoders. Results of argmax have plain names; papers usually report these. Results of
    Viterbi, which finds the best legal path and usually scores higher, have names that end in `_viterbi`, such as
    `span_f_f1_viterbi`. Every evaluation writes the `signatures` to the Trainer's log (level `info`). If plain names
    are results of Viterbi, the first evaluation warns.

    With `batch_eval_metrics=True`, the labels of both sides are stored (in one byte each, or two with more than 256
    labels) and scored together after the last batch, so results do not depend on batches. If an evaluation is
    interrupted between two batches, call `reset` before the next one.

    Attributes:
        labels: the tags in the order of their integers.
        scheme: the name of the tag scheme.
        measures: the measures by the names of their results.
        keys: the names of the results; the Trainer adds the prefix `eval_`.

    Args:
        id2label: the tag of each integer, as in the model's configuration, or the list of tags.
        measures: names of measures, measures (`SlIcm(matching="optimal")`), or both; or a mapping from names of results
            to measures: `{"span_f": SpanF(), "span_f_macro": SpanF(average="macro")}`.
        decode: one decoder or several. The results of the first have plain names. `argmax`: the label with the highest
            logit at each position. `viterbi`: the legal path with the highest sum of logits (see `viterbi.decode`).
        scheme: the name of the tag scheme; None infers it from the tags of `id2label`. You must set IOB1 and IOE1,
            which look like IOB2 and IOE2.
        repair: how to handle illegal pairs of tags, see `decoding.decode`. Viterbi never predicts illegal pairs.
        prefix: whether the tags of `id2label` have prefixes, see `Spans.from_tags`.
        label_map, labels, ignore_labels: which labels to score and how to rename them, see `schemes.LabelChoice`.
        transitions: for Viterbi, the score of each transition from the first label to the second, shape (labels,
            labels), such as the transition scores of a CRF layer.
        per_label: also return the scores of each label with the first decoder, as `span_f_PER_f1` and
            `span_f_PER_support`.

    Raises:
        InputError: if the integers are not 0, 1, 2 ..., if no scheme fits the tags, or if an option is unknown.
    """

    def __init__(
        self,
        id2label: Mapping[int, str] | Mapping[str, str] | Sequence[str],
        *,
        measures: Sequence[str | AlignedMeasure] | Mapping[str, str | AlignedMeasure] = ("span_f",),
        decode: str | Sequence[str] = DECODERS,
        scheme: str | None = None,
        repair: str = "conlleval",
        prefix: bool = True,
        label_map: Mapping[str, str] | None = None,
        labels: Sequence[str] | None = None,
        ignore_labels: Sequence[str] | None = None,
        transitions: Any = None,
        per_label: bool = False,
    ) -> None:
        remedy = f"Use {', '.join(map(repr, DECODERS))} or a list of both."
        decoders = (
            [decode] if isinstance(decode, str) else ordered(decode, "a list of decoders", remedy, option="decode")
        )
        for decoder in decoders or (decode,):
            require_choice("decode", decoder, DECODERS)
        # results of the first decoder have plain names
        first, *others = dict.fromkeys(decoders)
        self._endings = {first: "", **{decoder: f"_{decoder}" for decoder in others}}
        self.labels = read_id2label(id2label)
        self._tags, self.scheme = _read_tags(self.labels, scheme, prefix=prefix)
        get_repair(repair, get_scheme(self.scheme))
        self.measures: Mapping[str, AlignedMeasure] = read_measures(measures, MEASURES)
        self._choice = LabelChoice(label_map=label_map, labels=labels, ignore_labels=ignore_labels)
        (self._new_names,) = self._choice.renamed(labels_of(self._tags))
        self._label_names = tuple(sorted({name for name in self._new_names.values() if name is not None}))
        self._per_label = per_label
        self.keys = self._result_keys()
        self._decoding = {"scheme": self.scheme, "repair": repair}
        self._reading = {**LabelDecoding(repair=repair, prefix=prefix).reading(self.scheme), **self._choice.signed()}
        self._legality = Legality.of(self._tags, self.scheme) if "viterbi" in self._endings else None
        if transitions is not None and self._legality is None:
            problem = "transitions have no effect without decode='viterbi'."
            raise InputError(problem, "Leave out transitions=..., or set decode='viterbi'.")
        table = None if transitions is None else _array(transitions)
        self._transitions = read_transitions(table, len(self.labels))
        self._batches: list[_Batch] = []
        self._announced = first == "argmax"

    def signatures(self) -> dict[str, str]:
        """Return the signature of each measure, to report with its results.

        For example `span_f|scheme:IOB2|repair:conlleval|decode:argmax|match_labels:yes|average:micro|...`;
        `span_f_viterbi` has `decode:viterbi`. If transition scores are set, the first eight digits of their hash are
        added: `decode:viterbi-1b4f0e98`.
        """
        written = {decoder: decoder for decoder in DECODERS}
        if self._transitions is not None:
            written["viterbi"] += f"-{hashlib.sha256(self._transitions.tobytes()).hexdigest()[:8]}"
        return {
            f"{name}{ending}": measure.signature({**self._reading, "decode": written[decoder]})
            for decoder, ending in self._endings.items()
            for name, measure in self.measures.items()
        }

    def _result_keys(self) -> tuple[str, ...]:
        """Return the names of the results; raise an `InputError` if two are equal."""
        measures, labels = self.measures.items(), self._label_names if self._per_label else ()
        keys = [
            result_key(name, measure, key) + ending
            for ending in self._endings.values()
            for name, measure in measures
            for key in measure.keys
        ]
        for name, measure in measures:
            keys += [label_key(name, measure, *row) for row in product(labels, (*measure.keys, "support"))]
        require_distinct(keys)
        return tuple(keys)

    def preprocess_logits_for_metrics(self, logits: Any, labels: Any) -> Any:
        """Decode the logits of a batch, so that the Trainer stores integer tags instead of logits.

        Args:
            logits: the model's output: a tensor of logits, shape (documents, positions, labels), in any precision. In a
                tuple or mapping, also a nested one, the first tensor of this shape is used.
            labels: a tensor of labels, shape (documents, positions). In a tuple, the first tensor with two axes is
                used. None if the data has no labels.

        Returns:
            A tensor of integer tags, with the shape of the labels and on the logits' device; -100 where the label is
                -100. With several decoders, a tuple of such tensors. Without labels, the unchanged logits.

        Raises:
            InputError: if no tensor has the right shape, if `id2label` lacks a label, or if logits are NaN or infinite.
        """
        if labels is None:
            return logits
        with self._forgetting():
            targets = _find_labels(labels)
            tensor = self._find(logits, tuple(targets.shape), ids_too=False)
            tagged = self._tagged(_array(targets))
            results = []
            for path in self._decoded(_array(tensor), tagged):
                decoded = np.full(tagged.shape, IGNORED, dtype=np.int64)
                decoded[tagged] = path
                results.append(tensor.new_tensor(decoded, dtype=targets.dtype))
            return results[0] if len(results) == 1 else tuple(results)

    def compute_metrics(self, eval_prediction: Any, compute_result: bool | None = None) -> dict[str, float]:
        """Score an evaluation set, or add a batch of it.

        Args:
            eval_prediction: an `EvalPrediction`, or a pair of predictions and labels. Predictions are integer tags from
                `preprocess_logits_for_metrics`, or logits. Lists are lists of batches (`eval_do_concat_batches=False`).
                A single array of integer tags gives only the results with plain names.
            compute_result: with `batch_eval_metrics=True`, whether this is the last batch. None if this is the whole
                evaluation set.

        Returns:
            The results as built-in floats by the names in `keys`; empty before the last batch.

        Raises:
            InputError: if predictions do not fit the labels, if `id2label` lacks a label, or if a measure is undefined.
                All stored batches are then removed.
        """
        if compute_result is None:
            self.reset()
        with self._forgetting():
            for predictions, label_ids in _batches(eval_prediction[0], eval_prediction[1]):
                self._add(predictions, label_ids)
            if compute_result is not None and not compute_result:
                return {}
            results = self._results()
        self.reset()
        self._announce()
        return results

    def _announce(self) -> None:
        """Write the signatures to the Trainer's log."""
        first, *others = self._endings
        if not self._announced:
            beside = "".join(f"; results ending in _{decoder} are for {decoder}" for decoder in others)
            _LOG.warning("Results with plain names are for tags decoded by %s%s.", first, beside)
            self._announced = True
        for name, signature in self.signatures().items():
            _LOG.info("%s: %s", name, signature)

    def reset(self) -> None:
        """Remove the stored batches of an interrupted evaluation."""
        self._batches = []

    @contextmanager
    def _forgetting(self) -> Iterator[None]:
        """Remove all stored batches if an error is raised."""
        try:
            yield
        except BaseException:
            self.reset()
            raise

    def _find(self, outputs: Any, shape: tuple[int, ...], *, ids_too: bool) -> Any:
        """Return the first tensor whose shape fits the labels: logits or, if `ids_too` is True, integer tags."""
        wanted = (*shape, len(self.labels))
        leaves = list(_leaves(outputs))
        for leaf in leaves:
            if tuple(leaf.shape) == wanted or (ids_too and tuple(leaf.shape) == shape):
                return leaf
        shapes = ", ".join(str(tuple(leaf.shape)) for leaf in leaves)
        returned = f"tensors of shape {shapes}" if shapes else "no tensors"
        raise InputError(
            f"the model must return logits of shape {wanted}, but it returned {returned}.",
            "Labels have the shape (documents, positions), and logits have the shape (documents, positions, labels in "
            "id2label).",
        )

    def _tagged(self, ids: np.ndarray, side: str = "references", tagged: np.ndarray | None = None) -> np.ndarray:
        """Flag the positions to score; raise an `InputError` if `id2label` lacks a label at such a position."""
        tagged = ids != IGNORED if tagged is None else tagged
        if ids.dtype.kind not in "iu":
            raise InputError(
                f"labels of type {ids.dtype} are not whole numbers.", "Give labels as whole numbers.", side=side
            )
        if (unknown := first_flagged(tagged & ((ids < 0) | (ids >= len(self.labels))))) is not None:
            document, position = np.unravel_index(unknown, ids.shape)
            raise InputError(
                f"id2label has tags only for 0 to {len(self.labels) - 1}, not for {ids[document, position]}.",
                f"Use {IGNORED} only in the references, at positions that are not scored."
                if ids[document, position] == IGNORED
                else "Give the model's id2label.",
                side=side,
                document=int(document),
                position=int(position),
            )
        return tagged

    def _decoded(self, logits: np.ndarray, tagged: np.ndarray) -> list[np.ndarray]:
        """Decode the logits of the flagged positions with each decoder."""
        scores = Scores(logits, len(self.labels), mask=tagged)
        return [
            np.asarray(scores.token.argmax(axis=1))
            if decoder == "argmax" or self._legality is None
            else best_paths(scores, self._legality, self._transitions)
            for decoder in self._endings
        ]

    def _add(self, predictions: Any, label_ids: Any) -> None:
        """Store the labels of a batch."""
        references = _array(_find_labels(label_ids))
        tagged = self._tagged(references)
        leaves = list(_leaves(predictions))
        if not (len(leaves) == len(self._endings) and all(leaf.shape == references.shape for leaf in leaves)):
            leaves = [self._find(predictions, references.shape, ids_too=True)]
        arrays = [_array(leaf) for leaf in leaves]
        if arrays[0].ndim == references.ndim:
            paths = [ids[self._tagged(ids, "predictions", tagged)] for ids in arrays]
        else:
            paths = self._decoded(arrays[0], tagged)
        if self._batches and len(self._batches[0].predictions) != len(paths):
            problem = "some batches have results of all decoders, other batches of only one decoder."
            raise InputError(problem, "Give all batches in the same form.")
        kind = np.min_scalar_type(len(self.labels))
        predicted = np.stack(paths).astype(kind)
        self._batches.append(_Batch(tagged.sum(axis=1), references[tagged].astype(kind), predicted))

    def _results(self) -> dict[str, float]:
        """Score all stored batches as one corpus."""
        lengths, codes, paths = (np.concatenate(columns, axis=-1) for columns in zip(*self._batches, strict=True))
        offsets = offsets_of(lengths)
        references = Tags(codes, self._tags, offsets)
        results, of_labels = {}, {}
        # a single array of integer tags belongs to the first decoder
        for ending, path in zip(self._endings.values(), paths, strict=False):
            decoded = pair_from_tags(references, Tags(path, self._tags, offsets), **self._decoding)[:2]
            pair = [side.relabelled(self._new_names) if self._choice.chooses else side for side in decoded]
            of_labels_too = self._per_label and not ending
            alignment = Alignment(*(side.with_labels(self._label_names) if of_labels_too else side for side in pair))
            for name, measure in self.measures.items():
                counts = measure.count(alignment)
                for key, value in measure.score(counts).items():
                    results[result_key(name, measure, key) + ending] = value
                for label, values in measure.score_per_label(counts).items() if of_labels_too else ():
                    for key, value in values.items():
                        of_labels[label_key(name, measure, label, key)] = float(value)
        return {**results, **of_labels}


class _Batch(NamedTuple):
    """A stored batch: document lengths, and the integer tags of both sides; predictions have a row for each decoder."""

    lengths: np.ndarray
    references: np.ndarray
    predictions: np.ndarray


def _batches(predictions: Any, label_ids: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the predictions and labels of each batch of an evaluation set."""
    if label_ids is None or predictions is None:
        raise InputError("there are no labels or no predictions to score.", "Pass an evaluation set with labels.")
    if not isinstance(label_ids, list):
        yield predictions, label_ids
        return
    if not isinstance(predictions, list) or len(predictions) != len(label_ids) or not label_ids:
        problem = "the labels are a list of batches, but the predictions are not a list of the same length."
        raise InputError(problem, "Give two lists of the same length, with one item for each batch.")
    yield from zip(predictions, label_ids, strict=True)


def _leaves(nested: Any) -> Iterator[Any]:
    """Yield all tensors and arrays in nested tuples, lists and mappings."""
    if isinstance(nested, Mapping):
        nested = tuple(nested.values())
    if isinstance(nested, (tuple, list)):
        for part in nested:
            yield from _leaves(part)
    elif hasattr(nested, "shape"):
        yield nested


def _find_labels(labels: Any) -> Any:
    """Return the first tensor or array with two axes."""
    for leaf in _leaves(labels):
        if len(leaf.shape) == 2:
            return leaf
    raise InputError("none of the label arrays has two axes.", "Pass label arrays of the shape (documents, positions).")


def _array(values: Any) -> np.ndarray:
    """Convert a tensor on any device and of any precision, or another array-like object, to a NumPy array."""
    if hasattr(values, "detach"):
        values = values.detach().cpu()
        # NumPy has no bfloat16
        values = (values.float() if values.is_floating_point() and values.element_size() < 4 else values).numpy()
    return as_array(values, "an array", "Pass tensors or arrays of equal shapes.")


def _read_tags(labels: tuple[str, ...], scheme: str | None, *, prefix: bool) -> tuple[tuple[str, ...], str]:
    """Return all labels as tags with prefixes, and the name of their scheme."""
    try:
        tags = as_tags(Tags.each_once(labels), prefix=prefix)
        scheme_of_tags = scheme_of(read_prefix(scheme, prefix=prefix), tags)
        check_names(tags, scheme_of_tags)
    except InputError as error:
        if error.position is None:
            raise
        raise InputError(f"id2label[{error.position}]: {error.problem}", error.remedy) from None
    return tags.names, scheme_of_tags.name

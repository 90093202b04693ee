"""Scores of generated answers under every grounding policy."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ...arrays import batches, listed_items, ordered, plain
from ...counts.statistics import joined_values
from ...exceptions import InputError, require_same_documents
from ...grounding.grounded import AnswerCounts, AnswerInput, Grounded, Predictions, ground, text_indices
from ...grounding.outcomes import GroundingGrid, Predicted, grounding_grid, predicted_by_all
from ...grounding.placing import TextIndex
from ...grounding.policies import GroundingPolicy, StringPolicy, form_text
from ...grounding.reading import ground_strings, strings_of
from ...measures.mention_f import MentionF
from ...measures.registry import MEASURES, read_measures
from ...options import options_of
from ...spans.mentions import Mentions
from ...spans.spans import Spans
from ...spans.texts import Tokens
from ...tables.result import Result
from ...tables.table import Part, Table, TableColumn, amounts, heading
from ..comparison.significance import ranks
from .repairs import MeasureSpread, require_additive, score_table, spread_columns, spreads_of

_AS_STRINGS = MentionF()

ALONE = "answers"
"""The name of the only system, if it has none."""


class AnswersSpread(NamedTuple):
    """One system's answers under every policy.

    Attributes:
        strict: the answers grounded under the default policy, `strict` or `strict-strings`.
        different: the number of different results over all policies; for strings, the number of different counts.
        measures: each measure's scores, by name.
        offsets: each measure's score under `strict` for each way to use the answers' offsets; empty if the answers have
            no offsets.
    """

    strict: AnswerCounts
    different: int
    measures: Mapping[str, MeasureSpread]
    offsets: Mapping[str, Mapping[str, float]]


class GroundingSpread(Result, kw_only=False):
    """The scores of generated answers under every grounding policy.

    Its tables are `scores`, a row for each named policy; `effects`, a row for each action that replaces an action of
    the default policy; and `ranks`, a row for each system if there are several. The tables of policies for strings are
    `string_scores` and so on.

    Attributes:
        grid: the policies.
        documents: the number of documents.
        systems: the scores of each system's answers, by name.
        strings: the scores under policies for strings, by `mention_f`; None if left out.
    """

    grid: GroundingGrid
    documents: int
    systems: Mapping[str, AnswersSpread]
    strings: "GroundingSpread | None" = None

    def effects(self, system: str, measure: str) -> dict[str, dict[str, float]]:
        """Compute the score of the default policy with one action replaced, for each place and action."""
        answers, default = self.systems[system], self.grid.kind()
        scores = answers.measures[measure].scores
        effects: dict[str, dict[str, float]] = {}
        for place in self.grid.places:
            others = (replace(default, **{place.name: action}) for action in place.actions)
            policies = [self.grid.find(policy.actions) for policy in others]
            effects[place.name] = dict(zip(place.actions, scores[policies].tolist(), strict=True))
        return effects | ({"offsets": dict(answers.offsets[measure])} if answers.offsets else {})

    def ranks(self, measure: str) -> np.ndarray:
        """Compute the rank of each system under each policy, shape (policies, systems): 1 is the best.

        Equal systems have the same, better rank.
        """
        values = np.stack([answers.measures[measure].scores for answers in self.systems.values()], axis=1)
        return ranks(values, higher_is_better=True)

    def parts(self) -> Iterator[Part]:
        """Yield the sizes, scores, effects and ranks."""
        of_systems = ((name, answers.strict.summary) for name, answers in self.systems.items())
        yield from (*heading([*of_systems, *self.sizes()]), "", *self.lines())

    def sizes(self) -> list[tuple[str, str]]:
        """Write the numbers of documents and policies, and of different results for each system."""
        different = " and ".join(f"{answers.different:,}" for answers in self.systems.values())
        return [("documents", f"{self.documents:,}"), ("policies", f"{len(self.grid):,} ({different} different here)")]

    def lines(self) -> Iterator[Part]:
        """Yield the tables and texts of the result, without the sizes; policies for strings come last."""
        columns = self._columns()
        for about, spreads in columns:
            yield from (score_table(spreads, about), "")
        yield from heading([("policies nearest to a project's rule", ", ".join(self.grid.nearest))])
        for about, spreads in columns:
            yield from ("", effect_table(self, spreads, about))
        if len(self.systems) > 1:
            yield from ("", rank_table(self))
        if self.strings is not None:
            yield from ("", *heading([(f"{name} for strings", text) for name, text in self.strings.sizes()[1:]]), "")
            for part in self.strings.lines():
                yield replace(part, kind=f"string_{part.kind}") if isinstance(part, Table) else part

    def _columns(self) -> list[tuple[dict[str, str], Mapping[str, MeasureSpread]]]:
        """Return the columns of each table: the measures of a single system, or several systems for each measure."""
        measures = {system: answers.measures for system, answers in self.systems.items()}
        names = next(iter(measures.values()))
        if len(measures) == 1:
            return [({}, names)]
        return [({"measure": name}, {system: own[name] for system, own in measures.items()}) for name in names]

    def to_dict(self) -> dict[str, Any]:
        """Convert to built-in types, ready for JSON; NaN, which JSON lacks, becomes None."""
        systems = {}
        for system, answers in self.systems.items():
            scores = {name: each.to_dict(effects=self.effects(system, name)) for name, each in answers.measures.items()}
            counts = {"counts": plain(answers.strict.total), "different_policies": answers.different}
            systems[system] = {**counts, "measures": scores}
        return {
            "documents": self.documents,
            "policies": len(self.grid),
            "systems": systems,
            **({"ranks": self.rank_shares()} if len(self.systems) > 1 else {}),
            **({} if self.strings is None else {"strings": self.strings.to_dict()}),
        }

    def rank_shares(self) -> dict[str, dict[str, dict[str, Any]]]:
        """Compute for each measure and system the proportions of policies that rank it 1, 2 and so on.

        Also list its rank under each named policy.
        """
        shares: dict[str, dict[str, dict[str, Any]]] = {}
        for name in next(iter(self.systems.values())).measures:
            for system, column in zip(self.systems, self.ranks(name).T, strict=True):
                of_ranks = [float((column == rank).mean()) for rank in range(1, len(self.systems) + 1)]
                named = {policy: int(column[index]) for policy, index in self.grid.named.items()}
                shares.setdefault(name, {})[system] = {"rank_shares": of_ranks, "named": named}
        return shares


def grounding_spread(
    texts: Iterable[str],
    answers: Any,
    references: Any,
    *,
    measures: Any = "span_f",
    asked_labels: Iterable[str] | None = None,
    aliases: Mapping[str, str] | None = None,
    tokens: Tokens | Sequence[Iterable[tuple[int, int]]] | None = None,
    format: str = "auto",
    item_mention_key: str | None = None,
    item_label_key: str | None = None,
    strings: MentionF | None = _AS_STRINGS,
) -> GroundingSpread:
    """Score generated answers under all 9,216 grounding policies, see `grounding.GroundingPolicy`.

    Also score them as strings under all 128 policies for strings (see `grounding.StringPolicy`), against the words of
    the spans.

    Policies that give the same result for an answer have the same score: each step of grounding runs once for all
    policies that agree so far, and only different results are scored.

    Args:
        texts: the texts.
        answers: the model's answer to each text, see `grounding.ground`; for several systems, a mapping from names to
            such lists.
        references: the spans of the texts, in characters: `Spans`, or lists of dicts with `start`, `end` and `label`.
        measures: the measures to score with, see `score`; their main scores are compared.
        asked_labels, aliases, tokens, format, item_mention_key, item_label_key: see `grounding.ground`.
        strings: the measure of strings; each policy sets its `fold` and `copies`. None leaves strings out.

    Raises:
        InputError: if the number of documents differs, or if counts of parts cannot be added for a measure (`SlIcm`
            with corpus probabilities, `UnitizingAlpha`); see also `grounding.ground`.
    """
    named = read_measures(measures, MEASURES)
    require_additive(named.values())
    if not isinstance(references, Spans):
        references = Spans.from_dicts(references)
    outputs = listed_items(answers) if isinstance(answers, Mapping) else [(ALONE, answers)]
    if not outputs:
        remedy = "Give a list with one answer for each text, or a mapping from each system to its list of answers."
        raise InputError("there are no answers.", remedy)
    if len({str(name) for name, _ in outputs}) < len(outputs):
        raise InputError("two systems have the same name.", "Give each system a different name.")
    rows = ordered(texts, "a list of texts", "Give the texts as a list of strings.")
    keys = {"item_mention_key": item_mention_key, "item_label_key": item_label_key}
    read = {}
    for name, of_system in outputs:
        source = AnswerInput(rows, of_system, asked_labels, aliases, format, tokens, keys)
        # read each answer once
        read[str(name)] = replace(source, answers=list(source.read()), format="auto")
    indices = text_indices(rows, tokens)
    require_same_documents(references.documents, len(rows))
    references = references.with_lengths(np.array([len(index.text) for index in indices], dtype=np.int64))
    grid, string_grid = grounding_grid(), grounding_grid(StringPolicy)
    systems, as_strings, mentions = {}, {}, Mentions.of_spans(references, rows)
    for name, source in read.items():
        alike = np.zeros(len(grid), dtype=np.int64)
        spreads = spreads_of(grid, named, _parts(source, references, indices, alike))
        of_offsets = _by_offsets(source, references, named)
        systems[name] = AnswersSpread(_grounded(source), int(alike.max()) + 1, spreads, of_offsets)
        if strings is not None:
            as_strings[name] = _as_strings(source, mentions, strings)
    of_strings = None if strings is None else GroundingSpread(string_grid, len(rows), as_strings)
    return GroundingSpread(grid, len(rows), systems, of_strings)


def _parts(
    source: AnswerInput, references: Spans, indices: Sequence[TextIndex], alike: np.ndarray
) -> Iterator[tuple[Spans, Spans, np.ndarray]]:
    """Ground answers under all policies, some at a time, see `spreads_of`; number the different results in `alike`."""
    vocabulary = source.vocabulary
    predicted_labels = {vocabulary.renamed(item).label for answer in source.answers for item in answer.items}
    # counts of parts can be added if they are counted in the same labels
    names = tuple(sorted({*references.labels, *predicted_labels}))
    for first, some in batches(source.answers):
        of_policy = np.empty((len(alike), len(some)), dtype=np.int64)
        made, document = list[Predicted](), list[int]()
        for place, answer in enumerate(some):
            number, predicted = predicted_by_all(answer, indices[first + place], vocabulary)
            of_policy[:, place] = len(made) + number
            alike[:] = np.unique(alike * len(predicted) + number, return_inverse=True)[1].ravel()
            made += predicted
            document += [first + place] * len(predicted)
        predictions = Predictions.of(made, [len(indices[each].text) for each in document])
        both = predictions.sides(references.take(np.array(document, dtype=np.int64)))
        reference, prediction = (side.with_labels(names) for side in both)
        yield reference, prediction, of_policy


def _grounded(source: AnswerInput, policy: GroundingPolicy | str = "strict") -> Grounded:
    """Ground answers that have been read already."""
    options: dict[str, Any] = {name: getattr(source, name) for name in ("asked_labels", "aliases", "tokens")}
    return ground(source.texts, source.answers, policy=policy, **options)


def _by_offsets(source: AnswerInput, references: Spans, measures: Mapping[str, Any]) -> dict[str, dict[str, float]]:
    """Compute each measure's score under `strict` for each way to use offsets; empty if the answers have none."""
    if all(item.start is None for answer in source.answers for item in answer.items):
        return {}
    policies = {name: GroundingPolicy(offsets=name) for name in options_of(GroundingPolicy)["offsets"].choices}
    sides = {name: _grounded(source, policy).sides(references) for name, policy in policies.items()}
    return {
        name: {action: measure.score(measure.counts(*both))[measure.headline] for action, both in sides.items()}
        for name, measure in measures.items()
    }


def _as_strings(source: AnswerInput, references: Mentions, measure: MentionF) -> AnswersSpread:
    """Compute the scores under all policies for strings."""
    grid = grounding_grid(StringPolicy)
    scores, outcomes = np.empty(len(grid)), set()
    folded: dict[str, list[str]] = {}
    made: dict[StringPolicy, Mentions] = {}
    policies = [(index, policy) for index, policy in enumerate(grid.policies) if isinstance(policy, StringPolicy)]
    for index, policy in sorted(policies, key=lambda pair: pair[1].fold):
        if policy.fold not in folded:
            # fold each text once, and keep only one folding in memory
            folded, made = {policy.fold: [form_text(text, policy.fold) for text in source.texts]}, {}
        # only the measure uses `copies`
        alike = replace(policy, copies="multiset")
        if alike not in made:
            made[alike] = strings_of(source, alike, folded[policy.fold]).mentions
        compared: dict[str, Any] = dict(policy.compared)
        counts = replace(measure, **compared).counts(references, made[alike])
        scores[index] = measure.score(counts)[measure.headline]
        outcomes.add(tuple(values.tobytes() for values in joined_values(counts.per_document()).values()))
    spread = MeasureSpread(grid, measure.headline, scores)
    default = ground_strings(source.texts, source.answers, asked_labels=source.asked_labels, aliases=source.aliases)
    return AnswersSpread(default, len(outcomes), {measure.name: spread}, {})


def effect_table(spread: GroundingSpread, columns: Mapping[str, MeasureSpread], about: Mapping[str, str]) -> Table:
    """Return a table by place and action, with the score of the default policy with this action.

    Args:
        spread: the scores under all policies.
        columns: the measures by name, or the systems by name for one measure.
        about: the measure, if the columns are systems; otherwise empty.
    """
    only = next(iter(spread.systems))
    effects = [spread.effects(name, about["measure"]) if about else spread.effects(only, name) for name in columns]
    places = {place: actions for of_column in effects for place, actions in of_column.items()}
    rows: list[Sequence[Any] | None] = []
    for place, actions in places.items():
        rows += [None] if rows else []
        for action in actions:
            scores = (of_column[place][action] if place in of_column else "" for of_column in effects)
            rows.append((place, action, *scores))
    title = " ".join([f"{spread.grid.default}, except", *(f"({name})" for name in about.values())])
    own = [TableColumn("action"), *spread_columns(columns, about)]
    return Table.of(title, own, rows, left=2, kind="effects", names="place", about=about)


def rank_table(spread: GroundingSpread) -> Table:
    """Return a table by measure and system: which policies rank the system first.

    The columns are the proportion of all policies, and the number of named policies. If two systems are equal, both are
    first.
    """
    ranked, rows = spread.rank_shares(), []
    for measure, of_systems in ranked.items():
        for system, values in of_systems.items():
            name = f"{system}, {measure}" if len(ranked) > 1 else system
            rows.append(((name, "cyan"), values["rank_shares"][0], list(values["named"].values()).count(1)))
    named = f"first, of the\n{len(spread.grid.named)} named"
    columns = [TableColumn("first", "first, of all\npolicies", "share"), *amounts(first_named=named)]
    return Table.of("system", columns, rows, kind="ranks")

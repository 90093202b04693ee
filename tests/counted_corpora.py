"""Every measure, some with other options, and random documents that it can count."""

import random

from entity_corpora import random_entity_documents
from random_corpora import as_spans, random_pair
from spanometer.measures import (
    MEASURES,
    ChanceKappaF1,
    Eter,
    FairF,
    IntersectionF,
    MatchedF,
    SemevalF,
    SlIcm,
    SpanAttribute,
    TokenF,
    UnitizingAlpha,
)
from spanometer.spans.attributes import Attributes
from spanometer.spans.entities import Entities

OF_SPANS = {
    **{name: measure() for name, measure in MEASURES.items()},
    "bcubed macro": MEASURES["bcubed"](average="macro"),
    "token_f IO*": TokenF(format="IO*", average="weighted"),
    "token_f documents": TokenF(average="documents"),
    "intersection_f cap": IntersectionF(cap=True),
    "semeval_f nervaluate": SemevalF(schema="ent_type", alignment="nervaluate", average="macro"),
    "fair_f weights": FairF(weights={"BE": {"TP": 0.5, "FN": 0.5}}, focus="system", average="macro"),
    "matched_f mpp": MatchedF(credit="mpp"),
    "matched_f iou_50_95": MatchedF(credit="iou_50_95", average="macro"),
    "sl_icm constant": SlIcm(token_probabilities=0.1, prior="tokens", matching="optimal", log_base=3),
    "chance_kappa_f1 span": ChanceKappaF1(level="span"),
    "unitizing_alpha 1995": UnitizingAlpha(variant="1995"),
}
ALL = {
    **OF_SPANS,
    "eter": Eter(),
    "eter macro": Eter(average="macro", alpha=0.2),
    "span_attribute": SpanAttribute(),
    "span_attribute edsnlp": SpanAttribute(average_precision="edsnlp"),
}
ORDERED = ("unitizing_alpha 1995", "gamma", "span_attribute edsnlp")


def random_attributes(generator):
    """Documents of both sides with the same spans, and attributes that differ now and then."""
    sides = [[], []]
    for _ in range(generator.choice((1, 2, 5))):
        for side in sides:
            side.append([])
        for start in range(generator.randrange(4)):
            value = generator.choice((True, False, "x", 3))
            for side in sides:
                names = generator.sample(("neg", "hyp", "who"), generator.randrange(4))
                attributes = {name: value if generator.random() < 0.6 else "y" for name in names}
                scores = {name: generator.choice((0.2, 0.5, 0.9)) for name in names}
                span = {"start": start, "end": start + 1, "label": "A", "attributes": attributes, "scores": scores}
                side[-1].append(span)
    return sides


def corpus(name, seed):
    """Documents of both sides, and their lengths."""
    if name.startswith("span_attribute"):
        return *random_attributes(random.Random(seed)), None
    if name.startswith("eter"):
        references, predictions = random_entity_documents(random.Random(seed))
        return references, predictions, None
    return random_pair(seed, "flat")


def counted(name, references, predictions, lengths, documents):
    """The counts of some of the documents."""
    chosen = [[side[number] for number in documents] for side in (references, predictions)]
    if name.startswith("eter"):
        return ALL[name].counts(*map(Entities.from_dicts, chosen))
    if name.startswith("span_attribute"):
        return ALL[name].counts(*map(Attributes.from_dicts, chosen))
    known = [lengths[number] for number in documents]
    return ALL[name].counts(*(as_spans(side, known) for side in chosen))

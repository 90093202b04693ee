"""Ten texts with entities, and answers about them in every form that is read."""

import json
import re

SAMPLES = [
    ("Ada Lovelace met Karl Marx in Rome.", [("PER", "Ada Lovelace"), ("PER", "Karl Marx"), ("LOC", "Rome")]),
    ("Nobody came.", []),
    ("Siemens opened an office in São Paulo.", [("ORG", "Siemens"), ("LOC", "São Paulo")]),
    ("Marie Curie left Warsaw for Paris in 1891.", [("PER", "Marie Curie"), ("LOC", "Warsaw"), ("LOC", "Paris")]),
    ("In Paris the firm Bull hired Grace Hopper.", [("LOC", "Paris"), ("ORG", "Bull"), ("PER", "Grace Hopper")]),
    ("Anna O’Neil heads Deutsche Bahn in Köln.", [("PER", "Anna O’Neil"), ("ORG", "Deutsche Bahn"), ("LOC", "Köln")]),
    ("Oslo and Bergen are in Norway.", [("LOC", "Oslo"), ("LOC", "Bergen"), ("LOC", "Norway")]),
    ("Alan Turing studied at King's College.", [("PER", "Alan Turing"), ("ORG", "King's College")]),
    ("😀 Linus Torvalds moved to Portland.", [("PER", "Linus Torvalds"), ("LOC", "Portland")]),
    ("Tokyo!", [("LOC", "Tokyo")]),
]  # fmt: skip
LABELS = ["PER", "LOC", "ORG"]
TEXTS = [text for text, _ in SAMPLES]
ENTITIES = [
    [(label, mention, text.index(mention), text.index(mention) + len(mention)) for label, mention in entities]
    for text, entities in SAMPLES
]
GOLD = [
    {
        "id": f"t{number}",
        "text": text,
        "spans": [{"start": start, "end": end, "label": label} for label, _, start, end in entities],
    }
    for number, (text, entities) in enumerate(zip(TEXTS, ENTITIES, strict=True))
]
KEYS = [
    ("text", "label"),
    ("Text", "Label"),
    ("entity_text", "entity_type"),
    ("content", "category"),
    ("name", "type"),
    ("entity", "class"),
    ("mention", "entity_group"),
]
OFFSETS = {
    "start and end": lambda start, end: {"start": start, "end": end},
    "strings, inclusive": lambda start, end: {"start": str(start), "end": str(end - 1)},
    "floats": lambda start, end: {"start_offset": float(start), "end_offset": float(end)},
    "indices": lambda start, end: {"startIndex": start, "endIndex": end - 1},
    "positions": lambda start, end: {"start_pos": start, "end_pos": end},
    "a range": lambda start, end: {"span": [start, end]},
    "an object": lambda start, end: {"position": {"begin": start, "end": end}},
    "an interval": lambda start, end: {"char_interval": {"start_pos": start, "end_pos": end}},
    "a length": lambda start, end: {"offset": start, "length": end - start},
}


def written_in(text, entities, mark):
    """The text with each entity as `mark` writes it."""
    for label, mention, start, end in sorted(entities, key=lambda entity: -entity[2]):
        text = text[:start] + mark(label, mention) + text[end:]
    return text


def forms_of(text, entities):
    """An answer with these entities in every form."""
    pairs = [(label, mention) for label, mention, _, _ in entities]
    by_label = {}
    for label, mention in pairs:
        by_label.setdefault(label, []).append(mention)
    halves = list(by_label.items())[:1], list(by_label.items())[1:]
    numbered = {f"a{number}": mention for number, (_, mention) in enumerate(pairs)}
    objects = [{"text": mention, "label": label} for label, mention in pairs]
    dumped = {name: json.dumps(value, ensure_ascii=False) for name, value in {"pairs": pairs, "map": by_label}.items()}
    return {
        "pairs": dumped["pairs"],
        "pairs, mention first": json.dumps([pair[::-1] for pair in pairs]),
        "labels by mention": json.dumps({mention: label for label, mention in pairs}),
        "mentions by label": dumped["map"],
        "Python": repr(pairs),
        "values": by_label,
        "lines, mention first": "".join(f"- {mention}: {label}\n" for label, mention in pairs),
        "lines": "\n".join(f"**{label}**: {', '.join(mentions)}" for label, mentions in by_label.items()),
        "one line": "; ".join(f"{label}: {', '.join(mentions)}" for label, mentions in by_label.items()),
        "in brackets": ", ".join(f"{mention} ({label})" for label, mention in pairs),
        "numbered": "".join(f"{number}. {mention} ({label})\n" for number, (label, mention) in enumerate(pairs)),
        "JSON lines": "\n".join(map(json.dumps, objects)),
        "two values": f"{json.dumps(pairs[:2])} and {json.dumps(pairs[2:])}",
        "two blocks": "and".join(f"```json\n{json.dumps(dict(half))}\n```\n" for half in halves),
        "within prose": f"Here they are [as asked]:\n{dumped['pairs']} I hope [this] helps.",
        "thoughts": f'<think>{text} [["PER", "me"]]</think>\n{dumped["map"]}',
        "other fields": json.dumps({"reasoning": "Why not?", **by_label, "language": "en"}),
        "relations": json.dumps({**by_label, "PER": numbered_of(numbered, pairs), "met": {"a0": ["a1"]}}),
        "a list of labels": json.dumps([{"text": mention, "type": [label]} for label, mention in pairs]),
        **{
            f"{first} and {second}": json.dumps(
                {"entities": [{first: mention, second: label} for label, mention in pairs]}
            )
            for first, second in KEYS
        },
        **{
            f"offsets: {name}": json.dumps(
                [{**item, **offsets(*entity[2:])} for item, entity in zip(objects, entities, strict=True)]
            )
            for name, offsets in OFFSETS.items()
        },
        "offsets: UTF-16": json.dumps(
            [
                {
                    **item,
                    **dict(
                        zip(("start", "end"), (place + text[:place].count("😀") for place in entity[2:]), strict=True)
                    ),
                }
                for item, entity in zip(objects, entities, strict=True)
            ]
        ),
        "offsets: alone": json.dumps([(start, end, label) for label, _, start, end in entities]),
        "elements": written_in(text, entities, lambda label, mention: f"<{label}>{mention}</{label}>"),
        "elements of one name": written_in(
            text, entities, lambda label, mention: f'<entity type="{label}">{mention}</entity>'
        ),
        "wrappers": "<thinking>Is <PER>he</PER>?</thinking><output><p>"
        + written_in(text, entities, lambda label, mention: f"<{label}>{mention}</{label}>")
        + "</p></output>",
        "links": written_in(text, entities, lambda label, mention: f"[{mention}]({label})"),
        "comments": f"{dumped['pairs'][:-1]}, // all\n]" if pairs else "[] // none",
        "curly quotes": re.sub('"([^"]*)"', r"“\1”", dumped["map"]),
        "quotes within": json.dumps([*objects, {"why": "@"}]).replace("@", 'the "text" says so'),
        "a table": "| Entity | Type |\n|---|---|\n" + "".join(f"| {mention} | {label} |\n" for label, mention in pairs),
        "rows": "text,label\n" + "".join(f"{mention},{label}\n" for label, mention in pairs),
        "YAML": "".join(
            f"{label}:\n" + "".join(f"  - {mention}\n" for mention in mentions) for label, mentions in by_label.items()
        ),
        "YAML of items": "".join(f"- text: {mention}\n  label: {label}\n" for label, mention in pairs),
        "headings": "".join(
            f"### {label}\n" + "".join(f"- {mention}\n" for mention in mentions) for label, mentions in by_label.items()
        ),
        "calls": f"[{', '.join(f'{label}(span={json.dumps(mention)})' for label, mention in pairs)}]",
    }


def numbered_of(numbered, pairs):
    """The mentions of people, each under a name."""
    return {
        name: mention for (name, mention), (label, _) in zip(numbered.items(), pairs, strict=True) if label == "PER"
    }


FORMS = {name: [forms_of(*sample)[name] for sample in zip(TEXTS, ENTITIES, strict=True)] for name in forms_of("", [])}

"""Random documents of entities with types and components, and a system's noisy output for them, as users write them."""

TYPES = ("pers.ind", "pers.coll", "loc.adm.nat", "loc.adm.town", "func")
ONLY_REFERENCE, ONLY_PREDICTED = "time.hour", "prod.object"
COMPONENTS = ("name", "kind")

MOST_ENTITIES = 5
MOST_COMPONENTS = 6  # of one document's entities together: SER aligns them all at once, and the slow way lists them all


def random_entity_documents(random):
    """References and predictions, lists of documents, a document being a list of entities; `random` is a Random."""
    lengths = [random.choice((0, 1, 2, 3, 6, 10, 14)) for _ in range(random.choice((1, 1, 2, 4)))]
    references = [random_entities(random, length) for length in lengths]
    predictions = [
        disturbed_entities(random, document, length) for document, length in zip(references, lengths, strict=True)
    ]
    if random.random() < 0.05:
        references = [[] for _ in lengths]
    if random.random() < 0.05:
        predictions = [[] for _ in lengths]
    return references, predictions


def random_entities(random, length):
    """A document of nested, crossing, adjacent and duplicate entities; some entities are components of others."""
    if length == 0 or random.random() < 0.1:
        return []
    entities = []
    for _ in range(random.randrange(MOST_ENTITIES + 1)):
        kind = random.choice(("anywhere", "anywhere", "inside", "around", "after", "same bounds", "duplicate"))
        if kind == "duplicate" and entities:
            entities.append(duplicate_entity(random, random.choice(entities)))
        else:
            start, end = random_bounds(random, length, kind, random.choice(entities) if entities else None)
            entities.append(random_entity(random, start, end, (*TYPES, ONLY_REFERENCE)))
    for entity in entities:
        insides = [other for other in entities if other is not entity and lies_in(other, entity)]
        if insides and random.random() < 0.6:
            inside = random.choice(insides)
            entity["components"].append(
                {"start": inside["start"], "end": inside["end"], "label": random.choice(inside["types"])}
            )
    return limited(random, entities)


def random_bounds(random, length, kind, other):
    """Start and end of an entity that lies in the other one, around it, right behind it or wherever."""
    if other is not None and kind == "inside":
        return random_part(random, other["start"], other["end"])
    if other is not None and kind == "around":
        return random.randint(0, other["start"]), random.randint(other["end"], length)
    if other is not None and kind == "after" and other["end"] < length:
        return other["end"], random.randint(other["end"] + 1, length)
    if other is not None and kind == "same bounds":
        return other["start"], other["end"]
    return random_part(random, 0, length)


def random_part(random, start, end):
    """Start and end of a part of at least one token."""
    first = random.randrange(start, end)
    return first, random.randint(first + 1, end)


def random_entity(random, start, end, types):
    """An entity of one to three types, now and then one of them twice, and up to four components."""
    entity = {
        "start": start,
        "end": end,
        "types": random.sample(types, random.choice((1, 1, 1, 2, 3))),
        "components": [random_component(random, start, end) for _ in range(random.choice((0, 0, 1, 1, 2, 3, 4)))],
    }
    if random.random() < 0.1:
        entity["types"].append(random.choice(entity["types"]))
    return entity


def random_component(random, start, end):
    """A component that lies in the given bounds; now and then its label is a type."""
    first, last = random_part(random, start, end)
    return {"start": first, "end": last, "label": random.choice((*COMPONENTS, *COMPONENTS, *TYPES[1:3]))}


def duplicate_entity(random, entity):
    """The same entity written otherwise: its types and components in another order, one of each twice."""
    types = random.sample(entity["types"], len(entity["types"]))
    components = random.sample(entity["components"], len(entity["components"]))
    return {
        "start": entity["start"],
        "end": entity["end"],
        "types": types + types[:1],
        "components": [dict(component) for component in components + components[:1]],
    }


def lies_in(one, other):
    """Whether all tokens of one are tokens of the other."""
    return other["start"] <= one["start"] and one["end"] <= other["end"]


def limited(random, entities):
    """At most MOST_ENTITIES entities with at most MOST_COMPONENTS different components in all, in any order."""
    entities = random.sample(entities, min(len(entities), MOST_ENTITIES))
    room = MOST_COMPONENTS
    for entity in entities:
        different = {(part["start"], part["end"], part["label"]) for part in entity["components"]}
        if len(different) > room:
            entity["components"] = entity["components"][:room]
            different = entity["components"]
        room -= len(different)
    return entities


def disturbed_entities(random, document, length):
    """A system's output for a document: entities kept, moved, with other types or components, dropped, invented."""
    output = []
    for entity in document:
        output.append(
            {
                "start": entity["start"],
                "end": entity["end"],
                "types": list(entity["types"]),
                "components": [dict(component) for component in entity["components"]],
            }
        )
        chance = random.random()
        if chance < 0.12:
            output.pop()
            continue
        if chance < 0.45:
            continue
        for change in random.sample((move, retype, change_components, flood), random.choice((1, 1, 2))):
            change(random, output[-1], length)
    if length and random.random() < 0.3:
        output.append(random_entity(random, *random_part(random, 0, length), (*TYPES, ONLY_PREDICTED)))
    return limited(random, output)


def move(random, entity, length):
    """One token more or less at an end, or at both; components keep what is left of them."""
    start = min(max(0, entity["start"] + random.choice((-1, 0, 1))), length - 1)
    end = max(start + 1, min(length, entity["end"] + random.choice((-1, 0, 1))))
    entity["start"], entity["end"] = start, end
    for component in entity["components"]:
        component["start"] = max(start, component["start"])
        component["end"] = min(end, component["end"])
    entity["components"] = [part for part in entity["components"] if part["start"] < part["end"]]


def retype(random, entity, length):
    """One type more, one less, or another one in its place, often of the same first part."""
    place = random.randrange(len(entity["types"]))
    first_part = entity["types"][place].split(".")[0]
    siblings = [other for other in TYPES if other.split(".")[0] == first_part and other != entity["types"][place]]
    change = random.choice(("more", "less", "other", "sibling", "sibling"))
    if change == "more":
        entity["types"].append(random.choice(TYPES))
    elif change == "less" and len(entity["types"]) > 1:
        del entity["types"][place]
    elif change == "sibling" and siblings:
        entity["types"][place] = random.choice(siblings)
    else:
        entity["types"][place] = random.choice((*TYPES, ONLY_PREDICTED))


def change_components(random, entity, length):
    """One component dropped, relabelled or moved, or one more."""
    if not entity["components"] or random.random() < 0.25:
        entity["components"].append(random_component(random, entity["start"], entity["end"]))
        return
    place = random.randrange(len(entity["components"]))
    change = random.choice(("drop", "relabel", "move"))
    if change == "drop":
        del entity["components"][place]
    elif change == "relabel":
        entity["components"][place]["label"] = random.choice(COMPONENTS)
    else:
        label = entity["components"][place]["label"]
        entity["components"][place] = {**random_component(random, entity["start"], entity["end"]), "label": label}


def flood(random, entity, length):
    """Six more components, which can cost more than no match at all."""
    entity["components"] += [random_component(random, entity["start"], entity["end"]) for _ in range(6)]

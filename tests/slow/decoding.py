"""Tags to spans and back, one sentence at a time: one plain reader per repair policy.

A tag is ``O`` or a prefix and a label, ``B-PER``; a bare prefix has the label ``_``. A span is
``(label, start, end)``, the end exclusive. The sentence's borders count as O.
"""

from itertools import combinations

PREFIXES = {
    "IO": "IO",
    "IOB1": "IOB",
    "IOB2": "IOB",
    "IOE1": "IOE",
    "IOE2": "IOE",
    "IOBES": "IOBES",
    "BILOU": "BILOU",
    "BMES": "OBMES",
}

TO_IOBES = {"L": "E", "U": "S", "M": "I"}  # what BILOU and BMES call otherwise
TO_IOB2 = {"S": "B", "E": "I"}

OUTSIDE = ("O", None)


def _read(tags, scheme):
    """The tags as (prefix, label) pairs, the prefixes of BILOU and BMES renamed to those of IOBES."""
    if scheme not in PREFIXES:
        raise ValueError(f"unknown scheme {scheme!r}")
    pairs = []
    for position, tag in enumerate(tags):
        prefix, dash, label = tag.partition("-")
        if prefix not in list(PREFIXES[scheme]) or (prefix == "O" and dash):
            raise ValueError(f"position {position}: {tag!r} is no tag of {scheme}")
        pairs.append(OUTSIDE if prefix == "O" else (TO_IOBES.get(prefix, prefix), label or "_"))
    return pairs


def decode(tags, scheme, repair):
    """The set of spans (label, start, end) that the tags of one sentence stand for, under a repair policy."""
    pairs = _read(tags, scheme)
    if repair == "conlleval":
        return _conlleval(pairs)
    if repair == "discard":
        return _discard(pairs, scheme)
    if repair == "bes":
        if scheme not in ("IOBES", "BILOU", "BMES"):
            raise ValueError(f"bes needs a scheme with B, E and S, not {scheme}")
        return _bes(pairs)
    if repair == "convert":
        if "B" not in PREFIXES[scheme]:
            raise ValueError(f"convert needs a scheme with a B, not {scheme}")
        return _conlleval([(TO_IOB2.get(prefix, prefix), label) for prefix, label in pairs])
    if repair == "raise":
        for position in illegal_pairs(tags, scheme):
            previous = tags[position - 1] if position > 0 else None
            current = tags[position] if position < len(tags) else None
            raise ValueError((position, previous, current))
        return _discard(pairs, scheme)
    raise ValueError(f"unknown repair {repair!r}")


# conlleval


def _chunk_ends(previous_prefix, current_prefix, same_label):
    """Whether a chunk ends between two tags, by the rule of the CoNLL-2000 evaluation script."""
    if previous_prefix == "O":
        return False
    if previous_prefix in ("E", "S"):
        return True
    return current_prefix in ("B", "S", "O") or not same_label


def _chunk_starts(previous_prefix, current_prefix, same_label):
    """Whether a chunk starts at the second of two tags, by the rule of the CoNLL-2000 evaluation script."""
    if current_prefix == "O":
        return False
    if current_prefix in ("B", "S"):
        return True
    return previous_prefix in ("O", "E", "S") or not same_label


def _conlleval(pairs):
    """The chunks between each start and the next end."""
    spans = set()
    start = None
    previous_prefix, previous_label = OUTSIDE
    for position, (prefix, label) in enumerate([*pairs, OUTSIDE]):
        same_label = label == previous_label
        if _chunk_ends(previous_prefix, prefix, same_label):
            spans.add((previous_label, start, position))
        if _chunk_starts(previous_prefix, prefix, same_label):
            start = position
        previous_prefix, previous_label = prefix, label
    return spans


# discard


def _discard(pairs, scheme):
    """Every stretch of tags of one label that is a well-formed span where it stands."""
    spans = set()
    for start in range(len(pairs)):
        label = pairs[start][1]
        for end in range(start + 1, len(pairs) + 1):
            if label is None or pairs[end - 1][1] != label:
                break
            before = pairs[start - 1] if start > 0 else OUTSIDE
            after = pairs[end] if end < len(pairs) else OUTSIDE
            prefixes = "".join(prefix for prefix, same_label in pairs[start:end])
            if _well_formed(prefixes, label, before, after, scheme):
                spans.add((label, start, end))
    return spans


def _well_formed(prefixes, label, before, after, scheme):
    """Whether tags of one label with these prefixes, between the tags `before` and `after`, are a span of the scheme.

    - IO: I's, as many as there are.
    - IOB1: I's, as many as there are; the first one is B exactly where the tag before has the same label.
    - IOB2: a B and the I's that follow it.
    - IOE1: I's, as many as there are; the last one is E exactly where the tag after has the same label.
    - IOE2: an E and the I's that lead to it.
    - IOBES, BILOU, BMES: an S alone, or B, I's, E.
    """
    inside = ("I", label)
    first, last = prefixes[0], prefixes[-1]
    if scheme == "IO":
        return _all_inside(prefixes) and before != inside and after != inside
    if scheme == "IOB1":
        expected_first = "B" if before[1] == label else "I"
        return first == expected_first and _all_inside(prefixes[1:]) and after != inside
    if scheme == "IOB2":
        return first == "B" and _all_inside(prefixes[1:]) and after != inside
    if scheme == "IOE1":
        expected_last = "E" if after[1] == label else "I"
        return last == expected_last and _all_inside(prefixes[:-1]) and before != inside
    if scheme == "IOE2":
        return last == "E" and _all_inside(prefixes[:-1]) and before != inside
    if len(prefixes) == 1:
        return prefixes == "S"
    return first == "B" and last == "E" and _all_inside(prefixes[1:-1])


def _all_inside(prefixes):
    """Whether there is nothing but I."""
    return all(prefix == "I" for prefix in prefixes)


# bes


def _bes(pairs):
    """The spans by B, E and S alone; I and O are ignored.

    B opens. S is a span. E closes the open span at itself and takes the opening label; without an open span it does
    nothing. A new B or S closes an open span just before itself. What is open at the end is closed there.
    """
    spans = set()
    opened = None  # (label, start) of the open span
    for position, (prefix, label) in enumerate(pairs):
        if prefix in ("B", "S") and opened:
            spans.add((*opened, position))
            opened = None
        if prefix == "B":
            opened = (label, position)
        elif prefix == "S":
            spans.add((label, position, position + 1))
        elif prefix == "E" and opened:
            spans.add((*opened, position + 1))
            opened = None
    if opened:
        spans.add((*opened, len(pairs)))
    return spans


# Legal pairs


def illegal_pairs(tags, scheme):
    """The positions of the tags that may not follow the tag before them; ``len(tags)`` stands for the sentence's end.

    - IO: none.
    - IOB1: a B whose label is not that of the tag before.
    - IOB2: an I that does not follow B or I of its label.
    - IOE1: what follows an E and has not its label.
    - IOE2: what follows an I and is neither I nor E of its label.
    - IOBES, BILOU, BMES: after B and I whatever is neither I nor E of their label; after O, E and S any I or E.
    """
    pairs = [OUTSIDE, *_read(tags, scheme), OUTSIDE]
    return [
        position
        for position in range(len(tags) + 1)
        if not _is_legal(pairs[position], pairs[position + 1], scheme)  # pairs begin one place earlier than tags
    ]


def _is_legal(previous, current, scheme):
    """Whether the second tag may follow the first."""
    (previous_prefix, previous_label), (prefix, label) = previous, current
    same_label = previous_label == label
    if scheme == "IO":
        return True
    if scheme == "IOB1":
        return prefix != "B" or same_label
    if scheme == "IOB2":
        return prefix != "I" or same_label
    if scheme == "IOE1":
        return previous_prefix != "E" or same_label
    if scheme == "IOE2":
        return previous_prefix != "I" or same_label
    if previous_prefix in ("B", "I"):
        return prefix in ("I", "E") and same_label
    return prefix not in ("I", "E")


# Spans to tags


def encode(spans, length, scheme):
    """The tags of a sentence of `length` tokens with these spans, a set of (label, start, end) without overlap.

    IO cannot tell adjacent spans of one label apart: they come back as one.
    """
    if scheme not in PREFIXES:
        raise ValueError(f"unknown scheme {scheme!r}")
    for label, start, end in spans:
        if not 0 <= start < end <= length:
            raise ValueError(f"span {(label, start, end)} does not lie within {length} tokens")
    for (label, start, end), (other_label, other_start, other_end) in combinations(spans, 2):
        if start < other_end and other_start < end:
            raise ValueError(f"spans {(label, start, end)} and {(other_label, other_start, other_end)} overlap")

    tags = ["O"] * length
    for label, start, end in spans:
        touches_before = any(other == label and other_end == start for other, other_start, other_end in spans)
        touches_after = any(other == label and other_start == end for other, other_start, other_end in spans)
        prefixes = _span_prefixes(end - start, touches_before, touches_after, scheme)
        for position, prefix in zip(range(start, end), prefixes, strict=True):
            tags[position] = f"{prefix}-{label}"
    return tags


def _span_prefixes(size, touches_before, touches_after, scheme):
    """The prefixes of one span, which may directly follow or precede a span of its own label."""
    prefixes = ["I"] * size
    if scheme == "IOB2" or (scheme == "IOB1" and touches_before):
        prefixes[0] = "B"
    if scheme == "IOE2" or (scheme == "IOE1" and touches_after):
        prefixes[-1] = "E"
    if scheme in ("IOBES", "BILOU", "BMES"):
        inside, last, single = {"IOBES": "IES", "BILOU": "ILU", "BMES": "MES"}[scheme]
        prefixes = [single] if size == 1 else ["B"] + [inside] * (size - 2) + [last]
    return prefixes

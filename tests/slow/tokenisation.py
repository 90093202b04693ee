"""Spans of characters carried to tokens, one character at a time."""


def carry(tokens, start, end, policy):
    """Return the tokens of a piece of text, as a list of numbers."""
    shared = [len(set(range(first, last)) & set(range(start, end))) for first, last in tokens]
    sizes = [last - first for first, last in tokens]
    if policy == "strict":
        chosen = [number for number, some in enumerate(shared) if some]
        fits = chosen and tokens[chosen[0]][0] == start and tokens[chosen[-1]][1] == end
        return chosen if fits else []
    if policy == "expand":
        return [number for number, some in enumerate(shared) if some]
    if policy == "contract":
        return [number for number, some in enumerate(shared) if some == sizes[number]]
    mostly = [number for number, some in enumerate(shared) if some and 2 * some >= sizes[number]]
    if mostly or not any(shared):
        return mostly
    return [max(range(len(tokens)), key=lambda number: (shared[number], -number))]


def carried(documents, spans, policy):
    """Return the set of (document, tokens, label) of spans as dictionaries with fragments."""
    found = set()
    for number, (tokens, row) in enumerate(zip(documents, spans, strict=True)):
        for span in row:
            parts = [set(carry(tokens, start, end, policy)) for start, end in span["fragments"]]
            if any(parts):
                found.add((number, frozenset().union(*parts), span["label"]))
    return found


def split(documents, spans):
    """List the (document, start, end, label) of what tokens leave of spans, as dictionaries with fragments."""
    parts = []
    for number, (tokens, row) in enumerate(zip(documents, spans, strict=True)):
        for span in row:
            pieces = [set(range(*token)) & set(range(*piece)) for piece in span["fragments"] for token in tokens]
            bounds = [(min(piece), max(piece) + 1) for piece in pieces if piece]
            last = max(end for _, end in span["fragments"])
            parts += [(number, *each, span["label"]) for each in bounds or [(last - 1, last)]]
    return parts

"""One document read under one repair policy, token by token; only the names of actions are those of the package."""

_RENAMED = {"BILOU": {"L": "E", "U": "S"}, "BMES": {"M": "I"}}


def read(tags, scheme, policy):
    """The set of (label, start, end) that a reader makes of tags.

    `policy` maps a place (`B`, `I alone`, `I other`, `O`, `E alone`, `E other`, `S`, `end`) to the name of an action.
    For IOB2 only `I alone` and `I other` are asked for.
    """
    spans = set()
    span = None  # label and start of the open span

    def close(end):
        spans.add((span[0], span[1], end))

    for position, tag in enumerate(tags):
        prefix, _, label = tag.partition("-")
        prefix = _RENAMED.get(scheme, {}).get(prefix, prefix)
        if prefix == "O":
            if span is None:
                continue
            action = "close" if scheme == "IOB2" else policy["O"]
            if action == "close":
                close(position)
            if action != "absorb":
                span = None
        elif prefix in ("B", "S"):
            action = "close"
            if span is not None and scheme != "IOB2":
                action = policy[prefix]
            if span is not None and action == "absorb":
                continue
            if span is not None and action == "close":
                close(position)
            span = (label, position) if prefix == "B" else None
            if prefix == "S":
                spans.add((label, position, position + 1))
        elif prefix == "I":
            if span is None:
                if policy["I alone"] == "open":
                    span = (label, position)
            elif span[0] != label:
                action = policy["I other"]
                if action == "absorb":
                    continue
                if action == "relabel":
                    span = (label, span[1])
                    continue
                first, then = action.split("+")
                if first == "close":
                    close(position)
                span = (label, position) if then == "open" else None
        elif prefix == "E":
            if span is None:
                if policy["E alone"] == "single":
                    spans.add((label, position, position + 1))
            elif span[0] == label:
                close(position + 1)
                span = None
            else:
                action = policy["E other"]
                if action == "end":
                    close(position + 1)
                elif action == "end relabelled":
                    spans.add((label, span[1], position + 1))
                else:
                    first, then = action.split("+")
                    if first == "close":
                        close(position)
                    if then == "single":
                        spans.add((label, position, position + 1))
                span = None
    if span is not None and (scheme == "IOB2" or policy["end"] == "close"):
        close(len(tags))
    return spans

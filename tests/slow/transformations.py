"""Transformations span by span, on lists of sets of (start, end, label); no code of the package."""


def chosen(document, length, options, may):
    """The spans of a document that are touched, in the order of the text."""
    touched = []
    for span in sorted(document):
        size = span[1] - span[0]
        if size < options.get("shortest", 1) or size > options.get("longest", size):
            continue
        if options.get("alone") and len(document) > 1:
            continue
        if may(span, document, length):
            touched.append(span)
    return touched


def moved(by, condition=lambda span: True):
    """A rule that moves bounds: `by` gives what is added to start and end, and how far the way must be free."""

    def transform(document, length, options):
        def may(span, document, length):
            if not condition(span):
                return False
            start, end = (bound + change for bound, change in zip(span[:2], by(span)[1], strict=True))
            if start < 0 or end > length:
                return False
            entered = set(range(start, end)) - set(range(*span[:2]))
            others = {token for other in document if other != span for token in range(*other[:2])}
            return options.get("overlap", False) or not entered & others

        touched = chosen(document, length, options, may)
        kept = set(document) - set(touched)
        new = {(span[0] + by(span)[0][0], span[1] + by(span)[0][1], span[2]) for span in touched}
        return kept | new, len(touched)

    return transform


def split(document, length, options):
    """Both halves of spans of two tokens and more."""
    touched = chosen(document, length, options, lambda span, *_: span[1] - span[0] > 1)
    halves = set()
    for start, end, label in touched:
        middle = start + (end - start + 1) // 2
        halves |= {(start, middle, label), (middle, end, label)}
    return (set(document) - set(touched)) | halves, len(touched)


def shift(tokens):
    """Towards the end; None leaves one token in common."""

    def way(span):
        step = span[1] - span[0] - 1 if tokens is None else tokens
        return (step, step), (step, step)

    return moved(way, lambda span: span[1] - span[0] > max(1, tokens or 1))


def truncate(tokens, side):
    """At one end."""
    by = (tokens, 0) if side == "start" else (0, -tokens)
    return moved(lambda span: (by, by), lambda span: span[1] - span[0] > tokens)


def extend(tokens, side, room):
    """At one end, where there is room."""
    room = tokens if room is None else room
    by, free = ((-tokens, 0), (-room, 0)) if side == "start" else ((0, tokens), (0, room))
    return moved(lambda span: (by, free))

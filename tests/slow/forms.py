"""Surface forms by brute force: sets of the words and labels of spans, over the whole corpus."""


def form_counts(references, predictions, words, *, match_labels=True):
    """The numbers of right, predicted and reference forms.

    A side is a list of documents, a document a list of spans ``(label, tokens)``; `words` has a list for each document.
    """
    forms = {"both": set(), "predicted": set(), "reference": set()}
    for gold, output, row in zip(references, predictions, words, strict=True):
        sides = [
            {(label if match_labels else "", frozenset(tokens)) for label, tokens in side} for side in (gold, output)
        ]
        named = {"reference": sides[0], "predicted": sides[1], "both": sides[0] & sides[1]}
        for name, spans in named.items():
            forms[name] |= {(label, tuple(row[token] for token in sorted(tokens))) for label, tokens in spans}
    return {name: len(each) for name, each in forms.items()}

"""Files of spaCy's documents."""


def doc_bin(*documents, groups=None):
    """Return the bytes of a DocBin.

    Args:
        documents: text and entities (start, end and label in characters) of each.
        groups: of each document the groups of spans by name.
    """
    import spacy
    from spacy.tokens import DocBin

    nlp, found = spacy.blank("en"), DocBin()
    for number, (text, entities) in enumerate(documents):
        doc = nlp.make_doc(text)
        doc.set_ents([doc.char_span(*entity) for entity in entities])
        for name, spans in (groups[number] if groups else {}).items():
            doc.spans[name] = [doc.char_span(*span) for span in spans]
        found.add(doc)
    return found.to_bytes()

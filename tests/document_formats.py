"""Documents with spans, and how they are written in every format, without the package."""

import csv
import io
import json
from xml.sax.saxutils import escape


class Document:
    """Words and spans of tokens, and where they are in a text."""

    def __init__(self, name, words, spans):
        self.name, self.words, self.spans = name, words, spans
        self.text = " ".join(words)
        self.start = [sum(len(word) + 1 for word in words[:place]) for place in range(len(words))]
        self.end = [start + len(word) for start, word in zip(self.start, words, strict=True)]

    @property
    def tags(self):
        row = ["O"] * len(self.words)
        for start, end, label in self.spans:
            row[start:end] = [f"B-{label}", *[f"I-{label}"] * (end - start - 1)]
        return row

    def characters(self, unit="utf-32-le", size=4):
        """Spans in a unit, and what they cover."""

        def place(offset):
            return len(self.text[:offset].encode(unit)) // size

        bounds = [(self.start[start], self.end[end - 1], label) for start, end, label in self.spans]
        return [(place(start), place(end), label, self.text[start:end]) for start, end, label in bounds]

    @property
    def utf_16(self):
        return self.characters("utf-16-le", 2)


def columns(documents):
    return "\n".join("".join(f"{w} {t}\n" for w, t in zip(d.words, d.tags, strict=True)) for d in documents)


def lines(make):
    return lambda documents: "".join(json.dumps(make(d), ensure_ascii=False) + "\n" for d in documents)


def array(make):
    return lambda documents: json.dumps([make(d) for d in documents], ensure_ascii=False)


def dicts(rows, *keys):
    return [dict(zip(keys, row, strict=False)) for row in rows]


BOUNDS = ("start", "end", "label", "text")


def label_studio(d):
    values = [{"start": s, "end": e, "text": t, "labels": [label]} for s, e, label, t in d.characters()]
    results = [{"type": "labels", "from_name": "label", "to_name": "text", "value": value} for value in values]
    annotations = [{"completed_by": 1, "was_cancelled": False, "result": results}]
    return {"id": d.name, "data": {"text": d.text}, "annotations": annotations}


def prodigy(d):
    tokens = dicts(zip(d.start, d.end, d.words, strict=True), "start", "end", "text")
    spans = dicts(d.characters(), *BOUNDS)
    return {"text": d.text, "_input_hash": d.name, "tokens": tokens, "spans": spans, "answer": "accept"}


def pubtator(documents):
    parts = []
    for d in documents:
        title, _, abstract = d.text.partition(" ")
        spans = "".join(f"{d.name}\t{s}\t{e}\t{text}\t{label}\n" for s, e, label, text in d.characters())
        parts.append(f"{d.name}|t|{title}\n{d.name}|a|{abstract}\n{spans}\n")
    return "".join(parts)


def bioc(documents):
    return json.dumps({"documents": [bioc_document(d) for d in documents]}, ensure_ascii=False)


def bioc_document(d):
    annotations = [
        {"infons": {"type": label}, "text": text, "locations": [{"offset": s, "length": e - s}]}
        for s, e, label, text in d.characters()
    ]
    return {"id": d.name, "passages": [{"offset": 0, "text": d.text, "annotations": annotations}]}


def bioc_xml(documents):
    parts = []
    for d in documents:
        annotations = "".join(
            f'<annotation id="{n}"><infon key="type">{label}</infon><location offset="{s}" length="{e - s}"/>'
            f"<text>{escape(text)}</text></annotation>"
            for n, (s, e, label, text) in enumerate(d.characters())
        )
        passage = f"<passage><offset>0</offset><text>{escape(d.text)}</text>{annotations}</passage>"
        parts.append(f"<document><id>{d.name}</id>{passage}</document>")
    return f"<collection><source/><date/><key/>{''.join(parts)}</collection>"


def conllu(documents):
    parts = []
    for d in documents:
        rows = [
            "\t".join([str(n), word, *["_"] * 4, "0", "root", "_", f"name={tag}"])
            for n, (word, tag) in enumerate(zip(d.words, d.tags, strict=True), 1)
        ]
        parts.append("\n".join([f"# newdoc id = {d.name}", *rows]) + "\n\n")
    return "".join(parts)


def markup(documents):
    texts = []
    for d in documents:
        text = d.text
        for start, end, label, covered in reversed(d.characters()):
            text = f"{text[:start]}[{covered}]({label}){text[end:]}"
        texts.append(text + "\n")
    return "".join(texts)


def span_table(documents):
    out = io.StringIO()
    table = csv.writer(out)
    table.writerow(["document", "start", "end", "label"])
    for d in documents:
        table.writerows([d.name, *span[:3]] for span in d.characters() or [("", "", "")])
    return out.getvalue()


# what makes the text of a file, and the options of reading it
WRITERS = {
    "columns": (columns, {}),
    "jsonl": (lines(lambda d: {"tokens": d.words, "tags": d.tags}), {}),
    "jsonl of texts": (lines(lambda d: {"id": d.name, "text": d.text, "spans": dicts(d.characters(), *BOUNDS)}), {}),
    "jsonl of tokens": (
        lines(lambda d: {"id": d.name, "tokens": d.words, "unit": "token", "spans": dicts(d.spans, *BOUNDS[:3])}),
        {},
    ),
    "doccano": (
        lines(lambda d: {"id": d.name, "text": d.text, "label": [s[:3] for s in d.utf_16], "Comments": []}),
        {"offset_unit": "utf-16"},
    ),
    "doccano with relations": (
        lines(
            lambda d: {
                "id": d.name,
                "text": d.text,
                "entities": dicts([(*s[:3], 1) for s in d.utf_16], "start_offset", "end_offset", "label", "id"),
                "relations": [],
            }
        ),
        {"offset_unit": "utf-16"},
    ),
    "label_studio": (array(label_studio), {}),
    "prodigy": (lines(prodigy), {}),
    "system": (array(lambda d: dicts([(*s, 0.5) for s in d.characters()], *BOUNDS, "score")), {"format": "system"}),
    "conllu": (conllu, {}),
    "pubtator": (pubtator, {}),
    "bioc": (bioc, {}),
    "bioc in XML": (bioc_xml, {}),
    "markup": (markup, {"format": "markup"}),
    "gliner": (lines(lambda d: {"tokenized_text": d.words, "ner": [[s, e - 1, la] for s, e, la in d.spans]}), {}),
    "spacy_json": (array(lambda d: [d.text, {"entities": [s[:3] for s in d.characters()]}]), {"format": "spacy_json"}),
    "span_table": (span_table, {}),
}


def webanno(d):
    numbered = {start: (number, span) for number, span in enumerate(d.spans, 1) for start in range(*span[:2])}
    rows = ["#FORMAT=WebAnno TSV 3.3", "#T_SP=a.Span|value", "", "", f"#Text={d.text}"]
    units = [len(d.text[:place].encode("utf-16-le")) // 2 for place in range(len(d.text) + 1)]
    for place, word in enumerate(d.words):
        number, span = numbered.get(place, (0, None))
        cell = "_" if span is None else f"{span[2]}[{number}]"
        rows.append(f"1-{place + 1}\t{units[d.start[place]]}-{units[d.end[place]]}\t{word}\t{cell}\t")
    return "\n".join(rows) + "\n"


def brat(folder, documents):
    """Write a folder with a text and its annotation for each document."""
    folder.mkdir()
    for d in documents:
        name = d.name.zfill(4)
        (folder / f"{name}.txt").write_text(d.text, encoding="utf-8", newline="")
        rows = [f"T{n}\t{label} {s} {e}\t{text}\n" for n, (s, e, label, text) in enumerate(d.characters(), 1)]
        (folder / f"{name}.ann").write_text("".join(rows), encoding="utf-8")

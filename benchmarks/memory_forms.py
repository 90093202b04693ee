"""The files for `file_memory.py`: random documents, in every form that can be read."""

from __future__ import annotations

import json
import random
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import count, islice
from pathlib import Path
from xml.sax.saxutils import escape

DISTINCT = 5000
"""The number of distinct documents, which are repeated until a file is large enough."""

TOGETHER = 20
"""For formats with a file or an element for each document, the number of random documents that form one document."""

LABELS = ("PER", "LOC", "ORG", "PROD", "WORK", "TIME")
Document = tuple[list[str], list[tuple[int, int, str]]]
"""The words of a document, and its spans: first token, last token (exclusive), label."""


def documents(side: str) -> list[Document]:
    """Create documents with the same words for all sides; the system lacks some spans and has other labels for some."""
    words, noise = random.Random(0), random.Random(side)
    vocabulary = ["".join(words.choices("aeinrstluodé", k=words.randint(2, 11))) for _ in range(40_000)]
    found = []
    for _ in range(DISTINCT):
        row = [vocabulary[min(int(words.paretovariate(0.6)), len(vocabulary)) - 1] for _ in range(words.randint(8, 35))]
        spans = []
        for start in range(words.randrange(4), len(row) - 3, 7):
            span = (start, start + words.randint(1, 3), words.choice(LABELS))
            kind = noise.random() if side != "gold" else 1.0
            spans += [] if kind < 0.05 else [(*span[:2], noise.choice(LABELS)) if kind < 0.1 else span]
        found.append((row, spans))
    return found


def tags(document: Document) -> list[str]:
    """Return IOB2 tags."""
    words, spans = document
    row = ["O"] * len(words)
    for start, end, label in spans:
        row[start:end] = [f"B-{label}"] + [f"I-{label}"] * (end - start - 1)
    return row


def characters(document: Document) -> tuple[str, list[tuple[int, int]], list[tuple[int, int, str]]]:
    """Return the text, the bounds of its words, and the spans in characters."""
    words, spans = document
    bounds, place = [], 0
    for word in words:
        bounds.append((place, place + len(word)))
        place += len(word) + 1
    return " ".join(words), bounds, [(bounds[start][0], bounds[end - 1][1], label) for start, end, label in spans]


def dicts(spans: list[tuple[int, int, str]], **more: object) -> list[dict[str, object]]:
    return [{"start": start, "end": end, "label": label, **more} for start, end, label in spans]


def row(value: object) -> str:
    return json.dumps(value, ensure_ascii=False) + "\n"


def columns(document: Document, number: int) -> str:
    return "".join(f"{word} {tag}\n" for word, tag in zip(document[0], tags(document), strict=True)) + "\n"


def tag_lines(document: Document, number: int) -> str:
    return row({"tokens": document[0], "tags": tags(document)})


def attributes(document: Document, number: int) -> str:
    # the spans must be the same on both sides: one for each sixth token
    draw = random.Random(f"{document[1]} {number}")
    spans = [(start, start + 2, "SYMP") for start in range(0, len(document[0]) - 2, 6)]
    found = [
        {**span, "attributes": {"negated": draw.random() < 0.5, "certainty": draw.choice(("low", "high"))}}
        for span in dicts(spans)
    ]
    return row({"tokens": document[0], "spans": found})


def trees(document: Document, number: int) -> str:
    entities = [
        {
            "start": start,
            "end": end,
            "types": [label],
            "components": [{"start": start, "end": start + 1, "label": "name"}],
        }
        for start, end, label in document[1]
    ]
    return row({"tokens": document[0], "entities": entities})


def markup(document: Document, number: int) -> str:
    words = list(document[0])
    for start, end, _ in document[1]:
        words[start] = f"<pers.ind> <name> {words[start]}"
        words[end - 1] += " </name> </pers.ind>"
    return " ".join(words) + "\n"


def hipe(document: Document, number: int) -> str:
    head = "TOKEN\tNE-COARSE-LIT\tNE-FINE-LIT\n" if number == 0 else ""
    rows = "".join(f"{word}\t{tag}\t{tag}\n" for word, tag in zip(document[0], tags(document), strict=True))
    return f"{head}# document_id = d{number}\n{rows}\n"


def texts(document: Document, number: int) -> str:
    text, _, spans = characters(document)
    return row({"id": str(number), "text": text, "spans": dicts(spans)})


def nested(document: Document, number: int) -> str:
    """Create 3,000 spans of one label, each inside the previous one; the sides have different ends."""
    draw = random.Random(str(document))
    spans = [(place, 137_000 - 20 * place - draw.randrange(2), "PER") for place in range(3000)]
    return row({"text": "word " * 27_400, "spans": dicts(spans)})


def tokens(document: Document, number: int) -> str:
    return row({"id": str(number), "unit": "token", "tokens": document[0], "spans": dicts(document[1])})


def doccano(document: Document, number: int) -> str:
    text, _, spans = characters(document)
    return row({"id": number, "text": text, "label": spans})


def prodigy(document: Document, number: int) -> str:
    text, bounds, spans = characters(document)
    found = [{"text": text[start:end], "start": start, "end": end, "id": at} for at, (start, end) in enumerate(bounds)]
    hashes = {"_input_hash": number, "_task_hash": number, "answer": "accept"}
    return row({"text": text, **hashes, "tokens": found, "spans": dicts(spans)})


def label_studio(document: Document, number: int) -> str:
    text, _, spans = characters(document)
    result = [
        {
            "from_name": "label",
            "to_name": "text",
            "type": "labels",
            "value": {"start": start, "end": end, "text": text[start:end], "labels": [label]},
        }
        for start, end, label in spans
    ]
    task = {"id": number, "data": {"text": text}, "annotations": [{"id": number, "result": result}]}
    return ("[" if number == 0 else ",") + row(task)


def pubtator(document: Document, number: int) -> str:
    text, _, spans = characters(document)
    rows = "".join(f"{number}\t{start}\t{end}\t{text[start:end]}\t{label}\n" for start, end, label in spans)
    return f"{number}|t|{text}\n{number}|a|\n{rows}\n"


def together(documents: Sequence[Document]) -> tuple[str, list[tuple[int, int]], list[tuple[int, int, str]]]:
    """Return the text of several documents, one on each line, with word boundaries and spans in characters."""
    lines: list[str] = []
    bounds, spans, place = [], [], 0
    for document in documents:
        text, of_words, of_spans = characters(document)
        bounds += [(place + start, place + end) for start, end in of_words]
        spans += [(place + start, place + end, label) for start, end, label in of_spans]
        lines.append(text)
        place += len(text) + 1
    return "\n".join(lines), bounds, spans


def bioc_passages(documents: Sequence[Document]) -> Iterator[tuple[int, str, list[tuple[int, int, str]]]]:
    place = 0
    for document in documents:
        text, _, spans = characters(document)
        yield place, text, [(place + start, place + end, label) for start, end, label in spans]
        place += len(text) + 1


def bioc_json(documents: Sequence[Document], number: int) -> str:
    passages = [
        {
            "offset": place,
            "infons": {"type": "paragraph"},
            "text": text,
            "annotations": [
                {
                    "id": str(at),
                    "infons": {"type": label},
                    "text": text[start - place : end - place],
                    "locations": [{"offset": start, "length": end - start}],
                }
                for at, (start, end, label) in enumerate(spans)
            ],
        }
        for place, text, spans in bioc_passages(documents)
    ]
    return ("" if number == 0 else ",") + row({"id": str(number), "passages": passages})


def bioc_xml(documents: Sequence[Document], number: int) -> str:
    parts = [f"<document><id>{number}</id>\n"]
    for place, text, spans in bioc_passages(documents):
        parts.append(f"<passage><offset>{place}</offset><text>{escape(text)}</text>\n")
        for at, (start, end, label) in enumerate(spans):
            parts.append(
                f'<annotation id="{at}"><infon key="type">{label}</infon><location offset="{start}" '
                f'length="{end - start}"/><text>{escape(text[start - place : end - place])}</text></annotation>\n'
            )
        parts.append("</passage>\n")
    return "".join([*parts, "</document>\n"])


class WebAnno:
    """Writes one document in pieces; offsets and numbers continue."""

    def __init__(self) -> None:
        self.place = self.sentences = self.spans = 0

    def __call__(self, documents: Sequence[Document], number: int) -> str:
        """Return the next piece: some sentences."""
        parts = ["#FORMAT=WebAnno TSV 3.3\n#T_SP=webanno.custom.Entity|value\n\n"] if not self.sentences else []
        for document in documents:
            text, bounds, _ = characters(document)
            parts.append(f"\n#Text={text}\n")
            self.sentences += 1
            values = ["_"] * len(bounds)
            for start, end, label in document[1]:
                self.spans += 1
                values[start:end] = [f"{label}[{self.spans}]"] * (end - start)
            for token, ((start, end), value) in enumerate(zip(bounds, values, strict=True), 1):
                offsets = f"{self.place + start}-{self.place + end}"
                parts.append(f"{self.sentences}-{token}\t{offsets}\t{text[start:end]}\t{value}\t\n")
            self.place += len(text) + 1
        return "".join(parts)


def inception(documents: Sequence[Document], number: int) -> dict[str, str]:
    return {f"annotation/d{number}.txt/ann.tsv": WebAnno()(documents, 0)}


class Brat:
    """Writes one document in pieces: its annotations and its text."""

    def __init__(self) -> None:
        self.place = self.spans = 0

    def __call__(self, documents: Sequence[Document], number: int) -> tuple[str, str]:
        """Return the next piece: lines of annotations, and of text."""
        text, _, spans = together(documents)
        rows = []
        for start, end, label in spans:
            self.spans += 1
            rows.append(f"T{self.spans}\t{label} {self.place + start} {self.place + end}\t{text[start:end]}\n")
        self.place += len(text) + 1
        return "".join(rows), f"{text}\n"


def brat_files(documents: Sequence[Document], number: int) -> dict[str, str]:
    rows, text = Brat()(documents, 0)
    return {f"d{number}.ann": rows, f"d{number}.txt": text}


def conllu(document: Document, number: int) -> str:
    rows = "".join(
        f"{token}\t{word}" + "\t_" * 7 + f"\tname={tag}\n"
        for token, (word, tag) in enumerate(zip(document[0], tags(document), strict=True), 1)
    )
    return f"# sent_id = s{number}\n{rows}\n"


def spacy_json(document: Document, number: int) -> str:
    text, bounds, spans = characters(document)
    found = [{"id": at, "start": start, "end": end} for at, (start, end) in enumerate(bounds)]
    return row({"text": text, "ents": dicts(spans), "tokens": found})


def spacy_2(document: Document, number: int) -> str:
    found = [
        {"id": at, "orth": word, "ner": tag}
        for at, (word, tag) in enumerate(zip(document[0], biluo(document), strict=True))
    ]
    one = {"id": number, "paragraphs": [{"raw": " ".join(document[0]), "sentences": [{"tokens": found}]}]}
    return ("[" if number == 0 else ",") + row(one)


def biluo(document: Document) -> list[str]:
    words, spans = document
    found = ["O"] * len(words)
    for start, end, label in spans:
        inside = [f"B-{label}", *[f"I-{label}"] * (end - start - 2), f"L-{label}"]
        found[start:end] = inside if end - start > 1 else [f"U-{label}"]
    return found


def gliner(document: Document, number: int) -> str:
    return row({"tokenized_text": document[0], "ner": [[start, end - 1, label] for start, end, label in document[1]]})


def answers(document: Document, number: int) -> str:
    text, _, spans = characters(document)
    listed = [{"text": text[start:end], "label": label} for start, end, label in spans]
    return row({"id": str(number), "text": text, "answer": json.dumps(listed, ensure_ascii=False)})


def csv(document: Document, number: int) -> str:
    head = "sentence,token,tag\n" if number == 0 else ""
    return head + "".join(f"{number},{word},{tag}\n" for word, tag in zip(document[0], tags(document), strict=True))


def span_table(document: Document, number: int) -> str:
    head = "document,start,end,label,text\n" if number == 0 else ""
    text, _, spans = characters(document)
    rows = [f"{number},{start},{end},{label},{text[start:end]}\n" for start, end, label in spans]
    return head + "".join(rows or [f"{number},,,,\n"])


def doc_bin(documents: Sequence[Document]) -> bytes:
    """Return a DocBin of spaCy with these documents."""
    from spacy.tokens import Doc, DocBin, Span
    from spacy.vocab import Vocab

    vocab, found = Vocab(), DocBin()
    for words, spans in documents:
        doc = Doc(vocab, words)
        doc.set_ents([Span(doc, start, end, label) for start, end, label in spans])
        found.add(doc)
    return found.to_bytes()


@dataclass(frozen=True)
class Form:
    """How files of one form are written.

    Attributes:
        ending: the extension of the file.
        write: a function that returns the text for a document, or for several that form one document (see `together`).
            If the form is a folder, it returns the texts of files by name. It can be a class with an object for each
            file.
        first, last: the beginning and the end of the file.
        together: the number of random documents that form one document.
        gold: the form of the reference, if it is different.
        beside: the extension of a second file with the texts, which `write` returns too.
        size: the size of the larger file, if it differs from that of other forms.
    """

    ending: str
    write: Callable[..., str | tuple[str, str] | dict[str, str]]
    first: str = ""
    last: str = ""
    together: int = 1
    gold: str = ""
    beside: str = ""
    size: int | None = None


FORMS: dict[str, Form] = {
    "columns": Form(".conll", columns),
    "tag lines": Form(".tags.jsonl", tag_lines),
    "attributes": Form(".attributes.jsonl", attributes),
    "trees": Form(".trees.jsonl", trees),
    "markup": Form(".quaero.txt", markup),
    "HIPE": Form(".hipe.tsv", hipe),
    "texts": Form(".texts.jsonl", texts),
    "nested spans": Form(".nested.jsonl", nested, size=1),
    "tokens": Form(".tokens.jsonl", tokens),
    "Doccano": Form(".doccano.jsonl", doccano),
    "Prodigy": Form(".prodigy.jsonl", prodigy),
    "Label Studio": Form(".label_studio.json", label_studio, last="]\n"),
    "PubTator": Form(".pubtator.txt", pubtator),
    "BioC JSON": Form(".bioc.json", bioc_json, '{"documents": [', "]}\n", TOGETHER),
    "BioC XML": Form(".bioc.xml", bioc_xml, "<collection><source/>\n", "</collection>\n", TOGETHER),
    "CoNLL-U": Form(".conllu", conllu),
    "spaCy JSON": Form(".spacy.jsonl", spacy_json),
    "spaCy 2 JSON": Form(".spacy2.json", spacy_2, last="]\n"),
    "spaCy DocBin": Form(".spacy", doc_bin),
    "GLiNER": Form(".gliner.jsonl", gliner),
    "CSV": Form(".csv", csv),
    "span table": Form(".spans.csv", span_table, gold="texts"),
    "two span tables": Form(".spans.csv", span_table),
    "answers": Form(".answers.jsonl", answers, gold="texts"),
    "brat, a folder": Form("_brat", brat_files, together=TOGETHER),
    "brat, one document": Form(".ann", Brat, together=TOGETHER, beside=".txt"),
    "WebAnno TSV": Form(".tsv", WebAnno, together=TOGETHER),
    "INCEpTION, a project": Form("_inception", inception, together=TOGETHER),
}


def written(folder: Path, name: str, size: int, sides: Sequence[str]) -> dict[str, Path]:
    """Write the sides of a form with equally many documents, the first in about this size; returns their paths."""
    form, paths = FORMS[name], {}
    length = None
    for side in sides:
        mine = FORMS[form.gold] if side == "gold" and form.gold else form
        paths[side] = folder / f"{side}{mine.ending}"
        if mine.write is doc_bin:
            # about 2,700 bytes each, unpacked
            paths[side].write_bytes(doc_bin([one for _, one in islice(repeated(documents(side)), size // 2700)]))
        else:
            length = written_side(paths[side], mine, side, form.size or size, length)
    return paths


def written_side(path: Path, form: Form, side: str, size: int, length: int | None) -> int:
    """Write a file or folder with this number of documents, or of this size; returns the number of documents."""
    made = repeated(documents(side))
    write = form.write() if isinstance(form.write, type) else form.write
    names = [path] if form.ending.startswith(".") else []
    names += [path.with_suffix(form.beside)] if form.beside else []
    done = number = 0
    with ExitStack() as opened:
        files = [opened.enter_context(name.open("w", encoding="utf-8")) for name in names]
        while number < length if length is not None else done < size:
            some = [document for _, document in islice(made, form.together)]
            found = write(some if form.together > 1 else some[0], number)
            if isinstance(found, dict):
                for name, text in found.items():
                    (path / name).parent.mkdir(parents=True, exist_ok=True)
                    done += (path / name).write_text(text, encoding="utf-8")
            else:
                for file, text in zip(files, [found] if isinstance(found, str) else found, strict=True):
                    done += file.write((form.first if number == 0 else "") + text)
            number += 1
        for file in files:
            file.write(form.last)
    return number


def repeated(made: list[Document]) -> Iterator[tuple[int, Document]]:
    for number in count():
        yield number, made[number % len(made)]


def word_list(path: Path, size: int) -> None:
    """Write probabilities of words: the words of the documents, and as many others as this size needs."""
    known = sorted({word for words, _ in documents("gold") for word in words})
    with open(path, "w", encoding="utf-8") as file:
        done = 0
        for number, word in enumerate([*known, *(f"w{number:x}" for number in range(size // 12))]):
            done += file.write(f"{word}\t{number % 977 + 1}\n")
            if done >= size:
                return


def plain_size(path: Path) -> int:
    """Return the unpacked size of a file, or of all files of a folder, including brat's text files."""
    if path.is_dir():
        return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
    if path.suffix == ".spacy":
        return len(zlib.decompress(path.read_bytes()))
    beside = path.with_suffix(".txt")
    return path.stat().st_size + (beside.stat().st_size if path.suffix == ".ann" else 0)

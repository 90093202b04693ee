"""Small releases of corpora, and what tests of their loaders share."""

import io
import tarfile
import zipfile

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from datasets import ClassLabel, Features, List, Value

from spanometer.exceptions import InputError

DEV = (
    "# id a-1\tdomain=dev\nlyonne _ _ O\nel _ _ O\nsega _ _ B-CW\ngame _ _ I-CW\n\n"
    "# id a-2\tdomain=dev\nabc _ _ B-CORP\n# _ _ O\n\n"
)

TRAIN = "# id b-1\tdomain=train\nroma _ _ B-LOC\n\n"
FINE = "# id c-1\tdomain=es\nroma _ _ B-HumanSettlement\nibuprofeno _ _ B-Medication/Vaccine\nok _ _ O\n\n"

# by hand: two documents, "U.N." beside "Ekeus"; "Ada" beside "Bob" of the same label
IOB1 = (
    "-DOCSTART- -X- O O\n\nU.N. NNP I-NP I-ORG\nofficial NN I-NP O\nEkeus NNP I-NP I-PER\nheads VBZ I-VP O\n. . O O\n\n"
    "-DOCSTART- -X- O O\n\nAda NNP I-NP I-PER\nBob NNP B-NP B-PER\nSmith NNP I-NP I-PER\n\nRome NNP I-NP I-LOC\n\n"
)

IOB2 = (
    "-DOCSTART- -X- -X- O\n\nU.N. NNP B-NP B-ORG\nofficial NN I-NP O\nEkeus NNP I-NP B-PER\nheads VBZ B-VP O\n. . O O\n"
    "\n-DOCSTART- -X- -X- O\n\nAda NNP B-NP B-PER\nBob NNP B-NP B-PER\nSmith NNP I-NP I-PER\n\nRome NNP B-NP B-LOC\n\n"
)

HIPE = (
    "TOKEN\tNE-COARSE-LIT\tNE-FINE-LIT\tNE-FINE-COMP\n# language = fr\n# newspaper = EXP\n# date = 1798-01-04\n"
    "# document_id = one\nle\tO\tO\tO\nDr\tB-pers\tB-pers.ind\tB-comp.title\nMain\tI-pers\tI-pers.ind\tO\n"
    "# hipe:language = de\n# date = 1800-01-01\n# document_id = two\nici\tO\tO\tO\n"
)


def packed(folder, kind, path):
    """An archive of a folder."""
    if kind == "zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for file in folder.rglob("*"):
                archive.write(file, file.relative_to(folder))
    else:
        with tarfile.open(path, f"w:{kind}") as archive:
            archive.add(folder, ".")
    return path


def names_of(dataset, column="ner_tags"):
    """The tags of a dataset as strings."""
    names = dataset.features[column].feature.names
    return [[names[code] for code in row[column]] for row in dataset]


def refused(function, *arguments, **options):
    with pytest.raises(InputError) as caught:
        function(*arguments, **options)
    return caught.value


def exhaust(*arguments, **options):
    """Load with streaming, and iterate to the end."""
    loader, *rest = arguments
    return list(loader(*rest, streaming=True, **options))


def parquet(columns, features):
    content = io.BytesIO()
    pq.write_table(pa.table(columns, schema=Features(features).arrow_schema), content)
    return content.getvalue()


def conll_parquet():
    """A file with other codes than ours, of which the names must be followed."""
    return parquet(
        {
            "id": ["0", "1"],
            "tokens": [["Ada", "Bob"], ["slept"]],
            "pos_tags": [[1, 1], [0]],
            "chunk_tags": [[1, 2], [0]],
            "ner_tags": [[2, 2], [0]],
        },
        {
            "id": Value("string"),
            "tokens": List(Value("string")),
            "pos_tags": List(ClassLabel(names=["VBD", "NNP"])),
            "chunk_tags": List(ClassLabel(names=["O", "B-NP", "I-NP"])),
            "ner_tags": List(ClassLabel(names=["O", "B-ORG", "B-PER"])),
        },
    )


def fine_parquet():
    return parquet(
        {"id": ["0"], "sample_id": ["c-1"], "tokens": [["roma"]], "ner_tags": [["B-HumanSettlement"]]},
        {
            "id": Value("string"),
            "sample_id": Value("string"),
            "tokens": List(Value("string")),
            "ner_tags": List(Value("string")),
        },
    )

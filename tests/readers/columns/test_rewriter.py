"""Files written again: other tags, the same bytes around them."""

import gzip
import io
import itertools
import json
import random

import pytest

from random_tags import legal_corpus, random_corpus
from spanometer import InputError, Spans
from spanometer.readers import Rewriter, Source, read, source
from spanometer.spans.conversion import convert_tags, repair_tags
from spanometer.tags.schemes import SCHEMES


def rewritten(content, change, columns=(None,), **options):
    """The bytes of a file whose tags a function changes."""
    file = read(io.BytesIO(content), columns=columns, **options)
    rewriting = Rewriter(file, [change(tags) for tags in file.tags], outside=options.get("outside"))
    with Source.open(io.BytesIO(content), "again", None) as opened:
        text = b"".join(rewriting.blocks(opened))
        return gzip.compress(text) if opened.packed else text


def convert(content, to, scheme, **options):
    return rewritten(content, lambda tags: convert_tags(tags, to=to, scheme=scheme), **options)


def tag_only(documents, generator):
    """A template of a file with `{}` for each tag, and how it is to be read."""
    template = "".join("{}\n" * len(document) + "\n" * generator.choice((1, 1, 3)) for document in documents)
    return template, {}


def blanks(documents, generator):
    parts = ["# text = {{a}}\n"]
    for document in documents:
        parts.append(generator.choice(["# id = 1\n", "-DOCSTART- O O\n\n", ""]))
        for _ in document:
            # the first row says whether tabs count
            rows = ["w{{é}} {} O\n", "B-A {}  X\n", "  O \t{}   B-A  \n", "# {}  I-A\n"]
            parts.append(generator.choice(rows[:2] if len(parts) < 3 else rows))
        parts.append(generator.choice(["\n", " \t \n", "\n\n\n"]))
    return "".join(parts), {"columns": [2]}


def tabs(documents, generator):
    parts = ["form\tner\tother\n"]
    for document in documents:
        parts += [generator.choice(["two words\t{}\t\n", "\t {} \tO\n", "O\t{}\tB-A\n"]) for _ in document]
        parts.append("\n")
    return "".join(parts), {"columns": ["ner"]}


def objects(documents, generator):
    lines = []
    for document in documents:
        tags = generator.choice([",", " , "]).join(['"{}"'] * len(document))
        lines.append(
            generator.choice(
                [
                    f'{{{{"tokens": ["\\u0436", 1e5], "tags" :[{tags}]}}}}',
                    f' {{{{ "a\\"tags": {{{{"tags": ["B-A"]}}}}, "tags": [ {tags} ], "n": 1.50, "o": [] }}}} ',
                ]
            )
        )
        lines += generator.choice([[], [""], ["  "]])
    return "\n".join(lines) + "\n", {"format": "jsonl"}


def lists(documents, generator):
    template = "".join('["' + '", "'.join("{}" for _ in document) + '"]\n' for document in documents)
    return template, {"format": "jsonl"}


FORMS = [tag_only, blanks, tabs, objects, lists]


def plain(text):
    return text.encode()


VARIANTS = {
    "plain": plain,
    "CRLF": lambda text: text.replace("\n", "\r\n").encode(),
    "BOM": lambda text: b"\xef\xbb\xbf" + text.encode(),
    "no end": lambda text: text.rstrip("\n").encode(),
    "CRLF, no end": lambda text: text.rstrip("\n").replace("\n", "\r\n").encode(),
}


def filled(template, documents):
    return template.format(*itertools.chain.from_iterable(documents))


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
@pytest.mark.parametrize(("scheme", "policy"), [("IOB2", "conlleval"), ("IOBES", "discard"), ("BMES", "bes")])
def test_only_the_tags_change(form, variant, scheme, policy, monkeypatch):
    generator = random.Random(f"{form.__name__} {variant} {scheme}")
    sizes = generator.sample((5, 64, 1 << 20), 3)
    for to, block_size in zip((scheme, "IOE1", "BILOU"), sizes, strict=True):
        monkeypatch.setattr(source, "BLOCK_SIZE", block_size)
        documents = [tags for tags in random_corpus(generator.random(), scheme, documents=15) if tags]
        template, options = form(documents, generator)
        written = Spans.from_tags(documents, scheme=scheme, repair=policy).to_tags(to)
        content, expected = (VARIANTS[variant](filled(template, tags)) for tags in (documents, written))

        def change(tags, to=to):
            return repair_tags(tags, repair=policy, scheme=scheme, to=to)

        assert rewritten(content, change, **options) == expected
    packed = rewritten(gzip.compress(content), change, **options)
    assert packed[:2] == b"\x1f\x8b"
    assert gzip.decompress(packed) == expected


@pytest.mark.parametrize(
    ("first", "second", "form"),
    [(*pair, FORMS[number % len(FORMS)]) for number, pair in enumerate(itertools.permutations(SCHEMES, 2))],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_round_trips_lose_nothing(first, second, form):
    generator = random.Random(f"{first} {second} {form.__name__}")
    documents = legal_corpus(generator, first, adjacent="IO" not in (first, second))
    template, options = form(documents, generator)
    content = VARIANTS[generator.choice(list(VARIANTS))](filled(template, documents))
    there = convert(content, second, first, **options)
    expected = Spans.from_tags(documents, scheme=first, repair="raise")
    tags = read(io.BytesIO(there), **options).tags[0]
    assert Spans.from_tags(tags, scheme=second, repair="raise").to_dicts() == expected.to_dicts()
    assert convert(there, first, second, **options) == content


def test_several_columns(monkeypatch):
    monkeypatch.setattr(source, "BLOCK_SIZE", 9)
    content = b"a B-X O B-Y\nb I-X B-X O\n\nc O O I-Z\n"
    columns = [4, 2]
    expected = b"a B-X O S-Y\nb E-X B-X O\n\nc O O S-Z\n"
    change = lambda tags: repair_tags(tags, repair="conlleval", scheme="IOB2", to="IOBES")  # noqa: E731
    assert rewritten(content, change, columns) == expected
    lines = b'{"a": ["B-X"], "b": ["I-X"]}\n'
    assert rewritten(lines, change, ["b", "a"], format="jsonl") == b'{"a": ["S-X"], "b": ["S-X"]}\n'


def test_outside_keeps_its_name():
    content = b"a\t_\nb\tI-X\nc\tO\nd\tB-X\n"
    change = lambda tags: repair_tags(tags, repair="discard", scheme="IOB2", to="IOBES")  # noqa: E731
    assert rewritten(content, change, outside="_") == b"a\t_\nb\t_\nc\tO\nd\tS-X\n"


def test_letters_stay_escapes_where_they_are():
    raw, escaped = '["B-\u0436", "I-\u0436"]\n'.encode(), b'["B-\\u0436", "I-\\u0436"]\n'
    assert convert(raw, "IOBES", "IOB2") == '["B-\u0436", "E-\u0436"]\n'.encode()
    assert convert(escaped, "IOBES", "IOB2") == b'["B-\\u0436", "E-\\u0436"]\n'
    assert convert(b'["\\u0042-X"]\n\n', "IOBES", "IOB2") == b'["S-X"]\n\n'


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a B-X\nb I-X\n", "a B-X\nb I-Y\n"),
        ("a B-X\nb I-X\n", "a B-X\nb\n"),
        ("a\tB-X\nb\tI-X\n", "a\nb\n"),
        ('["B-X", "I-X"]\n', '["B-X"]\n'),
        ('["B-X", "I-X"]\n', '{"tags": "B-X"}\n'),
        ('["B-X", "I-X"]\n', '["B-X", "O"]\n'),
        ('["B-X", "I-X"]\n', '{"other": ["B-X", "I-X"]}\n'),
        ('["B-X", "I-X"]\n', "nothing\n"),
    ],
)
def test_a_file_that_changes_between_the_readings(before, after):
    file = read(io.BytesIO(before.encode()), name="it")
    rewriting = Rewriter(file, [convert_tags(file.tags[0], to="IOBES")])
    with (
        Source.open(io.BytesIO(after.encode()), "it", None) as opened,
        pytest.raises(InputError, match="it: the file was changed while it was read"),
    ):
        list(rewriting.blocks(opened))


def test_a_file_of_json_is_scanned_in_linear_time(tmp_path):
    # one long line, many keys before the one that counts
    row = {**{f"key {number}": ["x"] for number in range(20_000)}, "tags": ["B-A"] * 20_000}
    content = (json.dumps(row) + "\n").encode()
    assert convert(content, "IOBES", "IOB2").count(b'"S-A"') == 20_000

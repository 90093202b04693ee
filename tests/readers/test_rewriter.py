"""Files written again: other tags, the same bytes around them, and never half a file."""

import gzip
import io
import itertools
import json
import os
import random
import stat

import numpy as np
import pytest

from random_tags import random_corpus
from slow import decoding as slow
from spanometer import InputError, Spans
from spanometer.readers import Rewriter, Source, read, source, tag_lists
from spanometer.readers.logits import read_logits
from spanometer.readers.output import creating, packing, replacing
from spanometer.spans.conversion import changed_tokens, convert_tags, repair_tags
from spanometer.tags.decoding import illegal_pairs
from spanometer.tags.schemes import SCHEMES, get_scheme
from spanometer.tags.tags import Tags
from spanometer.tags.validation import Validation, policies_of

ALLOWED = [(scheme, policy) for scheme in SCHEMES for policy in policies_of(get_scheme(scheme))]


def legal_corpus(generator, scheme, *, adjacent=True, documents=12):
    """Legal tags of random spans; without `adjacent` none that stand side by side with one label."""
    rows, lengths = [], []
    for _ in range(documents):
        spans, at = [], 0
        length = generator.choice((1, 2, 3, 6, 10))
        while at < length:
            size = min(generator.choice((1, 1, 2, 3)), length - at)
            label = generator.choice(("A", "B-C", "ж"))
            beside = spans and spans[-1]["end"] == at and spans[-1]["label"] == label
            if generator.random() < 0.6 and (adjacent or not beside):
                spans.append({"start": at, "end": at + size, "label": label})
            at += size
        rows.append(spans)
        lengths.append(length)
    return Spans.from_dicts(rows, lengths=lengths).to_tags(scheme)


def rewritten(content, change, columns=(None,), **options):
    """The bytes of a file whose tags a function changes."""
    file = read(io.BytesIO(content), columns=columns, **options)
    rewriting = Rewriter(file, [change(tags) for tags in file.tags], outside=options.get("outside"))
    with Source.open(io.BytesIO(content), "again", None) as opened:
        text = b"".join(rewriting.blocks(opened))
        return gzip.compress(text) if opened.packed else text


def convert(content, to, scheme, **options):
    return rewritten(content, lambda tags: convert_tags(tags, to=to, scheme=scheme), **options)


# the same bytes around the tags


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
                    f'{{{{"tags": ["Q"], "tokens": ["\\u0436", 1e5], "tags" :[{tags}]}}}}',
                    f' {{{{ "a\\"tags": {{{{"tags": ["B-A"]}}}}, "tags": [ {tags} ], "n": 1.50, "o": [] }}}} ',
                ]
            )
        )
        lines += generator.choice([[], [""], ["  "]])
    return "\n".join(lines) + "\n", {"format": "jsonl"}


def lists(documents, generator):
    template = "".join('["' + '", "'.join("{}" for _ in document) + '"]\n' for document in documents)
    return template, {"format": "jsonl"}


def plain(text):
    return text.encode()


CLOTHES = {
    "plain": plain,
    "CRLF": lambda text: text.replace("\n", "\r\n").encode(),
    "BOM": lambda text: b"\xef\xbb\xbf" + text.encode(),
    "no end": lambda text: text.rstrip("\n").encode(),
    "CRLF, no end": lambda text: text.rstrip("\n").replace("\n", "\r\n").encode(),
}


def filled(template, documents):
    return template.format(*itertools.chain.from_iterable(documents))


@pytest.mark.parametrize("clothes", CLOTHES)
@pytest.mark.parametrize("form", [tag_only, blanks, tabs, objects, lists], ids=lambda form: form.__name__)
@pytest.mark.parametrize(("scheme", "policy"), [("IOB2", "conlleval"), ("IOBES", "discard"), ("BMES", "bes")])
def test_only_the_tags_change(form, clothes, scheme, policy, monkeypatch):
    generator = random.Random(f"{form.__name__} {clothes} {scheme}")
    for to, block_size in itertools.product((scheme, "IOE1", "BILOU"), (5, 64, 1 << 20)):
        monkeypatch.setattr(source, "BLOCK_SIZE", block_size)
        documents = [tags for tags in random_corpus(generator.random(), scheme, documents=15) if tags]
        template, options = form(documents, generator)
        written = Spans.from_tags(documents, scheme=scheme, repair=policy).to_tags(to)
        content, expected = (CLOTHES[clothes](filled(template, tags)) for tags in (documents, written))

        def change(tags, to=to):
            return repair_tags(tags, repair=policy, scheme=scheme, to=to)

        assert rewritten(content, change, **options) == expected
        packed = rewritten(gzip.compress(content), change, **options)
        assert packed[:2] == b"\x1f\x8b"
        assert gzip.decompress(packed) == expected


@pytest.mark.parametrize("form", [tag_only, blanks, tabs, objects, lists], ids=lambda form: form.__name__)
@pytest.mark.parametrize(("first", "second"), list(itertools.permutations(SCHEMES, 2)))
def test_round_trips_lose_nothing(first, second, form):
    generator = random.Random(f"{first} {second} {form.__name__}")
    documents = legal_corpus(generator, first, adjacent="IO" not in (first, second))
    template, options = form(documents, generator)
    content = CLOTHES[generator.choice(list(CLOTHES))](filled(template, documents))
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


# the tags


@pytest.mark.parametrize(("scheme", "policy"), ALLOWED)
def test_repaired_tags_are_legal_and_hold_the_spans_of_the_policy(scheme, policy):
    corpus = random_corpus(f"{scheme} {policy} repaired", scheme, documents=400)
    tags = Tags.from_lists(corpus)
    expected = [slow.decode(document, scheme, policy) for document in corpus]
    for to in set(SCHEMES) - {"IO"}:
        new = repair_tags(tags, repair=policy, scheme=scheme, to=to)
        assert len(illegal_pairs(new, get_scheme(to))) == 0
        assert [slow.decode(document, to, "conlleval") for document in tag_lists(new)] == expected


@pytest.mark.parametrize(("scheme", "policy"), ALLOWED)
def test_legal_tags_stay_what_they_are(scheme, policy):
    tags = Tags.from_lists(legal_corpus(random.Random(scheme), scheme, adjacent=scheme != "IO", documents=200))
    assert len(changed_tokens(tags, repair_tags(tags, repair=policy, scheme=scheme))) == 0


def test_changed_tokens():
    old = Tags.from_lists([["O", "B-A", "I-A"], ["B-B"]])
    assert changed_tokens(old, Tags.from_lists([["O", "B-A", "E-A"], ["B-B"]])).tolist() == [2]
    assert changed_tokens(old, Tags.from_lists([["B-B", "B-A", "I-A"], ["O"]])).tolist() == [0, 3]


def test_bare_prefixes_stay_bare():
    tags = Tags.from_lists([["B", "I", "O"], ["I"], ["O"]])
    assert tag_lists(repair_tags(tags, repair="conlleval", to="IOBES")) == [["B", "E", "O"], ["S"], ["O"]]
    labelled = Tags.from_lists([["B-_", "O"]])
    assert tag_lists(repair_tags(labelled, repair="conlleval", to="IOBES")) == [["S-_", "O"]]


def test_the_scheme_is_told():
    tags = Tags.from_lists([["B-A", "O", "I-A"]])
    assert tag_lists(repair_tags(tags, repair="conlleval")) == [["B-A", "O", "B-A"]]
    assert tag_lists(repair_tags(tags, repair="conlleval", scheme="IOB1")) == [["I-A", "O", "I-A"]]


def test_illegal_tags_are_not_converted():
    tags = Tags.from_lists([["O"], ["B-A", "O", "I-A"]])
    with pytest.raises(InputError) as caught:
        convert_tags(tags, to="BILOU")
    assert str(caught.value) == (
        "document 1, token 2: 'I-A' cannot follow 'O' in IOB2 (inferred from the prefixes), so the "
        "spans are not certain.\n"
        "Choose how to handle illegal tags with spanometer repair --policy ... --to BILOU, "
        "or name the scheme with scheme=..."
    )
    with pytest.raises(InputError, match="document 1, token 0: 'B-A' cannot") as caught:
        convert_tags(Tags.from_lists([["O"], ["B-A"]]), scheme="IOBES", to="IO")
    assert "'B-A' cannot stand at the end of a document in IOBES, so" in caught.value.problem
    assert "scheme=" not in caught.value.remedy


def test_io_cannot_part_spans():
    with pytest.raises(InputError, match="document 0, token 1: a span of 'A' would melt into the one before it in IO"):
        convert_tags(Tags.from_lists([["B-A", "B-A"]]), to="IO")
    assert tag_lists(convert_tags(Tags.from_lists([["B-A", "B-B"], ["B-A"]]), to="IO")) == [["I-A", "I-B"], ["I-A"]]


# illegal pairs


@pytest.mark.parametrize("scheme", SCHEMES)
def test_validation_against_a_slow_reader(scheme):
    corpus = random_corpus(f"{scheme} validation", scheme, documents=500)
    validation = Validation(Tags.from_lists(corpus), scheme=scheme)
    assert validation.scheme.name == scheme
    policies = policies_of(get_scheme(scheme))
    decoded = {policy: [slow.decode(tags, scheme, policy) for tags in corpus] for policy in policies}
    assert validation.spans == {policy: sum(map(len, spans)) for policy, spans in decoded.items()}
    affected = []
    for pair in validation:
        tags = corpus[pair.document]
        affected.append(pair.document)
        places = {pair.position}
        if pair.tag is None:
            assert pair.position == len(tags) - 1
            assert pair.previous == tags[-1]
        else:
            assert pair.tag == tags[pair.position]
            assert pair.previous == (tags[pair.position - 1] if pair.position else None)
            places |= {pair.position - 1} if pair.position else set()
        assert list(pair.policies) == list(policies)
        for policy, spans in pair.policies.items():
            near = [span for span in decoded[policy][pair.document] if places & set(range(span[1], span[2]))]
            assert spans == sorted(near, key=lambda span: span[1])
    assert len(affected) == len(validation)
    assert validation.affected.tolist() == sorted(set(affected))
    refused = []
    for number, tags in enumerate(corpus):
        try:
            slow.decode(tags, scheme, "raise")
        except ValueError:
            refused.append(number)
    assert refused == validation.affected.tolist()


def test_pairs_in_words():
    pairs = Validation(Tags.from_lists([["I-A", "O", "B-A"]]), scheme="IOBES")
    assert [str(pair) for pair in pairs] == ["I-A at the beginning", "O after I-A", "B-A at the end"]


def test_policies_of_a_scheme():
    assert policies_of(get_scheme("IOBES")) == ("conlleval", "discard", "bes", "convert")
    assert policies_of(get_scheme("IOB2")) == ("conlleval", "discard", "convert")
    assert policies_of(get_scheme("IOE2")) == ("conlleval", "discard")


# files, whole or not at all


def test_replacing(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"old")
    path.chmod(0o640)
    with replacing(str(path)) as stream:
        stream.write(b"new")
        stream.flush()
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert os.listdir(tmp_path) == ["a"]


def test_replacing_follows_links(tmp_path):
    (tmp_path / "folder").mkdir()
    path = tmp_path / "folder" / "a"
    path.write_bytes(b"old")
    link = tmp_path / "link"
    link.symlink_to(os.path.join("folder", "a"))
    with replacing(str(link)) as stream:
        stream.write(b"new")
        assert len(os.listdir(tmp_path / "folder")) == 2
    assert link.is_symlink()
    assert path.read_bytes() == b"new"
    assert os.listdir(tmp_path / "folder") == ["a"]


@pytest.mark.parametrize("function", ["fsync", "replace", "chmod"])
def test_an_error_leaves_the_old_file(tmp_path, monkeypatch, function):
    path = tmp_path / "a"
    path.write_bytes(b"old")

    def fail(*_):
        raise OSError("no space left")

    monkeypatch.setattr(os, function, fail)
    with pytest.raises(OSError, match="no space left"), replacing(str(path)) as stream:
        stream.write(b"new")
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a"]


@pytest.mark.parametrize("error", [InputError("x"), KeyboardInterrupt()])
def test_an_error_midway_leaves_the_old_file(tmp_path, error):
    path = tmp_path / "a"
    path.write_bytes(b"old")
    with pytest.raises(type(error)), replacing(str(path)) as stream:
        stream.write(b"new")
        raise error
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a"]


def test_only_files_are_replaced(tmp_path):
    with pytest.raises(InputError, match="not a regular file"), replacing(str(tmp_path)):
        pass
    if os.geteuid() != 0:
        path = tmp_path / "a"
        path.touch(mode=0o400)
        with pytest.raises(InputError, match="write-protected"), replacing(str(path)):
            pass


def test_creating(tmp_path):
    path = tmp_path / "a"
    with creating(str(path)) as stream:
        stream.write(b"new")
    assert path.read_bytes() == b"new"
    with pytest.raises(InputError, match="exists already") as caught, creating(str(path)):
        pass
    assert caught.value.source == str(path)
    assert path.read_bytes() == b"new"
    with pytest.raises(KeyError), creating(str(tmp_path / "b")) as stream:
        stream.write(b"new")
        raise KeyError
    assert os.listdir(tmp_path) == ["a"]
    with creating(os.devnull) as stream:
        stream.write(b"new")


def test_packing():
    for packed, unpack in ((True, gzip.decompress), (False, bytes)):
        stream = io.BytesIO()
        with packing(stream, packed=packed) as output:
            output.write(b"text")
        assert unpack(stream.getvalue()) == b"text"


# logits


LABELS = np.array(["O", "B-A", "I-A"])


def saved(tmp_path, *arrays, **named):
    path = tmp_path / "logits.npz"
    np.savez(path, *arrays, **named)
    return str(path)


def test_logits_of_each_document(tmp_path):
    arrays = [np.full((length, 3), float(length)) for length in range(1, 13)]
    logits, labels = read_logits(saved(tmp_path, *arrays, labels=LABELS))
    assert labels == LABELS.tolist()
    assert [array.tolist() for array in logits] == [array.tolist() for array in arrays]


def test_padded_logits(tmp_path):
    padded = np.arange(18, dtype=np.float32).reshape(2, 3, 3)
    logits, _ = read_logits(saved(tmp_path, logits=padded, lengths=np.array([1, 3]), labels=LABELS))
    assert [array.tolist() for array in logits] == [padded[0, :1].tolist(), padded[1].tolist()]
    logits, _ = read_logits(saved(tmp_path, logits=padded, labels=LABELS))
    assert [len(array) for array in logits] == [3, 3]


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ({"logits": np.zeros((1, 2, 3))}, "no list of strings 'labels'"),
        ({"logits": np.zeros((1, 2, 3)), "labels": np.arange(3)}, "no list of strings 'labels'"),
        ({"logits": np.zeros((2, 3)), "labels": LABELS}, "'logits' has the shape"),
        ({"logits": np.zeros((1, 2, 3)), "labels": LABELS, "lengths": np.array([1, 2])}, "does not fit 1 documents"),
        ({"logits": np.zeros((1, 2, 3)), "labels": LABELS, "lengths": np.array([1.0])}, "does not fit 1 documents"),
        ({"logits": np.zeros((1, 2, 3)), "labels": LABELS, "lengths": np.array([3])}, "document 0: the length 3"),
        ({"logits": np.zeros((1, 2, 4)), "labels": LABELS}, "document 0: logits of shape"),
        ({"logits": np.full((1, 2, 3), np.nan), "labels": LABELS}, "document 0, token 0: a logit is NaN"),
        (
            {"logits": np.zeros((1, 2, 3)), "labels": np.array(["O", "X-A", "I-A"])},
            "labels, token 1: 'X-A' has no prefix",
        ),
        ({"a": np.array([{}], dtype=object), "labels": LABELS}, "not an .npz file of numbers and strings"),
    ],
)
def test_bad_logits(tmp_path, named, said):
    path = saved(tmp_path, **named)
    with pytest.raises(InputError) as caught:
        read_logits(path)
    assert str(caught.value).startswith(path)
    assert said in str(caught.value)


def test_files_that_hold_no_logits(tmp_path):
    path = tmp_path / "a.npz"
    for content in (b"", b"text", b"PK\x03\x04"):
        path.write_bytes(content)
        with pytest.raises(InputError, match=r"not an \.npz file"):
            read_logits(path)
    with open(path, "wb") as stream:
        np.save(stream, np.zeros(3))
    with pytest.raises(InputError, match="this is one array"):
        read_logits(path)
    with pytest.raises(InputError, match="cannot be read: no such file"):
        read_logits(tmp_path / "none")


def test_a_file_of_json_is_scanned_in_linear_time(tmp_path):
    # one long line, many keys before the one that counts
    row = {**{f"key {number}": ["x"] for number in range(20_000)}, "tags": ["B-A"] * 20_000}
    content = (json.dumps(row) + "\n").encode()
    assert convert(content, "IOBES", "IOB2").count(b'"S-A"') == 20_000

"""What NER pipelines return, from the libraries themselves, beside a reference of the same ten texts.

The models are made here: none is downloaded.
"""

import pytest

import spanometer
from tests.answer_samples import ENTITIES, GOLD, TEXTS


def f1(predictions):
    return spanometer.score(GOLD, predictions, measures="span_f").f1


def test_transformers():
    torch = pytest.importorskip("torch", reason="needs torch")
    transformers = pytest.importorskip("transformers", reason="needs transformers")
    from tokenizers import Tokenizer, models, pre_tokenizers

    labels = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC", "B-ORG", "I-ORG"]
    codes = dict.fromkeys(("[PAD]", "[UNK]"), 0)
    splitter = pre_tokenizers.BertPreTokenizer()
    for text, entities in zip(TEXTS, ENTITIES, strict=True):
        for word, (start, end) in splitter.pre_tokenize_str(text):
            label = next(
                (
                    ("B-" if start == first else "I-") + label
                    for label, _, first, last in entities
                    if first <= start and end <= last
                ),
                "O",
            )
            codes[word] = labels.index(label)
    tokenizer = Tokenizer(models.WordLevel({word: number for number, word in enumerate(codes)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = splitter
    fast = transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="[UNK]", pad_token="[PAD]")
    size = {"hidden_size": len(labels), "intermediate_size": 1, "max_position_embeddings": 32}
    names = {"id2label": dict(enumerate(labels)), "label2id": {label: code for code, label in enumerate(labels)}}
    config = transformers.BertConfig(vocab_size=len(codes), num_hidden_layers=0, num_attention_heads=1, **size, **names)
    model = transformers.BertForTokenClassification(config).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.zero_()
        model.bert.embeddings.LayerNorm.weight.fill_(1)
        model.bert.embeddings.word_embeddings.weight.copy_(torch.eye(len(labels))[list(codes.values())])
        model.classifier.weight.copy_(torch.eye(len(labels)))
    recognise = transformers.pipeline(
        "token-classification", model=model, tokenizer=fast, aggregation_strategy="simple"
    )
    assert f1([recognise(text) for text in TEXTS]) == 1


def test_presidio():
    analyzer = pytest.importorskip("presidio_analyzer", reason="needs presidio-analyzer")
    results = []
    for text, entities in zip(TEXTS, ENTITIES, strict=True):
        found = []
        for label, mention, *_ in entities:
            recogniser = analyzer.PatternRecognizer(supported_entity=label, deny_list=[mention])
            found += recogniser.analyze(text, entities=[label])
        results.append(found)
    assert isinstance(results[0][0], analyzer.RecognizerResult)
    assert f1(results) == 1


def test_stanza():
    doc = pytest.importorskip("stanza.models.common.doc", reason="needs stanza")
    documents = []
    for text, entities in zip(TEXTS, ENTITIES, strict=True):
        words, place = [], 0
        for label, mention, start, end in entities:
            words += [(text[place:start], place, "O"), (mention, start, f"S-{label}")]
            place = end
        words.append((text[place:], place, "O"))
        tokens = [
            {"id": number, "text": word, "ner": tag, "start_char": start, "end_char": start + len(word)}
            for number, (word, start, tag) in enumerate(filter(lambda word: word[0], words), 1)
        ]
        documents.append(doc.Document([tokens], text=text))
        documents[-1].build_ents()
    assert f1(documents) == 1


def test_flair():
    data = pytest.importorskip("flair.data", reason="needs flair", exc_type=ImportError)
    sentences = []
    for text, entities in zip(TEXTS, ENTITIES, strict=True):
        sentence = data.Sentence(text)
        for label, _, start, end in entities:
            places = [number for number, token in enumerate(sentence) if start <= token.start_position < end]
            sentence[places[0] : places[-1] + 1].add_label("ner", label)
        sentences.append(sentence)
    assert f1(sentences) == 1

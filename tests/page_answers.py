"""What the Spaces' pages answer, and how a browser would read it."""

import re
from html.parser import HTMLParser
from types import SimpleNamespace

from spanometer.space.forms import page_of
from spanometer.space.measure_page import form
from spanometer.space.texts import examples_of


def examples(kind):
    """The examples of a kind of input, with their names."""
    return [SimpleNamespace(name=name, **fields) for name, fields in examples_of(kind).items()]


def examples_on(name):
    """The examples of a measure's page, with their names."""
    return examples(page_of(name).input["examples"])


def respond_to(name, reference, prediction="", **changed):
    page = form(name)
    return page.response({**page.fields.initial, "reference": reference, "prediction": prediction, **changed})


def answer_to(name, example, **changed):
    """The HTML after a click on an example and changes of other fields."""
    page = form(name)
    return page.response({**page.fields.initial, **vars(example), **changed}).html


def answer(name, reference, prediction="", **changed):
    return respond_to(name, reference, prediction, **changed).html


class Reader(HTMLParser):
    """What a browser would see: the tags with their attributes, and the text."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.attributes, self.open, self.unbalanced, self.text = set(), set(), [], [], []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)
        if tag != "br":
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.unbalanced.append(tag)

    def handle_data(self, data):
        self.text.append(data)


def text_of(html):
    return re.sub(r"\s+", " ", " ".join(Reader(html).text))


def headline(html):
    return re.search(r"<b>(.*?)</b>", html)[1]

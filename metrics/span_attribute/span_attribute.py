"""Attributes of given spans, such as negation, as an `evaluate` module."""

from spanometer.integrations.attribute_module import AttributeModule, Card
from spanometer.measures.span_attribute import SpanAttribute as Measure

_DESCRIPTION = """
span_attribute scores attributes of existing spans, such as negated or hypothetical. An item is one value of one
attribute of one span. Precision, recall, F1 and average precision compare the predicted items with the reference items,
for each attribute and for all attributes together.
"""

_EXAMPLES = """
    >>> import spanometer
    >>> span_attribute = spanometer.load("span_attribute")
    >>> fever = {"start": 4, "end": 5, "label": "SYMP", "attributes": {"negated": True}}
    >>> pain = {"start": 6, "end": 7, "label": "SYMP", "attributes": {"negated": False, "days": 3}}
    >>> span_attribute.compute(predictions=[[fever, pain]], references=[[fever, pain]])["micro"]  # maximal
    {'f': 1.0, 'p': 1.0, 'r': 1.0, 'tp': 2, 'support': 2, 'positives': 2, 'ap': 1.0}
    >>> span_attribute.compute(predictions=[[{**pain, "attributes": {}}]], references=[[pain]])["micro"]["f"]  # minimal
    0.0
    >>> wrong = {**pain, "attributes": {"negated": True, "days": 4}}  # partial: half of the negations
    >>> result = span_attribute.compute(predictions=[[fever, wrong]], references=[[fever, pain]], details=True)
    >>> {name: (result[name]["p"], result[name]["r"], result[name]["ap"]) for name in ("negated", "days")}
    {'negated': (0.5, 1.0, 0.5), 'days': (0.0, 0.0, 0.0)}
    >>> list(result["counts"].values()), result["signature"].partition("|include_falsy")[0]
    ([1, 2, 3, 0, 0], 'span_attribute|attributes:None|default_values:None')
    >>> options = {"attributes": ["negated"], "include_falsy": True}  # by default False is no item
    >>> span_attribute.compute(predictions=[[fever, wrong]], references=[[fever, pain]], **options)["negated"]["r"]
    0.5
"""

_CITATION = """
@misc{edsnlp,
    title = "{EDS-NLP}: efficient information extraction from French clinical notes", doi = "10.5281/zenodo.6424993",
    author = "Wajsburt, Perceval and Petit-Jean, Thomas and Dura, Basile and Cohen, Ariel and Jean, Charline and
        Bey, Romain"
}
"""


class SpanAttribute(AttributeModule):
    """Precision, recall, F1 and average precision of the attributes of given spans."""

    measure = Measure
    card = Card(_DESCRIPTION, _EXAMPLES, _CITATION)

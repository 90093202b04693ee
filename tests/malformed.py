"""Malformed inputs, for `tests/fuzz` and `benchmarks/malformed_inputs.py`: recipes of them, and their outcomes.

A recipe is plain data: a few changes, each with where it applies. So a failure prints as what to type to see it again,
whatever the objects in it do when they are printed.
"""

import collections
import datetime
import decimal
import fractions
import math
import re
import types
import warnings
from contextlib import suppress
from functools import cache
from unittest.mock import patch

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st

import spanometer
from spanometer import InputError
from spanometer.integrations.module_folders import module_folders
from spanometer.measures.registry import ALL_MEASURES
from spanometer.options import options_of

# Objects that nobody expects


class _Failing:
    """An object of which one special method fails."""

    def __init__(self, method):
        self.method = method

    def __iter__(self):
        return self._or_fail("iter", iter(["B-A"]))

    def __len__(self):
        return self._or_fail("len", 1)

    def __getitem__(self, place):
        return self._or_fail("getitem", ["B-A"][place])

    def __repr__(self):
        return self._or_fail("repr", "Failing()")

    def __bool__(self):
        return self._or_fail("bool", True)

    def __eq__(self, other):
        return self._or_fail("eq", False)

    def __hash__(self):
        return self._or_fail("hash", 1)

    def _or_fail(self, method, value):
        if method == self.method:
            raise RuntimeError(f"{method} fails")
        return value


class _WrongLength(list):
    def __len__(self):
        return 7


class _FailingList(list):
    def __iter__(self):
        raise RuntimeError("iter fails")


class _FailingDict(dict):
    def __getitem__(self, key):
        raise RuntimeError("getitem fails")

    def items(self):
        raise RuntimeError("items fails")


class _Text(str):
    __slots__ = ()


def _failing_generator():
    yield ["B-A"]
    raise RuntimeError("the generator fails")


def _deep():
    deep = []
    for _ in range(1200):
        deep = [deep]
    return deep


def _own_item():
    own = []
    own.append(own)
    return own


ODD = {
    "None": lambda: None,
    "True": lambda: True,
    "nan": lambda: math.nan,
    "inf": lambda: -math.inf,
    "minus one": lambda: -1,
    "2**31": lambda: 2**31,
    "2**63": lambda: 2**63,
    "10**400": lambda: 10**400,
    "10**5000": lambda: 10**5000,
    "1.5": lambda: 1.5,
    "complex": lambda: 1j,
    "Decimal": lambda: decimal.Decimal("1"),
    "Fraction": lambda: fractions.Fraction(1, 2),
    "date": lambda: datetime.date(2020, 1, 1),
    "object": object,
    "class": lambda: list,
    "function": lambda: len,
    "Ellipsis": lambda: ...,
    "module": lambda: math,
    "empty text": lambda: "",
    "tag": lambda: "B-A",
    "surrogate": lambda: "\ud800",
    "NUL": lambda: "B-\x00",
    "newline": lambda: "a\nb",
    "subclass of str": lambda: _Text("B-A"),
    "bytes": lambda: b"B-A",
    "bytearray": lambda: bytearray(b"B-A"),
    "memoryview": lambda: memoryview(b"B-A"),
    "set": lambda: {"B-A", "O"},
    "frozenset": lambda: frozenset({1}),
    "empty list": list,
    "empty dict": dict,
    "dict": lambda: {"start": 0, 1: "A"},
    "list of None": lambda: [None],
    "list of lists": lambda: [[["B-A"]]],
    "ragged": lambda: [[1, 2], [3]],
    "deep list": _deep,
    "list of itself": _own_item,
    "MappingProxyType": lambda: types.MappingProxyType({"start": 0, "end": 1, "label": "A"}),
    "UserDict": lambda: collections.UserDict({"start": 0, "end": 1, "label": "A"}),
    "UserList": lambda: collections.UserList(["B-A"]),
    "deque": lambda: collections.deque(["B-A"]),
    "namedtuple": lambda: collections.namedtuple("Pair", "start end")(0, 1),
    "range": lambda: range(3),
    "keys": lambda: {"B-A": 1}.keys(),
    "values": lambda: {1: "B-A"}.values(),
    "iterator": lambda: iter(["B-A"]),
    "generator": lambda: (tag for tag in ["B-A"]),
    "failing generator": _failing_generator,
    "array without dimensions": lambda: np.array(3),
    "array without dimensions of text": lambda: np.array("B-A"),
    "array of nothing": lambda: np.zeros((0, 2)),
    "array of two dimensions": lambda: np.array([[0, 1], [2, 3]]),
    "array of objects": lambda: np.array(["B-A", None], dtype=object),
    "array of dates": lambda: np.array(["2020-01-01"], dtype="datetime64[D]"),
    "array of NaN": lambda: np.array([math.nan, 1.0]),
    "structured array": lambda: np.zeros(2, dtype=[("start", int)]),
    "masked": lambda: np.ma.masked,
    "masked array": lambda: np.ma.array([1, 2], mask=[True, False]),
    "timedelta64": lambda: np.timedelta64(1, "D"),
    "datetime64": lambda: np.datetime64("2020-01-01"),
    "complex64": lambda: np.complex64(1),
    "float32": lambda: np.float32(0.5),
    "int8": lambda: np.int8(-3),
    "np.bool_": lambda: np.True_,
    "Arrow scalar": lambda: pa.scalar(1),
    "Arrow text": lambda: pa.scalar("B-A"),
    "Arrow array": lambda: pa.array([1, None]),
    "Arrow lists": lambda: pa.array([["B-A"], None]),
    "Arrow structs": lambda: pa.array([[{"start": 0, "end": 1, "label": None}]]),
    "Arrow chunks": lambda: pa.chunked_array([["B-A"]]),
    "Arrow table": lambda: pa.table({"references": [["B-A"]], "predictions": [["O"]]}),
    "list that lies": lambda: _WrongLength([["B-A"]]),
    "list that fails": lambda: _FailingList([["B-A"]]),
    "dict that fails": lambda: _FailingDict(start=0, end=1, label="A"),
    **{
        f"failing {name}": lambda name=name: _Failing(name)
        for name in ("iter", "len", "getitem", "repr", "bool", "eq", "hash")
    },
}


# Changes of what is there


def _items(value):
    return list(value.values()) if isinstance(value, dict) else list(value)


CHANGES = {
    "as tuple": tuple,
    "as array": np.array,
    "as array of objects": lambda old: np.array(old, dtype=object),
    "as iterator": lambda old: iter(_items(old)),
    "as deque": collections.deque,
    "as UserList": collections.UserList,
    "as set": lambda old: set(map(str, _items(old))),
    "as dict": lambda old: dict(enumerate(_items(old))),
    "as values": lambda old: dict(enumerate(_items(old))).values(),
    "as Arrow": pa.array,
    "as text": str,
    "as bytes": lambda old: str(old).encode(),
    "as float": float,
    "as bool": bool,
    "as NumPy": np.asarray,
    "as a mapping": types.MappingProxyType,
    "as UserDict": collections.UserDict,
    "wrapped": lambda old: [old],
    "twice": lambda old: [old, old],
    "repeated": lambda old: old * 2,
    "emptied": lambda old: type(old)(),
    "shortened": lambda old: old[:-1],
    "lengthened": lambda old: old + old[-1:],
    "with None": lambda old: [*old, None],
    "turned": lambda old: old[::-1],
    "one more": lambda old: old + 1,
    "a thousand more": lambda old: old + 1000,
    "negative": lambda old: -old - 1,
    "first key left out": lambda old: dict(list(old.items())[1:]),
    "last key left out": lambda old: dict(list(old.items())[:-1]),
    "a key renamed": lambda old: {f"{key}x": value for key, value in old.items()},
    "a key that is a number": lambda old: {**old, 3: 1},
    "an odd key": lambda old: {**old, "\ud800": None},
    "keys turned round": lambda old: dict(zip(old, reversed(list(old.values())), strict=True)),
    "in blanks": lambda old: f" {old} ",
    "in lower case": lambda old: old.lower(),
    "without a prefix": lambda old: old.partition("-")[2],
    "another prefix": lambda old: f"E{old[1:]}",
    "a bracket": lambda old: f"<{old}",
    "with NUL": lambda old: f"{old}\x00",
    "with a mark from right to left": lambda old: f"\u202e{old}",
}

NAMES = (*ODD, *CHANGES)


def nodes(value, path=()):
    """The paths of a value and of all that is in its lists, tuples and dicts."""
    yield path
    if len(path) == 8:
        return
    if type(value) is dict:
        inner = value.items()
    elif type(value) in (list, tuple):
        inner = enumerate(value)
    else:
        return
    for key, item in inner:
        yield from nodes(item, (*path, key))


def at(value, path, change):
    """A copy of a value in which the part at a path is changed."""
    if not path:
        return change(value)
    key, *rest = path
    if isinstance(value, dict):
        return {**value, key: at(value[key], rest, change)}
    return type(value)([at(item, rest, change) if number == key else item for number, item in enumerate(value)])


def changed(value, place, name, *, least=0):
    """A value with one of its parts changed or replaced; the root is part number 0."""
    paths = [path for path in nodes(value) if len(path) >= least]

    def change(old):
        if name in ODD:
            return ODD[name]()
        if isinstance(old, (_Failing, _FailingDict, _FailingList, _WrongLength)):
            # libraries that would make something else of it may never end
            return old
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return CHANGES[name](old)
        except Exception:
            # a change that this part cannot have
            return [old]

    return at(value, paths[place % len(paths)], change)


def changed_arguments(arguments, changes):
    """Keyword arguments with some changes, each a place and a name in `NAMES`; none of the keywords is changed."""
    for place, name in changes:
        arguments = changed(arguments, place, name, least=1)
    return arguments


ARGUMENTS = ("predictions", "references", "predictions", "references", "options")
WAYS = ("compute", "compute", "add_batch")
PLACES = 1000
"""Parts are counted modulo how many there are."""


def recipes():
    """Draw a way to call and one or two changes: of which argument, of which of its parts, by what name in `NAMES`."""
    change = st.tuples(st.sampled_from(ARGUMENTS), st.integers(0, PLACES), st.sampled_from(NAMES))
    return st.tuples(st.sampled_from(WAYS), st.lists(change, min_size=1, max_size=2).map(tuple))


# Modules

_TAGS = [["B-A", "I-A", "O", "B-B"], ["O", "B-B"]]
_OTHER_TAGS = [["B-A", "O", "O", "B-B"], ["O", "B-A"]]
_SPANS = [
    [{"start": 0, "end": 2, "label": "A"}, {"start": 3, "end": 4, "label": "B"}],
    [{"start": 1, "end": 2, "label": "B"}],
]
_OTHER_SPANS = [
    [{"start": 0, "end": 1, "label": "A"}, {"start": 3, "end": 4, "label": "B"}],
    [{"start": 1, "end": 2, "label": "A"}],
]


def _fragmented(documents):
    return [
        [{"label": span["label"], "fragments": [[span["start"], span["end"]]]} for span in document]
        for document in documents
    ]


def _with_texts(documents):
    return [{"text": text, "spans": spans} for text, spans in zip(("ab 💃", "cd"), documents, strict=True)]


def _entities(documents):
    return [
        [
            {"start": 0, "end": 2, "types": [span["label"]], "components": [{"start": 0, "end": 1, "label": "c"}]}
            for span in document
        ]
        for document in documents
    ]


def _attributed(documents, value):
    given = {"negated": value, "days": 3 if value else None, "route": ["a", "b"]}
    return [
        [
            {"start": start, "end": start + 1, "label": "A", "attributes": given, "scores": {"days": 0.5}}
            for start in range(2)
        ]
        for _ in documents
    ]


_MENTIONS = [[["A", "Ada"], ["A", "Ada"], ["B", "Bonn"]], [["B", "Bonn"]]]
_OTHER_MENTIONS = [[("A", "ada"), {"label": "A", "text": "Ada"}], [["A", "Bonn"]]]

KNOWN = {
    ("spans", "tags"): (_OTHER_TAGS, _TAGS, {}),
    ("spans", "spans"): (_OTHER_SPANS, _SPANS, {"lengths": [4, 2]}),
    ("spans", "fragments"): (_fragmented(_OTHER_SPANS), _fragmented(_SPANS), {"lengths": [4, 2]}),
    ("spans", "text"): (_with_texts(_OTHER_SPANS), _with_texts(_SPANS), {}),
    ("entities", "entities"): (_entities(_OTHER_SPANS), _entities(_SPANS), {}),
    ("entities", "markup"): (["<pers> Ada </pers> sings", "no"], ["<pers> <name> Ada </name> </pers> sings", "no"], {}),
    ("attributes", "spans"): (_attributed(_SPANS, False), _attributed(_SPANS, True), {}),
    ("mentions", "mentions"): (_OTHER_MENTIONS, _MENTIONS, {}),
}
"""Predictions, references and options by the kind of measure and the form of the input."""


class Subject:
    """A module with a form of input, and an input with a known result."""

    def __init__(self, name, configuration):
        self.name, self.configuration = name, configuration
        self.module = spanometer.load(name, configuration, keep_in_memory=True)
        self.measure = self.module.measure
        # measures of tags themselves have the tags of those of spans
        of_spans = KNOWN.get(("spans", configuration))
        self.predictions, self.references, self.options = KNOWN.get((self.measure.input, configuration), of_spans)
        self.expected = self.known_result()

    def __repr__(self):
        return f"{self.name}-{self.configuration}"

    def known_result(self):
        return self.module.compute(predictions=self.predictions, references=self.references, **self.options)

    def arguments(self, changes):
        """The arguments of `compute` with some changes."""
        found = {"predictions": self.predictions, "references": self.references, "options": dict(self.options)}
        names = list(self.module.options())
        for where, place, name in changes:
            if where == "options":
                option = names[place % len(names)]
                default = self.options.get(option, self.module.options()[option].default)
                found["options"][option] = changed(default, place // len(names), name)
            else:
                found[where] = changed(found[where], place, name)
        return {**found.pop("options"), **found}

    def check(self, recipe, *, afterwards=True):
        """Score a malformed input: `refused` or `scored`; anything else is an error.

        Then, unless not `afterwards`, the same object must score the known input right.
        """
        way, changes = recipe
        arguments = self.arguments(changes)
        sides = {side: arguments.pop(side) for side in ("predictions", "references")}
        with warnings.catch_warnings(), patch("datasets.arrow_dataset.generate_fingerprint", _no_fingerprint):
            warnings.simplefilter("error")
            # what a measure says of its scores, see Measure.notes
            warnings.simplefilter("ignore", UserWarning)
            try:
                if way == "add_batch":
                    self.module.add_batch(**sides)
                    sides = {}
                result = self.module.compute(**sides, **arguments)
            except InputError as error:
                require_place(error)
                outcome = "refused"
            else:
                self.require_documented(result)
                outcome = "scored"
            if len(self.module):
                # a wrong option touches no data: what was added is there for the next call
                assert way == "add_batch" and outcome == "refused"
                with suppress(InputError):
                    self.require_documented(self.module.compute(**self.options))
            assert len(self.module) == 0
            if not afterwards:
                return outcome
            found = self.known_result()
        assert repr(found) == repr(self.expected), f"afterwards the known input gives {found}, not {self.expected}"
        return outcome

    def require_documented(self, result):
        """Fail unless a result has the keys and the ranges that are documented."""
        if self.measure.input == "attributes":
            values = [one for name, one in result.items() if name not in self.measure.detail_keys]
        else:
            values = [result]
        assert values
        for one in values:
            for key, described in self.measure.results.items():
                value = one[key]
                assert type(value) is described.kind, (key, value)
                low, high = _bounds(described.range)
                assert math.isnan(value) or low - 1e-9 <= value <= high + 1e-9, (key, value)


def _no_fingerprint(dataset):
    """Stand in for what takes three quarters of the time of a small input: a hash of its table that is never used."""
    return "none"


def _bounds(text):
    low, high = re.split(", *", re.search(r"[\[(](.*?)[\])]", text)[1])
    return tuple(float(bound.replace("−", "-").replace("∞", "inf")) for bound in (low, high))


WHOLE = re.compile(
    r"there is nothing to score|the stream has no batches|predicted documents?, but [0-9,]+ reference document"
    r"|there are no (predictions|references)|no span has"
)
"""What has no place, as it is about all of the input."""


def require_place(error):
    """Fail unless an error says where it is: in the data, in an option, or in nothing but the whole."""
    message = str(error)
    assert error.problem and message
    assert error.place or error.option or WHOLE.search(message) or _names_an_option(message), f"no place: {message}"


def _names_an_option(message):
    return any(re.search(rf"\b{name}\b", message) for name in _option_names())


def _option_names():
    names = {name for measure in ALL_MEASURES.values() for name in options_of(measure)}
    return names | {"lengths", "scheme", "repair", "details", "confidence", "entity_types", "prefix"}


def module_names():
    """All metric modules: those of the registry, each with its folder in `metrics`."""
    folders = module_folders()
    assert set(ALL_MEASURES) <= set(folders)
    return sorted(folders)


@cache
def subjects_of(name):
    """A module in all its forms of input."""
    return [Subject(name, form) for form in spanometer.load(name).configurations]

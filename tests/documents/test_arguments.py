"""The arguments of reading that the functions of Python share."""

import inspect

import pytest

import spanometer
from spanometer.analysis.scores.streams import Reading, partial_counts, score_stream
from spanometer.counts.statistics import Resampling
from spanometer.documents.arguments import DrawnSideArguments, SideArguments, TagArguments
from spanometer.documents.pairing import Pairing
from spanometer.options import options_of
from spanometer.tags.decoding import LabelDecoding
from spanometer.tags.schemes import LabelChoice

TAGS = [["B-X", "O"], ["O", "B-Y"]]
OF_SIDES = {
    spanometer.agreement: [[TAGS, TAGS]],
    spanometer.compare: [TAGS, {"a": TAGS, "b": TAGS}],
    spanometer.consensus: [[TAGS, TAGS]],
    spanometer.disagreements: [[TAGS, TAGS]],
    spanometer.errors: [TAGS, TAGS],
    spanometer.score_against: [[TAGS, TAGS], TAGS],
}


def test_the_arguments_are_the_declared_options():
    of_tags = {**options_of(LabelDecoding), **options_of(LabelChoice)}
    assert TagArguments.__annotations__.keys() == of_tags.keys()
    assert SideArguments.__annotations__.keys() == {*of_tags, "lengths", *options_of(Pairing)}
    of_draws = options_of(Resampling).keys() - {"confidence"}
    assert DrawnSideArguments.__annotations__.keys() == {*SideArguments.__annotations__, *of_draws}


@pytest.mark.parametrize("function", [*OF_SIDES, spanometer.score, score_stream])
def test_signatures_name_all_arguments(function):
    parameters = inspect.signature(function).parameters
    for name, declared in {**options_of(LabelDecoding), **options_of(LabelChoice)}.items():
        assert (parameters[name].default, parameters[name].kind) == (declared.default, inspect.Parameter.KEYWORD_ONLY)
    assert {"lengths", "id2label"} <= parameters.keys()
    assert "arguments" not in parameters
    if function is spanometer.score:
        assert all(parameters[name].default == declared.default for name, declared in options_of(Pairing).items())
        # the options of measures
        assert [*parameters][-1] == "options"


@pytest.mark.parametrize(("function", "given"), OF_SIDES.items(), ids=lambda value: getattr(value, "__name__", ""))
def test_unknown_arguments(function, given):
    for name, remedy in (("schem", "Did you mean 'scheme'?"), ("label_maps", "Did you mean 'label_map'?")):
        with pytest.raises(TypeError) as caught:
            function(*given, **{name: None})
        assert str(caught.value) == f"{function.__name__}() got an unexpected keyword argument {name!r}. {remedy}"
    with pytest.raises(TypeError, match=r"'qqqq'\.$"):
        function(*given, qqqq=1)
    with pytest.raises(TypeError, match=r"If the tags are integers, name them with `id2label`\."):
        function(*given, label_names=["O"])


def test_unknown_arguments_of_the_functions_own():
    with pytest.raises(TypeError, match=r"'confidense'\. Did you mean 'confidence'"):
        spanometer.compare(*OF_SIDES[spanometer.compare], confidense=0.9)
    for call in (score_stream, partial_counts):
        with pytest.raises(TypeError, match=r"'schemes'\. Did you mean 'scheme'"):
            call([], schemes="IOB2")
    with pytest.raises(TypeError, match="'reference'"):
        Reading.of(reference="gold")

"""Malformed inputs to every module in every form: an InputError with its place, or a documented result.

Whatever it was, the same object then scores a known input right. A longer run: `python benchmarks/malformed_inputs.py`.
"""

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from malformed import module_names, recipes, subjects_of


@pytest.mark.parametrize("name", module_names())
@settings(
    max_examples=80,
    derandomize=True,
    deadline=None,
    database=None,
    phases=(Phase.generate, Phase.shrink),
    suppress_health_check=list(HealthCheck),
)
@given(form=st.integers(0, 5), recipe=recipes())
def test_malformed_inputs(name, form, recipe):
    subjects = subjects_of(name)
    assert subjects[form % len(subjects)].check(recipe) in ("refused", "scored")

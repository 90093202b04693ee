"""The example of a task for the LM Evaluation Harness, run by it with a model that says what the test wants."""

import warnings
from pathlib import Path

import pytest

pytest.importorskip("lm_eval", reason="the LM Evaluation Harness (lm-eval) is not installed")

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import lm_eval
    from lm_eval.api.model import LM
    from lm_eval.tasks import TaskManager

EXAMPLE = Path(__file__).parents[2] / "examples" / "lm_eval"

# of the first record three are right, one is there too often and one is not there; of the second one is too short, and
# the other stands first where the first one might: 3 of 7 are right, 3 of 7 are found
ANSWERS = {
    "Ann met": 'Sure:\n```json\n[["PER", "Ann"], ["LOC", "Rome"], ["PER", "Ann"], ["PER", "Ann"], ["PER", "Cid"]]\n```',
    "Paris Hilton": '[["PER", "Hilton"], ["LOC", "Paris"]]',
    "Nothing": "[]",
}


class Model(LM):
    """Says what is known of the text in the prompt."""

    def generate_until(self, requests, disable_tqdm=False):
        asked = [request.args[0].rpartition("Text: ")[2] for request in requests]
        return [next(said for begin, said in ANSWERS.items() if text.startswith(begin)) for text in asked]

    def loglikelihood(self, requests, disable_tqdm=False):
        raise NotImplementedError

    def loglikelihood_rolling(self, requests, disable_tqdm=False):
        raise NotImplementedError


@pytest.mark.filterwarnings("ignore")
def test_the_example():
    manager = TaskManager(include_path=str(EXAMPLE), include_defaults=False)
    found = lm_eval.simple_evaluate(
        model=Model(), tasks=["spanometer_entities"], task_manager=manager, bootstrap_iters=0, log_samples=False
    )
    values = found["results"]["spanometer_entities"]
    assert values["span_f_f1,none"] == 3 / 7
    assert values["fair_f_f1,none"] > 3 / 7
    assert found["higher_is_better"]["spanometer_entities"]["span_f_f1"]

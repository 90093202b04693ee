"""The result of `evaluate.load("seqeval")`, computed by seqeval without a network, for comparison with the drop-in."""

import datasets
import evaluate
import seqeval.scheme
from seqeval.metrics import accuracy_score, classification_report

_TAGS = datasets.List(datasets.Value("string"))
_KEYS = {"precision": "precision", "recall": "recall", "f1-score": "f1", "support": "number"}


class SeqevalModule(evaluate.Metric):
    """Precision, recall and F1 by label and over all, and the accuracy of the tags."""

    def _info(self):
        return evaluate.MetricInfo(
            description="seqeval's classification report and accuracy.",
            citation="",
            inputs_description="Lists of lists of tags.",
            features=datasets.Features({"predictions": _TAGS, "references": _TAGS}),
        )

    def _compute(self, predictions, references, scheme=None, **options):
        known = None if scheme is None else getattr(seqeval.scheme, scheme)
        report = classification_report(references, predictions, output_dict=True, scheme=known, **options)
        overall = report.pop("micro avg")
        return {
            **{
                label: {_KEYS[key]: value for key, value in scores.items()}
                for label, scores in report.items()
                if label not in ("macro avg", "weighted avg")
            },
            **{f"overall_{_KEYS[key]}": overall[key] for key in ("precision", "recall", "f1-score")},
            "overall_accuracy": accuracy_score(references, predictions),
        }

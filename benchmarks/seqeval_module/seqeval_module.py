"""seqeval behind `evaluate`: the work of the metric of that name, for comparison without a network."""

import datasets
import evaluate
from seqeval.metrics import accuracy_score, classification_report

_TAGS = datasets.List(datasets.Value("string"))


class SeqevalModule(evaluate.Metric):
    """Precision, recall and F1 by label and over all, and the accuracy of the tags."""

    def _info(self):
        return evaluate.MetricInfo(
            description="seqeval's classification report and accuracy.",
            citation="",
            inputs_description="Lists of lists of tags.",
            features=datasets.Features({"predictions": _TAGS, "references": _TAGS}),
        )

    def _compute(self, predictions, references):
        report = classification_report(references, predictions, output_dict=True)
        overall = report.pop("micro avg")
        labels = {name: scores for name, scores in report.items() if not name.endswith(" avg")}
        return {
            **labels,
            "overall_precision": overall["precision"],
            "overall_recall": overall["recall"],
            "overall_f1": overall["f1-score"],
            "overall_accuracy": accuracy_score(references, predictions),
        }

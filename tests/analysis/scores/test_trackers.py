"""`Report.flat` in the real trackers of experiments, without a network."""

import pytest

import spanometer

REPORT = spanometer.score([["B-PER", "O", "B-ORG"]], [["B-PER", "O", "O"]], measures=["span_f", "sl_icm"])
FLAT = REPORT.flat(per_label=True)


def test_what_is_logged():
    # one of two spans is found
    assert FLAT["span_f_recall"] == 0.5
    assert FLAT["span_f_ORG_f1"] == 0


def test_mlflow(tmp_path, monkeypatch):
    mlflow = pytest.importorskip("mlflow", reason="mlflow is not installed")
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    client = mlflow.MlflowClient(tracking_uri=tmp_path.as_uri())
    mlflow.set_tracking_uri(tmp_path.as_uri())
    mlflow.set_experiment("scores")
    with mlflow.start_run() as run:
        mlflow.log_metrics(FLAT)
        mlflow.log_params({name: result.signature for name, result in REPORT.measures.items()})
    found = client.get_run(run.info.run_id).data
    assert found.metrics == FLAT
    assert found.params["span_f"] == REPORT.measures["span_f"].signature


def test_wandb(tmp_path, monkeypatch):
    wandb = pytest.importorskip("wandb", reason="wandb is not installed")
    monkeypatch.chdir(tmp_path)
    with wandb.init(mode="offline", dir=tmp_path, settings=wandb.Settings(silent=True)) as run:
        run.log(FLAT)
        assert {key: run.summary[key] for key in FLAT} == FLAT

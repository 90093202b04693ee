"""Integrations with other libraries: evaluate, the Trainer, torchmetrics, scikit-learn, LightEval, Dask."""

"""Glue to other libraries: evaluate, the Trainer, Dask."""

"""Reproduction of all published tables, and what a choice of scoring changes on corpora.

The tagger needs the extra `experiments`.
"""

"""Every published table, and what a choice of scoring is worth on corpora; the tagger needs the extra `experiments`."""

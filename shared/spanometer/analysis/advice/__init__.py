"""Which measure suits a corpus."""

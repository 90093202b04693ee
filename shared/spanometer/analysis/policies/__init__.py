"""Scores under every repair policy, and under every grounding policy."""

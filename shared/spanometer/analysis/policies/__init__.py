"""Score under every policy of repair, and under every policy of grounding."""

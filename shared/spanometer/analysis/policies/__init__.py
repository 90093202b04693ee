"""What a choice is worth: scores under every policy of repair, and of grounding."""

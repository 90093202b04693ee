"""A stand-in for the Hub on this machine, and what runs against it."""

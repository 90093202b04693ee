"""What the official scorers of shared tasks, libraries and benchmarks compute, by name: a TOML file for each."""

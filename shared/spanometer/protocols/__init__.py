"""What official scorers of shared tasks, libraries and benchmarks compute: one TOML file for each."""

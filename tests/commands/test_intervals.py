"""Confidence intervals on the command line."""


def test_a_seed_without_draws(run, file):
    """What changes nothing is refused; what draws has the seed, the intervals without each annotator too."""
    rows = [f"w{n} {tag}\n" + "\n" * (n % 3 == 2) for n, tag in enumerate(["B-A", "O", "B-B", "I-B", "O", "B-A"] * 6)]
    paths = [file(f"{n}.conll", "".join(rows[:n]) + "".join(rows[n:]).replace("B-A", "O", n)) for n in (1, 3, 5)]
    for command, *more in (
        ("agree", "--confidence", "0.9"),
        ("agree", "--measures", "chance_kappa_f1(n_simulations=5)"),
        ("agree", "--measures", "gamma"),
        ("score", "--confidence", "0.9"),
        ("agree", "--leave-one-out"),
    ):
        made = [run(command, *paths, *more, "--seed", seed) for seed in ("3", "3", "4")]
        assert [status for status, *_ in made] == [0, 0, 0]
        assert made[0] == made[1] != made[2]

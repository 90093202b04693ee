"""Where systems go wrong: kinds of errors, what each costs, examples."""

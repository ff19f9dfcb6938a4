"""What checks of different readers share."""

STATISTICS = {  # by ArviZ's names: the columns of Stan
    "lp": "lp__",
    "acceptance_rate": "accept_stat__",
    "step_size": "stepsize__",
    "tree_depth": "treedepth__",
    "n_steps": "n_leapfrog__",
    "diverging": "divergent__",
    "energy": "energy__",
}


def check(name, problem):
    """Prints the line of a check; a problem is None, or says what is wrong."""
    print(f"FAILED: {name}: {problem}" if problem else f"passed: {name}")

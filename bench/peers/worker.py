"""One sampler on one case, several runs in a process of its own: worker.py PEER VARIANT CASE OUT --runs N --limit S

Writes for each run OUT/N.draws, doubles [quantity, chain, draw], and OUT/N.json with what it cost: seconds of CPU time,
of all threads, without compilation, and how often JAX or Numba compiled something meanwhile, which ought to be never.
After the limit no further run begins.
"""
import argparse
import importlib
import json
import pathlib
import time

import numpy as np

from cases import case_at
from compilations import Compilations


def main():
    parser = argparse.ArgumentParser()
    for name in ("peer", "variant", "case", "out"):
        parser.add_argument(name)
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--limit", type=float, default=60)
    parser.add_argument("--chains", type=int, default=4)
    parser.add_argument("--warmup", type=int, default=1000)
    parser.add_argument("--draws", type=int, default=1000)
    options = parser.parse_args()

    run = importlib.import_module(options.peer).prepare(
        case_at(options.case), options.variant, options.chains, options.warmup, options.draws)
    repeat(run, options)


def repeat(run, options):
    """Runs with seeds 1, 2, …, and what they leave."""
    compilations = Compilations()
    begin = time.process_time()
    for seed in range(1, options.runs + 1):
        before = compilations.count()
        draws, facts = run(seed)  # draws: chain, draw, quantity
        facts["compilations"] = compilations.count() - before
        write_run(pathlib.Path(options.out) / str(seed), np.asarray(draws), facts)
        if time.process_time() - begin > options.limit:
            break


def write_run(stem, draws, facts):
    draws.transpose(2, 0, 1).astype(np.float64).tofile(f"{stem}.draws")
    pathlib.Path(f"{stem}.json").write_text(json.dumps({"chains": draws.shape[0], "draws": draws.shape[1], **facts}))


if __name__ == "__main__":
    main()

"""One sampler on one model of python_models.py, or on a Stan program, several runs in a process of its own:
python_worker.py METHOD MODEL OUT --runs N --limit S, with what worker.py writes.

Each has its defaults, four chains on one core, and one short run before the clock runs, in which it may compile. Time is all that a user
waits for when a model is there, traces included; the samplers say how many gradients warm-up took, and time is divided as these are."""
import argparse
import time

import numpy as np

from python_models import MODELS, STAN
from worker import repeat

CHAINS, DRAWS = 4, 1000


def flat(posterior):
    """Every quantity that the trace has: chain, draw, quantity."""
    return np.concatenate([np.asarray(values).reshape(CHAINS, DRAWS, -1) for values in posterior], axis=2)


def timed(sample):
    """sample(seed) -> posterior, gradients of warm-up, gradients after it."""
    def run(seed):
        begin = time.process_time()
        posterior, before, after = sample(seed)
        seconds = time.process_time() - begin
        return flat(posterior), {"warmup_seconds": seconds * before / (before + after),
                                 "sampling_seconds": seconds * after / (before + after), "gradients": int(after)}

    return run


def darboux(name):
    import darboux as package
    if name.startswith("pymc"):
        model = package.from_pymc(MODELS[name]())
    elif name.startswith("numpyro"):
        model = package.from_numpyro(MODELS[name]())
    else:
        model = package.from_stan(STAN / f"{name}.stan", STAN / f"{name}.data.json")

    def sample(seed, **more):
        trace = package.sample(model, draws=DRAWS, chains=CHAINS, cores=1, seed=seed, progressbar=False, **more)
        cost = trace.darboux.cost
        return trace.posterior.values(), cost["warmup_gradients"], cost["sampling_gradients"]

    sample(0, tune=20)
    return timed(sample)


def nutpie(name):
    import nutpie as package
    model = package.compile_pymc_model(MODELS[name]())

    def sample(seed, **more):
        trace = package.sample(model, draws=DRAWS, chains=CHAINS, cores=1, seed=seed, progress_bar=False, **more)
        before, after = (float(group["n_steps"].sum()) for group in (trace.warmup_sample_stats, trace.sample_stats))
        return trace.posterior.values(), before, after

    sample(0, tune=20)
    return timed(sample)


def numpyro(name):
    """Compiled ahead, because MCMC.run compiles anew for every chain. Draws are of all that the trace of MCMC.run would have."""
    import types

    import jax
    from jax.flatten_util import ravel_pytree
    from numpyro.infer.util import initialize_model
    from numpyro_nuts import nuts_run
    jax.config.update("jax_enable_x64", True)
    model = initialize_model(jax.random.key(0), MODELS[name]())
    start, tree = ravel_pytree(model.param_info.z)
    uniform = types.SimpleNamespace(  # as NumPyro starts
        starts=lambda seed, chains: np.random.default_rng(seed).uniform(-2, 2, (chains, start.size)))
    return nuts_run(uniform, lambda q: model.potential_fn(tree(q)), CHAINS, 1000, DRAWS,
                    reported=lambda q: ravel_pytree(model.postprocess_fn(tree(q)))[0])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("method", choices=["darboux", "nutpie", "numpyro"])
    parser.add_argument("model")
    parser.add_argument("out")
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--limit", type=float, default=60)
    options = parser.parse_args()
    repeat(globals()[options.method](options.model), options)


if __name__ == "__main__":
    main()

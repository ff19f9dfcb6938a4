"""What a device is worth to models of JAX: a logistic regression, for more and more chains.

[JAX_PLATFORMS=cpu] python bench/jax_device.py ROWS COLUMNS CHAINS…, with Darboux and JAX installed; once with and once without the variable.
One call serves all chains, so that its cost per chain falls as chains grow in number. Everything is in double precision."""
import sys
import time
import warnings

import jax
import jax.numpy as jnp
import numpy as np

import darboux

ROWS, COLUMNS, *CHAINS = map(int, sys.argv[1:])


def data():
    random = np.random.default_rng(1)
    x = random.normal(size=(ROWS, COLUMNS))
    return x, random.uniform(size=ROWS) < 1 / (1 + np.exp(-x @ random.normal(0, 0.3, COLUMNS)))


def main():
    x, y = data()

    def log_density(q):
        z = jnp.asarray(x) @ q
        return jnp.asarray(y, dtype=float) @ z - jnp.logaddexp(0.0, z).sum() - 0.5 * q @ q

    print(f"{ROWS} rows, {COLUMNS} columns; JAX {jax.__version__} on {jax.devices()[0]}, Darboux {darboux.__version__}")
    model = darboux.from_jax(log_density, COLUMNS)
    for chains in CHAINS:
        darboux.sample(model, draws=2, tune=2, chains=chains, init="uniform", seed=1, progressbar=False)  # compiles
        begin = time.perf_counter()
        trace = darboux.sample(model, draws=200, tune=200, chains=chains, seed=1, progressbar=False)
        seconds = time.perf_counter() - begin
        gradients = sum(trace.darboux.cost[f"{phase}_gradients"] for phase in ("warmup", "sampling"))
        q = trace.posterior["q"][..., 0]
        print(f"{chains:5} chains: {seconds:7.2f} s, {gradients:8} gradients, {1e6 * seconds / gradients:8.1f} us each; "
              f"first coefficient {q.mean():.4f}, spread {q.std():.4f}", flush=True)


if __name__ == "__main__":
    warnings.filterwarnings("ignore", message="Found chain dimension to be longer")
    main()

"""Chains in JAX: compiled ahead, one after another or together in one vectorised program, and timed."""
import time

import jax
import jax.numpy as jnp
import numpy as np


def compiled_run(case, chains, adapt, sample, together):
    """A run as a function of the seed, for which nothing is left to compile. Of one chain: adapt(key, start) -> tuned and
    sample(key, tuned) -> (positions, gradients) of each draw. Phases named in `together` have all chains vectorised."""
    def over_chains(phase, of_one):
        return jax.vmap(of_one) if phase in together else lambda *args: jax.lax.map(lambda each: of_one(*each), args)

    adapt, sample = over_chains("warm-up", adapt), over_chains("sampling", sample)

    def inputs(seed):
        keys = jax.random.split(jax.random.key(seed), 2 * chains)
        return keys[:chains], keys[chains:], jnp.asarray(case.starts(seed, chains))

    first, second, starts = inputs(0)
    adapt_all = jax.jit(adapt).lower(first, starts).compile()
    sample_all = jax.jit(sample).lower(second, jax.eval_shape(adapt, first, starts)).compile()

    def run(seed):
        first, second, starts = jax.block_until_ready(inputs(seed))
        begin = time.process_time()
        tuned = jax.block_until_ready(adapt_all(first, starts))
        warm = time.process_time()
        values, steps = jax.block_until_ready(sample_all(second, tuned))
        end = time.process_time()
        return values, {"warmup_seconds": warm - begin, "sampling_seconds": end - warm,
                        "gradients": int(np.asarray(steps).sum())}

    return run

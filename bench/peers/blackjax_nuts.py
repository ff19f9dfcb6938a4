"""BlackJAX's NUTS after its window adaptation. defaults: diagonal metric, one chain after another; best: dense metric,
16 chains vectorised."""
import time

import blackjax
import jax
import jax.numpy as jnp

from jax_densities import log_density_of


def prepare(case, variant, warmup, draws):
    log_density = log_density_of(case)
    best = variant == "best"
    chains = 16 if best else 4
    over_chains = jax.vmap if best else lambda f: lambda *args: jax.lax.map(lambda each: f(*each), args)
    adaptation = blackjax.window_adaptation(blackjax.nuts, log_density, is_mass_matrix_diagonal=not best)

    def adapt(key, start):
        (state, parameters), _ = adaptation.run(key, start, warmup)
        return state, parameters

    def sample(key, state, parameters):
        step = blackjax.nuts(log_density, **parameters).step

        def one(state, key):
            state, info = step(key, state)
            return state, (state.position, info.num_integration_steps)

        return jax.lax.scan(one, state, jax.random.split(key, draws))[1]

    keys, starts = jax.random.split(jax.random.key(0), chains), jnp.asarray(case.starts(0, chains))
    adapt_all = jax.jit(over_chains(adapt)).lower(keys, starts).compile()
    tuned = adapt_all(keys, starts)
    sample_all = jax.jit(over_chains(sample)).lower(keys, *tuned).compile()

    def run(seed):
        keys = jax.random.split(jax.random.key(seed), 2 * chains)
        starts = jnp.asarray(case.starts(seed, chains))
        begin = time.process_time()
        tuned = jax.block_until_ready(adapt_all(keys[:chains], starts))
        warm = time.process_time()
        values, steps = jax.block_until_ready(sample_all(keys[chains:], *tuned))
        end = time.process_time()
        return values, {"warmup_seconds": warm - begin, "sampling_seconds": end - warm, "gradients": int(steps.sum())}

    return run

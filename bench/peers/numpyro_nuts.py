"""NumPyro's NUTS. defaults: diagonal metric, one chain after another; best: dense metric, 16 chains vectorised."""
import time

import jax
import jax.numpy as jnp
from numpyro.infer import MCMC, NUTS

from jax_densities import log_density_of


def prepare(case, variant, warmup, draws):
    log_density = log_density_of(case)
    best = variant == "best"
    mcmc = MCMC(NUTS(potential_fn=lambda q: -log_density(q), dense_mass=best), num_warmup=warmup, num_samples=draws,
                num_chains=16 if best else 4, chain_method="vectorized" if best else "sequential", progress_bar=False)

    def run(seed):
        key, starts = jax.random.key(seed), jnp.asarray(case.starts(seed, mcmc.num_chains))
        begin = time.process_time()
        mcmc.warmup(key, init_params=starts, extra_fields=("num_steps",))
        jax.block_until_ready(mcmc.post_warmup_state)
        warm = time.process_time()
        mcmc.run(mcmc.post_warmup_state.rng_key, extra_fields=("num_steps",))
        values = jax.block_until_ready(mcmc.get_samples(group_by_chain=True))
        end = time.process_time()
        steps = mcmc.get_extra_fields()["num_steps"].sum()
        return values, {"warmup_seconds": warm - begin, "sampling_seconds": end - warm, "gradients": int(steps)}

    run(0)  # compiles; what is compiled is kept
    return run

"""NumPyro's NUTS, its kernel in functions that are compiled before the clock runs, as MCMC.run would call it.
defaults: diagonal metric, one chain after another; best: dense metric, and chains vectorised where that is faster."""
import jax
from numpyro.infer import NUTS

from jax_chains import compiled_run
from jax_densities import log_density_of


def prepare(case, variant, chains, warmup, draws):
    log_density = log_density_of(case)
    best = variant == "best"
    return nuts_run(case, lambda q: -log_density(q), chains, warmup, draws, dense=best, together=case.together if best else ())


def nuts_run(case, potential, chains, warmup, draws, dense=False, together=(), reported=lambda q: q):
    """A run as a function of the seed, from case.starts; of each draw q, reported(q) is kept."""
    kernel = NUTS(potential_fn=potential, dense_mass=dense)

    def step(state):
        return kernel.sample(state, (), {})

    def adapt(key, start):
        return jax.lax.fori_loop(0, warmup, lambda _, state: step(state), kernel.init(key, warmup, start, (), {}))

    def sample(_, state):
        def one(state, _):
            state = step(state)
            return state, (reported(state.z), state.num_steps)

        return jax.lax.scan(one, state, None, length=draws)[1]

    return compiled_run(case, chains, adapt, sample, together)

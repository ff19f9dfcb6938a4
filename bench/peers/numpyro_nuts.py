"""NumPyro's NUTS, its kernel in functions that are compiled before the clock runs, as MCMC.run would call it.
defaults: diagonal metric, one chain after another; best: dense metric, and chains vectorised where that is faster."""
import jax
from numpyro.infer import NUTS

from jax_chains import compiled_run
from jax_densities import log_density_of


def prepare(case, variant, chains, warmup, draws):
    log_density = log_density_of(case)
    kernel = NUTS(potential_fn=lambda q: -log_density(q), dense_mass=variant == "best")

    def step(state):
        return kernel.sample(state, (), {})

    def adapt(key, start):
        return jax.lax.fori_loop(0, warmup, lambda _, state: step(state), kernel.init(key, warmup, start, (), {}))

    def sample(_, state):
        def one(state, _):
            state = step(state)
            return state, (state.z, state.num_steps)

        return jax.lax.scan(one, state, None, length=draws)[1]

    return compiled_run(case, chains, adapt, sample, together=case.together if variant == "best" else ())

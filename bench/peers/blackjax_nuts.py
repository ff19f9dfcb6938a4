"""BlackJAX's NUTS after its window adaptation. defaults: diagonal metric, one chain after another; best: dense metric, and
chains vectorised where that is faster."""
import blackjax
import jax

from jax_chains import compiled_run
from jax_densities import log_density_of


def prepare(case, variant, chains, warmup, draws):
    log_density = log_density_of(case)
    best = variant == "best"
    adaptation = blackjax.window_adaptation(blackjax.nuts, log_density, is_mass_matrix_diagonal=not best)

    def adapt(key, start):
        return adaptation.run(key, start, warmup)[0]

    def sample(key, tuned):
        state, parameters = tuned
        step = blackjax.nuts(log_density, **parameters).step

        def one(state, key):
            state, info = step(key, state)
            return state, (state.position, info.num_integration_steps)

        return jax.lax.scan(one, state, jax.random.split(key, draws))[1]

    return compiled_run(case, chains, adapt, sample, together=case.together if best else ())

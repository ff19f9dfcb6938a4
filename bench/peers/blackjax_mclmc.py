"""BlackJAX's adjusted_mclmc in its dynamic form, microcanonical HMC with a diagonal metric, which its authors recommend and tune by
themselves: two integration steps a draw in mean, of two gradients each. Its tuning takes 0.3 of the iterations that it is told; it is told
so many that this is the warm-up that others have. defaults: one chain after another; best: chains vectorised where that is faster."""
import blackjax
import jax
from blackjax.mcmc import adjusted_mclmc_dynamic
from blackjax.mcmc.adjusted_mclmc_dynamic import make_random_trajectory_length_fn

from jax_chains import compiled_run
from jax_densities import log_density_of

GRADIENTS_OF_STEP = 2  # of isokinetic_mclachlan, its integrator
SHARE_OF_TUNING = 0.1, 0.1, 0.0  # its defaults: the first is spent twice
TARGET_ACCEPTANCE = 0.9  # that is recommended where trajectories have random lengths


def prepare(case, variant, chains, warmup, draws):
    log_density = log_density_of(case)
    kernel = adjusted_mclmc_dynamic.build_kernel(integration_steps_fn=make_random_trajectory_length_fn(True))
    first, second, third = SHARE_OF_TUNING

    def adapt(key, start):
        key, of_lengths = jax.random.split(key)
        state = adjusted_mclmc_dynamic.init(start, log_density, of_lengths)
        state, tuned, _ = blackjax.adjusted_mclmc_find_L_and_step_size(
            kernel, log_density, round(warmup / (2 * first + second)), state, key, TARGET_ACCEPTANCE,
            frac_tune1=first, frac_tune2=second, frac_tune3=third)
        return state, tuned

    def sample(key, tuned):
        state, parameters = tuned

        def one(state, key):
            state, info = kernel(key, state, log_density, parameters.step_size, inverse_mass_matrix=parameters.inverse_mass_matrix,
                                 integration_steps_params=(parameters.L / parameters.step_size,))
            return state, (state.position, GRADIENTS_OF_STEP * info.num_integration_steps)

        return jax.lax.scan(one, state, jax.random.split(key, draws))[1]

    return compiled_run(case, chains, adapt, sample, together=case.together if variant == "best" else ())

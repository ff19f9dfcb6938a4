"""How often JAX and Numba compiled something, by their own account: timed runs must not."""
import sys

JAX_EVENT = "/jax/core/compile/backend_compile_duration"


class Compilations:
    """Recorded from now on, for those of the two that are loaded."""

    def __init__(self):
        self.of_jax, self.of_numba = [], []
        if "jax" in sys.modules:
            import jax.monitoring
            jax.monitoring.register_event_duration_secs_listener(lambda event, *_, **__: self.of_jax.append(event))
        if "numba" in sys.modules:
            import numba.core.event
            recorder = numba.core.event.RecordingListener()
            numba.core.event.register("numba:compile", recorder)
            self.of_numba = recorder.buffer

    def count(self):
        return self.of_jax.count(JAX_EVENT) + sum(event.is_start for _, event in self.of_numba)

#pragma once

/// What help() says about classes that are public in Python; examples are run by its tests.
namespace darboux::python {

inline constexpr const char* model_doc =
    R"(What can be sampled: made by ``from_numpy`` and its like, or by ``darboux.models``.

>>> import darboux
>>> model = darboux.models.named("gaussian", 2)
>>> model.dim, model.names
(2, ['q[1]', 'q[2]']))";

inline constexpr const char* structure_doc =
    R"(A phase space: the Poisson brackets {q, q} = E, {q, p} = A, {p, p} = G, as matrices.

E and G are skew-symmetric, and 0 where they are left out; A is then the identity. Give it to ``sample`` as ``structure=``.

>>> import darboux
>>> darboux.Structure(G=[[0, 1], [-1, 0]]).dim
2)";

inline constexpr const char* tuning_doc =
    R"(What warm-up found, from ``trace.darboux.tuning``; ``sample(…, tuning=…)`` takes it.

>>> import darboux
>>> model = darboux.models.named("gaussian", 2)
>>> first = darboux.sample(model, seed=1, progressbar=False)
>>> again = darboux.sample(model, seed=2, progressbar=False, tuning=first.darboux.tuning)
>>> again.darboux.tuning.step_size == first.darboux.tuning.step_size
True)";

}  // namespace darboux::python

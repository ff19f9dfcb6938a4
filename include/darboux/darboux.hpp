#pragma once

// All of the library: write a model, sample(model), look at the draws.
//
//     darboux::Draws draws = darboux::sample(darboux::differentiate(2, my_log_density), {.seed = 1});
//     std::puts(draws.summary().text.c_str());

#include "darboux/core/batch.hpp"
#include "darboux/core/choices.hpp"
#include "darboux/core/enumeration.hpp"
#include "darboux/core/error.hpp"
#include "darboux/core/random.hpp"
#include "darboux/core/status.hpp"
#include "darboux/core/value_tree.hpp"
#include "darboux/diagnose/chain_draws.hpp"
#include "darboux/diagnose/ess.hpp"
#include "darboux/diagnose/rhat.hpp"
#include "darboux/diagnose/summary.hpp"
#include "darboux/linalg/low_rank.hpp"
#include "darboux/linalg/matrix.hpp"
#include "darboux/linalg/structured_matrix.hpp"
#include "darboux/model/differentiate.hpp"
#include "darboux/model/dual.hpp"
#include "darboux/model/function_model.hpp"
#include "darboux/model/lane_evaluator.hpp"
#include "darboux/model/logistic_regression.hpp"
#include "darboux/model/model.hpp"
#include "darboux/model/registry.hpp"
#include "darboux/run/draws.hpp"
#include "darboux/run/sample.hpp"
#include "darboux/sample/draw.hpp"
#include "darboux/sample/draw_sink.hpp"
#include "darboux/sample/sample_options.hpp"
#include "darboux/sample/sample_result.hpp"
#include "darboux/sample/tuning.hpp"
#include "darboux/stan/stan_model.hpp"
#include "darboux/structure/poisson_structure.hpp"
#include "darboux/structure/recipes.hpp"
#include "darboux/version.hpp"

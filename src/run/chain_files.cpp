#include "run/chain_files.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <exception>

#include "darboux/core/error.hpp"
#include "linalg/dense.hpp"

namespace darboux {

namespace {

MetricShape shape_of(const RunPlan& plan) {
  if ((plan.options.warmup == 0 && !plan.tuning) || plan.options.metric == Metric::identity) return MetricShape::unit;
  return plan.options.metric == Metric::dense ? MetricShape::dense : MetricShape::diagonal;
}

/// Stan's inverse metric is the covariance estimate, L Lᵀ here, in the shape that the header announced: a short warm-up may
/// have found a simpler one, and of one of low rank, for which Stan has no name, it is the diagonal.
Adaptation adaptation(const Tuning& tuning, MetricShape shape) {
  Adaptation a{.step_size = tuning.step_size, .metric = shape, .inverse_metric = {}};
  const Index n = tuning.factor.dim();
  if (shape == MetricShape::diagonal && tuning.factor.kind() == StructuredMatrix::Kind::low_rank)
    a.inverse_metric = tuning.factor.low_rank().variances();
  else if (shape == MetricShape::diagonal)
    for (Index i = 0; i < n; ++i) a.inverse_metric.push_back(tuning.factor(i, i) * tuning.factor(i, i));
  if (shape == MetricShape::dense) {
    const Matrix l = tuning.factor.matrix();
    const Matrix covariance = l * l.transposed();
    a.inverse_metric.assign(covariance.data(), covariance.data() + n * n);
  }
  return a;
}

/// Every chain keeps two files open. Asks the system for as many, as far as it allows.
void require_open_files(Index chains) {
  constexpr rlim_t others = 32;
  const rlim_t wanted = 2 * static_cast<rlim_t>(chains) + others;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted) return;
  if (limit.rlim_max < wanted)
    throw InputError(fmt::format(
        "chains = {}: each keeps two files open, and a process may open {} here (ulimit -Hn): must be at most {}",
        chains, limit.rlim_max, limit.rlim_max > others ? (limit.rlim_max - others) / 2 : 0));
  limit.rlim_cur = wanted;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

ChainFiles::ChainFiles(RunDirectory& directory, const RunConfig& config, const RunPlan& plan)
    : thin_(config.thin), warmup_(plan.options.warmup), save_warmup_(config.save_warmup), metric_(shape_of(plan)) {
  const SampleOptions& o = plan.options;
  require_open_files(o.chains);
  for (Index c = 0; c < o.chains; ++c) {
    StanCsvHeader header{.model = config.model,
                         .seed = o.seed,
                         .chain = static_cast<int>(c + 1),
                         .warmup_iterations = o.warmup,
                         .sampling_iterations = o.draws,
                         .thin = config.thin,
                         .save_warmup = config.save_warmup,
                         .adapts = o.warmup > 0,
                         .target_acceptance = o.target_acceptance.value(),
                         .max_tree_depth = o.kernel.max_depth,
                         .metric = metric_,
                         .first_step_size = o.integrator_options.step_size,
                         .data_file = config.data,
                         .started = {},
                         .notes = {{"integrator", std::string(name(o.integrator))}}};
    for (const auto& field : run_fields())
      if (const auto value = field.get(config); value && field.name != "integrator" && field.name != "metric")
        header.notes.emplace_back(field.name, text_of(*value));
    writers_.push_back(
        std::make_unique<StanCsvWriter>(directory.chain_files(header.chain), header, plan.model->names()));
  }
}

void ChainFiles::draw(const Draw& draw) {
  if (draw.is_warmup && !save_warmup_) return;
  const int in_phase = draw.is_warmup ? draw.iteration : draw.iteration - warmup_;
  if (in_phase % thin_ != 0) return;
  const Transition& t = *draw.transition;
  writers_[static_cast<std::size_t>(draw.chain)]->draw(draw.values, {.log_density = draw.log_density,
                                                                     .acceptance = t.acceptance_probability,
                                                                     .step_size = draw.step_size,
                                                                     .energy = t.energy,
                                                                     .energy_error = t.energy_error,
                                                                     .tree_depth = t.tree_depth,
                                                                     .steps = draw.steps,
                                                                     .solver_iterations = t.solver_iterations,
                                                                     .gradients = t.gradients,
                                                                     .direction = t.direction < 0.0 ? -1 : 1,
                                                                     .accepted = t.accepted,
                                                                     .status = t.status});
}

void ChainFiles::end_warmup(const Tuning& tuning) {
  const Adaptation found = adaptation(tuning, metric_);
  for (const auto& writer : writers_) writer->end_warmup(found);
}

void ChainFiles::flush() {
  for (const auto& writer : writers_) writer->flush();
}

/// One file that cannot be written is no reason to leave the others without an end.
void ChainFiles::finish(const SampleResult& result) {
  std::exception_ptr failure;
  for (const auto& writer : writers_) {
    try {
      writer->finish({.warmup = result.warmup_seconds, .sampling = result.sampling_seconds});
    } catch (const std::exception&) {
      if (!failure) failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

std::vector<DrawFile> ChainFiles::files() const {
  std::vector<DrawFile> files;
  for (std::size_t c = 0; c < writers_.size(); ++c)
    files.push_back(draw_file_entry(static_cast<int>(c + 1), *writers_[c]));
  return files;
}

}  // namespace darboux

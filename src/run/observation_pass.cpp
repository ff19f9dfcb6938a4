#include "run/observation_pass.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "core/parallel.hpp"
#include "darboux/core/error.hpp"
#include "draws/observation_file.hpp"
#include "draws/row_file.hpp"
#include "draws/stan_csv_reader.hpp"
#include "run/model_source.hpp"

namespace darboux {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view log_likelihood_folder = "log_likelihood", predictive_folder = "posterior_predictive";

struct StoppedPass {};

std::string column_names(std::string_view variable, Index count) {
  std::string line;
  for (Index i = 1; i <= count; ++i) line += fmt::format("{}{}.{}", i > 1 ? "," : "", variable, i);
  return line + "\n";
}

/// One chain's part of the pass.
class ChainPass {
 public:
  /// The folders for its files are there.
  ChainPass(const fs::path& run, const RunPlan& plan, const DrawFile& file)
      : draws_(run / file.file),
        rows_(file.rows),
        names_(plan.sample.model->names().size()),
        observations_(plan.sample, file.chain - 1),
        row_(at(observations_.size())) {
    const auto open = [&](std::optional<RowFile>& to, std::string_view folder, std::string_view variable,
                          const std::string& about) {
      to.emplace(run / fmt::format(".darboux-{}-{}.tmp", folder, file.chain), run / folder / file.file,
                 fmt::format("# {} of chain {}\n", about, file.chain) + column_names(variable, observations_.size()));
    };
    if (plan.config.log_likelihood) {
      likelihood_.resize(row_.size());
      open(log_likelihood_, log_likelihood_folder, "log_lik", "log p(y[i] | draw): row k belongs to draw k");
    }
    if (plan.config.posterior_predictive) {
      predictions_ = std::min<Index>(*plan.config.posterior_predictive, rows_);
      open(predictive_, predictive_folder, "y_rep",
           predictions_ == rows_ ? std::string("What might have been observed: row k belongs to draw k")
                                 : fmt::format("What might have been observed, at {0} of {1} draws: row k, from 1, "
                                               "belongs to draw floor((2 k - 1) {1} / {2}) + 1",
                                               predictions_, rows_, 2 * predictions_));
    }
  }

  /// Returns the sum over draws of p(y_i | draw), where their logarithms are written.
  std::vector<double> run(const std::atomic<bool>* stop) {
    std::vector<std::size_t> columns(names_);
    std::iota(columns.begin(), columns.end(), draws_.columns().size() - names_);
    (void)draws_.for_each_row(columns, [&](std::span<const double> draw, Phase phase) {
      if (phase == Phase::warmup) return;
      if (stop != nullptr && *stop) throw StoppedPass();
      observe(draw);
    });
    if (log_likelihood_) log_likelihood_->finish();
    if (predictive_) predictive_->finish();
    return likelihood_;
  }

 private:
  void observe(std::span<const double> draw) {
    if (log_likelihood_) {
      observations_.log_likelihood(draw, row_);
      log_likelihood_->add(row_);
      for (std::size_t i = 0; i < row_.size(); ++i) likelihood_[i] += std::exp(row_[i]);
    }
    if (predicted_ < predictions_ && place_ == spread(predicted_, predictions_, rows_)) {
      observations_.predict(draw, place_, row_);
      predictive_->add(row_);
      ++predicted_;
    }
    ++place_;
  }

  StanCsvReader draws_;
  Index rows_;
  std::size_t names_;
  ChainObservations observations_;
  std::vector<double> row_, likelihood_;
  std::optional<RowFile> log_likelihood_, predictive_;
  Index predictions_ = 0, predicted_ = 0, place_ = 0;
};

/// In the order of chains: sums do not depend on threads.
ObservationSummary summary_of(const Model& model, const std::vector<std::vector<double>>& sums,
                              const RunManifest& manifest) {
  ObservationSummary summary{.observed = model.make_observations()->observed(), .likelihood = sums.front()};
  std::int64_t draws = 0;
  for (const DrawFile& file : manifest.files) draws += file.rows;
  for (std::size_t i = 0; i < summary.likelihood.size(); ++i) {
    for (std::size_t c = 1; c < sums.size(); ++c) summary.likelihood[i] += sums[c][i];
    summary.likelihood[i] /= static_cast<double>(draws);
  }
  return summary;
}

}  // namespace

void require_observations(const RunConfig& config, const Model& model) {
  if (!config.log_likelihood && !config.posterior_predictive) return;
  if (model.make_observations() != nullptr) return;
  const std::string_view setting = config.log_likelihood ? "log-likelihood" : "posterior-predictive";
  if (is_stan(config.model))
    throw InputError(fmt::format(
        "{} is given, but {} is a Stan program: leave it out, and compute log_lik and y_rep in its generated "
        "quantities. They are columns of the draws then",
        setting, config.model));
  throw InputError(fmt::format(
      "{} is given, but model {} tells nothing of single observations: leave it out. Of the built-in models logistic "
      "does; one of your own in C++ does with Model::make_observations",
      setting, config.model));
}

Index spread(Index k, Index count, Index draws) { return (2 * k + 1) * draws / (2 * count); }

ChainObservations::ChainObservations(const SamplePlan& plan, Index chain)
    : model_(plan.model),
      observations_(model_->make_observations()),
      key_{.seed = plan.asked.seed.value(),
           .purpose = Purpose::posterior_predictive,
           .chain = static_cast<std::uint64_t>(chain)},
      thin_(plan.asked.thin) {
  if (!observations_)
    throw InputError("the model tells nothing of single observations: override Model::make_observations");
}

void ChainObservations::predict(std::span<const double> draw, Index place, std::span<double> out) {
  RandomKey key = key_;
  key.iteration = static_cast<std::uint64_t>(place) * static_cast<std::uint64_t>(thin_);  // whatever is kept
  RandomStream random(key);
  observations_->predict(draw, random, out);
}

bool write_observations(RunDirectory& directory, const RunPlan& plan, const std::atomic<bool>* stop,
                        RunManifest& manifest) {
  const bool predicts = plan.config.posterior_predictive.has_value();
  if (!plan.config.log_likelihood && !predicts) return true;
  if (plan.config.log_likelihood) (void)directory.chain_file(log_likelihood_folder, 1);
  if (predicts) (void)directory.chain_file(predictive_folder, 1);
  std::vector<std::vector<double>> sums(manifest.files.size());
  const int most = plan.sample.model->traits().max_concurrency;
  const int threads = most > 0 ? std::min(most, plan.sample.settings.threads) : plan.sample.settings.threads;
  try {
    parallel_for(threads, std::ssize(sums),
                 [&](Index c) { sums[at(c)] = ChainPass(directory.path(), plan, manifest.files[at(c)]).run(stop); });
  } catch (const StoppedPass&) {
    remove_observations(directory.path());
    return false;
  }
  write_observation_summary(summary_of(*plan.sample.model, sums, manifest), directory.file(observations_name));
  for (DrawFile& file : manifest.files) {
    if (plan.config.log_likelihood) file.log_likelihood = fmt::format("{}/{}", log_likelihood_folder, file.file);
    if (predicts) file.posterior_predictive = fmt::format("{}/{}", predictive_folder, file.file);
  }
  return true;
}

void remove_observations(const fs::path& run) {
  for (const std::string_view name : {log_likelihood_folder, predictive_folder, observations_name})
    fs::remove_all(run / name);
}

}  // namespace darboux

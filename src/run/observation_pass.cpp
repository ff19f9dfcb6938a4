#include "run/observation_pass.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "core/parallel.hpp"
#include "darboux/core/error.hpp"
#include "draws/chain_readers.hpp"
#include "draws/observation_file.hpp"
#include "draws/row_file.hpp"
#include "draws/zarr_sink.hpp"
#include "run/model_source.hpp"
#include "run/observation_groups.hpp"

namespace darboux {

namespace fs = std::filesystem;

namespace {

struct StoppedPass {};

std::string column_names(std::string_view variable, Index count) {
  std::string line;
  for (Index i = 1; i <= count; ++i) line += fmt::format("{}{}.{}", i > 1 ? "," : "", variable, i);
  return line + "\n";
}

/// Where the rows of one chain go.
struct RowOutput {
  std::optional<RowFile> file;
  ZarrRows* array = nullptr;
  Index chain = 0;

  void add(std::span<const double> row) {
    if (file) file->add(row);
    if (array != nullptr) array->add(chain, row);
  }
  void finish() {
    if (file) file->finish();
    if (array != nullptr) array->flush(chain);
  }
};

/// One chain's part of the pass.
class ChainPass {
 public:
  /// The folders for its files are there.
  ChainPass(const fs::path& run, const RunPlan& plan, const DrawFile& file, bool csv, const ObservationGroups* zarr)
      : draws_(open_chain(run, file).draws),
        rows_(file.rows),
        names_(plan.sample.model->names().size()),
        observations_(plan.sample, file.chain - 1),
        row_(at(observations_.size())) {
    log_likelihood_.chain = predictive_.chain = file.chain - 1;
    if (zarr != nullptr) {
      log_likelihood_.array = zarr->log_likelihood();
      predictive_.array = zarr->predictive();
    }
    const auto open = [&](RowOutput& to, std::string_view folder, std::string_view variable, const std::string& about) {
      if (!csv) return;
      to.file.emplace(
          run / fmt::format(".darboux-{}-{}.tmp", folder, file.chain), run / folder / file.file,
          fmt::format("# {} of chain {}\n", about, file.chain) + column_names(variable, observations_.size()));
    };
    if (plan.config.log_likelihood) {
      likelihood_.resize(row_.size());
      open(log_likelihood_, log_likelihood_name, "log_lik", "log p(y[i] | draw): row k belongs to draw k");
    }
    if (plan.config.posterior_predictive) {
      predictions_ = std::min<Index>(*plan.config.posterior_predictive, rows_);
      open(predictive_, predictive_name, "y_rep",
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
    log_likelihood_.finish();
    predictive_.finish();
    return likelihood_;
  }

 private:
  void observe(std::span<const double> draw) {
    if (!likelihood_.empty()) {
      observations_.log_likelihood(draw, row_);
      log_likelihood_.add(row_);
      for (std::size_t i = 0; i < row_.size(); ++i) likelihood_[i] += std::exp(row_[i]);
    }
    if (predicted_ < predictions_ && place_ == spread(predicted_, predictions_, rows_)) {
      observations_.predict(draw, place_, row_);
      predictive_.add(row_);
      ++predicted_;
    }
    ++place_;
  }

  StanCsvReader draws_;
  Index rows_;
  std::size_t names_;
  ChainObservations observations_;
  std::vector<double> row_, likelihood_;
  RowOutput log_likelihood_, predictive_;
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
                        RunManifest& manifest, const ObservationFormats& formats) {
  const bool tells = plan.config.log_likelihood, predicts = plan.config.posterior_predictive.has_value();
  if (!tells && !predicts) return true;
  if (tells && formats.csv) (void)directory.chain_file(log_likelihood_name, 1);
  if (predicts && formats.csv) (void)directory.chain_file(predictive_name, 1);
  std::optional<ObservationGroups> zarr;
  if (formats.zarr != nullptr)
    zarr.emplace(*formats.zarr,
                 observation_array(plan.sample.model->kept_data(), plan.sample.model->make_observations()->size()),
                 ObservationGroups::Wanted{.log_likelihood = tells, .predictions = predicts},
                 std::ssize(manifest.files));
  std::vector<std::vector<double>> sums(manifest.files.size());
  const int most = plan.sample.model->traits().max_concurrency;
  const int threads = most > 0 ? std::min(most, plan.sample.settings.threads) : plan.sample.settings.threads;
  try {
    parallel_for(threads, std::ssize(sums), [&](Index c) {
      sums[at(c)] =
          ChainPass(directory.path(), plan, manifest.files[at(c)], formats.csv, zarr ? &*zarr : nullptr).run(stop);
    });
  } catch (const StoppedPass&) {
    remove_observations(directory.path());
    return false;
  }
  const ObservationSummary summary = summary_of(*plan.sample.model, sums, manifest);
  write_observation_summary(summary, directory.file(observations_name));
  if (zarr) zarr->publish(manifest.files.front().rows, summary.observed);
  for (DrawFile& file : manifest.files) {
    if (!formats.csv) break;
    if (tells) file.log_likelihood = fmt::format("{}/{}", log_likelihood_name, file.file);
    if (predicts) file.posterior_predictive = fmt::format("{}/{}", predictive_name, file.file);
  }
  return true;
}

void remove_observations(const fs::path& run) {
  for (const std::string_view name : {log_likelihood_name, predictive_name, observations_name})
    fs::remove_all(run / name);
  for (const std::string_view group : {log_likelihood_name, predictive_name}) fs::remove_all(run / zarr_name / group);
}

}  // namespace darboux

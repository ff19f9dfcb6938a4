#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <span>

#include "darboux/model/model.hpp"
#include "draws/run_directory.hpp"
#include "draws/zarr_store.hpp"
#include "run/run_config.hpp"

/// What a model says of its observations at the draws of a run: a pass over draws that are there. It depends on the draws and the
/// seed alone, whatever threads there were and however often the run was gone on with.
namespace darboux {

/// Throws InputError, with what to do, where settings ask for what the model does not offer.
void require_observations(const RunConfig& config, const Model& model);

/// The place among `draws` of number k of `count` that are spread evenly over them: the middle of part k of as many equal parts.
[[nodiscard]] Index spread(Index k, Index count, Index draws);

/// Asks a model at the draws of one chain, counted from 0.
class ChainObservations {
 public:
  /// Throws InputError where the model says nothing of observations.
  ChainObservations(const SamplePlan& plan, Index chain);

  [[nodiscard]] Index size() const noexcept { return observations_->size(); }
  void log_likelihood(std::span<const double> draw, std::span<double> out) { observations_->log_likelihood(draw, out); }
  /// `place` of the draw among those of the chain that are kept.
  void predict(std::span<const double> draw, Index place, std::span<double> out);

 private:
  std::shared_ptr<const Model> model_;
  std::unique_ptr<Observations> observations_;
  RandomKey key_;
  int thin_;
};

/// What it is written as: Stan CSV in files beside the draws, groups of a Zarr store, or both.
struct ObservationFormats {
  bool csv = true;
  /// The groups log_likelihood and posterior_predictive, dims chain, draw, obs, and observed_data, which is what ArviZ expects; the
  /// array is y in all of them. Readers see them when they are whole.
  ZarrStore* zarr = nullptr;
};

/// Writes what settings ask for beside the draws, and tells the manifest. Every file appears whole or not at all; memory holds a row
/// of each chain at work. Returns false where it was stopped: nothing is there then that the manifest does not tell of.
[[nodiscard]] bool write_observations(RunDirectory& directory, const RunPlan& plan, const std::atomic<bool>* stop,
                                      RunManifest& manifest, const ObservationFormats& formats = {});
/// What an earlier part of a run that is gone on with has left of it.
void remove_observations(const std::filesystem::path& run);

}  // namespace darboux

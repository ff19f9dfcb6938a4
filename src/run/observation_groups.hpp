#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "darboux/model/model.hpp"
#include "draws/zarr_rows.hpp"

namespace darboux {

inline constexpr std::string_view log_likelihood_name = "log_likelihood", predictive_name = "posterior_predictive";

/// What arrays of observations are called, and their axes: as what was observed is among the data of the model, since ArviZ pairs them
/// by name.
struct ObservationArray {
  std::string name = "y";
  std::vector<Dimension> dims{};
  bool whole =
      false;  ///< outcomes are whole numbers, and so are predictions of them: ArviZ has figures for counts alone
  bool is_kept = false;  ///< what was observed is among the data
};
[[nodiscard]] ObservationArray observation_array(std::span<const ModelData> data, Index observations);

/// The groups log_likelihood and posterior_predictive of a Zarr store, each of one array, with the dimensions chain, draw, and those
/// of observations.
class ObservationGroups {
 public:
  struct Wanted {
    bool log_likelihood = false, predictions = false;
  };
  ObservationGroups(ZarrStore& store, ObservationArray array, Wanted wanted, Index chains);

  /// None where they are not wanted.
  [[nodiscard]] ZarrRows* log_likelihood() const noexcept { return log_likelihood_.get(); }
  [[nodiscard]] ZarrRows* predictive() const noexcept { return predictive_.get(); }

  /// Lets readers see them, of so many draws of each chain, and what was observed, where it is known and not there yet.
  void publish(Index draws, std::span<const double> observed = {});

 private:
  ZarrStore& store_;
  ObservationArray array_;
  std::unique_ptr<ZarrRows> log_likelihood_, predictive_;
};

}  // namespace darboux

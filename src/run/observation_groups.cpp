#include "run/observation_groups.hpp"

#include <numeric>
#include <utility>

#include "io/column_names.hpp"
#include "run/observation_pass.hpp"

namespace darboux {

ObservationArray observation_array(std::span<const ModelData> data, Index observations) {
  for (const ModelData& y : data) {
    if (!y.observed || std::ssize(y.values) != observations) continue;
    ObservationArray array{.name = stan_column_name(y.name), .whole = y.whole, .is_kept = true};
    for (const ModelData::Axis& axis : y.axes)
      array.dims.push_back({.name = axis.name, .size = axis.size, .labels = axis.labels});
    return array;
  }
  return {.dims = {{.name = "obs", .size = observations}}};
}

ObservationGroups::ObservationGroups(ZarrStore& store, ObservationArray array, Wanted wanted, Index chains)
    : store_(store), array_(std::move(array)) {
  std::size_t entries = 1;
  for (const Dimension& dimension : array_.dims) entries *= static_cast<std::size_t>(dimension.size);
  std::vector<std::size_t> places(entries);
  std::iota(places.begin(), places.end(), std::size_t{0});
  const auto add = [&](std::unique_ptr<ZarrRows>& rows, std::string_view group, std::string_view type) {
    store_.add_group(std::string(group));
    rows = std::make_unique<ZarrRows>(
        store_,
        std::vector{DrawVariable{
            .group = std::string(group), .name = array_.name, .dims = array_.dims, .places = places, .type = type}},
        chains);
  };
  if (wanted.log_likelihood) add(log_likelihood_, log_likelihood_name, zarr_type::real);
  if (wanted.predictions) add(predictive_, predictive_name, array_.whole ? zarr_type::integer : zarr_type::real);
}

void ObservationGroups::publish(Index draws, std::span<const double> observed) {
  if (!observed.empty() && !array_.is_kept) {
    store_.add_group("observed_data");
    store_.add_data("observed_data", array_.name, array_.dims, observed);
  }
  if (log_likelihood_) log_likelihood_->publish();
  if (!predictive_) return;
  const std::int64_t count = predictive_->publish();
  if (count == draws) return;
  std::vector<double> places;  // which draws they are of
  for (std::int64_t k = 0; k < count; ++k) places.push_back(static_cast<double>(spread(k, count, draws)));
  const Dimension draw{"draw", count};
  store_.add_data(std::string(predictive_name), "draw", {&draw, 1}, places, zarr_type::integer);
  store_.publish();
}

}  // namespace darboux

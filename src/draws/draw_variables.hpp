#pragma once

#include <optional>
#include <string>
#include <vector>

#include "darboux/model/model.hpp"
#include "draws/zarr_rows.hpp"

namespace darboux {

/// The arrays that columns of Stan CSV stand for: theta.1, theta.2 are one, theta, with an axis theta_dim_0; names that lack an
/// index of their array stay on their own. Where the model has an axis of names, all of them are one array. Columns begin at the
/// place `first` of a row. Throws InputError for names that an axis has.
[[nodiscard]] std::vector<DrawVariable> draw_variables(const std::string& group,
                                                       const std::vector<std::string>& columns,
                                                       const std::vector<std::string>& names,
                                                       const std::optional<NamedAxis>& axis, std::size_t first);
/// The same of what the sampler says, at the places 0, 1, …
[[nodiscard]] std::vector<DrawVariable> statistics_variables(const std::string& group);

}  // namespace darboux

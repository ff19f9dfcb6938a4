#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

/// How the names of a model's outputs are spelt in Stan CSV files, which know neither quotes nor escapes.
///
///     a[1,2]        a.1.2         indices, counted from 1
///     a.1.2, t:1.3  as they are   already spelt so (BridgeStan, CmdStan)
///     z.1.real, z.1.imag  as they are, where both are there: a complex number
///     age (years)   age_years     other characters than letters, digits and _ become one _, none at the ends
///     Größe         Größe         UTF-8 letters stay; bytes that are no UTF-8 count as other characters
namespace darboux {

/// The ".real" or ".imag" that a name ends in; nothing for others.
[[nodiscard]] std::string_view complex_part(std::string_view name);

/// One name. Throws InputError if nothing is left of it, or if it ends in __: readers take such columns for the sampler's.
[[nodiscard]] std::string stan_column_name(std::string_view name);

/// All names of a model. Also throws InputError if two become the same.
[[nodiscard]] std::vector<std::string> stan_column_names(std::span<const std::string> names);

/// How a column is shown to people: a.1.2 as a[1,2]. Names without indices stay as they are.
[[nodiscard]] std::string display_name(std::string_view column);

}  // namespace darboux

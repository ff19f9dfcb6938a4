#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "darboux/core/enumeration.hpp"
#include "report/run_summary.hpp"

namespace darboux {

/// Whether a name fits a pattern in which * stands for any text and ? for one character; everything else is itself.
[[nodiscard]] bool fits_pattern(std::string_view name, std::string_view pattern);

/// The columns among summarised_columns() that a list asks for, in the order of the file, each once. The list has names and
/// patterns between commas or spaces; commas within brackets belong to a name. Both spellings of a column count, a[1,2] and
/// a.1.2, and a name alone means all its entries: a is a[1,1], a[1,2], … Throws InputError, with a suggestion, for what fits
/// nothing.
[[nodiscard]] std::vector<std::size_t> select_columns(const StanCsvReader& file, std::string_view list);

enum class RowOrder { file, ess, rhat, name };  ///< smallest ESS, largest R̂ first; a[2] before a[10]
template <>
inline constexpr auto names_of<RowOrder> = std::to_array<Named<RowOrder>>(
    {{RowOrder::file, "file"}, {RowOrder::ess, "ess"}, {RowOrder::rhat, "rhat"}, {RowOrder::name, "name"}});

/// Rows that cannot be compared (NaN) come last.
void sort_rows(std::vector<SummaryRow>& rows, RowOrder order);

/// Whether a comes before b with numbers in them compared as numbers.
[[nodiscard]] bool natural_less(std::string_view a, std::string_view b);

}  // namespace darboux

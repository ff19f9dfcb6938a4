#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "darboux/core/enumeration.hpp"
#include "report/run_summary.hpp"

namespace darboux {

/// Whether a name fits a pattern in which * stands for any text and ? for one character; everything else is itself.
[[nodiscard]] bool fits_pattern(std::string_view name, std::string_view pattern);

/// Places of the names that a list asks for, in their own order, each once. The list has names and patterns between commas or
/// spaces; commas within brackets belong to a name. A name alone means all its entries: a is a[1,1], a[1,2], … `others` is how each
/// name may be spelt as well; may be left empty. Throws InputError, with a suggestion, for what fits nothing.
[[nodiscard]] std::vector<std::size_t> select_names(std::span<const std::string> names, std::string_view list,
                                                    std::span<const std::string> others = {});

/// The columns among summarised_columns() that a list asks for likewise, by both spellings of a column, a[1,2] and a.1.2.
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

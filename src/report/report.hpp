#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "darboux/core/enumeration.hpp"
#include "report/table_cell.hpp"

/// What the page of `darboux report` shows, whoever made it: sections with texts, a table, figures. docs/report.md describes
/// the same as JSON. Everything is text to the page, never markup.
namespace darboux {

// Each {} lets designated initialisers leave the member out without a warning.
// NOLINTBEGIN(readability-redundant-member-init)

struct DataColumn {
  std::string name;
  std::variant<std::vector<double>, std::vector<std::string>> values;
};

struct Figure {
  std::string title;  ///< what there is to see, in a sentence
  std::string caption{};
  std::string spec;     ///< Vega-Lite as JSON, without data, size and configuration
  int height = 230;     ///< pixels
  bool wide = false;    ///< across the page; on a small screen as much of it as fits is seen at a time
  bool square = false;  ///< axes of one length: where their domains have one too, a circle looks like one
  /// What the specification draws, columns of one length. Written with six digits: nobody sees more.
  std::vector<DataColumn> data{};
};

/// The order that a first click on a column's title gives.
enum class SortFirst { smallest, largest };

struct ReportColumn {
  std::string title;
  bool is_number = true;
  std::string help{};   ///< explains the title
  int dispensable = 0;  ///< where there is little room, columns with 2 are left out first, then those with 1
  SortFirst first = SortFirst::smallest;
};

struct ReportTable {
  std::string caption{};  ///< what it is about, where that is not said above
  std::vector<ReportColumn> columns{};
  std::vector<std::vector<TableCell>> rows{};
  std::size_t omitted = 0;  ///< rows that are left out
  /// Sentences: none is cut, and where there is little room cells stand below each other; those of columns with `dispensable` wait there
  /// for a click on their row.
  bool prose = false;
};

enum class Mood { none, good, caution, bad };
template <>
inline constexpr auto names_of<Mood> = std::to_array<Named<Mood>>(
    {{Mood::none, "none"}, {Mood::good, "good"}, {Mood::caution, "caution"}, {Mood::bad, "bad"}});

struct ReportNote {
  std::string finding;
  std::string advice{};
};

/// What a paper states, and what was found here.
struct ReportContrast {
  std::string paper;
  std::string here;       ///< with all numbers
  std::string verdict{};  ///< what becomes of the statement, in a word or two; none of runs that are too small for one
  std::string brief{};    ///< the same as `here` where `numbers` stand below
  std::vector<ReportTable> numbers{};
};

/// What a colour means.
struct LegendEntry {
  std::string label;
  std::string colour;  ///< as in specifications
};

struct ReportSection {
  std::string id;    ///< letters, digits and -; no two the same in a report
  std::string name;  ///< a word or two, for the list of contents
  std::string title;
  Mood mood = Mood::none;
  bool lead = false;   ///< on the first screen
  std::string part{};  ///< the run that it is about, where there are several
  std::vector<std::string> text{};
  std::vector<ReportNote> notes{};
  std::vector<ReportContrast> contrasts{};
  std::vector<ReportTable> numbers{};  ///< small tables in place of paragraphs full of numbers
  std::optional<ReportTable> table{};
  std::vector<LegendEntry> legend{};  ///< of all figures together, which then have none of their own on the page
  std::vector<Figure> figures{};
  std::string code{};  ///< to be copied as it is
};

struct Report {
  std::string title;
  std::vector<std::string> facts{};
  std::vector<ReportSection> sections{};
};

// NOLINTEND(readability-redundant-member-init)

inline constexpr std::string_view report_schema = "darboux-report/1";

/// What every file that fill_page() makes begins with.
inline constexpr std::string_view report_page_start = "<!doctype html>\n<!-- darboux report -->";

/// One line. No < is in it, so that it can stand within a page's script element.
[[nodiscard]] std::string report_to_json(const Report& report);

/// The page with the report in it. Throws InputError, naming `source`, if it is no such page.
[[nodiscard]] std::string fill_page(std::string_view page, std::string_view source, const Report& report);

}  // namespace darboux

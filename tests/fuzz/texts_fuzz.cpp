// Little texts: names, lists, ids of chains, numbers, encodings, patterns, what Stan says of data.

#include <algorithm>

#include "core/field_table.hpp"
#include "core/shown.hpp"
#include "core/spelling.hpp"
#include "io/column_names.hpp"
#include "io/encoding.hpp"
#include "report/parameter_selection.hpp"
#include "report/printable_text.hpp"
#include "run/chain_ids.hpp"
#include "run/run_config.hpp"
#include "stan/data_misfit.hpp"
#include "target.hpp"

namespace darboux::fuzz {
namespace {

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

bool has_control_characters(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
}

const Target names("names", [](std::string_view input) {
  const std::vector<std::string> lines = lines_of(input);
  attempt([&] {
    for (const std::string& column : stan_column_names(lines)) {
      demand(!column.empty() && column.find_first_of(",\"\n\r#") == std::string::npos, "a column fits into a CSV file");
      (void)display_name(column);
    }
  });
  for (const std::string& line : lines) {
    (void)display_name(line);
    for (const std::string& pattern : lines)
      if (line.size() + pattern.size() < 200) (void)fits_pattern(line, pattern);
    (void)natural_less(line, lines.front());
    const std::string clean = printable(line);
    demand(!has_control_characters(clean) && is_utf8(clean), "what is printable can be printed");
    demand(display_width(shortened(clean, 12)) <= 12, "what is shortened is short");
    demand(!has_control_characters(beginning_of(line)) && beginning_of(line).size() < 250, "what is shown is short");
    (void)wrapped(clean, 30, "- ", "  ");
    demand(is_utf8(utf8_from_windows_1252(line)), "what is recoded is UTF-8");
  }
  const std::vector<std::string_view> known(lines.begin(), lines.end());
  if (input.size() < 500) (void)unknown_name("name", input, known);
});

const Target settings("settings", [](std::string_view input) {
  const std::vector<std::string> lines = lines_of(input);
  for (const std::string& line : lines) {
    const bool names_many = line.size() > 12;  // a million ids take a while
    attempt([&] {
      if (names_many) return;
      const std::vector<Index> ids = parse_chain_ids("chain-ids", line);
      demand(parse_chain_ids("chain-ids", chain_ids_text(ids)) == ids, "ids come back");
    });
    attempt([&] {
      const std::vector<std::string> list = parse_list("columns", line);
      demand(parse_list("columns", text_of(ValueTree(ValueTree::List(list.begin(), list.end())))) == list,
             "a list comes back");
    });
    attempt([&] { (void)parse_real("strength", line, {.least = 0.0, .most = 1e6}); });
    attempt([&] { (void)parse_integer("draws", line, 1, 1'000'000'000); });
    RunConfig config;
    const std::size_t equals = std::min(line.find('='), line.size());
    attempt([&] {
      for (const Renamed& renamed :
           set_field(config, line.substr(0, equals), line.substr(std::min(equals + 1, line.size()))))
        (void)note_on(renamed, "--");
    });
  }
});

const Target misfit("misfit", [](std::string_view input) {
  const auto parts = parts_of(input, 2);
  (void)misfit_in_words(parts[0], parts[1]);
});

}  // namespace
}  // namespace darboux::fuzz

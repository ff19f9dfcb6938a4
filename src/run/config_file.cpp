#include <fmt/format.h>

// What its parser takes for granted some texts do not hold to. Left to itself it would end the program or, in a release build, go on in
// whatever state it is: here it refuses them.
namespace {
struct NoToml {};
[[noreturn]] void refuse_text() { throw NoToml(); }
}  // namespace
#ifdef NDEBUG
#undef NDEBUG
#define DARBOUX_NDEBUG
#endif
#define TOML_ASSERT(holds) static_cast<void>((holds) ? void() : refuse_text())
#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>
#ifdef DARBOUX_NDEBUG
#define NDEBUG
#endif

#include "darboux/core/error.hpp"
#include "io/file.hpp"
#include "run/run_config.hpp"

namespace darboux {

namespace {

/// The parser has trouble with some inputs that no configuration needs; they do not reach it.
void check_text(const std::string& file, const std::string& text) {
  constexpr std::size_t largest = 1 << 20;
  if (text.size() > largest) throw InputError(fmt::format("{}: larger than 1 MiB: not a configuration", file));
  std::int64_t line = 1;
  int depth = 0;
  for (const char c : text) {
    if (c == '\n') ++line;
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') --depth;
    if (depth > 8) throw InputError(fmt::format("{}:{}: brackets nested more than 8 deep", file, line));
    if (static_cast<unsigned char>(c) >= 0x80 || (c < ' ' && c != '\n' && c != '\t' && c != '\r'))
      throw InputError(fmt::format("{}:{}: only plain ASCII text is read here", file, line));
  }
}

/// The value as its flag would be given.
std::string flag_text(const std::string& where, std::string_view key, const toml::node& node) {
  if (const auto text = node.value_exact<std::string>()) return *text;
  if (const auto whole = node.value_exact<std::int64_t>()) return std::to_string(*whole);
  if (const auto real = node.value_exact<double>()) return show_real(*real);
  if (const auto on = node.value_exact<bool>()) return *on ? "true" : "false";
  if (const auto* const array = node.as_array(); array != nullptr && !array->empty()) {
    ValueTree::List texts;
    for (const toml::node& one : *array) texts.emplace_back(flag_text(where, key, one));
    return text_of(ValueTree(std::move(texts)));
  }
  throw InputError(
      fmt::format("{}: {} must be a number, a text in quotes, true or false, or a list of such", where, key));
}

}  // namespace

std::vector<std::string> read_config(RunConfig& config, const std::filesystem::path& path) {
  const std::string file = path.string();
  const std::string text = read_text(path);
  check_text(file, text);
  toml::table table;
  try {
    table = toml::parse(text, file);
  } catch (const toml::parse_error& e) {
    throw InputError(fmt::format("{}:{}: {}", file, e.source().begin.line, e.description()));
  } catch (const NoToml&) {
    throw InputError(fmt::format("{}: this is not TOML: must be lines of name = value", file));
  }
  std::vector<std::string> notes;
  for (const auto& [key, node] : table) {
    const std::string where = fmt::format("{}:{}", file, node.source().begin.line);
    const std::string value = flag_text(where, key.str(), node);
    try {
      for (const Renamed& renamed : set_field(config, key.str(), value)) {
        if (table.contains(renamed.now))
          throw InputError(fmt::format("{} is the former name of {}: give one of them", renamed.former, renamed.now));
        notes.push_back(fmt::format("{}: {}", where, note_on(renamed, "")));
      }
    } catch (const InputError& e) {
      throw InputError(fmt::format("{}: {}", where, e.what()));
    }
  }
  return notes;
}

}  // namespace darboux

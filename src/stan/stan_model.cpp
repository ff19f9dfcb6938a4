#include "darboux/stan/stan_model.hpp"

#include <fmt/format.h>

#include "darboux/core/error.hpp"
#include "io/file.hpp"
#include "stan/bridge_model.hpp"
#include "stan/compile.hpp"

namespace darboux {

namespace {

/// Stan's own reader finds out the rest, once the program is compiled, which may take a minute.
std::string json_in(const std::string& file) {
  std::string text = read_text(file);
  constexpr std::string_view mark = "\xEF\xBB\xBF";  // some editors begin UTF-8 with it
  if (text.starts_with(mark)) text.erase(0, mark.size());
  const auto begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string::npos) throw InputError(file + ": is empty: must be JSON, {} where a program takes no data");
  if (text[begin] != '{')
    throw InputError(file + ": must be JSON that begins with {, with what the program's data block declares by name");
  return text;
}

}  // namespace

std::shared_ptr<const Model> stan_model(const std::filesystem::path& file, const StanOptions& options) {
  const bool is_text = options.data.find_first_not_of(" \t\r\n") == options.data.find('{');
  BridgeModelSource source{.library = file,
                           .shown_as = file.string(),
                           .data = is_text ? options.data : json_in(options.data),
                           .data_shown_as = options.data.empty() ? "no data"
                                            : is_text            ? "the data"
                                                                 : options.data,
                           .seed = options.seed};
  if (file.extension() == ".stan")
    source.library =
        compile_stan(file, find_toolchain(options.toolchain, options.last_toolchain), options.watch).library;
  else if (file.extension() != ".so")
    throw InputError(fmt::format("{}: must be a Stan program, NAME.stan, or a compiled one, NAME.so", file.string()));
  return load_bridge_model(source);
}

}  // namespace darboux

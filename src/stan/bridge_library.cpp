#include "stan/bridge_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "darboux/core/error.hpp"

namespace darboux {

namespace {

constexpr int version_read_here = 2;

/// Looks functions up, and remembers which were not found.
class Symbols {
 public:
  explicit Symbols(void* library) : library_(library) {}

  template <class Function>
  void find(const char* name, Function*& function) {
    function = reinterpret_cast<Function*>(::dlsym(library_, name));
    if (function == nullptr) missing_.emplace_back(name);
  }
  [[nodiscard]] const std::vector<std::string>& missing() const noexcept { return missing_; }

 private:
  void* library_;
  std::vector<std::string> missing_;
};

void check_version(void* library, const std::string& file) {
  const auto* version = static_cast<const int*>(::dlsym(library, "bs_major_version"));
  if (version == nullptr)
    throw InputError(fmt::format(
        "{}: has no bs_major_version: must be a library with BridgeStan's interface, as darboux compile and "
        "BridgeStan make them",
        file));
  if (*version != version_read_here)
    throw InputError(
        fmt::format("{}: has version {} of BridgeStan's interface: must be {}; compile the program again, "
                    "with darboux compile or a BridgeStan of that version",
                    file, *version, version_read_here));
}

}  // namespace

std::string BridgeLibrary::message(char* error) const {
  if (error == nullptr) return "no reason was given";
  std::string text = error;
  free_message(error);
  constexpr std::string_view preamble = "() failed with exception: ";
  if (const auto at = text.find(preamble); at != std::string::npos) text.erase(0, at + preamble.size());
  constexpr std::string_view another = "Exception: ";
  if (text.starts_with(another)) text.erase(0, another.size());
  return text;
}

BridgeLibrary load_bridge_library(const std::filesystem::path& file) {
  const std::string path =
      std::filesystem::absolute(file).string();  // a name without a slash would be looked for elsewhere
  void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const std::string why = ::dlerror();
    const bool is_full = why.find("static TLS") != std::string::npos;
    throw InputError(fmt::format("{}: cannot be loaded: {}{}", file.string(), why,
                                 is_full ? ". This process has loaded too many programs: begin a new one, or set "
                                           "GLIBC_TUNABLES=glibc.rtld.optional_static_tls=8192 before it starts"
                                         : ""));
  }
  check_version(library, file.string());
  BridgeLibrary found;
  Symbols symbols(library);
  symbols.find("bs_model_construct", found.construct);
  symbols.find("bs_model_destruct", found.destruct);
  symbols.find("bs_free_error_msg", found.free_message);
  symbols.find("bs_name", found.name);
  symbols.find("bs_model_info", found.info);
  symbols.find("bs_param_names", found.names);
  symbols.find("bs_param_num", found.size);
  symbols.find("bs_param_unc_num", found.dim);
  symbols.find("bs_param_constrain", found.constrain);
  symbols.find("bs_param_unconstrain", found.unconstrain);
  symbols.find("bs_log_density", found.log_density);
  symbols.find("bs_log_density_gradient", found.gradient);
  symbols.find("bs_rng_construct", found.construct_rng);
  symbols.find("bs_rng_destruct", found.destruct_rng);
  symbols.find("bs_set_print_callback", found.print_to);
  if (!symbols.missing().empty())
    throw InputError(fmt::format("{}: lacks {} of BridgeStan's interface 2: must have all of it", file.string(),
                                 fmt::join(symbols.missing(), ", ")));
  return found;
}

}  // namespace darboux

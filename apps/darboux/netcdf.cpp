#include "netcdf.hpp"

#include <fmt/format.h>

#include <darboux/core/error.hpp>

#ifdef DARBOUX_NETCDF

#include <dlfcn.h>
#include <netcdf.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

namespace darboux::cli {

namespace {

namespace fs = std::filesystem;

/// A function of whatever type is asked for.
struct Function {
  void* address;
  template <class Type>
  operator Type*() const {  // NOLINT(google-explicit-constructor)
    return reinterpret_cast<Type*>(address);
  }
};

Function function(const char* name) {
  static void* const library = ::dlopen(DARBOUX_NETCDF, RTLD_NOW | RTLD_LOCAL);
  void* const address = library == nullptr ? nullptr : ::dlsym(library, name);
  if (address == nullptr)
    throw InputError(
        fmt::format("to = netcdf: {}, with which Darboux was built, cannot be loaded here ({}): install it (Debian: "
                    "libnetcdf19), or convert to zarr, which xarray and ArviZ read as well",
                    DARBOUX_NETCDF, ::dlerror()));
  return {address};
}

/// The library's functions, found when they are wanted: linked, its forty dependencies would cost every command ten milliseconds.
struct Netcdf {
  decltype(&::nc_create) create = function("nc_create");
  decltype(&::nc_close) close = function("nc_close");
  decltype(&::nc_strerror) strerror = function("nc_strerror");
  decltype(&::nc_put_att_double) put_att_double = function("nc_put_att_double");
  decltype(&::nc_put_att_text) put_att_text = function("nc_put_att_text");
  decltype(&::nc_def_grp) def_grp = function("nc_def_grp");
  decltype(&::nc_def_var) def_var = function("nc_def_var");
  decltype(&::nc_def_dim) def_dim = function("nc_def_dim");
  decltype(&::nc_put_vara_double) put_vara_double = function("nc_put_vara_double");
  decltype(&::nc_put_var_string) put_var_string = function("nc_put_var_string");
};

const Netcdf& netcdf() {
  static const Netcdf functions;
  return functions;
}

/// A netCDF file that is being written; it disappears again unless it is kept.
class NetcdfFile {
 public:
  explicit NetcdfFile(const fs::path& target) : target_(target), temporary_(target) {
    temporary_.replace_filename(fmt::format(".{}.tmp", target.filename().string()));
    check(netcdf().create(temporary_.c_str(), NC_NETCDF4 | NC_CLOBBER, &id_));
    is_open_ = true;
  }
  NetcdfFile(const NetcdfFile&) = delete;
  NetcdfFile& operator=(const NetcdfFile&) = delete;
  ~NetcdfFile() {
    if (is_open_) (void)netcdf().close(id_);
    std::error_code ignored;
    fs::remove(temporary_, ignored);
  }
  [[nodiscard]] int id() const noexcept { return id_; }
  void check(int status) const {
    if (status != NC_NOERR)
      throw Error(fmt::format("cannot write {}: {}", target_.string(), netcdf().strerror(status)));
  }
  void keep() {
    is_open_ = false;
    check(netcdf().close(id_));
    fs::rename(temporary_, target_);
  }

 private:
  fs::path target_, temporary_;
  int id_ = -1;
  bool is_open_ = false;
};

/// Texts and numbers of a JSON object; what has no counterpart stays JSON.
void put_attributes(const NetcdfFile& file, int group, const std::string& json) {
  const auto attributes = nlohmann::ordered_json::parse(json);
  for (const auto& [key, value] : attributes.items()) {
    if (value.is_number()) {
      const auto number = value.get<double>();
      file.check(netcdf().put_att_double(group, NC_GLOBAL, key.c_str(), NC_DOUBLE, 1, &number));
    } else {
      const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
      file.check(netcdf().put_att_text(group, NC_GLOBAL, key.c_str(), text.size(), text.c_str()));
    }
  }
}

/// A group, and its dimensions as far as they are defined.
class Group {
 public:
  Group(const NetcdfFile& file, const ZarrReader& store, const std::string& name) : file_(file), store_(store) {
    file.check(netcdf().def_grp(file.id(), name.c_str(), &id_));
    put_attributes(file, id_, store.attributes(name));
  }

  void copy(const std::string& array, const std::string& name) {
    const ZarrArray& described = store_.array(array);
    std::vector<int> dims;
    for (std::size_t i = 0; i < described.dims.size(); ++i)
      dims.push_back(dimension(described.dims[i], described.shape[i]));
    const bool is_text = described.type.starts_with("<U"), is_truth = described.type == zarr_type::truth;
    const nc_type type = is_text                                ? NC_STRING
                         : is_truth                             ? NC_BYTE
                         : described.type == zarr_type::integer ? NC_INT64
                                                                : NC_DOUBLE;
    int variable = -1;
    file_.check(netcdf().def_var(id_, name.c_str(), type, static_cast<int>(dims.size()), dims.data(), &variable));
    if (is_truth) file_.check(netcdf().put_att_text(id_, variable, "dtype", 4, "bool"));  // as xarray writes it
    if (is_text) return put_texts(variable, array);
    if (described.dims.empty()) return put(variable, {}, {}, store_.numbers(array));
    if (std::ranges::count(described.shape, 0) > 0) return;
    std::vector<std::size_t> first(dims.size(), 0), count(described.shape.begin(), described.shape.end());
    for (std::int64_t begin = 0; begin < described.shape[0]; begin += described.chunk[0]) {  // of draws, chain by chain
      const std::int64_t end = std::min(begin + described.chunk[0], described.shape[0]);
      first[0] = static_cast<std::size_t>(begin);
      count[0] = static_cast<std::size_t>(end - begin);
      put(variable, first, count, store_.rows(array, begin, end));
    }
  }

 private:
  int dimension(const std::string& name, std::int64_t size) {
    const auto [entry, is_new] = dims_.emplace(name, -1);
    // netCDF takes the length 0 for "unlimited", which is 0 as long as nothing is written.
    if (is_new) file_.check(netcdf().def_dim(id_, name.c_str(), static_cast<std::size_t>(size), &entry->second));
    return entry->second;
  }
  void put(int variable, const std::vector<std::size_t>& first, const std::vector<std::size_t>& count,
           const std::vector<double>& values) const {
    file_.check(netcdf().put_vara_double(id_, variable, first.data(), count.data(), values.data()));
  }
  void put_texts(int variable, const std::string& array) const {
    const std::vector<std::string> texts = store_.texts(array);
    std::vector<const char*> pointers;
    for (const std::string& text : texts) pointers.push_back(text.c_str());
    if (!texts.empty()) file_.check(netcdf().put_var_string(id_, variable, pointers.data()));
  }

  const NetcdfFile& file_;
  const ZarrReader& store_;
  int id_ = -1;
  std::map<std::string, int> dims_;
};

}  // namespace

void require_netcdf() { (void)netcdf(); }

void write_netcdf(const ZarrReader& store, const fs::path& path) {
  NetcdfFile file(path);
  put_attributes(file, file.id(), store.attributes(""));
  for (const std::string& name : store.groups()) {
    Group group(file, store, name);
    for (const std::string& array : store.arrays())
      if (array.starts_with(name + "/")) group.copy(array, array.substr(name.size() + 1));
  }
  file.keep();
}

}  // namespace darboux::cli

#else

namespace darboux::cli {

void require_netcdf() {
  throw Error(
      "this darboux was built without netCDF: install libnetcdf-dev and build it again (./dev install), or convert to "
      "zarr, which ArviZ opens as well");
}
void write_netcdf(const ZarrReader& /*store*/, const std::filesystem::path& /*file*/) { require_netcdf(); }

}  // namespace darboux::cli

#endif

#pragma once

#include <fmt/format.h>
#include <zlib.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "darboux/core/random.hpp"
#include "io/scratch_folder.hpp"
#include "model/sharded_logistic.hpp"
#include "support/thread_group.hpp"

namespace darboux::testing {

/// A table of numbers, a column of two values and a category, of which one level is rare.
struct MadeUpTable {
  std::string header = "outcome,age,income,member,town\n";
  std::vector<std::string> rows{};

  explicit MadeUpTable(int count, std::uint64_t seed = 1) {
    RandomStream random({.seed = seed});
    for (int i = 0; i < count; ++i) {
      const double age = 50.0 + 12.0 * random.normal(), income = 3e4 + 1e4 * random.normal();
      const int member = random.uniform() < 0.3 ? 2 : 1;
      const char* const town = i == count - 2 ? "Zug" : random.uniform() < 0.6 ? "Bern" : "Chur";
      const double logit = 0.04 * (age - 50.0) - 0.5 * (member - 1) + (*town == 'B' ? 0.4 : -0.2);
      const bool yes = random.uniform() < 1.0 / (1.0 + std::exp(-logit));
      rows.push_back(fmt::format("{},{:.6g},{:.8g},{},{}\n", yes ? "yes" : "no", age, income, member, town));
    }
  }
  [[nodiscard]] std::string text(std::size_t first, std::size_t end) const {
    std::string out = header;
    for (std::size_t i = first; i < end; ++i) out += rows[i];
    return out;
  }
  [[nodiscard]] std::string text() const { return text(0, rows.size()); }
};

inline void write_gzipped(const std::filesystem::path& file, const std::string& text) {
  const gzFile out = gzopen(file.c_str(), "wb");
  (void)gzwrite(out, text.data(), static_cast<unsigned>(text.size()));
  (void)gzclose(out);
}

/// Files for one test.
class TableFiles {
 public:
  std::string add(const std::string& name, const std::string& text) {
    std::ofstream(folder_.path() / name, std::ios::binary) << text;
    return path(name);
  }
  std::string add_gzipped(const std::string& name, const std::string& text) {
    write_gzipped(path(name), text);
    return path(name);
  }
  [[nodiscard]] std::string path(const std::string& name) const { return (folder_.path() / name).string(); }

 private:
  ScratchFolder folder_{std::filesystem::temp_directory_path()};
};

/// task(model) in the first of so many processes that share the rows of a table, or what opening it throws.
inline void with_shards(int processes, const std::string& data, const RegressionOptions& options,
                        const std::function<void(const std::shared_ptr<const Model>&)>& task, int threads = 1) {
  in_group(processes, [&](Group& group) {
    if (!group.is_first()) return follow(group, threads);
    const Lead lead(group);
    task(lead.open_logistic(data, options, threads));
  });
}

}  // namespace darboux::testing

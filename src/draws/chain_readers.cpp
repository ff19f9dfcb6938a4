#include "draws/chain_readers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "darboux/core/error.hpp"
#include "draws/draw_variables.hpp"
#include "draws/sampler_statistics.hpp"
#include "draws/zarr_reader.hpp"
#include "draws/zarr_sink.hpp"
#include "io/column_names.hpp"

namespace darboux {

namespace fs = std::filesystem;

namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

/// Where a column is kept: an array, without the "posterior/" of its group, and the place within one draw.
struct Kept {
  bool is_statistic = false;
  std::string array;
  std::size_t place = 0;
};

/// What chains of a store have in common.
class Store {
  static constexpr std::int64_t most_chains = 1'000'000, most_without_draws = 10'000;  // each takes memory
  static constexpr const char* first_array = "sample_stats/lp";                        // which every store has

 public:
  explicit Store(const fs::path& root) : reader_(root) {
    try {
      understand(nlohmann::ordered_json::parse(reader_.attributes("")));
    } catch (const std::exception&) {  // of the JSON library, or of what lacks something
      fail("this is no store of draws that darboux wrote");
    }
    const std::vector<std::int64_t>& shape = reader_.array(first_array).shape;
    if (shape.size() != 2 || shape[0] < 1 || shape[0] > (shape[1] > 0 ? most_chains : most_without_draws))
      fail(fmt::format("{} must have the dimensions chain and draw, of {} chains at most", first_array, most_chains));
    chains_ = static_cast<Index>(shape[0]);
    for (Index c = 0; c < chains_ && shape[1] > 0; ++c) (void)reader_.slice(first_array, c, 0, 1);  // it is there
  }

  [[nodiscard]] Index chains() const noexcept { return chains_; }

  [[nodiscard]] StanCsvReader reader(const std::shared_ptr<const Store>& self, Index chain, bool of_statistics) const {
    std::vector<std::string> names;
    std::vector<Kept> kept;
    for (std::size_t i = 0; i < sampler_statistics.size(); ++i) {
      if ((i < statistics_with_draws) == of_statistics) continue;
      names.emplace_back(sampler_statistics[i].column);
      kept.push_back({.is_statistic = true, .array = std::string(sampler_statistics[i].name)});
    }
    if (!of_statistics) {
      names.insert(names.end(), columns_.begin(), columns_.end());
      kept.insert(kept.end(), kept_.begin(), kept_.end());
    }
    Settings settings = settings_;
    for (auto& [key, value] : settings)
      if (key == "id") value = std::to_string(chain + 1);
    return {reader_.root(), std::move(names), std::move(settings),
            [self, chain, kept = std::move(kept)](std::span<const std::size_t> columns,
                                                  const StanCsvReader::RowVisitor& visit) {
              StanCsvPass pass;
              pass.step_size = self->step_size_;
              pass.warmup_seconds = self->warmup_seconds_;
              pass.sampling_seconds = self->sampling_seconds_;
              std::vector<Kept> wanted;
              for (const std::size_t column : columns) wanted.push_back(kept.at(column));
              pass.warmup_rows = self->visit_rows(chain, Phase::warmup, wanted, visit);
              pass.sampling_rows = self->visit_rows(chain, Phase::sampling, wanted, visit);
              return pass;
            }};
  }

 private:
  void understand(const nlohmann::ordered_json& attributes) {
    columns_ = attributes.at("darboux_columns").get<std::vector<std::string>>();
    for (const auto& setting : attributes.at("darboux_settings")) settings_.emplace_back(setting.at(0), setting.at(1));
    std::optional<NamedAxis> axis;
    std::vector<std::string> labels;
    if (attributes.contains("darboux_axis")) {
      axis = {attributes["darboux_axis"].at(0), attributes["darboux_axis"].at(1)};
      labels = reader_.texts("posterior/" + axis->axis);
    }
    const auto seconds = [&](const char* key) {
      return attributes.contains(key) ? std::optional(attributes[key].get<double>()) : std::nullopt;
    };
    warmup_seconds_ = seconds("warmup_time");
    sampling_seconds_ = seconds("sampling_time");
    step_size_ = seconds("tuning_step_size");
    kept_.resize(columns_.size());
    for (const DrawVariable& variable : draw_variables("posterior", columns_, labels, axis, 0))
      for (std::size_t i = 0; i < variable.places.size(); ++i)
        kept_.at(variable.places[i]) = {.array = variable.name, .place = i};
  }

  /// Stretch by stretch, so that a chain may be larger than memory. Returns how many rows there are.
  std::int64_t visit_rows(Index chain, Phase phase, const std::vector<Kept>& wanted,
                          const StanCsvReader::RowVisitor& visit) const {
    constexpr std::int64_t stretch = 1024;
    const std::string prefix = phase == Phase::warmup ? "warmup_" : "";
    if (!reader_.has(prefix + first_array)) return 0;
    const std::vector<std::int64_t>& shape = reader_.array(prefix + first_array).shape;
    const std::int64_t rows = shape.size() < 2 ? 0 : shape[1];
    for (const Kept& column : wanted) require_column(prefix, column, rows);
    std::vector<double> row(wanted.size());
    for (std::int64_t begin = 0; begin < rows; begin += stretch) {
      const std::int64_t end = std::min(rows, begin + stretch);
      std::map<std::string, std::vector<double>> arrays;
      std::vector<const std::vector<double>*> from;
      for (const Kept& column : wanted) {
        const std::string array = array_of(prefix, column);
        if (!arrays.contains(array)) arrays[array] = reader_.slice(array, chain, begin, end);
        from.push_back(&arrays[array]);
      }
      const auto count = static_cast<std::size_t>(end - begin);
      for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t j = 0; j < wanted.size(); ++j)
          row[j] = (*from[j])[i * (from[j]->size() / count) + wanted[j].place];
        visit(row, phase);
      }
    }
    return rows;
  }

  static std::string array_of(const std::string& prefix, const Kept& column) {
    return prefix + (column.is_statistic ? "sample_stats/" : "posterior/") + column.array;
  }
  /// Its array has all chains and draws, and a place for it in each draw.
  void require_column(const std::string& prefix, const Kept& column, std::int64_t rows) const {
    const std::string name = array_of(prefix, column);
    const std::vector<std::int64_t>& shape = reader_.array(name).shape;
    std::uint64_t places = 1;
    for (std::size_t i = 2; i < shape.size(); ++i) places *= static_cast<std::uint64_t>(shape[i]);
    if (shape.size() < 2 || shape[0] != chains_ || shape[1] != rows || column.place >= places)
      fail(fmt::format("{}: must have the dimensions chain ({}), draw ({}) and entries, more than {}", name, chains_,
                       rows, column.place));
  }
  [[noreturn]] void fail(std::string_view why) const {
    throw InputError(fmt::format("{}: {}", reader_.root().string(), why));
  }

  ZarrReader reader_;
  Index chains_ = 0;
  std::vector<std::string> columns_;
  std::vector<Kept> kept_;
  Settings settings_;
  std::optional<double> warmup_seconds_, sampling_seconds_, step_size_;
};

ChainReaders chain_of(const std::shared_ptr<const Store>& store, Index chain) {
  return {.draws = store->reader(store, chain, false), .statistics = store->reader(store, chain, true)};
}

}  // namespace

bool is_zarr(const fs::path& path) { return fs::exists(path / zarr_metadata); }

std::vector<ChainReaders> open_zarr(const fs::path& path) {
  const auto store = std::make_shared<const Store>(path);
  std::vector<ChainReaders> chains;
  for (Index c = 0; c < store->chains(); ++c) chains.push_back(chain_of(store, c));
  return chains;
}

ChainReaders open_chain(const fs::path& folder, const DrawFile& file) {
  const fs::path path = folder / file.file;
  if (is_zarr(path)) {
    const auto store = std::make_shared<const Store>(path);
    if (file.chain < 1 || file.chain > store->chains())
      throw InputError(fmt::format("{}: there is no chain {}", path.string(), file.chain));
    return chain_of(store, file.chain - 1);
  }
  ChainReaders chain{.draws = StanCsvReader(path), .statistics = {}};
  if (!file.statistics.empty() && fs::exists(folder / file.statistics))
    chain.statistics = StanCsvReader(folder / file.statistics);
  return chain;
}

ReadableRows count_readable_rows(const fs::path& folder, const DrawFile& file) {
  ReadableRows rows;
  try {
    (void)open_chain(folder, file).draws.for_each_row({}, [&](auto, Phase phase) {
      ++(phase == Phase::warmup ? rows.warmup : rows.sampling);
    });
  } catch (const std::exception& e) {  // of a file system, too
    rows.trouble = e.what();
  }
  return rows;
}

}  // namespace darboux

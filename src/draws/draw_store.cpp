#include "draws/draw_store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/shown.hpp"
#include "core/spelling.hpp"
#include "darboux/core/error.hpp"

namespace darboux {

namespace {

template <class T>
std::span<const T> part(const std::vector<T>& all, std::size_t warmup_draws, DrawPhase phase) {
  const std::span<const T> draws(all);
  return phase == DrawPhase::warmup ? draws.first(warmup_draws) : draws.subspan(warmup_draws);
}

}  // namespace

ChainStore::ChainStore(std::size_t columns, std::size_t expected_draws) : columns_(columns) {
  for (auto& column : columns_) column.reserve(expected_draws);
  statistics_.reserve(expected_draws);
}

void ChainStore::draw(std::span<const double> values, const DrawStatistics& statistics) {
  if (values.size() != columns_.size())
    throw Error(fmt::format("a draw has {} values, but there are {} columns for them", values.size(), columns_.size()));
  for (std::size_t i = 0; i < values.size(); ++i) columns_[i].push_back(values[i]);
  statistics_.push_back(statistics);
}

void ChainStore::end_warmup(const Adaptation& adaptation) {
  if (adaptation_) throw Error("warm-up of this chain has ended before");
  warmup_draws_ = statistics_.size();
  adaptation_ = adaptation;
}

std::size_t ChainStore::draws(DrawPhase phase) const noexcept {
  return phase == DrawPhase::warmup ? warmup_draws() : statistics_.size() - warmup_draws();
}

std::span<const double> ChainStore::column(std::size_t column, DrawPhase phase) const {
  return part(columns_.at(column), warmup_draws(), phase);
}

std::span<const DrawStatistics> ChainStore::statistics(DrawPhase phase) const {
  return part(statistics_, warmup_draws(), phase);
}

DrawStore::DrawStore(std::vector<std::string> names, std::size_t chains, std::size_t expected_draws)
    : names_(std::move(names)) {
  std::set<std::string_view> seen;
  for (const std::string& name : names_)
    if (!seen.insert(name).second) throw InputError(fmt::format("two columns are called {}", shown(name)));
  for (std::size_t chain = 0; chain < chains; ++chain) chains_.emplace_back(names_.size(), expected_draws);
}

std::vector<std::span<const double>> DrawStore::column(std::string_view name) const {
  const auto found = std::find(names_.begin(), names_.end(), name);
  if (found == names_.end()) {
    const std::vector<std::string_view> known(names_.begin(), names_.end());
    throw InputError(unknown_name("column", name, known));
  }
  return column(static_cast<std::size_t>(found - names_.begin()));
}

std::vector<std::span<const double>> DrawStore::column(std::size_t column) const {
  std::vector<std::span<const double>> out;
  out.reserve(chains_.size());
  for (const ChainStore& chain : chains_) out.push_back(chain.column(column));
  return out;
}

}  // namespace darboux

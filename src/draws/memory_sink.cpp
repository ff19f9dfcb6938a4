#include "draws/memory_sink.hpp"

#include <algorithm>
#include <limits>

namespace darboux {

MemorySink::MemorySink(Index chains, std::size_t columns) : columns_(columns), chains_(at(chains)) {
  for (Chain& chain : chains_)
    for (Stored* stored : {&chain.warmup, &chain.sampling}) stored->columns.resize(columns);
}

void MemorySink::draw(const Draw& draw) {
  Chain& chain = chains_[at(draw.chain)];
  const std::scoped_lock lock(chain.growing);
  Stored& stored = draw.phase == Phase::warmup ? chain.warmup : chain.sampling;
  for (std::size_t i = 0; i < columns_; ++i) stored.columns[i].push_back(draw.values[i]);
  stored.log_density.push_back(draw.transition.log_density);
  stored.transitions.push_back(draw.transition);
}

/// Iterations that all chains have: they only get more.
std::size_t MemorySink::finished(Phase phase) const {
  auto least = std::numeric_limits<std::size_t>::max();
  for (Index c = 0; c < chains(); ++c) {
    const std::scoped_lock lock(chains_[at(c)].growing);
    least = std::min(least, stored(c, phase).transitions.size());
  }
  return least;
}

void MemorySink::take_finished(const MemorySink& other) {
  for (const Phase phase : {Phase::warmup, Phase::sampling}) {
    const std::size_t length = other.finished(phase);
    for (Index c = 0; c < chains(); ++c) {
      Stored& to = phase == Phase::warmup ? chains_[at(c)].warmup : chains_[at(c)].sampling;
      const std::scoped_lock lock(other.chains_[at(c)].growing);
      const Stored& from = other.stored(c, phase);
      const auto first_of = [length](auto& mine, const auto& theirs) {
        mine.assign(theirs.begin(), theirs.begin() + static_cast<std::ptrdiff_t>(length));
      };
      for (std::size_t i = 0; i < columns_; ++i) first_of(to.columns[i], from.columns[i]);
      first_of(to.log_density, from.log_density);
      first_of(to.transitions, from.transitions);
    }
  }
}

const MemorySink::Stored& MemorySink::stored(Index chain, Phase phase) const {
  const Chain& all = chains_.at(at(chain));
  return phase == Phase::warmup ? all.warmup : all.sampling;
}

std::span<const double> MemorySink::column(Index chain, std::size_t column, Phase phase) const {
  return stored(chain, phase).columns.at(column);
}

std::vector<std::span<const double>> MemorySink::column(std::size_t column, Phase phase) const {
  std::vector<std::span<const double>> all;
  for (Index c = 0; c < chains(); ++c) all.push_back(this->column(c, column, phase));
  return all;
}

std::vector<std::span<const double>> MemorySink::log_densities(Phase phase) const {
  std::vector<std::span<const double>> all;
  for (Index c = 0; c < chains(); ++c) all.emplace_back(stored(c, phase).log_density);
  return all;
}

std::span<const Transition> MemorySink::transitions(Index chain, Phase phase) const {
  return stored(chain, phase).transitions;
}

}  // namespace darboux

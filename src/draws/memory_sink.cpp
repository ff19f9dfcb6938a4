#include "draws/memory_sink.hpp"

namespace darboux {

MemorySink::MemorySink(Index chains, std::size_t columns) : columns_(columns), chains_(at(chains)) {
  for (Chain& chain : chains_)
    for (Stored* stored : {&chain.warmup, &chain.sampling}) stored->columns.resize(columns);
}

void MemorySink::draw(const Draw& draw) {
  Chain& chain = chains_[at(draw.chain)];
  Stored& stored = draw.phase == Phase::warmup ? chain.warmup : chain.sampling;
  for (std::size_t i = 0; i < columns_; ++i) stored.columns[i].push_back(draw.values[i]);
  stored.log_density.push_back(draw.transition.log_density);
  stored.transitions.push_back(draw.transition);
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

#include "model/logistic_shard.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "checks.hpp"
#include "cluster/on_all.hpp"
#include "model/logistic_data.hpp"

namespace darboux {

LogisticShard::LogisticShard(Group& group, std::span<const Index> bounds, std::vector<LogisticRegression::Data> pieces,
                             int threads)
    : group_(group),
      tree_(group, bounds),
      pieces_(std::move(pieces)),
      workplaces_(static_cast<std::size_t>(std::clamp<Index>(std::ssize(pieces_), 1, threads))),
      threads_(static_cast<int>(workplaces_.size())) {}

template <class Sum>
void LogisticShard::sum_pieces(std::size_t numbers, const Sum& sum) {
  of_pieces_.resize(pieces_.size() * numbers);
  total_.resize(numbers);
  {
    const Apart apart(group_);
    threads_.for_each(std::ssize(workplaces_), [&](Index t) {
      const Share share = share_of(std::ssize(pieces_), static_cast<int>(t), static_cast<int>(workplaces_.size()));
      for (Index k = share.first; k < share.first + share.count; ++k)
        sum(pieces_[at(k)], std::span(of_pieces_).subspan(at(k) * numbers, numbers), workplaces_[at(t)]);
    });
  }
  tree_.add_up(of_pieces_, total_);
}

void LogisticShard::sum(const LogisticTask<double>& task) {
  const std::size_t gradients = task.gradient != nullptr ? task.columns * task.lanes : 0;
  const std::size_t values = task.log_likelihood != nullptr ? task.lanes : 0;
  sum_pieces(gradients + values, [&](const LogisticRegression::Data& piece, std::span<double> out, Workplace& place) {
    LogisticTask<double> of_piece = task;
    if (gradients > 0) of_piece.gradient = out.data();
    if (values > 0) of_piece.log_likelihood = out.data() + gradients;
    sum_rows(piece, of_piece, place.scratch);
  });
  std::copy_n(total_.begin(), gradients, task.gradient);
  std::copy_n(total_.begin() + static_cast<Index>(gradients), values, task.log_likelihood);
}

/// Pieces add up in double precision: there may be many.
void LogisticShard::sum(const LogisticTask<float>& task) {
  sum_pieces(task.columns * task.lanes,
             [&](const LogisticRegression::Data& piece, std::span<double> out, Workplace& place) {
               place.gradient.resize(out.size());
               LogisticTask<float> of_piece = task;
               of_piece.gradient = place.gradient.data();
               sum_rows(piece, of_piece, place.single_scratch);
               std::ranges::copy(place.gradient, out.begin());
             });
  std::ranges::transform(total_, task.gradient, [](double x) { return static_cast<float>(x); });
}

namespace {

/// The predictors of one piece, and its outcomes.
struct PieceOfDesign {
  Matrix features;
  std::vector<double> signs;
};

std::vector<PieceOfDesign> designs_of(ReadPieces& read, const RegressionTable& table) {
  std::vector<PieceOfDesign> out;
  for (std::size_t k = 0; k < read.pieces.size(); ++k) {
    const PieceOfTable& piece = read.pieces[k];
    CsvTable& rows = read.tables[piece.table];
    if (rows.rows == 0) {  // may not know what its columns are of
      out.push_back({.features = Matrix(0, std::ssize(table.predictors)), .signs = {}});
      continue;
    }
    PieceOfDesign design{.features = features_of(rows, table.predictors, piece.first, piece.rows),
                         .signs = labels_of(rows, table.outcome, piece.first, piece.rows)};
    for (double& label : design.signs) label = 2.0 * label - 1.0;
    out.push_back(std::move(design));
    if (k + 1 == read.pieces.size() || read.pieces[k + 1].table != piece.table) rows = {};  // is not needed any more
  }
  return out;
}

/// The sum over all rows, column by column, of what is made of entries: of(x, column).
template <class Of>
std::vector<double> column_sums(TreeSum& tree, const std::vector<PieceOfDesign>& pieces, std::size_t columns,
                                const Of& of) {
  std::vector<double> sums(pieces.size() * columns), total(columns);
  for (std::size_t k = 0; k < pieces.size(); ++k)
    for (Index i = 0; i < pieces[k].features.rows(); ++i)
      for (std::size_t j = 0; j < columns; ++j)
        sums[k * columns + j] += of(pieces[k].features(i, static_cast<Index>(j)), j);
  tree.add_up(sums, total);
  return total;
}

Standardisation moments_of(TreeSum& tree, const std::vector<PieceOfDesign>& pieces, const RegressionTable& table) {
  const auto rows = static_cast<double>(table.rows);
  const std::size_t columns = table.predictors.size();
  Standardisation moments;
  moments.means = column_sums(tree, pieces, columns, [](double x, std::size_t) { return x; });
  for (double& mean : moments.means) mean /= rows;
  moments.scales = column_sums(
      tree, pieces, columns, [&](double x, std::size_t j) { return (x - moments.means[j]) * (x - moments.means[j]); });
  for (double& scale : moments.scales) scale = std::sqrt(scale / rows);
  return moments;
}

}  // namespace

ShardedRegression open_sharded(Group& group, const PiecedTable& table, const RegressionOptions& options, int threads) {
  const std::vector<Index> bounds = deal_pieces(table, group.size());
  ReadPieces read = read_pieces(group, table, options, threads);
  ShardedRegression out{.table = regression_table(read.facts, options), .moments = {}, .rows = nullptr};
  std::vector<PieceOfDesign> designs;
  on_all(group, [&] { designs = designs_of(read, out.table); });
  TreeSum tree(group, bounds);
  if (!out.table.predictors.empty()) out.moments = moments_of(tree, designs, out.table);
  const Standardisation taken = taken_out(out.moments, out.table.predictors, options);
  std::vector<LogisticRegression::Data> pieces;
  on_all(group, [&] {
    for (auto& [features, signs] : designs) {
      take_out(taken, features);
      pieces.push_back(design_of(features, signs, options.intercept));
      features = {};
    }
  });
  out.rows = std::make_shared<LogisticShard>(group, bounds, std::move(pieces), threads);
  return out;
}

}  // namespace darboux

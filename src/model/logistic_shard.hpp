#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cluster/group.hpp"
#include "cluster/tree_sum.hpp"
#include "core/parallel.hpp"
#include "model/logistic_rows.hpp"
#include "model/regression_table.hpp"
#include "model/standardise.hpp"
#include "model/table_pieces.hpp"

/// A logistic regression whose rows lie with several processes, each of which has some pieces of the table.
namespace darboux {

/// The rows that this process has, and sums over those of all.
class LogisticShard {
 public:
  /// `pieces` are those of this process; rank r has the pieces from bounds[r] to bounds[r + 1].
  LogisticShard(Group& group, std::span<const Index> bounds, std::vector<LogisticRegression::Data> pieces, int threads);

  /// Over all rows, whoever has them: to the same bits whatever the processes and threads. All processes call it together, for the same
  /// lanes at the same β. What the task leaves open is not looked at.
  void sum(const LogisticTask<double>& task);
  void sum(const LogisticTask<float>& task);

  [[nodiscard]] Group& group() noexcept { return group_; }

 private:
  /// What one of the threads works in.
  struct Workplace {
    LogisticScratch<double> scratch;
    LogisticScratch<float> single_scratch;
    std::vector<float> gradient;
  };
  /// sum(piece, its numbers, workplace) for all pieces of this process, and then those of all processes: total_.
  template <class Sum>
  void sum_pieces(std::size_t numbers, const Sum& sum);

  Group& group_;
  TreeSum tree_;
  std::vector<LogisticRegression::Data> pieces_;
  std::vector<Workplace> workplaces_;
  std::vector<double> of_pieces_, total_;
  ThreadTeam threads_;
};

/// A regression that all processes of a group have opened together.
struct ShardedRegression {
  RegressionTable table;  ///< without rows
  Standardisation moments;
  std::shared_ptr<LogisticShard> rows;
};
/// Reads, standardises and keeps what is this process's. All call it together; what is wrong anywhere is thrown everywhere, as InputError
/// that names the file and the rank.
[[nodiscard]] ShardedRegression open_sharded(Group& group, const PiecedTable& table, const RegressionOptions& options,
                                             int threads);

}  // namespace darboux
